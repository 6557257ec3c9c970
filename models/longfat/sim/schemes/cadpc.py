"""CADPC: a request to the routers every four round trips, and a rate that follows a logistic rule.

Every four round trips a request of the performance transparency protocol (PTP) brings back capacity and traffic of the
link with the least capacity to spare; the rate follows x <- x (1 + a (1 - x - traffic)), relative to the capacity.
The rules with their sources: docs/rules/explicit-feedback.md.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate
from longfat.sim.schemes.tfrc import EQUAL, equation_rate, larger_mean

RETRY = 1.0  # s after which the first request is repeated


def start(flow, event):
    """Return a rate of zero, and send the first request, which is repeated if no response arrives."""
    # Welzl (2005), section II.A: two requests are needed for a measurement. Our choice, because the paper does not
    # mention lost requests: the first request is repeated after a second.
    flow.request = 1
    flow.alarm = event.now + RETRY
    return 0.0


def ack(flow, event):
    """Return the rate [bytes/s], updated if the event is a response to a request."""
    return respond(flow, event) if event.number < 0 else flow.rate  # acknowledgments of data carry no feedback


@inline
def respond(flow, event):
    """Return the rate [bytes/s] after a response to a request."""
    return next_rate(flow, flow.target) if measure(flow, event) else flow.rate


@inline
def measure(flow, event):
    """Read capacity and traffic from a response; return whether it has both. The first response sets the rate."""
    if event.rtt > 0.0:
        flow.srtt += (event.rtt - flow.srtt) / 8.0 if flow.srtt > 0.0 else event.rtt
    flow.responses += 1
    # Our choice, because Welzl (2005), section II.A, does not define the start: the first response causes the second
    # request, and the rate until the second response is `first_rate`. By section II.B this rate "can be arbitrarily
    # small". One packet per round trip would not be small enough if many flows share a slow link: the 50 flows of
    # figure 3 would offer 1.33 Mbit/s to a link of 1 Mbit/s, and the losses and queue would differ from those of
    # section III.
    if flow.responses == 1:
        flow.request = 1
        flow.alarm = event.now + flow.period * flow.srtt
        flow.rate = flow.first_rate * flow.packet_size / flow.srtt
        return False
    if event.header[3] <= 0.0:  # no link has been measured yet, because a measurement takes two requests
        return False
    flow.capacity, flow.traffic = event.header[0], event.header[1]
    return True


def ack_files(flow, event):
    """Return the rate [bytes/s], updated by a response to a request and limited by `bounded` after losses."""
    return bounded(flow, respond(flow, event)) if event.number < 0 else flow.rate


def alarm(flow, event):
    """Send the next request, and return the rate [bytes/s] unchanged."""
    flow.request = 1
    flow.alarm = event.now + (flow.period * flow.srtt if flow.responses > 0 else RETRY)
    return flow.rate


@inline
def next_rate(flow, target):
    """Return the next rate [bytes/s] by the logistic rule, relative to a fraction `target` of the capacity."""
    # Welzl (2005), section II.B, equation (1), with the smoothness factor a = 0.5 of table I instead of a = 1: x(t+1) =
    # x(t) (1 + a (1 - x(t) - traffic)), all relative to the capacity. Our addition: x and traffic are relative to a
    # fraction `target` of the capacity. A target below 1 makes queues shorter, because n flows then use less than
    # n/(n+1) of the capacity. In section III all routers report the capacity itself.
    aim = target * flow.capacity
    x, load = flow.rate / aim, flow.traffic / aim
    share = x / flow.weight  # section III: a flow of weight w acts like w flows that send x/w each
    change = flow.smoothing * (1.0 - share - load)
    # Welzl (2005), section III: a new flow acts like several flows at first, and this number falls linearly to one as
    # its rate nears the converged value. Our choice, because the paper gives no numbers: the flow begins as two flows,
    # and an update at most doubles the rate.
    if not flow.steady:
        near = min(1.0, share / max(1.0 - load, 1e-9))
        if near >= 1.0:
            flow.steady = True
        change = min(flow.cap - 1.0, change * (flow.eagerness + (1.0 - flow.eagerness) * near))
    # Welzl (2005), section II.B: the rate must not reach zero. Our choice, because the paper gives no bound: the rate
    # is at least one packet in four round trips.
    least = flow.packet_size / (4.0 * flow.srtt)
    return max(x * (1.0 + change) * aim, least)


def loss(flow, event):
    """Record the loss interval that this loss event ends; return the rate [bytes/s], limited by `bounded`."""
    # RFC 5348, section 5.3: a loss interval lasts from the first lost packet of one loss event to the first lost packet
    # of the next event. Our choice, because CADPC has no slow start that ends with a loss: the first interval is the
    # number of packets sent before the first loss, in place of the rule of RFC 5348, section 6.3.1.
    first = event.transmission - event.lost
    for i in range(7, 0, -1):
        flow.intervals[i] = flow.intervals[i - 1]
    flow.intervals[0] = float(max(1, first - max(0, flow.first)))
    flow.first = first
    return bounded(flow, flow.rate)


@inline
def bounded(flow, rate):
    """Return `rate` [bytes/s], limited to the rate of TCP with the same losses, round-trip time and packet size."""
    # Welzl (2005), section IV.B, suggests feedback about losses, and TCP-friendliness by RFC 2309 (no more bandwidth
    # than TCP) where TCP flows are present. Our choice, because the paper gives no details: losses indicate TCP flows,
    # since CADPC alone has almost no losses (section III). TCP's rate is the rate of RFC 5348, section 3.1, with its
    # simplest values, b = 1 and t_RTO = 4 R. Our choice, because CADPC ignores acknowledgments of data: the open loss
    # interval counts all packets sent since the last loss event, including those in flight, which RFC 5348, section
    # 5.3, leaves out.
    if flow.friendly == 0.0 or flow.first < 0:
        return rate
    # RFC 5348, section 5.4: mean loss interval; the discounting of section 5.5, which is optional, is left out.
    p = 1.0 / larger_mean(float(flow.transmission - flow.first), flow.intervals, EQUAL, 1.0, False)
    return min(rate, equation_rate(flow.packet_size, flow.srtt, p))


PARAMETERS = {
    "smoothing": Parameter(0.5, "1", "(0, 2]", about="Gain a of the logistic rule"),
    "weight": Parameter(1.0, "flows", "(0, 1e6]", about="Number of flows that the flow acts like"),
    "target": Parameter(1.0, "1", "(0, 1]", about="Share of the capacity that the logistic rule treats as the whole"),
    "period": Parameter(4.0, "round trips", "[0.05, 1e6]", about="Interval between requests"),
    "eagerness": Parameter(
        2.0, "flows", "[1, 1e3]", about="Number of flows that the flow acts like at its start; 1: no faster start"
    ),
    "first_rate": Parameter(0.25, "packets per round trip", "(0, 1e6]", about="Rate before the first update"),
    "cap": Parameter(2.0, "1", "(1, 1e3]", about="Greatest growth factor of an update during the start"),
}
#: `responses`: number of responses received. `steady`: whether the start is over. `capacity` and `traffic`: values of
#: the last response [bytes/s].
STATE = {"responses": 0, "steady": False, "capacity": 0.0, "traffic": 0.0}
#: `first`: first lost transmission of the last loss event. `intervals`: last eight loss intervals [packets], newest
#: first; 0 if there are fewer.
LOSSES = {"first": -1, "intervals": [0.0] * 8}
SOURCE = (
    "M. Welzl, Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks, PFLDnet "
    "workshop 2005, sections II and III, and table I; the start is ours, because its details are not printed there"
)

CADPC = Scheme(
    "cadpc", start=start, ack=ack, alarm=alarm, timeout=keep_rate, controls="rate", recovery="own", acknowledged=False,
    parameters=PARAMETERS, state=STATE, source=SOURCE,
)  # fmt: skip
#: CADPC with acknowledgments and retransmissions, for files.
CADPC_FILES = Scheme(
    "cadpc-files", start=start, ack=ack_files, loss=loss, alarm=alarm, timeout=keep_rate, controls="rate",
    parameters={
        **PARAMETERS,
        "friendly": flag(False, "0: losses do not change the rate; 1: the rate is at most TCP's with the same losses"),
        **timers.PARAMETERS,
    },
    state={**STATE, **LOSSES}, source=SOURCE,
)  # fmt: skip
