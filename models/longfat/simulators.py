"""Table of the simulators that laws are compared with, by the names that `longfat.symbols.SimulatedBy` uses.

`longfat.verify` simulates a few points until a verdict is reached; `longfat.explore` simulates a curve beside the law.
Both take the simulator of a law from here. Simulators are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from longfat.domains import unknown
from longfat.law import Law

Estimator = Callable[..., tuple[float, float, float]]


@dataclass(frozen=True)
class Simulator:
    """A simulator as an estimator of a law's value, for checks and for curves.

    Parameters
    ----------
    check : callable
        Takes ``effort`` (1, 4, 16, 64: multiples of the least simulated time) and ``rng``; returns an estimator as
        `longfat.verify.check` takes it.
    curve : callable, optional
        Takes the number of replications and a seed; returns the estimator for curves in `longfat.explore`. Without it
        `explore` offers no simulation.
    nearest : callable
        Takes a law's parameters and returns the nearest point that the simulator can simulate.
    description : str
        What `explore` says about the simulation.

    Examples
    --------
    >>> SIMULATORS["segment_efficiency"].nearest({"window": 2.4, "segment_packets": 3.9, "ack_segments": 1.1})
    {'window': 2.0, 'segment_packets': 4.0, 'ack_segments': 1.0}
    """

    check: Callable[[float, Any], Estimator]
    curve: Callable[[int, int], Estimator] | None = None
    nearest: Callable[[dict[str, float]], dict[str, float]] = dict
    description: str = ""


def simulator_of(law: Law) -> Simulator | None:
    """Return the simulator that a law declares; None if it declares none.

    >>> from longfat.laws import power, selective_repeat
    >>> simulator_of(selective_repeat.throughput_efficiency).description, simulator_of(power.network_power)
    ('the segment simulator, a million packets a point', None)
    """
    if law.simulated is None:
        return None
    name = law.simulated.simulator
    if name not in SIMULATORS:
        raise unknown(f"{law.public_name}: simulator", name, SIMULATORS)
    return SIMULATORS[name]


def _queue(quantity: str, exponential: bool | None) -> Simulator:
    """Return the simulator of one queue; ``exponential`` is None if the law's ``variation`` decides."""

    def check(effort: float, rng: Any) -> Estimator:
        from longfat.verify.link_estimators import queue

        return queue(quantity, exponential, packets=1e5 * effort, rng=rng)

    def curve(replications: int, seed: int) -> Estimator:
        from longfat.verify.link_estimators import queue

        return queue(quantity, exponential, replications=replications, rng=seed)

    description = "a link and its packets, simulated the longer the nearer the load is to 1"
    return Simulator(check, None if quantity == "power" else curve, _integer_capacity, description)


def _integer_capacity(values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point with an integer capacity, as a link has."""
    return values | {name: float(max(1, round(values[name]))) for name in ("capacity",) if name in values}


def _processor_sharing(effort: float, rng: Any) -> Estimator:
    """Return the simulator of a link shared equally by files of 20 packets, packet by packet."""
    from longfat.verify.link_estimators import equal_shares

    return equal_shares(packets=1e5 * effort, rng=rng)


def _deterministic(module: str, name: str, *arguments: Any) -> Simulator:
    """Return a simulator without randomness, a function of a module of `longfat.verify`."""

    def check(effort: float, rng: Any) -> Estimator:
        estimator: Estimator = getattr(import_module(f"longfat.verify.{module}"), name)(*arguments)
        return estimator

    return Simulator(check)


def _replicated(name: str, *arguments: Any) -> Simulator:
    """Return a simulator of DCTCP, BBR or queue management, which takes an effort."""

    def check(effort: float, rng: Any) -> Estimator:
        from longfat.verify import transport_estimators

        estimator: Estimator = getattr(transport_estimators, name)(*arguments, effort, rng)
        return estimator

    return Simulator(check)


def _cubic_at_random_loss(effort: float, rng: Any) -> Estimator:
    """Return the simulator of a CUBIC flow whose packets are lost independently."""
    from longfat.verify.cubic_estimators import at_random_loss

    return at_random_loss(losses=200 * effort, rng=rng)


def _loss_load(quantity: str) -> Simulator:
    """Return the simulator of loss-load sources on one link."""

    def check(effort: float, rng: Any) -> Estimator:
        from longfat.verify.network_estimators import loss_load_equilibrium

        return loss_load_equilibrium(3, quantity, packets=2e4 * effort, rng=rng)

    def curve(replications: int, seed: int) -> Estimator:
        from longfat.verify.network_estimators import loss_load_equilibrium

        return loss_load_equilibrium(11, quantity, packets=2e4, replications=replications, rng=seed)

    return Simulator(check, curve, description="eleven sources over 40 Mbit/s and 10 ms, packet by packet")


def _loss_load_at_capacity(effort: float, rng: Any) -> Estimator:
    """Return the simulator of loss-load sources on a link that announces its true capacity."""
    from longfat.verify.network_estimators import loss_load_equilibrium

    estimator = loss_load_equilibrium(3, packets=4e4 * effort, rng=rng)
    return lambda **values: estimator(v=1.0, **values)


def _segment_efficiency() -> Simulator:
    """Return the simulator of segments under a window."""

    def check(effort: float, rng: Any) -> Estimator:
        from longfat.verify.estimators import segment_efficiency

        return segment_efficiency(packets=2e5, lost=1e4 * effort, rng=rng)

    def curve(replications: int, seed: int) -> Estimator:
        from longfat.verify.estimators import segment_efficiency

        return segment_efficiency(packets=1e6, lost=2e3, replications=replications, rng=seed)

    return Simulator(check, curve, _integer_packets, "the segment simulator, a million packets a point")


def _segment_hard_ack() -> Simulator:
    """Return the simulator of segments under hard acknowledgment, with a small receive buffer."""

    def check(effort: float, rng: Any) -> Estimator:
        from longfat.verify.estimators import segment_hard_ack

        return segment_hard_ack(lost=5e3 * effort, rng=rng)

    def curve(replications: int, seed: int) -> Estimator:
        from longfat.verify.estimators import segment_hard_ack

        return segment_hard_ack(lost=5e3, replications=replications, rng=seed)

    return Simulator(check, curve, _integer_packets, "the segment simulator, five thousand losses a point")


def _segment_mean_delay(effort: float, rng: Any) -> Estimator:
    """Return the simulator of a segment's delay."""
    from longfat.verify.estimators import segment_mean_delay

    return segment_mean_delay(segments=1e4 * effort, rng=rng)


def _integer_packets(values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point of the segment simulator: integer windows, delays of an integer number of packets."""
    packets = round(values["segment_packets"])
    windows = {name: float(max(1, round(values[name]))) for name in ("window", "receive_buffer") if name in values}
    ack_segments = round(values["ack_segments"] * packets) / packets
    return values | windows | {"segment_packets": float(packets), "ack_segments": ack_segments}


SIMULATORS: dict[str, Simulator] = {
    "mm1_number": _queue("number", True),
    "mm1_wait": _queue("wait", True),
    "mm1_response": _queue("response", True),
    "mm1_loss": _queue("loss", True),
    "md1_number": _queue("number", False),
    "md1_wait": _queue("wait", False),
    "md1_loss": _queue("loss", False),
    "mg1_wait": _queue("wait", None),
    "mg1_power": _queue("power", None),
    "processor_sharing": Simulator(_processor_sharing),
    "sawtooth": _deterministic("flow_estimators", "sawtooth"),
    "sawtooth_queue": _deterministic("flow_estimators", "sawtooth", "sack", 6, "mean_queue"),
    "rap_rate_at_loss": _deterministic("flow_estimators", "rate_at_loss", "rap"),
    "gaimd_rate_at_loss": _deterministic("flow_estimators", "rate_at_loss", "gaimd"),
    "reno_file": _deterministic("flow_estimators", "file_alone", "reno"),
    "blt_file": _deterministic("flow_estimators", "file_alone", "blt", "priority-discard"),
    "pie_loss": _replicated("pie_loss"),
    "bbr_queue": _replicated("bbr_queue"),
    "dctcp_queue": _deterministic("transport_estimators", "dctcp_queue"),
    "window_at_random_marks": _replicated("window_at_marks", True),
    "window_at_spaced_marks": _replicated("window_at_marks", False),
    "bbr_utilisation": _replicated("bbr_utilisation"),
    "cubic_window": _deterministic("cubic_estimators", "window_after_loss"),
    "cubic_mean_window": _deterministic("cubic_estimators", "mean_window"),
    "cubic_window_at_loss": _deterministic("cubic_estimators", "window_at_loss"),
    "cubic_window_at_random_loss": Simulator(_cubic_at_random_loss),
    "cubic_utilisation": _deterministic("cubic_estimators", "at_link", "utilisation"),
    "cubic_utilisation_general": _deterministic("cubic_estimators", "at_link", "utilisation"),
    "cubic_queue": _deterministic("cubic_estimators", "at_link", "mean_queue"),
    "codel_drop_time": _deterministic("transport_estimators", "codel_drop_time"),
    "cadpc_rate": _deterministic("flow_estimators", "cadpc_share"),
    "cadpc_traffic": _deterministic("flow_estimators", "cadpc_share", -1),
    "parking_lot_long": _deterministic("flow_estimators", "parking_lot", True),
    "parking_lot_short": _deterministic("flow_estimators", "parking_lot", False),
    "loss_load_loss": _loss_load("loss"),
    "loss_load_load": _loss_load("load"),
    "loss_load_loss_at_capacity": Simulator(_loss_load_at_capacity),
    "segment_efficiency": _segment_efficiency(),
    "segment_hard_ack": _segment_hard_ack(),
    "segment_mean_delay": Simulator(_segment_mean_delay),
}
