"""Common topologies: the class methods `dumbbell`, `chain` and `parking_lot` of `Network`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from longfat.base import domains
from longfat.base.domains import integer
from longfat.sim.network.traffic import Traffic
from longfat.sim.schemes.scheme import Scheme

if TYPE_CHECKING:
    from longfat.sim.network.network import Network


def dumbbell(
    cls: type[Network],
    /,
    schemes: Sequence[str | Scheme | Traffic],
    *,
    name: str = "dumbbell",
    rate: float | str,
    delay: float | str = 0.0,
    buffer: int | str | None = None,
    discipline: Any = "fifo",
    access_rate: float | str = math.inf,
    access_delay: float | str | Sequence[float | str] = 0.0,
    **flow: Any,
) -> Network:
    """Return a dumbbell: pairs of hosts, one flow for each pair, and a bottleneck from "left" to "right".

    Parameters
    ----------
    schemes : sequence of str, Scheme or Traffic
        Scheme or generator of each flow; flow k goes from "source-k" through "left" and "right" to "sink-k".
    name : str
        Title of the network.
    rate, delay, buffer, discipline
        Properties of the bottleneck in both directions, as in `Network.link`.
    access_rate : float or str
        Rate of the hosts' links [bytes/s]; these links have unbounded buffers.
    access_delay : float, str or a sequence of these, one for each pair
        Propagation delay of each of the hosts' links [s], of which a path has two.
    **flow
        Arguments of `Network.flow` for all flows.

    Examples
    --------
    >>> from longfat.sim import Network
    >>> Network.dumbbell(["reno", "vegas"], rate="10 Mbit/s", delay="20 ms", buffer=50, access_delay=["1 ms", "30 ms"])
    Network('dumbbell', 6 nodes, 10 links, 2 flows)
    """
    if isinstance(schemes, str):
        schemes = [schemes]
    delays = [access_delay] * len(schemes) if isinstance(access_delay, str | int | float) else list(access_delay)
    if len(delays) != len(schemes):
        raise domains.out_of_range(
            "access_delay", repr(access_delay), "1", f"one delay or {len(schemes)}, one for each scheme"
        )
    net = cls(name)
    net.link("left", "right", rate=rate, delay=delay, buffer=buffer, discipline=discipline, duplex=True)
    for k, (scheme, own) in enumerate(zip(schemes, delays, strict=True), 1):
        net.link(f"source-{k}", "left", rate=access_rate, delay=own, duplex=True)
        net.link("right", f"sink-{k}", rate=access_rate, delay=own, duplex=True)
        net.flow(scheme, path=[f"source-{k}", "left", "right", f"sink-{k}"], **flow)
    return net


def chain(cls: type[Network], /, hops: int, *, name: str = "chain", **link: Any) -> Network:
    """Return a chain without flows: nodes n0, n1, ..., and equal links in both directions between neighbours.

    Parameters
    ----------
    hops : int
        Number of links in each direction.
    name : str
        Title of the network.
    **link
        Properties of each link, as in `Network.link`.

    Examples
    --------
    >>> from longfat.sim import Network
    >>> Network.chain(3, rate="10 Mbit/s", delay="5 ms", buffer=20).nodes
    ('n0', 'n1', 'n2', 'n3')
    """
    hops = integer("hops", hops, "links", "[1, 1e6]")
    net = cls(name)
    for tail, head in pairwise(f"n{k}" for k in range(hops + 1)):
        net.link(tail, head, **{"duplex": True} | link)
    return net


def parking_lot(
    cls: type[Network],
    /,
    hops: int,
    scheme: str | Scheme,
    *,
    name: str = "parking lot",
    rate: float | str,
    delay: float | str = 0.0,
    buffer: int | str | None = None,
    discipline: Any = "fifo",
    cross: str | Scheme | Traffic | None = None,
    **flow: Any,
) -> Network:
    """Return a chain with one flow over all links ("long") and one flow over each link ("cross-1" and so on).

    Parameters
    ----------
    hops : int
        Number of links in each direction.
    scheme : str or Scheme
        Scheme of the long flow.
    name : str
        Title of the network.
    rate, delay, buffer, discipline
        Properties of each link in both directions, as in `Network.link`.
    cross : str, Scheme or Traffic, optional
        Scheme or traffic of the other flows; by default the scheme of the long flow.
    **flow
        Arguments of `Network.flow` for all flows.

    Examples
    --------
    >>> from longfat.sim import Network
    >>> [flow.name for flow in Network.parking_lot(2, "reno", rate="10 Mbit/s", delay="5 ms").flows]
    ['long', 'cross-1', 'cross-2']
    """
    net = chain(cls, hops, name=name, rate=rate, delay=delay, buffer=buffer, discipline=discipline)
    net.flow(scheme, path=net.nodes, name="long", **flow)
    for k, pair in enumerate(pairwise(net.nodes), 1):
        net.flow(scheme if cross is None else cross, path=pair, name=f"cross-{k}", **flow)
    return net
