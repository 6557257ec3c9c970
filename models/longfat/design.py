"""Inverse questions: which window does this path need?"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from longfat import quantities
from longfat._version import __version__
from longfat.domains import generator, number, whole_number
from longfat.laws import selective_repeat as laws
from longfat.sim.segments import simulate

if TYPE_CHECKING:
    import xarray as xr

Search = Literal["bisect", "scan"]
Source = Literal["auto", "law", "simulator"]
REFERENCE_PRODUCTS = 2.5  # Gong & Parulkar, section 4.3: enough for almost perfect efficiency up to p = 1e-2
LARGEST_FACTOR = 64  # the simulator looks for windows up to so many times w_a + 1


@dataclass(frozen=True)
class Path:
    """A path and the way it is cut into segments and packets, in SI units; derived figures as properties.

    >>> path = Path(rate=125e6, round_trip_time=0.1, segment=16384, packet=1024)
    >>> path.segment_packets, path.product, round(path.ack_segments, 2)
    (16, 12500000.0, 763.13)
    """

    rate: float
    round_trip_time: float
    segment: float
    packet: float

    @property
    def segment_packets(self) -> int:
        """Packets per segment; a segment that is no multiple of the packet is sent in smaller equal packets."""
        return math.ceil(self.segment / self.packet - 1e-9)

    @property
    def packet_time(self) -> float:
        """Time to send one packet [s]."""
        return self.segment / self.segment_packets / self.rate

    @property
    def ack_delay(self) -> float:
        """Time from the end of a group of packets to the answer to it [s]."""
        return float(laws.ack_delay(self.round_trip_time, self.packet_time))

    @property
    def ack_segments(self) -> float:
        """The same in segment times [segments]."""
        return float(laws.ack_segments(self.ack_delay, self.packet_time, self.segment_packets))

    @property
    def simulated_ack_segments(self) -> float:
        """The same as the simulator takes it: a whole number of packet times [segments].

        Rounded up, because a sender that is sending acts on an answer at the end of the packet.
        """
        return math.ceil(self.ack_segments * self.segment_packets - 1e-9) / self.segment_packets

    @property
    def product(self) -> float:
        """Bandwidth-delay product [bytes]."""
        return self.rate * self.round_trip_time

    def simulate(
        self, loss: float, window: Any, rng: Any, confidence: float, lost: float = 2e5, progress: bool = False
    ) -> xr.Dataset:
        """The segment simulator on this path: 10^7 packets or so many that about ``lost`` of them are lost."""
        packets = max(1e7, min(lost / loss if loss > 0 else 0, 1e13))  # the cost follows the losses
        return simulate(
            window=window,
            loss=loss,
            segment_packets=self.segment_packets,
            ack_segments=self.simulated_ack_segments,
            segments=math.ceil(packets / self.segment_packets),
            confidence=confidence,
            rng=rng,
            progress=progress,
        )


def window(
    *,
    rate: float | str,
    round_trip_time: float | str,
    loss: Any,
    segment: float | str,
    packet: float | str,
    target: float = 0.95,
    source: Source = "auto",
    search: Search = "bisect",
    points: int = 24,
    confidence: float = 0.95,
    rng: Any = 0,
    progress: bool = True,
) -> xr.Dataset:
    r"""Smallest window that reaches a share of the attainable efficiency, from the law or from the simulator.

    .. math:: W = \min \{ w : E(w) \ge \text{target} \cdot (1 - p) \}

    Parameters
    ----------
    rate : float or str
        Rate of the path [bytes/s], in (0, inf), or text such as "1Gbit/s".
    round_trip_time : float or str
        Round-trip time [s], in (0, inf), or text such as "100ms".
    loss : float, str or sequence
        Packet loss probability [probability], each in [0, 1).
    segment, packet : float or str
        Sizes [bytes], in (0, inf), or text such as "16KiB". A segment is sent in the smallest number of equal
        packets that are no larger than ``packet``.
    target : float
        Share of the attainable efficiency 1 - p [1], in (0, 1).
    source : {"auto", "law", "simulator"}
        What answers: by default the law where it is valid and the simulator elsewhere.
    search : {"bisect", "scan"}
        How the window is found. "scan" tries every window in turn: slow, and the referee of the other.
    points : int
        Windows at which the curves are drawn and simulated; 0 leaves the curves out.
    confidence : float
        Confidence of the simulated intervals [probability], in (0, 1).
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness; the default gives the same answer every time.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``loss``: ``window_segments`` [segments], ``window_bytes``, ``window_products`` [bandwidth-delay
        products], ``goal`` [1], ``law`` and ``simulated`` efficiency there [1] with ``_lower`` and ``_upper``,
        ``source`` ("law" or "simulator"), ``status`` ("reached"; "near", if the law reaches the goal and the
        simulation stays below; "not reached", the window is then NaN),
        ``third_transmissions`` (w_a s p^2, which decides the source), and ``reference_...``: what 2.5 products
        carry. Along ``loss`` and ``window``: ``curve_law``, ``curve_as_printed``,
        ``curve_many_rounds`` (our law for any number of rounds) and ``curve_simulated``, with its limits; along
        ``loss`` and ``law_window``, more densely, ``dense_...`` of the three laws.

    Raises
    ------
    ValueError
        For a value outside its range, by name, value, unit and range.

    Notes
    -----
    The law answers where it is valid (`throughput_efficiency.validity`), rounded up to a whole window. Elsewhere the
    simulator answers: the smallest window whose lower confidence limit reaches the goal.

    Examples
    --------
    >>> answer = window(rate="150Mbit/s", round_trip_time="20ms", loss=1e-4, segment="16KiB", packet="1024B", points=0)
    >>> int(answer.window_segments), str(answer.source.values)
    (24, 'law')

    References
    ----------
    Gong & Parulkar, WUCS-92-38, sections 3.4 and 4.3.
    """
    import xarray as xr

    path = Path(
        quantities.rate(rate),
        quantities.duration(round_trip_time, allowed="(0, inf)"),
        quantities.size(segment, "segment"),
        quantities.size(packet, "packet"),
    )
    losses = _losses(loss)
    target = number("target", target, "1", "(0, 1)")
    points = whole_number("points", points, "windows", "[0, 10000]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    for name, choice, allowed in (("search", search, get_args(Search)), ("source", source, get_args(Source))):
        if not isinstance(choice, str) or choice not in allowed:
            raise ValueError(f"{name} = {reprlib.repr(choice)} is out of range: allowed are {', '.join(allowed)}")

    seed = generator(rng).integers(2**63)
    rows = [_answer(path, p, target, source, search, seed, confidence) for p in _bar(losses, progress)]
    variables: dict[str, Any] = {
        name: ("loss", [row[name] for row in rows], _attrs(unit, description))
        for name, (unit, description) in ANSWER.items()
    }
    coordinates: dict[str, Any] = {"loss": ("loss", losses, _attrs("1", "packet loss probability"))}
    if points:
        more, windows = _curves(path, losses, points, seed, confidence, progress)
        variables, coordinates = variables | more, coordinates | windows
    data = xr.Dataset(variables, coords=coordinates)
    data.attrs = {
        "rate": path.rate,
        "round_trip_time": path.round_trip_time,
        "segment": path.segment,
        "packet": path.packet,
        "segment_packets": path.segment_packets,
        "packet_time": path.packet_time,
        "ack_delay": path.ack_delay,
        "ack_segments": path.ack_segments,
        "product": path.product,
        "reference_products": REFERENCE_PRODUCTS,
        "reference_window": _reference_window(path),
        "simulated_ack_segments": path.simulated_ack_segments,
        "target": target,
        "source_wanted": source,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes/s, s, bytes, bytes, packets, s, s, segments, bytes, products, segments in this order",
        "longfat_version": __version__,
    }
    alone = len(losses) == 1 and (isinstance(loss, str) or np.ndim(loss) == 0)
    return data.squeeze("loss") if alone else data


ANSWER = {
    "window_segments": ("segments", "window"),
    "window_bytes": ("bytes", "window"),
    "window_products": ("1", "window over bandwidth-delay product"),
    "goal": ("1", "throughput efficiency asked for"),
    "law": ("1", "throughput efficiency at the window, law"),
    "simulated": ("1", "throughput efficiency at the window, simulated"),
    "simulated_lower": ("1", "throughput efficiency at the window, lower confidence limit"),
    "simulated_upper": ("1", "throughput efficiency at the window, upper confidence limit"),
    "source": ("", "what the window was taken from"),
    "status": ("", "whether the goal is reached"),
    "third_transmissions": ("1", "w_a s p^2: the law holds up to 0.02"),
    "reference_law": ("1", "throughput efficiency at the reference window, law"),
    "reference_simulated": ("1", "throughput efficiency at the reference window, simulated"),
    "reference_simulated_lower": ("1", "throughput efficiency at the reference window, lower confidence limit"),
    "reference_simulated_upper": ("1", "throughput efficiency at the reference window, upper confidence limit"),
}


CURVES = {
    "law": laws.throughput_efficiency,
    "as_printed": laws.throughput_efficiency.as_printed,
    "many_rounds": laws.throughput_efficiency_many_rounds,
}


def _attrs(unit: str, description: str) -> dict[str, str]:
    return {"units": unit, "long_name": description} if unit else {"long_name": description}


def _losses(loss: Any) -> list[float]:
    values = quantities.fractions(loss) if isinstance(loss, str) else np.atleast_1d(loss)
    if len(values) == 0:
        raise ValueError("loss = [] is out of range: allowed is at least one probability in [0, 1)")
    return [number("loss", value, "probability", "[0, 1)") for value in values]


def _bar(items: Any, progress: bool) -> Any:
    from tqdm import tqdm

    return tqdm(items, desc="finding windows", unit="loss", delay=2, leave=False, disable=not progress)


def _reference_window(path: Path) -> int:
    """The largest whole window inside 2.5 products; 0 if they hold less than a segment."""
    return math.floor(REFERENCE_PRODUCTS * path.product / path.segment)


def _efficiency(path: Path, loss: float, window: Any) -> Any:
    return laws.throughput_efficiency(window, loss, path.segment_packets, path.ack_segments)


def law_is_valid(path: Path, loss: float, window: float) -> bool:
    """Whether the efficiency law holds for this path, loss and window."""
    validity = laws.throughput_efficiency.validity
    assert validity is not None
    return bool(
        validity(window=window, loss=loss, segment_packets=path.segment_packets, ack_segments=path.ack_segments)
    )


def law_window(path: Path, loss: float, goal: float, search: Search = "bisect") -> int:
    """Smallest whole window at which the law reaches the goal."""
    if search == "scan":
        windows = np.arange(1, math.ceil(2 * path.ack_segments + 1) + 1)
        return int(windows[np.argmax(_efficiency(path, loss, windows.astype(float)) >= goal)])
    if _efficiency(path, loss, 1) >= goal:
        return 1
    real = laws.window_for_efficiency(goal, loss, path.segment_packets, path.ack_segments)
    found: int = max(2, math.ceil(real))
    while found > 2 and _efficiency(path, loss, found - 1) >= goal:  # rounding of the inverse
        found -= 1
    while _efficiency(path, loss, found) < goal:
        found += 1
    return found


def simulated_window(reaches: Callable[[int], bool], ack_segments: float, search: Search = "bisect") -> int | None:
    """Smallest window of which ``reaches`` is true, if it is true from some window on; None if there is none."""
    limit = math.ceil(LARGEST_FACTOR * (ack_segments + 1))
    if search == "scan":
        return next((w for w in range(1, limit + 1) if reaches(w)), None)
    low, high = 0, max(1, math.ceil(2 * ack_segments + 1))
    while not reaches(high):
        low, high = high, 2 * high
        if low >= limit:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _answer(
    path: Path, loss: float, target: float, wanted: Source, search: Search, seed: Any, confidence: float
) -> dict[str, Any]:
    """One row of the answer. All windows meet the same random numbers, so that they can be compared."""
    goal = target * (1 - loss)

    def run(w: int) -> xr.Dataset:
        return path.simulate(loss, w, seed, confidence)

    found: int | None = law_window(path, loss, goal, search)
    source = wanted
    if wanted == "auto":
        source = "law" if law_is_valid(path, loss, found or 1) else "simulator"
    if source == "simulator":
        found = simulated_window(lambda w: bool(run(w).throughput_efficiency_lower >= goal), path.ack_segments, search)
    reference = _reference_window(path)
    row: dict[str, Any] = {
        "goal": goal,
        "source": source,
        "status": "reached" if found else "not reached",
        "third_transmissions": path.ack_segments * path.segment_packets * loss**2,
        "window_segments": found or math.nan,
        "window_bytes": (found or math.nan) * path.segment,
        "window_products": (found or math.nan) * path.segment / path.product,
    }
    for prefix, w in (("", found), ("reference_", reference)):
        result = run(w) if w else None
        row[f"{prefix}law"] = _efficiency(path, loss, w) if w else math.nan
        for suffix in ("", "_lower", "_upper"):
            value = math.nan if result is None else float(result["throughput_efficiency" + suffix])
            row[f"{prefix}simulated{suffix}"] = value
    if row["simulated_upper"] < goal:
        row["status"] = "near"
    return row


def _curves(
    path: Path, losses: list[float], points: int, seed: Any, confidence: float, progress: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates: law, printed law and simulation over windows from 1 to 4 w_a."""
    ack = path.ack_segments
    widest = max(4 * ack, 4.0)
    windows = np.unique(np.round(np.linspace(1, widest, points))).astype(int)
    # Densely for the law, with the windows on either side of its jumps.
    dense = np.concatenate([np.linspace(1, widest, 201), [1 + 1e-9, ack + 1, (2 * ack + 1) * (1 - 1e-12), 2 * ack + 1]])
    dense = np.unique(dense[dense >= 1])
    coordinates = {
        "window": ("window", windows, _attrs("segments", "window simulated")),
        "law_window": ("law_window", dense, _attrs("segments", "window")),
    }
    variables = {}
    for dim, grid in (("window", windows.astype(float)), ("law_window", dense)):
        for name, one in CURVES.items():
            # NaN where a loss lies outside the domain of this law.
            rates = [loss if one.symbols["loss"].interval.contains(loss) else math.nan for loss in losses]
            values = one(grid[None, :], np.asarray(rates)[:, None], path.segment_packets, ack)
            label = ("curve_" if dim == "window" else "dense_") + name
            variables[label] = (("loss", dim), values, _attrs("1", f"throughput efficiency, {name.replace('_', ' ')}"))
    runs = [path.simulate(loss, windows.tolist(), seed, confidence, 5e4, progress) for loss in losses]
    for suffix in ("", "_lower", "_upper"):
        values = np.stack([run["throughput_efficiency" + suffix].values for run in runs])
        description = f"throughput efficiency, simulated{suffix.replace('_', ', ')}"
        variables[f"curve_simulated{suffix}"] = (("loss", "window"), values, _attrs("1", description))
    return variables, coordinates
