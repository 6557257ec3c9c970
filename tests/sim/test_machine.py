"""State machine of hypothesis: actions on a running network in any order, and invariants after each.

A network of one scheme or one discipline among random others is carried on by single events and by stretches of
time, its flows are stopped; after each of these packet counts, queues, sequence numbers, windows and timers are
looked at.
"""

import itertools
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

from longfat.sim import Simulation, queues, schemes
from longfat.sim.kernel import records
from longfat.sim.runs import run_state
from tests.examples import examples
from tests.sim import networks
from tests.sim.networks import Look
from tests.sim.own import arrived, stop
from tests.sim.test_properties import check_buffers, check_order

GROWING = ("una", "expect", "high", "transmission", *itertools.chain(*run_state.COUNTERS.values()))
ROUNDING = 1e-9  # s


class Run(RuleBasedStateMachine):
    """Network determined by a seed, and the actions on it."""

    def begin_with(self, seed, options):
        self.run = Simulation(networks.build(seed, **options), rng=seed)
        self.before = self.counts()
        self.now = 0

    def counts(self):
        """What may grow only, as long as a row is that of the same connection: of the same start."""
        return {name: self.run.state.flows[name].copy() for name in ("start", *GROWING)}

    @rule(most=st.integers(1, 30))
    def some_events(self, most):
        """One event or packet at a time; a flow that sends new packets has no more in flight than its window."""
        for _ in range(most):
            flows = self.run.state.flows
            before, extra = flows["next"].copy(), flows["allowance"].copy()
            status = networks.one_event(self.run, self.now + 10 * records.SECOND)
            if status not in (records.DONE, records.PAUSED):
                self.run._make_room(status)
            flows = self.run.state.flows[: len(before)]
            sent = (flows["next"] > before) & (flows["window_decides"] == 1)
            allowed = flows["window"] + flows["inflation"] + np.maximum(flows["allowance"], extra)
            assert (flows["next"] - flows["una"] <= np.maximum(1, np.floor(allowed)))[sent].all()

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
        stop(self.run, which % len(self.run.state.flows))

    @invariant()
    def packet_counts_and_queues(self):
        """Sent = received + dropped + in flight; no queue below 0 or beyond its buffer; packets in order."""
        self.run.packet_counts()
        look = Look(self.run)
        check_order(look)
        check_buffers(look)
        links = self.run.state.links
        for name in ("backlog", "backlog_bytes", "dropped", "served", "largest_backlog"):
            assert (links[name] >= 0).all(), name
        assert (arrived(self.run) >= 0).all()

    @invariant()
    def clock_and_timers(self):
        """Time does not decrease; events are in the future, in a heap; timeouts are within their bounds."""
        state = self.run.state
        now = int(state.row.now)
        assert now >= self.now
        self.now = now
        for entries, count in ((state.arrivals, state.row.arrivals), (state.clocks, state.row.clocks)):
            heap = entries[:count].tolist()  # (time, key)
            assert all(entry[0] >= now for entry in heap)
            assert all(heap[(k - 1) // 2] <= heap[k] for k in range(1, count))
        flows = state.flows
        known = flows["rto"] > 0
        assert (flows["rto"][known] >= flows["min_rto"][known] - ROUNDING).all()
        assert (flows["rto"][known] <= flows["max_rto"][known] + ROUNDING).all()
        assert (flows["srtt"] >= 0).all()
        assert (flows["rttvar"] >= 0).all()

    @invariant()
    def numbers_and_windows(self):
        """una <= expect <= high and una <= next <= high; no count falls; windows and rates are numbers."""
        flows = self.run.state.flows
        assert (flows["una"] >= 0).all()
        assert (flows["una"] <= flows["expect"]).all()
        assert (flows["expect"] <= flows["high"]).all()
        assert (flows["una"] <= flows["next"]).all()
        assert (flows["next"] <= flows["high"]).all()
        for name in ("window", "rate", "inflation"):
            assert not np.isnan(flows[name]).any(), name
            assert (flows[name] >= 0).all(), name
        there = len(self.before["start"])
        same = flows["start"][:there] == self.before["start"]  # a row is used again when its connection is over
        for name in GROWING:
            assert (flows[name][:there] >= self.before[name])[same].all(), name
        self.before = self.counts()


class AnyRun(Run):
    """State machine of networks with any scheme and discipline."""

    @initialize(seed=st.integers(0, 10**6), kind=st.sampled_from(["known", "disciplines"]), which=st.integers(0, 999))
    def begin(self, seed, kind, which):
        names = schemes.names() if kind == "known" else sorted(queues.NAMED)
        self.begin_with(seed, {kind: [names[which % len(names)]]})


class OneRun(Run):
    """State machine for one scheme with random disciplines, or for one discipline with random schemes."""

    options: ClassVar[dict] = {}

    @initialize(seed=st.integers(0, 10**6))
    def begin(self, seed):
        self.begin_with(seed, self.options)


def test_every_scheme_and_discipline():
    run_state_machine_as_test(AnyRun, settings=examples(8, 200, stateful_step_count=8))


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "name"),
    [*(("known", name) for name in schemes.names()), *(("disciplines", name) for name in queues.NAMED)],
)
def test_one_scheme_or_discipline(kind, name):
    one = type("One", (OneRun,), {"options": {kind: [name]}})
    run_state_machine_as_test(one, settings=examples(25, 200, stateful_step_count=12))


def test_the_look_can_object():
    """The invariants fail for an acknowledged packet that never arrived, a window of NaN, and an entry in the past."""
    one = OneRun()
    one.begin_with(1, {"known": ["reno"], "disciplines": ["fifo"]})
    one.some_time(0.3)
    one.numbers_and_windows()
    one.clock_and_timers()
    flow, clocks = one.run.state.senders[0], one.run.state.clocks
    flow.una += 10_000
    with pytest.raises(AssertionError):
        one.numbers_and_windows()
    flow.una -= 10_000
    flow.window = np.nan
    with pytest.raises(AssertionError):
        one.numbers_and_windows()
    clocks["time"][0] = 5
    with pytest.raises(AssertionError):
        one.clock_and_timers()
