"""LEDBAT++: background traffic that keeps the queueing delay at a target and yields to standard TCP.

Sections cited without a document are those of draft-irtf-iccrg-ledbat-plus-plus-01 (2020), which was read in full;
version 06 (2026) was not available. Rules that the draft leaves to LEDBAT are from RFC 6817. Marks (ECN) are left out.
docs/rules/delay-based.md has the interpretations of section 4.4, and results for several round-trip times.
"""

import math

from longfat.sim import Parameter, Scheme, inline
from longfat.sim.schemes import timers

SLOW_START, AVOIDANCE, FROZEN, RAMP = range(4)
LEAST = 2.0  # packets; section 4.3: the window never decreases below 2 packets
MINUTES, SAMPLES = 10, 4  # RFC 6817, section 2.5, BASE_HISTORY; LEDBAT++, section 4.5


@inline
def measure(flow, event):
    """Update base delay [s], queueing delay [s] and gain [packets] with a round-trip sample."""
    # RFC 6817, section 2.4.2: the base delay is the least of the minima of the last ten minutes. LEDBAT++, section 4.5:
    # the current delay is the least of the 4 most recent round-trip times.
    if int(event.now / 60.0) > flow.minute:
        flow.minute = int(event.now / 60.0)
        flow.minima[flow.minute % MINUTES] = math.inf
    flow.minima[flow.minute % MINUTES] = min(flow.minima[flow.minute % MINUTES], event.rtt)
    flow.recent[flow.samples % SAMPLES] = event.rtt
    flow.samples += 1
    base = current = math.inf
    for k in range(MINUTES):
        base = min(base, flow.minima[k])
    for k in range(SAMPLES):
        current = min(current, flow.recent[k])
    flow.queueing = current - base
    # LEDBAT++, section 4.2: GAIN = 1 / (min (16, CEIL (2*TARGET/base))).
    flow.gain = 1.0 / min(16, math.ceil(2.0 * flow.target / base))


@inline
def enter_avoidance(flow, now):
    """Enter congestion avoidance, and schedule the next slowdown."""
    # LEDBAT++, section 4.4: the initial slowdown starts 2 RTT after the initial slow start. A slowdown lasts from its
    # entry until the window reaches SSTHRESH; the next one starts after 9 times that duration.
    pause = 2.0 * flow.srtt if flow.phase == SLOW_START else flow.interval * (now - flow.entered)
    flow.next_slowdown = now + pause
    flow.phase = AVOIDANCE


@inline
def avoid(flow, event):
    """Return the window [packets] in congestion avoidance."""
    # LEDBAT++, section 4.3, per round trip: W += GAIN; above the target W += max(GAIN - Constant W (delay/target - 1),
    # -W/2), with Constant = 1. RFC 6817, section 2.4.2: each acknowledged packet adds 1/W of this change, and the
    # window may grow to one packet (ALLOWED_INCREASE) more than was in flight.
    excess = max(0.0, flow.queueing / flow.target - 1.0)
    change = max(flow.gain - flow.window * excess, -flow.window / 2.0)
    window = flow.window + change * event.newly_delivered / flow.window
    return max(LEAST, min(window, max(flow.window, flow.in_flight + event.newly_delivered + 1.0)))


def ack(flow, event):
    """Return the window [packets] after an acknowledgment."""
    if event.rtt == 0.0:
        return flow.window
    measure(flow, event)
    # LEDBAT++, section 4.1: a queueing delay above 3/4 of the target ends the slow start, but only the initial one.
    if flow.phase == SLOW_START and flow.queueing > 0.75 * flow.target:
        enter_avoidance(flow, event.now)
    # LEDBAT++, section 4.4: a slowdown sets SSTHRESH to CWND, then CWND to 2 packets, and keeps CWND for 2 RTT. Our
    # choice, because the draft does not define this RTT: the smoothed round-trip time at the beginning of the slowdown.
    if flow.phase == AVOIDANCE and event.now >= flow.next_slowdown:
        flow.ssthresh, flow.window, flow.phase = flow.window, LEAST, FROZEN
        flow.entered, flow.frozen_until = event.now, event.now + flow.freeze * flow.srtt
    if flow.phase == AVOIDANCE:
        return avoid(flow, event)
    if flow.phase == FROZEN and event.now < flow.frozen_until:
        return LEAST
    # LEDBAT++, section 4.1: slow start adds GAIN for each packet acknowledged. Section 4.4: the growth after a slowdown
    # is the same until the window reaches SSTHRESH. Our choice, because the draft has no rule for it: the window does
    # not grow while the application limits the flow.
    flow.phase = RAMP if flow.phase == FROZEN else flow.phase
    window = flow.window + (0.0 if flow.app_limited else flow.gain * event.newly_delivered)
    if window >= flow.ssthresh:
        enter_avoidance(flow, event.now)
    return min(window, flow.ssthresh)


def loss(flow, event):
    """Return half of the window [packets], and retransmit the first packet found lost."""
    # RFC 6817, section 2.4.2: a loss halves the window, at most once per round trip. Our choice, because the draft
    # has no rule for it: a loss also ends slow start. If the loss is found while the window is frozen, it halves
    # SSTHRESH, because the lost packet was sent before the window was frozen.
    flow.resend, event.restart_timer = event.number, 1
    flow.ssthresh = max(LEAST, (flow.ssthresh if flow.phase == FROZEN else flow.window) / 2.0)
    if flow.phase == FROZEN:
        return LEAST
    if flow.phase != AVOIDANCE:
        enter_avoidance(flow, event.now)
    return flow.ssthresh


def timeout(flow, event):
    """Return the least window, two packets; ssthresh becomes half of the previous window."""
    # RFC 6817, section 2.4.2: a timeout acts as in standard TCP. Our choice, because the draft has no rule for
    # timeouts: a timeout begins a slowdown, but does not freeze the window.
    if flow.phase != FROZEN:
        flow.ssthresh, flow.entered = max(LEAST, flow.window / 2.0), event.now
    flow.phase = RAMP
    return LEAST


LEDBAT_PLUS_PLUS = Scheme(
    "ledbat-plus-plus",
    ack=ack, loss=loss, timeout=timeout, reorder=3,
    parameters={
        "initial_window": Parameter(LEAST, "packets", "[2, 1e9]", "window", about="Initial window (section 4.1)"),
        **timers.parameters("linux"),
        "target": Parameter(0.06, "s", "(0, 10]", about="Target of the queueing delay (section 4.5)"),
        "freeze": Parameter(2.0, "1", "[0, 1e3]", about="Round trips with 2 packets in a slowdown (section 4.4)"),
        "interval": Parameter(
            9.0, "1", "[0, 1e9]", about="Time between slowdowns, a multiple of the last one's duration (section 4.4)"
        ),
    },
    state={
        "phase": SLOW_START, "ssthresh": math.inf, "gain": 1.0, "queueing": 0.0, "minute": 0, "samples": 0,
        "minima": [math.inf] * MINUTES, "recent": [math.inf] * SAMPLES,
        "next_slowdown": math.inf, "entered": 0.0, "frozen_until": 0.0,
    },
    source="P. Balasubramanian, O. Ertugay and D. Havey, LEDBAT++: Congestion Control for Background Traffic, "
    "draft-irtf-iccrg-ledbat-plus-plus-01 (2020), section 4; S. Shalunov, G. Hazel, J. Iyengar and M. Kuehlewind, "
    "RFC 6817 (2012), Low Extra Delay Background Transport (LEDBAT), section 2.4.2",
)  # fmt: skip
