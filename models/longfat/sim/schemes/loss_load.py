"""Loss-load: the switch tells how much would be lost at any rate, and the source picks the rate that suits it.

A source either takes the rate at which most gets through, or the one at which the rest of its file takes the least
time (schemes.md 14.2). The virtual loss-load model adds a pool of tokens and colours: as many packets leave red as
are expected to be lost (14.4). The root and the minimum are searched for here in the plainest way.
"""

import math

from longfat.sim.jit import part
from longfat.sim.records import RED
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.seam import random

GRID = 200  # points of the search for the least time, before it is refined


@part
def expected_loss(rate, excess, spread, k):
    """P(f), 14.1."""
    if rate <= 0.0 or rate + excess <= 0.0:
        return 0.0
    own = rate**k
    if own * rate + spread == 0.0:
        return 1.0 + excess / rate
    return min(1.0, own * (rate + excess) / (own * rate + spread))


@part
def best_throughput(excess, spread, k):
    """The positive root of k f^(k+1) + (k+1) a f^k = b; all that is free for a source that is alone."""
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


@part
def response(rate, excess, spread, k, packets, round_trip, capacity):
    """Time that a file of so many packets takes [s], at `capacity` packets/s."""
    lost = expected_loss(rate, excess, spread, k)
    if lost >= 1.0 or rate <= 0.0:
        return math.inf
    rounds = 1.0
    if lost > 0.0 and packets > 1.0:
        rounds -= math.log(packets) / math.log(lost)
    return packets / ((1.0 - lost) * rate * capacity) + rounds * round_trip


@part
def best_response(excess, spread, k, packets, round_trip, capacity):
    """The rate with the least time: never above that with the most throughput, whose loss is no smaller."""
    low, high = max(0.0, -excess), best_throughput(excess, spread, k)
    best, place = math.inf, 0
    for i in range(GRID + 1):
        time = response(low + (high - low) * i / GRID, excess, spread, k, packets, round_trip, capacity)
        if time < best:
            best, place = time, i
    if place == 0:  # nothing is lost, and every loss would cost a round trip
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
    """One packet first, to learn of the path; or a rate from the beginning."""
    if flow.start_rate > 0.0:
        flow.header[0] = flow.start_rate
        return flow.start_rate
    flow.window = 1.0
    return math.inf


def ack(flow, event):
    """A new choice, if the packet has passed a switch that tells, at most once in a share of the round trip."""
    if event.header[3] <= 0.0:
        return flow.rate
    flow.excess, flow.spread, flow.capacity = event.header[1], event.header[2], event.header[3]
    if event.now < flow.again:
        if event.rtt == 0.0:  # a note of a switch, which speaks only when something has changed
            flow.alarm = flow.again
        return flow.rate
    return choose(flow, event)


def alarm(flow, event):
    """What a switch said too soon after the last choice."""
    return choose(flow, event)


@part
def choose(flow, event):
    """The rate that suits what was told last."""
    round_trip = flow.srtt if flow.srtt > 0.0 else event.rtt
    flow.again = event.now + flow.spacing * round_trip
    excess, spread, capacity, k = flow.excess, flow.spread, flow.capacity, flow.k
    if flow.response > 0.0:
        left = float(flow.packets if flow.whole > 0.0 else flow.packets - flow.acks_received)
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


@part
def takes_red(flow):
    """Return whether the next packet leaves red: a share of them, at random or as evenly as can be."""
    if flow.colours < 2.0:
        return random(flow) < flow.red
    flow.red_owed += flow.red
    if flow.red_owed < 1.0:
        return False
    flow.red_owed -= 1.0
    return True


def send(flow, packet):
    """Colour the packet: as many leave red as are expected to be lost (sec. 2.3)."""
    if flow.red > 0.0 and takes_red(flow):
        packet.colour = RED
    return 0


def timeout(flow, event):
    """Nothing but what the switches say changes the rate (0.3).

    Where P is 1, though, all packets are lost and with them what the switches say: the source would never hear again.
    With `restart` it begins anew, with a packet that declares no rate and is therefore let through.
    """
    if flow.restart > 0.0:
        flow.header[0] = 0.0
        flow.red = 0.0
        flow.window = 1.0
        flow.again = 0.0
        return math.inf
    return flow.rate


LOSS_LOAD = Scheme(
    "loss-load",
    start=start,
    ack=ack,
    timeout=timeout,
    alarm=alarm,
    send=send,
    controls="rate",
    stamped=True,
    parameters={
        "k": Parameter(10.0, "1", "(0, 50]", about="as the switches have it"),
        "response": Parameter(0.0, "1", "{0, 1}", about="0: most throughput, 1: least time"),
        "whole": Parameter(0.0, "1", "{0, 1}", about="that time is of 0: what is left of the file, 1: all of it"),
        "spacing": Parameter(0.25, "round trips", "[0, 1e3]", about="between two choices"),
        "start_rate": Parameter(0.0, "bytes/s", "[0, 1e15]", about="0: one packet first"),
        "colours": Parameter(1.0, "1", "{0, 1, 2}", about="0: none, 1: at random, 2: evenly"),
        "access_rate": Parameter(math.inf, "bytes/s", "(0, inf]", about="greatest rate that it chooses"),
        "round": Parameter(1.0, "round trips", "[0, 1e3]", about="what sending lost packets again costs"),
        "restart": Parameter(1.0, "1", "{0, 1}", about="after a timeout 0: go on, 1: begin anew"),
        "tokens": Parameter(5.0, "packets", "[1, 1e9]", "pool", about="how many may leave at once after a pause"),
        **timers.PARAMETERS,
    },
    state={
        "again": 0.0,  # no new choice before this time [s]
        "choice": 0.0,  # the last one [share of the capacity] and its expected loss
        "loss": 0.0,
        "excess": 0.0,  # what was told last
        "spread": 0.0,
        "capacity": 0.0,  # bytes/s
        "red": 0.0,  # share of the packets that leave red, and what is owed of the next one
        "red_owed": 0.0,
    },
    source="Prithviraj & Williamson, sec. 2.2 and 2.3; Williamson, SIGCOMM 1993; schemes.md 14",
)
