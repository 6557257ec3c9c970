"""Network and measurements of one run of the benchmark: transfer times of the connections, delays of single packets.

The optimal transfer times are those of a fluid model, whose flows have max-min fair shares of the links. In this model
a whole file is at its first slow link when it starts, and acknowledgments take a share of the slow links.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.benchmark.entries import OPTIMAL, Entry
from longfat.benchmark.experiments import Variant
from longfat.laws import fair_share
from longfat.sim import schemes
from longfat.sim.kernel.records import NEVER, SECOND
from longfat.sim.network import scenario
from longfat.sim.network.network import Network
from longfat.sim.runs.engine import Simulation
from longfat.sim.switch.round_trip_probe import round_trip_probe

if TYPE_CHECKING:
    from longfat.sim.network.elements import Flow, Link


LONGEST = 400.0  # s; files that are not complete by then have no transfer time
NUMBERS = ("transfer_time_1", "transfer_time_2", "delay_mean", "delay_std", "probes", "dropped", "timeouts", "random")


UNCONTROLLED = Entry("uncontrolled", "", "constant")


def build(variant: Variant, entry: Entry = UNCONTROLLED, *, probe: bool = True) -> Network:
    """Return the network of a variant of an experiment, with the scheme and the queue disciplines of an entry.

    Parameters
    ----------
    variant : Variant
        Variant, such as one of `longfat.benchmark.VARIANTS`.
    entry : Entry, optional
        Scheme of the flows; by default the flows are uncontrolled.
    probe : bool
        Whether to include the source of probe packets, if the experiment has one.

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
    found = {"scheme": schemes.scheme(entry.scheme), **entry.disciplines(), "round-trip-probe": round_trip_probe()}
    parsed, _ = scenario.parse(variant.text(), lambda name: found.get(name.removeprefix("benchmark:")))
    made = Network(parsed.name)
    made.links = dict(parsed.links)
    made.flows = [_insert(flow, entry, made) for flow in parsed.flows if probe or flow.name != "probe"]
    return made


def _insert(flow: Flow, entry: Entry, net: Network) -> Flow:
    """Return the flow with the entry's scheme parameters and with its path extended by the entry's `hops` switches."""
    if flow.scheme is None and not (entry.probe_hops and flow.name == "probe"):
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
    """Replace the links between the first and the last node by a chain through all nodes, with the same total delay."""
    there, back = (net.links.pop(pair) for pair in ((nodes[0], nodes[-1]), (nodes[-1], nodes[0])))
    parts = len(nodes) - 1
    for k, (tail, head) in enumerate(pairwise(nodes)):
        for like, one, other in ((there if k == 0 else back, tail, head), (back, head, tail)):
            line: Link = replace(like, name=f"{one}-{other}", tail=one, head=other, delay=there.delay / parts)
            net.links[one, other] = line


class _StepByStep(Simulation):
    """Simulation in which ``advance(..., to_the_end=True)`` returns whenever a file is complete."""

    def _unfinished(self) -> int:
        return 1


def measure(variant: Variant, entry: Entry, rng: Any = 0) -> dict[str, float]:
    """Run a variant once with one scheme; return transfer times [s], packet delays [s], and counts of packets.

    Parameters
    ----------
    variant : Variant
        Variant, such as one of `longfat.benchmark.VARIANTS`.
    entry : Entry
        Entry, such as one of `longfat.benchmark.ENTRIES`.
    rng : None, int, SeedSequence or Generator
        Source of randomness.

    Returns
    -------
    dict
        ``transfer_time_1``, ``transfer_time_2`` [s]; ``delay_mean``, ``delay_std``, mean and standard deviation of the
        probe packets' round-trip times until connection 1 is complete, minus the round-trip time of the empty network
        [s] (with `Entry.transmission`, minus the propagation time only); ``probes``, the number of these packets;
        ``dropped`` packets and ``timeouts`` of the connections; ``random``, 1 if any random number was drawn, otherwise
        all replications are the same. NaN where there is no value.

    Notes
    -----
    The delays come from a second run, with the same seed and with probe packets, unless the entry has `probe_beside`.
    The paper does not say whether its transfer times were measured beside probe packets. Here they are measured without
    probe packets, because the paper's optimal times exclude them, the paper prints no delays for TCP and DECbit, and
    one definition then holds for all schemes. Table 4.7a does not answer the question (figures/kkm/choices.py), and
    table 4.6 has unequal times for the two directions of hbh, pp and e2e-ef.
    """
    made = dict.fromkeys(NUMBERS, math.nan)
    if entry.name == OPTIMAL:
        made |= {f"transfer_time_{name}": float(time) for name, time in optimal(variant).items()}
        return made | {"dropped": 0.0, "timeouts": 0.0, "random": 0.0}
    alike = deepcopy(rng)
    made |= _run(variant, entry, rng, variant.connections, probe=entry.probe_beside)
    if variant.probed and not entry.probe_beside:
        beside = _run(variant, entry, alike, variant.connections[:1], probe=True)
        made |= {name: beside[name] for name in ("delay_mean", "delay_std", "probes") if name in beside}
        made["random"] = max(made["random"], beside["random"])
    return made


def _run(variant: Variant, entry: Entry, rng: Any, connections: tuple[str, ...], *, probe: bool) -> dict[str, float]:
    """Run an experiment, with or without probe packets, until the files of the connections are complete."""
    made: dict[str, float] = {}
    net = build(variant, entry, probe=probe)
    run = _StepByStep(net, rng=rng)
    rows = [run.state.flow_names.index(name) for name in connections]
    seen: dict[str, float] = {}
    while run.now < LONGEST and (run.state.flows["finish"][rows] == NEVER).any():
        run.advance(LONGEST, to_the_end=True)
        if not seen and run.state.flows["finish"][rows[0]] != NEVER:
            seen = _delay(run, net, entry)
    run.packet_counts()
    flows = run.state.flows[rows]
    for name, flow in zip(connections, flows, strict=True):
        if flow.finish != NEVER:
            made[f"transfer_time_{name}"] = (int(flow.finish) - int(flow.start)) / SECOND
    counts = {name: float(flows[name].sum()) for name in ("dropped", "timeouts")}
    return made | seen | counts | {"random": float(run.drew)}


def _delay(run: Simulation, net: Network, entry: Entry) -> dict[str, float]:
    """Return mean and standard deviation [s] of the delays that the discipline `round_trip_probe` has recorded."""
    probe = next((flow for flow in net.flows if flow.name == "probe"), None)
    if probe is None:
        return {}
    there, back = net.route(probe), net.way_back(probe)
    number = run.state.link_names.index(back[-1].name)
    seen = round_trip_probe().columns.read(run.state.link_own, number, run.state.row.link_own_words)
    if seen.answers < 1:
        return {"probes": 0.0}
    # The discipline records a probe packet before the last link. The empty round trip therefore excludes the last link.
    empty = sum(link.delay for link in (*there, *back[:-1]))
    if entry.transmission:
        empty -= probe.ack / back[-1].rate
    else:
        empty += sum(probe.packet / link.rate for link in there) + sum(probe.ack / link.rate for link in back[:-1])
    mean = seen.total / seen.answers
    variance = max(0.0, seen.squares / seen.answers - mean**2)
    return {"delay_mean": float(mean - empty), "delay_std": float(np.sqrt(variance)), "probes": float(seen.answers)}


FAST = 12.5e6  # bytes/s; links of this rate take no transmission time in the fluid model


def optimal(variant: Variant, *, probe: bool = False) -> dict[str, Any]:
    r"""Return the transfer time [s] of each connection of a variant, if all flows send at their max-min fair rates.

    .. math:: T = t_{\text{finish}} - t_{\text{start}} + \tau

    The connection sends its file from t_start to t_finish, and tau is its round-trip propagation time.

    Parameters
    ----------
    variant : Variant
        Variant, such as one of `longfat.benchmark.VARIANTS`.
    probe : bool
        Whether the probe packets use capacity of the slow links; by default not, as in the paper's optimal times.

    Examples
    --------
    >>> from longfat.benchmark import VARIANTS
    >>> {name: float(time) for name, time in optimal(VARIANTS["4"]).items()}
    {'1': 1.844, '2': 1.882}

    References
    ----------
    Kanakia, Keshav & Mishra (1992), section 4, rows "optimal".
    """
    net = build(variant, probe=probe)
    slow = {link.name: Fraction(str(link.rate)) for link in net.links.values() if link.rate < FAST}
    flows = [_file(flow, net, slow) for flow in net.flows if flow.scheme is not None]
    loads = [_load(flow, net, slow) for flow in net.flows if flow.traffic is not None]
    names = [flow.name for flow in net.flows if flow.scheme is not None]
    times = dict(zip(names, fair_share.transfer_times(fair_share.Network(slow, flows, loads)), strict=True))
    return {name: times[name] for name in variant.connections}


def _exact(value: float) -> Fraction:
    return Fraction(repr(value)).limit_denominator(10**12)


def _file(flow: Flow, net: Network, slow: dict[str, Fraction]) -> fair_share.Flow:
    there, back = ([link.name for link in way if link.name in slow] for way in (net.route(flow), net.way_back(flow)))
    delay = sum((_exact(link.delay) for link in (*net.route(flow), *net.way_back(flow))), Fraction(0))
    return fair_share.Flow(
        there, _exact(flow.file or 0.0), start=_exact(flow.start), round_trip_time=delay,
        reverse_path=back, ack=Fraction(flow.ack, flow.packet),
    )  # fmt: skip


def _load(flow: Flow, net: Network, slow: dict[str, Fraction]) -> fair_share.Load:
    """Return a flow's uncontrolled traffic as fluid: on-off traffic by its on and off times, else by the mean rate.

    Acknowledgments of probe packets, which use 0.04 % of a slow link, are left out.
    """
    traffic = flow.traffic
    assert traffic is not None
    path = [link.name for link in net.route(flow) if link.name in slow]
    begin = _exact(flow.start)
    if traffic.off_time:
        on, off = _exact(traffic.on_time), _exact(traffic.off_time)
        return fair_share.Load(path, _exact(traffic.rate), times=[begin, begin + on], period=on + off)
    rate = traffic.rate or flow.packet / traffic.interval
    return fair_share.Load(path, _exact(rate), times=[begin] if begin else [])
