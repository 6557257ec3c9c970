"""RAP, against traces made by hand: a round trip is 100 ms, packets of 1000 B take no time; and its sawtooth."""

import math

import pytest

from longfat.sim import Network, Simulation
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.schemes.steady import mean_rate, periodic, simulation, variation


def times(diary):
    return [entry.time for entry in diary.entries]


def test_a_packet_more_each_round_trip():
    """The rate grows by a packet per round trip (ns-2.35, rap.cc, RttTimeout()).

    The first acknowledgment, at 0.1 s, sets the interval to 0.1 s; it is 1/2, 1/3, 1/4 of that from 0.2, 0.3, 0.4 s on.
    """
    expected = [0, 0.1, 0.2, 0.25, 0.3, 0.3 + 0.1 / 3, 0.3 + 0.2 / 3, 0.4, 0.425, 0.45, 0.475, 0.5]
    assert times(Diary("rap", until=0.505)) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("alpha", [1.0, 0.31, 2.0])
def test_slope(alpha):
    """1 packet a round trip at 0.1 s, and nine steps of alpha until 1 s (Rejaie et al. 1999)."""
    rate = Diary("rap", until=1.05, alpha=alpha).flow.rate
    assert rate == pytest.approx((1 + 9 * alpha) * 1000 / 0.1, rel=1e-6)


def test_age_of_a_packet():
    """A packet older than the timeout is lost, and halves the rate (Rejaie et al. 1999).

    Packet 10 leaves at 0.475 s. The timeout is 1.2 round trips, 0.12 s: at 0.595 s the interval of 20 ms doubles. After
    the packet of 0.58 s: 0.62, 0.66 s. Three later ones are acknowledged at 0.64 s only (0.6, 0.62 and 0.64 s): what
    the simulator then finds does not count any more, but is retransmitted. The increase comes a round trip after the
    cut: at 0.695 s the interval is 1/35 s, which has gone by since 0.66 s, and the packet leaves at once.
    """
    diary = Diary("rap", drop_numbers(10), 0.73)
    assert times(diary)[15:] == pytest.approx([0.58, 0.62, 0.66, 0.695, 0.695 + 0.1 / 3.5], abs=1e-7)
    assert [entry.number for entry in diary.entries[15:]] == [15, 16, 10, 17, 18]
    assert diary.flow.rate == pytest.approx(35_000, rel=1e-6)
    assert diary.flow.timeouts == 0


def test_three_later_packets():
    """Three later packets acknowledged signal a loss, and halve the rate (Rejaie et al. 1999).

    The third of them, sent at 0.54 s, is acknowledged at 0.64 s. The interval of 1/60 s doubles; after the packet of
    0.6333 s the next one leaves at 0.6667 s, and the increase comes at 0.74 s. That packet 12 is lost, too, changes
    nothing but when: 14, sent at 0.56 s, is the third then.
    """
    diary = Diary("rap", drop_numbers(10), 0.73, timeout_rtts=2)
    assert [time for time in times(diary) if time > 0.62] == pytest.approx([0.6 + k / 30 for k in (1, 2, 3)], abs=1e-7)
    assert diary.flow.rate == pytest.approx(30_000, rel=1e-6)
    assert diary.advance(0.75).flow.rate == pytest.approx(40_000, rel=1e-6)
    both = Diary("rap", drop_numbers(10, 12), 0.73, timeout_rtts=2)
    assert both.flow.rate == pytest.approx(30_000, rel=1e-6)
    assert both.flow.retransmitted >= 1
    assert both.advance(0.755).flow.rate == pytest.approx(30_000, rel=1e-6)
    assert both.advance(0.765).flow.rate == pytest.approx(40_000, rel=1e-6)


def test_nothing_comes_back():
    """At 2 s the first packet is too old: an interval of 4 s. The next increase would come at 4 s."""
    run = simulation("rap", periodic(1.0))
    rates = []
    for time in (1.9, 2.1, 3.9):
        run.advance(time)
        rates.append(float(run.state.flows[0].rate))
    assert rates == pytest.approx([500.0, 250.0, 250.0])


def test_sawtooth():
    """Periodic losses give a sawtooth between W/2 and W.

    Between W/2 and W: one loss in 1000 packets is 1000 = 3/8 W^2 packets, W = 51.6, a mean of 3/4 W = 38.7 per round
    trip, less the part of it that the loss takes to be found; the deviation of the even rise is W/2 / sqrt 12, 0.192 of
    the mean.
    """
    assert mean_rate("rap", periodic(1e-3), 3000) == pytest.approx(math.sqrt(1.5 / 1e-3), rel=0.03)
    run = simulation("rap", periodic(1e-3))
    assert variation(run, "rate", 300.0, 2.73, 250) == pytest.approx(1 / 3 / math.sqrt(3), rel=0.06)


def bottleneck(**parameters):
    net = Network().link("a", "b", rate=1e6, delay=0.05, buffer=100, duplex=True)
    run = Simulation(net.flow("rap", path=["a", "b"], packet=1000, parameters=parameters), rng=1)
    run.advance(12.5)
    return run.state.flows[0].rate, of_flow(run)


def test_fine_grain():
    """While the queue grows the short mean exceeds the long one, and intervals are that much longer (Rejaie 1999)."""
    (rate, plain), (fine_rate, fine) = bottleneck(), bottleneck(fine_grain=1)
    assert rate == pytest.approx(1000 / plain.interval)
    assert fine.short_rtt > 1.02 * fine.long_rtt
    assert fine_rate * fine.interval == pytest.approx(1000 * fine.long_rtt / fine.short_rtt)
