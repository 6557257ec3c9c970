"""Simulation of networks, once or in several replications on several threads, with everything needed to repeat it."""

from __future__ import annotations

import functools
import math
import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.domains import conflict, generator, out_of_range, wrong_type
from longfat.base.labelled import made_by
from longfat.base.progress import bar
from longfat.replication import replicate
from longfat.sim import queues
from longfat.sim.kernel.records import NOT_ECT, SECOND
from longfat.sim.network.network import Network
from longfat.sim.network.options import RUN_OPTIONS
from longfat.sim.runs import results
from longfat.sim.runs.captures import MOST, captured
from longfat.sim.runs.engine import LONGEST as LIMIT
from longfat.sim.runs.engine import Simulation
from longfat.sim.runs.results import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import xarray as xr

LONGEST = 1e6  # limit for a run that ends when all files are transferred [s]
ROUNDING = 0.01  # relative rounding error of a transmission time, above which there is a remark; our choice
#: In one call a thread simulates at most MOST_RUNS runs. Each thread is called about CALLS times, to keep all threads
#: busy until the end. A call costs some 0.1 ms, a tenth of a short run.
MOST_RUNS, CALLS = 64, 8


def run(
    net: Network | Sequence[Network],
    *,
    duration: float | str | None = None,
    warm_up: float | str = 0.0,
    replications: int = 1,
    confidence: float = 0.95,
    sample_every: float | str | None = None,
    pcap: str | Path | None = None,
    qlog: str | Path | None = None,
    trace_packets: int = MOST,
    rng: Any = None,
    progress: bool = True,
) -> xr.Dataset:
    """Simulate a network, or each of several networks, packet by packet.

    Parameters
    ----------
    net : Network or sequence of Network
        Links and flows. The networks of a sequence are simulated on all cores, each with random numbers of its own:
        those of the k-th network are from the k-th child of `rng`.
    duration : float or str, optional
        Simulated time [s]; if absent, the run ends when every file is transferred.
    warm_up : float or str
        Time after which counting begins [s]; transfer times are measured from the flow's start in any case.
    replications : int
        Number of independent runs, simulated on all cores. If the first run draws no random number, the others would be
        identical: only one is simulated, and the intervals are NaN.
    confidence : float
        Confidence level of the intervals [probability], in (0, 1); with one replication there are none.
    sample_every : float or str, optional
        Interval between the samples of the traces of the first run [s]: ``window_trace``, ``rate_trace``,
        ``received_trace``, ``srtt_trace``, ``queue_trace``, ``arrived_trace``.
    pcap : str or Path, optional
        Directory for senders.pcap and receivers.pcap: the packets of the first run as they pass its hosts, with
        IPv4, TCP and UDP headers.
    qlog : str or Path, optional
        Directory for a file NAME.sqlog of each flow with a scheme: its windows, losses and round trips in the first
        run.
    trace_packets : int
        Number of packets in senders.pcap, data and acknowledgments, after which all captures end.
    rng : None, int, SeedSequence or Generator
        Seed of the random numbers; the same seed gives the same result on every machine.
    progress : bool
        Show a progress bar if the simulation takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Per flow: ``transfer_time`` [s], ``goodput`` [bytes/s], ``delivered``, ``sent``, ``retransmitted``, ``dropped``
        [packets], ``loss`` [1], ``mean_delay`` [s], ``timeouts`` [1], ``marks`` [packets], ``connections`` [1],
        ``fairness`` [1]. Per link: ``utilisation`` [1], ``mean_queue``, ``max_queue`` [packets], ``mean_wait`` [s],
        ``arrived``, ``link_dropped``, ``link_marked`` [packets], ``throughput`` [bytes/s]. For all flows together:
        ``jain_index`` [1], the fairness index of the goodputs. If `replications` is above 1, each variable ``x`` has a
        confidence interval, ``x_lower`` to ``x_upper``, NaN if the attribute ``deterministic`` is 1; intervals are cut
        at 0, those of ``loss``, ``fairness``, ``utilisation`` and ``jain_index`` also at 1. The attribute ``remark``
        names schemes that get no feedback, because their path lacks the discipline of the same name, such as "xcp";
        disciplines that mark no packet, because no flow is ECN-capable; and links where rounding to nanoseconds
        changes a packet's transmission time by more than 1 %.

        For a sequence of networks each variable also has the dimension ``network``. A flow or link that a network does
        not have is NaN there. The attributes of each network, such as ``duration`` and ``deterministic``, become
        coordinates along ``network``; the coordinate ``scenario`` has the text of the scenario file.

    Raises
    ------
    ValueError
        For values outside their ranges, a run that cannot end, and plug-ins that fail. The message names a network of a
        sequence by its position, such as ``net[3]``.
    KeyboardInterrupt
        On Ctrl-C; the message has the time simulated so far. The results are lost: use `Simulation` to keep them.

    Notes
    -----
    Every event after the warm-up counts, whenever its packet was sent: ``loss`` is dropped/(dropped + received),
    ``mean_delay`` is the mean over received packets, ``mean_wait`` is the mean over packets whose transmission began.
    Packets in flight at the end are in none of these; therefore ``loss`` is in [0, 1], and no mean time exceeds the
    duration. The time over which ``goodput`` is measured begins at the later of the flow's start and the end of the
    warm-up. It ends with the acknowledgment of the last byte or, for a flow that stops, at the later of its stop and
    the last arrival.

    The attribute ``deterministic`` is 1 if no random number was drawn; ``replications`` is the number of simulated
    runs, ``replications_asked`` the number requested.

    Packets are conserved: sent = received + dropped + in flight at the end, or a RuntimeError is raised. The totals of
    all runs, from time 0 on, are the attributes ``packets_sent``, ``packets_received``, ``packets_dropped``,
    ``packets_in_flight`` of data packets, and ``packets_acks_sent`` and so on of acknowledgments.

    A trace (`pcap`, `qlog`) ends early after `trace_packets` packets, or if the disk is full; then there is a
    UserWarning, and the results are complete. The dataset has the attributes ``trace_packets``, ``trace_until`` [s] and
    ``trace_end``, the reason.

    Examples
    --------
    >>> net = Network()
    >>> _ = net.link("a", "b", rate="40 Mbit/s", delay="22 ms", buffer=440, duplex=True)
    >>> _ = net.flow("reno", path=["a", "b"], packet=500, file="2 MB", parameters={"initial_ssthresh": 440})
    >>> data = run(net, rng=1)
    >>> round(float(data.transfer_time.sel(flow="reno-1")), 2)
    0.79

    The goodput of Reno with three buffers, in one call:

    >>> def path(buffer):
    ...     net = Network().link("a", "b", rate="8 Mbit/s", delay="50 ms", buffer=buffer, duplex=True)
    ...     return net.flow("reno", path=["a", "b"])
    >>> data = run([path(buffer) for buffer in (10, 30, 100)], duration="60 s", warm_up="10 s", rng=1)
    >>> data.goodput.dims, (data.utilisation.sel(link="a-b") > 0.9).values.tolist()
    (('network', 'flow'), [False, True, True])
    """
    given = {"duration": duration, "warm_up": warm_up, "replications": replications, "confidence": confidence}
    if not isinstance(net, Network):
        if sample_every is not None or pcap is not None or qlog is not None:
            raise conflict("a list of networks", "excludes sample_every, pcap and qlog", "trace one network by itself")
        data = results.together(_several(net, given, rng, progress))
    else:
        made, first = answer(
            net, sample_every=sample_every, pcap=pcap, qlog=qlog, trace_packets=trace_packets, rng=rng,
            progress=progress, **given,
        )  # fmt: skip
        data = made.dataset()
        if sample_every is not None:
            data = data.assign(results.traces(first, quantities.read("sample_every", sample_every, "s", "[0, inf)")))
    return made_by(data, "sim.run")


def answer(
    net: Network,
    *,
    sample_every: float | str | None = None,
    pcap: str | Path | None = None,
    qlog: str | Path | None = None,
    trace_packets: int = MOST,
    rng: Any = None,
    progress: bool = True,
    **given: Any,
) -> tuple[Answer, Simulation]:
    """Return the results of `run` for one network without loading xarray, and the network's first simulation."""
    plan = Plan(net, generator(rng), **given)
    every = None if sample_every is None else RUN_OPTIONS["sample_every"].read("sample_every", sample_every)
    if every is not None and plan.duration is None:
        raise conflict("sample_every", "needs a duration", "give duration [s]")
    first = Simulation(net, rng=plan.streams[0], sample_every=every, duration=plan.until)
    first.prepare()  # called here, so that code is compiled once and an error is reported once
    with captured(first, pcap, qlog, trace_packets) as capture:
        [outcomes] = simulate([plan], progress, first)
    made = _made(plan, outcomes)
    if capture is not None:
        made.attrs.update(trace_packets=capture.packets, trace_until=capture.until, trace_end=capture.end)
        if capture.end:
            warnings.warn(capture.end, UserWarning, stacklevel=3)
    return made, first


def _several(nets: Sequence[Network], options: dict[str, Any], rng: Any, progress: bool) -> list[Answer]:
    """Return the results of several networks; `options` are those of `Plan`."""
    if isinstance(nets, str) or not isinstance(nets, Iterable):
        raise wrong_type("net", nets, "a Network or a sequence of Networks")
    given = list(nets)
    if not given:
        raise out_of_range("net", given, "1", "one network or more")
    for k, net in enumerate(given):
        if not isinstance(net, Network):
            raise wrong_type(f"net[{k}]", net, "a Network")
    random = generator(rng)
    streams = random.spawn(len(given))
    plans = [Plan(net, streams[k], **options, called=f"net[{k}]") for k, net in enumerate(given)]
    found = simulate(plans, progress)
    return [_made(plan, outcomes) for plan, outcomes in zip(plans, found, strict=True)]


def _made(plan: Plan, runs: list[Answer]) -> Answer:
    """Return the results of all runs of a network, with everything needed to repeat them."""
    first = runs[0].attrs

    def total(name: str) -> Any:
        return sum(run.attrs[name] for run in runs)

    attrs = {
        "network": plan.net.to_toml(),
        "duration": max(run.attrs["duration"] for run in runs) if plan.duration is None else plan.duration,
        "warm_up": plan.warm_up,
        "replications": len(runs),
        "replications_asked": plan.replications,
        "deterministic": first["deterministic"],
        "confidence": plan.confidence,
        "entropy": str(getattr(plan.random.bit_generator.seed_seq, "entropy", "unknown")),
        "events": total("events"),
        "wall_time": total("wall_time"),
        "conservation": "sent = received + dropped + in_flight",
        **{name: total(name) for name in first if name.startswith("packets_")},
        "version": __version__,
    }
    if first["remark"]:
        attrs["remark"] = first["remark"]
    values = results.over_replications([run.values for run in runs], plan.confidence, plan.replications > 1)
    return Answer(values, runs[0].flow, runs[0].link, attrs)


@dataclass
class Plan:
    """Plan of the runs of one network: options, which are checked here, and the random streams of the replications.

    Without a duration every flow needs a file, and a run ends when the last file is transferred.
    """

    net: Network
    random: np.random.Generator  # its children are the streams of the replications
    duration: Any = None  # s; None: until every file is transferred
    warm_up: Any = 0.0  # s
    replications: int = 1
    confidence: float = 0.95
    called: str = ""  # name of the network in error messages if there are several
    streams: list[np.random.Generator] = field(init=False)

    def __post_init__(self) -> None:
        if self.duration is not None:
            self.duration = quantities.read("duration", self.duration, "s", f"(0, {LIMIT:g}]")
        self.warm_up = quantities.read("warm_up", self.warm_up, "s", "[0, inf)")
        if self.warm_up >= self.until:
            raise out_of_range("warm_up", self.warm_up, "s", f"[0, {self.until:g}), below the duration")
        self.replications = RUN_OPTIONS["replications"].read("replications", self.replications)
        self.confidence = RUN_OPTIONS["confidence"].read("confidence", self.confidence)
        self.streams = self.random.spawn(self.replications)
        if self.duration is None:
            flows = [flow for flow in self.net.flows if flow.traffic is None]
            endless = [flow.name for flow in flows if flow.file is None and flow.stop == math.inf]
            if endless or not any(flow.file is not None for flow in flows):
                what = f"flow {endless[0]!r} never ends" if endless else "no flow has a file"
                raise ValueError(
                    f"{self.called and self.called + ': '}duration is absent and {what}: give duration [s] in "
                    f"(0, {LIMIT:g}], or files to all flows"
                )

    @property
    def until(self) -> float:
        """Time at which runs end at the latest [s]."""
        return LONGEST if self.duration is None else float(self.duration)


def simulate(plans: list[Plan], progress: bool, first: Simulation | None = None) -> list[list[Answer]]:
    """Simulate all runs of all networks, and return the results of each run by network.

    If the first run of a network draws no random number, only this run is simulated. `first` is the first run of the
    first network, if that run is already assembled.
    """
    pairs = [(k, r) for k, plan in enumerate(plans) for r in range(plan.replications)]
    size = max(1, min(MOST_RUNS, len(pairs) // (CALLS * (os.cpu_count() or 1))))
    blocks = [pairs[begin : begin + size] for begin in range(0, len(pairs), size)]
    outcomes: list[dict[int, Answer]] = [{} for _ in plans]
    shown = [0.0] * len(blocks)  # time that each block has simulated [s]

    def simulate_block(number: int, tell: Callable[[], None]) -> None:
        plain, of, before = None, -1, 0.0  # run to copy, number of its network, time simulated by earlier runs [s]

        def advanced(now: float) -> None:
            lasts = shown[number] > before
            shown[number] = before + now
            if lasts:  # a run that ends with its first call of the kernel needs no progress bar
                tell()

        for k, r in blocks[number]:
            plan = plans[k]
            if r > 0 and 0 in outcomes[k] and outcomes[k][0].attrs["deterministic"]:
                continue
            try:
                if first is not None and (k, r) == (0, 0):
                    run = first
                elif plan.replications == 1:
                    run = Simulation(plan.net, rng=plan.streams[0])
                else:
                    if plain is None or of != k:
                        plain, of = Simulation(plan.net), k
                    run = plain.again(plan.streams[r])
                outcomes[k][r] = _simulate(run, plan, advanced, remarked=r == 0)
            except (ValueError, TypeError, RuntimeError) as error:
                if not plan.called:
                    raise
                raise type(error)(f"{plan.called}: {error}") from error
            before += run.now

    total = None if any(plan.duration is None for plan in plans) else sum(plans[k].until for k, _ in pairs)
    with ExitStack() as stack:

        @functools.cache
        def shown_bar() -> Any:
            return stack.enter_context(bar(task="simulating", unit="s", shown=progress, total=total))

        def update(_: int = 0) -> None:
            shown_bar().update(sum(shown) - shown_bar().n)

        try:
            if len(blocks) == 1:  # starting a thread takes as long as a short run
                simulate_block(0, update)
            else:
                replicate(lambda number: simulate_block(number, lambda: None), range(len(blocks)), progress=update)
        except KeyboardInterrupt:
            of = "" if total is None else f" of {total:g} s"
            raise KeyboardInterrupt(f"{sum(shown):.6g} s{of} were simulated; the results are lost") from None
    return [[one[0]] if one[0].attrs["deterministic"] else [one[r] for r in sorted(one)] for one in outcomes]


def _simulate(run: Simulation, plan: Plan, advanced: Callable[[float], None], *, remarked: bool) -> Answer:
    """Simulate one run and return its results; call `advanced` with the simulated time [s] as the run proceeds.

    The results have a remark only if `remarked` is true: all replications would have the same remark.
    """
    to_the_end = plan.duration is None
    before = None
    if plan.warm_up:
        run.advance(plan.warm_up, advanced)
        before = results.snapshot(run)
    run.advance(plan.until, advanced, to_the_end=to_the_end)
    if to_the_end and not run.all_done():
        raise ValueError(
            f"duration is absent and not every file is transferred after {plan.until:g} s: {run.progress_summary()}; "
            "give duration [s]"
        )
    values = results.measure(run, before, results.snapshot(run))
    attrs = {
        "duration": run.now,
        "deterministic": int(not run.drew),
        "events": int(run.state.row.events),
        "wall_time": run.wall_time,
        **{f"packets_{name}": count for name, count in run.packet_counts().items()},
        "remark": _remark(plan.net, run) if remarked else "",
    }
    return Answer(values, run.state.flow_names, run.state.link_names, attrs)


def _remark(net: Network, run: Simulation) -> str:
    """Return remarks on schemes that get no feedback, disciplines that mark no packet, and rounded times."""
    return "; ".join([*_without_feedback(net), *_without_ecn(net, run), *_rounded(net)])


def _without_feedback(net: Network) -> list[str]:
    """Return a remark on each scheme that needs a discipline of the same name, which no link of its path has."""
    names: dict[str, str] = {}  # scheme -> the first of its flows
    for flow in net.flows:
        scheme = flow.scheme
        if scheme is None or scheme.name not in queues.NAMED:
            continue
        if all(link.discipline.name != scheme.name for link in net.route(flow)):
            names.setdefault(scheme.name, flow.names[0])
    return [
        f"scheme {name!r} of flow {flow!r} gets no feedback: no link of its path has discipline {name!r}"
        for name, flow in names.items()
    ]


def _without_ecn(net: Network, run: Simulation) -> list[str]:
    """Return a remark on disciplines, if any, that mark no packet because no flow on their link is ECN-capable."""
    found = []
    capable: dict[str, bool] = {}
    for link in net.links.values():
        if not link.discipline.only_marks:
            continue
        capable = capable or dict(zip(run.state.flow_names, run.state.senders["ect"] != NOT_ECT, strict=False))
        flows = [flow for flow in net.flows if flow.scheme is not None and link in net.route(flow)]
        if flows and not any(capable[name] for flow in flows for name in flow.names):
            found.append(f"discipline {link.discipline.name!r} of link {link.name!r}")
    if not found:
        return []
    return [f"no packet is marked by {', '.join(found)}: no flow is ECN-capable (ecn = 1 or ect among its parameters)"]


def _rounded(net: Network) -> list[str]:
    """Return a remark on each link where rounding to nanoseconds changes a transmission time by over `ROUNDING`."""
    smallest = min(flow.packet for flow in net.flows)
    fast = {link.name for link in net.links.values() if link.fastest * 0.5 / SECOND > ROUNDING * smallest}
    found: dict[str, tuple[float, str]] = {}
    for flow in net.flows if fast else ():
        for link in net.route(flow):
            if link.name not in fast:
                continue
            exact = flow.packet / link.fastest * SECOND
            error = abs(round(exact) / exact - 1)
            if error > max(ROUNDING, found.get(link.name, (0.0, ""))[0]):
                what = f"{flow.packet} bytes, {exact:.3g} ns, by {100 * error:.2g} %"
                found[link.name] = error, f"link {link.name!r} rounds the time of {what}: the clock counts nanoseconds"
    return [words for _, words in found.values()]
