"""Loss recovery of the TCP schemes against traces by hand.

10 packets of 1000 bytes at 100 Mbit/s take 0.08 ms each; 50 ms there, 50 ms back without transmission time. Packet k
of a burst sent at 0 is acknowledged at 100 + 0.08 (k + 1) ms. The packets that are lost are lost at the far end.
"""

import math

import pytest

from longfat import sim
from longfat.sim import Discipline, Network, Simulation
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.own import column, of_flow


def losing(numbers, times=1):
    """Return a discipline that drops these packets, each the first `times` times it arrives."""
    numbers = tuple(numbers)

    def lose(link, packet, now):
        for k in range(len(numbers)):
            if packet.number == numbers[k] and link.came[k] < times:
                link.came[k] += 1
                return DROP
        return ENQUEUE

    return Discipline("losing", enqueue=lose, state={"came": [0] * 20})


def start(scheme, numbers=(), times=1, file=None, **parameters):
    net = Network()
    net.link("a", "b", rate="100 Mbit/s", delay="50 ms")
    net.link("b", "c", rate=math.inf, discipline=losing(numbers, times) if len(numbers) else "fifo")
    net.flow(scheme, path=["a", "b", "c"], packet=1000, file=file, ack_path="ideal", parameters=parameters)
    return Simulation(net, rng=1)


#: Ten packets at once, and growth by one packet a round trip from there on.
TEN = {"initial_window": 10, "initial_ssthresh": 1}


def flow_at(run, seconds):
    run.advance(seconds)
    return run.state.flows[0]


GROWN = 10 + 1 / 10
GROWN += 1 / GROWN
GROWN += 1 / GROWN  # after three acknowledgments in avoidance (RFC 5681, section 3.1)


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno"])
def test_two_duplicates_change_nothing(scheme):
    """Two duplicates change nothing.

    Packet 3 is lost; acknowledgments of 0, 1, 2 are new, of 4 and 5 duplicates, up to 100.48 ms.
    """
    run = start(scheme, [3], **TEN)
    flow = flow_at(run, 0.1005)
    assert (flow.una, of_flow(run).duplicates, flow.retransmitted) == (3, 2, 0)
    assert flow.window == pytest.approx(GROWN)


def test_tahoe_starts_over():
    """Tahoe starts over at the third duplicate (ns-2.35, tcp.cc, dupack_action()).

    At the third duplicate (packet 6, 100.56 ms) flight is 13 - 3 = 10.
    """
    run = start("tahoe", [3], **TEN)
    flow = flow_at(run, 0.1006)
    assert (flow.window, of_flow(run).ssthresh, of_flow(run).reduced_at) == (1, 5, 12)
    assert (flow.retransmitted, flow.next, flow.inflation) == (1, 4, 0)  # go-back-N: 3 is on its way, 4 would follow
    # Fourth and later duplicates: nothing. New data: una jumps to 13, beyond what go-back-N would resend.
    flow = flow_at(run, 0.21)
    assert (flow.una, flow.retransmitted, flow.timeouts) == (13, 1, 0)
    assert (flow.window, flow.next) == (2, 15)


def test_reno_recovers_fast():
    """Reno halves the flight and inflates by three (RFC 5681, section 3.2, steps 2 and 3).

    Half of a flight of 10, inflated by 3, packet 3 again.
    """
    run = start("reno", [3], **TEN)
    flow = flow_at(run, 0.1006)
    assert (flow.window, of_flow(run).ssthresh, flow.inflation, of_flow(run).reduced_at) == (5, 5, 3, 12)
    assert (flow.retransmitted, flow.high) == (1, 13)
    # RFC 5681, section 3.2, step 4: duplicates by 7, 8, 9: 3 + 5 + 6 = 14, so that 13 may go (100.80 ms).
    flow = flow_at(run, 0.1009)
    assert (flow.inflation, flow.high) == (6, 14)
    # Duplicates by 10, 11, 12, sent at 100.08, 100.16, 100.24 ms, come back one round trip later.
    flow = flow_at(run, 0.2004)
    assert (flow.inflation, flow.high) == (9, 17)
    # Step 6: packet 3, retransmitted at 100.56 ms, is acknowledged at 200.64 ms with all up to 12; 5 + 1/5.
    flow = flow_at(run, 0.2007)
    assert (flow.una, flow.inflation, flow.window) == (13, 0, pytest.approx(5.2))
    assert flow.timeouts == 0


def test_newreno_repairs_one_hole_a_round_trip():
    """NewReno repairs one loss per round trip (RFC 6582, section 3.2, step 3).

    Packets 3 and 6 are lost; duplicates by 4, 5, 7: the third at 100.64 ms, with 13 packets sent.
    """
    run = start("newreno", [3, 6], limited_transmit=0, **TEN)
    flow = flow_at(run, 0.1007)
    assert (flow.window, of_flow(run).ssthresh, flow.inflation, of_flow(run).reduced_at) == (5, 5, 3, 12)
    assert flow.retransmitted == 1
    # Duplicates by 8 and 9: 3 + 5 + 5 = 13: nothing new. By 10, 11, 12 one round trip later: 13, 14, 15.
    flow = flow_at(run, 0.2005)
    assert (flow.inflation, flow.high) == (8, 16)
    # Partial: 3 is acknowledged at 200.72 ms, up to 6: 6 is retransmitted, 8 - (3 - 1) = 6, so that 6 + 5 + 6 = 17.
    flow = flow_at(run, 0.2008)
    assert (flow.una, flow.inflation, flow.retransmitted, flow.high) == (6, 6, 2, 17)
    # Full: at 300.8 ms all up to 12 and what came since is acknowledged: ssthresh.
    flow = flow_at(run, 0.30082)
    assert (flow.una >= 13, flow.inflation, flow.window, flow.timeouts) == (True, 0, 5, 0)


def test_newreno_sends_two_packets_at_most_per_acknowledgment_in_recovery():
    """In recovery a duplicate releases two packets at most (ns-2.35, tcp-newreno.cc, recv()).

    Two, and the uncounted retransmission, though the window would allow more.
    """
    run = start("newreno", [3, 6], limited_transmit=0, **TEN)
    flow_at(run, 0.20071)
    column(run, "inflation")[0] = 50.0
    before = int(run.state.flows[0].sent)
    assert flow_at(run, 0.20073).sent == before + 3


def test_newreno_restarts_its_timer_at_the_first_partial_acknowledgment_only():
    """Only the first partial acknowledgment restarts the timer (RFC 6582, section 3.2, step 3).

    3, 6 and 8 are lost; first partial at about 200.7 ms, second at 300.8 ms.
    """
    run = start("newreno", [3, 6, 8], min_rto=0.15, **TEN)
    first = int(flow_at(run, 0.2009).due_ns[0])
    assert first > 0.2e9
    assert int(flow_at(run, 0.305).due_ns[0]) == first
    assert run.state.flows[0].una == 8


def test_sack_repairs_both_holes_at_once():
    """SACK repairs both losses at once (RFC 6675, section 5).

    3 is lost once 4, 5 and 7 are acknowledged (100.64 ms), 6 once 7, 8 and 9 are (100.80 ms).
    """
    run = start("sack", [3, 6], **TEN)
    flow = flow_at(run, 0.1007)
    # Limited transmit comes by itself: 4, 5 and 7 are in flight no longer, so 13, 14 and 15 had gone.
    # So half of the window that was in use, and not of the 12 packets that these make of it.
    assert (of_flow(run).ssthresh, flow.window, flow.losses) == (pytest.approx(GROWN / 2), pytest.approx(GROWN / 2), 1)
    flow = flow_at(run, 0.1009)
    assert (flow.losses, of_flow(run).ssthresh) == (2, pytest.approx(GROWN / 2))  # one reduction for both
    # Both are acknowledged one round trip after the window let them out; no timeout, nothing twice.
    flow = flow_at(run, 0.31)
    assert (flow.una >= 15, flow.retransmitted, flow.timeouts) == (True, 2, 0)


@pytest.mark.parametrize(("scheme", "rounds"), [("newreno", 5), ("sack", 2)])
def test_four_losses_in_one_window(scheme, rounds):
    """NewReno repairs one loss per round trip, SACK all in about one; neither waits for the timer."""
    run = start(scheme, [3, 5, 7, 8], file=30_000, initial_window=15, initial_ssthresh=1, min_rto=2)
    flow = flow_at(run, 0.1 + rounds * 0.1 + 0.05)
    assert flow.una >= 15
    assert (flow.retransmitted, flow.timeouts) == (4, 0)
    assert flow_at(start(scheme, [3, 5, 7, 8], initial_window=15, initial_ssthresh=1), rounds * 0.1 - 0.05).una < 15


@pytest.mark.parametrize("bugfix", [0, 1])
def test_reno_waits_for_its_timer_after_three_losses(bugfix):
    """Three losses in a window leave Reno to its timer.

    With holes at 3, 5, 7 of ten packets the third has too few duplicates left.
    """
    run = start("reno", [3, 5, 7], file=20_000, bugfix=bugfix, **TEN)
    run.advance(5)
    flow = run.state.flows[0]
    assert flow.timeouts >= 1
    assert flow.expect == 20


def test_bugfix_blocks_a_second_reduction():
    """`bugfix` blocks a second reduction for one window.

    `bugfix`: a second hole in the same window halves again without the guard, and waits for the timer with it.
    """
    lost, common = [3, 9], {"initial_window": 20, "initial_ssthresh": 1}
    free, guarded = (flow_at(start("reno", lost, bugfix=flag, **common), 0.28) for flag in (0, 1))
    assert (free.retransmitted, guarded.retransmitted) == (2, 1)
    assert (free.timeouts, guarded.timeouts) == (0, 0)
    free, guarded = (flow_at(start("reno", lost, bugfix=flag, **common), 2.0) for flag in (0, 1))
    assert (free.timeouts, guarded.timeouts) == (0, 1)


def test_limited_transmit_lends_a_packet():
    """Limited transmit sends new packets for the first two duplicates (RFC 3042).

    The duplicates by 4 and 5 let 13 and 14 out before the third resends.
    """
    lent = flow_at(start("newreno", [3], limited_transmit=1, **TEN), 0.1005)
    kept = flow_at(start("newreno", [3], limited_transmit=0, **TEN), 0.1005)
    assert (lent.high, kept.high) == (15, 13)


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno", "sack"])
def test_a_timeout_starts_over(scheme):
    """A timeout brings a slow start (RFC 5681, section 3.1).

    The second window is lost; the timer, 0.3 s after the last new acknowledgment, starts over.
    """
    run = start(scheme, range(10, 22), min_rto=0.3, granularity=0, **TEN)
    flow = flow_at(run, 0.39)
    assert (flow.una, flow.timeouts, flow.high) == (10, 0, 20)
    window = flow.window
    flow = flow_at(run, 0.42)
    assert flow.timeouts == 1
    assert of_flow(run).ssthresh == int(min(window, 10) / 2)
    assert (flow.retransmitted, flow.window) == (1, 1)


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno", "sack", "vegas", "constant"])
@pytest.mark.parametrize("lost", [[0], [1, 2], [5, 6, 7, 8], [29], range(20, 30)])
def test_every_file_arrives(scheme, lost):
    run = start(scheme, lost, times=2, file=30_000)
    run.advance(60.0)
    assert run.all_done()
    assert run.state.flows[0].expect == 30


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno", "sack"])
@pytest.mark.parametrize(
    ("file", "by_rounds"),
    # 40 ms of propagation and 0.1 ms a packet, in exact fractions: round k begins one round trip and one packet
    # time after the round before. 4 packets in 3 rounds: 3 x 40.1; 20 in 5: 4 x 40.1 + 40 + 5 x 0.1; 200 in 8:
    # 7 x 40.1 + 40 + 73 x 0.1, the last rounds holding 5 and 73 packets.
    [(2000, 0.1203), (10_000, 0.2009), (100_000, 0.3280)],
)
def test_slow_start_of_short_files(scheme, file, by_rounds):
    net = sim.Network().link("a", "b", rate="40 Mbit/s", delay="20 ms")
    net.flow(scheme, path=["a", "b"], packet=500, file=file, ack_path="ideal")
    time = float(sim.run(net, rng=1).transfer_time[0])
    assert time == pytest.approx(by_rounds, abs=1e-8)
    printed = {2000: 0.1201, 10_000: 0.2005, 100_000: 0.3273}[file]  # of the times above, to 0.1 ms
    assert time == pytest.approx(printed, rel=0.005)
