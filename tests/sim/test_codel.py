"""CoDel against the control law by hand, and against RFC 8289's pseudo-code packet by packet."""

import math
from collections import deque

import numpy as np
import pytest

from longfat import testing
from longfat.sim import Network, Simulation, run
from longfat.sim.kernel.records import CE
from longfat.sim.network import traffic
from longfat.sim.queues import codel
from tests.sim.lab import logged, simulated
from tests.sim.networks import FIXED
from tests.sim.spy import Spy

MS = 1_000_000  # ns


def test_drop_times_by_hand():
    """Sojourn times grow without end; drops follow the control law.

    970 bytes every 0.7 ms into 1 MB/s: packet n arrives at 0.7 n ms and its turn comes at 0.97 n ms, so that it has
    waited 0.27 n ms. That is 5 ms for n = 19 first, at 18.43 ms. An interval later, at 118.43 ms, dropping begins with
    the next turn, number 123: 119.31 ms, and drop_next = 119.31 + 100 = 219.31. From there on

        turn 227, 220.19 ms: count 2, drop_next 219.31 + 100/sqrt(2) = 290.02
        turn 299, 290.03 ms: count 3, drop_next 290.02 + 100/sqrt(3) = 347.76
        turn 359, 348.23 ms: count 4, drop_next 347.76 + 50 = 397.76
        turn 411, 398.67 ms: count 5, drop_next 397.76 + 100/sqrt(5) = 442.48
        turn 457, 443.29 ms: count 6, drop_next 442.48 + 100/sqrt(6) = 483.30
        turn 499, 484.03 ms
    """
    entered, left, _ = logged([(traffic.constant(970 / 0.0007), {"packet": 970})], codel, 0.5)
    turns = {line[2]: line[0] - 970_000 for line in left}  # when the transmission of each began
    gone = [line[2] for line in entered if line[2] not in turns and line[2] < max(turns)]
    # A packet is dropped when the one behind it is sent.
    assert [turns[number + 1] for number in gone] == [
        119310000,
        220190000,
        290030000,
        348230000,
        398670000,
        443290000,
        484030000,
    ]


def pseudo_code(arrivals, nanoseconds_a_byte, target=5 * MS, interval=100 * MS):
    """Return which arrivals leave, and when each transmission begins: RFC 8289, sections 5.3 to 5.6, as printed."""
    queue, left, backlog = deque(), [], 0
    first_above = drop_next = count = last_count = 0
    dropping, largest, now, arrivals = False, 0, 0, deque(arrivals)

    def law(t):
        return t + interval / math.sqrt(count)

    def do_dequeue():
        nonlocal first_above, backlog
        ok_to_drop = False
        if not queue:
            first_above = 0
            return None, ok_to_drop
        packet = queue.popleft()
        backlog -= packet[1]
        if now - packet[0] < target or backlog <= largest:
            first_above = 0
        elif first_above == 0:
            first_above = now + interval
        elif now >= first_above:
            ok_to_drop = True
        return packet, ok_to_drop

    while arrivals or queue:
        if not queue:
            now = max(now, arrivals[0][0])
        while arrivals and arrivals[0][0] <= now:
            packet = arrivals.popleft()
            largest = max(largest, packet[1])
            queue.append(packet)
            backlog += packet[1]
        packet, ok_to_drop = do_dequeue()
        if dropping:
            if not ok_to_drop:
                dropping = False
            while now >= drop_next and dropping:
                count += 1
                packet, ok_to_drop = do_dequeue()
                if not ok_to_drop:
                    dropping = False
                else:
                    drop_next = law(drop_next)
        elif ok_to_drop:
            packet, ok_to_drop = do_dequeue()
            dropping = True
            delta = count - last_count
            count = delta if delta > 1 and now - drop_next < 16 * interval else 1
            drop_next = law(now)
            last_count = count
        left.append((now, packet[2]))
        now += packet[1] * nanoseconds_a_byte
    return left


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_pseudo_code(seed):
    """Packets of two sizes in bursts of random length, so that CoDel enters and leaves its dropping state."""
    sources = [
        (traffic.on_off(1.6e6, 0.4, 0.35, shape_on=1, shape_off=1), {"packet": 1003, "name": "large"}),
        (traffic.on_off(0.9e6, 0.3, 0.5, shape_on=1, shape_off=1), {"packet": 211, "name": "small", "start": 1.23e-5}),
    ]  # fmt: skip
    entered, left, _ = logged(sources, codel, 20.0, rng=seed)
    arrivals = [(time, size, (flow, transmission)) for time, flow, transmission, size, _ in entered]
    referee = pseudo_code(arrivals, 1000)
    begun = [(time - 1000 * size, (flow, transmission)) for time, flow, transmission, size, _ in left]
    assert begun == referee[: len(begun)]
    assert len(begun) > 10_000
    dropped = len(arrivals) - len(referee)
    assert dropped > 100


def bottleneck(discipline, seed, flows=10, **options):
    """Return the mean wait [s] and utilisation of 20 Mbit/s shared by NewReno flows with a round trip of 100 ms.

    The flows start at random in the first second; the buffer of 1000 packets would hold 600 ms.
    """
    rng = np.random.default_rng(seed)
    net = Network().link("a", "b", rate="20 Mbit/s", delay="50 ms", buffer=1000, discipline=discipline)
    net.link("b", "a", rate="20 Mbit/s", delay="50 ms")
    for k in range(flows):
        net.flow("newreno", path=["a", "b"], packet=1500, start=float(rng.random()), name=f"flow {k}", **options)
    found = run(net, duration=60.0, warm_up=20.0, rng=1, progress=False).sel(link="a-b")
    return float(found.mean_wait), float(found.utilisation), float(found.link_dropped), float(found.link_marked)


@pytest.mark.parametrize("target", [0.005, 0.010])
def test_the_standing_delay_is_about_the_target(target):
    """Ten NewReno flows: the mean delay is within 20 % of the target, on a busy link."""
    busy = []

    def wait(seed):
        mean, utilisation, *_ = bottleneck(codel(target=target), seed)
        busy.append(utilisation)
        return mean

    found = testing.compare(lambda: target, wait, within="20 %", power=0.95, power_at=1, rng=0)
    assert found.verdict == "agrees", found
    assert min(busy) > 0.95
    assert bottleneck("fifo", 0)[0] > 0.3  # the check can fail: without CoDel the queue takes all of the buffer


def test_it_marks_instead():
    """With ECN nothing is dropped and the delay is near the target; flows without ECN see no difference."""
    wait, utilisation, dropped, marked = bottleneck(codel(ecn=True), 0, parameters={"ecn": 1.0})
    assert 0.004 < wait < 0.006
    assert utilisation > 0.95
    assert (dropped, marked > 100) == (0, True)
    assert bottleneck(codel(ecn=True), 0) == bottleneck(codel, 0)


def test_marks_are_made_at_the_times_of_drops():
    """The first case by hand, with marks: turn 123 is marked, and the next ones an interval/sqrt(count) later each.

    Marked packets are sent, so that the turns come at 0.97 n ms as before the first drop: 119.31 ms; drop_next is
    219.31, 290.02, 347.76, 397.76, 442.48 ms. The next turns are number 227 (220.19 ms), 299 (290.03), 359 (348.23),
    411 (398.67) and 457 (443.29).
    """
    spy = Spy()
    net = Network().link("a", "b", rate=1e6, discipline=codel(ecn=True))
    net.link("b", "d", rate=math.inf, discipline=spy.discipline)
    net.flow(FIXED, path=["a", "b", "d"], ack_path="ideal", packet=970, parameters={"rate": 970 / 0.0007, "ecn": 1})
    Simulation(net, rng=1).advance(0.45)
    assert [one.number for one in spy.data if one.marks & CE] == [123, 227, 299, 359, 411, 457]


@pytest.mark.parametrize(("burst", "drops"), [(2, False), (3, True)])
def test_one_packet_behind_is_no_standing_queue(burst, drops):
    """On a slow link the backlog decides (RFC 8289, section 5.6): at most one largest packet behind is no queue.

    Packets of 8 ms arrive every 8 ms, after a burst of two: each waits 16 ms, and leaves one behind. After a burst of
    three each waits 24 ms and leaves two behind, so that dropping begins.
    """
    net = Network().link("a", "b", rate=125e3, discipline=codel)
    for start, stop, spacing in ((0.0, 1.0, 0.008), *((0.0, 0.001, 1.0) for _ in range(burst))):
        net.flow(traffic.constant(1000 / spacing), path=["a", "b"], packet=1000, start=start, stop=stop)
    one = simulated(net, 1.0)
    assert (int(one.state.links[0].dropped) > 0) == drops
