"""Table of the simulators that laws are compared with, by the names that `longfat.law.symbols.SimulatedBy` uses.

A simulator is called as `longfat.testing.compare` calls it: with a seed and the law's parameters by name; it returns
one replication's value and the number of packets sent. `longfat.verify` runs replications until a verdict is reached;
`longfat.explore` runs them at points along the curve of a law.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from longfat.base.domains import unknown
from longfat.law import Law
from longfat.verify import flow_estimators as flows
from longfat.verify import link_estimators as links
from longfat.verify import segment_estimators as segments
from longfat.verify import transport_estimators as transport
from longfat.verify.measured_runs import Result, Simulate


@dataclass(frozen=True)
class Simulator:
    """Simulator of a law: a function that takes a seed and the law's parameters by name, and runs one replication.

    ``deterministic`` says whether the seed has no effect on a replication; ``nearest`` takes a law's parameters and
    returns the nearest point that can be simulated.

    >>> value, packets = SIMULATORS["mm1_wait"](1, load=0.5)
    >>> 0.8 < value < 1.2, 4000 < packets < 6000
    (True, True)
    >>> SIMULATORS["segment_efficiency"].nearest({"window": 2.4, "segment_packets": 3.9, "ack_segments": 1.1})
    {'window': 2.0, 'segment_packets': 4.0, 'ack_segments': 1.0}
    """

    replicate: Simulate
    deterministic: bool = field(default=False, kw_only=True)
    nearest: Callable[[dict[str, float]], dict[str, float]] = field(default=dict, kw_only=True)

    def __call__(self, rng: Any, /, **point: Any) -> Result:
        """Run one replication; return its value and the number of packets sent."""
        return self.replicate(rng, **point)


def simulator_of(law: Law) -> Simulator | None:
    """Return the simulator that a law declares for its check; None if it declares none.

    >>> from longfat.laws import power, queues
    >>> simulator_of(queues.mm1_wait) is SIMULATORS["mm1_wait"], simulator_of(power.network_power)
    (True, None)
    """
    if law.simulated is None:
        return None
    given = law.simulated.simulator
    if callable(given):
        return Simulator(given, deterministic=bool(getattr(given, "deterministic", False)))
    if given not in SIMULATORS:
        raise unknown(f"{law.public_name}: simulator", given, SIMULATORS)
    return SIMULATORS[given]


def _integers(*names: str) -> Callable[[dict[str, float]], dict[str, float]]:
    """Return a function that rounds the parameters ``names`` of a point to integers of at least 1."""
    return lambda values: values | {name: float(max(1, round(values[name]))) for name in names if name in values}


def _segments(values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point that the segment simulator accepts: integer windows, delays of whole packet times."""
    nearest = _integers("window", "receive_buffer", "segment_packets")(values)
    packets = nearest["segment_packets"]
    return nearest | {"ack_segments": round(values["ack_segments"] * packets) / packets}


def _scheme_of_powers(values: dict[str, float]) -> dict[str, float]:
    """Return a point with the time power and the round-trip power of Reno (1, 1) or of CUBIC (3, 0)."""
    reno = values["time_power"] < 2
    return values | {"time_power": 1.0 if reno else 3.0, "round_trip_power": 1.0 if reno else 0.0}


def _random(replicate: Simulate, nearest: Callable[..., dict[str, float]] = dict, /, **settings: Any) -> Simulator:
    """Return a simulator that calls a function with settings; its results depend on the seed."""
    return Simulator(functools.partial(replicate, **settings), nearest=nearest)


def _fixed(replicate: Simulate, nearest: Callable[..., dict[str, float]] = dict, /, **settings: Any) -> Simulator:
    """Return a simulator that calls a function with settings; its results do not depend on the seed."""
    return Simulator(functools.partial(replicate, **settings), deterministic=True, nearest=nearest)


_QUEUE, _FLOWS = _integers("capacity"), _integers("flows", "others")

SIMULATORS: dict[str, Simulator] = {
    "mm1_number": _random(links.queue, _QUEUE, quantity="number", exponential=True),
    "mm1_wait": _random(links.queue, _QUEUE, quantity="wait", exponential=True),
    "mm1_response": _random(links.queue, _QUEUE, quantity="response", exponential=True),
    "mm1_loss": _random(links.queue, _QUEUE, quantity="loss", exponential=True),
    "md1_number": _random(links.queue, _QUEUE, quantity="number", exponential=False),
    "md1_wait": _random(links.queue, _QUEUE, quantity="wait", exponential=False),
    "md1_loss": _random(links.queue, _QUEUE, quantity="loss", exponential=False),
    "mg1_wait": _random(links.queue, _QUEUE, quantity="wait"),
    "mg1_power": _random(links.queue, _QUEUE, quantity="power"),
    "processor_sharing": _random(links.equal_shares),
    "sawtooth": _fixed(flows.sawtooth),
    "sawtooth_queue": _fixed(flows.sawtooth, quantity="mean_queue"),
    "rap_rate_at_loss": _fixed(flows.rate_at_loss, scheme="rap"),
    "gaimd_rate_at_loss": _fixed(flows.rate_at_loss, scheme="gaimd"),
    "parallel_utilisation": _fixed(flows.parallel_utilisation, _FLOWS),
    "parallel_share": _random(flows.parallel_share, _FLOWS),
    "reno_file": _fixed(flows.file_alone, scheme="reno"),
    "blt_file": _fixed(flows.file_alone, scheme="blt", discipline="priority-discard"),
    "cadpc_rate": _fixed(flows.cadpc_share),
    "cadpc_traffic": _fixed(flows.cadpc_share, which=-1),
    "parking_lot_long": _fixed(flows.parking_lot, long=True),
    "parking_lot_short": _fixed(flows.parking_lot, long=False),
    "pie_loss": _random(transport.pie_loss),
    "bbr_queue": _random(transport.bbr_queue),
    "bbr_utilisation": _fixed(transport.bbr_utilisation),
    "dctcp_queue": _fixed(transport.dctcp_queue),
    "window_at_random_marks": _random(transport.window_at_marks, independent=True),
    "window_at_spaced_marks": _fixed(transport.window_at_marks, independent=False, marks=40.0),
    "copa_queue": _fixed(transport.copa_queue),
    "copa_share": _fixed(transport.copa_share),
    "ledbat_delay": _fixed(transport.ledbat_delay),
    "ledbat_slowdown": _fixed(transport.ledbat_slowdown),
    "ledbat_utilisation": _fixed(transport.ledbat_utilisation),
    "credit_throughput": _fixed(transport.credit_throughput),
    "sstp_throughput": _fixed(transport.sstp_throughput),
    "guaranteed_delay": _fixed(links.greatest_delay),
    "fluid_delay": _fixed(links.fluid_delay),
    "shaped_utilisation": _fixed(links.shaped_utilisation, _integers("packet_size")),
    "codel_drop_time": _fixed(transport.codel_drop_time),
    "cubic_window": _fixed(flows.cubic_window_after_loss),
    "cubic_mean_window": _fixed(flows.cubic_mean_window),
    "cubic_window_at_loss": _fixed(flows.cubic_window_at_loss),
    "cubic_window_at_random_loss": _random(flows.cubic_at_random_loss),
    "round_trip_unfairness": _random(flows.round_trip_unfairness, _scheme_of_powers),
    "cubic_utilisation": _fixed(flows.cubic_at_link, quantity="utilisation"),
    "cubic_utilisation_general": _fixed(flows.cubic_at_link, quantity="utilisation"),
    "cubic_queue": _fixed(flows.cubic_at_link, quantity="mean_queue"),
    "loss_load_loss": _random(links.loss_load_equilibrium, sources=3),
    "loss_load_load": _random(links.loss_load_equilibrium, sources=3, quantity="load"),
    "loss_load_loss_at_capacity": _random(links.loss_load_equilibrium, sources=3),
    "segment_efficiency": _random(segments.segment_efficiency, _segments),
    "segment_hard_ack": _random(segments.hard_ack, _segments),
    "segment_mean_delay": _random(segments.mean_delay),
}
