"""NETBLT: data in buffers of many packets, sent in bursts at a fixed rate, and retransmitted buffer by buffer.

The rate, `burst` packets every `interval`, is the flow control inside the network and does not depend on round-trip
times or losses; the number of buffers in progress is the flow control between the clients. When a buffer has been sent,
a *repair* retransmits all its missing packets in one pass; repairs follow until the buffer is complete. The rules with
their sources: docs/rules/rate-based.md.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

ROOM = 1000  # greatest number of packets in progress: length of the array of known arrivals


@inline
def window(flow):
    """Return the window [packets]: up to the end of the present repair or, without a repair, of the last buffer."""
    if flow.left < 1.0:
        return 0.0  # nothing may be sent until the next burst
    # RFC 998: a new buffer is sent when the receiver's client has provided room for it (GO). Our choice: there are
    # `buffers` buffers; a buffer is free again when this and all earlier buffers are complete (OK).
    if flow.repaired > 0:
        return float(flow.repaired - flow.una)
    size = int(flow.buffer)
    return float((flow.una // size + int(flow.buffers)) * size - flow.una)


@inline
def go_on(flow, number, last):
    """Continue a repair with the first missing packet from `number` on, or return to new packets if none is missing."""
    number = max(number, flow.una)
    while number < flow.repaired and flow.arrived[number % ROOM] == number + 1:
        number += 1
    flow.next = min(number, flow.repaired)
    if flow.next >= flow.repaired:
        flow.repaired = 0
        flow.last_repair = last
        flow.next = flow.fresh


@inline
def repair(flow, begin, end):
    """Begin to retransmit the missing packets from `begin` to `end` - 1, or extend the present repair."""
    begins = flow.repaired == 0
    flow.repaired = max(flow.repaired, end)
    flow.checked = max(flow.checked, end)
    if begins:
        flow.fresh = flow.next
        go_on(flow, begin, flow.last_repair)


def start(flow, event):
    """Begin the first burst; return the window [packets], which covers the first buffers."""
    if flow.buffer * flow.buffers > ROOM:
        raise ValueError("buffer x buffers =", flow.buffer * flow.buffers, "packets is out of range: must be at most",
                         ROOM, "packets")  # fmt: skip
    flow.alarm = event.now + flow.interval
    flow.left = flow.burst
    return window(flow)


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, which may begin a repair."""
    if event.number < 0:  # feedback of a switch, no acknowledgment
        return window(flow)
    flow.arrived[event.number % ROOM] = event.number + 1
    if flow.repaired > 0 and flow.next < flow.una:
        go_on(flow, flow.una, flow.transmission - 1)
    # RFC 998: the receiver requests the missing packets (RESEND) when the last packet of a buffer (LDATA) has arrived,
    # or when its data timer expires. Our choice: the sender infers this request from acknowledgments. When the last
    # packet of a repair is acknowledged, all packets sent before it have arrived or are lost.
    size = int(flow.buffer)
    end = min(flow.packets, (event.number // size + 1) * size)  # the first packet after the buffer of this packet
    if event.number == end - 1 and event.transmission > flow.last_repair and flow.una < end > flow.checked:
        repair(flow, end - size, end)
    elif flow.repaired == 0 and flow.una < flow.checked and event.transmission >= flow.last_repair:
        repair(flow, flow.una, flow.checked)
    return window(flow)


def send(flow, packet):
    """Count the packet in its burst, choose the next packet of a repair, and return 0."""
    flow.left -= 1.0
    if flow.repaired > 0:
        go_on(flow, packet.number + 1, packet.transmission)
    flow.window = window(flow)
    return 0


def alarm(flow, event):
    """Begin a burst, and return the window [packets]."""
    # RFC 998: burst size and burst interval control the rate; they are negotiated when the connection is opened.
    flow.alarm = event.now + flow.interval
    flow.left = flow.burst
    return window(flow)


def timeout(flow, event):
    """Begin a repair of all packets sent, because the data timer has expired; return the window [packets]."""
    if flow.repaired > 0:
        flow.next = flow.fresh
    flow.repaired = 0
    repair(flow, flow.una, flow.high)
    return window(flow)


NETBLT = Scheme(
    "netblt",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=alarm,
    send=send,
    recovery="own",
    parameters={
        "burst": Parameter(5.0, "packets", "[1, 1e6]", about="Packets per burst", integer=True),
        "interval": Parameter(0.01, "s", "[1e-6, 1e6]", about="Time between two bursts"),
        "buffer": Parameter(
            50.0, "packets", f"[1, {ROOM})", about="Packets of a buffer; at most 1000 in all `buffers`", integer=True
        ),
        "buffers": Parameter(
            2.0, "buffers", f"[1, {ROOM})", about="Buffers in progress at the same time", integer=True
        ),
        **timers.parameters("rfc"),
    },
    # `repaired`: end of the present repair, 0 without a repair. `fresh`: new packet to be sent after the repair.
    # `last_repair`: final transmission of the previous repair. `checked`: largest end of all repairs. `left`: packets
    # that may still be sent in this burst. `arrived`, indexed by packet number modulo ROOM: number plus 1 of
    # the last packet at this index that is known to have arrived.
    state={"repaired": 0, "fresh": 0, "last_repair": -1, "checked": 0, "left": 0.0, "arrived": [0] * ROOM},
    source=(
        "D. D. Clark, M. L. Lambert and L. Zhang, NETBLT: A Bulk Data Transfer Protocol, RFC 998, 1987, "
        "doi:10.17487/RFC0998 and Proc. ACM SIGCOMM 1987, pp. 353-359 (RFC 998 not checked against the original); "
        "the control messages of the receiver are replaced by acknowledgments of packets (ours)"
    ),
)
