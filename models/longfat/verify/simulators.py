"""Table of the simulators that laws are compared with, by the names that `longfat.law.symbols.SimulatedBy` uses.

A simulator is called as `longfat.testing.compare` calls it: with a seed and the law's parameters by name; it returns
one replication's value and the packets that it sent. `longfat.verify` replicates until a verdict is reached,
`longfat.explore` along a curve beside the law. The modules that simulate are imported when they are used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from longfat.base.domains import unknown
from longfat.law import Law


@dataclass(frozen=True)
class Simulator:
    """One replication of the simulation of a law, as a function of a seed and the law's parameters by name.

    Parameters
    ----------
    module, name : str
        A module of `longfat.verify`, and its function that makes the simulation.
    arguments : tuple
        Arguments of that function.
    deterministic : bool
        Whether it draws no random numbers.
    nearest : callable
        Takes a law's parameters and returns the nearest point that can be simulated.
    description : str
        Description of the simulation for `longfat.explore`; without it `explore` offers none.

    Examples
    --------
    >>> value, packets = SIMULATORS["mm1_wait"](1, load=0.5)
    >>> 0.8 < value < 1.2, 4000 < packets < 6000
    (True, True)
    >>> SIMULATORS["segment_efficiency"].nearest({"window": 2.4, "segment_packets": 3.9, "ack_segments": 1.1})
    {'window': 2.0, 'segment_packets': 4.0, 'ack_segments': 1.0}
    """

    module: str
    name: str
    arguments: tuple[Any, ...] = ()
    deterministic: bool = field(default=False, kw_only=True)
    nearest: Callable[[dict[str, float]], dict[str, float]] = field(default=dict, kw_only=True)
    description: str = field(default="", kw_only=True)

    def __call__(self, rng: Any, /, **point: Any) -> tuple[float, float]:
        """Return the value of one replication and the packets sent."""
        return self._simulation(rng, **point)

    @functools.cached_property
    def _simulation(self) -> Callable[..., tuple[float, float]]:
        module = import_module(f"longfat.verify.{self.module}")
        made: Callable[..., tuple[float, float]] = getattr(module, self.name)(*self.arguments)
        return made


def simulator_of(law: Law) -> Simulator | None:
    """Return the simulator that a law declares; None if it declares none.

    >>> from longfat.laws import power, selective_repeat
    >>> simulator_of(selective_repeat.throughput_efficiency).name, simulator_of(power.network_power)
    ('segment_efficiency', None)
    """
    if law.simulated is None:
        return None
    name = law.simulated.simulator
    if name not in SIMULATORS:
        raise unknown(f"{law.public_name}: simulator", name, SIMULATORS)
    return SIMULATORS[name]


def _integer_capacity(values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point with an integer capacity, as a link has."""
    return values | {name: float(max(1, round(values[name]))) for name in ("capacity",) if name in values}


def _integer_packets(values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point of the segment simulator: integer windows, delays of an integer number of packets."""
    packets = round(values["segment_packets"])
    windows = {name: float(max(1, round(values[name]))) for name in ("window", "receive_buffer") if name in values}
    ack_segments = round(values["ack_segments"] * packets) / packets
    return values | windows | {"segment_packets": float(packets), "ack_segments": ack_segments}


def _queue(quantity: str, exponential: bool | None, shown: bool = True) -> Simulator:
    """Return the simulator of one queue; ``exponential`` is None if the law's ``variation`` decides."""
    words = "a link and its packets, simulated the longer the nearer the load is to 1" if shown else ""
    arguments = (quantity, exponential)
    return Simulator("link_estimators", "queue", arguments, nearest=_integer_capacity, description=words)


def _loss_load(*arguments: str) -> Simulator:
    """Return the simulator of loss-load sources on one link."""
    words = "three sources over 40 Mbit/s and 10 ms, packet by packet"
    return Simulator("network_estimators", "loss_load_equilibrium", (3, *arguments), description=words)


def _segments(name: str, words: str) -> Simulator:
    return Simulator("estimators", name, nearest=_integer_packets, description=f"the segment simulator, {words}")


_flow = functools.partial(Simulator, "flow_estimators")
_guarantee = functools.partial(Simulator, "guarantee_estimators", deterministic=True)
_cubic = functools.partial(Simulator, "cubic_estimators")
_transport = functools.partial(Simulator, "transport_estimators")

SIMULATORS: dict[str, Simulator] = {
    "mm1_number": _queue("number", True),
    "mm1_wait": _queue("wait", True),
    "mm1_response": _queue("response", True),
    "mm1_loss": _queue("loss", True),
    "md1_number": _queue("number", False),
    "md1_wait": _queue("wait", False),
    "md1_loss": _queue("loss", False),
    "mg1_wait": _queue("wait", None),
    "mg1_power": _queue("power", None, shown=False),
    "processor_sharing": Simulator("link_estimators", "equal_shares"),
    "sawtooth": _flow("sawtooth", deterministic=True),
    "sawtooth_queue": _flow("sawtooth", ("mean_queue",), deterministic=True),
    "rap_rate_at_loss": _flow("rate_at_loss", ("rap",), deterministic=True),
    "gaimd_rate_at_loss": _flow("rate_at_loss", ("gaimd",), deterministic=True),
    "reno_file": _flow("file_alone", ("reno",), deterministic=True),
    "blt_file": _flow("file_alone", ("blt", "priority-discard"), deterministic=True),
    "cadpc_rate": _flow("cadpc_share"),
    "cadpc_traffic": _flow("cadpc_share", (-1,)),
    "parking_lot_long": _flow("parking_lot", (True,)),
    "parking_lot_short": _flow("parking_lot", (False,)),
    "pie_loss": _transport("pie_loss"),
    "bbr_queue": _transport("bbr_queue"),
    "bbr_utilisation": _transport("bbr_utilisation"),
    "dctcp_queue": _transport("dctcp_queue", deterministic=True),
    "window_at_random_marks": _transport("window_at_marks", (True,)),
    "window_at_spaced_marks": _transport("window_at_marks", (False, 200.0), deterministic=True),
    "credit_share": _transport("credit_share", deterministic=True),
    "sstp_throughput": _transport("sstp_throughput", deterministic=True),
    "guaranteed_delay": _guarantee("greatest_delay"),
    "fluid_delay": _guarantee("fluid_delay"),
    "codel_drop_time": _transport("codel_drop_time", deterministic=True),
    "cubic_window": _cubic("window_after_loss", deterministic=True),
    "cubic_mean_window": _cubic("mean_window", deterministic=True),
    "cubic_window_at_loss": _cubic("window_at_loss", deterministic=True),
    "cubic_window_at_random_loss": _cubic("at_random_loss"),
    "cubic_utilisation": _cubic("at_link", ("utilisation",), deterministic=True),
    "cubic_utilisation_general": _cubic("at_link", ("utilisation",), deterministic=True),
    "cubic_queue": _cubic("at_link", ("mean_queue",), deterministic=True),
    "loss_load_loss": _loss_load("loss"),
    "loss_load_load": _loss_load("load"),
    "loss_load_loss_at_capacity": _loss_load("loss"),
    "segment_efficiency": _segments("segment_efficiency", "three hundred losses in a replication"),
    "segment_hard_ack": _segments("segment_hard_ack", "five hundred losses in a replication"),
    "segment_mean_delay": Simulator("estimators", "segment_mean_delay"),
}
