"""The router of XCP against a plain one fed with the same packets, and flows over such routers.

Katabi, Handley and Rohrs, SIGCOMM 2002, sections 3.5 and 4.
"""

import math

import numpy as np
import pytest

from longfat.sim import Network, Scheme, run
from longfat.sim.kernel.records import DATA, STAMPED
from longfat.sim.network import traffic
from longfat.sim.queues import xcp
from tests.sim.lab import keep_window, simulated
from tests.sim.logbook import Logbook
from tests.sim.own import of_link

C = 1.25e6  # bytes/s
HEEDED = -2.0


class Plain:
    """Section 3.5 of the paper, with its xi_p and xi_n, and the budgets of ns-2.35 (xcpq.cc) in bytes/s.

    The input rate is y over the length of the interval that ends, as in ns-2, and not over the d computed at its end;
    the two agree once d does not change.
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
        """Return the feedback of the router, None if it writes none."""
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
    """Return a network of flows with these round-trip times [s] over one router; the first may have a slower link."""
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


CASES = ["alone", "mixed", "behind another router", "with other traffic", "other gains", "more than a second"]


@pytest.mark.parametrize("case", CASES)
def test_as_the_plain_one(case):
    """Every number that the router writes into a header, for as long as nothing is dropped."""
    options = {"alpha": 0.3, "beta": 0.1, "gamma": 0.3, "interval": 0.02} if case == "other gains" else {}
    log = Logbook(xcp(**options))
    round_trips = {"alone": (0.1,), "more than a second": (1.3, 0.04)}.get(case, (0.04, 0.1234567))
    before = xcp() if case == "behind another router" else None
    net = star(round_trips, discipline=log.discipline, buffer=10_000, before=before, stagger=0.3, count=2)
    if case == "with other traffic":
        net.flow(traffic.on_off(0.5 * C, 0.3, 0.3), path=["a", "b"], packet=700)
    one = simulated(net, 8.0 if case == "more than a second" else 4.0)
    assert one.state.links["dropped"].sum() == 0
    options["first"] = options.pop("interval", 0.05)
    plain, said, restrained, taken = Plain(**options), 0, 0, 0
    for call in log.calls:
        plain.until(call.now)
        stamped = call.kind == DATA and call.marks & STAMPED
        header = call.header if stamped and call.header[0] > 0 else None
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


def link_of(net, **options):
    """Return the row of the router's link."""
    data = run(net, rng=1, progress=False, **options)
    assert float(data.loss.max()) == 0.0
    return data.sel(link="line")


@pytest.mark.parametrize(("round_trips", "count"), [([0.1], 5), ([0.04, 0.2], 3), ([0.02, 0.1, 0.3], 2)])
def test_equal_rates(round_trips, count):
    """Rates are equal within 4 % whatever the round-trip times; the buffer is the greatest bandwidth-delay product."""
    line = link_of(star(round_trips, count=count, stagger=0.3), duration=60.0, warm_up=30.0)
    assert line.utilisation >= 0.95
    assert line.mean_queue <= 0.03 * C * max(round_trips) / 1000
    share = C / (count * len(round_trips))
    np.testing.assert_allclose(line.goodput.values, share, rtol=0.05)


def begin(flow, event):
    flow.header[0], flow.header[1], flow.header[2], flow.header[3] = 0.1, 1000.0, 5e5, 7.0
    return flow.window


def test_headers_of_other_schemes_are_unchanged():
    """Headers of a loss-load source, of a scheme with numbers like XCP's, and of packets without a request."""
    log = Logbook(xcp())
    net = Network().link("a", "b", rate=C, delay=0.01, buffer=100, discipline=log.discipline, duplex=True)
    net.flow("loss-load", path=["a", "b"], packet=1000, parameters={"start_rate": 2e5})
    net.flow(Scheme("other", start=begin, ack=keep_window, timeout=keep_window, stamped=True), path=["a", "b"])
    net.flow("reno", path=["a", "b"])
    one = simulated(net, 1.0)
    assert len(log.calls) > 1000
    assert {call.header[3] for call in log.calls if call.marks & STAMPED} == {0.0, 7.0}
    assert all(call.header == call.header_after for call in log.calls)
    own = of_link(one)
    assert (own.spacings, own.weighted) == (0.0, 0.0)  # no round-trip times


def test_a_link_without_transmission_time():
    """Such a link has no capacity to share: its router writes no feedback; the slower one behind it does."""
    net = Network().link("a", "b", rate=math.inf, delay=0.01, buffer=10, discipline=xcp(), duplex=True)
    net.link("b", "c", rate=C, delay=0.01, buffer=100, discipline=xcp(), duplex=True)
    net.flow("xcp", path=["a", "b", "c"], packet=1000)
    data = run(net, duration=5.0, warm_up=2.0, rng=1, progress=False)
    assert float(data.goodput[0]) == pytest.approx(C, rel=0.05)
