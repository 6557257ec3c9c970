"""Student's quantile against printed tables and mpmath."""

import math

import mpmath
import pytest

from longfat.replication.intervals import student_quantile


def test_printed_table():
    """Abramowitz and Stegun, table 26.10: 95 % and 99 %, two-sided."""
    printed = {1: (12.706, 63.657), 2: (4.303, 9.925), 5: (2.571, 4.032), 9: (2.262, 3.250), 30: (2.042, 2.750)}
    for degrees, quantiles in printed.items():
        found = tuple(round(student_quantile(degrees, confidence), 3) for confidence in (0.95, 0.99))
        assert found == pytest.approx(quantiles, abs=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 6, 15, 59, 999, 10**6])
@pytest.mark.parametrize("confidence", [1e-300, 1e-12, 0.01, 0.3, 0.5, 0.9, 0.95, 0.99, 1 - 1e-12, 1 - 2**-53])
def test_incomplete_beta_function(degrees, confidence):
    """Abramowitz and Stegun 26.7.1: P(|T_n| <= t) is the incomplete beta function I_x(1/2, n/2) at t^2/(n + t^2)."""
    with mpmath.workdps(80):
        square = mpmath.mpf(student_quantile(degrees, confidence)) ** 2
        inside = mpmath.betainc(0.5, mpmath.mpf(degrees) / 2, 0, square / (degrees + square), regularized=True)
        assert float(inside / confidence) == pytest.approx(1, rel=1e-13)
        assert float((1 - inside) / (1 - mpmath.mpf(confidence))) == pytest.approx(1, rel=1e-13)


def test_one_sample_has_no_interval():
    assert math.isnan(student_quantile(0, 0.95))
