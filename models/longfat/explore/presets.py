"""Networks of the papers: one click sets every parameter that a network decides.

A preset says what a network is, by the parameters' names; a law takes those that it has. What a paper leaves open is
filled in as the project's figures do, and the text says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longfat.explore.state import State
from longfat.law import Law


@dataclass(frozen=True)
class Preset:
    """A network: its name, where it is from, the subjects whose laws it suits, and values in SI units."""

    name: str
    source: str
    subjects: tuple[str, ...]
    values: Mapping[str, float]

    def suits(self, law: Law) -> bool:
        """Whether it decides any parameter of the law."""
        return bool(self.of(law))

    def applied(self, state: State) -> State:
        """The state in this network: the parameters that the law shares with it; the others stay."""
        return state.changed(**self.of(state.law))

    def of(self, law: Law) -> dict[str, float]:
        """The parameters of a law that it decides; "blt.buffer" is the buffer of that subject's laws only."""
        about = subject(law)
        if about not in self.subjects:
            return {}
        both = {name: self.values.get(f"{about}.{name}", self.values.get(name)) for name in law.symbols}
        return {name: value for name, value in both.items() if value is not None}


def subject(law: Law) -> str:
    """The module of longfat.laws that a law is from.

    >>> from longfat.laws import queues
    >>> subject(queues.mm1_wait)
    'queues'
    """
    parts = law.function.__module__.split(".")
    return parts[2] if parts[:2] == ["longfat", "laws"] and len(parts) > 2 else ""


def _selective_repeat(name: str, rate: float, round_trip: float, loss: float) -> Preset:
    """Segments of 16 packets of 1024 bytes; t_a = RTD + 3 t_p, w_a = t_a/(s t_p)."""
    packets, size = 16, 1024.0
    packet_time = size / rate
    ack_delay = round_trip + 3 * packet_time
    ack_segments = ack_delay / (packets * packet_time)
    window = float(round(ack_segments + 1))
    return Preset(
        name, "Gong & Parulkar, section 4; packets of 1024 bytes, 16 to a segment, are ours", ("selective_repeat",),
        {
            "segment_packets": packets, "packet_time": packet_time, "packet_size": size, "round_trip_time": round_trip,
            "ack_delay": ack_delay, "ack_segments": ack_segments, "loss": loss, "peak_rate": rate, "window": window,
            "receive_buffer": float(round(2 * ack_segments + 1)),
        },
    )  # fmt: skip


def _kim_farber(access: float) -> Preset:
    """200 packets of 500 bytes, a bottleneck of 0.6 of the access lines, a buffer of C D/3."""
    size, packets, round_trip, ratio = 500.0, 200, 0.03, 0.6
    rate, file = ratio * access, size * packets
    bdp = rate * round_trip  # bytes
    return Preset(
        f"{rate / MBIT:g} of {access / MBIT:g} Mbit/s, 30 ms, files of 100 kB",
        "Kim & Farber, MS-CIS-94-55, section 4.1; files of one size", ("blt", "power", "tcp"),
        {
            "capacity": rate, "file_size": file, "packets": packets, "round_trip_time": round_trip,
            "access_time": size / access, "bottleneck_time": size / rate, "last_time": size / access,
            "packet_time": size / rate, "bandwidth_delay_product": bdp / file, "propagation": bdp / file,
            "blt.buffer": round(bdp / 3 / size), "tcp.buffer": 1 / 3, "rate_ratio": ratio, "variation": 0.0,
        },
    )  # fmt: skip


def _loss_load(k: float) -> Preset:
    """Eleven equal sources at (k + 1)/k capacities in all: a = 10 f - 1, b = 10 f^(k+1), seen by one of them."""
    sources, size, capacity = 11, 500.0, 5e6
    rate = (k + 1) / k / sources
    return Preset(
        f"Eleven sources over 40 Mbit/s, 44 ms, k = {k:g}",
        "Prithviraj & Williamson, section 3.4, scenario 1; at the equilibrium, where the paper only begins",
        ("loss_load",),
        {
            "k": k, "v": 1.0, "sources": sources, "capacity": capacity, "capacity_packets": capacity / size,
            "round_trip_time": 0.044, "packets": 2e6 / size, "rate": rate,
            "excess": (sources - 1) * rate - 1, "spread": (sources - 1) * rate ** (k + 1),
        },
    )  # fmt: skip


def _cadpc(flows: int) -> Preset:
    """Every flow begins with one packet of 1000 bytes an update of four round trips of 300 ms, over 10 Mbit/s."""
    rate = 1000 / (4 * 0.3) / 1.25e6
    return Preset(
        f"{flows} flows over 10 Mbit/s, 300 ms", "Welzl, section III; the first rate, a packet an update, is ours",
        ("cadpc",),
        {
            "flows": flows, "smoothing": 0.5, "rate": rate, "round_trip_time": 0.3, "round_trips": 4.0,
            "total_weight": float(flows), "weight": 1.0, "initial_flows": 1.0,
        },
    )  # fmt: skip


MBIT = 125_000.0  # bytes/s
PRESETS = (
    _selective_repeat("150 Mbit/s, 20 ms, p = 10⁻³", 150 * MBIT, 0.02, 1e-3),
    _selective_repeat("1 Gbit/s, 100 ms, p = 10⁻⁴", 1000 * MBIT, 0.1, 1e-4),
    *(_kim_farber(rate * MBIT) for rate in (15, 150, 600, 1000)),
    *(_loss_load(k) for k in (2.0, 5.0, 10.0, 20.0)),
    *(_cadpc(flows) for flows in (10, 100)),
)


def presets(law: Law) -> tuple[Preset, ...]:
    """The papers' networks that suit a law.

    >>> from longfat.laws import selective_repeat
    >>> [one.name for one in presets(selective_repeat.throughput_efficiency)]
    ['150 Mbit/s, 20 ms, p = 10⁻³', '1 Gbit/s, 100 ms, p = 10⁻⁴']
    """
    return tuple(one for one in PRESETS if one.suits(law))
