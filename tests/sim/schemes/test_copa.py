"""Copa against traces by hand; a round trip is 100 ms. `longfat verify` has the laws of its queue and its shares.

Sections are those of Arun and Balakrishnan (NSDI 2018).
"""

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers, late


def test_slow_start_and_pacing_by_hand():
    """Section 2.1: cwnd doubles in a round trip without queueing; 10, 20, 40. The rate is 2 cwnd/RTTstanding.

    0..9 leave at once. Their acknowledgments, all at 0.1 s, make the window 20, so that 20 packets leave at 400 packets
    per second.
    """
    diary = Diary("copa", until=0.09)
    assert diary.flow.window == 10
    assert diary.advance(0.19).flow.window == 20
    assert diary.flow.rate == pytest.approx(2 * 20 * 1000 / 0.1, rel=1e-9)
    assert diary.sent(0.0) == list(range(10))
    first, last = diary.all(11)[0].time, diary.all(29)[0].time
    assert last - first == pytest.approx(18 / 400, rel=1e-6)
    assert diary.advance(0.29).flow.window == 40


def test_the_target_rate_by_hand():
    """Section 2.1: with d_q = 10 ms and delta = 0.5 per packet the target is 1/(0.5 * 0.01 s) = 200 packets/s.

    Packets from 20 on take 110 ms: 200 packets/s are a window of 22. When no earlier one has come for half a round
    trip, slow start ends at a window of 40; it falls by v/(delta cwnd) = 2/40, then 2/39.95, and so on, to 22.
    """
    diary = Diary("copa", late(20, 0.01), until=0.24)
    assert diary.own.slow_start
    before, una = float(diary.flow.window), int(diary.flow.una)
    while diary.own.slow_start:
        before, una = float(diary.flow.window), int(diary.flow.una)
        diary.advance(diary.run.now + 0.0005)
    window = before
    for _ in range(int(diary.flow.una) - una):
        window -= 2 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-12)
    least = min(float(diary.advance(0.4 + 0.01 * k).flow.window) for k in range(65))
    assert least == pytest.approx(22, abs=1)
    assert diary.own.standing - diary.own.minimum == pytest.approx(0.01, rel=1e-6)


def test_the_velocity_by_hand():
    """Section 2.1: v doubles once per round trip, but only after three RTTs in one direction; a reversal makes it 1.

    Packets from 900 on take 2 s more, a target of one packet/s, and the window falls from about 700 all the time:
    v is 1 in the first window, in which it turns, and in the three of that direction; then 2, 4, 8, ...
    """
    diary = Diary("copa", late(900, 0.05), until=0.3)
    seen = []
    while len(seen) < 9:
        diary.run.advance(diary.run.now + 0.01)
        if not diary.own.slow_start and (not seen or diary.own.round_end != seen[-1][0]):
            seen.append((int(diary.own.round_end), float(diary.own.velocity), bool(diary.own.up)))
    velocities = [velocity for _, velocity, up in seen if not up]
    assert velocities[:7] == [1, 1, 1, 2, 4, 8, 16]


def test_the_competitive_mode_by_hand():
    """Section 2.2: 1/delta grows by a packet in a round trip once no queue was nearly empty for 5 RTT; losses halve it.

    From 100 on packets take 110 ms: the queueing delay is 10 ms, not below a tenth of that.
    """
    diary = Diary("copa", late(100, 0.01, lost=2000), until=0.3)
    diary.run.advance(0.8)
    assert (diary.own.inverse, bool(diary.own.competitive)) == (2.0, False)
    diary.run.advance(float(diary.own.emptied) + 5.5 * 0.11 + 0.11)
    start = float(diary.own.inverse)
    assert diary.own.competitive
    diary.run.advance(diary.run.now + 10 * 0.11)
    assert diary.own.inverse - start == pytest.approx(10, abs=1)
    while diary.flow.losses == 0:
        before = float(diary.own.inverse)
        diary.run.advance(diary.run.now + 0.001)
        assert diary.run.now < 9.0  # later the minimum of 100 ms is forgotten, and nothing limits the flow
    assert diary.own.inverse == before / 2


def test_a_timeout_restarts_slow_start():
    """Ours, as RFC 5681, section 3.1: two packets, from which the window doubles in each round trip."""
    diary = Diary("copa", drop_numbers(*range(10)), until=0.3)
    while diary.flow.timeouts == 0:
        diary.run.advance(diary.run.now + 0.05)
    assert diary.flow.window == 2
    assert diary.own.slow_start
    diary.run.advance(diary.run.now + 0.1)
    assert diary.flow.window == 4
