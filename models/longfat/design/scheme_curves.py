"""Design curves: performance of schemes on a path against the bottleneck's buffer or the window of each flow."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import listed, takes
from longfat.base.domains import out_of_range, seed_of
from longfat.base.labelled import made_by
from longfat.design.arguments import CURVES
from longfat.design.curve_laws import ASSUMED, CurveLaws
from longfat.design.curve_runs import CurvePath, limited
from longfat.design.senders import sender
from longfat.design.window_curves import attrs, with_limits
from longfat.replication import sweep

if TYPE_CHECKING:
    import xarray as xr


#: Default buffers, and default windows of each flow [bandwidth-delay products].
BUFFERS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0)
WINDOWS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0)
DENSE = 81  # number of points at which the laws are computed
MOST_PACKETS = 4e9  # packets of all runs: about 20 minutes on two cores. Ours, so that no command runs for a day.

QUANTITIES = {
    "utilisation": ("1", "share of the time in which the link transmits"),
    "queueing_delay": ("s", "mean queueing delay: backlog over rate, over time"),
    "queueing_delay_99": ("s", "99th percentile over time of the queueing delay"),
    "loss": ("1", "share of the packets that the full buffer drops"),
    "transfer_time": ("s", "mean completion time of short transfers"),
}
LAWS = ("utilisation", "queueing_delay", "loss", "transfer_time")
SHARES = ("utilisation", "loss")  # in [0, 1]


@takes(CURVES)
def curves(
    *, rate: float, round_trip_time: float, schemes: Any, flows: Any, over: str, at: Any, buffer: float,
    file: float | str | None, load: float, packet: int, spread: float,
    replications: int, confidence: float, rng: Any, progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    """Simulate utilisation, delay, loss and short transfers for several buffers, or for several windows of each flow.

    Parameters
    ----------
    **arguments
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``scheme``, ``flows`` and ``buffer`` or ``window`` [bandwidth-delay products]: ``utilisation``, ``loss``
        [1], ``queueing_delay``, ``queueing_delay_99`` and ``transfer_time`` [s], each with ``_lower`` and ``_upper``.
        Along ``law_buffer`` or ``law_window``, more densely: ``law_utilisation``, ``law_queueing_delay``, ``law_loss``
        and ``law_transfer_time``, NaN where there is no law. ``packets`` and ``bytes``: the buffer or window as
        simulated.

    Raises
    ------
    ValueError
        For curves that would take hours.

    Notes
    -----
    The queue is drop tail. The queueing delay is the backlog divided by the rate, which is the delay of a packet that
    arrives at that moment. Each run consists of two simulations: one of the long-lived flows alone, which gives all
    quantities but the transfer time, and one of the same flows beside short transfers, which arrive as a Poisson
    process.

    A run lasts twelve cycles of the sawtooth after three that are not counted (BBR: 100 s after 30 s and 50 round
    trips), and at least 2000 round trips and 5 s. Flows begin in the middle of their sawtooth, at random.

    The laws are those of `buffer` for flows with synchronised losses. If round-trip times are spread, losses are not
    synchronised, and the link is busier. CUBIC's law assumes no fast convergence (RFC 9438, section 4.7); hosts use it,
    so that a simulated flow is below the law. CUBIC's mean queue is given if its window stays in the Reno-friendly or
    in the cubic region. Windows that fit into path and buffer are always in flight: their laws follow from Little's
    law. The law of the transfer time is a lower bound.

    Examples
    --------
    >>> data = curves(rate="20Mbit/s", round_trip_time="20ms", schemes=["reno"], flows=[1], at=[0.5, 1], file=None,
    ...               replications=2, progress=False)
    >>> data.utilisation.dims, bool(data.utilisation.min() > 0.9)
    (('scheme', 'flows', 'buffer'), True)

    References
    ----------
    The laws name theirs: `longfat.laws.tcp.aimd_utilisation_general`, `aimd_mean_queue`, `loss_of_window`,
    `slow_start_transfer_time`, `longfat.laws.cubic.utilisation_general`, `mean_queue`, `packets_between_losses`.
    """
    begun = time.perf_counter()
    size = None if file is None else CURVES["file"].checked("file", file)
    path = CurvePath(rate, round_trip_time, packet, spread, size, load)
    named = _named(schemes)
    counts = CURVES["flows"].each("flows", flows)
    usual = BUFFERS if over == "buffer" else WINDOWS
    values = sorted(CURVES["at"].each("at", usual if at is None else at))
    seed = seed_of(rng)
    if over == "window":
        for one in named.values():
            limited(sender(one)[0])  # refuses schemes without a window

    def place(value: float) -> tuple[float, float]:
        """Return buffer and window of a point [bandwidth-delay products]; infinity means a window without a bound."""
        return (value, math.inf) if over == "buffer" else (buffer, value)

    packets = _packets(path, named, counts, [place(one) for one in values], replications)

    def point(rng: np.random.Generator, scheme: str, flows: int, **where: float) -> dict[str, float]:
        return path.simulate(named[str(scheme)], int(flows), *place(float(where[over])), rng)

    grid = {"scheme": list(named), "flows": counts, over: values}
    data = sweep(point, grid, replications=replications, rng=seed, confidence=confidence, progress=progress)
    data = _described(data, over)
    laws = _laws(path, named, counts, over, buffer, values)
    data = data.assign(laws).assign_coords(_sizes(path, over, values))
    data.attrs = {
        "rate": path.rate,
        "round_trip_time": path.round_trip_time,
        "packet": path.packet,
        "bandwidth_delay_product": path.bandwidth_delay_product,
        "over": over,
        **({"buffer": buffer} if over == "window" else {}),
        "discipline": "fifo",
        "spread": path.spread,
        **({} if path.file is None else {"file": path.file, "load": path.load}),
        "laws": "; ".join(f"{name}: {text}" for name, text in ASSUMED.items()),
        "packets_simulated": packets,
        "wall_time": time.perf_counter() - begun,
        "replications": replications,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes/s, s, bytes, packets as the names say; buffers and windows in bandwidth-delay products",
        "longfat_version": __version__,
    }
    return made_by(data, "design.curves")


def _named(given: Any) -> dict[str, Any]:
    """Return the schemes by their names; raise an error for unknown or equal names."""
    every = listed("schemes", given)
    names = [one if isinstance(one, str) else sender(one)[0].name for one in every]
    if len(set(names)) < len(names):
        raise out_of_range("schemes", names, "1", "schemes of different names")
    for one in every:
        sender(one)  # refuses unknown names
    return dict(zip(names, every, strict=True))


def _packets(
    path: CurvePath, named: dict[str, Any], counts: list[int], places: list[tuple[float, float]], replications: int
) -> float:
    """Return the approximate number of packets in all runs; raise a ValueError if it exceeds `MOST_PACKETS`."""
    costs: dict[tuple[str, int], float] = {}
    for name, scheme in named.items():
        for count in counts:
            for buffer, window in places:
                until = path.watch(path.flows(scheme, count, window), buffer)[1]
                each = until * path.rate / path.packet * (1 if path.file is None else 2)
                costs[name, count] = costs.get((name, count), 0.0) + replications * each
    total = sum(costs.values())
    if total > MOST_PACKETS:
        (name, count), most = max(costs.items(), key=lambda pair: pair[1])
        raise ValueError(
            f"these curves take {total:.2g} packets, more than {MOST_PACKETS:.2g}, of which {most:.2g} are for "
            f"{name} with flows = {count}: a sawtooth of so many packets takes long; give more flows, fewer or smaller "
            "buffers or a slower link"
        )
    return total


def _described(data: xr.Dataset, over: str) -> xr.Dataset:
    """Add units and names to the simulated quantities, and clip their limits to the possible range."""
    made = data.drop_vars("replications")
    for name, (unit, text) in QUANTITIES.items():
        if name not in made:
            continue
        highest = 1.0 if name in SHARES else math.inf
        for one, about in with_limits(name, text, unit).items():
            made[one] = made[one].clip(0.0, highest).assign_attrs(attrs(*about))
    made["scheme"].attrs = attrs("", "congestion control")
    made["flows"].attrs = attrs("flows", "number of long-lived flows")
    made[over].attrs = _axis(over)
    return made


def _axis(over: str) -> dict[str, str]:
    what = "buffer of the bottleneck" if over == "buffer" else "largest window of each flow"
    return attrs("1", f"{what}, over the bandwidth-delay product")


def _sizes(path: CurvePath, over: str, values: list[float]) -> dict[str, Any]:
    """Return the buffers or windows in packets and in bytes, as coordinates."""
    packets = [path.packets(one) for one in values]
    return {
        "packets": (over, packets, attrs("packets", f"{over}, as simulated")),
        "bytes": (over, [one * path.packet for one in packets], attrs("bytes", f"{over}, as simulated")),
    }


def _laws(
    path: CurvePath, named: dict[str, Any], counts: list[int], over: str, fixed: float, values: list[float]
) -> dict[str, Any]:
    """Return the laws as variables, on a fine grid of buffers or windows that contains the simulated values."""
    dense = np.unique(np.concatenate([np.geomspace(values[0], values[-1], DENSE), values]))
    found = {name: np.full((len(named), len(counts), len(dense)), math.nan) for name in LAWS}
    for i, scheme in enumerate(named.values()):
        laws = CurveLaws(*sender(scheme), path.bandwidth_delay_product, path.round_trip_time)
        shortest = math.nan
        if path.file is not None:
            shortest = laws.transfer_time(math.ceil(path.file / path.packet), path.packet / path.rate)
        for j, count in enumerate(counts):
            for k, one in enumerate(dense.tolist()):
                known = laws.sawtooth(one, count) if over == "buffer" else laws.limited(one, fixed, count)
                for name, value in (known | {"transfer_time": shortest}).items():
                    found[name][i, j, k] = value
    dim = f"law_{over}"
    made: dict[str, Any] = {
        f"law_{name}": (
            ("scheme", "flows", dim), found[name], attrs(QUANTITIES[name][0], f"{QUANTITIES[name][1]}, law"),
        )
        for name in LAWS
        if name != "transfer_time" or path.file is not None
    }  # fmt: skip
    return made | {dim: (dim, dense, _axis(over))}
