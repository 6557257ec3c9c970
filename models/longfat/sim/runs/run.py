"""Simulation of a network, once or in several replications, with everything needed to repeat it."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.domains import conflict, generator
from longfat.replication import replicate
from longfat.sim.kernel.records import NOT_ECT
from longfat.sim.network.network import Network
from longfat.sim.network.options import RUN_OPTIONS
from longfat.sim.runs import results, statistics
from longfat.sim.runs.captures import MOST, captured
from longfat.sim.runs.engine import LONGEST as LIMIT
from longfat.sim.runs.engine import Simulation

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

LONGEST = 1e6  # s, longest run that ends when all files are transferred


def run(
    net: Network,
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
    """Simulate a network, packet by packet.

    Parameters
    ----------
    net : Network
        Links and flows.
    duration : float or str, optional
        Simulated time [s]; if absent, the run ends when every file is transferred.
    warm_up : float or str
        Time after which counting begins [s]; transfer times are measured from the flow's start in any case. With "auto"
        a separate run determines it, from the total backlog of all links (MSER-5, `longfat.sim.statistics.warm_up`).
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
        Number of packets in senders.pcap, data and acknowledgments, after which all of these files end.
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
        confidence interval, ``x_lower`` to ``x_upper``, which is NaN if the attribute ``deterministic`` is 1; those of
        ``loss``, ``fairness``, ``utilisation`` and ``jain_index`` are cut at 0 and 1. The attribute ``remark`` names
        disciplines that mark in vain because no flow is ECN-capable.

    Raises
    ------
    ValueError
        For values outside their ranges, a run that cannot end, and plug-ins that fail.
    KeyboardInterrupt
        On Ctrl-C, with the time simulated so far; the results are lost. Use `Simulation` to keep them.

    Notes
    -----
    Every event after the warm-up counts, whenever its packet was sent: ``loss`` is dropped/(dropped + received),
    ``mean_delay`` is the mean over received packets, ``mean_wait`` that over packets whose transmission began. Packets
    in flight at the end are in none of these. So ``loss`` is in [0, 1], and no mean time exceeds the duration. The time
    over which ``goodput`` is measured begins at the flow's start or the end of the warm-up, and ends with the
    acknowledgment of its last byte; for a flow that stops, with its stop or the last arrival, whichever is later.

    The attribute ``deterministic`` is 1 if no random number was drawn; ``replications`` is the number of simulated
    runs, ``replications_asked`` the number requested.

    Packets are conserved: sent = received + dropped + in flight at the end, or a RuntimeError is raised. The totals of
    all runs, from time 0 on, are the attributes ``packets_sent``, ``packets_received``, ``packets_dropped``,
    ``packets_in_flight`` of data packets, and ``packets_acks_sent`` and so on of acknowledgments.

    A trace (`pcap`, `qlog`) ends early after `trace_packets` packets, or if the disk is full; then there is a
    UserWarning, and the results are complete. Its attributes are ``trace_packets``, ``trace_until`` [s] and
    ``trace_end``, the reason.

    Examples
    --------
    >>> net = Network()
    >>> _ = net.link("a", "b", rate="40 Mbit/s", delay="22 ms", buffer=440, duplex=True)
    >>> _ = net.flow("reno", path=["a", "b"], packet=500, file="2 MB", parameters={"initial_ssthresh": 440})
    >>> data = run(net, rng=1)
    >>> round(float(data.transfer_time.sel(flow="reno-1")), 2)
    0.79
    """
    made, first = answer(
        net, duration=duration, warm_up=warm_up, replications=replications, confidence=confidence,
        sample_every=sample_every, pcap=pcap, qlog=qlog, trace_packets=trace_packets, rng=rng, progress=progress,
    )  # fmt: skip
    data = made.dataset()
    if sample_every is not None:
        data = data.assign(results.traces(first, float(quantities.duration(sample_every, "sample_every"))))
    from longfat.base.provenance import made_by  # here, because it imports xarray

    return made_by(data, "sim.run")


def answer(
    net: Network,
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
) -> tuple[results.Answer, Simulation]:
    """Return the results of `run` without loading xarray, and the first run."""
    until = _duration(net, duration)
    automatic = warm_up == "auto"
    begin = 0.0 if automatic else quantities.duration(warm_up, "warm_up", f"[0, {until:g})")
    if automatic and duration is None:
        raise conflict("warm_up = 'auto'", "needs a duration")
    replications = RUN_OPTIONS["replications"].read("replications", replications)
    confidence = RUN_OPTIONS["confidence"].read("confidence", confidence)
    every = None if sample_every is None else RUN_OPTIONS["sample_every"].read("sample_every", sample_every)
    if every is not None and duration is None:
        raise conflict("sample_every", "needs a duration")
    random = generator(rng)
    streams = random.spawn(replications)
    runs = [Simulation(net, rng=streams[0], sample_every=every, duration=until)]
    plain = runs[0] if every is None or replications == 1 else Simulation(net)
    runs += [plain.again(stream) for stream in streams[1:]]
    runs[0].prepare()  # compiled once, and errors are reported once
    if automatic:
        begin = _steady_from(net, until, random.spawn(1)[0])
    with captured(runs[0], pcap, qlog, trace_packets) as capture:
        made = _simulate(runs, begin, until, duration is None, progress)
    first, runs = runs[0], runs[: len(made)]
    values = results.over_replications([sample for sample, _ in made], confidence, replications > 1)
    attrs = {
        "network": net.to_toml(),
        "duration": until if duration is not None else max(run.now for run in runs),
        "warm_up": begin,
        "replications": len(made),
        "replications_asked": replications,
        "deterministic": int(not first.drew),
        "confidence": confidence,
        "entropy": str(getattr(random.bit_generator.seed_seq, "entropy", "unknown")),
        "events": int(sum(int(run.state.row.events) for run in runs)),
        "wall_time": sum(run.wall_time for run in runs),
        "conservation": "sent = received + dropped + in_flight",
        **{f"packets_{name}": sum(packet_counts[name] for _, packet_counts in made) for name in made[0][1]},
        "version": __version__,
    }
    remark = _without_ecn(net, first)
    if remark:
        attrs["remark"] = remark
    if capture is not None:
        attrs |= {"trace_packets": capture.packets, "trace_until": capture.until, "trace_end": capture.end}
        if capture.end:
            warnings.warn(capture.end, UserWarning, stacklevel=2)
    return results.Answer(values, first.assembly.flow_names, first.assembly.link_names, attrs), first


def _without_ecn(net: Network, run: Simulation) -> str:
    """Return a remark on the disciplines that mark in vain because no flow over their link is ECN-capable, or ""."""
    capable = dict(zip(run.assembly.flow_names, run.state.senders["ect"] != NOT_ECT, strict=False))
    found = []
    for link in net.links.values():
        if not link.discipline.only_marks:
            continue
        flows = [flow for flow in net.flows if flow.scheme is not None and link in net.route(flow)]
        if flows and not any(capable[name] for flow in flows for name in flow.names):
            found.append(f"discipline {link.discipline.name!r} of link {link.name!r}")
    if not found:
        return ""
    return f"no packet is marked by {', '.join(found)}: no flow is ECN-capable (ecn = 1 or ect among its parameters)"


def _duration(net: Network, duration: float | str | None) -> float:
    """Return the time to simulate [s]; without a duration every flow needs a file, after which the run ends."""
    if duration is not None:
        return quantities.duration(duration, "duration", f"(0, {LIMIT:g}]")
    endless = [flow.name for flow in net.flows if flow.file is None and flow.traffic is None and flow.stop == math.inf]
    files = [flow.name for flow in net.flows if flow.file is not None and flow.traffic is None]
    if endless or not files:
        what = f"flow {endless[0]!r} never ends" if endless else "no flow has a file"
        raise ValueError(f"duration is absent and {what}: give duration [s] in (0, {LIMIT:g}], or files to all flows")
    return LONGEST


def _steady_from(net: Network, until: float, rng: np.random.Generator) -> float:
    """Return the end of the warm-up [s], found in a run of its own from 1000 samples of the backlog."""
    run = Simulation(net, rng=rng, sample_every=until / 1000, duration=until)
    run.advance(until)
    waiting = run.state.link_samples["backlog"].reshape(-1, int(run.state.row.sampled_links)).sum(1)
    return statistics.warm_up(waiting) * until / 1000


def _simulate(
    runs: list[Simulation], begin: float, until: float, to_the_end: bool, progress: bool
) -> list[tuple[dict[str, np.ndarray], dict[str, int]]]:
    """Simulate all runs in parallel, and return their results and packet counts.

    Only the first is simulated if it draws no random number.
    """
    from longfat.base.progress import bar

    total = None if to_the_end else len(runs) * until
    with bar(task="simulating", unit="s", shown=progress, total=total) as shown_bar:
        shown = [0.0] * len(runs)

        def one(k: int) -> tuple[dict[str, np.ndarray], dict[str, int]]:
            return _one(runs[k], begin, until, to_the_end, lambda now: shown.__setitem__(k, now))

        try:
            return replicate(
                one,
                range(len(runs)),
                until=lambda found: not runs[0].drew,
                progress=lambda new: shown_bar.update(sum(shown) - shown_bar.n),
            )
        except KeyboardInterrupt:
            total_time = "" if to_the_end else f" of {until * len(runs):g} s"
            raise KeyboardInterrupt(
                f"{sum(run.now for run in runs):.6g} s{total_time} were simulated; the results are lost"
            ) from None


def _one(
    run: Simulation, begin: float, until: float, to_the_end: bool, tell: Any
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Simulate one run, and return its results and packet counts."""
    before = results.snapshot(run)
    if begin > 0:
        run.advance(begin, tell)
        before = results.snapshot(run)
    run.advance(until, tell, to_the_end=to_the_end)
    if to_the_end and not run.all_done():
        raise ValueError(
            f"duration is absent and not every file is transferred after {until:g} s: {run.progress_summary()}; "
            "give duration [s]"
        )
    return results.measure(run, before, results.snapshot(run)), run.packet_counts()
