"""PIE against the pseudo-code of RFC 8033, appendix A, packet by packet with the same random numbers; its set point."""

from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

from longfat.sim.kernel.records import CE
from longfat.sim.network import traffic
from longfat.sim.queues import pie
from longfat.sim.switch.pie import is_drawn
from tests.sim.lab import Queue, logged, one_link, simulated, transmissions
from tests.sim.networks import FIXED
from tests.sim.own import of_link
from tests.sim.spy import Spy

MS = 1_000_000  # ns


class Referee(Queue):
    """RFC 8033, appendix A, with the options of sections 5.1, 5.4 and 5.5, for packets (time [ns], size, name, ECT)."""

    def __init__(self, draws, limit, ecn=False, derandomize=False, cap=False):
        self.draws, self.limit, self.ecn, self.derandomize, self.cap = draws, limit, ecn, derandomize, cap
        self.queue, self.bytes, self.tick = deque(), 0, 0  # an update every 15 ms
        self.drop_prob = self.current_qdelay = self.qdelay_old = self.accu_prob = 0.0
        self.burst_allowance = 10  # updates: 150 ms/15 ms
        self.dropped, self.marked, self.overflow, self.bypassed = [], [], [], 0

    def put(self, packet, idle):
        if not idle and len(self.queue) >= self.limit:
            self.overflow.append(packet[2])
            self.accu_prob = 0.0
            return
        if self.drop_prob == 0 and self.current_qdelay < 0.015 / 2 and self.qdelay_old < 0.015 / 2:
            self.burst_allowance = 10
        self.bypassed += self.burst_allowance > 0 and self.drop_prob > 0
        if self.burst_allowance == 0 and self.drop_early():
            self.accu_prob = 0.0
            if not (self.ecn and packet[3] and self.drop_prob < 0.1):
                self.dropped.append(packet[2])
                return
            self.marked.append(packet[2])
        self.queue.append(packet)
        self.bytes += packet[1]

    def drop_early(self):
        if (self.qdelay_old < 0.015 / 2 and self.drop_prob < 0.2) or self.bytes <= 2 * 1024:
            return False
        if self.derandomize:
            if self.drop_prob == 0:
                self.accu_prob = 0.0
            self.accu_prob += self.drop_prob
            if self.accu_prob < 0.85:
                return False
            if self.accu_prob >= 8.5:
                return True
        return self.draws.random() < self.drop_prob

    def take(self):
        if not self.queue:
            return None
        packet = self.queue.popleft()
        self.bytes -= packet[1]
        # Appendix A keeps the last delay when the queue is empty; here it is 0, as in Linux.
        self.current_qdelay = (self.now - packet[0]) * 1e-9 if self.queue else 0.0
        return packet

    def update(self):
        self.tick += 15 * MS
        p = 0.125 * (self.current_qdelay - 0.015) + 1.25 * (self.current_qdelay - self.qdelay_old)
        if self.drop_prob < 0.000001:
            p /= 2048
        elif self.drop_prob < 0.00001:
            p /= 512
        elif self.drop_prob < 0.0001:
            p /= 128
        elif self.drop_prob < 0.001:
            p /= 32
        elif self.drop_prob < 0.01:
            p /= 8
        elif self.drop_prob < 0.1:
            p /= 2
        if self.cap and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if self.current_qdelay == 0 and self.qdelay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.qdelay_old = self.current_qdelay
        self.burst_allowance = max(0, self.burst_allowance - 1)


@pytest.mark.parametrize(
    ("buffer", "load", "options"),
    [
        (10_000, 1.15, {}),
        (60, 1.8, {}),
        (10_000, 1.15, {"derandomize": True}),
        (60, 1.8, {"cap": True}),
        (60, 1.8, {"ecn": True}),
    ],
)
def test_it_is_the_pseudo_code(options, buffer, load):
    """Bursts that PIE allows and an overload that it does not: every drop, mark and departure agrees, and the end.

    One sender has ECN; its packets have a size of their own.
    """
    sources = [
        (traffic.on_off(1.9e6, 0.3, 0.9, shape_on=1, shape_off=1), {"packet": 1003, "name": "bursts"}),
        (traffic.poisson((load - 0.95) * 1e6), {"packet": 211, "name": "light", "start": 1.23e-5}),
        (FIXED, {"packet": 701, "name": "ecn", "start": 2.1e-5, "parameters": {"rate": 0.47e6, "ecn": 1}}),
    ]
    until, seed = 12.0, 7
    spy = Spy()
    entered, _, one = logged(sources, pie(**options), until, rng=seed, buffer=buffer, behind=spy.discipline)
    left = spy.data
    referee = Referee(np.random.default_rng(seed).spawn(2)[0], buffer, **options)
    # a name has the transmission, because a packet that is sent again may be marked the second time only
    arrivals = [(time, size, (flow, number, sent), size == 701) for time, flow, sent, size, number in entered]
    sizes = {name[:2]: size for _, size, name, _ in arrivals}
    expected = transmissions(referee, arrivals, round(until * 1e9) + 1)[: len(left)]
    begun = [(seen.time - 1000 * sizes[seen.flow, seen.number], (seen.flow, seen.number)) for seen in left]
    assert begun == [(begin, name[:2]) for begin, (_, _, name, _) in expected]
    assert len(begun) > 10_000
    marked = [one for one, seen in zip(begun, left, strict=True) if seen.marks & CE]
    chosen = set(referee.marked)
    assert marked == [(begin, name[:2]) for begin, (_, _, name, _) in expected if name in chosen]
    assert of_link(one, 1).probability == pytest.approx(referee.drop_prob, rel=1e-9)
    assert len(referee.dropped) > 100
    assert (len(referee.overflow) > 100) == (buffer == 60)
    assert (len(marked) > 10) == ("ecn" in options)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("before", "random", "drawn"), [(0.74, 0.0, False), (0.76, 0.09, True), (0.76, 0.1, False), (8.41, 0.99, True)]
)
def test_drops_are_neither_close_nor_far_apart(monkeypatch, before, random, drawn):
    """With p = 0.1 none up to a sum of 0.85, each from 8.5 on (RFC 8033, section 5.4), which chance hardly reaches."""
    link = SimpleNamespace(
        delay_before=1.0, target=0.015, probability=0.1, backlog_bytes=10_000, packet=1000, derandomize=1.0,
        accumulated=before,
    )  # fmt: skip
    monkeypatch.setattr("longfat.sim.switch.pie.random", lambda _: random)
    assert is_drawn(link) == drawn
    assert link.accumulated == pytest.approx(before + 0.1)


def test_an_idle_link_forgets():
    """After the last packet the probability falls to 0, although that packet waited longer than the target."""
    one = simulated(one_link(traffic.constant(1.3e6), rate=1e6, discipline=pie, packet=1000, stop=1.0), 1.0)
    assert of_link(one).probability > 0.05
    one.advance(30.0)
    assert of_link(one).probability == 0.0
    assert of_link(one).queue_delay == 0.0
