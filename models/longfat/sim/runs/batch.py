"""Runs of networks on several threads: replications of each network, with results and packet counts."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.base import quantities
from longfat.base.domains import conflict, out_of_range
from longfat.base.progress import bar
from longfat.replication import replicate
from longfat.sim import queues
from longfat.sim.kernel.records import NOT_ECT, SECOND
from longfat.sim.network.network import Network
from longfat.sim.network.options import RUN_OPTIONS
from longfat.sim.runs import results, statistics
from longfat.sim.runs.engine import LONGEST as LIMIT
from longfat.sim.runs.engine import Simulation
from longfat.sim.runs.results import Answer

LONGEST = 1e6  # s, limit for a run that ends when all files are transferred
ROUNDING = 0.01  # a greater relative rounding error of a transmission time causes a remark; our choice
#: In one call a thread simulates at most MOST_RUNS runs. Each thread is called about CALLS times, to keep all threads
#: busy until the end. A call costs some 0.1 ms, a tenth of a short run.
MOST_RUNS, CALLS = 64, 8


def options(duration: Any = None, warm_up: Any = 0.0, replications: Any = 1, confidence: Any = 0.95) -> dict[str, Any]:
    """Return the options of `run` for a `Plan`; raise an error for invalid ones."""
    until = None if duration is None else quantities.read("duration", duration, "s", f"(0, {LIMIT:g}]")
    longest = LONGEST if until is None else until
    begin = None if warm_up == "auto" else quantities.read("warm_up", warm_up, "s", "[0, inf)")
    if begin is not None and begin >= longest:
        raise out_of_range("warm_up", begin, "s", f"[0, {longest:g}), below the duration")
    if begin is None and until is None:
        raise conflict("warm_up = 'auto'", "needs a duration", "give duration [s]")
    return {
        "duration": until,
        "warm_up": begin,
        "replications": RUN_OPTIONS["replications"].read("replications", replications),
        "confidence": RUN_OPTIONS["confidence"].read("confidence", confidence),
    }


@dataclass
class Plan:
    """Plan of the runs of one network: options, and the random streams of the replications.

    Without a duration every flow needs a file, and a run ends when the last file is transferred.
    """

    net: Network
    random: np.random.Generator  # its children are the streams of the replications
    duration: float | None  # s; None: until every file is transferred
    warm_up: float | None  # s; None: "auto", still to be determined by `find_warm_up`
    replications: int
    confidence: float
    called: str = ""  # name of the network in error messages if there are several
    streams: list[np.random.Generator] = field(init=False)

    def __post_init__(self) -> None:
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
        return LONGEST if self.duration is None else self.duration

    def find_warm_up(self) -> float:
        """Return the end of the warm-up [s], determined in a separate run from 1000 samples of the backlog."""
        with self.named():
            every = self.until / 1000
            run = Simulation(self.net, rng=self.random.spawn(1)[0], sample_every=every, duration=self.until)
            run.advance(self.until)
            waiting = run.state.link_samples["backlog"].reshape(-1, int(run.state.row.sampled_links)).sum(1)
            return statistics.warm_up(waiting) * self.until / 1000

    @contextmanager
    def named(self) -> Iterator[None]:
        """Put the network's name, if it has one, in front of the messages of errors that are raised in this context."""
        try:
            yield
        except (ValueError, TypeError, RuntimeError) as error:
            if not self.called:
                raise
            raise type(error)(f"{self.called}: {error}") from error


def simulate(plans: list[Plan], progress: bool, first: Simulation | None = None) -> list[list[Answer]]:
    """Simulate all runs of all networks, and return the results of each run by network.

    If the first run of a network draws no random number, only this run is simulated. `first` is the first run of the
    first network, if that run is already assembled.
    """
    pairs = [(k, r) for k, plan in enumerate(plans) for r in range(plan.replications)]
    size = max(1, min(MOST_RUNS, len(pairs) // (CALLS * (os.cpu_count() or 1))))
    blocks = [pairs[begin : begin + size] for begin in range(0, len(pairs), size)]
    outcomes: list[dict[int, Answer]] = [{} for _ in plans]
    shown = [0.0] * len(blocks)  # s, simulated by each block

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
            with plan.named():
                if first is not None and (k, r) == (0, 0):
                    run = first
                elif plan.replications == 1:
                    run = Simulation(plan.net, rng=plan.streams[0])
                else:
                    if plain is None or of != k:
                        plain, of = Simulation(plan.net), k
                    run = plain.again(plan.streams[r])
                outcomes[k][r] = _simulate(run, plan, advanced, remarked=r == 0)
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

    The results have a remark only if ``remarked``: one replication is enough, because all have the same remark.
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
    return Answer(values, run.assembly.flow_names, run.assembly.link_names, attrs)


def _remark(net: Network, run: Simulation) -> str:
    """Return a remark on schemes that get no feedback, disciplines that mark no packet, and rounded times."""
    return "; ".join([*_without_feedback(net), *_without_ecn(net, run), *_rounded(net)])


def _without_feedback(net: Network) -> list[str]:
    """Return a remark on each scheme that needs the discipline of its name but has no such link on its path."""
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
        capable = capable or dict(zip(run.assembly.flow_names, run.state.senders["ect"] != NOT_ECT, strict=False))
        flows = [flow for flow in net.flows if flow.scheme is not None and link in net.route(flow)]
        if flows and not any(capable[name] for flow in flows for name in flow.names):
            found.append(f"discipline {link.discipline.name!r} of link {link.name!r}")
    if not found:
        return []
    return [f"no packet is marked by {', '.join(found)}: no flow is ECN-capable (ecn = 1 or ect among its parameters)"]


def _rounded(net: Network) -> list[str]:
    """Return a remark on each link whose transmission times the clock changes by more than `ROUNDING`, if any."""
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
