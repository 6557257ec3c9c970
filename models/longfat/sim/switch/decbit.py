"""DECbit switch: it marks packets while the average queue length is at least 1 packet.

A regeneration cycle is a busy period and the idle period after it. The queue length, the packet in transmission
included, is averaged over the last complete cycle and the present one: with the beginnings t1 < t2 of the last two busy
periods, the average at time t is the integral of q from t1 to t, divided by t - t1.

Our choice, because the paper does not treat this case: a packet that arrives when the transmission of the previous
packet ends finds no idle period and begins no cycle. Otherwise each packet of a train that acknowledgments clock out
would form a cycle with an average of exactly 1.

The congestion bit is the CE mark; packets that are not ECN-capable are counted, but not marked. The receiver of the
scheme "decbit" returns the mark packet by packet. In a train of packets that acknowledgments clock out, one packet sent
early keeps two packets at the link, one of them in transmission, until the train ends. If the packet in transmission is
counted, a single "decbit" source therefore uses less than two thirds of the capacity; if not, its rate oscillates
around the capacity.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import ACK
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark


@inline
def nanoseconds(time):
    """Convert a time [s] to integer nanoseconds, or an integral of the queue length [packets x s] to packets x ns.

    With integers, an average of 1 is computed exactly up to 2^50 packets x ns, which is one packet for 13 days.
    """
    return int(time * 1e9 + 0.5)


@inline
def area(link, time):
    """Return the integral of the queue length from the start of the run to `time` [packets x ns]."""
    integral = nanoseconds(link.backlog_area) + int(link.backlog) * (time - nanoseconds(link.changed_at))
    if not link.with_answers:
        integral -= link.acks_area + link.acks * (time - link.acks_changed)
    if link.with_transmission:  # `busy_time` includes all of the transmission time of the packet in transmission
        integral += nanoseconds(link.busy_time) - max(0, nanoseconds(link.free_at) - time)
    return integral


@inline
def count_acks(link, time, change):
    """Integrate the number of acknowledgments in the queue up to `time` [ns], then add `change` to this number."""
    link.acks_area += link.acks * (time - link.acks_changed)
    link.acks_changed = time
    link.acks += change


# Ramakrishnan & Jain (1990): a regeneration cycle begins with the arrival that ends an idle period.
@inline
def begin_cycle(link, time):
    """Begin a regeneration cycle, because the arriving packet finds the link idle."""
    so_far = area(link, time)
    if link.begun:
        link.last_area = so_far - link.area_before
        link.last_length = time - link.began
    link.area_before, link.began, link.begun = so_far, time, True


# Ramakrishnan & Jain (1990): a packet's bit is set if the average queue length, over the last and the present
# regeneration cycle, is at least 1.
@inline
def is_congested(link, time):
    """Return whether the average queue length reaches the threshold; False if both cycles have length 0."""
    length = link.last_length + (time - link.began)
    if length <= 0:
        return False
    link.average = (link.last_area + (area(link, time) - link.area_before)) / length
    return link.average >= link.threshold


def enqueue(link, packet, now):
    """Mark an arriving packet if the average queue length reaches the threshold and the buffer is not full."""
    time = nanoseconds(now)
    if not link.begun or link.free_at < now:
        begin_cycle(link, time)
    finds_room = not is_full(link, packet, now)
    if not link.on_departure and is_congested(link, time) and finds_room:
        mark(link, packet)
    if packet.kind == ACK and link.free_at > now and finds_room:
        count_acks(link, time, 1)
    return ENQUEUE


# Our variant, chosen by `on_departure`: the bit is set at the departure of a packet instead of its arrival.
def dequeue(link, packet, now):
    """Mark a packet whose transmission begins, if `on_departure` is set."""
    time = nanoseconds(now)
    if packet.kind == ACK and link.acks > 0:  # an acknowledgment at an idle link was not counted
        count_acks(link, time, -1)
    if link.on_departure and is_congested(link, time):
        mark(link, packet)
    return SEND


decbit = Discipline(
    "decbit",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={
        "threshold": Parameter(
            1.0, "packets", "(0, 1e15]", about="Average queue length from which on packets are marked"
        ),
        "on_departure": flag(False, "Decide when a packet's transmission begins instead of at its arrival"),
        "with_transmission": flag(True, "Count the packet in transmission in the queue length"),
        "with_answers": flag(True, "Count acknowledgments in the queue length"),
    },
    # `last_area` [packets x ns] and `last_length` [ns] are the integral of the queue length over the last complete
    # cycle, and its length. `begun` is true if a cycle has begun, at `began` [ns], when the integral had the value
    # `area_before`. `acks` is the number of acknowledgments in the queue, and `acks_area` its integral until
    # `acks_changed` [ns].
    state={
        "last_area": 0, "last_length": 0, "begun": False, "began": 0, "area_before": 0,
        "acks": 0, "acks_area": 0, "acks_changed": 0, "average": 0.0,
    },
    needs_buffer=True,
    source='K. K. Ramakrishnan and R. Jain, "A Binary Feedback Scheme for Congestion Avoidance in Computer Networks", '
    "ACM Transactions on Computer Systems 8(2), 1990, doi:10.1145/78952.78955 ("
    "not checked against the original)",
)  # fmt: skip
