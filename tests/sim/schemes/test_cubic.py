"""CUBIC against RFC 9438's equations, worked out with 50 digits."""

from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from longfat.sim import DROP, ENQUEUE, Discipline, Simulation, schemes
from longfat.sim.network import traffic
from longfat.sim.runs import peek
from longfat.sim.schemes import cubic
from longfat.sim.schemes.cubic import CUBIC
from tests.sim.lab import as_python, one_link, simulated

RTT = 0.1  # s


def drop_every(link, packet, now):
    link.seen += 1
    return DROP if (link.seen - int(link.first)) % int(link.distance) == 0 else ENQUEUE


def sawtooth(distance, first, rate=1e9, **parameters):
    """Return a flow over 100 ms without a queue, with one loss in a given number of packets."""
    given = {"distance": float(distance), "first": float(first)}
    lossy = Discipline("every so manyth", enqueue=drop_every, parameters=given, state={"seen": 0})
    options = {"initial_window": 1.0, "hystart": 0.0, "prr": 0.0, "delayed_ack": 1.0, **parameters}
    net = one_link(CUBIC, rate=rate, delay=RTT / 2, discipline=lossy, back=1e9, name="x", parameters=options)
    return Simulation(net, rng=1)


@pytest.mark.parametrize(("full_reno", "alpha"), [(1.0, 1.0), (0.0, 9 / 17)])
def test_growth_beyond_the_window_before_a_loss(monkeypatch, full_reno, alpha):
    """W_est grows by alpha/cwnd: alpha = 1 beyond cwnd_prior in RFC 9438, 3 * 0.3/1.7 = 9/17 always in RFC 8312.

    W_cubic(0.1 s) = 0.4 (0.1 - 10)^3 + 20 < 0 has no part in it.
    """
    flow = SimpleNamespace(
        window=20.0, w_est=20.0, cwnd_prior=10.0, w_max=20.0, c=0.4, beta=0.7, k=10.0, srtt=0.1, epoch_start=0.0,
        reno_friendly=1.0, full_reno=full_reno,
    )  # fmt: skip
    plain(monkeypatch, "cubic_window", "grow")
    grown = cubic.grow(flow, SimpleNamespace(now=0.1), 1)
    assert grown == pytest.approx(20.0 + alpha / 20.0, rel=1e-12)


def test_window_along_the_sawtooth():
    """W_cubic(t) = C (t - K)^3 + W_max, K = cbrt(W_max (1 - beta)/C), between losses, from W_max and the times alone.

    The window follows its target, W_cubic a round trip ahead, with a lag of a round trip: it is W_cubic(t) + RTT^2
    W''/2, 0.04 packets off at the beginning of a stage, where the queue makes round trips longer, and less later. The
    link spreads the packets over the round trip.
    """
    one = sawtooth(10_000, 203, rate=2.2e6, fast_convergence=0.0)
    one.advance(22.4)  # 0.2 s before a loss; the next comes after 5.4 s
    checked, w_max, beginning, lost_at = 0, None, None, None
    with mpmath.workdps(50):
        c, beta = mpmath.mpf("0.4"), mpmath.mpf("0.7")
        before = peek.flow(one, "x").window
        for step in (*range(22_400, 23_000), *range(23_000, 27_600, 100), *range(27_600, 28_100)):  # [ms]
            one.advance((step + 1) / 1000)
            flow = peek.flow(one, "x")
            if flow.window < before:  # a loss
                w_max, lost_at, beginning = mpmath.mpf(before), one.now, None
                assert flow.window == pytest.approx(float(beta * w_max), abs=0.2)
            elif w_max is not None and beginning is None and flow.window > before:
                beginning = one.now - 0.0005  # recovery is over: half a millisecond late at most
                assert RTT < beginning - lost_at < 1.5 * RTT
                assert float(mpmath.cbrt(w_max * (1 - beta) / c)) == pytest.approx(flow.k, abs=0.001)
            elif beginning is not None and step % 100 == 0:
                k = mpmath.cbrt(w_max * (1 - beta) / c)
                expected = c * (one.now - mpmath.mpf(beginning) - k) ** 3 + w_max
                early = one.now - beginning < 20 * RTT
                assert float(flow.window) == pytest.approx(float(expected), abs=1.0 if early else 0.15)
                checked += 1
            before = flow.window
    assert checked > 45


def plain(monkeypatch, *names):
    """Call parts of the module, and the components that they use, as plain Python."""
    as_python(monkeypatch, cubic, *names)
    as_python(monkeypatch, cubic.deployed, "scaled")
    as_python(monkeypatch, cubic.validation, "forget")


def test_w_max_after_a_timeout_is_that_of_its_stage(monkeypatch):
    """A timeout at 100, a stage from 70, and a loss at 80: W_max is 80, not 0.85 x 80 (RFC 9438, 4.7 and 4.8).

    Without the timeout 80 is below the last W_max of 100, and W_max is 68.
    """
    for stage, w_max in ((True, 80.0), (False, 68.0)):
        flow = stage_of(window=100.0, w_max=100.0, last_w_max=100.0)
        plain(monkeypatch, "reduce", "begin_stage")
        monkeypatch.setattr(cubic.tcp, "record_reduction", lambda flow, cause: None)
        if stage:
            assert (cubic.timeout(flow, None), flow.ssthresh) == (1.0, 70.0)
            flow.window = 70.0
            cubic.begin_stage(flow, 1.0)
            assert (flow.w_max, flow.k) == (70.0, 0.0)
        flow.window = 80.0
        cubic.reduce(flow, cubic.tcp.LOSS)
        assert flow.w_max == pytest.approx(w_max)


def stage_of(**values):
    """Return a flow with the fields that `reduce` and `begin_stage` use."""
    given = {
        "window": 20.0, "ssthresh": 2.0, "ssthresh_floor": 2.0, "recovering": False, "fast_convergence": 1.0,
        "integer_windows": 0.0, "beta": 0.7, "c": 0.4, "cwv": 0.0, "w_max": 0.0, "last_w_max": 0.0, "cwnd_prior": 0.0,
    }  # fmt: skip
    return SimpleNamespace(**{**given, **values})


def test_a_window_beyond_w_max_begins_a_stage_there(monkeypatch):
    """A window of 80 has passed a W_max of 50 without a loss: W_max is 80 and K = 0; of 100, K = cbrt(20/0.4)."""
    for w_max, expected, k in ((50.0, 80.0, 0.0), (100.0, 100.0, float(mpmath.cbrt(50)))):
        flow = stage_of(window=80.0, w_max=w_max)
        plain(monkeypatch, "begin_stage")
        cubic.begin_stage(flow, 3.0)
        assert (flow.w_max, flow.w_est, flow.epoch_start) == (expected, 80.0, 3.0)
        assert flow.k == pytest.approx(k)


def test_a_reduction_in_recovery_is_of_ssthresh(monkeypatch):
    """Recovery aims at 70, and 40 are in flight: another loss brings 49, and W_max 0.85 x 70 below 100."""
    monkeypatch.setattr(cubic.tcp, "record_reduction", lambda flow, cause: None)
    flow = stage_of(window=40.0, ssthresh=70.0, recovering=True, last_w_max=100.0)
    plain(monkeypatch, "reduce")
    cubic.reduce(flow, cubic.tcp.LOSS)
    assert (flow.cwnd_prior, flow.ssthresh, flow.w_max) == (70.0, pytest.approx(49.0), pytest.approx(59.5))


@pytest.mark.parametrize(
    ("window", "burst", "silence", "cwnd_limited"),
    [(100, 400, 60.0, 0), (10, 40, 4.0, 0), pytest.param(10, 40, 4.0, 1, marks=pytest.mark.plain)],
)
def test_idle_time_is_no_time_of_the_stage(window, burst, silence, cwnd_limited):
    """The time between bursts is no time of the stage (RFC 9438, section 4.2; Linux, bictcp_cwnd_event()).

    From a window of W_max packets without a loss W_cubic = 0.4 t^3 + W_max. A burst takes four round trips of 0.1 s, of
    which the first has no growth: five of them make at most 2 s, and a target a round trip ahead at most 0.4 x 2.1^3 =
    3.7 packets above. With the silence the second burst alone would have a target of 1.5 windows.
    """
    bursts = traffic.on_off(1e9, burst * 1e-6, silence)
    given = {
        "initial_window": window, "initial_ssthresh": window, "reno_friendly": 0, "cwnd_limited": cwnd_limited
    }  # fmt: skip
    link = {"rate": np.inf, "delay": RTT / 2, "back": np.inf}
    one = simulated(one_link(CUBIC, **link, packet=1000, application=bursts, name="x", parameters=given), 4.5 * silence)
    flow = peek.flow(one, "x")
    assert flow.una == 5 * burst
    assert window < flow.window < window + 3.8
    # What counts at the end of the fifth burst, which begins with the fifth period.
    busy = 4 * (silence + burst * 1e-6) + 0.4 - flow.epoch_start
    assert 1.0 < busy < 2.1


def deep(**parameters):
    """Return a flow over 20 Mbit/s and 100 ms with a buffer of ten bandwidth-delay products of 250 packets."""
    link = {"rate": 2.5e6, "delay": 0.05, "buffer": 2500, "back": 1e9}
    return Simulation(one_link("cubic", **link, packet=1000, name="x", parameters=parameters), rng=1)


def test_hystart_leaves_slow_start_before_a_loss():
    """HyStart++ ends slow start without a loss in a deep buffer; without it slow start fills the buffer (RFC 9406).

    The least round-trip time of a round has to grow by 12.5 ms, an eighth of it, or 31 packets in the queue: it does
    when slow start has doubled the window twice beyond 250 packets at the latest. In the conservative phase the window
    grows by a quarter in each of at most five rounds, to 3.1 times that at most. Slow start alone fills 2750 packets.
    """
    one, other = deep(), deep(**{**schemes.linux("cubic"), "hystart": 0})  # both are compiled in advance
    for run in (one, other):
        run.advance(4.0)
    flow = peek.flow(one, "x")
    assert (flow.lost, peek.flow(other, "x").lost > 0) == (0, True)
    assert 250 < flow.ssthresh < 2750
    assert flow.conservative_rounds == 5
