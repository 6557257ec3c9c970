"""Careful Resume (RFC 9959): CUBIC that resumes with half of the window saved from an earlier connection.

Sections are those of the draft in the working group's repository (github.com/tsvwg/careful-resume, careful-resume-20+).
The user decides for how long the saved values are valid, and has to use them for one connection only. Rules:
docs/rules/cubic.md.
"""

import math
from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import cubic
from longfat.sim.schemes.scheme import Parameter

RECONNAISSANCE, UNVALIDATED, VALIDATING, RETREAT, NORMAL = range(5)
LEAST_ROUND_TRIP, GREATEST_ROUND_TRIP = 0.5, 10.0  # multiples of the saved RTT; sections 3.2 and 4.2.1
LEAST_WINDOW = 2.0  # packets; section 3.5, after RFC 9002

respond = inline(cubic.ack)
reduce = inline(cubic.loss)
time_out = inline(cubic.timeout)


@inline
def jump(flow, event):
    """Set the window to half of the saved one if the initial data is acknowledged and the saved RTT still applies."""
    if flow.una < flow.initial_data:  # section 3.2, path confirmed
        return
    flow.phase = NORMAL
    window = min(flow.max_jump, flow.saved_window / 2.0)
    if flow.saved_rtt > 0.0 and not (
        LEAST_ROUND_TRIP * flow.saved_rtt < flow.least_rtt <= GREATEST_ROUND_TRIP * flow.saved_rtt
    ):
        return
    # Careful Resume, section 3.3: PipeSize is set to flight_size at the beginning of the unvalidated phase; the packets
    # of the jump are paced over one RTT.
    if window > flow.window:
        flow.phase, flow.jumped_at = UNVALIDATED, event.now
        flow.pipe_size, flow.first, flow.window = float(flow.in_flight), flow.transmission, window
        flow.rate = window * flow.packet_size / event.rtt


@inline
def end_jump(flow, event):
    """End the unvalidated phase once the jump is sent, one of its packets is acknowledged, or a round trip is over."""
    # Careful Resume, section 3.3, names the three events that end this phase; after it, flight_size is compared with
    # the initial window.
    sent = flow.in_flight + event.newly_delivered >= math.floor(flow.window)
    if not sent and event.transmission < flow.first and event.now - flow.jumped_at <= event.rtt:
        return
    flow.rate, flow.last = math.inf, flow.transmission - 1
    in_flight, initial = float(flow.in_flight), float(flow.initial_data)
    used = in_flight >= initial and in_flight > flow.pipe_size
    flow.phase = VALIDATING if used else NORMAL
    flow.window = in_flight if used else max(flow.pipe_size, initial)


@inline
def retreat(flow):
    """Enter the safe retreat: the window becomes half of PipeSize, the packets known to have crossed the path."""
    # Careful Resume, section 3.5: the window is at most PipeSize/2; section 4.5: PRR is not used.
    flow.last = flow.transmission - 1 if flow.phase == UNVALIDATED else flow.last
    flow.phase, flow.rate = RETREAT, math.inf
    flow.window = max(LEAST_WINDOW, math.floor(flow.pipe_size / 2.0))
    flow.ssthresh = flow.retreat_window = flow.window


@inline
def advance(flow, event):
    """Enter the next phase if its condition is met; call after CUBIC's response to the acknowledgment."""
    if flow.phase == RECONNAISSANCE and not event.marked:
        jump(flow, event)
    elif flow.phase == RECONNAISSANCE or (flow.phase == VALIDATING and event.transmission >= flow.last):
        flow.phase = NORMAL  # congestion (section 3.2), or the last packet of the jump (section 3.4)
    elif flow.phase == RETREAT:
        flow.window = flow.retreat_window  # section 3.5: the window does not grow
        if event.transmission >= flow.last and not flow.recovering:
            # Careful Resume, section 3.5: ssthresh is at most PipeSize times Beta. Our choice, because the window of
            # the jump was not validated: W_max is set to PipeSize.
            flow.phase, flow.ssthresh = NORMAL, max(flow.ssthresh_floor, flow.beta * flow.pipe_size)
            flow.w_max = flow.last_w_max = flow.pipe_size


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, by CUBIC or by the phase of Careful Resume."""
    if flow.initial_data == 0:
        flow.initial_data = int(flow.window)
    flow.pipe_size += event.newly_delivered  # sections 3.3 to 3.5
    if flow.phase == UNVALIDATED and not event.marked:
        end_jump(flow, event)
        return flow.window
    flow.window = respond(flow, event)
    if event.marked and (flow.phase == UNVALIDATED or flow.phase == VALIDATING):
        retreat(flow)
    elif flow.phase != NORMAL:
        advance(flow, event)
    return flow.window


def loss(flow, event):
    """Return the window [packets] after a loss, by CUBIC or by the safe retreat."""
    flow.window = reduce(flow, event)
    if flow.phase == UNVALIDATED or flow.phase == VALIDATING:
        retreat(flow)
    elif flow.phase == RECONNAISSANCE:  # section 3.2: congestion ends Careful Resume
        flow.phase = NORMAL
    return flow.retreat_window if flow.phase == RETREAT else flow.window


def timeout(flow, event):
    """End Careful Resume (section 3.6), and return a window of one packet."""
    flow.phase, flow.rate = NORMAL, math.inf
    return time_out(flow, event)


CUBIC_RESUME = replace(
    cubic.CUBIC, name="cubic-resume", ack=ack, loss=loss, timeout=timeout,
    parameters={
        **cubic.CUBIC.parameters,
        "saved_window": Parameter(0.0, "packets", "[0, 1e9]", about="Window of the earlier connection; 0: none"),
        "saved_rtt": Parameter(
            0.0, "s", "[0, 1e3]", about="Least round-trip time of the earlier connection; 0: unknown, not checked"
        ),
        "max_jump": Parameter(math.inf, "packets", "[1, inf]", about="Largest window of the jump (section 3.3)"),
    },
    # `initial_data`: initial window [packets]; `pipe_size`: PipeSize [packets]; `retreat_window`: window of the retreat
    # [packets]. `first` and `last`: first and last transmission of the jump, which began at `jumped_at` [s].
    state={
        **cubic.CUBIC.state, "phase": RECONNAISSANCE, "initial_data": 0, "pipe_size": 0.0, "retreat_window": 0.0,
        "first": 0, "last": 0, "jumped_at": 0.0,
    },
    source="N. Kuhn, E. Stephan, G. Fairhurst, R. Secchi and C. Huitema, RFC 9959 (2026), Convergence of Congestion "
    "Control from Retained State, section 3",
)  # fmt: skip
