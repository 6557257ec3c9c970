"""Simulations beside a law: what may be asked for, the points along the x axis, estimates that arrive one by one."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from longfat.base import domains
from longfat.explore.state import State, start
from longfat.law import Law, registered
from longfat.sim.runs import statistics
from longfat.testing.seeded_runs import seed_of

if TYPE_CHECKING:
    from longfat.verify.simulators import Simulator

CONFIDENCE = 0.95
POINTS = 13  # along the x axis
FEW = 3  # replications after which a point is shown first; the others follow when all points have been shown
SEED = 0  # of every request, so that the same settings give the same points
RUNS = "[2, 1000]"  # replications of a point
SECONDS = 120.0  # of a request, in which the first packets of the slowest law are simulated
PACKETS = 1e9  # of a request
LONGEST = 40  # characters of a number in a request

#: Runs one replication: takes a law, a point and a seed; returns the value and the packets sent.
Run = Callable[[Law, Mapping[str, float], int], Awaitable[tuple[float, float]]]


@dataclass(frozen=True)
class Points:
    """Simulated points: values on the x axis, estimates and confidence intervals [the law's unit]."""

    x: tuple[float, ...] = ()
    value: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    replications: int = 10
    refused: int = 0

    def and_at(self, x: float, estimate: tuple[float, float, float]) -> Points:
        """Return these points and another one."""
        value, lower, upper = estimate
        return replace(
            self, x=(*self.x, x), value=(*self.value, value), lower=(*self.lower, lower), upper=(*self.upper, upper)
        )

    @property
    def words(self) -> str:
        """Text of the legend."""
        refused = f"; {self.refused} not possible" if self.refused else ""
        return f"simulated, {self.replications} replications, {100 * CONFIDENCE:g}% intervals{refused}"


@dataclass(frozen=True)
class Request:
    """A request to simulate points beside a law: the state that is shown, and the replications of each point."""

    state: State
    replications: int = 10


def simulator(law: Law) -> Simulator | None:
    """Return the simulator that a law declares; None if it declares none.

    >>> from longfat.laws import power, selective_repeat
    >>> simulator(selective_repeat.throughput_efficiency).description, simulator(power.network_power)
    ('the segment simulator, three hundred losses in a replication', None)
    """
    if law.simulated is None:
        return None
    from longfat.verify.simulators import simulator_of

    return simulator_of(law)


def plan(state: State, points: int = POINTS) -> list[Mapping[str, float]]:
    """Return the parameters of all points to simulate, along the x axis, in an order in which the first show most.

    Points in the range in which the law is compared with its simulator come first, those far beyond it last: there a
    replication may take a hundred times as long, such as that of windows between very rare losses.
    """
    found = simulator(state.law)
    if found is None:
        raise domains.unknown("law with a simulator", state.law.public_name, _simulated())
    places = state.scale(state.across).dense(points)
    nearest = [found.nearest({**state.values, state.across: float(x)}) for x in places]
    symbol = state.law.symbols[state.across]
    different = {point[state.across]: point for point in nearest if symbol.interval.contains(point[state.across])}
    assert state.law.simulated is not None
    given = state.law.simulated.ranges.get(state.across, symbol.typical)
    low, high = (min(given), max(given)) if isinstance(given, (tuple, list)) else (given, given)
    every = sorted(different)
    inside = [x for x in every if low <= x <= high] or every
    ends = [every.index(x) for x in (inside[0], inside[-1])] if every else []
    beyond = sorted({*every} - {*inside}, key=lambda x: min(abs(every.index(x) - end) for end in ends))
    return [different[x] for x in [*_halving(inside), *beyond]]


def _simulated() -> list[str]:
    """Return the names of the laws that have a simulator."""
    return [law.public_name for _, law in registered() if simulator(law) is not None]


def _halving(values: list[float]) -> list[float]:
    """Return values in the order of both ends, the middle, the quarters and so on: a curve that gets denser."""
    if not values:
        return []
    last, order, step = len(values) - 1, [], 1.0
    for level in range(math.ceil(math.log2(max(len(values), 2))) + 1):
        step = last / 2**level
        order += [round(k * step) for k in range(2**level + 1)]
    return [values[k] for k in dict.fromkeys([*order, *range(len(values))])]


def read(text: str | bytes, laws: Mapping[str, Law]) -> Request:
    """Return the request that a text holds; every part of it is checked.

    Parameters
    ----------
    text : str or bytes
        JSON: an object of ``law``, ``across``, ``values`` (numbers as text by parameter) and ``replications``.
    laws : mapping
        Laws by their public names.

    Examples
    --------
    >>> from longfat.laws.queues import mm1_wait
    >>> text = '{"law": "queues.mm1_wait", "across": "load", "values": {"load": "0.7"}, "replications": 5}'
    >>> request = read(text, {"queues.mm1_wait": mm1_wait})
    >>> dict(request.state.values), request.replications
    ({'load': 0.7}, 5)
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("request cannot be read: must be a JSON object") from None
    return request(found, laws)


def request(found: Any, laws: Mapping[str, Law]) -> Request:
    """Return the request that plain data hold, as `read` returns that of a text."""
    if not isinstance(found, dict):
        raise ValueError("request must be an object of law, across, values and replications")
    for name in found:
        domains.choice("part of a request", name, ("law", "across", "values", "replications"))
    name, across, values = found.get("law"), found.get("across"), found.get("values", {})
    if not isinstance(name, str) or name not in laws:
        raise domains.unknown("law", name, laws)
    law = laws[name]
    if not isinstance(values, dict):
        raise ValueError("values must be an object of parameters and their values")
    if not isinstance(across, str) or across not in law.symbols:
        raise domains.unknown("across", across, law.symbols)
    if simulator(law) is None:
        raise ValueError(f"{name} has no simulator: {law.not_simulated or 'its record names none'}")
    state = start(law, across, **{one: _number(one, value) for one, value in values.items()})
    runs = domains.integer("replications", found.get("replications", Request.replications), "runs", RUNS)
    return Request(state, runs)


def _number(name: str, text: Any) -> float:
    try:
        if isinstance(text, str) and len(text) <= LONGEST:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"{name} cannot be read: must be a number as text")


async def estimates(
    asked: Request, run: Run, *, seconds: float = SECONDS, packets: float = PACKETS
) -> AsyncIterator[dict[str, Any]]:
    """Yield what is known as it comes: estimates of points with confidence intervals, and what ended the simulation.

    All points are shown after a few replications, and again with all of them. A point that the simulator refuses is
    left out.

    Parameters
    ----------
    asked : Request
        The request.
    run : callable
        Runs one replication; raises a `ValueError` for a point that cannot be simulated.
    seconds, packets : float
        Time and packets after which the simulation ends.

    Yields
    ------
    dict
        ``kind`` is "point" (``x``, ``mean``, ``low``, ``high``, ``runs``, ``done``, ``of``) or "end" (``why``, empty
        if it is complete, ``packets``, ``refused``).
    """
    state, found = asked.state, simulator(asked.state.law)
    assert found is not None
    points, spent, until = plan(state), 0.0, asyncio.get_running_loop().time() + seconds
    values: dict[int, list[float]] = {k: [] for k in range(len(points))}
    all_runs = 1 if found.deterministic else asked.replications

    def end(why: str = "") -> dict[str, Any]:
        return {"kind": "end", "why": why, "packets": spent, "refused": len(points) - len(values)}

    for runs in sorted({min(FEW, all_runs), all_runs}):
        for k, point in enumerate(points):
            while k in values and len(values[k]) < runs:
                if spent > packets:
                    yield end(f"stopped after {packets:g} packets: take fewer replications")
                    return
                try:
                    async with asyncio.timeout_at(until):
                        value, cost = await run(state.law, point, seed_of(SEED, len(values[k])))
                except TimeoutError:
                    yield end(f"stopped after {seconds:g} s: take fewer replications")
                    return
                except ValueError:
                    value, cost = math.nan, 0.0
                spent += cost
                if math.isfinite(value):
                    values[k].append(value)
                else:
                    del values[k]
            if k in values:
                mean, low, high = _interval(values[k])
                yield {
                    "kind": "point", "x": point[state.across], "mean": mean, "low": low, "high": high, "runs": runs,
                    "done": k + 1, "of": len(points),
                }  # fmt: skip
    yield end()


def _interval(values: list[float]) -> tuple[float, float, float]:
    """Return mean and interval; a single value, of a simulator without random numbers, is its own interval."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    mean, low, high = statistics.replications(values, CONFIDENCE)
    return float(mean), float(low), float(high)
