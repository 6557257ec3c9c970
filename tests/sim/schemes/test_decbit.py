"""DECbit against traces by hand, printed transfer times, and what its switch makes of it."""

import math

import numpy as np
import pytest

from longfat.sim import Network, run
from longfat.sim.network import traffic
from longfat.sim.queues import decbit
from tests.sim.lab import one_link
from tests.sim.schemes.losses import Trace, compared, drop_numbers, rounds_of

FREE = (1, 1, 2, 2, 3, 3, 4, 4, 5, 5)  # each window lasts two round trips, one packet more each time
HALF = (1, 1, 2, 2, 1, 1, 2, 2, 3, 3)

TRACES = {
    "rounds": Trace("decbit", sent=rounds_of(*FREE)),
    # Half of the bits of one window decide, after those of the window before. With a window of 2, the bits of 3 and 4
    # count, that of 2 does not. Half of them: 1.75, one packet at a time; after the bits of 5 and 6 that of 7 counts:
    # 2.75, at 0.6 s; after 8 those of 9 and 10.
    "bit-before-the-window": Trace("decbit", drop_numbers(mark=(2,)), sent=rounds_of(*FREE)),
    "half-of-the-bits": Trace("decbit", drop_numbers(mark=(3,)), sent=rounds_of(*HALF), at={0.95: {"window": 3.75}}),
    "the-other-half-of-the-bits": Trace("decbit", drop_numbers(mark=(4,)), sent=rounds_of(*HALF)),
    "threshold": Trace("decbit", drop_numbers(mark=(3,)), {"threshold": 0.6}, sent=rounds_of(*FREE)),
    "without-ecn": Trace("decbit", drop_numbers(mark=(3,)), {"ecn": 0}, sent=rounds_of(*FREE)),
    "one-packet-at-least": Trace("decbit", drop_numbers(mark=(3,)), {"decrease": 0.25}, at={0.45: {"window": 1}}),
    "the-first-bit-does-not-count": Trace("decbit", drop_numbers(mark=(0,)), sent=rounds_of(1, 1, 2, 2)),
    # That of 1 does: max(1, 0.875); 3 counts, and so on.
    "the-second-bit-counts": Trace("decbit", drop_numbers(mark=(1,)), sent=rounds_of(1, 1, 1, 1, 2)),
    "increase": Trace("decbit", given={"increase": 3}, sent=rounds_of(1, 1, 4, 4, 7)),
    "initial-window": Trace("decbit", given={"initial_window": 3}, sent=rounds_of(3, 3, 4, 4)),
    # After a timeout the source goes back to the first missing packet, with a window of one for two round trips. The
    # timer, 1 s, was last set at 0.3 s. Where 4 alone is lost, the duplicate of 5 brings a bit, too, so that a window
    # of 3 lets 6 go at 0.4 s, whose bit does not count.
    "loss": Trace(
        "decbit", drop_numbers(4), {"min_rto": 1},
        sent={**rounds_of(1, 1, 2, 2), 0.4: [6], 1.3: [4], 1.4: [7], 1.5: [8, 9], 1.6: [10, 11]},
        at={1.65: {"timeouts": 1}},
    ),
    "loss-of-two": Trace(
        "decbit", drop_numbers(4, 5), {"min_rto": 1},
        sent={**rounds_of(1, 1, 2, 2), 1.3: [4], 1.4: [5], 1.5: [6, 7], 1.6: [8, 9]}, at={1.65: {"timeouts": 1}},
    ),
    # With `fast_retransmit` the third duplicate retransmits. 9 of 9, 10, 11 is lost. With a window of 3 the bits of 7,
    # 8 and, as a duplicate, 10 count: 4, so that 12 goes. Its acknowledgment at 0.7 s is the third duplicate: 9 at once
    # and a window of 1; all to 12 is there.
    "fast-retransmit": Trace(
        "decbit", drop_numbers(9), {"fast_retransmit": 1, "min_rto": 1},
        sent={0.5: [9, 10, 11], 0.6: [12], 0.7: [9], 0.8: [13], 0.9: [14, 15]}, at={0.95: {"timeouts": 0}},
    ),
    "fast-retransmit-of-one": Trace(
        "decbit", drop_numbers(9), {"fast_retransmit": 1, "duplicate_threshold": 1}, sent={0.6: [9]}
    ),
}  # fmt: skip

test_trace = compared(TRACES)


@pytest.mark.parametrize(("packets", "rounds"), [(1, 1), (4, 3), (20, 8), (200, 28), (3906, 124), (4000, 126)])
def test_rounds_of_a_file(packets, rounds):
    """Arithmetic of the rules without marks: n (n + 1) packets in 2 n round trips; 62 x 63 = 3906."""
    net = one_link("decbit", rate=math.inf, delay=0.05, duplex=True, packet=500, file=500 * packets)
    assert float(run(net, progress=False).transfer_time[0]) == pytest.approx(rounds * 0.1, rel=1e-9)


SLOW_START = {4: (3, 1), 20: (5, 5), 200: (8, 73)}  # 1, 2, 4, ...: round trips, packets in the last one
TWO_ROUNDS = {4: (3, 2), 20: (8, 4)}  # 1, 1, 2, 2, ...


@pytest.mark.parametrize(
    ("scheme", "rtt", "rounds", "printed"),
    [
        *((tcp, 40, SLOW_START, {4: 120.1, 20: 200.5, 200: 327.3}) for tcp in ("tahoe", "reno", "newreno", "sack")),
        ("tahoe", 44, SLOW_START, {4: 132.1, 20: 220.5, 200: 359.3}),
        ("decbit", 40, TWO_ROUNDS, {4: 120.2, 20: 320.4}),
    ],
)
def test_short_files(scheme, rtt, rounds, printed):
    """Short files of TCP and DECbit take the times of Kanakia, Keshav and Mishra (1992), experiment 3.

    A packet of 500 B takes 0.1 ms at 40 Mbit/s, so that a round trip is 40.1 ms, and the packets of the last one follow
    each other in 0.1 ms: within 0.5 % of 120, 200, 327 ms.
    """
    for packets, (count, last) in rounds.items():
        net = one_link(scheme, rate="40 Mbit/s", delay=rtt / 2000, buffer=440, packet=500, file=500 * packets)
        time = 1e3 * float(run(net, progress=False).transfer_time[0])
        assert time == pytest.approx(count * (rtt + 0.1) + 0.1 * (last - 1), rel=1e-9)
        assert time == pytest.approx(printed[packets], rel=0.005)


def experiment(starts, discipline, probe=True):
    """Return the transfer time of the first flow in experiments 1 and 2: 2 MB, and ten files of 0.5 MB [ms].

    The bottleneck link ends in the sink, and acknowledgments return over it.
    """
    net = Network().link("S", "D", rate="40 Mbit/s", delay="2 ms", buffer=440, discipline=discipline)
    net.link("D", "S", rate="40 Mbit/s", delay="2 ms")
    for k, start in enumerate([0.0, *starts]):
        net.link(f"H{k}", "S", rate="100 Mbit/s", delay="20 ms", duplex=True)
        net.flow("decbit", path=[f"H{k}", "S", "D"], packet=500, file="0.5 MB" if k else "2 MB", start=start)
    if probe:
        net.link("P", "S", rate="100 Mbit/s", delay="20 ms", duplex=True)
        net.flow(traffic.probe("20 ms"), path=["P", "S", "D"], packet=500)
    return 1e3 * float(run(net, progress=False, duration=7.0).transfer_time[0])


GRADUAL, SUDDEN = np.arange(10) * 0.044 + 0.1, np.arange(10) * 0.004 + 0.1


@pytest.mark.parametrize(("starts", "printed"), [(GRADUAL, 5566), (SUDDEN, 5568)])
def test_no_window_is_reduced(starts, printed):
    """The printed times are those of 126 round trips without a decrease, to the millisecond.

    A round trip is 44 ms, 0.1 ms on the bottleneck link, 0.04 ms at 100 Mbit/s, and 8 + 3.2 us for the 40 B of the
    acknowledgment; the last one has 4000 - 62 x 63 - 63 = 31 packets. Other packets delay it a little. So it is without
    marks, and with those of a switch that counts its backlog (with the probe, that is: without it, half of the bits of
    a window are set now and then in experiment 1). A switch that also counts the
    packet in transmission slows the source down.
    """
    alone = 126 * (44 + 0.1 + 0.04 + 0.0112) + 30 * 0.1
    assert math.floor(alone) == 5566
    for discipline, probe in (("fifo", False), ("fifo", True), (decbit(with_transmission=False), True)):
        assert math.floor(experiment(starts, discipline, probe)) == printed
    assert not experiment(starts, decbit()) < printed + 200  # or not done in 7 s


def knee(bdp, count=1, round_trips=400, near=1.0, **options):
    """Return the second half of a run of sources on a link with a BDP of `bdp` packets, some with a longer path."""
    rtt = bdp * 1e-3
    net = Network().link("a", "b", rate=1e6, delay=near * rtt / 2 - 5e-4, buffer=10 * bdp, discipline=decbit(**options))
    net.link("c", "a", rate=math.inf, delay=(1 - near) * rtt / 2)
    flow = {"packet": 1000, "ack_path": "ideal", "count": count, "stagger": 0.3137 * rtt}
    net.flow("decbit", path=["c", "a", "b"], **flow)
    if near < 1:
        net.flow("decbit", path=["a", "b"], start=0.1 * rtt, **flow)
    span = round_trips * rtt
    data = run(net, duration=span, warm_up=span / 2, rng=1, progress=False, sample_every=rtt / 4)
    return data.sel(link="a-b"), data.window_trace.values[len(data.time) // 2 :]


@pytest.mark.parametrize("bdp", [20, 50, 100])
def test_knee(bdp):
    """The window oscillates around the bandwidth-delay product, with a mean backlog below one packet."""
    data, window = knee(bdp, with_transmission=False)
    assert bdp < window.max() < 1.05 * bdp + 3
    assert window.min() > 0.74 * bdp  # at most two decreases in a row, 0.766
    assert 0.89 < float(data.utilisation) < 0.97
    assert 0.4 < float(data.mean_queue) < 1


@pytest.mark.parametrize("bdp", [50, 100, 200])
def test_two_thirds_of_the_knee(bdp):
    """If the packet in transmission counts, one source ends at two thirds of the knee.

    With the packet in transmission one source ends at two thirds: where the window W has grown, two packets are there
    until its train ends, W packet times later. After W P/P of the cycle before, the average for the packet in the
    middle of the train is (W + 2 W/2)/(P + W/2), 1 at W = 2/3 P: half of the packets are marked.
    """
    data, window = knee(bdp)
    assert 2 * bdp / 3 <= window.max() < 2 * bdp / 3 + 3
    assert float(data.utilisation) == pytest.approx(0.63, abs=0.03)


@pytest.mark.parametrize(("bdp", "count"), [(40, 2), (40, 3), (60, 2), (60, 3), (60, 4)])
def test_equal_sources_get_equal_shares(bdp, count):
    """Equal sources get equal shares: Jain's index exceeds 0.99, and the link is fully used."""
    data, _ = knee(bdp, count, 3000, with_transmission=False)
    assert float(data.jain_index) > 0.99
    assert float(data.utilisation) > 0.92


@pytest.mark.parametrize(("bdp", "count"), [(30, 1), (40, 1), (60, 2)])
def test_the_shorter_path_gets_more(bdp, count):
    """Windows become equal, so that half the round-trip time means about twice the throughput."""
    data, window = knee(bdp, count, 4000, 0.5, with_transmission=False)
    far, near = data.goodput.values.reshape(2, -1).mean(1)
    assert 1.7 < near / far < 2.3
    assert window[:, count:].mean() / window[:, :count].mean() == pytest.approx(1, abs=0.1)
