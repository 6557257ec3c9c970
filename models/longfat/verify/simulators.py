"""Table of the simulators that laws are compared with, by the names that `longfat.law.symbols.SimulatedBy` uses.

A simulator is called as `longfat.testing.compare` calls it: with a seed and the law's parameters by name; it returns
one replication's value and the number of packets sent. `longfat.verify` runs replications until a verdict is reached,
`longfat.explore` at points of a curve beside the law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from longfat.base.domains import unknown
from longfat.law import Law
from longfat.verify import cubic_estimators, flow_estimators, link_estimators, segment_estimators, transport_estimators
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
    """Return the simulator of the check that a law declares; None if it declares none.

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
    """Return the nearest point at which both powers are those of one scheme: 1 and 1 of Reno, or 3 and 0 of CUBIC."""
    reno = values["time_power"] < 2
    return values | {"time_power": 1.0 if reno else 3.0, "round_trip_power": 1.0 if reno else 0.0}


def _queue(quantity: str, exponential: bool | None) -> Simulator:
    """Return the simulator of one queue; if ``exponential`` is None, ``variation`` sets the distribution of sizes."""
    return Simulator(link_estimators.queue(quantity, exponential), nearest=_integers("capacity"))


def _loss_load(quantity: str) -> Simulator:
    """Return the simulator of three loss-load sources on one link."""
    return Simulator(link_estimators.loss_load_equilibrium(3, quantity))


def _flows(replicate: Simulate) -> Simulator:
    """Return a simulator whose function `nearest` rounds the numbers of flows to integers."""
    return Simulator(replicate, nearest=_integers("flows", "others"))


def _fixed(replicate: Simulate) -> Simulator:
    """Return a simulator whose results do not depend on the seed."""
    return Simulator(replicate, deterministic=True)


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
    "processor_sharing": Simulator(link_estimators.equal_shares()),
    "sawtooth": _fixed(flow_estimators.sawtooth()),
    "sawtooth_queue": _fixed(flow_estimators.sawtooth("mean_queue")),
    "rap_rate_at_loss": _fixed(flow_estimators.rate_at_loss("rap")),
    "gaimd_rate_at_loss": _fixed(flow_estimators.rate_at_loss("gaimd")),
    "parallel_utilisation": Simulator(
        flow_estimators.parallel_utilisation(), deterministic=True, nearest=_integers("flows")
    ),
    "parallel_share": _flows(flow_estimators.parallel_share()),
    "reno_file": _fixed(flow_estimators.file_alone("reno")),
    "blt_file": _fixed(flow_estimators.file_alone("blt", "priority-discard")),
    "cadpc_rate": _fixed(flow_estimators.cadpc_share()),
    "cadpc_traffic": _fixed(flow_estimators.cadpc_share(-1)),
    "parking_lot_long": _fixed(flow_estimators.parking_lot(True)),
    "parking_lot_short": _fixed(flow_estimators.parking_lot(False)),
    "pie_loss": Simulator(transport_estimators.pie_loss()),
    "bbr_queue": Simulator(transport_estimators.bbr_queue()),
    "bbr_utilisation": _fixed(transport_estimators.bbr_utilisation()),
    "dctcp_queue": _fixed(transport_estimators.dctcp_queue()),
    "window_at_random_marks": Simulator(transport_estimators.window_at_marks(True)),
    "window_at_spaced_marks": _fixed(transport_estimators.window_at_marks(False, 40.0)),
    "copa_queue": _fixed(transport_estimators.copa_queue()),
    "copa_share": _fixed(transport_estimators.copa_share()),
    "ledbat_delay": _fixed(transport_estimators.ledbat_delay()),
    "ledbat_slowdown": _fixed(transport_estimators.ledbat_slowdown()),
    "ledbat_utilisation": _fixed(transport_estimators.ledbat_utilisation()),
    "credit_throughput": _fixed(transport_estimators.credit_throughput()),
    "sstp_throughput": _fixed(transport_estimators.sstp_throughput()),
    "guaranteed_delay": _fixed(link_estimators.greatest_delay()),
    "fluid_delay": _fixed(link_estimators.fluid_delay()),
    "shaped_utilisation": Simulator(
        link_estimators.shaped_utilisation(), deterministic=True, nearest=_integers("packet_size")
    ),
    "codel_drop_time": _fixed(transport_estimators.codel_drop_time()),
    "cubic_window": _fixed(cubic_estimators.window_after_loss()),
    "cubic_mean_window": _fixed(cubic_estimators.mean_window()),
    "cubic_window_at_loss": _fixed(cubic_estimators.window_at_loss()),
    "cubic_window_at_random_loss": Simulator(cubic_estimators.at_random_loss()),
    "round_trip_unfairness": Simulator(cubic_estimators.round_trip_unfairness(), nearest=_scheme_of_powers),
    "cubic_utilisation": _fixed(cubic_estimators.at_link("utilisation")),
    "cubic_utilisation_general": _fixed(cubic_estimators.at_link("utilisation")),
    "cubic_queue": _fixed(cubic_estimators.at_link("mean_queue")),
    "loss_load_loss": _loss_load("loss"),
    "loss_load_load": _loss_load("load"),
    "loss_load_loss_at_capacity": _loss_load("loss"),
    "segment_efficiency": Simulator(segment_estimators.segment_efficiency(), nearest=_segments),
    "segment_hard_ack": Simulator(segment_estimators.hard_ack(), nearest=_segments),
    "segment_mean_delay": Simulator(segment_estimators.mean_delay()),
}
