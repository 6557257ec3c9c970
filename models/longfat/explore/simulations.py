"""Simulations beside a law: which simulator judges it, at which points, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from longfat import domains
from longfat.explore.state import State
from longfat.law import Law

Estimator = Callable[..., tuple[float, float, float]]
CONFIDENCE = 0.95
POINTS = 13  # along the x axis


@dataclass(frozen=True)
class Judge:
    """How a law is simulated: an estimator from a number of replications and a seed, and points it can take."""

    estimator: Callable[[int, int], Estimator]
    snap: Callable[[dict[str, float]], dict[str, float]]
    words: str


@dataclass(frozen=True)
class Points:
    """What was simulated: places on the x axis, estimates and intervals [the law's unit]."""

    x: tuple[float, ...] = ()
    value: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    replications: int = 10
    refused: int = 0

    def and_at(self, x: float, estimate: tuple[float, float, float]) -> Points:
        """With one point more."""
        value, lower, upper = estimate
        return replace(
            self, x=(*self.x, x), value=(*self.value, value), lower=(*self.lower, lower), upper=(*self.upper, upper)
        )

    @property
    def words(self) -> str:
        """What a legend says."""
        refused = f"; {self.refused} not possible" if self.refused else ""
        return f"simulated, {self.replications} replications, {100 * CONFIDENCE:g}% intervals{refused}"


def _efficiency(replications: int, seed: int) -> Estimator:
    from longfat.verify.estimators import segment_efficiency

    return segment_efficiency(packets=1e6, lost=2e3, replications=replications, rng=seed)


def _loss_load(quantity: str) -> Callable[[int, int], Estimator]:
    def estimator(replications: int, seed: int) -> Estimator:
        from longfat.verify.network_estimators import loss_load_equilibrium

        return loss_load_equilibrium(11, quantity, packets=2e4, replications=replications, rng=seed)

    return estimator


def _whole_packets(values: dict[str, float]) -> dict[str, float]:
    """The nearest point that the segment simulator has: whole windows, whole packet times of delay."""
    packets = round(values["segment_packets"])
    whole = {name: float(max(1, round(values[name]))) for name in ("window", "receive_buffer") if name in values}
    return (
        values
        | whole
        | {
            "segment_packets": float(packets),
            "ack_segments": round(values["ack_segments"] * packets) / packets,
        }
    )


def _hard_ack(replications: int, seed: int) -> Estimator:
    from longfat.verify.estimators import segment_hard_ack

    return segment_hard_ack(lost=5e3, replications=replications, rng=seed)


def _queue(quantity: str, exponential: bool | None) -> Judge:
    def estimator(replications: int, seed: int) -> Estimator:
        from longfat.verify.link_estimators import queue

        return queue(quantity, exponential, replications=replications, rng=seed)

    return Judge(estimator, _whole_queue, "a link and its packets, the longer the nearer the load is to 1")


def _whole_queue(values: dict[str, float]) -> dict[str, float]:
    """The nearest point that a link has: whole packets of room."""
    return values | {name: float(max(1, round(values[name]))) for name in ("capacity",) if name in values}


_SEGMENTS = Judge(_efficiency, _whole_packets, "the segment simulator, a million packets a point")
_NETWORK = "eleven sources over 40 Mbit/s and 10 ms, packet by packet"
_JUDGES = {
    "selective_repeat.throughput_efficiency": _SEGMENTS,
    "selective_repeat.throughput_efficiency_many_rounds": _SEGMENTS,
    "selective_repeat.throughput_efficiency_hard_ack": Judge(
        _hard_ack, _whole_packets, "the segment simulator, five thousand losses a point"
    ),
    "queues.mm1_mean_number": _queue("number", True),
    "queues.mm1_wait": _queue("wait", True),
    "queues.mm1_response": _queue("response", True),
    "queues.md1_wait": _queue("wait", False),
    "queues.mg1_wait": _queue("wait", None),
    "queues.mm1k_loss": _queue("loss", True),
    "queues.mm1k_mean_number": _queue("number", True),
    "queues.mm1k_wait": _queue("wait", True),
    "queues.md1k_loss": _queue("loss", False),
    "queues.md1k_mean_number": _queue("number", False),
    "queues.md1k_wait": _queue("wait", False),
    "loss_load.equilibrium_loss": Judge(_loss_load("loss"), dict, _NETWORK),
    "loss_load.equilibrium_load": Judge(_loss_load("load"), dict, _NETWORK),
}


def judge(law: Law) -> Judge | None:
    """The simulator that judges a law; None where there is none.

    >>> from longfat.laws import power, selective_repeat
    >>> judge(selective_repeat.throughput_efficiency).words, judge(power.network_power)
    ('the segment simulator, a million packets a point', None)
    """
    return _JUDGES.get(law.public_name)


def plan(state: State, points: int = POINTS) -> list[Mapping[str, float]]:
    """The parameters of every point to simulate, along the x axis and spread so that early ones say most."""
    found = judge(state.law)
    if found is None:
        raise domains.unknown("law with a simulator", state.law.public_name, _JUDGES)
    places = state.scale(state.across).dense(points)
    snapped = [found.snap({**state.values, state.across: float(x)}) for x in places]
    symbol = state.law.symbols[state.across].interval
    different = {point[state.across]: point for point in snapped if symbol.contains(point[state.across])}
    return [different[x] for x in _halving(sorted(different))]


def _halving(values: list[float]) -> list[float]:
    """Both ends, the middle, the quarters: a curve shows soon and gets denser."""
    if not values:
        return []
    last, order, step = len(values) - 1, [], 1.0
    for level in range(math.ceil(math.log2(max(len(values), 2))) + 1):
        step = last / 2**level
        order += [round(k * step) for k in range(2**level + 1)]
    return [values[k] for k in dict.fromkeys([*order, *range(len(values))])]


def estimate(
    state: State, replications: int, seed: int = 0
) -> Callable[[Mapping[str, float]], tuple[float, ...] | None]:
    """A function that simulates one point of a plan; None for a point that the simulator refuses."""
    found = judge(state.law)
    assert found is not None
    runs = domains.integer("replications", replications, "runs", "[2, 1000]")

    def one(point: Mapping[str, float]) -> tuple[float, ...] | None:
        # An estimator of its own for each point, seeded by the point: the same settings give the same points.
        made: Any = found.estimator(runs, seed)
        try:
            result: tuple[float, ...] = made(**point, confidence=CONFIDENCE)
        except ValueError:
            return None
        return result if all(np.isfinite(result)) else None

    return one
