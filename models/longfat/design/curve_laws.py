"""Laws of the design curves: for flows with synchronised losses, and for bounded windows that cause no loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from longfat.design.buffer_laws import CubicLaws, Laws, Path, laws_of, value_of
from longfat.laws import cubic, tcp
from longfat.sim.schemes import Scheme

#: Quantity -> assumptions of the law of this quantity.
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


@dataclass(frozen=True)
class CurveLaws:
    """Laws of one sender on a path; buffers and windows in bandwidth-delay products, NaN where no law holds."""

    scheme: Scheme
    parameters: Mapping[str, float]
    bandwidth_delay_product: float  # packets
    round_trip_time: float

    @property
    def laws(self) -> Laws:
        """Rules and laws of the sender at a switch on this path."""
        known = {name: float(value) for name, value in self.parameters.items()}
        path = Path(self.bandwidth_delay_product, self.round_trip_time)
        return laws_of(self.scheme, known, path)

    def sawtooth(self, buffer: float, flows: int) -> dict[str, float]:
        """Return utilisation, queueing delay [s] and loss of flows whose windows overflow the buffer.

        All are NaN where path and buffer hold fewer than two packets of each flow, because below that a window cannot
        shrink by a loss and grow again.
        """
        largest = (1 + buffer) * self.bandwidth_delay_product / flows
        if largest < 2:
            return dict.fromkeys(("utilisation", "queueing_delay", "loss"), math.nan)
        delay, loss = math.nan, math.nan
        region = self.region(buffer, flows)
        if region == "linear":  # additive increase of any size
            delay = float(tcp.aimd_mean_queue(buffer, self.laws.decrease)) * self.round_trip_time
        elif region == "cubic":
            delay = float(cubic.mean_queue(buffer, self.laws.decrease)) * self.round_trip_time
        if region == "linear":
            loss = self._loss(largest)
        return {"utilisation": self.laws.together(buffer, flows), "queueing_delay": delay, "loss": loss}

    def _loss(self, largest: float) -> float:
        """Return the loss of a sawtooth whose window grows linearly with the number of round trips."""
        if not isinstance(self.laws, CubicLaws):
            return float(tcp.loss_of_window(largest))
        c, beta = (value_of(self.scheme, self.parameters, name) for name in ("c", "beta"))
        # In the linear region the number of packets between losses does not depend on the round-trip time, so that
        # queueing delay is neglected.
        return min(1.0, 1 / float(cubic.packets_between_losses(largest, self.round_trip_time, c, beta)))

    def region(self, buffer: float, flows: int) -> str:
        """Return "linear" or "cubic" if the window grows in this way over the whole sawtooth, else an empty text."""
        decrease = self.laws.decrease
        if math.isnan(decrease):
            return ""
        if not isinstance(self.laws, CubicLaws):
            return "linear"
        c = value_of(self.scheme, self.parameters, "c")
        largest = (1 + buffer) * self.bandwidth_delay_product / flows
        longest = (1 + buffer) * self.round_trip_time  # with a full buffer, at which linear growth is slowest
        if self.laws.reno_friendly and largest <= FRIENDLY * float(cubic.reno_friendly_window(longest, c, decrease)):
            return "linear"
        # For windows of W_r and more, the cubic function reaches W before the Reno-friendly estimate does, and so
        # determines the time between losses.
        bound = float(cubic.reno_friendly_window(self.round_trip_time, c, decrease))
        return "cubic" if not self.laws.reno_friendly or largest >= bound else ""

    def limited(self, window: float, buffer: float, flows: int) -> dict[str, float]:
        """Return the quantities of `sawtooth` for bounded windows: by Little's law if all fit into path and buffer.

        All are NaN for a window below one packet, which is simulated as one packet, and for a sender other than AIMD,
        which may use less than its window.
        """
        together = window * flows
        if window * self.bandwidth_delay_product < 1 or math.isnan(self.laws.decrease):
            return dict.fromkeys(("utilisation", "queueing_delay", "loss"), math.nan)
        if together > 1 + buffer:
            return self.sawtooth(buffer, flows)
        delay = max(0.0, together - 1) * self.round_trip_time
        return {"utilisation": min(1.0, together), "queueing_delay": delay, "loss": 0.0}

    def transfer_time(self, packets: int, packet_time: float) -> float:
        """Return a lower bound of the time of a short transfer [s]; NaN without an initial window."""
        if "initial_window" not in self.scheme.parameters:
            return math.nan
        first = math.floor(value_of(self.scheme, self.parameters, "initial_window"))
        return float(tcp.slow_start_transfer_time(packets, self.round_trip_time, packet_time, first))
