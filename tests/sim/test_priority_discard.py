"""Priority discard against a list that is scanned: the same packets are dropped by both rules, for any arrivals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import first_waiting, push_out
from longfat.sim.queues import ENQUEUE
from longfat.sim.switch.push_out import DISCARD_LAST, DISCARD_WORST
from tests.blt_referee import victim
from tests.examples import examples
from tests.sim.lab import Queue, one_link, simulated, transmissions
from tests.sim.networks import aimd_ack

RULES = {"priority-discard": "corrected", "priority-discard-published": "published"}
RATE = 1e6  # bytes/s: 1 us a byte


def feed(name, buffer, arrivals, until=None):
    """Return a run with packets of 1 ms, each in its own flow: (time [us], priority); the first is in transmission."""
    net = Network().link("a", "b", rate=RATE, buffer=buffer, discipline=name)
    net.link("b", "a", rate=RATE)
    for k, (time, priority) in enumerate(arrivals):
        net.flow(LABELLED, path=["a", "b"], name=f"{k}", start=time / 1e6, file=1000, packet=1000,
                 parameters={"priority": priority})  # fmt: skip
    return simulated(net, (arrivals[-1][0] + 0.5 if until is None else until) / 1e6)


def label(flow, packet):
    packet.priority = int(flow.priority)
    return 0


LABELLED = Scheme("labelled", ack=aimd_ack, send=label, recovery="own", parameters={"priority": Parameter(0.0)})


class Scanned(Queue):
    """List of packets (time [ns], size, number, priority); a full one is scanned for the packet that a rule drops."""

    def __init__(self, limit, rule):
        self.limit, self.rule, self.waiting = limit, rule, []
        self.dropped, self.area = [], 0  # numbers; integral of the backlog [packets x ns]

    def put(self, packet, idle):
        gone = None
        if not idle and len(self.waiting) >= self.limit:
            j = victim([one[3] for one in self.waiting], packet[3], self.rule)
            gone = packet if j is None else self.waiting.pop(j)
            self.dropped.append(gone[2])
            self.area += self.now - gone[0]
        if gone is not packet:
            self.waiting.append(packet)

    def take(self):
        if not self.waiting:
            return None
        first = self.waiting.pop(0)
        self.area += self.now - first[0]
        return first


gaps = st.lists(  # most of them half a packet or less, so that any buffer fills; sums are whole packets, too
    st.tuples(st.sampled_from([1, 7, 130, 499, 500, 501, 4003]), st.integers(0, 5)), min_size=20, max_size=120
)


@given(
    gaps=gaps,
    buffer=st.integers(1, 12) | st.just(40),
    name=st.sampled_from(sorted(RULES)),
    scale=st.sampled_from([1, 1000, 2**28]),
)
@examples(25)
def test_against_a_scan(gaps, buffer, name, scale):
    """Any arrivals, buffers and priorities, few and far apart: the very same packets are dropped."""
    times = np.cumsum([gap for gap, _ in gaps]).tolist()
    arrivals = [(time, scale * priority) for time, (_, priority) in zip(times, gaps, strict=True)]
    run = feed(name, buffer, arrivals, until=times[-1] + 10**6)
    plain = Scanned(buffer, RULES[name])
    transmissions(plain, [(1000 * time, 1000, k, priority) for k, (time, priority) in enumerate(arrivals)])
    assert np.flatnonzero(run.state.flows["dropped"]).tolist() == sorted(plain.dropped)


def test_acknowledgments_are_the_best():
    """On a return path that is as full as the forward path, data are dropped for acknowledgments, never the reverse."""
    net = Network().link("a", "b", rate=RATE, delay=0.01, buffer=10, discipline="priority-discard", duplex=True)
    for name, path in (("there", ["a", "b"]), ("back", ["b", "a"])):
        net.flow("blt", path=path, name=name, file=300_000, packet=500, access_rate=5 * RATE)
    run = simulated(net, 0.2)
    assert run.state.flows["dropped"].min() > 100
    # one is dropped only if no worse packet is queued
    assert run.state.flows["acks_dropped"].sum() < 0.01 * run.state.flows["received"].sum()


def test_hooks_push_nothing_out_of_it():
    """The service decides which packet is dropped; a hook that names one is refused."""

    def push(link, packet, now):
        return push_out(first_waiting(link)) if link.backlog > 3 else ENQUEUE

    mine = Discipline("mine", service="discard-worst", enqueue=push)
    net = one_link(traffic.constant(3 * RATE), rate=RATE, buffer=10, discipline=mine)
    with pytest.raises(ValueError, match="at a link with service='departures'"):
        Simulation(net, rng=1).advance(1.0)


def test_the_service_of_each():
    assert [queues.discipline(name).service.name for name in sorted(RULES)] == ["discard-worst", "discard-last"]
    assert DISCARD_WORST.queues == DISCARD_LAST.queues == 1  # no queue of its own for each flow
