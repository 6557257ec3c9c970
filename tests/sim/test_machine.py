"""What hypothesis does to a running network, in any order, and what holds after all of it: a state machine.

A network of one scheme or one discipline among random others is carried on by single events and by stretches of
time, its flows are stopped; after each of these the books, the queues, sequence numbers, windows and timers are
looked at.
"""

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from longfat.sim import Simulation, queues, records, schemes
from longfat.sim import world as worlds
from tests.examples import examples
from tests.sim import networks
from tests.sim.networks import Look
from tests.sim.test_properties import check_buffers, check_order

GROWING = ("una", "expect", "high", "transmission", *worlds.COUNTERS)
ROUNDING = 1e-9


class Run(RuleBasedStateMachine):
    """A network that follows from a seed, and what may happen to it."""

    options: ClassVar[dict] = {}

    @initialize(seed=st.integers(0, 10**6))
    def begin(self, seed):
        self.run = Simulation(networks.build(seed, **self.options), rng=seed)
        self.widest = np.zeros(len(self.run.world.flows))
        self.before = {name: self.run.world.flows[name].copy() for name in GROWING}
        self.now = 0

    def events(self, most):
        """So many events or packets sent, one at a time: a window may be wide between two of them only."""
        for _ in range(most):
            status = self.run._chunk(self.now + 10 * records.SECOND, 1)
            if status not in (records.DONE, records.PAUSED):
                self.run._make_room(status)
            self.look_at_windows()

    def look_at_windows(self):
        """Never more packets between the first unacknowledged and the next than the widest window so far."""
        flows = self.run.world.flows
        if len(self.widest) < len(flows):  # connections that have come
            self.widest = np.concatenate([self.widest, np.zeros(len(flows) - len(self.widest))])
        # a file that has come into the place of another begins anew
        self.widest = np.maximum(self.widest, np.floor(flows["window"] + flows["inflation"] + flows["limited"]))

    @rule(most=st.integers(1, 60))
    def some_events(self, most):
        self.events(most)

    @rule(seconds=st.floats(0, 0.2))
    def some_time(self, seconds):
        self.run.advance(max(self.run.now, self.run.now + seconds))

    @rule()
    def no_time(self):
        """What happens at this very moment has happened."""
        self.run.advance(self.run.now)
        before = networks.state(self.run)
        self.run.advance(self.run.now)
        assert networks.state(self.run) == before

    @precondition(lambda self: self.run.now > 0.1)
    @rule(which=st.integers(0, 99))
    def stop(self, which):
        """A flow sends nothing new from now on."""
        flows = self.run.world.flows
        flows["stop"][which % len(flows)] = self.run.world.row.now

    @invariant()
    def books_and_queues(self):
        """Sent = received + dropped + in flight; no queue below 0 or beyond its buffer; packets in order."""
        self.run.books()
        look = Look(self.run)
        check_order(look)
        check_buffers(look)
        links = self.run.world.links
        for name in ("waiting", "waiting_bytes", "dropped", "served", "arrived", "largest"):
            assert (links[name] >= 0).all(), name

    @invariant()
    def clock_and_timers(self):
        """Time does not run back; what is due is due later, in a heap; timeouts are within their bounds."""
        world = self.run.world
        now = int(world.row.now)
        assert now >= self.now
        self.now = now
        for entries, count in ((world.arrivals, world.row.arrivals), (world.timers, world.row.timers)):
            keys = entries["key"][:count].astype(object)
            assert all(key >> worlds.SERIAL_SHIFT >= 0 for key in keys)
            assert all(keys[(k - 1) // 2] <= keys[k] for k in range(1, count))
        flows = world.flows
        known = flows["rto"] > 0
        assert (flows["rto"][known] >= flows["min_rto"][known] - ROUNDING).all()
        assert (flows["rto"][known] <= flows["max_rto"][known] + ROUNDING).all()
        assert (flows["srtt"] >= 0).all()
        assert (flows["rttvar"] >= 0).all()
        assert (flows["backoff"] >= 1).all() or (flows["backoff"] == 0).any()

    @invariant()
    def numbers_and_windows(self):
        """una <= expect <= high and una <= next <= high; no count falls; windows and rates are numbers."""
        flows = self.run.world.flows
        assert (flows["una"] >= 0).all()
        assert (flows["una"] <= flows["expect"]).all()
        assert (flows["expect"] <= flows["high"]).all()
        assert (flows["una"] <= flows["next"]).all()
        assert (flows["next"] <= flows["high"]).all()
        for name in ("window", "rate", "inflation"):
            assert not np.isnan(flows[name]).any(), name
            assert (flows[name] >= 0).all(), name
        same = len(self.before["sent"])
        for name in GROWING:
            assert (flows[name][:same] >= self.before[name]).all(), name
            self.before[name] = flows[name].copy()


def machine(**options):
    return type("Run", (Run,), {"options": options})


@pytest.mark.parametrize("name", schemes.names())
def test_every_scheme(name):
    """All flows of one scheme, through random disciplines."""
    run_state_machine_as_test(machine(known=[name]), settings=examples(2, 200, stateful_step_count=8))


@pytest.mark.parametrize("name", sorted(queues.NAMED))
def test_every_discipline(name):
    """Random schemes through one discipline."""
    run_state_machine_as_test(machine(disciplines=[name]), settings=examples(2, 200, stateful_step_count=8))
