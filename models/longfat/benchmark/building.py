"""Construction of the benchmark's networks, from a variant of an experiment and an entry (scheme and switches)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from longfat.benchmark.entries import Entry
from longfat.benchmark.experiments import Variant
from longfat.sim import queues, schemes
from longfat.sim.network import scenario
from longfat.sim.network.network import Network
from longfat.sim.switch.round_trip_probe import round_trip_probe

if TYPE_CHECKING:
    from longfat.sim.network.elements import Flow, Link


def build(variant: Variant, entry: Entry | None = None, *, probe: bool = True) -> Network:
    """Return the network of a variant of an experiment, with the scheme and the queue disciplines of an entry.

    Parameters
    ----------
    variant : Variant
        Variant, such as one of `longfat.benchmark.VARIANTS`.
    entry : Entry, optional
        Scheme of the flows; without an entry the flows are uncontrolled.
    probe : bool
        Whether to include the source of probe packets, if the experiment and the entry have one.

    Returns
    -------
    longfat.sim.Network
        Flows "1", "2", ... of the connections; and "probe", the flow of probe packets, whose acknowledgments pass the
        discipline `round_trip_probe` on their last link.

    Examples
    --------
    >>> from longfat.benchmark import ENTRIES, VARIANTS
    >>> build(VARIANTS["1"], ENTRIES["hop-by-hop"])
    Network('Kanakia, Keshav & Mishra (1992), experiment 1', 51 nodes, 100 links, 12 flows)
    """
    found: dict[str, Any] = {"scheme": schemes.scheme("constant"), "bottleneck": queues.FIFO, "switch": queues.FIFO}
    if entry is not None:
        found = {"scheme": schemes.scheme(entry.scheme), **entry.disciplines()}
    found["round-trip-probe"] = round_trip_probe()
    parsed, _ = scenario.parse(variant.text(), lambda name: found.get(name.removeprefix("benchmark:")))
    made = Network(parsed.name)
    made.links = dict(parsed.links)
    probe = probe and (entry is None or entry.probe)
    made.flows = [_insert(flow, entry, made) for flow in parsed.flows if probe or flow.name != "probe"]
    return made


def _insert(flow: Flow, entry: Entry | None, net: Network) -> Flow:
    """Return the flow with the entry's scheme parameters and with its path extended by the entry's `hops` switches."""
    if entry is None or (flow.scheme is None and not (entry.probe_hops and flow.name == "probe")):
        return flow
    first, second = flow.path[:2]
    path = (first, *[f"{first}.{k + 1}" for k in range(entry.hops)], *flow.path[1:])
    if (first, second) in net.links and entry.hops:
        _divide(net, path[: entry.hops + 2])
    if flow.scheme is None:
        return replace(flow, path=path)
    rate = net.links[path[0], path[1]].rate
    return replace(
        flow,
        path=path,
        parameters=schemes.check_parameters(flow.scheme, entry.parameters),
        send_jitter=entry.send_jitter,
        access_rate=rate if entry.access else flow.access_rate,
    )


def _divide(net: Network, nodes: tuple[str, ...]) -> None:
    """Replace the links between the first and the last node by links between all nodes, with the same total delay."""
    there, back = (net.links.pop(pair) for pair in ((nodes[0], nodes[-1]), (nodes[-1], nodes[0])))
    parts = len(nodes) - 1
    for k, (tail, head) in enumerate(pairwise(nodes)):
        for like, one, other in ((there if k == 0 else back, tail, head), (back, head, tail)):
            line: Link = replace(like, name=f"{one}-{other}", tail=one, head=other, delay=there.delay / parts)
            net.links[one, other] = line
