"""Loss-load switch: it reports the loss probability as a function of the rate to each source, and drops accordingly.

A source of rate f beside others of rates f_i (all as fractions of the capacity) has the loss probability
P(f) = f^k (f + a)/(f^(k+1) + b), clipped to [0, 1], and 0 if f <= -a, where a = sum(f_i) - 1 is the excess and
b = sum(f_i^(k+1)) the spread of the others, with a parameter k.

The switch knows each flow's rate, which packets declare or the switch measures, and returns a and b. With a virtual
factor v below 1 (the virtual loss-load model) a and b are computed from v times the capacity; drops are computed from
the true capacity.

The computing time of a packet grows with the number of flows if a rate has changed since the previous packet of its
flow.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA, LAST, NONE, RED, STAMPED
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.plugin.functions import behind, first_waiting, flow_state, is_full, push_out, random, waiting

# Header field 0: rate of the source [bytes/s]. Fields 1 to 3 describe the most restrictive link so far: excess a and
# spread b, both relative to its capacity, and this (virtual) capacity [bytes/s], 0 before the first link. Other schemes
# write a negative number into field 3.
RATE, EXCESS, SPREAD, CAPACITY = range(4)
END, OUT = -1, -2  # values in place of a flow's number: end of the list; flow not in the list
MEASURED = 0.01  # interval [s] over which the rates of flows that declare none are measured; our choice


# Prithviraj & Williamson, section 2.2: P(f) = f^k (f + a)/(f^(k+1) + b). Our choice: P is clipped to [0, 1].
@inline
def loss(rate, load, powers, k):
    """Return the loss probability P(f) of a source of rate f; `load` and `powers` are sums over the other sources.

    `load` is the sum of their rates, `powers` the sum of the (k+1)-th powers of their rates; rates are relative to the
    capacity.
    """
    if rate <= 0.0 or rate + load <= 1.0:
        return 0.0
    own = rate**k
    if own * rate + powers == 0.0:  # the powers underflow, and there is no other source
        return min(1.0, (rate + load - 1.0) / rate)
    return min(1.0, own * (rate + load - 1.0) / (own * rate + powers))


@inline
def set_rate(link, flow, share):
    """Record a flow's rate as a fraction `share` of the capacity; a change invalidates the sums of all flows."""
    if share != flow.share:
        flow.share = share
        flow.power = share ** (link.k + 1.0)
        link.changes += 1


# Our choice: add the powers of all other flows, because subtracting one flow's power from the total would lose small
# powers.
@inline
def update_others(link, number, flow):
    """Add up load and powers of all other flows, if any rate has changed since they were last added up."""
    if flow.updated_at == link.changes:
        return
    flow.load, flow.powers = 0.0, 0.0
    place = link.first_flow
    while place != END:
        other = flow_state(link, place)
        if place != number:
            flow.load += other.share
            flow.powers += other.power
        place = other.next
    flow.updated_at = link.changes


@inline
def remove(link, number):
    """Remove a flow that has ended or is silent from the list of flows."""
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


@inline
def declares(packet):
    """Return whether the packet's header declares the rate of its source."""
    return packet.flags & STAMPED and packet.header[CAPACITY] >= 0.0


@inline
def update_flow(link, packet, now):
    """Update the state of a packet's flow with the packet's declared rate or with its size; return the state."""
    flow = flow_state(link, packet.flow)
    if flow.next == OUT:
        flow.next = link.first_flow
        link.first_flow = packet.flow
        flow.measured = 0
        flow.reported_at = -1
        link.changes += 1
    flow.last_arrival = now
    if declares(packet) and link.window <= 0.0:
        flow.measured = -1
        set_rate(link, flow, packet.header[RATE] / link.rate)
    else:
        flow.measured += packet.size
    update_others(link, packet.flow, flow)
    return flow


# Our choice, because the papers have one switch: feedback comes from the link with the greatest loss probability at the
# source's present rate or, if no link has losses, from the link with the least free capacity.
@inline
def write_feedback(link, flow, packet):
    """Write excess, spread and virtual capacity into the packet if this link is the most restrictive so far."""
    header = packet.header
    virtual = link.v * link.rate
    load, powers = flow.load / link.v, flow.powers / link.v ** (link.k + 1.0)
    if header[CAPACITY] > 0.0:
        here = loss(header[RATE] / virtual, load, powers, link.k)
        there = loss(header[RATE] / header[CAPACITY], header[EXCESS] + 1.0, header[SPREAD], link.k)
        # If neither link has losses, `here` and `there` are both 0, and the link with the smaller free capacity is
        # chosen.
        if here < there or (here == there and (1.0 - load) * virtual >= -header[EXCESS] * header[CAPACITY]):
            return
    header[EXCESS], header[SPREAD], header[CAPACITY] = load - 1.0, powers, virtual


# Prithviraj & Williamson, section 2.2: the switch sends a and b back to the source. Our choice: the switch sends them
# only when they have changed.
@inline
def send_directly(link, flow, packet):
    """Send excess, spread and virtual capacity from the switch to the source if any rate has changed."""
    if flow.reported_at != link.changes:
        flow.reported_at = link.changes
        link.feedback[RATE] = packet.header[RATE]
        link.feedback[EXCESS] = flow.load / link.v - 1.0
        link.feedback[SPREAD] = flow.powers / link.v ** (link.k + 1.0)
        link.feedback[CAPACITY] = link.v * link.rate
        link.send_feedback = 1


# Prithviraj & Williamson, section 2.3: if a green packet is to be dropped, a queued red packet of the same flow is
# dropped instead, if there is one. Our choice: the red packet nearest to the tail.
@inline
def victim(link, packet):
    """Return the verdict on a packet to be dropped: DROP, or the push-out of a queued red packet of the same flow."""
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


# Prithviraj & Williamson, section 2.2: P is the probability that a packet of the source is dropped. Our addition,
# because the same section says that the switch drops "the excess packets": with `regular` a packet is dropped whenever
# the sum of the probabilities of arrived packets passes an integer, so that the number of drops has the same mean and
# less variance.
@inline
def excess(link, flow):
    """Return whether the loss-load law drops the arriving packet."""
    probability = loss(flow.share, flow.load, flow.powers, link.k)
    if not link.regular:
        return random(link) < probability
    link.due += probability
    if link.due < 1.0:
        return False
    link.due -= 1.0
    return True


# Prithviraj & Williamson, section 2.2: while the load exceeds the capacity, packets are dropped with the probability
# P(f) of their source. Our additions: a full buffer drops packets, too; the loss-load law drops none with `overflow`,
# or below a backlog of `threshold`. Section 2.1, on the virtual leaky bucket: red packets are discarded where there is
# congestion. Our addition: `red_limit` is the backlog that counts as congestion.
def enqueue(link, packet, now):
    """Update the flow's rate, drop by the loss-load law or if the buffer is full, and write the feedback."""
    if packet.kind != DATA:
        return ENQUEUE
    flow = update_flow(link, packet, now)
    share, load = flow.share, flow.load
    too_much = not link.overflow and share + load > 1.0 and link.backlog >= link.threshold
    verdict = ENQUEUE
    if (too_much and excess(link, flow)) or is_full(link, packet, now):
        verdict = victim(link, packet)
    elif packet.colour == RED and 0 < link.red_limit <= link.backlog:
        verdict = DROP
    if declares(packet):
        if link.direct:
            send_directly(link, flow, packet)
        else:
            write_feedback(link, flow, packet)
    if packet.flags & LAST and link.farewell:
        remove(link, packet.flow)
    return verdict


def tick(link, now):
    """Measure the rates of flows that declare no rate, and remove flows that have been silent for `silence` seconds."""
    window = link.window if link.window > 0.0 else MEASURED
    place = link.first_flow
    while place != END:
        flow = flow_state(link, place)
        number, place = place, flow.next
        if flow.measured >= 0:
            set_rate(link, flow, flow.measured / window / link.rate)
            flow.measured = 0
        if now - flow.last_arrival > link.silence:
            remove(link, number)
    return now + window


loss_load = Discipline(
    "loss-load",
    enqueue=enqueue,
    tick=tick,
    parameters={
        "k": Parameter(10.0, "1", "(0, 50]", about="Exponent k of the loss-load curve, also known to the sources"),
        "v": Parameter(
            1.0, "1", "(0, 1]", about="Virtual factor v: share of the capacity that the feedback is computed from"
        ),
        "overflow": flag(False, "Drop only when the buffer is full; otherwise by the loss-load law, too"),
        "threshold": Parameter(
            0.0, "packets", "[0, 1e9]", about="Backlog from which on packets are dropped by the loss-load law",
            integer=True,
        ),
        "regular": flag(False, "Drop when the loss probabilities of arriving packets add up to 1; otherwise at random"),
        "red_limit": Parameter(
            0.0, "packets", "[0, 1e9]", about="Backlog from which on every arriving red packet is dropped; 0: no limit",
            integer=True,
        ),
        "colours": flag(True, "Drop a queued red packet of the same flow instead of an arriving green one"),
        "direct": flag(
            False, "Send feedback from the switch to the sender; otherwise the receiver returns it in acknowledgments"
        ),
        "silence": Parameter(
            0.1, "s", "(0, 1e6]", about="Silence after which a flow no longer counts, about two round-trip times"
        ),
        "window": Parameter(
            0.0, "s", "[0, 1e6]", about="Interval over which rates are measured; 0 if packets declare them"
        ),
        "farewell": flag(True, "Remove a flow when its last packet arrives; otherwise only silence removes it"),
    },
    # `changes` is the number of rate changes so far, `first_flow` the first flow of the list. `due` is the sum of the
    # loss probabilities; with `regular`, each packet with which it reaches 1 is dropped, and 1 is subtracted.
    state={"changes": 0, "first_flow": END, "due": 0.0},
    # `share` is the flow's rate as a fraction of the capacity, `power` the (k+1)-th power of this fraction.
    # `last_arrival` is the time at which the flow's last packet arrived [s]. `measured` counts its bytes in this
    # measuring interval; it is negative if the flow declares its rate. `load` and `powers` are sums over the other
    # flows: `updated_at` is the value of `changes` when they were computed, `reported_at` its value when they were
    # last reported to the sender. `next` is the next flow of the list.
    flow_state={
        "share": 0.0, "power": 0.0, "last_arrival": 0.0, "measured": 0, "load": 0.0, "powers": 0.0, "updated_at": 0,
        "reported_at": -1, "next": OUT,
    },
    needs_buffer=True,
    late_if="colours",
    source='C. L. Williamson and D. R. Cheriton, "Loss-Load Curves: Support for Rate-Based Congestion Control in '
    'High-Speed Datagram Networks", SIGCOMM 1991; N. Prithviraj and C. L. Williamson, '
    '"A Virtual Loss-Load Congestion Control Strategy for High Speed Networks", University of Saskatchewan, about 1995 '
    "(the thesis of this title: Research Report 94-7, 1994), sections 2.2 and 2.3",
)  # fmt: skip
