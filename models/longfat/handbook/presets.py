"""Presets of laws' parameters, each for a network of a paper.

A preset has a value for every parameter that its network determines; a law uses the values of its own parameters. A
value that a paper does not give is that of the project's figures; then the preset's source says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longfat.law import PACKAGE, Law


@dataclass(frozen=True)
class Preset:
    """Network of a paper: name, source, modules of the laws that describe it, parameter values in SI units."""

    name: str
    source: str
    subjects: tuple[str, ...]
    values: Mapping[str, float]

    def of(self, law: Law) -> dict[str, float]:
        """Return the values of a law's parameters, as far as the network determines them.

        A name with a prefix applies to one module only: "blt.buffer" is the buffer in laws of `longfat.laws.blt`.
        """
        about = (law.function.__module__.removeprefix(PACKAGE)).split(".")[0]
        if about not in self.subjects:
            return {}
        both = {name: self.values.get(f"{about}.{name}", self.values.get(name)) for name in law.symbols}
        return {name: value for name, value in both.items() if value is not None}


def _selective_repeat(name: str, rate: float, round_trip: float, loss: float) -> Preset:
    """Return a network of Gong & Parulkar, from its rate [bytes/s], round-trip time RTD [s] and loss probability.

    A segment has s = 16 packets of 1024 bytes, each with the transmission time t_p; t_a = RTD + 3 t_p, w_a = t_a/(s
    t_p).
    """
    packets, size = 16, 1024.0
    packet_time = size / rate
    ack_delay = round_trip + 3 * packet_time
    ack_segments = ack_delay / (packets * packet_time)
    window = float(round(ack_segments + 1))
    return Preset(
        name, "Gong & Parulkar, section 4; packets of 1024 bytes, 16 per segment, are ours", ("selective_repeat",),
        {
            "segment_packets": packets, "packet_time": packet_time, "packet_size": size, "round_trip_time": round_trip,
            "ack_delay": ack_delay, "ack_segments": ack_segments, "loss": loss, "peak_rate": rate, "window": window,
            "receive_buffer": float(round(2 * ack_segments + 1)),
        },
    )  # fmt: skip


def _kim_farber(access: float) -> Preset:
    """Return a network of Kim & Farber, from the rate of the access links [bytes/s].

    Files have 200 packets of 500 bytes. The bottleneck has 0.6 of the access rate, and a buffer of a third of the
    bandwidth-delay product.
    """
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
    """Return a network of eleven equal sources with a total load of (k + 1)/k, from the exponent k of loss-load curves.

    With the rate f of a source [capacity], the curve of each source has the excess a = 10 f - 1 and the spread
    b = 10 f^(k+1).
    """
    sources, size, capacity = 11, 500.0, 5e6
    rate = (k + 1) / k / sources
    return Preset(
        f"Eleven sources over 40 Mbit/s, 44 ms, k = {k:g}",
        "Prithviraj & Williamson, section 3.4, scenario 1; rates at the equilibrium",
        ("loss_load",),
        {
            "k": k, "v": 1.0, "sources": sources, "capacity": capacity, "capacity_packets": capacity / size,
            "round_trip_time": 0.044, "packets": 2e6 / size, "rate": rate,
            "excess": (sources - 1) * rate - 1, "spread": (sources - 1) * rate ** (k + 1),
        },
    )  # fmt: skip


def _cadpc(flows: int) -> Preset:
    """Return a network of CADPC flows that start with one packet of 1000 bytes per update period of 4 x 300 ms."""
    rate = 1000 / (4 * 0.3) / 1.25e6
    return Preset(
        f"{flows} flows over 10 Mbit/s, 300 ms", "Welzl, section III; our initial rate: one packet per update",
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
    """Return the presets that have a value for at least one parameter of a law.

    >>> from longfat.laws import selective_repeat
    >>> [one.name for one in presets(selective_repeat.throughput_efficiency)]
    ['150 Mbit/s, 20 ms, p = 10⁻³', '1 Gbit/s, 100 ms, p = 10⁻⁴']
    """
    return tuple(one for one in PRESETS if one.of(law))
