"""RAP: packets at even distances, one more each round trip, half as many after a loss (schemes.md 11.1; ns-2.35).

Where this differs from ns-2:

* The first sample of the round trip is each flow's own; there all flows share one flag.
* The interval that the first acknowledgment sets, srtt, and every later one hold from the packet sent last; there
  from the next one on. The clock of the increase begins anew with the first acknowledgment.
* A packet's age is looked at when it reaches the timeout, not only when the next packet is due, which goes even so.
* When a packet left is known of those acknowledged; for others it follows from the intervals since then.
* What the age tells changes the rate alone; the engine sends again by its own timer.

u: see the names below. ``flow.recover`` is the first transmission whose loss counts.
"""

from longfat.sim.jit import part
from longfat.sim.schemes.paced import SLACK, TIMERS, holes, next_departure
from longfat.sim.schemes.scheme import Parameter, Scheme

# p
ALPHA, BETA, GAIN, TIMEOUT_RTTS, TIMEOUT_DEVIATIONS, USED, FINE, SHORT_GAIN, LONG_GAIN, INITIAL = range(10)
# u: [s] but for COUNTED, LAST (transmissions), OPEN (holes) and HEARD; BEFORE is the interval that held until CHANGED
INTERVAL, SRTT, DEVIATION, TIMEOUT, STEP_AT, SHORT, LONG, OLDEST, LAST_SENT, BEFORE, CHANGED = range(11)
COUNTED, LAST, OPEN, HEARD = range(11, 15)


def start(flow, event):
    """Rule 1: nothing is known; interval, round trip and timeout are what `initial_interval` says."""
    flow.u[INTERVAL] = flow.p[INITIAL]
    flow.u[SRTT] = flow.p[INITIAL]
    flow.u[TIMEOUT] = flow.p[INITIAL]
    flow.u[STEP_AT] = event.now + flow.p[INITIAL]
    flow.u[OLDEST] = event.now
    flow.u[LAST] = -1.0
    flow.recover = 0
    set_clock(flow)
    return rate(flow)


def ack(flow, event):
    """The signal: a round trip, and which packet is the oldest one out."""
    sample(flow, event.rtt)
    if flow.u[HEARD] == 0.0:  # rule 1: one packet per round trip
        flow.u[HEARD] = 1.0
        change(flow, event.now, flow.u[SRTT])
        flow.u[STEP_AT] = event.now + flow.u[SRTT]
    find_oldest(flow, event)
    event.restart_timer = 1
    set_clock(flow)
    return rate(flow)


@part
def sample(flow, rtt):
    """State: the first round trip sets, later ones smooth; the deviation is taken from the new mean's error."""
    if flow.u[HEARD] == 0.0:
        flow.u[SRTT] = rtt
        flow.u[SHORT] = rtt
        flow.u[LONG] = rtt
    error = rtt - flow.u[SRTT]
    flow.u[SRTT] += flow.p[GAIN] * error
    flow.u[DEVIATION] += flow.p[GAIN] * (abs(error) - flow.u[DEVIATION])
    flow.u[TIMEOUT] = flow.p[TIMEOUT_RTTS] * flow.u[SRTT] + flow.p[TIMEOUT_DEVIATIONS] * flow.u[DEVIATION]
    flow.u[SHORT] += flow.p[SHORT_GAIN] * (rtt - flow.u[SHORT])
    flow.u[LONG] += flow.p[LONG_GAIN] * (rtt - flow.u[LONG])


@part
def find_oldest(flow, event):
    """Rule 4: when the oldest packet left that is not accounted for, and whose loss would count."""
    number, sent, is_open = float(event.transmission), event.now - event.rtt, float(holes(flow, event))
    if number + 1.0 > flow.recover:
        if is_open > 0.0:
            if flow.u[OPEN] == 0.0 and number > flow.u[LAST]:  # the first of those between the last two acknowledged
                flow.u[OLDEST] = flow.u[LAST_SENT] + (sent - flow.u[LAST_SENT]) / (number - flow.u[LAST])
        elif flow.in_flight == 0:
            flow.u[OLDEST] = next_departure(flow, event.now, flow.u[INTERVAL])
        elif flow.in_flight == 1:
            flow.u[OLDEST] = flow.last_paced * 1e-9
        else:
            flow.u[OLDEST] = departure_after(flow, sent)
    flow.u[LAST], flow.u[LAST_SENT], flow.u[OPEN] = number, sent, is_open


@part
def departure_after(flow, sent):
    """When the packet behind one that left at `sent` did, if the interval has changed once since then."""
    if sent < flow.u[CHANGED]:
        if sent + flow.u[BEFORE] <= flow.u[CHANGED]:
            return sent + flow.u[BEFORE]
        return max(flow.u[CHANGED], sent + flow.u[INTERVAL])
    return sent + flow.u[INTERVAL]


@part
def change(flow, now, interval):
    """A new interval."""
    flow.u[BEFORE], flow.u[CHANGED] = flow.u[INTERVAL], now
    flow.u[INTERVAL] = interval


def loss(flow, event):
    """Rules 4 and 5: three packets that left after it are acknowledged. The engine tells once per window."""
    decrease(flow, event.now)
    return rate(flow)


def alarm(flow, event):
    """Rule 3, the increase, each smoothed round trip; rule 4, the age of the oldest packet."""
    if flow.in_flight > 0 and event.now + SLACK >= flow.u[OLDEST] + flow.u[TIMEOUT]:
        decrease(flow, event.now)
    elif event.now + SLACK >= flow.u[STEP_AT]:
        increase(flow, event.now)
    set_clock(flow)
    return rate(flow)


@part
def increase(flow, now):
    """Rule 3: alpha packets more per round trip, if a good part of what the rate allows was sent."""
    sent = flow.transmission - flow.u[COUNTED]
    if sent * flow.u[INTERVAL] >= flow.p[USED] * flow.u[SRTT]:
        interval, rtt = flow.u[INTERVAL], flow.u[SRTT]
        change(flow, now, interval * rtt / (flow.p[ALPHA] * interval + rtt))
    flow.u[COUNTED] = flow.transmission
    flow.u[STEP_AT] = now + flow.u[SRTT]


@part
def decrease(flow, now):
    """Rule 5: further losses of what is out do not count; a round trip passes before the next increase."""
    change(flow, now, flow.u[INTERVAL] / flow.p[BETA])
    flow.recover = flow.transmission
    flow.u[OLDEST] = next_departure(flow, now, flow.u[INTERVAL])
    flow.u[STEP_AT] = now + flow.u[SRTT]


@part
def rate(flow):
    """Rule 2, and rule 6: the fine grain stretches intervals while round trips are longer than usual."""
    interval = flow.u[INTERVAL]
    if flow.p[FINE] > 0.0 and flow.u[HEARD] > 0.0:
        interval *= flow.u[SHORT] / flow.u[LONG]
    return flow.packet_size / interval


@part
def set_clock(flow):
    """One clock for the increase and, while a packet is out, for its age."""
    flow.alarm = flow.u[STEP_AT]
    if flow.in_flight > 0:
        flow.alarm = min(flow.alarm, flow.u[OLDEST] + flow.u[TIMEOUT])


def timeout(flow, event):
    """The engine's timer only sends again (0.3): what is out has had its effect when it was too old."""
    return flow.rate


PARAMETERS = {
    "alpha": Parameter(1.0, "packets", "(0, 1e6]", f"p[{ALPHA}]"),
    "beta": Parameter(0.5, "1", "(0, 1)", f"p[{BETA}]"),
    "rtt_gain": Parameter(0.5, "1", "(0, 1]", f"p[{GAIN}]"),
    "timeout_rtts": Parameter(1.2, "1", "[1, 1e6]", f"p[{TIMEOUT_RTTS}]"),
    "timeout_deviations": Parameter(4.0, "1", "[0, 1e6]", f"p[{TIMEOUT_DEVIATIONS}]"),
    "used_share": Parameter(0.5, "1", "[0, 1]", f"p[{USED}]"),
    "fine_grain": Parameter(0.0, "1", "[0, 1]", f"p[{FINE}]"),
    "short_gain": Parameter(0.9, "1", "(0, 1]", f"p[{SHORT_GAIN}]"),
    "long_gain": Parameter(0.01, "1", "(0, 1]", f"p[{LONG_GAIN}]"),
    "initial_interval": Parameter(2.0, "s", "(0, 1e6]", f"p[{INITIAL}]"),
    **TIMERS,
}

RAP = Scheme(
    "rap",
    start=start,
    ack=ack,
    loss=loss,
    timeout=timeout,
    alarm=alarm,
    controls="rate",
    reorder=3,
    parameters=PARAMETERS,
    source="schemes.md 11.1; R. Rejaie, M. Handley and D. Estrin, INFOCOM (1999); ns-2.35 rap.cc",
)
