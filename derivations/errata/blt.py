"""Numbers of the errata and refinements of H. Kim and D. J. Farber, MS-CIS-94-55 (1994).

Networks and schemes are those of `figures.blt.networks`; rates in Mbit/s. Simulated numbers are means
over runs from fixed seeds, and orderings are stated only where the 95 % interval of the difference excludes 0.
"""

from __future__ import annotations

import functools

import numpy as np

from figures.blt import runs as blt_runs
from figures.blt.networks import MBIT, PACKET, SETS
from figures.blt.runs import FILES
from longfat.laws import blt as laws
from longfat.laws import tcp
from longfat.replication import interval

NETWORKS = {one.bottleneck: one for one in (*SETS["reference"], *SETS["1 Gbit/s"])} | {3.0: SETS["15 Mbit/s"][0]}
MBITS = 0.8  # of a file of 100 kB


# Section 3.3.1


def packet_left_out(window: int) -> int:
    """Return the number, from packet p on, of the packet of W_(k+1) that W'_0 ... W'_k omit."""
    offered = set(range(int(laws.window_size(window + 1))))
    (left,) = offered - set(range(int(laws.packets_in_windows(window + 1))))
    return left


def misprinted_by(window: int) -> int:
    """Return the number of packets by which the printed p + 2^(k+2) - 2 exceeds the omitted packet."""
    return 2 ** (window + 2) - 2 - packet_left_out(window)


def round_trips_before(window: int) -> int:
    """Return the number of round trips of slow start before W'_k, which send the packets of all earlier windows."""
    return int(tcp.slow_start_rounds(float(laws.packets_in_windows(window))))


# Arithmetic of sections 4.1 to 4.3


def buffer_by_round_trip(rate: float, round_trip: float) -> float:
    """Return the buffer of section 4.1.1, link rate times link round-trip time, D/3 [packets]."""
    return rate * MBIT * round_trip / 3 / PACKET


def buffer_by_delay(rate: float, round_trip: float) -> float:
    """Return the buffer of section 4.3.2, link rate times link delay, D/6 [packets]."""
    return rate * MBIT * round_trip / 6 / PACKET


def outstanding(throughput: float, response_time: float) -> float:
    """Return the mean number of connections by Little's law; throughput in Mbit/s."""
    return throughput / MBITS * response_time


def growth_of_response_time(bottleneck: float) -> float:
    """Return R of an unloaded file of 1 MB over that of 100 kB, with the propagation and transmission of the paper."""
    path = NETWORKS[bottleneck]
    access, one = PACKET / (path.network * MBIT), PACKET / path.capacity
    small, large = (laws.unloaded_transfer_time(count, path.round_trip, access, one, access) for count in (200, 2000))
    return float(large / small)


# Simulations


@functools.lru_cache(maxsize=64)
def _samples(label: str, bottleneck: float, load: float, what: str, runs: int = 16, packets: float = 1e5) -> np.ndarray:
    """Return a quantity from independent runs of a scheme."""
    data = blt_runs.powers([label], [NETWORKS[bottleneck]], [load], packets=packets, replications=runs, rng=1)
    return data[f"{what}_samples"].values.ravel()


def fairness(label: str, bottleneck: float, load: float) -> float:
    """Return the simulated fairness index."""
    return float(_samples(label, bottleneck, load, "fairness").mean())


def _utilisation(tcp_label: str, load: float) -> np.ndarray:
    """Return BLT's utilisation less TCP's in each of 20 runs, 30 of 150 Mbit/s."""
    ours, theirs = (_samples(one, 30.0, load, "utilisation", 20, 3e5) for one in ("BLT", tcp_label))
    return ours - theirs


def utilisation_gained(tcp_label: str, load: float) -> float:
    """Return BLT's simulated utilisation less TCP's."""
    return float(_utilisation(tcp_label, load).mean())


def utilisation_lost(tcp_label: str, load: float) -> float:
    """Return TCP's simulated utilisation less BLT's."""
    return -utilisation_gained(tcp_label, load)


def least_utilisation_lost(tcp_label: str, load: float) -> float:
    """Return the lower end of the 95 % interval of `utilisation_lost`."""
    return float(interval(-_utilisation(tcp_label, load)).lower)


def most_utilisation_lost(tcp_label: str, load: float) -> float:
    """Return the upper end of the 95 % interval of `utilisation_lost`."""
    return float(interval(-_utilisation(tcp_label, load)).upper)


def steady_power(label: str, bottleneck: float, load: float) -> float:
    """Return log10 of the simulated power in the steady state [B/s^2]."""
    return float(np.log10(_samples(label, bottleneck, load, "power")).mean())


def steady_ratio(bottleneck: float, load: float, tcp_load: float) -> float:
    """Return the ratio of BLT's to TCP's power in the steady state, each at its own load."""
    return float(10 ** (steady_power("BLT", bottleneck, load) - steady_power("TCP", bottleneck, tcp_load)))


def counted_throughput(label: str, load: float) -> float:
    """Return the throughput over 1 Gbit/s counted as in footnote 13, with the files a run that we fitted [Mbit/s]."""
    random = np.random.default_rng(3)
    rates = [
        blt_runs.printed(label, 1000.0, load, connections=FILES, network=1000.0, rng=random)["throughput"]
        for _ in range(40)
    ]
    return float(np.mean(rates)) / MBIT


# Refinements


def advantage(bandwidth_delay_product: float) -> float:
    """Return the estimate of BLT's advantage in power for 200 packets at C D/F."""
    return float(laws.power_advantage(bandwidth_delay_product, 200))


def bandwidth_delay_product_for(factor: float) -> float:
    """Return C D/F from which BLT's power exceeds TCP's by a factor, for 200 packets."""
    return float(laws.bandwidth_delay_product_for_advantage(factor, 200))


def bandwidth_delay_product_of(bottleneck: float) -> float:
    """Return C D/F of a network [files]."""
    path = NETWORKS[bottleneck]
    return path.capacity * path.round_trip / path.file


def tcp_over_blt(load: float) -> float:
    """Return TCP's simulated power over BLT's at 3 of 15 Mbit/s and 30 ms."""
    return float(10 ** (steady_power("TCP", 3.0, load) - steady_power("BLT", 3.0, load)))
