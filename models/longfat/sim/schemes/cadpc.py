"""CADPC: a rare question to the routers, and a rate that follows the capacity to spare (schemes.md 9).

Every four round trips a request of the performance transparency protocol brings back capacity and traffic of the
link with the least to spare; the rate grows by its logistic rule, x <- x (1 + a (1 - x - traffic)), in capacities.
"""

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.explicit_rate import keep
from longfat.sim.schemes.scheme import Parameter, Scheme


def start(flow, event):
    """9.2 rule 1: a request, and nothing else before its answer; another one if that does not come."""
    flow.request = 1
    flow.alarm = event.now + flow.retry
    return 0.0


def ack(flow, event):
    """What the network says."""
    if event.number >= 0:  # the acknowledgment of a data packet tells nothing
        return flow.rate
    if event.rtt > 0.0:
        flow.srtt += (event.rtt - flow.srtt) / 8.0 if flow.srtt > 0.0 else event.rtt
    flow.answers += 1
    if flow.answers == 1:  # 9.2 rule 1: the second request a round trip after the first; 9.3 rule 2
        flow.request = 1
        flow.alarm = event.now + flow.period * flow.srtt
        return flow.packet_size / flow.srtt
    if event.header[3] <= 0.0:  # no link has been seen twice
        return flow.rate
    flow.capacity, flow.traffic = event.header[0], event.header[1]
    return next_rate(flow)


def alarm(flow, event):
    """Time for the next request, or for the first one again."""
    flow.request = 1
    flow.alarm = event.now + (flow.period * flow.srtt if flow.answers > 0 else flow.retry)
    return flow.rate


@part
def next_rate(flow):
    """9.3 rules 1, 2 and 5; while it starts, 9.4."""
    x, load = flow.rate / flow.capacity, flow.traffic / flow.capacity
    share = x / flow.weight  # a flow of weight w is w flows that send x/w each
    change = flow.smoothing * (1.0 - share - load)
    if not flow.steady:
        near = min(1.0, share / max(1.0 - load, 1e-9))
        if near >= 1.0:
            flow.steady = True
        change = min(flow.cap - 1.0, change * (flow.eagerness + (1.0 - flow.eagerness) * near))
    least = flow.packet_size / (4.0 * flow.srtt)
    return max(x * (1.0 + change) * flow.capacity, least)


PARAMETERS = {
    "smoothing": Parameter(0.5, "1", "(0, 2]", about="the a of the rule"),
    "weight": Parameter(1.0, "flows", "(0, 1e6]", about="as many flows it acts like"),
    "period": Parameter(4.0, "round trips", "[0.05, 1e6]", about="between requests"),
    "eagerness": Parameter(2.0, "flows", "[1, 1e3]", about="as many flows it acts like at first; 1: no faster start"),
    "cap": Parameter(2.0, "1", "(1, 1e3]", about="growth in one update while it starts"),
    "retry": Parameter(1.0, "s", "(0, 1e6]", about="before the first request is sent again"),
}
#: Answers so far; whether the start is over; capacity and traffic last told [bytes/s].
STATE = {"answers": 0, "steady": False, "capacity": 0.0, "traffic": 0.0}
SOURCE = "Welzl, Scalable router aided congestion avoidance, sec. II; schemes.md 9, whose 9.4 is a reconstruction"

CADPC = Scheme(
    "cadpc", start=start, ack=ack, alarm=alarm, timeout=keep, controls="rate", recovery="own", acknowledged=False,
    parameters=PARAMETERS, state=STATE, source=SOURCE,
)  # fmt: skip
#: The same with acknowledgments and repeated transmissions, for files.
CADPC_FILES = Scheme(
    "cadpc-files", start=start, ack=ack, alarm=alarm, timeout=keep, controls="rate",
    parameters={**PARAMETERS, **timers.PARAMETERS}, state=STATE, source=SOURCE,
)  # fmt: skip
