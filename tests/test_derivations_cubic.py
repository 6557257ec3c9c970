"""The proofs of the CUBIC laws agree with the laws where these have several cases, and can fail."""

import mpmath
import pytest
import sympy as sp

from derivations import cubic as proofs
from derivations import cubic_link, cubic_random
from longfat.laws import cubic


def at(expression, trip, c, beta, window, loss, **more):
    """Return a proved expression at a point, in 50 digits."""
    with mpmath.workdps(50):
        numbers = {"R": trip, "C": c, "beta": beta, "W_max": window, "p": loss} | more
        values = {one: sp.Float(numbers[one.name], 50) for one in expression.free_symbols}
        return float(expression.evalf(40, subs=values))


def test_link_with_the_reno_friendly_region():
    """At the share of K where the estimate overtakes without a queue, and at the time left where it does with one."""
    proved = cubic_link.utilisation_general()
    for product, trip, early in ((500.0, 0.01, True), (1000.0, 0.01, False), (1700.0, 0.01, False)):
        buffer, beta, c = 0.1, 0.7, 0.4
        recovery = cubic.recovery_time(1.1 * product, c, beta)
        pace = 3 * 0.3 / 1.7 * recovery / (trip * product)
        z = (buffer / (1.1 * 0.3)) ** (1 / 3)
        point = {"B": buffer, "k": pace, "z": z}
        if early:
            point["s"] = float(proofs.overtaking().subs(proofs.theta, 1.1 * 0.3 / pace))
        else:
            behind = cubic_link.queued(cubic_link.v) - cubic_link.estimate_with_queue()
            numbers = point | {"beta": beta}
            values = {one: sp.Float(numbers[one.name]) for one in behind.free_symbols - {cubic_link.v}}
            point["v"] = float(sp.nsolve(behind.subs(values), cubic_link.v, (1e-6, z), solver="bisect"))
        law = cubic.utilisation_general(buffer, product, trip, c, beta)
        assert law == pytest.approx(at(proved.early if early else proved.late, 1, 1, beta, 1, 1, **point), rel=1e-9)


def test_factors_of_random_losses():
    """The law has the factors to all digits that the proof computes; another number of nodes gives them, too."""
    without, with_it = cubic_random.average_window_random()
    assert cubic.average_window_random(0.5, 0.5, 1, 0) == pytest.approx(without, rel=1e-12)
    assert cubic.average_window_random(0.5, 0.5, 1, 1) == pytest.approx(with_it, rel=1e-12)


def test_the_chain_can_fail(monkeypatch):
    monkeypatch.setattr(cubic_random, "LONGEST", 0.5)
    with pytest.raises(AssertionError, match="add up"):
        cubic_random.constant(True)
