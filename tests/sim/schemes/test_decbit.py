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
