"""Rate of TCP on a path that loses packets: one Reno flow with SACK, by a law and by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.design.curves import attrs
from longfat.design.replicating import Effort, measured
from longfat.laws.tcp import pftk_full_rate, square_root_rate
from longfat.sim import Network

SCHEME = "sack"  # RFC 5681 with the recovery of RFC 6675
SEGMENT = 1460  # bytes: a packet of 1500 less the headers of IPv4 and TCP (RFC 6691, section 2)
BUFFER = 1.0  # bandwidth-delay products at the bottleneck: with it, one flow that halves its window fills the link
#: Receive window, in bandwidth-delay products, that never holds the sender back. Ours: when a segment is lost, one
#: product is in flight behind it, and while it is sent again the sender may send as much once more (RFC 6675,
#: section 5, step C); the receiver keeps all of it until the missing segment arrives.
RECEIVE_WINDOWS = 2.0
#: Receive buffer over receive window under Linux: about half of a buffer holds data (kernel documentation,
#: networking/ip-sysctl, tcp_adv_win_scale, whose default is 1).
LINUX_OVERHEAD = 2.0
#: Largest loss at which the square-root law is given. It leaves timeouts out: 9 % too high at 0.01 (its record).
LARGEST_LOSS_OF_LAW = 0.01
#: The share of the link depends on p N^2 (N: the product in packets) while windows are many packets and timeouts are
#: rare: the sawtooth has no scale of its own. So a path is simulated that loses more and is smaller, up to this loss
#: or down to this product. Ours; tests/test_design_tcp.py compares paths of equal p N^2.
SCALED_LOSS = 1e-4
SCALED_BDP = 100.0
CYCLES, WARM_UP = 100, 20  # mean times between losses that are observed, and before these
SHORTEST_CYCLE = 30.0  # packets
TIMEOUT = 1.0  # s, the least of RFC 6298, section 2.4: only to estimate how long to watch
FINENESS = 1.1  # factor to which the loss is found up to which TCP fills the path


@dataclass(frozen=True)
class TcpPath:
    """A path as one TCP flow sees it, in SI units; headers are left out."""

    rate: float
    round_trip_time: float
    segment: int

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product [packets]."""
        return self.rate * self.round_trip_time / self.segment

    @property
    def receive_window(self) -> float:
        """Receive window that never holds the sender back [bytes]."""
        return RECEIVE_WINDOWS * self.rate * self.round_trip_time

    def law(self, loss: float) -> float:
        """Return the rate by the square-root law, at most the link's [bytes/s]; NaN above `LARGEST_LOSS_OF_LAW`."""
        if loss > LARGEST_LOSS_OF_LAW:
            return math.nan
        return min(self.rate, self.segment * _square_root(loss, self.round_trip_time))

    def law_loss(self, share: float) -> float:
        r"""Return the loss up to which the square-root law fills a share of the link: p = 3/(2 (share N)^2)."""
        return min(1.5 / (share * self.bandwidth_delay_product) ** 2, LARGEST_LOSS_OF_LAW)

    def share(self, loss: float, effort: Effort) -> dict[str, float]:
        """Return the simulated goodput over the link's rate, with its limits: NaN without loss, where runs are equal.

        The flow begins with the window of the square-root law, so that the watch begins in its steady state.
        """
        scaled = max(loss, min(SCALED_LOSS, loss * (self.bandwidth_delay_product / SCALED_BDP) ** 2))
        own = self.bandwidth_delay_product
        simulated = own * math.sqrt(loss / scaled) if loss > 0 else min(own, SCALED_BDP)
        buffer = max(1, round(BUFFER * simulated))
        rate = simulated * self.segment / self.round_trip_time
        largest = simulated + buffer
        # A cycle ends with a loss, or when the buffer is full: 3/8 W^2 packets after the last halving of W.
        cycle = max(SHORTEST_CYCLE, min(1 / scaled if scaled > 0 else math.inf, 3 / 8 * largest * largest))
        pace = simulated / self.round_trip_time
        if scaled > 0:
            pace = min(pace, float(pftk_full_rate(scaled, self.round_trip_time, TIMEOUT, max(1.0, largest))))
        begin = WARM_UP * cycle / pace + 20 * self.round_trip_time
        until = begin + CYCLES * cycle / pace + 20 * self.round_trip_time
        first = max(2.0, min(largest, self.round_trip_time * _square_root(scaled, self.round_trip_time)))

        def network() -> Network:
            link = Network().link(
                "sender", "receiver", rate=rate, delay=self.round_trip_time / 2, buffer=buffer, loss=scaled
            )
            return link.flow(
                SCHEME, path=["sender", "receiver"], packet=self.segment, ack_path="ideal",
                parameters={"initial_ssthresh": first},
            )  # fmt: skip

        streams = effort.streams() if loss > 0 else effort.streams()[:1]  # without loss nothing is random
        runs = measured([network() for _ in streams], streams, begin, until, effort.tell)
        shares = [{"share": float(run["goodput"].sum()) / rate} for run in runs]
        if loss > 0:
            return effort.summed(shares, {"share": (0.0, 1.0)})
        return {"share": min(1.0, shares[0]["share"]), "share_lower": math.nan, "share_upper": math.nan}


def _square_root(loss: float, round_trip_time: float) -> float:
    """Return the rate of the square-root law [packets/s]; infinite without loss."""
    return float(square_root_rate(loss, round_trip_time)) if loss > 0 else math.inf


def loss_that_fills(path: TcpPath, share: float, effort: Effort) -> float:
    """Return the largest loss, to `FINENESS`, at which the simulation reaches a share of the link; NaN if none does.

    The lower confidence limit has to reach it. The search begins at the loss of the square-root law.
    """

    def reaches(loss: float) -> bool:
        return path.share(loss, effort)["share_lower"] >= share

    return largest_loss(reaches, path.law_loss(share))


def largest_loss(reaches: Callable[[float], bool], first: float) -> float:
    """Return the largest loss between ``first``/256 and 4 ``first`` for which ``reaches`` is true, to `FINENESS`.

    >>> round(largest_loss(lambda loss: loss < 2e-6, 1e-5) / 2e-6, 1)
    1.0
    """
    low, high = first, 4 * first
    for _ in range(5):
        if reaches(low):
            break
        low, high = low / 4, low
    else:
        return math.nan
    while high > FINENESS * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low


TCP = {
    "tcp_rate_law": ("bytes/s", "rate of TCP (Reno, SACK), square-root law; NaN above a loss of 0.01"),
    "tcp_rate": ("bytes/s", "rate of TCP (Reno, SACK), simulated"),
    "tcp_rate_lower": ("bytes/s", "rate of TCP (Reno, SACK), lower confidence limit"),
    "tcp_rate_upper": ("bytes/s", "rate of TCP (Reno, SACK), upper confidence limit"),
}


def variables(path: TcpPath, losses: list[float], share: float, effort: Effort) -> dict[str, Any]:
    """Return the variables of `TCP` along ``loss``, and the loss up to which TCP fills a share of the path."""
    columns: dict[str, list[float]] = {"tcp_rate_law": [path.law(loss) for loss in losses]}
    found = math.nan
    if effort.replications:
        shares = [path.share(loss, effort) for loss in losses]
        for end in ("", "_lower", "_upper"):
            columns[f"tcp_rate{end}"] = [path.rate * one[f"share{end}"] for one in shares]
        found = loss_that_fills(path, share, effort)
    said = f"largest loss at which TCP (Reno, SACK) carries {100 * share:.6g}% of the link"
    return {
        **{name: ("loss", np.asarray(column), attrs(*TCP[name])) for name, column in columns.items()},
        "tcp_filling_loss_law": ((), path.law_loss(share), attrs("1", f"{said}, square-root law")),
        **({"tcp_filling_loss": ((), found, attrs("1", f"{said}, simulated"))} if effort.replications else {}),
    }


def attributes(path: TcpPath) -> dict[str, Any]:
    """Return the attributes of TCP: sizes in bytes, the bandwidth-delay product in packets."""
    return {
        "tcp_scheme": SCHEME,
        "tcp_segment": path.segment,
        "tcp_bottleneck_buffer": BUFFER * path.rate * path.round_trip_time,
        "tcp_receive_window": path.receive_window,
        "tcp_linux_receive_buffer": LINUX_OVERHEAD * path.receive_window,
    }
