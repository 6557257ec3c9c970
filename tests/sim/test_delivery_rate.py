"""Deliveries that acknowledgments report: counts, and the rate samples of draft-ietf-ccwg-bbr-06, section 4.1."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from longfat.sim import Network, Scheme, Simulation, queues
from longfat.sim.kernel.jit import inline
from tests.sim.lab import keep_window, one_link, simulated
from tests.sim.own import of_flow
from tests.sim.schemes.losses import drop_numbers

PACKET = 1000  # bytes


SENT, ACKNOWLEDGED, LOST = 0, 1, 2
FLOATS = ("time", "rtt_then", "rate_then", "interval")
INTEGERS = (
    "kind", "of", "made", "una_then", "prior", "sent_with", "since", "limited_then", "with_it", "new", "total",
    "passed", "late",
)  # fmt: skip


@inline
def log_event(flow, event, kind):
    """Log all that the event says."""
    k = flow.rows
    flow.rows += 1
    flow.kind[k] = kind
    flow.time[k] = event.now
    flow.of[k] = event.number
    flow.made[k] = event.transmission
    flow.una_then[k] = flow.una
    flow.rtt_then[k] = event.rtt
    flow.rate_then[k] = event.delivery_rate
    flow.interval[k] = event.sample_interval
    flow.prior[k] = event.prior_delivered
    flow.sent_with[k] = event.sent_in_flight
    flow.since[k] = event.lost_since_sent
    flow.limited_then[k] = event.app_limited
    flow.with_it[k] = flow.in_flight
    flow.new[k] = event.newly_delivered
    flow.total[k] = flow.delivered
    flow.passed[k] = event.acked
    flow.late[k] = event.spurious
    return flow.window


def log_ack(flow, event):
    return log_event(flow, event, ACKNOWLEDGED)


def log_loss(flow, event):
    return log_event(flow, event, LOST)


def log_packet(flow, packet):
    k = flow.rows
    flow.rows += 1
    flow.kind[k] = SENT
    flow.time[k] = packet.sent
    flow.of[k] = packet.number
    flow.made[k] = packet.transmission
    flow.with_it[k] = flow.in_flight
    return 0


def recorder(window, rate=math.inf, **changed):
    """Return a scheme with a constant window and rate that logs its packets and events."""

    def begin(flow, event):
        flow.rate = rate
        return window

    state = {"rows": 0, **{name: [0.0] * 1000 for name in FLOATS}, **{name: [0] * 1000 for name in INTEGERS}}
    return Scheme(
        "recorder", start=begin, ack=log_ack, loss=log_loss, timeout=keep_window, send=log_packet,
        state=state, **{"reorder": 3, "delivery_rate": True, **changed},
    )  # fmt: skip


def acknowledgments(run):
    """Return the logged fields of the acknowledgments of flow 0, by name."""
    log = of_flow(run)
    rows = np.flatnonzero(log.kind[: log.rows] == ACKNOWLEDGED)
    return {name: log[name][rows] for name in (*FLOATS, *INTEGERS)}


@pytest.mark.parametrize("sampled", [True, False])
def test_deliveries_by_hand(sampled):
    """Ten packets at once, of which 3 and 6 are lost: each acknowledgment delivers the packet that triggered it.

    Those of 3 and 6, sent again, advance the cumulative acknowledgment by 3 and by the rest, but deliver one packet.
    """
    net = Network()
    net.link("a", "b", rate="100 Mbit/s", delay="50 ms")
    net.link("b", "c", rate=math.inf, discipline=drop_numbers(3, 6))
    scheme = recorder(10.0, delivery_rate=sampled, reorder=1)
    net.flow(scheme, path=["a", "b", "c"], packet=PACKET, file="10 kB", ack_path="ideal")
    run = simulated(net, 1.0)
    said = acknowledgments(run)
    assert said["new"].tolist() == [1] * 10
    assert said["total"].tolist() == list(range(1, 11))
    assert said["passed"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 3, 4]
    flow = run.state.flows[0]
    assert (flow.delivered, flow.lost, flow.losses) == (10, 2, 2)


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("jitter", [0.0, 0.003])
def test_deliveries_are_counted_once(seed, jitter, sampled):
    """Deliveries add up to the packets that have arrived, each counted once, despite losses and overtaking."""
    net = Network()
    net.link("a", "b", rate="8 Mbit/s", delay="10 ms", loss=0.05, jitter=jitter, buffer=20)
    net.link("b", "a", rate="8 Mbit/s", delay="10 ms", loss=0.1)
    net.flow(recorder(12.0, delivery_rate=sampled), path=["a", "b"], packet=PACKET, file="300 kB")
    run = simulated(net, 60.0, seed)
    flow, said = run.state.flows[0], acknowledgments(run)
    assert flow.una == 300
    assert flow.delivered == said["new"].sum()
    assert said["total"].tolist() == said["new"].cumsum().tolist()
    if jitter == 0.0:
        assert flow.delivered == 300 + flow.duplicate
    else:  # the last acknowledgment may cover packets sent later than the one that triggered it
        assert abs(flow.delivered - 300) <= max(12, flow.duplicate)


# The samples, against a plain referee. A scheme logs its events and packets; the referee recomputes all samples from
# the times at which packets were sent, acknowledged and lost.


@dataclass
class Transmission:
    """P. of draft-ietf-ccwg-bbr-06, section 4.1.2.1.2."""

    number: int
    delivered: int
    lost: int
    delivered_time: float
    first_send_time: float
    send_time: float
    is_app_limited: bool
    tx_in_flight: int


class Referee:
    """C. and RS. of draft-ietf-ccwg-bbr-06, section 4.1.2, computed from a log."""

    def __init__(self, log, window, packets):
        self.window, self.packets = window, packets
        self.delivered = self.lost = self.app_limited = self.high = self.samples = self.limited_samples = 0
        self.delivered_time = self.first_send_time = 0.0
        self.min_rtt = math.inf
        self.made, self.outstanding, self.to_repeat = {}, {}, set()
        losses = []
        for k in range(log.rows):
            row = {name: log[name][k] for name in (*FLOATS, *INTEGERS)}
            if row["kind"] == LOST:
                losses.append(row)
                continue
            if row["kind"] == ACKNOWLEDGED:
                self.acknowledge(row, losses)
            else:
                if losses:  # by a timeout
                    self.check_if_application_limited()
                    self.lose(losses)
                self.send(row)
            losses = []

    def send(self, row):
        now, number = row["time"], row["of"]
        if not self.outstanding:
            self.first_send_time = self.delivered_time = now
        self.outstanding[number] = row["made"]
        self.to_repeat.discard(number)
        self.high = max(self.high, number + 1)
        assert row["with_it"] == len(self.outstanding)
        self.made[row["made"]] = Transmission(
            number, self.delivered, self.lost, self.delivered_time, self.first_send_time, now, self.app_limited != 0,
            len(self.outstanding),
        )  # fmt: skip

    def check_if_application_limited(self):
        if self.high == self.packets and len(self.outstanding) < self.window and not self.to_repeat:
            self.app_limited = max(self.delivered + len(self.outstanding), 1)

    def lose(self, losses):
        for row in losses:
            self.lost += 1
            lost = self.made[row["made"]]
            assert row["of"] == lost.number
            assert row["sent_with"] == lost.tx_in_flight
            assert row["since"] == self.lost - lost.lost
            assert row["limited_then"] == lost.is_app_limited
            del self.outstanding[lost.number]
            self.to_repeat.add(lost.number)

    def acknowledge(self, row, losses):
        self.check_if_application_limited()
        now = row["time"]
        covered = [made for number, made in self.outstanding.items() if number < row["una_then"] or number == row["of"]]
        for made in covered:
            del self.outstanding[self.made[made].number]
        self.delivered += len(covered)
        self.lose(losses)
        assert row["new"] == len(covered)
        if not covered:
            assert (row["rate_then"], row["prior"]) == (0.0, -1)
            return
        newest = self.made[max(covered)]
        self.delivered_time, self.first_send_time = now, newest.send_time
        self.min_rtt = min(self.min_rtt, row["rtt_then"])
        if self.app_limited and self.delivered > self.app_limited:
            self.app_limited = 0
        interval = max(newest.send_time - newest.first_send_time, now - newest.delivered_time)
        rate = (self.delivered - newest.delivered) * PACKET / interval if interval > self.min_rtt - 1e-9 else 0.0
        assert row["rate_then"] == pytest.approx(rate, rel=1e-6)
        assert row["interval"] == pytest.approx(interval if rate else 0.0, abs=2e-9)
        assert row["prior"] == newest.delivered
        assert row["sent_with"] == newest.tx_in_flight
        assert row["since"] == self.lost - newest.lost
        assert row["limited_then"] == newest.is_app_limited
        self.samples += rate > 0
        self.limited_samples += bool(row["limited_then"])


def judged(forward, back, window=20.0, rate=math.inf, packets=300, seed=1):
    net = Network()
    net.link("a", "b", rate="8 Mbit/s", delay="10 ms", **forward)
    net.link("b", "a", rate="8 Mbit/s", delay="10 ms", **back)
    net.flow(recorder(window, rate), path=["a", "b"], packet=PACKET, file=packets * PACKET)
    run = simulated(net, 60.0, seed)
    log = of_flow(run)
    assert run.state.flows[0].una == packets
    return Referee(log, window, packets), run


@pytest.mark.parametrize("rate", [math.inf, 0.5e6, 2e6])
def test_samples_under_losses(rate):
    """Samples of a flow that loses packets at random and in a short buffer, unpaced, and slower or faster than it."""
    referee, run = judged({"loss": 0.08, "buffer": 8}, {}, rate=rate, seed=1)
    assert referee.lost == run.state.flows[0].lost > 5
    assert referee.samples > 200


def test_samples_of_acknowledgments_that_cover_several_packets():
    """Of the packets that a late acknowledgment covers, the newest gives the sample (acknowledgments are lost)."""
    referee, run = judged({}, {"loss": 0.3}, seed=2)
    assert run.state.flows[0].timeouts == 0
    assert 150 < referee.samples < 250


def test_a_sample_by_hand():
    """Two packets at once, and two more when the first one is acknowledged, over a link of 1 ms a packet.

    0 and 1 leave at 0 and are acknowledged at 21 and 22 ms. 0: 1 packet in 21 ms. 1: both in 22 ms. 2 leaves at 21 ms,
    when 1 packet had been delivered, and is acknowledged at 42 ms: 2 packets (1 and 2) in 42 - 21 ms. 3 leaves at 22
    ms, when 2 had been delivered, and is acknowledged at 43 ms: 2 packets (2 and 3) in 21 ms; but they were sent in the
    22 ms from 0, when 1 was sent, to 22 ms.
    """
    net = one_link(recorder(2.0), rate="8 Mbit/s", delay="10 ms", back=math.inf, packet=PACKET, file="4 kB")
    run = simulated(net, 1.0)
    said, rates = acknowledgments(run), [1000 / 0.021, 2000 / 0.022, 2000 / 0.021, 2000 / 0.022]
    assert said["rate_then"].tolist() == pytest.approx(rates, rel=1e-9)
    assert said["prior"].tolist() == [0, 0, 1, 2]
    assert said["sent_with"].tolist() == [1, 2, 2, 2]


def test_the_end_of_a_file_limits_samples():
    """The last of ten packets is lost, and sent again when there is nothing else: its sample is application-limited."""
    referee, run = judged({"discipline": drop_numbers(9)}, {}, packets=10)
    assert (referee.limited_samples, run.state.flows[0].timeouts) == (1, 1)


def test_a_packet_that_was_sent_again_too_early():
    """An acknowledgment names its transmission, so that the sample is of that transmission and no shorter one.

    A round trip takes 1.201 s, and the first timeout 1 s: the packet leaves again at 1 s. The acknowledgment of its
    first transmission, lost by then, arrives at 1.201 s and gives no sample, that of the second one at 2.201 s does.
    """
    net = one_link(recorder(1.0), rate="8 Mbit/s", delay="600 ms", back=math.inf, packet=PACKET, file="1 kB")
    run = simulated(net, 1.1)
    flow = run.state.flows[0]
    assert (flow.timeouts, flow.lost, flow.transmission) == (1, 1, 2)
    run.advance(3.0)
    said = acknowledgments(run)
    assert ((said["interval"] == 0.0) | (said["interval"] >= 1.201 - 1e-9)).all()
    assert (said["rate_then"] <= PACKET / 1.2).all()


def test_others_pay_nothing():
    """A run without such flows has no snapshots, and one with them has one for each list node."""
    plain = Network().link("a", "b", rate=1e6, delay=0.01, duplex=True).flow("sack", path=["a", "b"])
    assert len(Simulation(plain, rng=1).state.snapshots) == 0
    _, run = judged({}, {})
    assert len(run.state.snapshots) == len(run.state.nodes)


# Transmissions that had been found lost, but arrived.


def spurious(link, file=20, **more):
    """Return the spurious losses (transmission, packets newly delivered) of a flow, and its row."""
    net = Network().link("a", "b", **{"rate": "8 Mbit/s", "delay": "10 ms", "buffer": 50, **link})
    net.link("b", "a", rate=math.inf, delay="10 ms")
    run = simulated(net.flow(recorder(10.0, **more), path=["a", "b"], packet=PACKET, file=PACKET * file), 20.0)
    assert run.state.flows[0].una == file
    said = acknowledgments(run)
    assert said["late"].max() <= 1
    late = said["late"] == 1
    return list(zip(said["made"][late], said["new"][late], strict=True)), run.state.flows[0]


def late(behind):
    """Let packet 3 leave behind so many others."""
    return {"discipline": queues.scripted_reordering(packets=[[0, 3, 1, behind]])}


@pytest.mark.parametrize(
    ("link", "more", "expected", "counts"),
    [
        # Found lost when 4, 5 and 6 are acknowledged, 3 is sent again; the acknowledgment of its first transmission
        # says so. The packet counts as delivered once.
        (late(5), {}, [(3, 0)], (1, 20, 1)),
        # After a round trip: its retransmission is acknowledged before.
        (late(25), {"file": 40}, [(3, 0)], (1, 40, 1)),
        (late(5), {"delivery_rate": False}, [], (1, 20, 1)),  # others are not told
        ({"discipline": drop_numbers(3, 9)}, {}, [], (2, 20, 0)),  # true losses
    ],
    ids=["late", "overtaken by its retransmission", "not told", "lost"],
)
def test_a_late_packet(link, more, expected, counts):
    seen, flow = spurious(link, **more)
    assert seen == expected
    assert (flow.lost, flow.delivered, flow.duplicate) == counts


def test_a_timeout_too_early():
    """A round trip of 1.2 s and a first timeout of 1 s: all ten packets are found lost, and acknowledged after."""
    seen, flow = spurious({"delay": "1.19 s"})
    assert [made for made, _ in seen] == list(range(10))
    assert (flow.lost, flow.timeouts) == (10, 1)
