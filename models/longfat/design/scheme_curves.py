"""Design curves: performance of schemes on a path against the bottleneck's buffer or the window of each flow."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import listed, takes
from longfat.base.domains import conflict, out_of_range, seed_of
from longfat.base.labelled import attrs, made_by, with_limits
from longfat.design.arguments import CURVES
from longfat.design.bottleneck import Bottleneck
from longfat.design.buffer_laws import CubicLaws, Laws, Path, laws_of, value_of
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import sampling_interval
from longfat.design.senders import sender
from longfat.laws import cubic, tcp
from longfat.replication import sweep
from longfat.sim import Network, run
from longfat.sim.kernel.jit import inline
from longfat.sim.network import traffic
from longfat.sim.plugin.parameters import Parameter
from longfat.sim.schemes import Scheme

if TYPE_CHECKING:
    import xarray as xr

#: Default buffers, and default windows of each flow [bandwidth-delay products].
BUFFERS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 4.0)
WINDOWS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0)
DENSE = 81  # number of points at which the laws are computed
MOST_PACKETS = 4e9  # most packets of all runs together: about 20 minutes on two cores; our choice

QUANTITIES = {
    "utilisation": ("1", "share of the time in which the link transmits"),
    "queueing_delay": ("s", "mean queueing delay: backlog over rate, over time"),
    "queueing_delay_99": ("s", "99th percentile over time of the queueing delay"),
    "loss": ("1", "share of the packets that the full buffer drops"),
    "transfer_time": ("s", "mean completion time of short transfers"),
}
SHARES = ("utilisation", "loss")  # quantities in [0, 1]
#: Quantity -> assumptions of its law.
ASSUMED = {
    "utilisation": "fluid sawtooth; flows lose at the same time",
    "queueing_delay": "fluid sawtooth; flows lose at the same time",
    "loss": "one loss of each flow in a cycle of its sawtooth",
    "transfer_time": "lower bound: slow start over an empty link",
}
#: Largest ratio of a window W to W_r = `reno_friendly_window` for which the Reno-friendly estimate is never below the
#: cubic function. The estimate grows from beta W to W in the time T, the cubic function in the time K, and T/K =
#: (W/W_r)^(2/3). Up to this ratio the slope of the estimate, (1 - beta) W/T, is at least the initial slope of the cubic
#: function, 3 (1 - beta) W/K.
FRIENDLY = 3**-1.5
#: Shortest observation in round trips and in seconds; the shortest warm-up is a quarter of it. Our choice: timeouts
#: last longer than the short sawtooth of many flows, for which twelve cycles are therefore not enough.
LEAST_ROUND_TRIPS, LEAST_TIME = 2000, 5.0  # round trips, s
LIMIT = "window_limit"
_made: dict[int, tuple[Scheme, Scheme]] = {}  # (scheme, bounded scheme) by identity, so that each is compiled once


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
        """Return buffer and window of a point [bandwidth-delay products]; an unbounded window is infinite."""
        return (value, math.inf) if over == "buffer" else (buffer, value)

    packets = _packets(path, named, counts, [place(one) for one in values], replications)

    def point(rng: np.random.Generator, scheme: str, flows: int, **where: float) -> dict[str, float]:
        return path.simulate(named[str(scheme)], int(flows), *place(float(where[over])), rng)

    grid = {"scheme": list(named), "flows": counts, over: values}
    data = sweep(point, grid, replications=replications, rng=seed, confidence=confidence, progress=progress)
    data = _described(data, over)
    laws = _laws(path, named, counts, over, buffer, values)
    sizes = [path.packets(one) for one in values]
    data = data.assign(laws).assign_coords(
        packets=(over, sizes, attrs("packets", f"{over}, as simulated")),
        bytes=(over, [one * path.packet for one in sizes], attrs("bytes", f"{over}, as simulated")),
    )
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
    """Return the given schemes by name; raise an error for an unknown name, and for two schemes of the same name."""
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


def _laws(
    path: CurvePath, named: dict[str, Any], counts: list[int], over: str, fixed: float, values: list[float]
) -> dict[str, Any]:
    """Return the laws as variables, on a fine grid of buffers or windows that contains the simulated values."""
    dense = np.unique(np.concatenate([np.geomspace(values[0], values[-1], DENSE), values]))
    found = {name: np.full((len(named), len(counts), len(dense)), math.nan) for name in ASSUMED}
    for i, scheme in enumerate(named.values()):
        for j, count in enumerate(counts):
            flows = path.flows(scheme, count)
            shortest = law_of_transfer(flows, path.file)
            for k, one in enumerate(dense.tolist()):
                known = law_of_buffer(flows, one) if over == "buffer" else law_of_window(flows, one, fixed)
                for name, value in (known | {"transfer_time": shortest}).items():
                    found[name][i, j, k] = value
    dim = f"law_{over}"
    made: dict[str, Any] = {
        f"law_{name}": (
            ("scheme", "flows", dim), found[name], attrs(QUANTITIES[name][0], f"{QUANTITIES[name][1]}, law"),
        )
        for name in ASSUMED
        if name != "transfer_time" or path.file is not None
    }  # fmt: skip
    return made | {dim: (dim, dense, _axis(over))}


@dataclass(frozen=True)
class CurvePath(Bottleneck):
    """Network path of the design curves, with methods that simulate it; SI units, buffers and windows in BDPs."""

    spread: float
    file: float | None  # bytes
    load: float  # load of the short transfers, relative to the capacity

    def packets(self, share: float) -> int:
        """Convert a buffer or window from bandwidth-delay products to packets, at least one packet."""
        return max(1, round(share * self.bandwidth_delay_product))

    def flows(self, scheme: str | Scheme, count: int, window: float = math.inf) -> LongFlows:
        """Return ``count`` long-lived flows, with windows up to ``window`` [bandwidth-delay products]."""
        chosen, parameters = sender(scheme)
        if window < math.inf:
            chosen, parameters = limited(chosen), parameters | {LIMIT: float(self.packets(window))}
        return LongFlows(
            rate=self.rate, round_trip_time=self.round_trip_time, packet=self.packet, flows=count, scheme=chosen,
            parameters=parameters, spread=self.spread, most=math.ceil(self.bandwidth_delay_product),
        )  # fmt: skip

    def watch(self, flows: LongFlows, buffer: float) -> tuple[float, float]:
        """Return the times at which the observation begins and ends [s]."""
        begin, until = flows.watch(self.packets(buffer))
        least = max(LEAST_ROUND_TRIPS * self.round_trip_time, LEAST_TIME)
        skipped = max(begin, least / 4)
        return skipped, skipped + max(until - begin, least)

    def simulate(
        self, scheme: str | Scheme, count: int, buffer: float, window: float, rng: np.random.Generator
    ) -> dict[str, float]:
        """Return quantities of a run of the flows alone, and ``transfer_time`` [s] of a run with short transfers."""
        flows = self.flows(scheme, count, window)
        begin, until = self.watch(flows, buffer)
        alone, beside = rng.spawn(2)
        every = sampling_interval(self.round_trip_time, until)
        net = flows.network(self.packets(buffer), alone)
        data = run(net, duration=until, warm_up=begin, sample_every=every, rng=alone, progress=False)
        link = data.sel(link="switch-sinks")
        backlog = link.queue_trace.values[link.time.values >= begin]
        per_packet = self.packet / self.rate
        found = {
            "utilisation": float(link.utilisation),
            "queueing_delay": float(link.mean_queue) * per_packet,
            "queueing_delay_99": float(np.quantile(backlog, 0.99)) * per_packet,
            "loss": float(link.link_dropped) / float(link.arrived),
        }
        if self.file is not None:
            net = self.with_transfers(flows, flows.network(self.packets(buffer), beside))
            data = run(net, duration=until, warm_up=begin, rng=beside, progress=False)
            found["transfer_time"] = float(data.transfer_time.sel(flow="short"))
        return found

    def with_transfers(self, flows: LongFlows, net: Network) -> Network:
        """Add short transfers that arrive at random, each over a new connection with the mean round-trip time."""
        assert self.file is not None
        path = ["switch", "sinks"]
        if flows.flows > 1 and flows.spread > 0:  # the link of the switch has the delay of the shortest round trip
            net.link("sinks", "short", rate=math.inf, delay=flows.spread * self.round_trip_time / 2)
            path.append("short")
        size = math.ceil(self.file / self.packet) * self.packet
        return net.flow(
            traffic.arrivals(self.load * self.rate / size, flows.scheme), path=path, name="short", file=size,
            packet=self.packet, ack_path="ideal", parameters=flows.parameters,
        )  # fmt: skip


def limited(scheme: Scheme) -> Scheme:
    """Return the scheme with the parameter ``window_limit``, an upper bound of its window [packets].

    In Linux a socket buffer has this effect, because a window grows only while it is all in use (tcp_is_cwnd_limited).
    Here the limit bounds the amount in flight; packets that a receiver stores after a lost packet are neglected.

    >>> from longfat.sim.schemes import scheme
    >>> limited(scheme("reno")).parameters["window_limit"].unit
    'packets'
    """
    if id(scheme) in _made:
        return _made[id(scheme)][1]
    if scheme.controls != "window":
        raise conflict(f"scheme {scheme.name!r}", "has no window", "it sets a rate")
    # Limit the windows of these callbacks only: the callbacks for losses and timeouts only reduce the window.
    callbacks = {name: getattr(scheme, name) for name in ("start", "ack", "alarm")}
    bounded: dict[str, Any] = {name: _bounded(inline(one)) for name, one in callbacks.items() if one is not None}
    about = Parameter(math.inf, "packets", "[1, inf]", about="Upper bound of the congestion window")
    made = replace(scheme, parameters={**scheme.parameters, LIMIT: about}, **({"start": _start} | bounded))
    _made[id(scheme)] = (scheme, made)  # keeps the scheme, so that no other one gets its identity
    return made


def _start(flow: Any, event: Any) -> float:
    """Return the initial window [packets], at most ``window_limit``."""
    return min(flow.window, flow.window_limit)  # type: ignore[no-any-return]


def _bounded(inner: Callable[[Any, Any], float]) -> Callable[[Any, Any], float]:
    """Return a callback that returns the window of the callback ``inner``, but at most ``window_limit``."""

    def bounded(flow: Any, event: Any) -> float:
        return min(inner(flow, event), flow.window_limit)  # type: ignore[no-any-return]

    return bounded


def _laws_of(flows: LongFlows) -> Laws:
    """Return rules and laws of the flows' sender at a drop-tail queue."""
    return laws_of(flows.scheme, flows.parameters, Path(flows.bandwidth_delay_product, flows.round_trip_time))


def law_of_buffer(flows: LongFlows, buffer: float) -> dict[str, float]:
    """Return utilisation, queueing delay [s] and loss by law of flows whose windows overflow a buffer [BDP].

    All are NaN where path and buffer hold fewer than two packets of each flow, because below that a window cannot
    shrink by a loss and grow again.
    """
    laws, trip = _laws_of(flows), flows.round_trip_time
    largest = (1 + buffer) * flows.bandwidth_delay_product / flows.flows
    if largest < 2:
        return dict.fromkeys(("utilisation", "queueing_delay", "loss"), math.nan)
    delay, loss, region = math.nan, math.nan, growth(flows, buffer)
    if region == "linear":
        delay = float(tcp.aimd_mean_queue(buffer, laws.decrease)) * trip
        if isinstance(laws, CubicLaws):
            # With linear growth the number of packets between losses does not depend on the round-trip time, so that
            # queueing delay is neglected.
            loss = min(1.0, 1 / float(cubic.packets_between_losses(largest, trip, laws.c, laws.decrease)))
        else:
            loss = float(tcp.loss_of_window(largest))
    elif region == "cubic":
        delay = float(cubic.mean_queue(buffer, laws.decrease)) * trip
    return {"utilisation": laws.together(buffer, flows.flows), "queueing_delay": delay, "loss": loss}


def growth(flows: LongFlows, buffer: float) -> str:
    """Return "linear" or "cubic", the growth of the window in a round trip; empty if both occur or no law is known."""
    laws, trip = _laws_of(flows), flows.round_trip_time
    if math.isnan(laws.decrease):
        return ""
    if not isinstance(laws, CubicLaws):
        return "linear"
    largest = (1 + buffer) * flows.bandwidth_delay_product / flows.flows
    longest = (1 + buffer) * trip  # with a full buffer, at which linear growth is slowest
    if laws.reno_friendly and largest <= FRIENDLY * float(cubic.reno_friendly_window(longest, laws.c, laws.decrease)):
        return "linear"
    # For windows of W_r and more, the cubic function reaches W before the Reno-friendly estimate does, and so
    # determines the time between losses.
    bound = float(cubic.reno_friendly_window(trip, laws.c, laws.decrease))
    return "cubic" if not laws.reno_friendly or largest >= bound else ""


def law_of_window(flows: LongFlows, window: float, buffer: float) -> dict[str, float]:
    """Return the same quantities for windows up to a bound [BDP]: by Little's law if all fit into path and buffer.

    All are NaN for a window below one packet, which is simulated as one packet, and for a sender other than AIMD,
    which may use less than its window.
    """
    together = window * flows.flows
    if window * flows.bandwidth_delay_product < 1 or math.isnan(_laws_of(flows).decrease):
        return dict.fromkeys(("utilisation", "queueing_delay", "loss"), math.nan)
    if together > 1 + buffer:
        return law_of_buffer(flows, buffer)
    delay = max(0.0, together - 1) * flows.round_trip_time
    return {"utilisation": min(1.0, together), "queueing_delay": delay, "loss": 0.0}


def law_of_transfer(flows: LongFlows, file: float | None) -> float:
    """Return a lower bound of the time of a short transfer [s]; NaN without a file or an initial window."""
    if file is None or "initial_window" not in flows.scheme.parameters:
        return math.nan
    first = math.floor(value_of(flows.scheme, flows.parameters, "initial_window"))
    packets = math.ceil(file / flows.packet)
    return float(tcp.slow_start_transfer_time(packets, flows.round_trip_time, flows.packet / flows.rate, first))
