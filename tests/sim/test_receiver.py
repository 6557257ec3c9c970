"""Transmission times in exact arithmetic; reassembly and SACK blocks against a set; recovery from any losses."""

import functools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longfat.base import code_cache
from longfat.sim import Discipline, Network, Scheme, Simulation
from longfat.sim.kernel import jit, records
from longfat.sim.kernel.memory import allocate_packet, release_packet, state_at
from longfat.sim.kernel.receiver import receive
from longfat.sim.queues import DROP, ENQUEUE
from tests.examples import examples
from tests.sim.lab import one_link
from tests.sim.networks import AIMD, EAGER, PACED, Look
from tests.sim.own import of_link

usual = examples(30)


def departures(rate, bursts, discipline="fifo"):
    """Return size and end of transmission [ns] of each packet of bursts (size, packets, start [s])."""
    net = Network().link("a", "b", rate=rate, delay=0.5, discipline=discipline)
    for k, (size, count, start) in enumerate(bursts):
        net.flow(AIMD, path=["a", "b"], packet=size, file=size * count, ack_path="ideal", start=start, name=f"{k}")
    run = Simulation(net, rng=1)
    run.state.senders["window"] = [count for _, count, _ in bursts]
    run.advance(0.375)
    run.packet_counts()
    look = Look(run)
    rows = look.rows(look.link["head"][0])
    return [(look.column["length"][row], look.column["arrival"][row] - 500_000_000) for row in rows]


BOTH = ("fifo", "fifo-departures")
NS = 1e-9  # s


@pytest.mark.parametrize(
    ("rate", "bursts", "disciplines", "times"),
    [
        # 64 bytes at 100 Gbit/s take 5.12 ns: 5.12, 10.24, 15.36, 20.48, 25.6, to the nearest; a hundred take 512.
        (100e9, [(64, 100, 0.0)], BOTH[:1], [*(int(5.12 * k + 0.5) for k in range(1, 100)), 512]),
        # Each packet comes just as the one before it has left: as in a row.
        (100e9, [(64, 1, k * NS) for k in (0, 5, 10, 15, 20)], BOTH, [5, 10, 15, 20, 26]),
        # Rounding restarts with every burst.
        (100e9, [(64, 5, 0.0), (64, 5, 0.1)], BOTH[:1], [k + late for late in (0, 10**8) for k in (5, 10, 15, 20, 26)]),
        # No remainder is left after a pause of 0.1 s: packets of 5.12, 2.56, 2.67, 5.33 and 2.5 ns.
        *(
            (bits * 1e9, [(size, 1, 0.1 * k) for k in range(3)], BOTH, [after + 10**8 * k for k in range(3)])
            for bits, size, after in ((100, 64, 5), (100, 32, 3), (3, 1, 3), (3, 2, 5), (16, 5, 3))
        ),
    ],
)
def test_transmission_times_by_hand(rate, bursts, disciplines, times):
    """A transmission ends at the nearest nanosecond of the exact sum since the link was idle; rates in bit/s."""
    for discipline in disciplines:
        assert [time for _, time in departures(rate / 8, bursts, discipline)] == times


# Kept on disk, because it contains half of the kernel.
@functools.partial(code_cache.compiled, folders=[Path(jit.__file__).parent], _nrt=False)
def feed(address, numbers, reports):
    """Let data packets of flow 0 arrive; return acknowledgment number and SACK blocks for each."""
    state = state_at(address)
    for k in range(len(numbers)):
        i = allocate_packet(state)
        packet = state.packets[i]
        packet.flow = 0
        packet.number = numbers[k]
        packet.flag_bits = 0
        packet.kind = 0
        packet.length = 100
        packet.hop = 0
        packet.sent = 0
        receive(state, i)
        reports[k, 0] = packet.number
        reports[k, 1] = packet.flag_bits & 16
        for j in range(6):
            reports[k, 2 + j] = state.extras[i].blocks[j] if packet.flag_bits & 16 else 0
        release_packet(state, i)


def runs_of(there, expect):
    """Return the maximal blocks of numbers above the first hole, as (low, one more than high)."""
    above = sorted(number for number in there if number >= expect)
    runs = []
    for number in above:
        if runs and runs[-1][1] == number:
            runs[-1] = (runs[-1][0], number + 1)
        else:
            runs.append((number, number + 1))
    return runs


orders = st.one_of(
    st.permutations(list(range(24))),
    st.lists(st.integers(0, 30), max_size=60),
    st.permutations(list(range(0, 40, 2))).map(lambda order: [*order, *range(0, 40)]),
)


@pytest.mark.plain  # `feed` contains half of the kernel
@examples(100, 2000)
@given(numbers=orders)
@example([1, 3, 5, 7, 9, 5, 6, 4, 0])
def test_the_receiver_is_a_set(numbers):
    """Any order, with duplicates: next packet expected, new bytes, duplicates, and the SACK blocks of RFC 2018."""
    run = Simulation(one_link(AIMD, rate=1e6, duplex=True), rng=1)
    reports = np.zeros((len(numbers), 8), np.int64)
    feed(run.state.address(), np.array(numbers, np.int64), reports)
    there, before = set(), []
    for number, report in zip(numbers, reports.tolist(), strict=True):
        there.add(number)
        expect = next(n for n in range(100) if n not in there)
        assert report[0] == expect
        runs = runs_of(there, expect)
        shown = [(low, high) for low, high in zip(report[2::2], report[3::2], strict=True) if high > 0]
        # As many blocks as there are, up to three, each complete and none twice; none at all without a hole.
        assert len(shown) == len(set(shown)) == min(3, len(runs))
        assert set(shown) <= set(runs)
        assert bool(report[1]) == bool(runs)
        # RFC 2018, section 4: first the block of the packet that arrived, then the most recently reported ones.
        order = []
        for low in [number, *(low for low, _ in before)]:
            now = next((one for one in runs if one[0] <= low < one[1]), None)
            if now is not None and now not in order:
                order.append(now)
        assert shown[: len(order[:3])] == order[:3]
        before = shown
    flow = run.state.flows[0]
    assert flow.received_bytes == 100 * len(there)
    assert flow.duplicate == len(numbers) - len(there)
    assert run.state.row.free_nodes == len(run.state.nodes) - len(runs_of(there, flow.expect))


def drop_chosen(link, packet, now):
    """Drop the chosen packets, by their place in the order of arrival."""
    k = link.count
    link.count += 1
    return DROP if k < 384 and link.chosen[k] else ENQUEUE


CHOSEN = Discipline("chosen", enqueue=drop_chosen, state={"count": 0, "chosen": [False] * 384})


def lossy_path(scheme, size, lost, lost_acks):
    """Return a file over a link that loses these packets, and the acknowledgments of those."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=CHOSEN, duplex=True)
    run = Simulation(net.flow(scheme, path=["a", "b"], packet=1000, file=1000 * size), rng=1)
    for link, which in enumerate((lost, lost_acks)):
        for k in which:
            of_link(run, link).chosen[k] = True
    run.advance(3000.0)
    return run, run.state.flows[0]


patterns = st.sets(st.integers(0, 150), max_size=60)


@usual
@given(
    scheme=st.sampled_from([AIMD, EAGER, PACED]),
    size=st.integers(1, 120),
    lost=patterns,
    lost_acks=st.one_of(st.just(set()), patterns),
)
@example(AIMD, 50, set(range(50)), set())
@example(AIMD, 50, set(), set(range(0, 150, 2)))
def test_selective_recovery(scheme, size, lost, lost_acks):
    """Every file arrives, and unless an acknowledgment is lost, only lost packets are retransmitted."""
    run, flow = lossy_path(scheme, size, lost, lost_acks)
    assert flow.finish != records.NEVER
    assert flow.expect == size == flow.packets
    assert flow.received_bytes == 1000 * size
    assert flow.in_flight == 0
    assert run.state.row.free_nodes == len(run.state.nodes)
    packet_counts = run.packet_counts()
    assert packet_counts["in_flight"] == packet_counts["acks_in_flight"] == 0
    if not lost_acks:
        assert flow.losses <= flow.dropped
        assert flow.retransmitted == flow.dropped
        assert flow.duplicate == 0
        if flow.timeouts == 0:
            assert flow.losses == flow.dropped


@pytest.mark.parametrize(
    ("reorder", "size", "lost", "losses", "timeouts"),
    [
        (1, 10, 3, 1, 0),  # the acknowledgment of 4 shows it, 3 is retransmitted once
        (1, 10, 9, 0, 1),  # the last packet: none follows it, so that only the timer detects the loss
        (3, 10, 7, 0, 1),  # of three later ones that have to be acknowledged there are two
        (3, 11, 7, 1, 0),
    ],
)
def test_losses_by_hand(reorder, size, lost, losses, timeouts):
    """A packet of a file is lost: the `reorder`-th later one that is acknowledged shows it, else the timer."""
    _, flow = lossy_path(Scheme("wide", ack=lambda flow, event: 100.0, reorder=reorder), size, {lost}, set())
    assert (flow.sent, flow.losses, flow.timeouts) == (size + 1, losses, timeouts)


@pytest.mark.parametrize(("window", "again"), [(10.0, 10), (1.0, 1)])
def test_list_nodes_of_a_sender_are_freed(window, again):
    """All ten ACKs are lost; the first ACK of what is sent again ends it with nine in flight, or nine found lost."""
    wide = Scheme(
        "wide", start=lambda flow, event: 10.0, ack=lambda flow, event: 10.0, timeout=lambda flow, event: window
    )
    run, flow = lossy_path(wide, 10, set(), set(range(10)))
    assert (flow.sent, flow.duplicate, flow.timeouts) == (10 + again, again, 1)
    assert run.state.row.free_nodes == len(run.state.nodes)
