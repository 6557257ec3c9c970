"""Credit flow control of links: by hand, against the laws, and without loss whatever happens."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import laws
from longfat.sim import Discipline, Network, Parameter, Simulation, queues
from longfat.sim.kernel.records import FEEDBACK
from longfat.sim.network import traffic
from longfat.sim.queues import DROP, ENQUEUE
from tests.examples import examples
from tests.sim.lab import simulated

CELL, RATE = 53, 530_000.0  # bytes, bytes/s: a cell takes 0.1 ms
TIME = CELL / RATE


def chain(hops, discipline, given, *, delay=0.001, buffer=1000, count=1, last=RATE, back="fifo", **options):
    """Return a chain of links with the discipline, the last one of another rate, and flows over all of them.

    The links back have a discipline of their own.
    """
    net = Network()
    for k in range(hops):
        rate = last if k == hops - 1 else RATE
        net.link(f"n{k}", f"n{k + 1}", rate=rate, delay=delay, buffer=buffer, discipline=discipline)
        net.link(f"n{k + 1}", f"n{k}", rate=RATE, delay=delay, discipline=back)
    nodes = [f"n{k}" for k in range(hops + 1)]
    given = {"first_rto": 100.0, "min_rto": 100.0, **given}  # longer than all buffers take
    if count == 0:
        return net
    options = {"ack_path": "ideal", **options}
    return net.flow("credit", path=nodes, packet=CELL, ack=CELL, count=count, parameters=given, **options)


def test_credit_by_hand():
    """n2 = 2, n3 = 2, links of 1 ms: what the first switch sends until the first credit packet, and when that arrives.

    The source is at the first switch, with credit from it: 4 cells. That switch has credit for 4 cells from the next
    one. They leave at 0, 0.1, 0.2, 0.3 ms; the second cell is at the next switch at 0.2 + 1 ms, which forwards it and
    returns a credit packet, 1 ms. At 2.2 ms two more cells leave, and at 2.4 ms the next two.
    """
    one = Simulation(chain(2, queues.credit(n2=2, n3=2), {"n2": 2, "n3": 2}))
    for time, sent in (
        (5e-5, 1), (35e-5, 4), (219e-5, 4), (221e-5, 5), (239e-5, 6), (241e-5, 7), (255e-5, 8), (3e-3, 8),
    ):  # fmt: skip
        one.advance(time)
        assert int(one.state.links[0].served) == sent, time
    assert int(one.state.links[0].backlog) <= 4


def test_back_pressure_fills_the_allocations_hop_by_hop():
    """A last link of a tenth of the rate: every switch ends up with 40 cells, of which one is in transmission."""
    one = simulated(chain(3, queues.credit, {}, last=RATE / 10), 2.0)
    assert one.packet_counts()["dropped"] == 0
    last, largest = one.state.links[4], one.state.links["largest_backlog"][[0, 2, 4]]
    assert int(last.served) == pytest.approx(2.0 / (10 * TIME), rel=0.01)  # the slow link is always busy
    assert all(35 <= one <= 40 for one in largest.tolist()), largest


def test_a_blocked_flow_does_not_block_the_link():
    """One flow has a slow last link, the other has the rest of the shared link: N3 is its round trip, 21 cells."""
    discipline, net = queues.credit(n2=5, n3=21), Network()
    for tail, head, rate in (("a", "b", RATE), ("b", "slow", RATE / 20), ("b", "fast", RATE)):
        net.link(tail, head, rate=rate, delay=0.001, buffer=1000, discipline=discipline)
        net.link(head, tail, rate=RATE, delay=0.001)
    for end in ("slow", "fast"):
        net.flow(
            "credit", path=["a", "b", end], packet=CELL, parameters={"n2": 5, "n3": 21}, ack_path="ideal", name=end
        )
    one = simulated(net, 1.0)
    got = one.state.flows["received"].tolist()
    assert got[0] == pytest.approx(500, rel=0.02)
    assert got[1] == pytest.approx(9500, rel=0.02)
    assert one.packet_counts()["dropped"] == 0


CASES = st.fixed_dictionaries({
    "hops": st.integers(1, 4), "count": st.integers(1, 4), "delay": st.sampled_from([0.0, 0.0003, 0.002]),
    "last": st.sampled_from([RATE / 20, RATE / 3, RATE]), "n2": st.integers(1, 12), "n3": st.integers(0, 40),
})  # fmt: skip


def no_loss(case, adaptive, pool=0, interval=0.02):
    """Run flows that start and pause at random over a chain with just the buffers that the rule asks for."""
    n2, n3, count = case["n2"], case["n3"], case["count"]
    buffer = pool if adaptive else count * (n2 + n3)
    discipline = queues.credit(n2=n2, n3=n3, adaptive=adaptive, pool=max(1, pool), interval=interval)
    given = {"n2": n2, "n3": n3, "lifetime": interval if adaptive else 0.0}
    writes = traffic.on_off(RATE, 0.05, 0.08, shape_on=1, shape_off=1)
    net = chain(case["hops"], discipline, given, delay=case["delay"], buffer=max(1, buffer), last=case["last"],
                count=count, stagger=0.03, application=writes)  # fmt: skip
    one = simulated(net, 1.0)
    assert one.packet_counts()["dropped"] == 0
    assert one.state.flows["retransmitted"].sum() == 0
    assert one.state.flows["received"].min() > 0
    return one


@examples(16, 400)
@given(CASES, st.sampled_from([0, 0, 8, 20, 60, 200]))
def test_nothing_is_lost(case, pool):
    """Credit of fixed size, or adaptive with a pool."""
    no_loss(case, pool > 0, pool)


def test_a_buffer_smaller_than_the_pool_is_the_pool():
    """Three flows over a slow link with room for 60 packets, at switches that are given a pool of 400."""
    discipline = queues.credit(n2=1, adaptive=True, pool=400, interval=0.02)
    net = chain(2, discipline, {"n2": 1, "lifetime": 0.02}, delay=0.0003, buffer=60, last=RATE / 20, count=3)
    one = simulated(net, 1.0)
    assert one.packet_counts()["dropped"] == 0
    assert int(one.state.links[2].served) == pytest.approx(500, rel=0.02)


def test_less_buffer_than_the_allocations_loses():
    case = {"hops": 2, "count": 3, "delay": 0.0003, "last": RATE / 20, "n2": 5, "n3": 20}
    assert no_loss(case, False)
    net = chain(2, queues.credit(n2=5, n3=20), {"n2": 5, "n3": 20}, buffer=60, last=RATE / 20, count=3)
    one = simulated(net, 1.0)
    assert one.packet_counts()["dropped"] > 0


def test_an_allocation_follows_the_use_of_the_link():
    """The second flow begins with one cell beside a first one that fills the link, and ends with its share.

    The round trip is 21 cells and the pool 200: G is up to (100 - 2)/21 = 4.7, less the backlog.
    """
    given = {"n2": 1, "n3": 20, "lifetime": 0.01}
    discipline = queues.credit(n2=1, adaptive=True, pool=200, interval=0.01)
    net, common = chain(2, discipline, {}, buffer=200, count=0), {"packet": CELL, "ack_path": "ideal"}
    for k, start in enumerate((0.0, 0.5)):
        net.flow("credit", path=["n0", "n1", "n2"], start=start, parameters=given, name=f"f{k}", **common)
    one = simulated(net, 0.5)
    before = one.state.flows["received"][0]
    assert before == pytest.approx(5000, rel=0.1)
    one.advance(1.0)
    early = one.state.flows["received"].copy()
    one.advance(2.0)
    later = one.state.flows["received"] - early
    assert later.sum() == pytest.approx(10_000, rel=0.02)
    assert np.ptp(later) < 0.1 * later.sum()
    assert one.packet_counts()["dropped"] == 0


def test_an_allocation_grows_in_whole_cells():
    """G = 2 beside a flow that fills the link: 1 + floor(2 A), less 1 as the flow's part of an interval is below A/P.

    The round trip is 1000 cells; the pool of 2 (2 x 1000 + 2) is shared every 40 of them. The allocation is the rate
    times the round trip, counted over 0.6 of an interval. Without rounding: 1, 3, 7, 15, 31.
    """
    loop, turns, warm_up = 1000, 40, 12
    interval = turns * loop * TIME
    discipline = queues.credit(n2=1, adaptive=True, pool=2 * (2 * loop + 2), interval=interval)
    net = chain(2, discipline, {}, delay=(loop / 2 - 1) * TIME, buffer=10**6, count=0)
    for start in (0.0, (warm_up + 0.02) * interval):
        given = {"n2": 1, "lifetime": interval, "first_rto": 1e3, "min_rto": 1e3}
        net.flow("credit", path=["n0", "n1", "n2"], packet=CELL, ack_path="ideal", parameters=given, start=start)
    one, seen = Simulation(net), []
    for k in range(5):
        for part in (0.3, 0.9):
            one.advance((warm_up + k + part) * interval)
            seen.append(int(one.state.flows["received"][1]))
    assert [(b - a) / (0.6 * turns) for a, b in zip(seen[::2], seen[1::2], strict=True)] == [1, 3, 6, 12, 24]
    assert [laws.credits.adaptive_allocation(k, 2.0) for k in range(5)] == [1, 3, 7, 15, 31]


def lose_credit(link, packet, now):
    """Drop feedback in a given time."""
    return DROP if packet.kind == FEEDBACK and link.first <= now < link.last else ENQUEUE


LOSE_CREDIT = Discipline(
    "lose-credit",
    enqueue=lose_credit,
    parameters={
        "first": Parameter(0.0, "s", "[0, inf)", about="begin of the losses"),
        "last": Parameter(0.0, "s", "[0, inf)", about="end of the losses"),
    },
)


def silent_links(first, last, *, check=0.1):
    """Return a chain whose links lose all credit packets between two times [s], and a file of 400 cells."""
    given = {"n2": 5, "n3": 10, "first_rto": 0.5, "min_rto": 0.5}
    return chain(
        3, queues.credit(n2=5, n3=10, check=check), given, buffer=16, last=RATE / 2,
        back=LOSE_CREDIT(first=first, last=last), ack_path="reverse", file=400 * CELL,
    )  # fmt: skip


@pytest.mark.parametrize(("first", "last"), [(0.0, 0.08), (0.01, 0.3), (0.0, 100.0)])
def test_a_file_is_complete_without_any_credit_packet(first, last):
    """Blocked flows ask for the counts after 0.1 s; while no answer arrives, one cell leaves in that time.

    Without credit 15 cells leave at each node. If it comes back at 0.3 s, the next cells ask at 0.4 s at the latest,
    and 400 cells at half of the rate take 0.08 s.
    """
    one = simulated(silent_links(first, last), 0.6 if last < 1 else 60.0)
    assert one.all_done()
    assert one.state.links["dropped"][0::2].sum() == 0
    assert one.state.links["dropped"][1::2].sum() > 0


def test_without_asking_it_stops():
    one = simulated(silent_links(0.01, 0.3, check=math.inf), 60.0)
    assert not one.all_done()


def test_an_interval_below_the_round_trip_of_a_link_is_refused():
    """A cell takes 0.1 ms and then 10 ms: the round trip of the first link is 20.2 ms."""
    discipline = queues.credit(adaptive=True, interval=0.01)
    with pytest.raises(ValueError, match=r"interval = 0\.01 s is out of range: .* a link, 0\.0202 s, because"):
        Simulation(chain(2, discipline, {"lifetime": 0.01}, delay=0.01), rng=1).advance(1.0)
