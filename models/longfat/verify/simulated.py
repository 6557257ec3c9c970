"""Which simulator each law is held against, where and how closely; and why some laws have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from longfat import domains
from longfat.law import PACKAGE, Law
from longfat.verify import equivalence, flow_estimators, link_estimators, network_estimators, points
from longfat.verify.estimators import segment_efficiency, segment_hard_ack, segment_mean_delay
from longfat.verify.faces import Outcome

LOOKS = 4  # an undecided point is simulated again, four times as long, at most so often in all


@dataclass(frozen=True)
class SimulatorCheck:
    """How a law is held against a simulator.

    Parameters
    ----------
    estimator : callable
        Takes ``effort`` (1, 4, 16, 64: how much is simulated) and ``rng``, returns an estimator for
        `longfat.verify.check`.
    ranges : mapping
        Where points are drawn, for parameters whose typical range is not it: (low, high), a list, or a number.
    accuracy, relative : float
        Largest deviation, in the law's unit and as a share of the law's value; both 0: what the law's record states.
    long : bool
        Whether quick runs leave it out.

    Examples
    --------
    >>> Held(lambda effort, rng: None, accuracy=0.1).relative
    0.0
    """

    estimator: Callable[[float, Any], equivalence.Estimator]
    ranges: Mapping[str, Any] = field(default_factory=dict)
    accuracy: float = 0.0
    relative: float = 0.0
    long: bool = False

    def draw(self, law: Law, count: int, seed: int) -> list[points.Point]:
        """So many points of the ranges inside the law's validity, as far as there are any."""
        drawn = points.typical(law, 64 * count, seed, self.ranges)
        valid = [one for one in drawn if law.validity is None or bool(law.validity(**one))]
        return valid[:count]


def _queue(quantity: str, exponential: bool | None) -> Callable[[float, Any], equivalence.Estimator]:
    return lambda effort, rng: link_estimators.queue(quantity, exponential, packets=1e5 * effort, rng=rng)


def _fixed(estimator: equivalence.Estimator) -> Callable[[float, Any], equivalence.Estimator]:
    return lambda effort, rng: estimator


LIMITED = {"load": (0.2, 1.5), "capacity": (1.0, 20.0)}
UNLIMITED = {"load": (0.05, 0.8)}
SEGMENTS = {"segment_packets": [1.0, 4.0, 16.0, 64.0], "ack_segments": [20.0, 23.0, 24.0, 50.0, 100.0]}


def _whole_window(law_range: tuple[float, float]) -> list[float]:
    low, high = law_range
    return [float(w) for w in range(int(low), int(high), 7)]


#: By the law's public name.
HELD: dict[str, SimulatorCheck] = {
    "queues.mm1_mean_number": SimulatorCheck(_queue("number", True), UNLIMITED, relative=0.05),
    "queues.mm1_wait": SimulatorCheck(_queue("wait", True), UNLIMITED, accuracy=0.01, relative=0.05),
    "queues.mm1_response": SimulatorCheck(_queue("response", True), UNLIMITED, relative=0.05),
    "queues.md1_wait": SimulatorCheck(_queue("wait", False), UNLIMITED, accuracy=0.01, relative=0.05),
    "queues.mg1_wait": SimulatorCheck(
        _queue("wait", None), UNLIMITED | {"variation": [0.0, 1.0]}, accuracy=0.01, relative=0.05
    ),
    "queues.mg1ps_response": SimulatorCheck(
        # The packet that is last of its turn: a twentieth of a file.
        lambda effort, rng: link_estimators.equal_shares(packets=1e5 * effort, rng=rng),
        {"load": (0.05, 0.7)}, relative=0.1, long=True,
    ),
    "queues.mm1k_loss": SimulatorCheck(_queue("loss", True), LIMITED, accuracy=0.003, relative=0.05),
    "queues.mm1k_mean_number": SimulatorCheck(_queue("number", True), LIMITED, accuracy=0.01, relative=0.05),
    "queues.mm1k_wait": SimulatorCheck(_queue("wait", True), LIMITED, accuracy=0.02, relative=0.05),
    "queues.md1k_loss": SimulatorCheck(_queue("loss", False), LIMITED, accuracy=0.003, relative=0.05),
    "queues.md1k_mean_number": SimulatorCheck(_queue("number", False), LIMITED, accuracy=0.01, relative=0.05),
    "queues.md1k_wait": SimulatorCheck(_queue("wait", False), LIMITED, accuracy=0.02, relative=0.05),
    "power.relative_power": SimulatorCheck(
        _queue("power", None),
        UNLIMITED | {"variation": [0.0, 1.0], "alpha": 1.0, "propagation": (0.05, 10.0)}, relative=0.05,
    ),
    "tcp.aimd_utilisation": SimulatorCheck(_fixed(flow_estimators.sawtooth()), {"buffer": (0.05, 1.2)}, accuracy=0.02),
    "tcp.aimd_utilisation_general": SimulatorCheck(
        _fixed(flow_estimators.sawtooth()), {"buffer": (0.1, 1.2), "decrease": (0.4, 0.75)}, accuracy=0.02
    ),
    "tcp.square_root_rate": SimulatorCheck(
        _fixed(flow_estimators.rate_at_loss("rap")),
        {"loss": (3e-4, 5e-3), "round_trip_time": (0.01, 0.3), "acked": 1.0}, relative=0.05,
    ),
    "tcp.gaimd_rate": SimulatorCheck(
        _fixed(flow_estimators.rate_at_loss("gaimd")),
        {"loss": (3e-4, 5e-3), "round_trip_time": (0.01, 0.3), "acked": 1.0,
         "increase": (0.2, 1.0), "decrease": (0.5, 0.875)}, relative=0.05,
    ),
    "tcp.unloaded_transfer_time": SimulatorCheck(
        _fixed(flow_estimators.file_alone("reno")), {"packets": (1.0, 1000.0), "last_time": 0.0}, accuracy=2e-6
    ),
    "blt.unloaded_transfer_time": SimulatorCheck(
        _fixed(flow_estimators.file_alone("blt", "priority-discard")),
        {"packets": (1.0, 400.0), "last_time": 0.0}, accuracy=2e-6,
    ),
    "cadpc.equilibrium_rate": SimulatorCheck(
        _fixed(flow_estimators.cadpc_share()), {"flows": (1.0, 30.0)}, relative=0.05
    ),
    "cadpc.equilibrium_traffic": SimulatorCheck(_fixed(flow_estimators.cadpc_share(-1)), relative=0.03),
    "cadpc.weighted_equilibrium_rate": SimulatorCheck(
        _fixed(flow_estimators.cadpc_share()), {"weight": (0.5, 2.0), "total_weight": (3.0, 6.0)}, relative=0.03
    ),
    "cadpc.parking_lot_long_rate": SimulatorCheck(
        _fixed(flow_estimators.parking_lot(True)), {"first": (1.0, 8.0), "second": (1.0, 8.0)}, relative=0.03
    ),
    "cadpc.parking_lot_short_rate": SimulatorCheck(
        _fixed(flow_estimators.parking_lot(False)), {"own": (1.0, 8.0), "other": (1.0, 8.0)}, relative=0.03
    ),
    "loss_load.equilibrium_loss": SimulatorCheck(
        lambda effort, rng: network_estimators.loss_load_equilibrium(3, packets=2e4 * effort, rng=rng), accuracy=0.012
    ),
    "loss_load.equilibrium_load": SimulatorCheck(
        lambda effort, rng: network_estimators.loss_load_equilibrium(3, "load", packets=2e4 * effort, rng=rng),
        accuracy=0.03,
    ),
    "loss_load.bounded_loss": SimulatorCheck(
        lambda effort, rng: _at_capacity(network_estimators.loss_load_equilibrium(3, packets=4e4 * effort, rng=rng)),
        accuracy=0.012, long=True,
    ),
    "selective_repeat.throughput_efficiency": SimulatorCheck(
        lambda effort, rng: segment_efficiency(packets=2e5, lost=1e4 * effort, rng=rng),
        SEGMENTS | {"window": _whole_window((1, 200)), "loss": (1e-5, 0.01)},
    ),
    "selective_repeat.throughput_efficiency_many_rounds": SimulatorCheck(
        lambda effort, rng: segment_efficiency(packets=2e5, lost=1e4 * effort, rng=rng),
        SEGMENTS | {"window": _whole_window((1, 300)), "loss": (1e-5, 0.1)},
    ),
    "selective_repeat.throughput_efficiency_hard_ack": SimulatorCheck(
        lambda effort, rng: segment_hard_ack(lost=5e3 * effort, rng=rng),
        {"segment_packets": [16.0, 64.0], "ack_segments": [20.0, 23.0, 24.0], "loss": (1e-5, 1e-3),
         "receive_buffer": (1.0, 40.0)},
    ),
    "selective_repeat.mean_delay_sender": SimulatorCheck(
        lambda effort, rng: segment_mean_delay(segments=1e4 * effort, rng=rng),
        {"loss": (1e-4, 0.1), "segment_packets": [1.0, 4.0, 16.0, 64.0], "packet_time": 1.0,
         "ack_delay": [64.0, 320.0, 1024.0]}, relative=0.02,
    ),
}  # fmt: skip

INVERSE = "the inverse of a law that is simulated"
DEFINITION = "arithmetic of definitions"
COUNTING = "counts the paper's windows; packets that follow them are held against unloaded_transfer_time"
FEW_ROUNDS = "a distribution of rounds, which no simulator here reports; mean_delay_sender is simulated"
#: By the beginning of the dotted name of where the law is defined, without ``longfat.laws.``; the longest counts.
NOT_SIMULATED: dict[str, str] = {
    "blt.additive": COUNTING,
    "blt.windows": COUNTING,
    "blt.power": "a formula of the unloaded time, which is simulated",
    "blt.transfer.burst_for_buffer": "where unloaded_transfer_time ceases to hold",
    "blt.transfer.buffer_for_burst": "where unloaded_transfer_time ceases to hold",
    "cadpc.fairness": "multipliers of small disturbances: tests/test_cadpc_agreement.py disturbs packets",
    "cadpc.logistic": "the rule in continuous time: packets follow it update by update",
    "cadpc.startup": "what the scheme computes itself",
    "cadpc.trajectory": "the rule's exact course without delay; packets hear of the traffic an update later",
    "cadpc.update": "what the scheme computes itself",
    "loss_load.equilibrium.equilibrium_rate": "equilibrium_load over the number of sources",
    "loss_load.equilibrium.lossless_virtual_factor": "where equilibrium_loss begins",
    "loss_load.equilibrium.virtual_capacity": DEFINITION,
    "loss_load.loss": "what the switch computes itself",
    "loss_load.optimum": "what the source computes itself; equilibrium_load is what comes of it",
    "loss_load.response_optimum": "what the source computes itself, with response times",
    "loss_load.response": "the time that the source expects, from its own formula",
    "power.ceiling": "bounds, not values: tests/test_power_agreement.py holds packets below them",
    "power.definition": DEFINITION,
    "power.knee": "where relative_power, which is simulated, is greatest",
    "selective_repeat.delay.mean_delay_receiver": "mean_delay_sender less a constant",
    "selective_repeat.delay.mean_rounds": FEW_ROUNDS,
    "selective_repeat.efficiency.window_for_efficiency": INVERSE,
    "selective_repeat.rates": DEFINITION,
    "selective_repeat.receive_buffer.buffer_for_efficiency_hard_ack": INVERSE,
    "selective_repeat.receive_buffer": "one loss by hand: tests/laws/test_receive_buffer.py runs it",
    "selective_repeat.rounds_distribution": FEW_ROUNDS,
    "selective_repeat.tolerance": "tests/laws/test_distribution.py simulates it with a tolerance",
    "selective_repeat.variance": "the simulator reports means of delays, not their variance",
    "tcp.pftk": "its losses, all that is left of a round, are those of no network here",
    "tcp.rates.loss_of_window": INVERSE,
    "tcp.sawtooth.buffer_for_utilisation": INVERSE,
    "tcp.slow_start": "unloaded_transfer_time, which is simulated, with one line that takes time",
    "tcp.unloaded.buffer_for_slow_start": "where unloaded_transfer_time ceases to hold",
}


def _at_capacity(estimator: equivalence.Estimator) -> equivalence.Estimator:
    return lambda **values: estimator(v=1.0, **values)


def reason(law: Law) -> str:
    """Return why a law is not simulated.

    >>> from longfat.laws.power import little_mean_number
    >>> reason(little_mean_number)
    'arithmetic of definitions'
    """
    name = law.place.removeprefix(PACKAGE)
    fitting = [start for start in NOT_SIMULATED if name == start or name.startswith(start + ".")]
    return NOT_SIMULATED[max(fitting, key=len)] if fitting else "no estimator is given"


def simulated(
    law: Law, held: SimulatorCheck, drawn: list[points.Point], confidence: float, seed: int, printed: bool = True
) -> tuple[Outcome, Outcome | None]:
    """Hold a law, and what its source prints instead, against a simulator at some points.

    ``confidence`` is that of one point's verdict, looks included; undecided points are simulated again, longer.
    """
    import numpy as np

    each = 1 - (1 - confidence) / LOOKS
    left, judged, text, by_print = list(drawn), [], "", []
    for look, stream in enumerate(np.random.default_rng(seed).spawn(LOOKS)):
        estimator = held.estimator(4.0**look, stream)
        undecided = []
        for point in left:
            table = _check(law, estimator, point, each, held)
            verdict = str(table.verdict.values[0])
            if verdict == "undecided" and look + 1 < LOOKS:
                undecided.append(point)
                continue
            judged.append((verdict, table))
            if printed and law.has_printed:
                by_print.append(_check(law.as_printed, _repeat(table), point, each, held, law))
        left = undecided
        if not left:
            break
    off = [abs(float(table["estimate"][0] - table["law"][0])) for _, table in judged]
    allowed = [float(table.attrs["allowed"]) for _, table in judged]
    worst = max(range(len(judged)), key=lambda k: off[k] / allowed[k])
    verdicts = [verdict for verdict, _ in judged]
    status = next((one for one in ("differs", "undecided") if one in verdicts), "agrees")
    at = {name: float(judged[worst][1][name][0]) for name in law.symbols}
    text = f"off by {off[worst]:.2g} where {allowed[worst]:.2g} {law.unit} are allowed".replace(" 1 are", " are")
    found = Outcome(status, off[worst] / allowed[worst], at, len(judged), text)
    if not by_print:
        return found, None
    count = sum(str(one.verdict.values[0]) == "differs" for one in by_print)
    return found, Outcome("erratum", checks=len(by_print), remark=f"as printed {count} of {len(by_print)} differ")


def _check(
    law: Law, estimator: Any, point: points.Point, confidence: float, held: SimulatorCheck, other: Law | None = None
) -> Any:
    """One point by `check`, with what is allowed there in the attributes."""
    value = float(law(**point))
    stated = (other or law).validity
    if held.accuracy or held.relative:
        allowed = held.accuracy + held.relative * abs(value)
    elif stated is not None:
        allowed = stated.accuracy
    else:
        raise domains.conflict(f"law {law.name}", "needs an accuracy in (0, inf)", "it states none")
    table = equivalence.check(law, estimator, [point], confidence=confidence, accuracy=allowed)
    table.attrs["allowed"] = allowed
    return table


def _repeat(table: Any) -> Callable[..., tuple[float, float, float]]:
    """The estimate of a table again, for another law at the same point."""
    found = tuple(float(table[name][0]) for name in ("estimate", "lower", "upper"))
    return lambda **_: found  # type: ignore[return-value]
