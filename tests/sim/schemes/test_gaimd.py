"""GAIMD: the ratio to RAP and TCP at equal loss, its smoothness, and the window form by hand."""

import math

import pytest

from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.schemes.steady import independent, mean_rate, periodic, simulation, variation


def test_ratio_at_periodic_loss():
    """At periodic losses the rate is 1.245 times that of TCP.

    From beta W to W in (1 - beta) W/alpha rounds: mean sqrt(alpha (1 + beta)/(2 (1 - beta) p)). The ratio of (0.31,
    7/8) to (1, 1/2) is sqrt(0.31 15/3) = 1.245.
    """
    rap, gaimd = (mean_rate(name, periodic(1e-3), 4000) for name in ("rap", "gaimd"))
    assert gaimd / rap == pytest.approx(math.sqrt(0.31 * 15 / 3), rel=0.01)
    assert gaimd == pytest.approx(math.sqrt(0.31 * 7.5 / 1e-3), rel=0.03)


def mean_of_independent_losses(alpha, beta, loss):
    """Return the mean window at independent losses, for p to 0 (T. Ott, J. Kemperman and M. Mathis, 1996).

    The stationary rate X grows by alpha and is cut at the rate p X; the moments of its generator, n E X^(n-1) = (1 -
    beta^n) E X^(n+1) p/alpha, give this product; 1.3098 for (1, 1/2).
    """
    product = 1.0
    for k in range(1, 400):
        product *= (1 - beta ** (2 * k)) / (1 - beta ** (2 * k - 1))
    return math.sqrt(2 / math.pi * alpha / loss) * product


def test_ratio_at_independent_loss():
    """The ratio is not that of periodic losses, but 1.181: the wide sawtooth gains more from losses that vary."""
    assert mean_of_independent_losses(1, 0.5, 1) == pytest.approx(1.3098, abs=1e-4)
    expected = [mean_of_independent_losses(1, 0.5, 1e-3), mean_of_independent_losses(0.31, 0.875, 1e-3)]
    measured = [mean_rate(name, independent(1e-3), 12_000) for name in ("rap", "gaimd")]
    assert measured == pytest.approx(expected, rel=0.03)  # 1/W of it is the round trip that a loss takes to be found
    assert measured[1] / measured[0] == pytest.approx(expected[1] / expected[0], rel=0.02)
    assert expected[1] / expected[0] == pytest.approx(1.181, abs=0.002)


def test_smoother():
    """(1 - beta)/(1 + beta)/sqrt 3 = 0.0385, a fifth of RAP's."""
    run = simulation("gaimd", periodic(1e-3))
    assert variation(run, "rate", 300.0, 2.73, 250) == pytest.approx(1 / 15 / math.sqrt(3), rel=0.06)


def test_window_form_grows():
    """0.31/W for each of the 20 acknowledgments of the first round (Yang and Lam 2000)."""
    window = 20.0
    for _ in range(20):
        window += 0.31 / window
    diary = Diary("gaimd-window", until=0.15, initial_window=20, initial_ssthresh=2)
    assert diary.flow.window == pytest.approx(window, rel=1e-12)


def test_window_form_after_a_loss():
    """The window form keeps 7/8 of the packets in flight after a loss.

    Packet 25 of the second round, 20..39, is lost; 28 is the third behind it. At 0.2 s the window has grown by 0.31/W
    25 times, and 20 packets and what these let go are out: 7/8 of that. It holds until all that was out is
    acknowledged, then grows again.
    """
    diary = Diary("gaimd-window", drop_numbers(25), 0.25, initial_window=20, initial_ssthresh=2)
    assert diary.flow.losses == 1
    assert diary.flow.window == pytest.approx(0.875 * 20.0, rel=0.03)
    assert diary.own.ssthresh == diary.flow.window
    unchanged = float(diary.flow.window)
    assert diary.advance(0.295).flow.window == unchanged
    assert diary.advance(0.55).flow.window > unchanged


def test_window_form_after_a_timeout():
    """As TCP: a window of one packet, slow start up to 7/8 of nothing less than half (RFC 6675, section 5.1)."""
    diary = Diary("gaimd-window", drop_numbers(*range(4)), 1.05, initial_window=4, first_rto=1)
    assert diary.flow.timeouts == 1
    assert diary.flow.window == 1.0
    assert diary.own.ssthresh == 2.0


def test_window_form_against_tcp():
    """The window form has the same ratio to TCP at equal periodic losses."""
    window, tcp = mean_rate("gaimd-window", periodic(1e-3), 4000), mean_rate("sack", periodic(1e-3), 4000)
    assert window / tcp == pytest.approx(math.sqrt(0.31 * 15 / 3), rel=0.02)
