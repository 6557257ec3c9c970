"""Simulation of points on the curve of a law: requests and their checks, choice of the points, and estimates."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from longfat.base import domains
from longfat.explore.state import CONFIDENCE, State, start
from longfat.law import Law
from longfat.replication import interval
from longfat.testing.seeded_runs import run_once, seed_of

if TYPE_CHECKING:
    from longfat.verify.simulators import Simulator

POINTS = 13  # number of points along the x axis
FEW = 3  # replications after which a point is first shown; further replications follow once all points are shown
SEED = 0  # seed of every request, so that equal settings give equal points
RUNS = "[2, 1000]"  # allowed numbers of replications of a point
SECONDS = 120.0  # longest duration of a request [s], enough for the first packets of the slowest law
PACKETS = 1e9  # number of simulated packets after which a request ends
LONGEST = 40  # largest number of characters of a number in a request

Event = dict[str, Any]


class Request(NamedTuple):
    """Request to simulate points of a law: state of the exploration, and number of replications of each point."""

    state: State
    replications: int = 10


def read(text: str | bytes, laws: Mapping[str, Law]) -> Request:
    """Parse and check a request, which is a JSON text and names one of the laws, given by their public names.

    The JSON object has ``law``, ``across`` (parameter of the x axis), ``values`` (numbers as text, by parameter) and
    ``replications``.

    >>> from longfat.laws.queues import mm1_wait
    >>> text = '{"law": "queues.mm1_wait", "across": "load", "values": {"load": "0.7"}, "replications": 5}'
    >>> state, replications = read(text, {"queues.mm1_wait": mm1_wait})
    >>> dict(state.values), replications
    ({'load': 0.7}, 5)
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("request cannot be read: must be a JSON object") from None
    return request(found, laws)


def request(found: Any, laws: Mapping[str, Law]) -> Request:
    """Check a request, which is the parsed JSON object of `read`, and return it as a `Request`."""
    if not isinstance(found, dict):
        raise ValueError("request must be a JSON object with law, across, values and replications")
    for name in found:
        domains.choice("part of a request", name, ("law", "across", "values", "replications"))
    name, across, values = found.get("law"), found.get("across"), found.get("values", {})
    if not isinstance(name, str) or name not in laws:
        raise domains.unknown("law", name, laws)
    law = laws[name]
    if not isinstance(values, dict):
        raise ValueError("values must be a JSON object with a number as text for each parameter")
    if not isinstance(across, str) or across not in law.symbols:
        raise domains.unknown("across", across, law.symbols)
    if law.simulated is None:
        raise ValueError(f"{name} has no simulator: {law.not_simulated or 'its record names none'}")
    state = start(law, across, **{one: _number(one, value) for one, value in values.items()})
    return Request(state, domains.integer("replications", found.get("replications", 10), "runs", RUNS))


def _number(name: str, text: Any) -> float:
    try:
        if isinstance(text, str) and len(text) <= LONGEST:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"{name} cannot be read: must be a number as text of at most {LONGEST} characters")


def simulator(law: Law) -> Simulator:
    """Return the simulator of a law whose record declares one."""
    # Imported here, because the import takes a second, and the server does not need it.
    from longfat.verify.simulators import simulator_of

    found = simulator_of(law)
    assert found is not None
    return found


def plan(state: State, simulator: Simulator, points: int = POINTS) -> list[dict[str, float]]:
    """Return the parameters of the points to simulate along the x axis, in the order of simulation.

    Points in the range in which the law is compared with its simulator come first, and points far outside of this range
    last, because a replication there may take a hundred times as long, for example if losses are very rare.
    """
    symbol, places = state.law.symbols[state.across], state.scale(state.across).dense(points)
    nearest = [simulator.nearest({**state.values, state.across: float(x)}) for x in places]
    different = {point[state.across]: point for point in nearest if symbol.interval.contains(point[state.across])}
    assert state.law.simulated is not None
    given = state.law.simulated.ranges.get(state.across, symbol.typical)
    low, high = (min(given), max(given)) if isinstance(given, (tuple, list)) else (given, given)
    every = sorted(different)
    inside = [x for x in every if low <= x <= high] or every
    ends = [every.index(x) for x in (inside[0], inside[-1])] if every else []
    beyond = sorted({*every} - {*inside}, key=lambda x: min(abs(every.index(x) - end) for end in ends))
    return [different[x] for x in [*_halving(inside), *beyond]]


def _halving(values: list[float]) -> list[float]:
    """Reorder values: both ends, the middle, the quarters and so on, so that the first few span the whole curve."""
    if not values:
        return []
    last, order, step = len(values) - 1, [], 1.0
    for level in range(math.ceil(math.log2(max(len(values), 2))) + 1):
        step = last / 2**level
        order += [round(k * step) for k in range(2**level + 1)]
    return [values[k] for k in dict.fromkeys([*order, *range(len(values))])]


def estimates(
    asked: Request, simulator: Simulator, stopped: Callable[[], bool] = lambda: False, *, packets: float = PACKETS
) -> Iterator[Event]:
    """Yield an event for each estimate of a point, with its confidence interval, and at last an event for the end.

    Each point is estimated after a few replications, and again after all replications. A point that the simulator
    refuses is left out. ``stopped`` is called before each replication; the simulation ends if it returns True, or after
    a number of simulated packets.

    An event is a dict whose ``kind`` is "point" (with ``x``, ``mean``, the interval ``low`` to ``high``, the
    replications ``runs``, and ``done`` of ``of`` points) or "end" (with the reason ``why``, empty if complete, the
    number of ``packets``, and that of points ``refused``).
    """
    across, points, spent = asked.state.across, plan(asked.state, simulator), 0.0
    values: dict[int, list[float]] = {k: [] for k in range(len(points))}
    all_runs = 1 if simulator.deterministic else asked.replications

    def end(why: str = "") -> Event:
        return {"kind": "end", "why": why, "packets": spent, "refused": len(points) - len(values)}

    for runs in sorted({min(FEW, all_runs), all_runs}):
        for k, point in enumerate(points):
            while k in values and len(values[k]) < runs:
                if stopped():
                    yield end("stopped")
                    return
                if spent > packets:
                    yield end(f"stopped after {packets:g} packets: take fewer replications")
                    return
                try:
                    value, cost = run_once(simulator, point, seed_of(SEED, len(values[k])))
                except ValueError:
                    del values[k]
                else:
                    values[k].append(value)
                    spent += cost
            if k in values:
                mean, *limits = interval(values[k], CONFIDENCE)
                low, high = (mean, mean) if simulator.deterministic else limits
                yield {
                    "kind": "point", "x": point[across], "mean": mean, "low": low, "high": high, "runs": runs,
                    "done": k + 1, "of": len(points),
                }  # fmt: skip
    yield end()


async def stream(receive: Callable[[], Event], seconds: float = SECONDS) -> AsyncGenerator[Event, None]:
    """Call `receive` in a thread and yield each event that it returns, until the last event or for `seconds` [s]."""
    until, kind = asyncio.get_running_loop().time() + seconds, ""
    while kind not in ("end", "error"):
        try:
            async with asyncio.timeout_at(until):
                event = await asyncio.to_thread(receive)
        except TimeoutError:
            event = {"kind": "end", "why": f"stopped after {seconds:g} s: take fewer replications"}
        kind = event["kind"]
        yield event
