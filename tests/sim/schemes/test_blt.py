"""BLT, the bully-tyrant and the TCP of Kim & Farber (1994): by hand, and against a slow referee to the nanosecond."""

import functools
import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Simulation, schemes
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE
from longfat.sim.schemes import profile
from tests import blt_referee as referee
from tests.blt_referee import victim
from tests.examples import examples
from tests.sim.lab import simulated
from tests.sim.own import of_link
from tests.sim.schemes.losses import drop_numbers
from tests.sim.spy import Spy

PATH = ["source", "S1", "S2", "destination"]
PAPERS_TCP = {"duplicate_threshold": 1.0, "ordered_duplicates": 1.0, **profile("fine")}
RULES = {"priority-discard": "corrected", "priority-discard-published": "published", "fifo": "drop-tail"}
ACCESS, DELAY, SIZE = 150_000_000, 5_000_000, 500  # bit/s, ns of each of the three links, bytes


def dumbbell(bottleneck, discipline, buffer, delays=(DELAY,) * 3, last=ACCESS):
    net = Network().link("source", "S1", rate=math.inf, delay=delays[0] / 1e9)
    net.link("S1", "S2", rate=bottleneck / 8, delay=delays[1] / 1e9, buffer=buffer, discipline=discipline)
    return net.link("S2", "destination", rate=last / 8, delay=delays[2] / 1e9)


def add(net, scheme, packets, access=ACCESS, **options):
    return net.flow(
        scheme, path=PATH, packet=SIZE, file=packets * SIZE, access_rate=access / 8, ack_path="ideal", **options
    )


def end(net):
    run = simulated(net, 100.0)
    assert run.all_done()
    return run


def agree(run, connections, *, at_the_end=True):
    """Check that each flow has the finish time, transmissions, drops and timeouts of the referee."""
    names = {"una": "una", "sent": "transmissions", "timeouts": "timeouts", "finish": "finish", "dropped": "dropped"}
    for name, attribute in names.items():
        ours = run.state.flows[name].tolist()
        theirs = [records.NEVER if getattr(c, attribute) is None else getattr(c, attribute) for c in connections]
        if name == "dropped" and at_the_end:  # the referee ends with the last file
            assert all(a >= b for a, b in zip(ours, theirs, strict=True))
        else:
            assert ours == theirs, name


# Priorities

#: By (g, a), the sizes |W_0| = 1, |W_k| = g |W_k-1| + a, by hand.
WINDOWS = {
    (2, 0): [1, 2, 4, 8, 16, 32],
    (3, 0): [1, 3, 9, 27],
    (4, 0): [1, 4, 16, 64],
    (1.5, 0): [1, 1.5, 2.25, 3.375, 5.0625, 7.59375],
    (1, 1): [1, 2, 3, 4, 5, 6, 7, 8],
    (1, 3): [1, 4, 7, 10, 13],
    (1, 0): [1] * 20,
    (2, 1): [1, 3, 7, 15],
}


def sent_by(packets, beyond=(), scheme="blt", **options):
    """Return (number, priority) of all packets that left the source, and the run: 500 us a packet, 3.8 ms both ways."""
    spy = Spy()
    net = Network().link("source", "S1", rate=math.inf, delay=0.0019, discipline=spy.discipline)
    net.link("S1", "S2", rate=math.inf, discipline=drop_numbers(*beyond))
    net.flow(scheme, path=PATH[:3], packet=SIZE, file=packets * SIZE, access_rate=1e6, ack_path="ideal",
             parameters=options)  # fmt: skip
    run = end(net)
    return [(one.number, one.priority) for one in spy.data], run


def labels(packets, **options):
    return [priority for _, priority in sent_by(packets, **options)[0]]


def of_windows(*sizes):
    """Return the priorities of all packets of windows of these sizes, which need not be whole numbers."""
    ends = list(itertools.accumulate(sizes))
    return [next(k for k, end in enumerate(ends) if number < end) for number in range(int(ends[-1]))]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]),  # Kim and Farber (1994), section 3.3.1
        ({}, referee.priorities_of_two(300)),
        *(({"growth": growth, "step": step}, of_windows(*sizes)) for (growth, step), sizes in WINDOWS.items()),
        # Two bits have the priorities 0 to 3, and no bits have 0 only: windows of 1, 2, 4, 8, 16 packets.
        ({"bits": 2}, [0] + [1] * 2 + [2] * 4 + [3] * 24),
        ({"bits": 0}, [0] * 5),
        # 0 is acknowledged at 4.3 ms, before packet 9 goes: 9 - 1 + 1 = 9 packets from una, and so on: 3.
        ({"reset": 1}, referee.priorities_of_two(9) + [3] * 31),
        # Of every 8 packets, 4 have priority 3, 2 have 2, and one each has 1 and 0, spread evenly.
        ({"scheme": "blt-rate", "levels": 3}, [0, 3, 2, 3, 1, 3, 2, 3, 0, 3, 2, 3, 1, 3, 2, 3, 0]),
        ({"scheme": "blt-rate", "levels": 0}, [0] * 4),
    ],
)
def test_priorities(given, expected):
    assert labels(len(expected), **given) == expected


def test_data_that_an_application_adds():
    """Each submission begins with priority 0 (section 3.3.3).

    The application writes 40 packets, one every 50 us, and the access link takes 500 us for each. Packet 0 leaves at
    0; at 500 us packets 1 to 10 have been written; when these have left, at 5.5 ms, all others have.
    """
    spy = Spy()
    net = Network().link("source", "S1", rate=math.inf, delay=0.0019, discipline=spy.discipline)
    net.flow("blt", path=PATH[:2], packet=SIZE, access_rate=1e6, ack_path="ideal",
             application=traffic.on_off(1e7, "2 ms", "98 ms"))  # fmt: skip
    Simulation(net, rng=1).advance(0.05)
    assert [one.number for one in spy.data] == list(range(40))
    assert [one.priority for one in spy.data] == [0, *referee.priorities_of_two(10), *referee.priorities_of_two(29)]


def test_a_loss_begins_the_stream_anew():
    """Packet 1 is lost; the duplicate for packet 2 arrives when 10 packets have left, 5 ms after the first."""
    pairs, _ = sent_by(12, [1], scheme="blt-rate", levels=2)
    assert pairs[:3] == [(0, 0), (1, 2), (2, 1)]
    again = pairs.index((1, 0))  # the first packet of the new burst
    assert pairs[again : again + 5] == [(1, 0), (2, 2), (3, 1), (4, 2), (5, 0)]


def count(link, packet, now):
    """Count the packets of each priority."""
    link.came[packet.priority] += 1
    return ENQUEUE


@pytest.mark.parametrize(("growth", "levels"), [(2, 16), (3, 11), (4, 9)])
def test_priorities_of_large_files(growth, levels):
    """4 bits, 16 priorities, cover 2^16 - 1 packets; powers of 3 and 4 are exact, too."""
    packets = (growth**levels - 1) // (growth - 1)
    counting = Discipline("count", enqueue=count, state={"came": [0] * 16})
    net = Network().link("source", "S1", rate=math.inf, delay=0.01, discipline=counting)
    net.flow("blt", path=["source", "S1"], packet=SIZE, file=packets * SIZE, access_rate=1e9, ack_path="ideal",
             parameters={"growth": growth})  # fmt: skip
    assert of_link(end(net)).came[:levels].tolist() == [growth**k for k in range(levels)]
    assert packets == 2**16 - 1 or growth > 2


# Time without competition


@pytest.mark.parametrize("rate", [30_000_000, 150_000_000, 1_000_000_000])
@pytest.mark.parametrize("packets", [1, 2, 20, 200])
@pytest.mark.parametrize("scheme", ["blt", "bully-tyrant"])
def test_a_file_that_fits(scheme, packets, rate):
    """A file that the buffer can hold takes its transmission time and the propagation delays.

    N packets at the access rate, one packet time more at each of two further links, and D. At 1 Gbit/s 200 packets of 4
    us, 2 x 4 us and 30 ms: 30.808 ms.
    """
    run = end(add(dumbbell(rate, "priority-discard", 1, last=rate), scheme, packets, access=rate))
    each = 8 * SIZE * 10**9 / rate
    assert abs(int(run.state.flows[0].finish) - ((packets + 2) * each + 6 * DELAY)) <= 1
    if (packets, rate) == (200, 1_000_000_000):
        assert run.state.flows[0].finish == 30_808_000


#: CADPC asks the links before it sends, and a receiver that its scheme controls replies when it wants.
ANSWERED = [
    name
    for name in schemes.names()
    if schemes.scheme(name).acknowledged and schemes.scheme(name).reply is None and name != "cadpc-files"
]


@pytest.mark.parametrize("scheme", ANSWERED)
def test_one_packet_of_any_scheme(scheme):
    """The access link takes 500 x 8 / 150e6 s, a third of a nanosecond less than 26667 ns; what follows, none."""
    net = Network().link("source", "S1", rate=math.inf, delay=0.005)
    net.flow(scheme, path=["source", "S1"], packet=SIZE, file=SIZE, access_rate=ACCESS / 8, ack_path="ideal")
    assert end(net).state.flows[0].finish == 26_667 + 10_000_000


def alone(scheme, packets, buffer, rule, bottleneck, access=ACCESS, delays=(DELAY,) * 3, parameters=None, **options):
    """Return the simulation of one file, and what the referee computes."""
    name = next(name for name, one in RULES.items() if one == rule)
    run = end(add(dumbbell(bottleneck, name, buffer, delays), scheme, packets, access, parameters=parameters or {}))
    if scheme == "bully-tyrant":
        options["sizes"] = lambda k: math.inf  # of one window, so that all packets have priority 0
    path = referee.Figure4(Fraction(bottleneck), Fraction(ACCESS), delays, buffer, rule)
    c = path.add(referee.Reno if scheme == "reno" else referee.Burst, packets, SIZE, Fraction(access), **options)
    path.run([c], 10**12)
    agree(run, [c])
    return run.state.flows[0]


@pytest.mark.parametrize("buffer", [1, 2, 75])
@pytest.mark.parametrize(("access", "bottleneck"), [(150, 30), (150, 150), (160, 100)])
@pytest.mark.parametrize("rule", ["published", "corrected", "drop-tail"])
def test_a_file_that_overflows_by_itself(rule, access, bottleneck, buffer):
    """A file that overflows the buffer alone finishes as the referee says.

    Up to three times what fits at once. With 25 us a packet at 160 Mbit/s and whole round trips of 3 ms everything
    happens at the same times, so that the order of events decides.
    """
    for packets in (1, 7, 94, 95, 200, 400 if buffer == 75 else 60):
        scheme = "bully-tyrant" if rule == "drop-tail" else "blt"
        delays = (DELAY,) * 3 if access == 150 else (500_000,) * 3
        flow = alone(scheme, packets, buffer, rule, bottleneck * 10**6, access * 10**6, delays)
        if (buffer, bottleneck) == (75, 30):
            # Four of five arrivals wait: of N packets at once the first goes, and N - 1 - (N - 1) // 5 wait at the end.
            assert (flow.dropped > 0) == (packets - 1 - (packets - 1) // 5 > 75)


# Losses


def test_a_loss_begins_a_new_burst():
    """A loss begins a new burst at the missing packet, with priority 0.

    Packet 3 is lost. 4 leaves by 2.5 ms, is acknowledged at 6.3 ms: 12 is on the link until 6.5 ms, 3 follows. It is
    acknowledged at 10.8 ms with all up to 12, of which 11 is on the link then: 13 follows.
    """
    sent, run = sent_by(20, [3])
    numbers = [number for number, _ in sent]
    assert numbers == [*range(13), *range(3, 12), *range(13, 20)]
    # A new burst: 3 has priority 0. Duplicates by 5 ... 12, and by 4 ... 12 that were retransmitted, say nothing.
    again = referee.priorities_of_two(17)
    assert [priority for _, priority in sent] == [*referee.priorities_of_two(13), *again[:9], *again[10:]]
    assert run.state.flows[0].timeouts == 0
    # 13 + 16 packets of 0.5 ms, and the round trip
    assert run.state.flows[0].finish == 14_500_000 + 3_800_000


@pytest.mark.parametrize(
    ("packets", "lost", "given", "expected", "begins"),
    [
        # Duplicates of packets resent in vain begin no new burst. 3 again goes at 6.5 ... 7 ms and is acknowledged at
        # 10.8 ms: 9 is missing, and was retransmitted at 9.5 ... 10 ms. So nothing begins anew: echoes of 4 ... 8 are
        # of older transmissions than 9's last one.
        (20, [3, 9], {}, [*range(13), *range(3, 20)], [0, 3]),
        # 9 is lost twice: of the second burst, 10 says so. Sent at 10 ... 10.5 ms, acknowledged at 14.3 ms; from 6.5
        # ms on one each half millisecond: 3 ... 18 until 14.5 ms. 9, at 14.5 ... 15 ms, is acknowledged at 18.8 ms with
        # all up to 18; until 19 ms 17 is on the link.
        (40, [3, 9, 9], {}, [*range(13), *range(3, 19), *range(9, 18), *range(19, 40)], [0, 3, 9]),
        # `skip_known`: 4 is known at 6.3 ms, 5 at 6.8, 6 at 7.3, 8 at 8.3 ms. 3 goes at 6.5 ms; at 7 ms 4 and 5 are
        # known: 6; at 7.5 ms 7; at 8 ms 8; always what is known a packet later.
        (20, [3, 7], {"skip_known": 1}, [*range(13), 3, 6, *range(7, 20)], [0, 3]),
        # A tail that is lost waits for the timer.
        (20, [19], {}, [*range(20), 19], [0, 19]),
    ],
)
def test_losses(packets, lost, given, expected, begins):
    """Numbers of all packets sent, and of those that begin a burst, with priority 0."""
    seen, _ = sent_by(packets, lost, **given)
    assert [number for number, _ in seen] == expected
    assert [number for number, priority in seen if priority == 0] == begins


@pytest.mark.parametrize("growth", [2, 3, 1.5])
@pytest.mark.parametrize("option", [{}, {"reset": 1}, {"skip_known": 1}, {"restart_timer": 1}])
def test_options_against_the_referee(growth, option):
    for packets, buffer in ((60, 3), (400, 75)):
        alone(
            "blt", packets, buffer, "corrected", 30_000_000, access=30_000_001 * 5,
            parameters={"growth": growth, **option}, sizes=lambda k: growth**k, reset_on_ack="reset" in option,
            skip_known="skip_known" in option, restart="restart_timer" in option,
        )  # fmt: skip


# Many at once

crowds = st.fixed_dictionaries(
    {
        "files": st.lists(st.tuples(st.integers(1, 120), st.integers(0, 30_000_000)), min_size=1, max_size=8),
        "buffer": st.integers(1, 40),
        "ratio": st.sampled_from([0.1, 0.2, 0.6, 1.0]),
        "delay": st.integers(10_000, 5_000_000),
        "rule": st.sampled_from(sorted(RULES.values())),
    }
)


def crowd(case, scheme, parameters, make):
    """Return the simulation of several files at once, and what the referee computes.

    Odd rates and times let nothing happen at the same time by chance. Each link has its own rate: bursts on equal links
    that begin at the same nanosecond meet at S1 from then on. It runs for 0.2 s, not to the end: in such a
    network a drop-tail queue may shut bursts out for ever.
    """
    access, bottleneck = 151_234_567, round(case["ratio"] * 147_654_321)
    delays = tuple(case["delay"] + k for k in (11, 101, 1009))
    name = next(name for name, one in RULES.items() if one == case["rule"])
    net, connections = dumbbell(bottleneck, name, case["buffer"], delays), []
    path = referee.Figure4(Fraction(bottleneck), Fraction(ACCESS), delays, case["buffer"], case["rule"])
    for k, (packets, start) in enumerate(case["files"]):
        begin, least, line = start + 7 * k, 0.002 + k * 1.234567e-5, access + 1009 * k
        add(net, scheme, packets, line, start=begin / 1e9, parameters={**parameters, "min_rto": least})
        connections.append(path.add(make, packets, SIZE, Fraction(line), start=begin, min_rto=least))
    run = simulated(net, 0.2)
    path.run(connections, 2 * 10**8)
    agree(run, connections, at_the_end=run.all_done())


@given(crowds)
@examples(5)
@example({"files": [(29, 984236), (43, 0), (95, 0)], "buffer": 7, "ratio": 0.1, "delay": 188095, "rule": "drop-tail"})
def test_many_bursts(case):
    crowd(case, "blt", {}, referee.Burst)
    crowd(case, "blt", {"restart_timer": 1}, functools.partial(referee.Burst, restart=True))


@given(crowds)
@examples(5)
def test_many_of_the_papers_tcp(case):
    for guard in (False, True):
        crowd(case, "reno", {**PAPERS_TCP, "bugfix": guard}, functools.partial(referee.Reno, bugfix=guard))


class Hasty(referee.Burst):
    def lost(self, packet):
        return True


def test_the_referee_can_object():
    """The simulator differs from a referee without a rule: stale duplicates, windows, switch or guard."""
    case = {"files": [(120, 1_000_000 * k) for k in range(8)], "buffer": 10, "ratio": 0.2, "delay": 300_000}
    case["rule"] = "corrected"
    crowd(case, "blt", {}, referee.Burst)
    for make in (Hasty, functools.partial(referee.Burst, sizes=lambda k: 3**k)):
        with pytest.raises(AssertionError):
            crowd(case, "blt", {}, make)
    with pytest.raises(AssertionError):
        crowd(case, "reno", {**PAPERS_TCP, "bugfix": True}, functools.partial(referee.Reno, bugfix=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referee, "victim", lambda queue, priority, rule: victim(queue, priority, "published"))
        with pytest.raises(AssertionError):
            crowd(case, "blt", {}, referee.Burst)


# Arrivals


def test_every_connection_has_its_own_access_link():
    """Two files that begin at once take no longer than one over a fast shared link."""
    rate, packets = 1e9, 50
    net = dumbbell(10_000_000_000, "fifo", 10_000, last=10_000_000_000)
    net.flow(traffic.arrivals(2000.0, "blt"), path=PATH, packet=SIZE, file=packets * SIZE, access_rate=rate / 8,
             ack_path="ideal")  # fmt: skip
    run = simulated(net, 1.0, 3)
    done = run.transfers()
    # 50 x 4 us on their own links, 30 ms, two times 0.4 us; some wait for others' packets at S1, but 8 % of it is used
    assert done.sizes["transfer"] > 1500
    times = (done.finish - done.start).values * 1e9
    alone = 50 * 4000 + 6 * DELAY + 2 * 400
    assert times.min() == pytest.approx(alone, abs=1)
    # lines of their own are 500 x 0.2 ms behind each other in the mean, so that most overlap with another's burst
    assert times.max() < alone + 20_000


def test_fairness_of_transfers():
    """Jain's index of a log with times 1, 1 and 2 s: (1 + 1 + 1/2)^2 / (3 (1 + 1 + 1/4)) = 25/27."""
    from longfat.sim.runs import results

    net = dumbbell(30_000_000, "fifo", 75)
    net.flow(traffic.arrivals(1e-6, "blt"), path=PATH, file=1000, ack_path="ideal")
    run = Simulation(net, rng=1)
    before = results.snapshot(run)
    run.advance(3.0)
    for k, (begin, finish) in enumerate([(0, 1), (1, 2), (0, 2)]):
        run.state.connections[k] = (0, begin * 10**9, finish * 10**9, 2, 0)
    run.state.row.connections = 3
    data = results.measure(run, before, results.snapshot(run))
    assert data["fairness"][0] == pytest.approx(25 / 27)
    assert data["transfer_time"][0] == pytest.approx(4 / 3)
    assert data["connections"][0] == 3
