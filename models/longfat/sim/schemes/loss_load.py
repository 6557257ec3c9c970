"""Loss-load: the switch reports the loss probability as a function of the rate; the source chooses its rate by it.

The source takes either the rate at which its throughput is largest, or the rate at which the remaining packets of its
file take the least time. The virtual loss-load model adds a token pool and colours: packets are coloured red with the
expected loss probability. Bisection finds the first of the two rates; a grid and a golden-section search find the
second. The rules with their sources: docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import RED
from longfat.sim.plugin.functions import random
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

GRID = 200  # points of the grid on which the search for the least time begins


@inline
def expected_loss(rate, excess, spread, k):
    """Return the loss probability P(f) at a rate f, for the reported `excess` a and `spread` b of the other sources."""
    # Prithviraj and Williamson, section 2.2: P(f) = f^k (f + a) / (f^(k+1) + b). Here f is the rate, a is the sum of
    # the other sources' rates minus 1, and b is the sum of the (k+1)-th powers of these rates, all relative to the
    # capacity.
    if rate <= 0.0 or rate + excess <= 0.0:
        return 0.0
    own = rate**k
    if own * rate + spread == 0.0:
        return 1.0 + excess / rate
    return min(1.0, own * (rate + excess) / (own * rate + spread))


@inline
def best_throughput(excess, spread, k):
    """Return the rate at which the throughput of the source is largest [fraction of the capacity]."""
    # Prithviraj and Williamson, section 2.2: the throughput T = (1 - P) f is largest where dT/df = 0, which is the
    # positive root of k f^(k+1) + (k+1) a f^k = b (our derivation). Our choice, because this equation does not hold
    # without other sources: a single source takes the free capacity.
    if spread <= 0.0:
        return max(0.0, -excess)
    low = max(0.0, -excess * (k + 1.0) / k)
    high = (spread / k) ** (1.0 / (k + 1.0)) + low
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle**k * (k * middle + (k + 1.0) * excess) < spread:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inline
def response(rate, excess, spread, k, packets, round_trip, capacity):
    """Return the response time [s] of a file of `packets` packets at `rate`, a fraction of `capacity` [packets/s]."""
    # Prithviraj and Williamson, section 2.2: the response time of a file transfer is N / ((1 - P) f) + (1 - ln N / ln
    # P) R, where R is the round-trip time.
    lost = expected_loss(rate, excess, spread, k)
    if lost >= 1.0 or rate <= 0.0:
        return math.inf
    rounds = 1.0
    if lost > 0.0 and packets > 1.0:
        rounds -= math.log(packets) / math.log(lost)
    return packets / ((1.0 - lost) * rate * capacity) + rounds * round_trip


@inline
def best_response(excess, spread, k, packets, round_trip, capacity):
    """Return the rate [fraction of `capacity`], at most `best_throughput`, at which the `response` time is least."""
    low, high = max(0.0, -excess), best_throughput(excess, spread, k)
    best, place = math.inf, 0
    for i in range(GRID + 1):
        time = response(low + (high - low) * i / GRID, excess, spread, k, packets, round_trip, capacity)
        if time < best:
            best, place = time, i
    if place == 0:  # the rate without loss is best, because any loss would cost a round trip
        return low
    left = low + (high - low) * (place - 1) / GRID
    right = low + (high - low) * min(GRID, place + 1) / GRID
    shrink = 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(40):  # golden section
        one, two = right - shrink * (right - left), left + shrink * (right - left)
        first = response(one, excess, spread, k, packets, round_trip, capacity)
        if first <= response(two, excess, spread, k, packets, round_trip, capacity):
            right = two
        else:
            left = one
    return 0.5 * (left + right)


def start(flow, event):
    """Return `start_rate` [bytes/s] or, if it is 0, an infinite rate with a window of one packet."""
    # Our choice, because Prithviraj and Williamson, section 2.2, leave the start of a source open.
    if flow.start_rate > 0.0:
        flow.header[0] = flow.start_rate
        return flow.start_rate
    flow.window = 1.0
    return math.inf


def ack(flow, event):
    """Return the rate [bytes/s], chosen anew after feedback of a switch, at most once in `spacing` round trips."""
    if event.header[3] <= 0.0:
        return flow.rate
    flow.excess, flow.spread, flow.capacity = event.header[1], event.header[2], event.header[3]
    if event.now < flow.next_choice_at:
        if event.rtt == 0.0:  # sent by a switch itself, which happens only when a rate has changed
            flow.alarm = flow.next_choice_at
        return flow.rate
    return choose(flow, event)


@inline
def choose(flow, event):
    """Return the rate [bytes/s] that is best for the last reported loss-load curve."""
    round_trip = flow.srtt if flow.srtt > 0.0 else event.rtt
    # Our choice, because Prithviraj and Williamson, section 2.2, do not define how often a source chooses its rate: at
    # most once in a quarter of a round trip by default.
    flow.next_choice_at = event.now + flow.spacing * round_trip
    excess, spread, capacity, k = flow.excess, flow.spread, flow.capacity, flow.k
    if flow.response > 0.0:
        left = float(flow.packets if flow.entire_file > 0.0 else flow.packets - flow.acks_received)
        per_second = capacity / flow.packet_size
        choice = best_response(excess, spread, k, max(1.0, left), round_trip * flow.round, per_second)
    else:
        choice = best_throughput(excess, spread, k)
    choice = min(choice, flow.access_rate / capacity)
    flow.choice = choice
    flow.loss = expected_loss(choice, excess, spread, k)
    if flow.colours > 0.0:
        flow.red = flow.loss
    flow.window = math.inf
    flow.header[0] = choice * capacity
    return choice * capacity


@inline
def is_red(flow):
    """Return whether the next packet is red; the share of red packets is `flow.red`, at random or evenly spread."""
    # Prithviraj and Williamson, section 2.3: packets are red with probability P(f). Our addition: `colours` = 2 spreads
    # red packets evenly, because their number then varies less.
    if flow.colours < 2.0:
        return random(flow) < flow.red
    flow.red_owed += flow.red
    if flow.red_owed < 1.0:
        return False
    flow.red_owed -= 1.0
    return True


def send(flow, packet):
    """Colour packets so that the fraction of red packets is the expected loss probability; return 0."""
    if flow.red > 0.0 and is_red(flow):
        packet.colour = RED
    return 0


def timeout(flow, event):
    """Return the rate [bytes/s] unchanged; with `restart`, start again with one packet that declares no rate.

    If P is 1, all packets are lost, and with them the feedback of the switches; the source would never learn of a
    change. A packet that declares no rate is not dropped by the switch.
    """
    # Retransmission never changes the rate. `restart` is our addition, because Prithviraj and Williamson, section 2.2,
    # do not treat the loss of all packets.
    if flow.restart > 0.0:
        flow.header[0] = 0.0
        flow.red = 0.0
        flow.window = 1.0
        flow.next_choice_at = 0.0
        return math.inf
    return flow.rate


LOSS_LOAD = Scheme(
    "loss-load",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=choose,  # handles feedback that arrived too soon after the last choice
    send=send,
    controls="rate",
    stamped=True,
    parameters={
        "k": Parameter(10.0, "1", "(0, 50]", about="Exponent of the loss-load curve: the switches' `k`"),
        "response": flag(False, "0: rate that maximises throughput; 1: rate that minimises response time"),
        "entire_file": flag(False, "Packets whose response time counts; 0: not yet delivered ones; 1: the entire file"),
        "spacing": Parameter(0.25, "round trips", "[0, 1e3]", about="Least time between two choices of the rate"),
        "start_rate": Parameter(
            0.0, "bytes/s", "[0, 1e15]", about="Rate before the first feedback; 0: one packet first"
        ),
        "colours": Parameter(
            1.0, "1", "{0, 1, 2}", about="Red packets; 0: none; 1: chosen at random; 2: evenly spread"
        ),
        "access_rate": Parameter(math.inf, "bytes/s", "(0, inf]", about="Upper bound of the chosen rate"),
        "round": Parameter(1.0, "round trips", "[0, 1e3]", about="Cost of a retransmission round in the response time"),
        "restart": flag(True, "After a timeout; 0: keep the rate; 1: begin anew"),
        "tokens": Parameter(5.0, "packets", "[1, 1e9]", "pool", about="Size of the token pool"),
        **timers.PARAMETERS,
    },
    state={
        "next_choice_at": 0.0,  # earliest time of the next choice [s]
        "choice": 0.0,  # last choice [share of the capacity] and its expected loss
        "loss": 0.0,
        "excess": 0.0,  # last reported a, b and capacity
        "spread": 0.0,
        "capacity": 0.0,  # bytes/s
        "red": 0.0,  # share of red packets; its sum over all packets sent, minus the number of red packets sent
        "red_owed": 0.0,
    },
    source=(
        "N. Prithviraj and C. L. Williamson, A Virtual Loss-Load Congestion Control Strategy for High Speed Networks, "
        "University of Saskatchewan (after N. Prithviraj's thesis, Research Report 94-7, 1994), sections 2.2 and 2.3; "
        "C. L. Williamson, Optimizing File Transfer Response Using the Loss-Load Curve Congestion Control Mechanism, "
        "Proc. ACM SIGCOMM 1993, pp. 117-126"
    ),
)
