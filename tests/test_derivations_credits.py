"""The proofs of the laws of credit windows agree with the laws, and each of their steps can fail."""

import pytest
import sympy as sp

from derivations import credits
from longfat import laws

LAWS = laws.credits


@pytest.mark.parametrize(
    ("batch", "reserve", "loop"),
    [(1, 5, 21), (1, 21, 21), (4, 10, 21), (5, 8, sp.Rational(41, 2)), (5, 21, 21), (3, 1, 8), (7, 0, 3)],
)
def test_the_recursion_has_the_rate_of_the_law(batch, reserve, loop):
    """(5, 8): q = 2, r = 3, 10 cells in 20.5 + 5 - 3 = 22.5 cell times."""
    share = credits.measured_share(batch, reserve, sp.sympify(loop))
    assert float(share) == pytest.approx(LAWS.throughput(batch + reserve, batch, 1.0, float(loop)), rel=1e-14)


@pytest.mark.parametrize(("batches", "update", "loop", "offsets"), [
    (2, 8, 30, (0, 3)), (2, 8, 30, (0, 7)), (4, 6, 41, (0, 1)),
    (3, 9, 50, (0, 2, 5)), (2, 8, 7, (0, 3)), (1, 5, 3, (0, 2)),
])  # fmt: skip
def test_several_windows_by_the_recursion(batches, update, loop, offsets):
    """Cell i needs, of each window, the update after the first cell that is less than q u before it, a loop ago."""
    times, counted = [0.0], 400 * batches * update
    for i in range(1, 2 * counted + 1):
        earliest = times[-1] + 1
        for offset in offsets:
            after = offset + -(-(i - offset - batches * update) // update) * update
            if after >= 1:
                earliest = max(earliest, times[after] + 1 + loop)
        times.append(earliest)
    rate = counted / (times[2 * counted] - times[counted])
    law = LAWS.throughput(batches * update, update, 1.0, float(loop), len(offsets))
    assert rate == pytest.approx(law, rel=0.01)
    assert law == 1.0 or rate < 0.98 * LAWS.throughput(batches * update, update, 1.0, float(loop))


def test_a_credit_that_is_late_by_a_cell_is_noticed(monkeypatch):
    original = credits.first_times
    monkeypatch.setattr(credits, "first_times", lambda b, r, loop, cells: original(b, r, loop + 1, cells))
    assert float(credits.measured_share(5, 8, sp.Integer(20))) != pytest.approx(
        LAWS.throughput(13, 5, 1.0, 20.0), rel=1e-3
    )
