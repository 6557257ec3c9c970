"""Traffic that no scheme controls, constant rate, Poisson, on-off; and applications that write data for a scheme."""

import math

from longfat.sim.kernel.events import request_admission, set_timer
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import packet_at, recovery_at, sender_at, source_at, tally_at, traffic_uniform
from longfat.sim.kernel.packets import allocate_packet, ecn_field
from longfat.sim.kernel.records import DATA, FROM_APPLICATION, NEVER, NONE, ON_OFF, PACE, POISSON, SELECTIVE, SENT
from longfat.sim.kernel.trace_rows import trace_packet

LONGEST = 5e18  # ns; longer than any run


@part
def exponential(state, mean):
    """Return an exponential variate, by inversion, so that compiled and plain Python agree to the last bit."""
    return -mean * math.log1p(-traffic_uniform(state))


@routine
def duration(state, mean, shape):
    """Return a variate with this mean: fixed (shape 0), exponential (shape 1) or Pareto (shape above 1)."""
    if shape <= 0.0:
        return mean
    if shape == 1.0:
        return exponential(state, mean)
    least = mean * (shape - 1.0) / shape
    return least * math.exp(exponential(state, 1.0 / shape))  # (1 - U)^(-1/shape)


@part
def rounded(time):
    """Return the nearest integer number of nanoseconds, `LONGEST` at most."""
    return int(min(time, LONGEST) + 0.5)


@routine
def has_begun(state, f):
    """Return whether a Poisson process has begun; if not, begin it with an exponential gap."""
    tally = tally_at(state, f)
    if tally.begun:
        return True
    tally.begun = 1
    set_timer(state, f, PACE, state.now + rounded(exponential(state, source_at(state, f).gap)))
    return False


@part
def while_on(state, source, time):
    """Return `time`, when an on-off source sends its next packet, or the next on-period if it is off by then.

    The rest of the gap is carried over to that period, so that the mean rate is right for any gap.
    """
    if time >= source.off_at:
        source.on = 0
        source.gap_left = time - source.off_at
        time = min(source.off_at, NEVER - int(LONGEST)) + rounded(duration(state, source.off_time, source.shape_off))
    return time


@part
def after_gap(source, time):
    """Return the time of the packet behind that of `time`; gaps are integers [ns], with the right mean."""
    gap = min(source.gap, LONGEST)
    source.slack += gap - int(gap)
    following = time + int(gap) + int(source.slack)
    source.slack -= int(source.slack)
    return following


@part
def switch_on(state, source, time):
    """Begin the on-period of an on-off source; return whether a packet is due at once, not after the rest of a gap."""
    source.on = 1
    source.off_at = time + max(1, rounded(duration(state, source.on_time, source.shape_on)))
    return source.gap_left <= 0


@routine
def emit(state, f):
    """Send one packet of an uncontrolled flow, and schedule the next."""
    sender, source, tally = sender_at(state, f), source_at(state, f), tally_at(state, f)
    now = state.now
    if now >= tally.stop or sender.high >= sender.packets:
        tally.finish = now
        return
    if tally.traffic == POISSON and not has_begun(state, f):
        return
    if tally.traffic == ON_OFF and source.on == 0 and not switch_on(state, source, now):
        set_timer(state, f, PACE, while_on(state, source, now + source.gap_left))
        return
    i = allocate_packet(state)
    packet = packet_at(state, i)
    size = int(sender.packet_size)
    if source.mean_size > 0.0:
        size = min(max(1, int(exponential(state, source.mean_size) + 0.5)), 1_000_000)
    packet.flow = f
    packet.number = sender.high
    packet.sent = now
    packet.transmission = sender.transmission
    packet.length = size
    packet.hop = sender.first_hop
    packet.kind = DATA
    packet.marks = ecn_field(sender)
    packet.colour = 0
    packet.priority = 0
    sender.high += 1
    sender.next = sender.high
    sender.transmission += 1
    if state.tracing:
        trace_packet(state, SENT, i)
    if tally.traffic == POISSON:
        set_timer(state, f, PACE, now + rounded(exponential(state, source.gap)))
    else:
        following = after_gap(source, now)
        if tally.traffic == ON_OFF:
            following = while_on(state, source, following)
        set_timer(state, f, PACE, following)
    request_admission(state, i)


@routine
def write(state, f):
    """Let the application of a flow write what it has produced until now; return whether this is anything.

    It is asked when the sender has nothing more to send, so that an application costs no events while there are data.
    """
    sender, source = sender_at(state, f), source_at(state, f)
    before = sender.packets
    while source.next_write <= state.now and sender.packets < source.total:
        time = source.next_write
        if source.on == 0 and not switch_on(state, source, time):
            source.next_write = while_on(state, source, time + source.gap_left)
        else:
            sender.packets += 1
            source.next_write = while_on(state, source, after_gap(source, time))
    return sender.packets > before


@routine
def wait_for_data(state, f):
    """Return whether a flow that may not send a packet has new data; if not, note whether only data are missing.

    The pacing timer then expires when the application writes the next packet.
    """
    if write(state, f):
        return True
    sender, source, own = sender_at(state, f), source_at(state, f), recovery_at(state, f)
    if sender.next >= sender.packets:
        sent, allowed = sender.next - sender.una, sender.window + sender.inflation
        if sender.repair == SELECTIVE:
            sent, allowed = own.in_flight, sender.window
        own.app_limited = 1 if sent + 1 <= allowed else 0
        check_application_limited(state, f)
        if sender.packets < source.total:
            set_timer(state, f, PACE, source.next_write)
    return False


@part
def check_application_limited(state, f):
    """Mark the delivery-rate samples of a flow that may send more than there is to send as application-limited.

    This is CheckIfApplicationLimited() of draft-ietf-ccwg-bbr-06, section 4.1.2.4. Data that only the rate holds back
    are there to send.
    """
    sender, own = sender_at(state, f), recovery_at(state, f)
    if not own.sampled or sender.next < sender.packets or own.lost_head != NONE or own.in_flight + 1 > sender.window:
        return
    if sender.transfer != FROM_APPLICATION or not write(state, f):
        own.app_limited_until = max(own.delivered + own.in_flight, 1)


@routine
def all_written(state, f):
    """Return whether the application of a flow, if it has one, has written the whole file."""
    return sender_at(state, f).transfer != FROM_APPLICATION or sender_at(state, f).packets >= source_at(state, f).total
