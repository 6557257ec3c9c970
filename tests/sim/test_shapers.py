"""Leaky buckets and the token pool of a paced source, packet by packet."""

import pytest

from longfat.sim import Discipline, queues
from longfat.sim.kernel.records import GREEN, RED
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE
from tests.sim.lab import seen_behind

MS = 1_000_000  # ns


EACH_MS = (traffic.constant(1e6),)  # 1000 B packets; the buckets have a token per 10 ms


@pytest.mark.parametrize(
    ("options", "until", "expected"),
    [
        # Three tokens: 0, 1, 2 leave at once. The pool is one token short of full again at 0 + 10 ms, and so on: packet
        # 3 gets the token of 10 ms, packet 4 that of 20 ms, ...
        ({"tokens": 3, "queue": 100}, 0.055,
         [(0, 0), (1, 1), (2, 2), (3, 10), (4, 20), (5, 30), (6, 40), (7, 50)]),
        # Two may wait. One token: 0 leaves at once, 1 and 2 wait for 10 and 20 ms, 3 ... 9 are dropped. At 10 ms packet
        # 1 leaves before packet 10 comes, which finds one waiting and room: 30 ms. And so on.
        ({"tokens": 1, "queue": 2}, 0.0455, [(0, 0), (1, 10), (2, 20), (10, 30), (20, 40)]),
    ],
    ids=["burst", "full queue"],
)  # fmt: skip
def test_a_leaky_bucket_by_hand(options, until, expected):
    """A packet every 1 ms from 0 on and a token per 10 ms: departures (number and time [ms]), and dropped packets."""
    seen, simulation = seen_behind(EACH_MS, until, discipline=queues.leaky_bucket(100_000.0, **options))
    assert [(one.number, one.time / MS) for one in seen] == expected
    # of the second, 46 came, 1 did not wait, 2 + 4 found room
    assert simulation.state.links[0].dropped == (45 + 1 - 1 - 2 - 4 if options["queue"] == 2 else 0)


def test_jitter_does_not_shorten_a_hold():
    """Tokens of the case above and up to 1 us of jitter: each packet leaves within 1 us behind its token."""
    bucket = queues.leaky_bucket(100_000.0, tokens=3, queue=100)
    seen, _ = seen_behind(EACH_MS, 0.055, jitter=1e-6, discipline=bucket)
    tokens = [0, MS, 2 * MS, 10 * MS, 20 * MS, 30 * MS, 40 * MS, 50 * MS]
    assert all(0 <= one.time - token <= 1000 for one, token in zip(seen, tokens, strict=True))


def test_a_pool_does_not_hold_more_than_its_size():
    """On for 5 ms, off for 1 s: after the pause there are three tokens again, not a hundred."""
    bucket = queues.leaky_bucket(100_000.0, tokens=3, queue=100)
    seen, _ = seen_behind([traffic.on_off(1e6, on=0.005, off=1.0)], 1.2, discipline=bucket)
    times = [one.time for one in seen if one.time > 500 * MS]
    assert times[2] - times[0] == 2 * MS
    assert times[3] - times[0] == 10 * MS


def test_a_late_timer_releases_packets_in_groups():
    """Tokens every 10 ms into a pool of 2.5, packets every 1 ms from 0 on, a timer that is 25 ms late.

    0 and 1 leave at once; at 1 ms 0.6 tokens are left. There is one for packet 2 at 5 ms, and the timer expires at 30
    ms, by when the pool is full: 2 and 3 leave, 0.5 tokens stay. The next is there at 35 ms: 60 ms, and so on.
    """
    bucket = queues.leaky_bucket(100_000.0, tokens=2.5, queue=100, lateness=0.025)
    seen, _ = seen_behind(EACH_MS, 0.095, discipline=bucket)
    assert [(one.number, one.time) for one in seen] == [
        (0, 0), (1, MS), (2, 30 * MS), (3, 30 * MS), (4, 60 * MS), (5, 60 * MS), (6, 90 * MS), (7, 90 * MS),
    ]  # fmt: skip


def test_the_virtual_bucket_colours_instead():
    """Packets every 1 ms, three tokens at first, one every 10 ms: 0, 1, 2, then one in ten are green; all are sent."""
    seen, _ = seen_behind(EACH_MS, 0.0555, discipline=queues.virtual_leaky_bucket(100_000.0, tokens=3))
    assert [one.time for one in seen] == [k * MS for k in range(56)]
    assert [one.number for one in seen if one.colour == GREEN] == [0, 1, 2, 10, 20, 30, 40, 50]
    assert {one.colour for one in seen} == {GREEN, RED}


def hold(link, packet, now):
    link.hold_until = now + 5e-3
    return ENQUEUE


def test_a_discipline_may_hold_what_it_admits():
    """A hook may hold packets that it admits; they keep their order.

    Each packet is held for 5 ms; they come every 2 ms and each leaves 5 ms after its arrival. The link counts them as
    in transmission then, so that its queue holds those behind.
    """
    seen, simulation = seen_behind([traffic.constant(5e5)], 1.0, discipline=Discipline("hold", enqueue=hold))
    assert [one.time for one in seen[:4]] == [5 * MS, 7 * MS, 9 * MS, 11 * MS]
    assert simulation.state.links[0].busy == 0  # without transmission time


@pytest.mark.parametrize(("tokens", "burst"), [(1, 1), (5, 5)])
def test_the_pool_of_a_paced_source(tokens, burst):
    """A paced source of 100 packets/s starts with a full pool, which it uses at once."""
    parameters = {"start_rate": 100_000.0, "tokens": tokens}
    seen, _ = seen_behind([("loss-load", {"packet": 1000, "parameters": parameters})], 0.1)
    times = [one.time for one in seen]
    assert times[:burst] == [0] * burst
    assert times[burst : burst + 3] == [10 * MS, 20 * MS, 30 * MS]
