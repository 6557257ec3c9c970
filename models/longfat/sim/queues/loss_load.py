"""The loss-load switch: it tells every source its loss as a function of its rate, and sheds what is too much.

For each flow it keeps the rate that the packets declare, or that is measured. From them come the excess and the
spread of the load of the others, for which the source asks. With a virtual factor v below 1 (the virtual loss-load
model) what sources are told is computed from less than the true capacity; what is dropped, from the true one.

A packet costs as much as there are flows whenever a rate has changed since the flow's last one.

Williamson & Cheriton, SIGCOMM 1991; Prithviraj & Williamson, sec. 2.2 and 2.3.

>>> loss_load(5, 0.8).values["v"]
0.8
"""

from longfat.sim.jit import part
from longfat.sim.queues.discipline import DROP, ENQUEUE, Discipline, Integer, Parameter, flag
from longfat.sim.records import DATA, LAST, NONE, RED, STAMPED
from longfat.sim.seam import behind, first_waiting, flow_state, is_full, push_out, random, waiting

# What the header says: the rate of the source [bytes/s]; of the most restrictive link so far the load of the others
# less 1 and the sum of their powers, in capacities, and the capacity that it tells of [bytes/s], 0 for none yet. Other
# schemes write a negative number into the last place.
RATE, EXCESS, SPREAD, CAPACITY = range(4)
END, OUT = -1, -2  # in place of a flow: behind the last one of the list, and not in the list
MEASURED = 0.01  # s, over which the rates of flows that declare none are measured


@part
def loss(rate, load, powers, k):
    """Return the loss of a source of this rate beside others of this load and sum of powers."""
    if rate <= 0.0 or rate + load <= 1.0:
        return 0.0
    own = rate**k
    if own * rate + powers == 0.0:  # too small for floats, and nobody else
        return min(1.0, (rate + load - 1.0) / rate)
    return min(1.0, own * (rate + load - 1.0) / (own * rate + powers))


@part
def set_rate(link, flow, share):
    """Note a flow's rate; if it has changed, what is known of the others' sums is out of date."""
    if share != flow.share:
        flow.share = share
        flow.power = share ** (link.k + 1.0)
        link.changes += 1


@part
def look_at_others(link, number, flow):
    """Add up load and powers of all others anew: subtracting would leave nothing of small powers."""
    if flow.known_at == link.changes:
        return
    flow.load, flow.powers = 0.0, 0.0
    place = link.first_flow
    while place != END:
        other = flow_state(link, place)
        if place != number:
            flow.load += other.share
            flow.powers += other.power
        place = other.next
    flow.known_at = link.changes


@part
def remove(link, number):
    """Take a flow that has gone out of the list."""
    before, place = END, link.first_flow
    while place != number:
        before, place = place, flow_state(link, place).next
    flow = flow_state(link, number)
    if before == END:
        link.first_flow = flow.next
    else:
        flow_state(link, before).next = flow.next
    flow.next = OUT
    set_rate(link, flow, 0.0)


@part
def declares(packet):
    """Return whether the header says how fast the source sends."""
    return packet.marks & STAMPED and packet.header[CAPACITY] >= 0.0


@part
def hear_of(link, packet, now):
    """Return what is known of a packet's flow, with what the packet says."""
    flow = flow_state(link, packet.flow)
    if flow.next == OUT:
        flow.next = link.first_flow
        link.first_flow = packet.flow
        flow.measured = 0
        flow.told_at = -1
        link.changes += 1
    flow.heard = now
    if declares(packet) and link.window <= 0.0:
        flow.measured = -1
        set_rate(link, flow, packet.header[RATE] / link.rate)
    else:
        flow.measured += packet.size
    look_at_others(link, packet.flow, flow)
    return flow


@part
def tell(link, flow, packet):
    """Write excess, spread and virtual capacity into the packet, if this link restricts it more than those before."""
    header = packet.header
    virtual = link.v * link.rate
    load, powers = flow.load / link.v, flow.powers / link.v ** (link.k + 1.0)
    if header[CAPACITY] > 0.0:
        here = loss(header[RATE] / virtual, load, powers, link.k)
        there = loss(header[RATE] / header[CAPACITY], header[EXCESS] + 1.0, header[SPREAD], link.k)
        # Equal where nothing is lost: then the link with less room counts.
        if here < there or (here == there and (1.0 - load) * virtual >= -header[EXCESS] * header[CAPACITY]):
            return
    header[EXCESS], header[SPREAD], header[CAPACITY] = load - 1.0, powers, virtual


@part
def tell_directly(link, flow, packet):
    """Send the same from here, when something has changed."""
    if flow.told_at != link.changes:
        flow.told_at = link.changes
        link.feedback[RATE] = packet.header[RATE]
        link.feedback[EXCESS] = flow.load / link.v - 1.0
        link.feedback[SPREAD] = flow.powers / link.v ** (link.k + 1.0)
        link.feedback[CAPACITY] = link.v * link.rate
        link.send_feedback = 1


@part
def victim(link, packet):
    """Return which packet goes: instead of a green one the last red one of its flow that waits, else itself."""
    found = DROP
    if not link.colours or packet.colour == RED:
        return found
    number = first_waiting(link)
    while number != NONE:
        one = waiting(link, number)
        if one.colour == RED and one.flow == packet.flow and one.kind == DATA:
            found = push_out(number)
        number = behind(link, number)
    return found


def enqueue(link, packet, now):
    """Note the rate, tell the source, and drop with the chance that the law gives, or where the buffer is full."""
    if packet.kind != DATA:
        return ENQUEUE
    flow = hear_of(link, packet, now)
    share, load = flow.share, flow.load
    too_much = not link.overflow and share + load > 1.0 and link.backlog >= link.threshold
    verdict = ENQUEUE
    if (too_much and random(link) < loss(share, load, flow.powers, link.k)) or is_full(link, packet, now):
        verdict = victim(link, packet)
    if declares(packet):
        if link.direct:
            tell_directly(link, flow, packet)
        else:
            tell(link, flow, packet)
    if packet.marks & LAST and link.farewell:
        remove(link, packet.flow)
    return verdict


def tick(link, now):
    """Measure the rates of the flows that declare none, and forget those that have been silent for long."""
    window = link.window if link.window > 0.0 else MEASURED
    place = link.first_flow
    while place != END:
        flow = flow_state(link, place)
        number, place = place, flow.next
        if flow.measured >= 0:
            set_rate(link, flow, flow.measured / window / link.rate)
            flow.measured = 0
        if now - flow.heard > link.silence:
            remove(link, number)
    return now + window


loss_load = Discipline(
    "loss-load",
    enqueue=enqueue,
    tick=tick,
    parameters={
        "k": Parameter(10.0, "1", "(0, 50]", about="how hard the curve is on who sends more; sources know it, too"),
        "v": Parameter(1.0, "1", "(0, 1]", about="virtual factor: the share of the capacity that sources are told of"),
        "overflow": flag(False, "drop only what finds the buffer full, else with the chance that the law gives"),
        "threshold": Integer(0.0, "packets", "[0, 1e9]", about="backlog from which on packets are dropped by chance"),
        "colours": flag(True, "drop a waiting red packet of the same flow instead of a green one that arrives"),
        "direct": flag(False, "tell senders straight from the switch, else by the receiver, in acknowledgments"),
        "silence": Parameter(0.1, "s", "(0, 1e6]", about="after which a flow counts no more; about two round trips"),
        "window": Parameter(0.0, "s", "[0, 1e6]", about="over which rates are measured; 0: they are declared"),
        "farewell": flag(True, "a flow counts no more from its last packet on, else only silence ends it"),
    },
    state={"changes": 0, "first_flow": END},  # changes of any rate so far; the list of flows
    # The flow's rate in capacities, and its power k + 1; when it was last heard of [s]; bytes in this window, negative
    # if it declares its rate; the others' load and sum of powers, the number of changes for which they hold, and that
    # for which the sender was told them last; the next flow of the list.
    flow_state={
        "share": 0.0, "power": 0.0, "heard": 0.0, "measured": 0, "load": 0.0, "powers": 0.0, "known_at": 0,
        "told_at": -1, "next": OUT,
    },
    needs_buffer=True,
    late_if="colours",
)  # fmt: skip
