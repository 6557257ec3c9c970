"""RAP: packets at equal intervals, one packet more per round trip, half the rate after a loss.

The rules with their sources: docs/rules/rate-based.md. Deviations from ns-2.35, rap.cc:

* Each flow begins with its own first sample of the round-trip time; in ns-2 all flows share one flag for whether the
  first sample was taken.
* A new interval, such as srtt at the first acknowledgment, counts from the departure of the last packet; in ns-2 it
  counts from the departure of the next packet. The timer of the increase restarts with the first acknowledgment.
* A packet counts as lost as soon as its age reaches the timeout; ns-2 checks this only when the next packet is due.
  The next packet is sent in either case.
* The send time of an acknowledged packet is known; the send times of other packets are computed from it and the
  intervals.
* A packet that is too old reduces the rate, but is not retransmitted for this reason; the simulator has its own timer.

``flow.recover`` is the first transmission whose loss counts.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import timers
from longfat.sim.schemes.paced import SLACK, holes, next_departure
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate

#: State of a flow: times are in s, and counts in transmissions.
STATE = {
    "interval": "initial_interval",  # interval between packets
    "interval_before": 0.0,  # interval that was valid until `changed`
    "changed": 0.0,
    "mean_rtt": "initial_interval",
    "deviation": 0.0,
    "packet_timeout": "initial_interval",  # age at which a packet counts as lost
    "has_rtt": False,  # whether a round-trip time is known
    "step_at": 0.0,  # time of the next increase
    "counted": 0,  # transmissions up to the last increase
    "last": -1,  # the transmission acknowledged last, its send time, and how many before it are outstanding
    "last_at": 0.0,
    "open_holes": 0,
    "oldest": 0.0,  # send time of the oldest packet that is neither acknowledged nor lost, and whose loss would count
}


def start(flow, event):
    """Return the initial rate [bytes/s]; packet interval, srtt and timeout all begin at `initial_interval`."""
    # ns-2.35, ns-default.tcl: ipg_, srtt_ and timeout_ begin at 2 s.
    flow.step_at = event.now + flow.initial_interval
    flow.oldest = event.now
    set_alarm(flow)
    return flow.packet_size / flow.interval


def ack(flow, event):
    """Return the rate [bytes/s] after an acknowledgment, which updates round-trip time and age of the oldest packet."""
    sample(flow, event.rtt)
    # ns-2.35, rap.cc, RecvAck(): the first round-trip time becomes the packet interval: one packet leaves per round
    # trip.
    if not flow.has_rtt:
        flow.has_rtt = True
        change(flow, event.now, flow.mean_rtt)
        flow.step_at = event.now + flow.mean_rtt
    find_oldest(flow, event)
    event.restart_timer = 1
    set_alarm(flow)
    return flow.packet_size / flow.interval


@inline
def sample(flow, rtt):
    """Update mean and deviation of the round-trip time, and the packet timeout; the first sample sets the mean."""
    if not flow.has_rtt:
        flow.mean_rtt = rtt
    # ns-2.35, rap.cc, UpdateTimeValues(): gains delta = 0.5; timeout = 1.2 srtt + 4 deviations. The deviation uses the
    # difference of the sample from the old mean.
    error = rtt - flow.mean_rtt
    flow.mean_rtt += flow.rtt_gain * error
    flow.deviation += flow.rtt_gain * (abs(error) - flow.deviation)
    flow.packet_timeout = flow.timeout_rtts * flow.mean_rtt + flow.timeout_deviations * flow.deviation


@inline
def find_oldest(flow, event):
    """Update `flow.oldest`, the send time of the oldest packet that is neither acknowledged nor lost."""
    # Rejaie, Handley and Estrin (1999): a packet is lost if its age exceeds the timeout. Our choice, because send times
    # are not stored: the send time of the oldest packet is computed from the send times of acknowledged packets and the
    # packet intervals.
    number, sent, is_open = event.transmission, event.now - event.rtt, holes(flow, event)
    if number + 1 > flow.recover:
        if is_open > 0:
            if flow.open_holes == 0 and number > flow.last:  # the oldest left between the last two acknowledged
                flow.oldest = flow.last_at + (sent - flow.last_at) / (number - flow.last)
        elif flow.in_flight == 0:
            flow.oldest = next_departure(flow, event.now, flow.interval)
        elif flow.in_flight == 1:
            flow.oldest = flow.last_sent
        else:
            flow.oldest = departure_after(flow, sent)
    flow.last, flow.last_at, flow.open_holes = number, sent, is_open


@inline
def departure_after(flow, sent):
    """Return the departure time [s] of the packet that follows the packet sent at time `sent` [s]."""
    if sent < flow.changed:
        if sent + flow.interval_before <= flow.changed:
            return sent + flow.interval_before
        return max(flow.changed, sent + flow.interval)
    return sent + flow.interval


@inline
def change(flow, now, interval):
    """Set the interval between packets [s], and record the previous interval."""
    flow.interval_before, flow.changed = flow.interval, now
    flow.interval = interval


def loss(flow, event):
    """Return the rate [bytes/s], decreased after a loss; called once per window of data."""
    decrease(flow, event.now)
    return flow.packet_size / flow.interval


def alarm(flow, event):
    """Return the rate [bytes/s], decreased if the oldest packet is late, else increased once per round trip."""
    if flow.in_flight > 0 and event.now + SLACK >= flow.oldest + flow.packet_timeout:
        decrease(flow, event.now)
    elif event.now + SLACK >= flow.step_at:
        increase(flow, event.now)
    set_alarm(flow)
    return flow.packet_size / flow.interval


@inline
def increase(flow, now):
    """Increase the rate by alpha packets per round trip if the flow has used a sufficient part of its rate."""
    # Rejaie, Handley and Estrin (1999): once per srtt, ipg <- ipg srtt / (alpha ipg + srtt), that is rate + alpha /
    # srtt. ns-2.35, rap.cc, RttTimeout(), dpthresh_: the rate increases only if half of the packets that it allows
    # were sent.
    sent = flow.transmission - flow.counted
    if sent * flow.interval >= flow.used_share * flow.mean_rtt:
        interval, rtt = flow.interval, flow.mean_rtt
        change(flow, now, interval * rtt / (flow.alpha * interval + rtt))
    flow.counted = flow.transmission
    flow.step_at = now + flow.mean_rtt


@inline
def decrease(flow, now):
    """Multiply the rate by beta, ignore losses of packets now in flight, and restart the timer of the increase."""
    # Rejaie, Handley and Estrin (1999): ipg <- ipg / beta, once for all losses among the packets in flight. ns-2.35,
    # rap.cc, LossHandler(): a round trip passes before the next increase.
    change(flow, now, flow.interval / flow.beta)
    flow.recover = flow.transmission
    flow.oldest = next_departure(flow, now, flow.interval)
    flow.step_at = now + flow.mean_rtt


@inline
def set_alarm(flow):
    """Set the alarm to the next increase or, if it is earlier, to the timeout of the oldest packet in flight."""
    flow.alarm = flow.step_at
    if flow.in_flight > 0:
        flow.alarm = min(flow.alarm, flow.oldest + flow.packet_timeout)


PARAMETERS = {
    "alpha": Parameter(1.0, "packets", "(0, 1e6]", about="Additive increase per round trip"),
    "beta": Parameter(0.5, "1", "(0, 1)", about="Multiplicative decrease factor of the rate after a loss"),
    "rtt_gain": Parameter(0.5, "1", "(0, 1]", about="Gain of a new sample in the smoothed round-trip time"),
    "timeout_rtts": Parameter(1.2, "1", "[1, 1e6]", about="Smoothed round-trip times that the packet timeout includes"),
    "timeout_deviations": Parameter(
        4.0, "1", "[0, 1e6]", about="Deviations of the round-trip time that the packet timeout includes"
    ),
    "used_share": Parameter(
        0.5, "1", "[0, 1]", about="Least share of the allowed packets that must be sent for an increase"
    ),
    "initial_interval": Parameter(
        2.0, "s", "(0, 1e6]", about="Interval between packets before the first round-trip sample"
    ),
    **timers.PARAMETERS,
}

RAP = Scheme(
    "rap",
    start=start,
    ack=ack,
    loss=loss,
    timeout=keep_rate,  # the simulator's timer only retransmits: late packets have reduced the rate before
    alarm=alarm,
    controls="rate",
    reorder=3,
    parameters=PARAMETERS,
    state=STATE,
    source=(
        "R. Rejaie, M. Handley and D. Estrin, RAP: An End-to-end Rate-based Congestion Control Mechanism for "
        "Realtime Streams in the Internet, Proc. IEEE INFOCOM 1999, doi:10.1109/INFCOM.1999.752152; ns-2.35, rap.cc"
    ),
)
