"""Random early detection against a plain implementation of Floyd & Jacobson (1993), figure 2."""

import math
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

from longfat.sim.kernel import records
from longfat.sim.queues import DROP, ENQUEUE, red

RATE = 5e6  # bytes/s


class Plain:
    """Figure 2 of the paper, with its names; `gentle` and `wait` as in ns-2.35 (red.cc)."""

    def __init__(self, w_q=0.002, min_th=5.0, max_th=15.0, max_p=0.02, gentle=False, wait=False, s=1e-4):
        self.w_q, self.min_th, self.max_th, self.max_p = w_q, min_th, max_th, max_p
        self.gentle, self.wait, self.s = gentle, wait, s
        self.avg, self.count = 0.0, -1

    def marks(self, q, idle, draw):
        """Return whether the arriving packet is marked, and its p_b, from backlog q and idle time of the link [s]."""
        if q > 0 or idle <= 0:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * q
        else:
            self.avg = (1 - self.w_q) ** (idle / self.s) * self.avg
        if self.avg < self.min_th:
            self.count = -1
            return False, 0.0
        if self.avg >= (2 * self.max_th if self.gentle else self.max_th):
            self.count = 0
            return True, 1.0
        if self.avg < self.max_th:
            p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        else:
            p_b = self.max_p + (1 - self.max_p) * (self.avg - self.max_th) / self.max_th
        self.count += 1
        if self.wait:
            if self.count * p_b < 1:
                p_a = 0.0
            elif self.count * p_b < 2:
                p_a = p_b / (2 - self.count * p_b)
            else:
                p_a = 1.0
        else:
            p_a = p_b / (1 - self.count * p_b) if self.count * p_b < 1 else 1.0
        if draw < p_a:
            self.count = 0
            return True, p_b
        return False, p_b


def plain(function, **replaced):
    """Return a hook as plain Python, with the parts that it calls."""
    function = getattr(function, "py_func", function)
    known = {**function.__globals__, **replaced}
    for name in function.__code__.co_names:
        if hasattr(known.get(name), "py_func"):
            known[name] = plain(known[name])
    return FunctionType(function.__code__, known)


def ask(link, packet, now, draws):
    """Return the verdict of RED's hook for given random numbers."""

    def is_full(link, packet, now):
        return link.free_at > now and link.backlog >= link.limit_packets

    return plain(red.enqueue, random=lambda link: next(draws), is_full=is_full)(link, packet, now)


def rows(discipline, rate=RATE):
    """Return a link with an empty buffer of 100 packets, and a packet, as the hook sees them."""
    link = SimpleNamespace(
        rate=rate, free_at=0.0, backlog=0, backlog_bytes=0, limit_packets=100, limit_bytes=2**62, marked=0,
        **discipline.values, **discipline.state,
    )  # fmt: skip
    return link, SimpleNamespace(size=500, marks=0)


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("gentle", [False, True])
@pytest.mark.parametrize("weight", [0.002, pytest.param(0.05, marks=pytest.mark.long)])
def test_the_same_decisions(gentle, wait, weight):
    """A random queue with idle times, 6000 packets: the same average, decisions and count."""
    rng = np.random.default_rng(7)
    size = 1000 if gentle else 500
    link, packet = rows(red(min_th=5, max_th=15, max_p=0.1, weight=weight, gentle=gentle, wait=wait, packet=size))
    referee = Plain(w_q=weight, max_p=0.1, gentle=gentle, wait=wait, s=size / RATE)
    now, level, decisions = 0.0, 0.0, 0
    for k in range(6_000):
        now += float(rng.exponential(1e-4))
        level += 0.01 * (20 * (1 - math.cos(k / 500)) - level) + float(rng.normal())
        waiting = max(0, round(level))
        idle = float(rng.exponential(1e-3)) if waiting == 0 and rng.random() < 0.3 else -1e-5
        link.backlog, link.free_at = waiting, round((now - idle) * 1e9) * 1e-9
        draw = float(rng.random())
        verdict = ask(link, packet, now, iter([draw]))
        marked, _ = referee.marks(waiting, now - link.free_at, draw)
        assert verdict == (DROP if marked else ENQUEUE), k
        assert link.average == pytest.approx(referee.avg, rel=1e-9, abs=1e-12)
        decisions += marked
    assert 30 < decisions < 5_900


@pytest.mark.parametrize("wait", [False, True])
def test_all_above_the_upper_threshold(wait):
    """Figure 2: every packet is marked from max_th on; with `gentle` from twice max_th on."""
    for gentle, average in ((False, 15.0), (True, 30.0)):
        link, packet = rows(red(gentle=gentle, wait=wait))
        link.average, link.backlog, link.free_at = average, 40, 1e6
        verdicts = [ask(link, packet, 0.0, iter([0.999999])) for _ in range(5)]
        assert verdicts == [DROP] * 5


def test_a_drop_by_the_buffer_resets_the_count():
    """ns-2.35, red.cc: a packet that finds the buffer full resets the count."""
    link, packet = rows(red(min_th=5, max_th=15, max_p=0.1, weight=1e-12))
    link.average, link.backlog, link.free_at, link.count = 10.0, 100, 1e6, 7
    assert ask(link, packet, 0.0, iter([])) == ENQUEUE  # nothing is drawn: the buffer drops it
    assert link.count == 0
    link.backlog = 10
    p = 0.05  # halfway between the thresholds; the first packet after a drop has p/(1 - p)
    for draw, verdict in ((p / (1 - p) - 1e-6, DROP), (p / (1 - p) + 1e-6, ENQUEUE)):
        link.count = 0
        assert ask(link, packet, 0.0, iter([draw])) == verdict


def test_a_link_without_transmission_time():
    link, packet = rows(red(), rate=math.inf)
    link.average = 4.0
    assert ask(link, packet, 1e-6, iter([])) == ENQUEUE
    assert link.average == 0.0


def test_marks_only_below_a_tenth():
    """ns-2.35, red.cc, `mark_p_`: above a probability of 0.1 an ECN-capable packet is dropped."""
    for level, expected in ((5.9, ENQUEUE), (6.1, DROP)):
        link, packet = rows(red(min_th=5, max_th=15, max_p=1.0, weight=1e-12, ecn=True))
        link.average, link.backlog, link.free_at = level, 6, 1e6
        packet.flags = records.ECT
        assert ask(link, packet, 0.0, iter([0.0])) == expected
        assert bool(packet.flags & records.CE) == (expected == ENQUEUE)
