"""Design of the window of selective repeat, which is fixed: its path, laws and simulations, and the search."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from longfat._version import __version__
from longfat.base.argument import takes
from longfat.base.domains import integer, out_of_range, seed_of
from longfat.base.labelled import ENDS, along_loss, attrs, made_by, with_limits
from longfat.base.progress import bar
from longfat.design.arguments import LOSS, WINDOW
from longfat.design.search import bisected
from longfat.laws import selective_repeat as laws
from longfat.segments import simulate

if TYPE_CHECKING:
    import xarray as xr

Source = Literal["auto", "law", "simulator"]
MOST_SEGMENTS = 10**6  # largest number of segments in flight: a third of it takes a minute and 600 MB
LARGEST_FACTOR = 64  # largest simulated window, in units of w_a + 1; w_a is the acknowledgment delay [segments]
MOST_LOST = 2e6  # approximate bound of lost packets; our choice: a simulation of 1e7 packets loses fewer if p < 1/6
COST = 0.002  # fraction of the efficiency that a receive buffer may cost if a buffer of one window misses the goal


@dataclass(frozen=True)
class Path:
    """Path of selective repeat, with the sizes of segments and packets; fields and derived properties are in SI units.

    >>> path = Path(rate=125e6, round_trip_time=0.1, segment=16384, packet=1024)
    >>> path.segment_packets, path.bandwidth_delay_product, round(path.ack_segments, 2)
    (16, 12500000.0, 763.13)
    """

    rate: float
    round_trip_time: float
    segment: float
    packet: float

    @property
    def segment_packets(self) -> int:
        """Packets per segment; a segment that is not a multiple of ``packet`` is sent in smaller, equal packets."""
        return math.ceil(self.segment / self.packet - 1e-9)

    @property
    def packet_time(self) -> float:
        """Time to send one packet [s]."""
        return self.segment / self.segment_packets / self.rate

    @property
    def ack_delay(self) -> float:
        """Time from the end of a group of packets to its acknowledgment [s]."""
        return float(laws.ack_delay(self.round_trip_time, self.packet_time))

    @property
    def ack_segments(self) -> float:
        """Acknowledgment delay in segment times [segments]."""
        return float(laws.ack_segments(self.ack_delay, self.packet_time, self.segment_packets))

    @property
    def simulated_ack_segments(self) -> float:
        """Acknowledgment delay in the simulator, rounded up to packet times [segments].

        The delay is rounded up because a sender processes an acknowledgment after the packet that it is transmitting.
        """
        return math.ceil(self.ack_segments * self.segment_packets - 1e-9) / self.segment_packets

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product [bytes]."""
        return self.rate * self.round_trip_time

    def simulate(
        self,
        loss: float,
        window: Any,
        rng: Any,
        confidence: float,
        lost: float = 2e5,
        progress: bool = False,
        receive_buffer: int | None = None,
    ) -> xr.Dataset:
        """Run the segment simulator on this path for 10^7 packets, or for more until about ``lost`` are lost.

        Run time is proportional to the losses: `MOST_LOST` bounds them.
        """
        packets = max(1e7, min(lost / loss if loss > 0 else 0, 1e13))
        if loss > 0:
            packets = min(packets, MOST_LOST * (1 - loss) / loss)
        return simulate(
            window=window,
            loss=loss,
            segment_packets=self.segment_packets,
            ack_segments=self.simulated_ack_segments,
            receive_buffer=receive_buffer,
            segments=math.ceil(packets / self.segment_packets),
            confidence=confidence,
            rng=rng,
            progress=progress,
        )


def efficiency(path: Path, loss: float, window: Any) -> Any:
    """Return the throughput efficiency [1] of a window [segments] on a path, by the law."""
    return laws.throughput_efficiency(window, loss, path.segment_packets, path.ack_segments)


def law_is_valid(path: Path, loss: float, window: float) -> bool:
    """Return whether the efficiency law is valid for this path, loss and window."""
    validity = laws.throughput_efficiency.validity
    assert validity is not None
    return bool(
        validity(window=window, loss=loss, segment_packets=path.segment_packets, ack_segments=path.ack_segments)
    )


def law_window(path: Path, loss: float, goal: float) -> int:
    """Return the smallest integer window [segments] at which the law reaches the goal."""
    if efficiency(path, loss, 1) >= goal:
        return 1
    real = laws.window_for_efficiency(goal, loss, path.segment_packets, path.ack_segments)
    found: int = max(2, math.ceil(real))
    while found > 2 and efficiency(path, loss, found - 1) >= goal:  # corrects rounding of the inverse
        found -= 1
    while efficiency(path, loss, found) < goal:
        found += 1
    return found


def simulated_window(reaches: Callable[[int], bool], ack_segments: float) -> int | None:
    """Return the smallest window [segments] for which ``reaches`` is true; None if no window up to a limit suffices.

    ``reaches`` must be true for all larger windows.
    """
    limit = math.ceil(LARGEST_FACTOR * (ack_segments + 1))
    low, high = 0, max(1, math.ceil(2 * ack_segments + 1))
    while not reaches(high):
        low, high = high, 2 * high
        if low >= limit:
            return None
    return bisected(reaches, low, high)


@takes(WINDOW)
def window(
    *, rate: float, round_trip_time: float, loss: Any, target: float, segment: float, packet: float, source: Any,
    points: int, receive_buffer: bool = True, confidence: float, rng: Any,
    progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    r"""Return the smallest window of *selective repeat without congestion control* on a path.

    .. math:: W = \min \{ w : E(w) \ge \text{target} \cdot (1 - p) \}

    E is the efficiency with a fixed window, which losses do not reduce; p is the loss, w_a the acknowledgment delay in
    segments, s the packets in a segment. TCP has no fixed window: use `tcp_window` for it, not W or its receive buffer.

    Parameters
    ----------
    **arguments
    receive_buffer : bool
        Whether to find the smallest receive buffer of selective repeat for the window.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``loss``: ``window_segments`` [segments], ``window_bytes``, ``window_bdp`` [bandwidth-delay
        products], ``goal`` [1], ``law`` and ``simulated`` efficiency there [1] with ``_lower`` and ``_upper``,
        ``source`` ("law" or "simulator"), ``status`` ("reached"; "near", if the law reaches the goal and the
        simulation stays below; "not reached", the window is then NaN),
        ``third_transmissions`` (w_a s p^2, which decides the source); ``buffer_segments``, ``buffer_bytes``,
        ``buffer_share`` and ``buffer_simulated``, with its limits: the receive buffer. Along ``loss`` and ``window``:
        ``curve_law``, ``curve_as_printed``, ``curve_many_rounds`` (our law for any number of rounds) and
        ``curve_simulated``, with its limits; along ``loss`` and ``law_window``, more densely, ``dense_...`` of the
        three laws.

    Notes
    -----
    Where the law is valid (`throughput_efficiency.validity`), the window is that of the law, rounded up to an integer.
    Elsewhere it is the smallest simulated window whose lower confidence limit reaches the goal.

    The receive buffer is that of selective repeat: the smallest one under hard acknowledgment with which the lower
    confidence limit of the efficiency reaches the goal. If the limit with an unlimited buffer stays below the goal, it
    is the smallest buffer whose limit is at most 0.2 % lower. If the buffer is smaller than the window, the receiver
    discards segments beyond the buffer. A TCP receiver advertises its buffer as the window, so that a buffer of this
    size would limit TCP.

    Examples
    --------
    >>> path = {"rate": "150Mbit/s", "round_trip_time": "20ms", "segment": "16KiB", "packet": "1024B"}
    >>> answer = window(loss=1e-4, points=0, receive_buffer=False, **path)
    >>> int(answer.window_segments), str(answer.source.values)
    (24, 'law')

    References
    ----------
    F. Gong and G. M. Parulkar, WUCS-92-38 (1992), sections 3.4, 4.3 and 4.3.1.
    """
    import xarray as xr

    path = Path(rate, round_trip_time, segment, packet)
    losses = LOSS.each("loss", loss)
    if not path.ack_segments <= MOST_SEGMENTS:
        flight = f"as {path.ack_segments:.0f} segments would be in flight, more than {MOST_SEGMENTS}"
        raise out_of_range("segment", path.segment, "bytes", f"larger on this path, {flight}")
    integer("segment over packet", path.segment_packets, "packets", "[1, 1e6]")
    seed, shown = seed_of(rng), functools.partial(bar, unit="loss", shown=progress)
    rows = [_answer(path, p, target, source, seed, confidence) for p in shown(losses, task="finding windows")]
    if receive_buffer:
        for p, row in zip(losses, shown(rows, task="finding receive buffers"), strict=True):
            found = None if math.isnan(row["window_segments"]) else int(row["window_segments"])
            row |= _receive_buffer(path, p, found, row["goal"], seed, confidence)
    variables = along_loss(rows, ANSWER | BUFFER)
    coordinates: dict[str, Any] = {"loss": ("loss", losses, attrs("1", "packet loss probability"))}
    if points:
        more, windows = _curves(path, losses, points, seed, confidence, progress)
        variables, coordinates = variables | more, coordinates | windows
    data = xr.Dataset(variables, coords=coordinates)
    data.attrs = {name: getattr(path, name) for name in OF_PATH} | {
        "simulated_ack_segments": path.simulated_ack_segments,
        "target": target,
        "source_wanted": source,
        "confidence": confidence,
        "seed": str(seed),
        "protocol": "selective repeat, fixed window, no congestion control",
        "units": "bytes/s, s, bytes, bytes, packets, s, s, segments, bytes, products, segments in this order",
        "longfat_version": __version__,
    }
    alone = len(losses) == 1 and (isinstance(loss, str) or np.ndim(loss) == 0)
    return made_by(data.squeeze("loss") if alone else data, "design.window")


ANSWER = {
    "window_segments": ("segments", "window"),
    "window_bytes": ("bytes", "window"),
    "window_bdp": ("1", "window over bandwidth-delay product"),
    "goal": ("1", "throughput efficiency asked for"),
    "law": ("1", "throughput efficiency at the window, law"),
    **with_limits("simulated", "throughput efficiency at the window"),
    "source": ("", "what the window was taken from"),
    "status": ("", "whether the goal is reached"),
    "third_transmissions": ("1", "w_a s p^2: the law holds up to 0.02"),
}
BUFFER = {
    "buffer_segments": ("segments", "receive buffer, hard acknowledgment"),
    "buffer_bytes": ("bytes", "receive buffer, hard acknowledgment"),
    "buffer_share": ("1", "receive buffer over window"),
    "buffer_law": ("1", "throughput efficiency with this buffer, law; NaN outside its validity"),
    **with_limits("buffer_simulated", "throughput efficiency with this buffer"),
}
#: Properties of the path that become attributes of the answer.
OF_PATH = (
    "rate", "round_trip_time", "segment", "packet", "segment_packets", "packet_time", "ack_delay", "ack_segments",
    "bandwidth_delay_product",
)  # fmt: skip


def _answer(path: Path, loss: float, target: float, wanted: Source, seed: Any, confidence: float) -> dict[str, Any]:
    """Return the variables of `ANSWER` for one loss; all windows are simulated with the same random numbers."""
    goal = target * (1 - loss)

    def run(w: int) -> xr.Dataset:
        return path.simulate(loss, w, seed, confidence)

    found: int | None = law_window(path, loss, goal)
    source = wanted
    if wanted == "auto":
        source = "law" if law_is_valid(path, loss, found or 1) else "simulator"
    if source == "simulator":
        found = simulated_window(lambda w: bool(run(w).throughput_efficiency_lower >= goal), path.ack_segments)
    window = found or math.nan
    row: dict[str, Any] = {
        "goal": goal,
        "source": source,
        "status": "reached" if found else "not reached",
        "third_transmissions": path.ack_segments * path.segment_packets * loss**2,
        "window_segments": window,
        "window_bytes": window * path.segment,
        "window_bdp": window * path.segment / path.bandwidth_delay_product,
        "law": efficiency(path, loss, found) if found else math.nan,
    }
    result = run(found) if found else None
    for end in ENDS:
        row[f"simulated{end}"] = math.nan if result is None else float(result[f"throughput_efficiency{end}"])
    if row["simulated_upper"] < goal:
        row["status"] = "near"
    return row


def _receive_buffer(
    path: Path, loss: float, window: int | None, goal: float, seed: Any, confidence: float
) -> dict[str, float]:
    """Find the smallest sufficient receive buffer of a window, and return the variables of `BUFFER`.

    A buffer suffices if the lower confidence limit of the efficiency reaches the goal. If the limit L of a buffer of
    the whole window misses the goal, no buffer reaches it; a buffer then suffices if its limit reaches (1 - `COST`) L.
    """
    if window is None:
        return dict.fromkeys(BUFFER, math.nan)

    def run(buffer: int) -> xr.Dataset:
        return path.simulate(loss, window, seed, confidence, receive_buffer=buffer)

    def lower(buffer: int) -> float:
        return float(run(buffer).throughput_efficiency_lower)

    without = lower(window)
    wanted = goal if without >= goal else (1 - COST) * without
    found = bisected(lambda buffer: lower(buffer) >= wanted, 0, window)
    known = {
        "receive_buffer": found, "loss": loss, "segment_packets": path.segment_packets,
        "ack_segments": path.ack_segments,
    }  # fmt: skip
    law = laws.throughput_efficiency_hard_ack
    assert law.validity is not None
    is_valid = window >= 2 * path.ack_segments + 1 and law.validity(**known)
    result = run(found)
    return {
        "buffer_segments": float(found),
        "buffer_bytes": found * path.segment,
        "buffer_share": found / window,
        "buffer_law": float(law(**known)) if is_valid else math.nan,
        **{f"buffer_simulated{end}": float(result[f"throughput_efficiency{end}"]) for end in ENDS},
    }


#: Name of a curve -> law.
CURVES = {
    "law": laws.throughput_efficiency,
    "as_printed": laws.throughput_efficiency.as_printed,
    "many_rounds": laws.throughput_efficiency_many_rounds,
}


def _curves(
    path: Path, losses: list[float], points: int, seed: Any, confidence: float, progress: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return variables and coordinates of curves by laws and simulation, for windows up to 4 acknowledgment delays."""
    ack = path.ack_segments
    widest = max(4 * ack, 4.0)
    windows = np.unique(np.round(np.linspace(1, widest, points))).astype(int)
    # The law is evaluated on a dense grid, which has the windows on both sides of each jump of the law.
    dense = np.concatenate([np.linspace(1, widest, 201), [1 + 1e-9, ack + 1, (2 * ack + 1) * (1 - 1e-12), 2 * ack + 1]])
    dense = np.unique(dense[dense >= 1])
    coordinates = {
        "window": ("window", windows, attrs("segments", "window simulated")),
        "law_window": ("law_window", dense, attrs("segments", "window")),
    }
    variables = {}
    for dim, grid in (("window", windows.astype(float)), ("law_window", dense)):
        for name, one in CURVES.items():
            # Replace a loss outside the domain of this law by NaN, so that the law returns NaN.
            rates = [loss if one.symbols["loss"].interval.contains(loss) else math.nan for loss in losses]
            values = one(grid[None, :], np.asarray(rates)[:, None], path.segment_packets, ack)
            label = ("curve_" if dim == "window" else "dense_") + name
            variables[label] = (("loss", dim), values, attrs("1", f"throughput efficiency, {name.replace('_', ' ')}"))
    runs = [path.simulate(loss, windows.tolist(), seed, confidence, 5e4, progress) for loss in losses]
    for name, about in with_limits("curve_simulated", "throughput efficiency").items():
        values = np.stack([run[name.replace("curve_simulated", "throughput_efficiency")].values for run in runs])
        variables[name] = (("loss", "window"), values, attrs(*about))
    return variables, coordinates
