"""The router of XCP against a plain one fed with the same packets, and what flows and routers do together; 10.3, T11."""

import math

import numpy as np
import pytest

from longfat.sim import Network, Parameter, Scheme, Simulation, queues, run, traffic
from longfat.sim.queues import xcp
from longfat.sim.records import DATA
from tests.sim.logbook import Logbook

C = 1.25e6  # bytes/s
UNHEEDED, HEEDED = -1.0, -2.0


class Plain:
    """schemes.md 10.1, rules 1 to 4, in windows as there: xi_p and xi_n of the paper, budgets in bytes/s.

    One thing is not as printed: the arrivals' rate is y over the length of the interval, as in the paper and ns-2, and
    not over the d that comes out at its end; the two agree once d does not change.
    """

    def __init__(self, alpha=0.4, beta=0.226, gamma=0.1, first=0.05):
        self.alpha, self.beta, self.gamma, self.first = alpha, beta, gamma, first
        self.y = self.a = self.b = 0.0
        self.d, self.began, self.ends, self.looks = first, 0.0, first, first
        self.queue, self.least, self.standing = 0.0, 0.0, 0.0
        self.xi_p = self.xi_n = self.positive = self.negative = 0.0

    def until(self, now):
        while min(self.ends, self.looks) < now:
            time = min(self.ends, self.looks)
            if self.looks <= self.ends:
                self.standing, self.least = self.least, self.queue
                self.looks = round(time + max(0.002, (self.d - self.queue / C) / 2), 9)  # clocks count nanoseconds
            else:
                self.end_of_interval(time)

    def end_of_interval(self, time):
        length = time - self.began
        self.d = self.b / self.a if self.a else self.first
        self.xi_p = self.xi_n = self.positive = self.negative = 0.0
        if self.y:
            arrived = self.y / length * self.d  # in a round trip
            phi = self.alpha * self.d * (C - arrived / self.d) - self.beta * self.standing
            h = max(0.0, self.gamma * arrived - abs(phi))
            self.xi_p = (h + max(phi, 0.0)) / (self.d * self.a) if self.a else 0.0
            self.xi_n = (h + max(-phi, 0.0)) / (self.d * self.y)
            self.positive, self.negative = (h + max(phi, 0.0)) / self.d, (h + max(-phi, 0.0)) / self.d
        self.y = self.a = self.b = 0.0
        self.began, self.ends = time, round(time + max(self.d, 0.001), 9)

    def arrives(self, size, header):
        self.y += size
        self.queue += size
        if header is not None:
            rtt, cwnd = header[:2]
            self.a += rtt * size / cwnd
            self.b += min(rtt, 1.0) * (rtt * size / cwnd)

    def departs(self, size, header):
        """What it says, None where it says nothing."""
        self.queue -= size
        self.least = min(self.least, self.queue)
        if header is None:
            return None
        rtt, cwnd, told = header[:3]
        p = min(self.xi_p * rtt**2 * size / cwnd, self.positive * rtt)
        n = min(self.xi_n * rtt * size, self.negative * rtt)
        answer = p - n
        if told < answer:  # ns-2.35, xcpq.cc, lines 26 and 27
            n = min(self.negative * rtt, n + answer - told)
            p, answer = told + n, told
        self.positive = max(0.0, self.positive - p / rtt)
        self.negative = max(0.0, self.negative - n / rtt)
        if self.positive == 0:
            self.xi_p = 0.0
        if self.negative == 0:
            self.xi_n = 0.0
        return answer


def star(round_trips, *, count=1, discipline=None, buffer=None, before=None, **flow):
    """Flows of these round trips [s] over one router, where given behind a slower line of its own for the first."""
    net = Network()
    buffer = buffer or round(C * max(round_trips) / 1000)
    net.link("a", "b", rate=C, delay=0.005, buffer=buffer, discipline=discipline or xcp(), name="line")
    net.link("b", "a", rate=math.inf, delay=0.005)
    for k, round_trip in enumerate(round_trips):
        one = {"rate": 10 * C}
        if k == 0 and before is not None:
            one = {"rate": C / 5, "buffer": buffer, "discipline": before}
        net.link(f"s{k}", "a", delay=round_trip / 2 - 0.005, **one)
        net.link("a", f"s{k}", rate=math.inf, delay=round_trip / 2 - 0.005)
        options = {"packet": 1000, "ack": 40, "count": count} | flow
        net.flow("xcp", path=[f"s{k}", "a", "b"], name=f"f{k}", **options)
    return net


@pytest.mark.parametrize("case", ["alone", "mixed", "behind another router", "with other traffic", "other gains"])
def test_as_the_plain_one(case):
    """Every number that the router writes into a header, for as long as nothing is dropped."""
    options = {"alpha": 0.3, "beta": 0.1, "gamma": 0.3, "interval": 0.02} if case == "other gains" else {}
    book = Logbook(xcp(**options))
    round_trips = (0.1,) if case == "alone" else (0.04, 0.1234567)
    before = xcp() if case == "behind another router" else None
    net = star(round_trips, discipline=book.discipline, buffer=10_000, before=before, stagger=0.3, count=2)
    if case == "with other traffic":
        net.flow(traffic.on_off(0.5 * C, 0.3, 0.3), path=["a", "b"], packet=700)
    one = Simulation(net, rng=1)
    one.advance(4.0)
    one.books()
    assert one.world.links["dropped"].sum() == 0
    options["first"] = options.pop("interval", 0.05)
    plain, said, restrained, taken = Plain(**options), 0, 0, 0
    for call in book.calls:
        plain.until(call.now)
        ours = call.kind == DATA and call.header[3] in (UNHEEDED, HEEDED) and call.header[0] > 0
        header = call.header if ours else None
        if call.arrives:
            plain.arrives(call.length, header)
            continue
        answer = plain.departs(call.length, header)
        if answer is None:
            assert call.header_after == call.header
            continue
        assert call.header_after[:2] == call.header[:2]
        assert call.header_after[2] == pytest.approx(answer, rel=1e-6, abs=1e-3)
        assert call.header_after[3] == HEEDED
        said += 1
        restrained += call.header[2] == call.header_after[2]
        taken += answer < 0
    assert said > 2000
    assert taken > 20
    assert (restrained > 100) == (case == "behind another router")


def test_t11():
    """One flow and a buffer of one bandwidth-delay product: busy after ten round trips, hardly a queue, no drops."""
    data = run(star([0.1]), duration=11.0, warm_up=1.0, rng=1, progress=False).sel(link="line")
    print(float(data.utilisation),float(data.mean_queue),float(data.max_queue),float(data.loss.max()))


@pytest.mark.parametrize(("round_trips", "count"), [([0.1], 5), ([0.04, 0.2], 3), ([0.02, 0.1, 0.3], 2)])
def test_equal_rates(round_trips, count):
    data = run(star(round_trips, count=count, stagger=0.3), duration=60.0, warm_up=30.0, rng=1, progress=False).sel(link="line")
    print(float(data.utilisation),float(data.mean_queue),float(data.max_queue),float(data.loss.max()), data.goodput.values)


def test_share():
    net = star([0.1])
    net.flow("xcp", path=["s0", "a", "b"], packet=1000, start=5.0)
    one = Simulation(net, rng=1)
    for T in np.arange(4.6,9,0.2):
        one.advance(float(T)); print(round(T,1), one.world.flows["window"], one.world.links[0].waiting)
