"""Welzl's networks (table I): competitors, the dumbbell, the parking lot, and paths that change.

Three links of 50 ms give a round trip of 300 ms. Packets have 1000 bytes; the bottleneck has 10 Mbit/s, other links
1000 Mbit/s; queues are drop-tail. The paper gives no queue limit; we take 50 packets, the default of ns-2, which it
used. Every packet leaves late by a uniform random time of up to one transmission time at 10 Mbit/s, which makes runs
random and breaks phase effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from longfat.laws.cadpc import network_equilibrium
from longfat.sim import Discipline, Network, queues, schemes
from longfat.sim.network import traffic

MBIT = 125_000.0  # bytes/s
CAPACITY = 10 * MBIT
ACCESS = 1000 * MBIT
LINK_DELAY = 0.05  # s
ROUND_TRIP = 6 * LINK_DELAY
PACKET = 1000  # bytes
BUFFER = 50  # packets
DURATION = 160.0  # s
PERIOD = 4 * ROUND_TRIP  # s, between two requests of a CADPC flow
BIG_BUFFER = round(CAPACITY * ROUND_TRIP / PACKET)  # packets, one bandwidth-delay product, for which XCP is designed
JITTER = 0.0008  # s
MIDDLE = "a-b"  # name of the bottleneck; "b-a" is the return link
PATH = ("s", "a", "b", "d")
#: First and last of three links of each flow, and its weight: three flows cross all links.
WEIGHTED = ((0, 2, 1.0), (0, 2, 2.0), (0, 2, 4.0), (0, 0, 3.0), (1, 1, 8.0), (2, 2, 5.0))


@dataclass(frozen=True)
class Competitor:
    """A scheme in the comparisons: its label, its name in `longfat.sim.schemes`, its parameters and its queue."""

    label: str
    scheme: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    discipline: str = "fifo"


# "gaimd" has alpha = 0.31 and beta = 7/8 by default. Packets are marked only by queues that do so, see `queue`.
COMPETITORS = (
    Competitor("CADPC", "cadpc"),
    Competitor("Reno", "reno", {"ecn": 1}),
    Competitor("SACK", "sack", {"ecn": 1}),
    Competitor("Vegas", "vegas", {"ecn": 1}),
    Competitor("RAP", "rap"),
    Competitor("GAIMD", "gaimd"),
    Competitor("TFRC", "tfrc"),
    Competitor("TEAR", "tear"),
    Competitor("XCP", "xcp", discipline="xcp"),
)
TCP = ("Reno", "SACK", "Vegas")  # labels of its flavours, as figure 3 has them
BY_LABEL = {one.label: one for one in COMPETITORS}


def competitors() -> list[str]:
    """Return the labels of CADPC and of the competitors in figure 3 that the simulator has.

    >>> competitors()[:4]
    ['CADPC', 'Reno', 'SACK', 'Vegas']
    """
    return [one.label for one in COMPETITORS if one.scheme in schemes.names() and one.label != "XCP"]


def queue(name: str, capacity: float = CAPACITY) -> str | Discipline:
    """Return a queue discipline of the comparisons by its name; RED (sized as in ns-2), REM and AVQ mark packets."""
    if name == "red":
        return queues.red_auto(capacity, delay=LINK_DELAY, packet=PACKET, ecn=True)
    return queues.discipline(name, ecn=True) if name in ("rem", "avq") else name


def bare_dumbbell(
    discipline: str | Discipline = "fifo",
    capacity: float = CAPACITY,
    *,
    buffer: int = BUFFER,
    link_delay: float = LINK_DELAY,
    back: Mapping[str, Any] | None = None,
    **link: Any,
) -> Network:
    """Return the three links of `dumbbell` without flows; ``back`` has arguments of the return link "b-a"."""
    net = Network()
    for tail, head in (("s", "a"), ("b", "d")):
        net.link(tail, head, rate=ACCESS, delay=link_delay, duplex=True)
    net.link("a", "b", rate=capacity, delay=link_delay, buffer=buffer, discipline=discipline, **link)
    return net.link("b", "a", delay=link_delay, **{"rate": capacity, **(back or {})})


def with_web(net: Network, load: float, capacity: float = CAPACITY) -> Network:
    """Add twenty web-like sources with a load of the bottleneck "a-b" [capacities]; return the network."""
    if load > 0:
        # A source sends for 1 s and pauses for 2 s on average, so it sends for a third of the time.
        pages = traffic.web(3 * load * capacity / 20, 1.0, 2.0)
        net.flow(pages, path=["a", "b"], name="web", packet=PACKET, count=20)
    return net


def dumbbell(
    label: str,
    flows: int = 10,
    capacity: float = CAPACITY,
    *,
    discipline: str | None = None,
    buffer: int = BUFFER,
    link_delay: float = LINK_DELAY,
    stagger: float = 0.0,
    loss_back: float = 0.0,
    rate_back: float | None = None,
    web: float = 0.0,
    send_jitter: float = JITTER,
    parameters: tuple[tuple[str, float], ...] = (),
    **link: Any,
) -> Network:
    """Return a network with flows of one kind over one bottleneck.

    Parameters
    ----------
    label : str
        Label in `COMPETITORS`.
    flows : int
        Number of flows.
    capacity : float
        Capacity of the bottleneck [bytes/s].
    discipline : str, optional
        Queue discipline of the bottleneck, see `queue`; by default the one that the scheme needs.
    buffer : int
        Buffer of the bottleneck [packets].
    link_delay : float
        Propagation delay of each of the three links [s].
    stagger : float
        Time between two starts [s].
    loss_back : float
        Loss probability on the return path, which for CADPC loses replies [probability].
    rate_back : float, optional
        Rate of the return link, with a buffer of `BUFFER` packets [bytes/s]; by default that of the bottleneck.
    web : float
        Offered load of twenty web-like sources at the bottleneck [capacities].
    send_jitter : float
        Longest random delay of a packet at its sender [s]; without one, equal starts show phase effects.
    parameters : tuple of (str, float)
        Parameters of the scheme other than those in `COMPETITORS`.
    link : object
        Further arguments of `Network.link` for the bottleneck.

    Returns
    -------
    longfat.sim.Network
        Bottleneck "a-b".

    Examples
    --------
    >>> dumbbell("Reno", 10)
    Network('', 4 nodes, 6 links, 10 flows)
    """
    one = BY_LABEL[label]
    chosen = queue(discipline or one.discipline, capacity)
    back = {"loss": loss_back} | ({} if rate_back is None else {"rate": rate_back, "buffer": BUFFER})
    net = bare_dumbbell(chosen, capacity, buffer=buffer, link_delay=link_delay, back=back, **link)
    net.flow(
        one.scheme, path=PATH, name="flow", packet=PACKET, count=flows, stagger=stagger, send_jitter=send_jitter,
        parameters={**one.parameters, **dict(parameters)},
    )  # fmt: skip
    return with_web(net, web, capacity)


def unequal_periods(equal_starts: bool, flows: int = 10, apart: float = 4.0, **parameters: float) -> Network:
    """Return the network of figure 2, right: flow i sends a request every 4 (i + 1) round trips.

    All flows start together, as in the paper, or ``apart`` seconds one after the other, the shortest period first.
    """
    net = bare_dumbbell()
    for k in range(flows):
        net.flow(
            "cadpc", path=PATH, name=f"flow-{k + 1}", packet=PACKET, start=0.0 if equal_starts else apart * k,
            send_jitter=JITTER, parameters={"period": 4.0 * (k + 1), **parameters},
        )  # fmt: skip
    return net


def weighted(weight: float = 2.0) -> Network:
    """Return a network with two flows of a weight beside three flows of weight one."""
    net = bare_dumbbell()
    for name, share, count in (("heavy", weight, 2), ("one", 1.0, 3)):
        net.flow("cadpc", path=PATH, name=name, packet=PACKET, count=count, send_jitter=JITTER,
                 parameters={"weight": share})  # fmt: skip
    return net


def unequal_round_trips(first: float = 0.01, step: float = 0.02, flows: int = 10) -> Network:
    """Return a network in which flow i has an access delay of ``first + i step`` [s].

    By default the round trips are 220 to 580 ms. A first delay of 50 ms and steps of 150 ms make flow i's round trip i
    + 1 times 300 ms.
    """
    net = Network()
    net.link("a", "b", rate=CAPACITY, delay=LINK_DELAY, buffer=BUFFER).link("b", "a", rate=CAPACITY, delay=LINK_DELAY)
    net.link("b", "d", rate=ACCESS, delay=LINK_DELAY, duplex=True)
    for k in range(flows):
        net.link(f"s{k}", "a", rate=ACCESS, delay=first + step * k, duplex=True)
        net.flow("cadpc", path=[f"s{k}", "a", "b", "d"], name=f"flow-{k + 1}", packet=PACKET, send_jitter=JITTER)
    return net


def parking_lot(label: str = "CADPC", first: int = 3, second: int = 1) -> Network:
    """Return a network with two bottlenecks of 10 Mbit/s.

    A long flow crosses both, ``first`` short flows cross the first one and ``second`` short flows the second one.
    """
    one, net = BY_LABEL[label], Network()
    for tail, head in (("a", "b"), ("b", "c")):
        net.link(tail, head, rate=CAPACITY, delay=LINK_DELAY, buffer=BUFFER, discipline=queue(one.discipline))
        net.link(head, tail, rate=CAPACITY, delay=LINK_DELAY)
    for name, path, count in (("long", "abc", 1), ("first", "ab", first), ("second", "bc", second)):
        net.flow(one.scheme, path=list(path), name=name, packet=PACKET, count=count, send_jitter=JITTER,
                 parameters=one.parameters)  # fmt: skip
    return net


def path_change(label: str = "CADPC", load: float = 0.5, begin: float = 60.0, end: float = 110.0) -> Network:
    """Return a network with ten flows whose path loses part of its capacity for a while.

    Routes do not change in the simulator; cross traffic takes the capacity, which looks the same to the flows.
    """
    net = dumbbell(label, 10)
    return net.flow(
        traffic.constant(load * CAPACITY), path=["a", "b"], name="other", packet=PACKET, start=begin, stop=end
    )


def mixing(until: float = 150.0) -> Network:
    """Return a network in which two groups of five flows, converged on different links, come to share one link.

    Cross traffic takes nine tenths of the first group's own link until the time ``until``. The first group therefore
    converges to low rates there, while the second one converges to high rates on the common link. When the cross
    traffic ends, the common link is the bottleneck of both.
    """
    net = Network()
    for group in "12":
        net.link(f"s{group}", "a", rate=CAPACITY, delay=LINK_DELAY, buffer=BUFFER)
        net.link("a", f"s{group}", rate=CAPACITY, delay=LINK_DELAY)
    net.link("a", "b", rate=CAPACITY, delay=LINK_DELAY, buffer=BUFFER).link("b", "a", rate=CAPACITY, delay=LINK_DELAY)
    net.link("b", "d", rate=ACCESS, delay=LINK_DELAY, duplex=True)
    for group in "12":
        net.flow("cadpc", path=[f"s{group}", "a", "b", "d"], name=f"group{group}", packet=PACKET, count=5,
                 send_jitter=JITTER)  # fmt: skip
    return net.flow(traffic.constant(0.9 * CAPACITY), path=["s1", "a"], name="other", packet=PACKET, stop=until)


def three_links(
    starts: Sequence[float] = (0.0,) * len(WEIGHTED), *, delay: float = LINK_DELAY, buffer: int = BUFFER,
    **flow: Any,
) -> Network:  # fmt: skip
    """Return three bottlenecks in a row with the flows of `WEIGHTED`; ``flow`` has arguments of `Network.flow`."""
    net, nodes = Network(), "abcd"
    for tail, head in pairwise(nodes):
        net.link(tail, head, rate=CAPACITY, delay=delay, buffer=buffer).link(head, tail, rate=CAPACITY, delay=delay)
    for k, ((first, last, weight), start) in enumerate(zip(WEIGHTED, starts, strict=True)):
        net.flow("cadpc", path=list(nodes[first : last + 2]), name=f"flow-{k + 1}", start=start,
                 parameters={"weight": weight}, **{"packet": PACKET, "send_jitter": JITTER} | flow)  # fmt: skip
    return net


def weighted_rates() -> list[float]:
    """Return the rates of the flows of `three_links` by the law, over the rate of a link."""
    routes = [[float(first <= link <= last) for first, last, _ in WEIGHTED] for link in range(3)]
    return [float(rate) for rate in network_equilibrium(routes, 1.0, [weight for *_, weight in WEIGHTED])]


def hidden_bottleneck(
    answers: bool | str, starts: Sequence[float] = (0.0,) * 10, *, delay: float = LINK_DELAY, buffer: int = BUFFER,
    **flow: Any,
) -> Network:  # fmt: skip
    """Return three links, the second, "b-c", with half the rate, which one router or none reports.

    The router in front of that link reports it if ``answers`` is true, the one behind it if it is "incoming". The flows
    start at ``starts`` [s]; ``flow`` has further arguments of `Network.flow`.
    """
    net, nodes = Network(), "abcd"
    for k, (tail, head) in enumerate(pairwise(nodes)):
        rate = CAPACITY if k == 1 else 2 * CAPACITY
        net.link(tail, head, rate=rate, delay=delay, buffer=buffer, stamps=answers if k == 1 else True)
        net.link(head, tail, rate=rate, delay=delay)
    for k, start in enumerate(starts):
        net.flow("cadpc", path=list(nodes), name=f"flow-{k + 1}", start=start,
                 **{"packet": PACKET, "send_jitter": JITTER} | flow)  # fmt: skip
    return net
