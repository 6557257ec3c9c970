"""SSTP: negotiated rate control of packets, window control of segments, and error control separate from both.

The rate control sends bursts of at most L packets, spaced at the peak rate P, F times per second. A segment enters the
transmission queue when it lies inside the window that the receiver grants; packets that the receiver requests precede
new segments. This module is the sender, `sstp_receiver` the receiver. Sections are those of F. Gong and G. Parulkar, A
Two-Level Flow Control Scheme for High Speed Networks, WUCS-92-38, 1992. The rules: docs/rules/sstp.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.functions import NO_DATA
from longfat.sim.plugin.parameters import Parameter, flag
from longfat.sim.schemes.scheme import Scheme
from longfat.sim.schemes.sstp_receiver import (
    CONTEXT,
    CONTROL,
    DATA_PACKET,
    END_STREAM,
    KEEP_ALIVE,
    LIMIT,
    MISSING,
    MOST,
    NOWHERE,
    ROWS,
    SEGMENT,
    SERVED,
    SHIPMENT,
    TYPE,
    receive,
    reply,
)
from longfat.sim.schemes.sstp_receiver import STATE as RECEIVER_STATE

HALF = 0.5e-9  # s; the clock of the simulator counts nanoseconds, and rounds down


# WUCS-92-38, section 3.3, "Rate Specification": F <= P/(L l), where l is the packet size. The default of F is this
# bound.
@inline
def greatest_burst_rate(flow):
    """Return the greatest number of bursts per second that the peak rate allows."""
    return flow.peak_rate / (flow.burst_length * flow.packet_size)


@inline
def period(flow):
    """Return the period 1/F of the burst timer [s]."""
    bursts = flow.burst_rate
    if flow.renegotiated and flow.burst_rate_after > 0.0:
        bursts = flow.burst_rate_after
    return 1.0 / (bursts if bursts > 0.0 else greatest_burst_rate(flow))


@inline
def set_burst_timer(flow, now):
    """Set the burst timer; all periods are counted from the same time, so that rounding errors do not accumulate."""
    # Our choice, because section 3.3 of WUCS-92-38 has no rule for it: a newly negotiated rate applies from the next
    # burst on.
    if not flow.renegotiated and now >= flow.change_at:
        flow.renegotiated = True
        flow.counted_from = now
        flow.bursts = 0
    flow.bursts += 1
    flow.alarm = flow.counted_from + flow.bursts * period(flow) + HALF


def start(flow, event):
    """Return the peak rate [bytes/s], and begin the first burst."""
    bursts, most = max(flow.burst_rate, flow.burst_rate_after), greatest_burst_rate(flow)
    if bursts > most * (1.0 + 1e-9):
        raise ValueError("burst_rate =", bursts, "bursts/s is out of range: must be at most", most, "bursts/s, that is "
                         "peak_rate / (burst_length * packet size)")  # fmt: skip
    # WUCS-92-38, section 3.4, "Window Size Determination": the window W_0 is known at both ends from the start.
    flow.limit = int(flow.window_limit) - 1
    flow.counted_from = event.now
    set_burst_timer(flow, event.now)
    choose(flow)
    return flow.peak_rate


def alarm(flow, event):
    """Begin a burst, because the burst timer has expired; return the peak rate [bytes/s]."""
    # WUCS-92-38, section 3.3, "Rate Control Operation", steps 1 and 2: the burst timer BT is set to 1/F, the packet
    # counter TC to 0.
    set_burst_timer(flow, event.now)
    flow.counter = 0
    choose(flow)
    return flow.peak_rate


@inline
def open_request(flow):
    """Begin to serve the oldest request, unless one is being served already; return whether one is being served now."""
    size = int(flow.segment)
    while flow.wanted_bits == 0 and flow.first_request < flow.end_request:
        k = flow.first_request % ROWS
        flow.first_request += 1
        flow.wanted = flow.request_segment[k]
        flow.served_control = flow.request_control[k]
        first = flow.wanted * size
        # Requested packets that were never sent are ignored: a receiver may not know yet that the last segment is
        # short.
        if first >= flow.una and first < flow.high:
            flow.wanted_bits = flow.request_bits[k] & ((1 << min(size, flow.high - first)) - 1)
    return flow.wanted_bits != 0


@inline
def choose(flow):
    """Choose the next packet of the burst: the first packet of the transmission queue, or a packet without data."""
    flow.resend = NOWHERE
    flow.chosen = NOWHERE
    flow.window = 0.0  # allow no new packet
    if flow.failed or flow.counter >= flow.burst_length:
        return
    size = int(flow.segment)
    more = flow.next < flow.packets
    # Our choice, because section 3.3 of WUCS-92-38 has one queue and does not define its order: requested packets
    # precede new segments, but do not interrupt a segment whose first packet was sent.
    if more and flow.next % size != 0:
        flow.window = float(flow.next + 1 - flow.una)
    elif open_request(flow):
        number = flow.wanted * size
        bits = flow.wanted_bits
        while not bits & 1:
            bits >>= 1
            number += 1
        flow.resend = number
        flow.chosen = number
    elif more and flow.next // size <= flow.limit:
        # WUCS-92-38, section 3.4, "Sender Window Operations": "Only packets of the segments with segment numbers in the
        # range [S_l, S_h] are eligible for transmission".
        flow.window = float(flow.next + 1 - flow.una)
    else:
        flow.resend = NO_DATA


def send(flow, packet):
    """Fill the header of a packet that leaves, choose the next one, and return 0."""
    # WUCS-92-38, section 3.3, "Rate Control Operation", step 3: TC counts the packets of the burst; a keep-alive or
    # end-of-stream packet ends the burst.
    if packet.number == NO_DATA:
        packet.header[TYPE] = KEEP_ALIVE
        packet.header[SHIPMENT] = flow.shipments - 1
        packet.header[SERVED] = flow.last_control  # all requested packets have been shipped
        packet.header[CONTEXT] = -(-flow.next // int(flow.segment))
        if flow.next >= flow.packets:
            packet.header[TYPE] = END_STREAM
            packet.header[CONTEXT] = flow.packets
        flow.counter = int(flow.burst_length)
        flow.pauses += 1
    else:
        if packet.number == flow.chosen:
            flow.wanted_bits &= flow.wanted_bits - 1
        packet.header[TYPE] = DATA_PACKET
        packet.header[SHIPMENT] = flow.shipments
        packet.header[SERVED] = flow.served_control
        packet.header[CONTEXT] = 0.0
        flow.shipments += 1
        flow.counter += 1
    choose(flow)
    return 0


def ack(flow, event):
    """Queue the packets that a control packet requests, and move the window; return the peak rate [bytes/s]."""
    event.restart_timer = 1  # the timer measures the time without a packet from the receiver
    if event.number == NOWHERE:  # feedback of a switch
        return flow.peak_rate
    number = int(event.header[CONTROL])
    # WUCS-92-38, section 3.2, "PACK Packet": the control number identifies duplicates. Our choice: a control packet
    # that arrives after a later control packet counts as a duplicate, because the later packet has the same content or
    # the receiver repeats the request.
    if number <= flow.last_control:
        flow.duplicates += 1
    else:
        flow.last_control = number
        # WUCS-92-38, section 3.4, "Sender Window Operations": S_h = max(S_h, limit). S_l is the first packet not
        # acknowledged.
        flow.limit = max(flow.limit, int(event.header[LIMIT]))
        bits = int(event.header[MISSING])
        if bits != 0 and flow.end_request - flow.first_request < ROWS:
            k = flow.end_request % ROWS
            flow.request_segment[k] = int(event.header[SEGMENT])
            flow.request_bits[k] = bits
            flow.request_control[k] = number
            flow.end_request += 1
    choose(flow)
    return flow.peak_rate


def timeout(flow, event):
    """End the connection after `give_up` seconds without a packet from the receiver; return the peak rate [bytes/s]."""
    # Our choice, because the paper assumes that control packets are never lost (section 4.2): at this point the sender
    # gives up.
    flow.failed = True
    flow.alarm = math.inf
    choose(flow)
    return flow.peak_rate


PARAMETERS = {
    "peak_rate": Parameter(1.25e5, "bytes/s", "(0, 1e12)", about="Peak rate P inside a burst"),
    "burst_rate": Parameter(
        0.0, "bursts/s", "[0, inf)", about="Bursts per second F; 0: as many as the peak rate allows"
    ),
    "burst_length": Parameter(
        16.0, "packets", "[1, inf)", about="Burst length L: a segment's packets and expected repeats", integer=True
    ),
    "segment": Parameter(16.0, "packets", f"[1, {MOST}]", about="Packets of a segment, s", integer=True),
    "window_limit": Parameter(
        24.0, "segments", f"[1, {ROWS}]", about="Window W that the receiver grants", integer=True
    ),
    "buffer": Parameter(
        0.0, "segments", f"[0, {ROWS}]", about="Receive buffer; 0: as large as the window", integer=True
    ),
    "tolerance": Parameter(
        0.0, "packets", f"[0, {MOST - 1}]", about="Lost packets of a segment that are tolerated", integer=True
    ),
    "reply_delay": Parameter(3.0, "packet times", "[0, 1e3]", about="Time from the end of a group to its answer"),
    "processing": Parameter(0.0, "s", "[0, 1e6]", about="Time in which the receiving application processes a segment"),
    "change_at": Parameter(math.inf, "s", "[0, inf]", about="Time at which processing time and burst rate change"),
    "processing_after": Parameter(0.0, "s", "[0, 1e6]", about="Processing time of a segment after `change_at`"),
    "burst_rate_after": Parameter(0.0, "bursts/s", "[0, inf)", about="Burst rate after `change_at`; 0: no change"),
    "shrink": flag(False, "1: the window shrinks while the application is slow; 0: it only stops advancing"),
    "repeat": Parameter(
        0.5, "s", "(0, 1e6]", about="Least time between a control packet and its repeat, while the sender pauses"
    ),
    "give_up": Parameter(
        30.0, "s", "[0.001, 60]", field="min_rto", about="Time after which the connection ends without a control packet"
    ),
    "first_give_up": Parameter(
        30.0, "s", "[0.001, 60]", field="rto", about="Time after which it ends without a first control packet"
    ),
}

#: State of the sender.
STATE = {
    "counter": 0,  # TC: packets of the burst so far
    "bursts": 0,  # bursts since `counted_from` [s]
    "counted_from": 0.0,
    "renegotiated": False,
    "limit": NOWHERE,  # S_h: the last segment that may be shipped
    "shipments": 0,
    "last_control": 0,  # largest control number so far
    "request_segment": [0] * ROWS,  # queued requests: segment, bitmap and control number
    "request_bits": [0] * ROWS,
    "request_control": [0] * ROWS,
    "first_request": 0,
    "end_request": 0,
    "wanted": NOWHERE,  # the request that is being served: segment, packets still to be sent, control number
    "wanted_bits": 0,
    "served_control": 0,
    "chosen": NOWHERE,  # the requested packet that leaves next
    "failed": False,
    "duplicates": 0,  # control packets ignored
    "pauses": 0,  # keep-alive and end-of-stream packets
}

SSTP = Scheme(
    "sstp",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=alarm,
    send=send,
    receive=receive,
    reply=reply,
    controls="rate",
    recovery="own",
    parameters=PARAMETERS,
    state=STATE,
    receiver_state=RECEIVER_STATE,
    source=(
        "F. Gong and G. Parulkar, A Two-Level Flow Control Scheme for High Speed Networks, Washington University "
        "WUCS-92-38, 1992, sections 3 and 4.3.1; how losses are found, and the repetition of lost control packets, are "
        "ours and not checked against the report on its error control, WUCS-92-37"
    ),
)
