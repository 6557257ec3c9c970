"""Simulation of networks, once or in several replications, with everything needed to repeat it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.domains import conflict, generator, out_of_range, wrong_type
from longfat.base.labelled import made_by
from longfat.replication import replicate
from longfat.sim.network.network import Network
from longfat.sim.network.options import RUN_OPTIONS
from longfat.sim.runs import results
from longfat.sim.runs.batch import Plan, options, simulate
from longfat.sim.runs.captures import MOST, captured
from longfat.sim.runs.engine import Simulation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import xarray as xr


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
    if not isinstance(net, Network):
        if sample_every is not None or pcap is not None or qlog is not None:
            raise conflict("a list of networks", "excludes sample_every, pcap and qlog", "trace one network by itself")
        given = options(duration, warm_up, replications, confidence)
        data = results.together(_several(net, given, rng, progress))
    else:
        made, first = answer(
            net, duration=duration, warm_up=warm_up, replications=replications, confidence=confidence,
            sample_every=sample_every, pcap=pcap, qlog=qlog, trace_packets=trace_packets, rng=rng, progress=progress,
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
) -> tuple[results.Answer, Simulation]:
    """Return the results of `run` for one network without loading xarray, and the network's first simulation."""
    read = options(**given)
    every = None if sample_every is None else RUN_OPTIONS["sample_every"].read("sample_every", sample_every)
    if every is not None and read["duration"] is None:
        raise conflict("sample_every", "needs a duration", "give duration [s]")
    plan = Plan(net, generator(rng), **read)
    first = Simulation(net, rng=plan.streams[0], sample_every=every, duration=plan.until)
    first.prepare()  # compiled once, and errors are reported once
    if plan.warm_up is None:
        plan.warm_up = plan.find_warm_up()
    with captured(first, pcap, qlog, trace_packets) as capture:
        [outcomes] = simulate([plan], progress, first)
    made = _made(plan, outcomes)
    if capture is not None:
        made.attrs.update(trace_packets=capture.packets, trace_until=capture.until, trace_end=capture.end)
        if capture.end:
            warnings.warn(capture.end, UserWarning, stacklevel=3)
    return made, first


def _several(nets: Sequence[Network], options: dict[str, Any], rng: Any, progress: bool) -> list[results.Answer]:
    """Return the results of several networks."""
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
    if options["warm_up"] is None:
        for plan, begin in zip(plans, replicate(Plan.find_warm_up, plans), strict=True):
            plan.warm_up = begin
    found = simulate(plans, progress)
    return [_made(plan, outcomes) for plan, outcomes in zip(plans, found, strict=True)]


def _made(plan: Plan, runs: list[results.Answer]) -> results.Answer:
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
    return results.Answer(values, runs[0].flow, runs[0].link, attrs)
