"""Prague against traces and estimates worked out by hand; a round trip of the diary is 100 ms."""

import numpy as np
import pytest

from longfat.sim import Network, run
from longfat.sim.kernel.records import CE, ECT, ECT1
from tests.sim.schemes.losses import Diary, drop_acks, drop_numbers
from tests.sim.schemes.test_dctcp import estimate, marking

ALWAYS = {"transition": 0, "target_round_trip": 0.4}


def test_alpha():
    """Alpha stays at 1 until the first mark, and is updated once per round trip (prague_update_alpha()).

    0..3 leave at once. A round ends when SND.UNA reaches what was SND.NXT at its beginning, 0 at first. 0 ends one, and
    4 is SND.NXT; nothing was marked so far. 2 is marked, and 3 ends the round: 1 of 3. Packet 4 has left with the
    acknowledgment of 0, so that SND.NXT is 5; 4, at 0.2 s, ends the next round, of one packet. 5 was paced.
    """
    diary = Diary("prague", drop_numbers(mark=(2,)), until=0.15, initial_window=4, initial_ssthresh=4)
    assert diary.own.alpha == estimate([(1, 3)])
    assert diary.advance(0.21).own.alpha == pytest.approx(estimate([(1, 3), (0, 1)]), rel=1e-15)
    assert Diary("prague", until=0.35, initial_window=4).own.alpha == 1.0


def test_unmarked_packets_add_to_the_window():
    """Only unmarked packets add, also on acknowledgments of the round in which a mark counted (prague_update_cwnd()).

    8, 10, 12, 14 are marked: 8 makes the window 4.5; 9, 11 and 13 add 1/window each; 10, 12, 14 nothing.
    """
    diary = Diary("prague", marking(8, 15, 2), until=0.45, initial_window=1)
    window = 4.5
    for _ in (9, 11, 13):
        window += 1 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-15)


@pytest.mark.parametrize("lost", [(), (2,)])
def test_lost_acknowledgments_lose_no_mark(lost):
    """2 of 0..3 is marked. If its acknowledgment is lost, that of 3 reports the mark, and one of two packets adds.

    0 and 1 make the window w = 4 + 1/4 + 1/4.25, the mark w/2, and 3 adds 2/w. The share is 1 of 3 in both cases.
    """
    given = {"initial_window": 4, "initial_ssthresh": 4, "back": drop_acks(*lost)}
    diary = Diary("prague", drop_numbers(mark=(2,)), until=0.15, **given)
    window = (4 + 1 / 4 + 1 / 4.25) / 2
    assert diary.flow.window == pytest.approx(window + 1 / window, rel=1e-15)
    assert diary.own.alpha == estimate([(1, 3)])


def test_a_loss_halves_after_a_mark():
    """A loss halves the window although a mark has reduced it before (prague_enter_loss()): 9/2, then half of that."""
    diary = Diary("prague", drop_numbers(10, mark=(8,)), until=0.45, initial_window=1)
    window = 4.5
    for _ in (9, 11, 12):  # 13 is the third behind 10
        window += 1 / window
    assert diary.own.ssthresh == pytest.approx(window / 2, rel=1e-15)
    assert diary.flow.retransmitted == 1


def test_pacing():
    """The rate is a window per round trip, and twice that while the window is below half of ssthresh.

    Without loss ssthresh is unlimited: packets of 1000 bytes, srtt 100 ms, window 8 after 0..6: 160 kB/s.
    """
    assert Diary("prague", until=0.35, initial_window=1).flow.rate == pytest.approx(2 * 8000 / 0.1, rel=1e-9)
    diary = Diary("prague", until=0.35, initial_window=4, initial_ssthresh=4)
    assert diary.flow.rate == pytest.approx(diary.flow.window * 1000 / 0.1, rel=1e-9)


@pytest.mark.parametrize(("given", "increase"), [(ALWAYS, 1 / 16), ({"target_round_trip": 0}, 1.0)])
def test_a_short_round_trip_grows_as_slowly_as_the_target(given, increase):
    """With a target of 400 ms and 100 ms round trips the window grows by (1/4)^2 packets per round trip.

    The rate grows by 1/16 packet per 100 ms in 100 ms, as that of a flow of 400 ms does by one packet per 400 ms in 400
    ms. Without a target it is a packet per round trip: from 10 to about 14 in four round trips.
    """
    diary = Diary("prague", until=0.55, initial_window=10, initial_ssthresh=10, **given)
    window = 10.0
    for _ in range(diary.flow.una):
        window += increase / window
    assert diary.flow.window == pytest.approx(window, rel=1e-12)
    assert diary.flow.una > 40


def test_the_target_limits_reductions():
    """Marks in each round trip of 100 ms reduce once in 400 ms: with alpha 1 the window is halved at 0.1 and 0.5 s.

    Alpha is updated at most once in 400 ms, too.
    """
    diary = Diary("prague", marking(0, 1e9), until=0.45, initial_window=16, initial_ssthresh=8, **ALWAYS)
    assert diary.flow.window == 8.0
    assert diary.advance(0.75).flow.window == 4.0


def test_packets_carry_the_codepoint_of_l4s():
    """Data packets carry ECT(1) (RFC 9331, section 4.1); 3 is marked at once, and keeps it."""
    rows = Diary("prague", drop_numbers(mark=(3,)), until=0.03, initial_window=4).run.state.packets
    marks = {int(row["number"]): int(row["flag_bits"]) for row in rows[rows["length"] == 1000]}
    assert marks == {0: ECT | ECT1, 1: ECT | ECT1, 2: ECT | ECT1, 3: ECT | ECT1 | CE}


@pytest.mark.long
def test_beside_cubic():
    """Beside CUBIC under DualPI2 the shares are those of RFC 9332, appendix C.2, within a factor of two.

    r_L/r_C = (R_b + 15 ms)/(1.4 max(R_b, 25 ms)): 0.71 for 10 ms, 1.14 for 25 ms, 0.98 for 40 ms, for four flows each.
    """
    for base, expected in ((0.010, 0.71), (0.025, 1.14), (0.040, 0.98)):
        net = Network().link("a", "b", rate="40 Mbit/s", delay=base / 2, discipline="dualpi2")
        net.link("b", "a", rate="40 Mbit/s", delay=base / 2)
        net.flow("prague", path=["a", "b"], packet=1500, count=4).flow("cubic", path=["a", "b"], packet=1500, count=4)
        found = run(net, duration=120.0, warm_up=60.0, rng=1, progress=False)
        rates = found.goodput.values
        waits = found.mean_delay.values[:4] - base / 2 - 1500 * 8 / 40e6
        ratio = float(rates[:4].sum() / rates[4:].sum())
        print(f"{base * 1e3:g} ms: ratio {ratio:.2f}, expected {expected}; waits {np.round(waits * 1e3, 2)} ms")
        assert expected / 2 < ratio < 2 * expected
        assert max(waits) < 0.001
