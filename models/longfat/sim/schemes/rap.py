"""RAP: packets at even distances, one more each round trip, half as many after a loss (schemes.md 11.1; ns-2.35).

Where this differs from ns-2:

* The first sample of the round trip is each flow's own; there all flows share one flag.
* The interval that the first acknowledgment sets, srtt, and every later one hold from the packet sent last; there
  from the next one on. The clock of the increase begins anew with the first acknowledgment.
* A packet's age is looked at when it reaches the timeout, not only when the next packet is due, which goes even so.
* When a packet left is known of those acknowledged; for others it follows from the intervals since then.
* What the age tells changes the rate alone; the engine sends again by its own timer.

``flow.recover`` is the first transmission whose loss counts.
"""

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes.explicit_rate import keep
from longfat.sim.schemes.paced import SLACK, TIMERS, holes, next_departure
from longfat.sim.schemes.scheme import Parameter, Scheme

#: What it remembers. Times in s, counts in transmissions.
STATE = {
    "interval": "initial_interval",  # between packets
    "interval_before": 0.0,  # the one that held until `changed`
    "changed": 0.0,
    "mean_rtt": "initial_interval",
    "deviation": 0.0,
    "patience": "initial_interval",  # age at which a packet is taken for lost
    "short_rtt": 0.0,  # means of the round trip over short and long times
    "long_rtt": 0.0,
    "heard": False,  # whether a round trip is known
    "step_at": 0.0,  # time of the next increase
    "counted": 0,  # transmissions at the last one
    "last": -1,  # the transmission acknowledged last, when it left, and the holes before it
    "last_at": 0.0,
    "open_holes": 0,
    "oldest": 0.0,  # when the oldest packet left that is not accounted for and whose loss would count
}


def start(flow, event):
    """Rule 1: nothing is known; interval, round trip and timeout are what `initial_interval` says."""
    flow.step_at = event.now + flow.initial_interval
    flow.oldest = event.now
    set_clock(flow)
    return rate(flow)


def ack(flow, event):
    """The signal: a round trip, and which packet is the oldest one out."""
    sample(flow, event.rtt)
    if not flow.heard:  # rule 1: one packet per round trip
        flow.heard = True
        change(flow, event.now, flow.mean_rtt)
        flow.step_at = event.now + flow.mean_rtt
    find_oldest(flow, event)
    event.restart_timer = 1
    set_clock(flow)
    return rate(flow)


@part
def sample(flow, rtt):
    """State: the first round trip sets, later ones smooth; the deviation is taken from the new mean's error."""
    if not flow.heard:
        flow.mean_rtt = rtt
        flow.short_rtt = rtt
        flow.long_rtt = rtt
    error = rtt - flow.mean_rtt
    flow.mean_rtt += flow.rtt_gain * error
    flow.deviation += flow.rtt_gain * (abs(error) - flow.deviation)
    flow.patience = flow.timeout_rtts * flow.mean_rtt + flow.timeout_deviations * flow.deviation
    flow.short_rtt += flow.short_gain * (rtt - flow.short_rtt)
    flow.long_rtt += flow.long_gain * (rtt - flow.long_rtt)


@part
def find_oldest(flow, event):
    """Rule 4: when the oldest packet left that is not accounted for, and whose loss would count."""
    number, sent, is_open = event.transmission, event.now - event.rtt, holes(flow, event)
    if number + 1 > flow.recover:
        if is_open > 0:
            if flow.open_holes == 0 and number > flow.last:  # the first of those between the last two acknowledged
                flow.oldest = flow.last_at + (sent - flow.last_at) / (number - flow.last)
        elif flow.in_flight == 0:
            flow.oldest = next_departure(flow, event.now, flow.interval)
        elif flow.in_flight == 1:
            flow.oldest = flow.last_sent
        else:
            flow.oldest = departure_after(flow, sent)
    flow.last, flow.last_at, flow.open_holes = number, sent, is_open


@part
def departure_after(flow, sent):
    """When the packet behind one that left at `sent` did, if the interval has changed once since then."""
    if sent < flow.changed:
        if sent + flow.interval_before <= flow.changed:
            return sent + flow.interval_before
        return max(flow.changed, sent + flow.interval)
    return sent + flow.interval


@part
def change(flow, now, interval):
    """A new interval."""
    flow.interval_before, flow.changed = flow.interval, now
    flow.interval = interval


def loss(flow, event):
    """Rules 4 and 5: three packets that left after it are acknowledged. The engine tells once per window."""
    decrease(flow, event.now)
    return rate(flow)


def alarm(flow, event):
    """Rule 3, the increase, each smoothed round trip; rule 4, the age of the oldest packet."""
    if flow.in_flight > 0 and event.now + SLACK >= flow.oldest + flow.patience:
        decrease(flow, event.now)
    elif event.now + SLACK >= flow.step_at:
        increase(flow, event.now)
    set_clock(flow)
    return rate(flow)


@part
def increase(flow, now):
    """Rule 3: alpha packets more per round trip, if a good part of what the rate allows was sent."""
    sent = flow.transmission - flow.counted
    if sent * flow.interval >= flow.used_share * flow.mean_rtt:
        interval, rtt = flow.interval, flow.mean_rtt
        change(flow, now, interval * rtt / (flow.alpha * interval + rtt))
    flow.counted = flow.transmission
    flow.step_at = now + flow.mean_rtt


@part
def decrease(flow, now):
    """Rule 5: further losses of what is out do not count; a round trip passes before the next increase."""
    change(flow, now, flow.interval / flow.beta)
    flow.recover = flow.transmission
    flow.oldest = next_departure(flow, now, flow.interval)
    flow.step_at = now + flow.mean_rtt


@part
def rate(flow):
    """Rule 2, and rule 6: the fine grain stretches intervals while round trips are longer than usual."""
    interval = flow.interval
    if flow.fine_grain > 0.0 and flow.heard:
        interval *= flow.short_rtt / flow.long_rtt
    return flow.packet_size / interval


@part
def set_clock(flow):
    """One clock for the increase and, while a packet is out, for its age."""
    flow.alarm = flow.step_at
    if flow.in_flight > 0:
        flow.alarm = min(flow.alarm, flow.oldest + flow.patience)


PARAMETERS = {
    "alpha": Parameter(1.0, "packets", "(0, 1e6]", about="packets more per round trip"),
    "beta": Parameter(0.5, "1", "(0, 1)", about="what a loss leaves of the rate"),
    "rtt_gain": Parameter(0.5, "1", "(0, 1]", about="weight of a new round trip"),
    "timeout_rtts": Parameter(1.2, "1", "[1, 1e6]", about="of an age that means a loss: round trips"),
    "timeout_deviations": Parameter(4.0, "1", "[0, 1e6]", about="and deviations of them"),
    "used_share": Parameter(0.5, "1", "[0, 1]", about="of what the rate allows that has to be sent for an increase"),
    "fine_grain": flag(False, "1: intervals follow short round trips over long ones"),
    "short_gain": Parameter(0.9, "1", "(0, 1]", about="weight of a new round trip in the short mean"),
    "long_gain": Parameter(0.01, "1", "(0, 1]", about="and in the long one"),
    "initial_interval": Parameter(2.0, "s", "(0, 1e6]", about="between packets until a round trip is known"),
    **TIMERS,
}

RAP = Scheme(
    "rap",
    start=start,
    ack=ack,
    loss=loss,
    timeout=keep,  # the engine's timer only sends again (0.3): what is out had its effect when it was too old
    alarm=alarm,
    controls="rate",
    reorder=3,
    parameters=PARAMETERS,
    state=STATE,
    source="schemes.md 11.1; R. Rejaie, M. Handley and D. Estrin, INFOCOM (1999); ns-2.35 rap.cc",
)
