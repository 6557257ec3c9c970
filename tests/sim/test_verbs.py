"""Return values of `enqueue` and `dequeue` with every service, and parameters of the shipped disciplines."""

import pytest

from longfat.sim import Discipline, Network, Parameter, queues
from longfat.sim.network import scenario, traffic
from longfat.sim.queues import DROP, ENQUEUE, SEND, SERVICES
from tests.sim.lab import Queue, one_link, simulated, transmissions
from tests.sim.logbook import Logbook
from tests.sim.own import of_link

RATE = 1e6  # bytes/s: a packet of 1000 bytes takes 1 ms
MS = 1_000_000  # ns


def two_of_three(link, packet, now):
    """Drop every third packet whose transmission is about to begin."""
    link.asked += 1
    return DROP if link.asked % 3 == 0 else SEND


def dropping(service):
    return Discipline(
        "dropping", service, dequeue=two_of_three, parameters={"quantum": 500.0}, state={"asked": 0}, needs_buffer=True
    )


def rows(log, verdict=None):
    """Return (time [ns], number) of the packets that were sent or dropped at departure, or else of all that arrived."""
    asked = [call for call in log.calls if call.arrives == (verdict is None)]
    return [(round(call.now * 1e9), call.number) for call in asked if verdict in (None, call.verdict)]


class Dropping(Queue):
    """Queue of packets (time [ns], size, number) that drops every third one whose transmission is about to begin."""

    def __init__(self, limit):
        self.limit, self.waiting, self.dropped, self.asked, self.full = limit, [], [], 0, 0

    def put(self, packet, idle):
        if idle or len(self.waiting) < self.limit:
            self.waiting.append(packet)
        else:
            self.full += 1

    def take(self):
        while self.waiting:
            packet = self.waiting.pop(0)
            self.asked += 1
            if self.asked % 3:
                return packet
            self.dropped.append((self.now, packet[2]))
        return None


@pytest.mark.parametrize("load", [0.7, 3.0])
@pytest.mark.parametrize("limit", [1, 7])
def test_a_packet_dropped_at_the_head_takes_no_time(load, limit):
    """After a drop at departure the next packet follows in the same nanosecond; the drop takes no time and no room."""
    log = Logbook(dropping("fifo"))
    net = Network().link("a", "b", rate=RATE, buffer=limit, discipline=log.discipline)
    net.flow(traffic.poisson(load * RATE), path=["a", "b"], packet=1000, stop=2.0)
    run = simulated(net, 3.0, 2)
    plain = Dropping(limit)
    begun = transmissions(plain, [(time, 1000, number) for time, number in rows(log)])
    assert len(plain.dropped) > 300
    assert rows(log, SEND) == [(begin, packet[2]) for begin, packet in begun]
    assert rows(log, DROP) == plain.dropped
    link, flow = run.state.links[0], run.state.flows[0]
    assert (int(link.served), int(link.dropped)) == (len(begun), len(plain.dropped) + plain.full)
    assert int(link.busy) == len(begun) * MS
    assert int(flow.dropped) == int(link.dropped)
    assert int(flow.received) == len(begun)
    # Packets dropped at the head have waited, but only sent packets count in the mean wait.
    assert float(link.waiting_time) == sum(begin - packet[0] for begin, packet in begun)


@pytest.mark.parametrize("service", SERVICES)
def test_drops_at_the_head_of_any_service(service):
    """With an overload of three and drops of every third packet, the link is never idle and packet counts balance."""
    net = Network().link("a", "b", rate=RATE, buffer=20, discipline=dropping(service))
    for k in range(3):
        net.flow(traffic.poisson(RATE), path=["a", "b"], packet=1000, name=f"f{k}")
    run = simulated(net, 0.1, 3)
    link = run.state.links[0]
    sent = int(link.served)
    run.advance(1.1)
    packet_counts = run.packet_counts()
    assert int(link.served) - sent == pytest.approx(1000, abs=1)
    asked = int(of_link(run).asked)
    assert int(link.served) == asked - asked // 3
    assert 300 < asked // 3 < int(link.dropped)  # the buffer was full, too
    flows = run.state.flows
    assert flows["sent"].sum() == flows["received"].sum() + flows["dropped"].sum() + packet_counts["in_flight"]


def test_a_parameter_by_another_name():
    """The rate of the link is not that of the bucket: hooks read the latter by the name in `Parameter.field`."""

    def enqueue(link, packet, now):
        link.seen = link.own_rate / link.rate
        return ENQUEUE

    mine = Discipline(
        "mine", enqueue=enqueue, parameters={"rate": Parameter(5e5, "bytes/s", "(0, inf)", "own_rate")},
        state={"seen": 0.0, "begins": "rate"},
    )  # fmt: skip
    assert mine(rate="1 Mbit/s").values == {"rate": 125_000.0}
    run = simulated(one_link(traffic.constant(RATE), rate=RATE, discipline=mine(rate=250_000)), 0.01)
    assert of_link(run).seen == 0.25
    assert of_link(run).begins == 250_000.0
    with pytest.raises(ValueError, match="'own_rate' is the name of a parameter and of a state"):
        Discipline("mine", parameters=mine.parameters, state={"own_rate": 0.0})


def test_services_follow_values():
    """Marks at departure, and drops of queued packets, need a link that decides at departure; others do not."""
    assert (queues.rem().service, queues.rem(ecn=True).service, queues.rem(ecn=True)(ecn=False).service) == (
        "fifo", "departures", "fifo",
    )  # fmt: skip
    assert (queues.rem().scheduler, queues.rem(ecn=True).scheduler) == (SERVICES["fifo"], SERVICES["departures"])
    assert queues.loss_load(colours=False)(colours=True).service == "departures"
    assert queues.explicit_feedback(service="round-robin")(quantum=900).values["quantum"] == 900.0
    assert queues.explicit_feedback(service="round-robin")(quantum=900).service == "round-robin"


def test_drop_tail_is_the_name_of_fifo():
    net = Network().link("a", "b", rate=RATE, discipline="drop-tail")
    assert net.links["a", "b"].discipline == queues.FIFO
    assert queues.discipline("drop-tail").name == "fifo"
    assert scenario.parse('[[link]]\nfrom = "a"\nto = "b"\nrate = 1e6\ndiscipline = "drop-tail"\n')[0] == net
