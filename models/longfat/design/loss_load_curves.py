"""Design of loss-load curves: exponent k and virtual factor v of the shortest transfers under a ceiling on loss."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import takes
from longfat.base.domains import seed_of
from longfat.base.labelled import attrs, made_by, with_limits
from longfat.base.progress import bar
from longfat.design.arguments import EXPONENT, LOSS_LOAD
from longfat.design.replicating import Effort
from longfat.laws.loss_load import equilibrium_load, equilibrium_loss
from longfat.replication import replicate
from longfat.sim import Network, run
from longfat.sim.queues import loss_load as loss_load_switch

if TYPE_CHECKING:
    import xarray as xr

LOWEST = 0.1  # the smallest virtual factor that is tried
FINENESS = 0.005  # absolute tolerance of the virtual factor
WORTH = 0.01  # relative difference of transfer times within which less loss is preferred
SILENT = 2.0  # our choice: round trips without a packet after which a switch drops a source's state


@takes(LOSS_LOAD)
def loss_load(
    *, rate: float, round_trip_time: float, loss: float, sources: int, file: float, packet: int, k: Any,
    stagger: float | None, buffer: int | None, points: int, replications: int, confidence: float, rng: Any,
    progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    r"""Find, for each exponent k, the virtual factor v with the shortest transfers at a loss below a ceiling.

    .. math:: v = \min \{ v : T(v) \le (1 + 0.01) \min_{u: P(u) \le \text{ceiling}} T(u),\ P(v) \le \text{ceiling} \}

    P(v) is the fraction of packets lost and T(v) the mean transfer time in simulations of complete transfers, from
    start to end. In equilibrium, P = max(0, 1 - k/((k + 1) v)).

    Parameters
    ----------
    **arguments
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``k``: ``v`` [1], ``status`` ("reached" or "not reached", v is then NaN), simulated ``loss`` [1] and
        ``transfer_time`` [s] there with ``_lower`` and ``_upper``, ``law_loss`` and ``law_transfer_time`` of sources
        that are in equilibrium at every moment, ``v_lossless`` (k/(k + 1)) and ``v_ceiling`` [1], at which the loss in
        equilibrium equals the ceiling. Along ``k`` and ``point``: the same as ``curve_...`` and ``curve_v``.
        ``attrs["best_k"]``: of the k with transfer times within 1 % of the shortest, the one with the least loss.

    Raises
    ------
    ValueError
        For a ceiling that no v reaches with any k.

    Examples
    --------
    >>> path = {"rate": "40Mbit/s", "round_trip_time": "4ms", "packet": "500B"}
    >>> answer = loss_load(**path, loss=0.02, sources=2, file="2MB", k=[5], points=3, replications=2)
    >>> 0.8 <= float(answer.v[0]) <= 0.86, str(answer.status.values[0])
    (True, 'reached')

    References
    ----------
    Prithviraj and Williamson, sections 2.3 and 4.
    """
    import xarray as xr

    pause = round_trip_time if stagger is None else stagger
    transfers = Transfers(rate, round_trip_time, sources, file, packet, pause, buffer)
    choices = EXPONENT.each("k", k)
    seed = seed_of(rng)

    effort = Effort(seed, replications, confidence, lambda new: None)
    rows = [
        _answer(transfers, one, loss, points, effort)
        for one in bar(choices, task="finding virtual factors", unit="k", shown=progress)
    ]
    if not any(row["status"] == "reached" for row in rows):
        least = min(rows, key=lambda row: row["least"])
        raise ValueError(
            f"loss = {loss:g} is not reached by any v in [{LOWEST:g}, 1] with k = "
            f"{', '.join(f'{one:g}' for one in choices)}: the least loss is {least['least']:.3g} "
            f"(upper confidence limit), with k = {least['k']:g}"
        )
    data = xr.Dataset(
        {name: (("k", "point")[: np.ndim(rows[0][name]) + 1], [row[name] for row in rows], about)
         for name, about in ANSWER.items()},
        coords={"k": ("k", choices, attrs("1", "k of the loss-load curve"))},
    )  # fmt: skip
    reached = [row for row in rows if row["status"] == "reached"]
    soonest = min(row["transfer_time"] for row in reached)
    near = [row for row in reached if row["transfer_time"] <= (1 + WORTH) * soonest]
    data.attrs = {
        **asdict(transfers),
        "buffer": transfers.buffer_packets,
        "ceiling": loss,
        "best_k": min(near, key=lambda row: row["loss"])["k"],
        "replications": replications,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes/s, s, bytes, bytes, s, packets",
        "longfat_version": __version__,
    }
    return made_by(data, "design.loss_load")


_SIMULATED = {"loss": ("1", "share of packets lost"), "transfer_time": ("s", "mean transfer time")}
_CURVE = {
    **{
        name: attrs(*about)
        for quantity, (unit, text) in _SIMULATED.items()
        for name, about in with_limits(quantity, text, unit).items()
    },
    **{f"law_{name}": attrs(unit, f"{text}, equilibrium") for name, (unit, text) in _SIMULATED.items()},
}
ANSWER = {
    "v": attrs("1", "virtual factor"),
    "status": attrs("", "whether the ceiling is reached"),
    "v_lossless": attrs("1", "virtual factor without loss in equilibrium"),
    "v_ceiling": attrs("1", "virtual factor with the loss of the ceiling in equilibrium"),
    **_CURVE,
    "curve_v": attrs("1", "virtual factor"),
    **{f"curve_{name}": about for name, about in _CURVE.items()},
}


def _answer(transfers: Transfers, k: float, ceiling: float, points: int, effort: Effort) -> dict[str, Any]:
    """Return the results for one k: simulated curve, and point below the ceiling with the shortest transfers."""
    lossless = k / (k + 1)
    allowed = min(1.0, lossless / (1 - ceiling))

    def at(v: float) -> dict[str, float]:
        load = equilibrium_loss(k, v) if transfers.sources > 1 else 0.0
        law = {"law_loss": float(load), "law_transfer_time": in_equilibrium(transfers, k, v)}
        return {"v": v} | transfers.simulate(k, v, effort) | law

    curve = [at(v) for v in sorted({*np.linspace(0.5, 1.0, points).tolist(), lossless, allowed})]
    curve += [curve[-1]] * (points + 2 - len(curve))  # there are fewer if two of these v are equal
    fit = [one for one in curve if one["loss_upper"] <= ceiling]
    over = [one for one in curve if one["loss_upper"] > ceiling]
    least = min(one["loss_upper"] for one in curve)
    if not fit:
        lowest = at(LOWEST)
        least = min(least, lowest["loss_upper"])
        fit = [lowest] if lowest["loss_upper"] <= ceiling else []
    if fit and over:
        fit.append(_last_below(at, ceiling, fit[-1], min((one for one in over), key=lambda one: one["v"])))
    made: dict[str, Any] = {"k": k, "v_lossless": lossless, "v_ceiling": allowed, "least": least}
    made |= {f"curve_{name}": [one[name] for one in curve] for name in ("v", *_CURVE)}
    if not fit:
        return made | {"status": "not reached", "v": math.nan} | dict.fromkeys(_CURVE, math.nan)
    soonest = min(one["transfer_time"] for one in fit)
    chosen = min((one for one in fit if one["transfer_time"] <= (1 + WORTH) * soonest), key=lambda one: one["v"])
    return made | chosen | {"status": "reached"}


def _last_below(at: Any, ceiling: float, below: dict[str, float], above: dict[str, float]) -> dict[str, float]:
    """Bisect between two results; return the result with the largest virtual factor and a loss below the ceiling."""
    while above["v"] - below["v"] > FINENESS:
        middle = at((below["v"] + above["v"]) / 2)
        below, above = (middle, above) if middle["loss_upper"] <= ceiling else (below, middle)
    return below


@dataclass(frozen=True)
class Transfers:
    """Transfers of files of equal size over one link; SI units, the buffer in packets."""

    rate: float
    round_trip_time: float
    sources: int
    file: float
    packet: int
    stagger: float
    buffer: int | None

    @property
    def buffer_packets(self) -> int:
        """Buffer of the switch [packets]: by default a bandwidth-delay product, at least 10 packets."""
        if self.buffer is not None:
            return self.buffer
        return max(10, math.ceil(self.rate * self.round_trip_time / self.packet))

    @property
    def bytes(self) -> float:
        """Bytes sent of each file: its size, rounded up to full packets."""
        return math.ceil(self.file / self.packet) * self.packet

    def network(self, k: float, v: float) -> Network:
        """Return the network: a link behind a loss-load switch, and a reverse link of the same rate."""
        switch = loss_load_switch(k, v, silence=SILENT * self.round_trip_time)
        net = Network().link(
            "sources", "sinks", rate=self.rate, delay=self.round_trip_time / 2, buffer=self.buffer_packets,
            discipline=switch,
        )  # fmt: skip
        net.link("sinks", "sources", rate=self.rate, delay=self.round_trip_time / 2)
        return net.flow(
            "loss-load", path=["sources", "sinks"], packet=self.packet, file=self.file, count=self.sources,
            stagger=self.stagger, parameters={"k": k},
        )  # fmt: skip

    def simulate(self, k: float, v: float, effort: Effort) -> dict[str, float]:
        """Simulate the transfers; return packet loss and mean transfer time [s], with confidence limits."""
        net = self.network(k, v)

        def one(stream: np.random.SeedSequence) -> dict[str, float]:
            data = run(net, rng=stream, progress=False)
            return {
                "loss": float(data.dropped.sum() / data.sent.sum()),
                "transfer_time": float(data.transfer_time.mean()),
            }

        return effort.summed(replicate(one, effort.streams(), progress=effort.tell), {})


def in_equilibrium(transfers: Transfers, k: float, v: float) -> float:
    """Return the mean transfer time [s], one round trip included, of sources that are in equilibrium at every moment.

    Each of m sources has 1/m of the throughput. The throughput is the rate of the link times the load (k + 1) v/k, or
    the rate of the link if this load is above 1. A single source uses the fraction v of the link.

    >>> path = Transfers(rate=5e6, round_trip_time=0.004, sources=2, file=2e6, packet=500, stagger=0.0, buffer=None)
    >>> round(in_equilibrium(path, 2, 2 / 3), 9)  # 2 x 2 MB over 40 Mbit/s, and 4 ms
    0.804
    """
    together = min(1.0, float(equilibrium_load(k, v))) * transfers.rate
    left: list[float] = []  # bytes that remain of each transfer in progress; the transfer that began first ends first
    now, total, started = 0.0, 0.0, 0
    while started < transfers.sources or left:
        each = (together if len(left) > 1 else v * transfers.rate) / max(1, len(left))
        ends = now + left[0] / each if left else math.inf
        begins = started * transfers.stagger if started < transfers.sources else math.inf
        then = min(ends, begins)
        left = [size - each * (then - now) for size in left]
        now = then
        if begins <= ends:
            left.append(transfers.bytes)
            started += 1
            total -= now
        else:
            left.pop(0)
            total += now
    return total / transfers.sources + transfers.round_trip_time
