"""Path of selective repeat: rate, round-trip time, and sizes of segments and packets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longfat.laws import selective_repeat as laws
from longfat.segments import simulate

if TYPE_CHECKING:
    import xarray as xr

MOST_LOST = 2e6  # approximate bound of lost packets; our choice: a simulation of 1e7 packets loses fewer if p < 1/6


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
