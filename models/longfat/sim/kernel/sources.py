"""Traffic that no scheme controls: constant rate, Poisson, on-off."""

import math

from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import request_admission, set_timer
from longfat.sim.kernel.packets import allocate_packet, ecn_field
from longfat.sim.memory import packet_at, sender_at, source_at, tally_at, traffic_uniform
from longfat.sim.records import DATA, NEVER, ON_OFF, PACE, POISSON

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


@routine
def schedule_on_off(state, f, time):
    """Schedule the next packet of an on-off source at `time`, or in the next on-period if it is off by then.

    The rest of the gap is carried over to that period, so that the mean rate is right for any gap.
    """
    source = source_at(state, f)
    if time >= source.off_at:
        source.on = 0
        source.gap_left = time - source.off_at
        time = min(source.off_at, NEVER - int(LONGEST)) + rounded(duration(state, source.off_time, source.shape_off))
    set_timer(state, f, PACE, time)


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
    if tally.traffic == ON_OFF and source.on == 0:
        source.on = 1
        source.off_at = now + max(1, rounded(duration(state, source.on_time, source.shape_on)))
        if source.gap_left > 0:
            schedule_on_off(state, f, now + source.gap_left)
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
    if tally.traffic == POISSON:
        set_timer(state, f, PACE, now + rounded(exponential(state, source.gap)))
    else:
        gap = min(source.gap, LONGEST)
        source.slack += gap - int(gap)  # gaps are integers [ns], with the right mean
        following = now + int(gap) + int(source.slack)
        source.slack -= int(source.slack)
        if tally.traffic == ON_OFF:
            schedule_on_off(state, f, following)
        else:
            set_timer(state, f, PACE, following)
    request_admission(state, i)
