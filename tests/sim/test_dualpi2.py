"""DualPI2 against the pseudo-code of RFC 9332, appendix A, packet by packet, and beside a Classic flow."""

import math
from collections import deque

import numpy as np
import pytest

from longfat.sim import ENQUEUE, Discipline, Network, Simulation, mark, queues
from longfat.sim.kernel.records import CE, ECT, ECT1
from longfat.sim.network import traffic
from longfat.sim.queues import dualpi2
from tests.examples import is_long
from tests.sim.lab import Queue, simulated, transmissions
from tests.sim.logbook import Logbook
from tests.sim.own import of_link

MS = 1e-3
RATE = 1e6  # bytes/s


class Referee(Queue):
    """RFC 9332, figures 2, 3, 5, 7 and 8, with their names, and the scheduler of appendix A.2.

    Weighted round robin, on which the RFC has no pseudo-code: a byte of L adds 1/16 to the credit of C while C waits,
    a byte of C takes 15/16 while L waits; C is served while it has credit. The credit is 0 when the link becomes idle.
    """

    def __init__(self, target=15 * MS, rtt_max=100 * MS, min_th=0.8 * MS, ramp=0.4 * MS, k=2.0, limit=0.25):
        self.target, self.rtt_max, self.min_th, self.ramp, self.k = target, rtt_max, min_th, ramp, k
        self.limit, self.th_len, self.mtu = limit * RATE, 1, 1500
        self.t_update = min(target, rtt_max / 3)
        self.alpha = 0.1 * self.t_update / rtt_max**2
        self.beta = 0.3 / rtt_max
        self.p_c_max = min(1 / k**2, 1)
        self.p = self.p_c = self.p_cl = self.prevq = self.credit = 0.0
        self.lq, self.cq, self.counts = deque(), deque(), {"l": 0.0, "c": 0.0}
        self.seen, self.tick = set(), 0

    def bytes(self):
        return sum(packet[1] for packet in (*self.lq, *self.cq))

    def time(self, queue):
        return max(0.0, self.now * 1e-9 - queue[0][0] * 1e-9) if queue else 0.0

    def put(self, packet, idle):
        """Of (time, size, name, ecn), with the ECN field 0, 1, 2 or 3 for Not-ECT, ECT(1), ECT(0), CE."""
        if idle:
            self.credit = 0.0
        if self.bytes() + self.mtu > self.limit:
            self.seen.add("tail")
            return
        (self.lq if packet[3] % 2 == 1 else self.cq).append(packet)

    def recur(self, q, likelihood):
        self.counts[q] += likelihood
        if self.counts[q] > 1:
            self.counts[q] -= 1
            return True
        return False

    def laqm(self, qdelay):
        if qdelay >= self.min_th + self.ramp:
            return 1
        if qdelay > self.min_th:
            self.seen.add("ramp")
            return (qdelay - self.min_th) / self.ramp
        return 0

    def scheduler(self):
        if not self.cq or not self.lq:
            return self.lq or self.cq
        if self.credit <= 0:
            self.credit += self.lq[0][1] / 16
            return self.lq
        self.credit -= self.cq[0][1] * 15 / 16
        return self.cq

    def take(self):
        """Return the packet that is sent, or None; the last of its items is whether it is marked."""
        chosen = self.dequeue()
        return chosen and (*chosen[0][:3], chosen[1] or chosen[0][3] == 3)

    def dequeue(self):
        while self.lq or self.cq:
            if self.scheduler() is self.lq:
                length, delay = len(self.lq), self.time(self.lq)  # with the packet at the head
                packet = self.lq.popleft()
                if self.p_cl < 1:
                    p_l = max(self.laqm(delay) if length > self.th_len else 0, self.p_cl)
                    if 0 < p_l == self.p_cl:
                        self.seen.add("coupled")
                    return packet, self.recur("l", p_l)
                if self.recur("l", self.p_c):
                    self.seen.add("overload drop of L")
                    continue
                return packet, self.recur("l", self.p_cl)
            packet = self.cq.popleft()
            if self.recur("c", self.p_c):
                if packet[3] == 0 or self.p_c >= self.p_c_max:
                    self.seen.add("classic drop")
                    continue
                self.seen.add("classic mark")
                return packet, True
            return packet, False
        return None

    def update(self):
        curq = max(self.time(self.cq), self.time(self.lq))
        self.p += self.alpha * (curq - self.target) + self.beta * (curq - self.prevq)
        self.p = min(max(self.p, 0.0), 1.0)
        self.p_cl, self.p_c, self.prevq = self.k * self.p, self.p**2, curq
        self.tick = int((self.now * 1e-9 + self.t_update) * 1e9 + 0.5)


def ecn_field(marks):
    """Return the ECN field of RFC 3168, section 5."""
    return 3 if marks & CE else 1 if marks & ECT1 else 2 if marks & ECT else 0


def mark_some(link, packet, now):
    """Mark every seventh packet that is ECN-capable, as a congested link before this one."""
    if packet.number % 7 == 0:
        mark(link, packet)
    return ENQUEUE


def logged(discipline, load, until, seed):
    """Return arrivals at and departures from a link of 1 MB/s, with sources of three codepoints."""
    books = Logbook(Discipline("mark-some", enqueue=mark_some)), Logbook(queues.FIFO)
    net = Network().link("s", "a", rate=math.inf, discipline=books[0].discipline)
    net.link("a", "b", rate=RATE, discipline=discipline).link("b", "d", rate=math.inf, discipline=books[1].discipline)
    for k, (rate, size) in enumerate([(0.5, 1003), (0.45, 517), (0.5, 1409), (0.08, 211)]):
        source = traffic.on_off(rate * load * RATE, 0.3, 0.25, shape_on=1, shape_off=1)
        net.flow(source, path=["s", "a", "b", "d"], packet=size, ack_path="ideal", name=f"x{k}", start=1.23e-5 * k)
    one = Simulation(net, rng=seed)
    one.prepare()
    one.state.senders["ect"][:4] = [2, 1, 0, 2]
    one.advance(until)
    one.packet_counts()
    return [book.calls for book in books], of_link(one, 1)


@pytest.mark.parametrize(
    ("load", "options"),
    [
        (1.0, {}),
        (2.4, {"coupling": 1.5, "range": 0.0, "threshold": 1 * MS}),
        (2.4, {"limit": 0.03}),
    ],
)
def test_it_is_the_pseudo_code(load, options):
    """Four sources that come and go, up to overload: the same packets leave at the same times with the same marks."""
    until = 20.007 if is_long() else 4.007  # no multiple of the update interval, 15 ms
    (entered, left), own = logged(dualpi2(**options), load, until, seed=3)
    referee = Referee(
        k=options.get("coupling", 2.0), ramp=options.get("range", 0.4 * MS), min_th=options.get("threshold", 0.8 * MS),
        limit=options.get("limit", 0.25),
    )  # fmt: skip
    arrivals = [(round(c.now * 1e9), c.length, (c.flow, c.number), ecn_field(c.marks_after)) for c in entered]
    expected = transmissions(referee, arrivals, round(until * 1e9))[: len(left)]
    found = [(round(c.now * 1e9) - 1000 * c.length, (c.flow, c.number), bool(c.marks & CE)) for c in left]
    assert found == [(begin, name, marked) for begin, (_, _, name, marked) in expected]
    assert len(found) > 0.5 * until * RATE / 1000
    assert own.probability == pytest.approx(referee.p, rel=1e-9, abs=1e-12)
    wanted = {"classic mark", "classic drop", "coupled"} if load > 1 else {"ramp"}
    wanted |= {"overload drop of L"} if load > 2 and "limit" not in options else set()
    wanted |= {"tail"} if "limit" in options else set()
    assert wanted <= referee.seen


def beside(classic, *, seconds=25.0):
    """Return the ratio of the rates of an L4S and a Classic flow, the waits of L4S packets [s], and the utilisation.

    Both flows start at random times in the first second; the first five seconds do not count.
    """
    books = Logbook(queues.FIFO), Logbook(queues.FIFO)
    net = Network().link("s", "a", rate=math.inf, discipline=books[0].discipline)
    net.link("a", "b", rate="20 Mbit/s", discipline=dualpi2)
    net.link("b", "d", rate=math.inf, delay=0.0125, discipline=books[1].discipline)
    starts = np.random.default_rng(1).random(2)
    for k, start in enumerate(starts):
        scheme, parameters = ("dctcp", {"ect": 2}) if k == 0 else (classic, {})
        net.flow(
            scheme, path=["s", "a", "b", "d"], ack_path="ideal", packet=1500, parameters=parameters, start=float(start)
        )
    simulated(net, seconds)
    times = [{(c.flow, c.number): c.now for c in book.calls if c.now > 5} for book in books]
    size = 1500 / net.links["a", "b"].rate
    ours = [key for key in times[1] if key[0] == 0]
    waits = np.array([times[1][key] - times[0][key] - size for key in ours if key in times[0]])
    return len(ours) / (len(times[1]) - len(ours)), waits, len(times[1]) * size / (seconds - 5)


# CUBIC is in its Reno-friendly region here: another alpha, and nothing else.
@pytest.mark.parametrize("classic", ["sack", pytest.param("cubic", marks=pytest.mark.long)])
def test_low_delay_beside_a_classic_flow(classic):
    """Beside a Classic flow the L4S queue stays below 1 ms, and both flows get a share of the link (RFC 9332, 2.1).

    RFC 9332, appendix C.2, equation 10: r_L/r_C = R_C/(1.22 R_L). With R_b = 25 ms, for which the coupling factor of 2
    is made, R_C = 0.75 (25 + 15) = 30 ms for Reno and 0.85 x 40 = 34 ms for CUBIC in its Reno-friendly region, and R_L
    = 25 ms: 0.98 and 1.11. With a single Classic flow p' varies along its sawtooth, and the mean of p'^2 is greater
    than the square of the mean, so that the Classic flow gets less: within a factor of two.
    """
    ratio, waits, utilisation = beside(classic)
    assert waits.mean() < 1 * MS
    assert np.quantile(waits, 0.99) < 2.5 * MS
    assert 0.5 < ratio < 2.0
    assert utilisation > 0.98
