"""Tri-S against traces by hand and the window it should find."""

import math

import pytest

from longfat.sim import Discipline, Network, run
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.schemes.losses import Diary, drop_numbers


def delay_packets(link, packet, now):
    """Delay packets from a number on by some time, and drop one once."""
    if packet.number == link.lost and not link.done:
        link.done = True
        return DROP
    if packet.number >= link.number:
        link.hold_until = now + link.extra
    return ENQUEUE


def late(number, extra, lost=-1):
    parameters = {"number": float(number), "extra": extra, "lost": float(lost)}
    return Discipline("late", enqueue=delay_packets, parameters=parameters, state={"done": False})


def test_linear_start():
    """The gradient is 1 where the round trip stays, one packet more in each (Wang and Crowcroft 1991)."""
    diary = Diary("tri-s", until=0.55, search=0)
    assert diary.rounds == {
        0.0: [0], 0.1: [1, 2], 0.2: [3, 4, 5], 0.3: [6, 7, 8, 9], 0.4: [*range(10, 15)], 0.5: [*range(15, 21)]
    }  # fmt: skip


def test_search():
    """In the search the window grows with every acknowledgment, as in slow start."""
    diary = Diary("tri-s", until=0.45)
    assert [len(one) for one in diary.rounds.values()] == [1, 2, 4, 8, 16]
    assert [len(one) for one in Diary("tri-s", until=0.25, initial_window=3).rounds.values()] == [3, 6, 12]


@pytest.mark.parametrize(("extra", "window"), [(0.0, 4), (0.019, 4), (0.021, 2), (0.1, 2)])
def test_threshold_by_hand(extra, window):
    """The gradient decides between growth and decrease, by hand.

    5, the last packet of the first window of 3, takes d = 0.1 s and the extra time. Throughputs: 1/0.1, 2/0.1, 3/d;
    (3/d - 20)/1 over 10 is 1/2 or more if d is 0.12 s at most.
    """
    diary = Diary("tri-s", late(5, extra), until=0.3 + extra + 0.01, search=0)
    assert diary.flow.window == window
    # With a threshold of 0.7 no more than 3/27 = 0.111 s.
    diary = Diary("tri-s", late(5, extra), until=0.3 + extra + 0.01, search=0, threshold=0.7)
    assert diary.flow.window == (4 if extra == 0.0 else 2)


@pytest.mark.parametrize(("extra", "window"), [(0.0, 8), (0.03, 8), (0.035, 6), (0.06, 6)])
def test_a_search_ends_by_hand(extra, window):
    """A search ends with the first failed test, by hand.

    Probes are 0, 2 and 6, sent with 1, 2 and 4 packets outstanding. From 3 on packets take d = 0.1 s and the extra
    time: (4/d - 20)/2 over 10 is 1/2 or more if d is 4/30 = 0.133 s at most. The acknowledgments of 3, 4 and 5 make the
    window 7; that of 6 makes it 8, or 6, and then there are no more than 6 packets in a round trip.
    """
    diary = Diary("tri-s", late(3, extra), until=0.3 + extra + 0.01)
    assert diary.sent(0.2) == [3, 4, 5, 6]
    assert diary.flow.window == window
    assert diary.own.searching == (window == 8)  # it goes on


def test_settling():
    """With `settle` every window but the first one lasts two round trips."""
    diary = Diary("tri-s", until=0.75, search=0, settle=1)
    assert [len(one) for one in diary.rounds.values()] == [1, 2, 2, 3, 3, 4, 4, 5]


def test_losses():
    """The third duplicate retransmits one packet, and a new search begins.

    10 of 7..14 is lost; the third duplicate, of 13, sends it again alone, and the search begins anew. All to 20 is
    there: 21 and 22, and so on. Without a search 10..14 leave at 0.4 s: 10 again, 15 and 16, 17 to 19, ...
    """
    diary = Diary("tri-s", drop_numbers(10), 0.75, min_rto=1)
    assert diary.sent(0.4) == [15, 16, 17, 18, 19, 20, 10]
    assert [diary.sent(time) for time in (0.5, 0.6)] == [[21, 22], [23, 24, 25, 26]]
    assert len(diary.sent(0.7)) == 8
    assert diary.flow.timeouts == 0
    diary = Diary("tri-s", drop_numbers(10), 0.85, min_rto=1, search=0)
    assert [diary.sent(time) for time in (0.5, 0.6, 0.7)] == [[10], [15, 16], [17, 18, 19]]
    assert len(diary.sent(0.8)) == 4


def test_timeout():
    """All of 7..14 are lost; the timer, 1 s, was last set at 0.3 s."""
    diary = Diary("tri-s", drop_numbers(*range(7, 15)), 1.65, min_rto=1)
    assert [diary.sent(time) for time in (1.3, 1.4, 1.5)] == [[7], [8, 9], [10, 11, 12, 13]]
    assert diary.flow.timeouts == 1


def windows(bdp, buffer=None, **parameters):
    """Return a run of one flow on a link with a BDP of `bdp` packets, and the window in its second half."""
    rtt = bdp * 1e-3
    net = Network().link("a", "b", rate=1e6, delay=rtt / 2 - 5e-4, buffer=buffer, name="line")
    net.flow("tri-s", path=["a", "b"], packet=1000, ack_path="ideal", parameters=parameters)
    data = run(net, duration=2000 * rtt, warm_up=1000 * rtt, rng=1, progress=False, sample_every=rtt / 4)
    return data, data.window_trace.values[:, 0]


@pytest.mark.parametrize("bdp", [20, 100])
@pytest.mark.parametrize("search", [0, 1])
def test_the_knee(bdp, search):
    """With `settle` the window stays at the bandwidth-delay product P.

    With `settle` the gradient is 1 up to the bandwidth-delay product P and 0 beyond: P - 1 (1 again), P, P + 1 (0), P
    (0).
    """
    data, window = windows(bdp, search=search, settle=1)
    late = window[len(window) // 2 :]
    assert (late.min(), late.max()) == (bdp - 1, bdp + 1)
    assert float(data.utilisation[0]) > 0.98
    assert float(data.dropped[0]) == 0
    if not search:
        assert window.max() == bdp + 1


@pytest.mark.parametrize("bdp", [20, 100])
@pytest.mark.parametrize("search", [0, 1])
def test_between_half_and_all_of_the_bandwidth_delay_product(bdp, search):
    """Without `settle` the window stays between half and all of the bandwidth-delay product.

    Literally, once in a round trip. Where the window has grown the probe waits for the one before it: w packets in P +
    1 packet times, a gradient of P/(P + 1) from one such window to the next, until P + 2 packets take P + 2: 0. Where
    it has fallen they take P, and the growth to w + 1 that follows is a gradient of (P - w)/(P + 1): less than 1/2 as
    long as w > (P - 1)/2, so that the window falls again, twice for each growth.
    """
    data, window = windows(bdp, search=search)
    late = window[len(window) // 2 :]
    assert (late.min(), late.max()) == (math.floor((bdp - 1) / 2), bdp + 2)
    assert float(data.utilisation[0]) == pytest.approx(0.75, abs=0.01)


def test_a_search_goes_too_far():
    """A search doubles the window once too often: a buffer of one bandwidth-delay product overflows."""
    _, window = windows(100)
    assert window.max() > 200
    net = Network().link("a", "b", rate="40 Mbit/s", delay="22 ms", buffer=440)
    net.flow("tri-s", path=["a", "b"], packet=500, ack_path="ideal", file="2 MB")
    assert float(run(net, progress=False).dropped[0]) > 0


def test_a_search_begins_as_the_first_one():
    """A new search is compared with nothing.

    Packets from 3 on take 1 s, so that 6, sent with 4, ends the search at 1.2 s; 8 is lost. At 2.2 s it goes again
    alone, and with its acknowledgment a new search begins: its throughput, 1 in a second, is compared with nothing.
    Against that of 6 it would be a gradient of (1 - 4)/(1 - 4) over 10, and the end of the search.
    """
    diary = Diary("tri-s", late(3, 0.9, lost=8), until=1.25, min_rto=10)
    assert (diary.flow.window, diary.own.searching) == (6, 0)
    diary.advance(3.25)
    assert (diary.sent(2.2)[-1], diary.sent(3.2)) == (8, [14, 15])
    assert (diary.flow.window, diary.own.searching) == (2, 1)
