"""Numbers of the errata and refinements of F. Gong and G. Parulkar, WUCS-92-38 (1992).

The paper gives neither rate nor round-trip time. Unless a function says otherwise the path is that of
`figures.gong_parulkar.runs`: 150 Mbit/s, 20 ms, segments of 16 packets of 1024 bytes, so that the
acknowledgment delay w_a is 370/16 = 23.1 segment times. Simulated numbers come from fixed seeds.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from figures.claims import Context, read
from figures.gong_parulkar.runs import longest
from longfat.laws import selective_repeat as laws
from longfat.segments import simulate, trace
from longfat.segments.simulating import ListedLosses

PACKETS = 16
ACK = 370 / PACKETS
FAR_ACK = 12211 / PACKETS  # 1 Gbit/s, 100 ms: RTD + 3 t_p is 12210.03 packet times
FAR_BDP = 12.5e6 / (PACKETS * 1024)  # bandwidth-delay product [segments]
WIDE = 58  # 2.5 w_a
QUARTER = 6  # 0.25 w_a


def _simulated(window: int, loss: float, packets: float = 1e7, ack_segments: float = ACK, **more):
    """Return a simulation of a window on a path whose segments have 16 packets."""
    return simulate(
        window=window,
        loss=loss,
        segment_packets=PACKETS,
        ack_segments=ack_segments,
        segments=int(packets) // PACKETS,
        rng=0,
        progress=False,
        **more,
    )


def efficiency(window: int, loss: float, buffer: int | None = None, ack: str = "hard") -> float:
    """Return the simulated throughput efficiency of a window [segments] with a receive buffer [segments]."""
    return float(_simulated(window, loss, receive_buffer=buffer, ack=ack).throughput_efficiency)


@cache
def _gaps() -> dict[tuple[int, float], float]:
    """Return the corrected efficiency less the printed one by window and loss, for w_a + 1 < W < 2 w_a + 1."""
    law = laws.throughput_efficiency
    points = [(w, float(p)) for w in range(25, 47 + 1) for p in np.linspace(0.001, 0.1, 100)]
    return {(w, p): float(law(w, p, PACKETS, ACK) - law.as_printed(w, p, PACKETS, ACK)) for w, p in points}


def largest_gap() -> float:
    """Return the largest difference between the corrected and the printed throughput efficiency on the path."""
    return max(_gaps().values())


def window_of_largest_gap() -> int:
    """Return the window of the largest difference [segments]."""
    gaps = _gaps()
    return max(gaps, key=gaps.__getitem__)[0]


def loss_of_largest_gap() -> float:
    """Return the loss probability of the largest difference."""
    gaps = _gaps()
    return max(gaps, key=gaps.__getitem__)[1]


def gap_on_long_paths(loss: float) -> float:
    """Return the difference just below W = 2 w_a + 1 on a path of 1e9 segments."""
    point = (2e9, loss, PACKETS, 1e9)
    return float(laws.throughput_efficiency(*point) - laws.throughput_efficiency.as_printed(*point))


def above_simulation(window: int, loss: float) -> float:
    """Return the corrected throughput efficiency less the simulated one, of 10^8 packets."""
    run = _simulated(window, loss, 1e8)
    return float(laws.throughput_efficiency(window, loss, PACKETS, ACK) - run.throughput_efficiency)


def below_simulation(window: int, loss: float) -> float:
    """Return the simulated throughput efficiency less that of the law."""
    return -above_simulation(window, loss)


def omitted_first_segment(loss: float, packets: int, ack_segments: float) -> float:
    """Return the efficiency that the first segment of a cycle adds where the spare time bounds m."""
    g = 1 - (1 - loss) ** packets
    return g / ((2 * ack_segments + 1 + loss) * g + 1)


def third_transmission_of_a_packet(loss: float) -> float:
    """Return the probability that a packet is lost twice."""
    return loss**2


def third_transmission_of_a_segment(loss: float, packets: int) -> float:
    """Return the probability that at least one packet of a segment is lost twice."""
    return 1 - (1 - loss**2) ** packets


def third_transmissions_in_flight(loss: float, packets: int, ack_segments: float) -> float:
    """Return w_a s p^2, the mean number of packets in flight that need a third transmission."""
    return ack_segments * packets * loss**2


def law_above_simulation_far() -> float:
    """Return the law less the simulation at 1 Gbit/s, 100 ms, p = 0.01, W = 2 w_a."""
    run = _simulated(1526, 0.01, 4e6, FAR_ACK)
    return float(laws.throughput_efficiency(1526, 0.01, PACKETS, FAR_ACK) - run.throughput_efficiency)


def loss_free_run(loss: float, packets: int) -> float:
    """Return the mean number of consecutive segments without loss, by summing its distribution."""
    damaged = 1 - (1 - loss) ** packets
    lengths = np.arange(100_000)
    return float((lengths * damaged * (1 - damaged) ** lengths).sum())


def segments_to_next_damaged(loss: float, packets: int) -> float:
    """Return the mean number of segments up to the next damaged one, 1/g, which counts that one, too."""
    return 1 / (1 - (1 - loss) ** packets)


def far_efficiency(bdp: float) -> float:
    """Return the simulated efficiency at 1 Gbit/s, 100 ms and p = 0.01 of a window in bandwidth-delay products."""
    return float(_simulated(int(bdp * FAR_BDP), 0.01, 1e7, FAR_ACK).throughput_efficiency)


def far_window() -> float:
    """Return the window at 1 Gbit/s, 100 ms, p = 0.01 whose simulated efficiency is 0.95 (1 - p), in BDP."""
    low, high = int(2.5 * FAR_BDP), int(3 * FAR_BDP)
    while high - low > 1:
        middle = (low + high) // 2
        reached = _simulated(middle, 0.01, 1e7, FAR_ACK).throughput_efficiency >= 0.95 * (1 - 0.01)
        low, high = (low, middle) if reached else (middle, high)
    return high / FAR_BDP


def slowdown(before: int, after: int) -> float:
    """Return the reduction of the throughput without loss by a reduced window [%]."""
    runs = [_simulated(window, 0.0, 1e5).throughput_efficiency for window in (before, after)]
    return 100 * (1 - float(runs[1] / runs[0]))


def share_that_slows_down(window: float) -> float:
    """Return the share of a window below which the sender slows down, (1 + w_a)/W_0."""
    return (1 + ACK) / window


def peak_over_average(peak: float, bursts: float, packets: int, size: int) -> float:
    """Return the ratio P/(8 F L l) of peak and average rate [bit/s, bursts/s, packets, bytes]."""
    return peak / (8 * bursts * packets * size)


def overhead_share() -> float:
    """Return 3 t_p as a share of t_s + RTD at 150 Mbit/s and 20 ms [%]."""
    packet_time = 8 * 1024 / 150e6
    return 100 * 3 * packet_time / (PACKETS * packet_time + 0.02)


def maximum_delay(loss: float, buffer: int, ack: str) -> float:
    """Return the longest delay in 10^7 packets, mean of a hundred runs [segment times]; as in the scoreboard."""
    return longest(Context(10**7, 0), loss, buffer, ack).value


def locked_hard(segments: int = 4000) -> float:
    """Return the efficiency of hard acknowledgment in the last third after packets 100 and 119 of a run are lost."""
    seen = trace(
        window=24,
        loss=ListedLosses([100, 119]),
        segment_packets=1,
        ack_segments=9,
        receive_buffer=2,
        segments=segments,
    )
    late = seen.isel(group=seen.start.values > 0.7 * float(seen.start[-1]))
    return float(late.edge[-1] - late.edge[0]) / float(late.start[-1] - late.start[0])


def gain(loss: float) -> float:
    """Return the efficiency of the window 2.5 w_a less that of the buffer's size, 0.25 w_a [percentage points]."""
    return 100 * (efficiency(WIDE, loss, QUARTER) - efficiency(QUARTER, loss))


def gain_ratio(loss: float) -> float:
    """Return the efficiency of the window 2.5 w_a over that of the buffer's size, 0.25 w_a."""
    return efficiency(WIDE, loss, QUARTER) / efficiency(QUARTER, loss)


def gain_percent(loss: float) -> float:
    """Return the relative gain in efficiency of the window 2.5 w_a over a window of the buffer's size, 0.25 w_a [%]."""
    return 100 * (gain_ratio(loss) - 1)


def rows() -> int:
    """Return how many numbers and claims of the paper the scoreboard has."""
    return len(read("003"))


def rows_that_mention(words: str) -> int:
    """Return how many of these rows mention ``words``."""
    return sum(words in f"{row.claim} {row.conditions}".lower() for row in read("003"))
