"""Intervals of replications, by Student's t and arithmetic by hand."""

import mpmath
import numpy as np
import pytest

from longfat.replication import interval
from longfat.replication.intervals import student_quantile


def test_by_hand_along_any_axis():
    """1, 2, 3: s = 1, and t = 4.303 with two degrees of freedom at 95 %; ten times that for 10, 20, 30."""
    samples, half = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), 4.303 / 3**0.5
    for found in (interval(samples, 0.95), interval(samples.T, 0.95, axis=-1)):
        assert found.mean.tolist() == [2.0, 20.0]
        assert found.lower == pytest.approx([2 - half, 20 - 10 * half], abs=3e-3)
        assert found.upper == pytest.approx([2 + half, 20 + 10 * half], abs=3e-3)


def test_samples_that_are_masked_are_missing():
    found = interval(np.ma.array([[1.0, 1.0], [2.0, 999.0]], mask=[[0, 0], [0, 1]]))
    np.testing.assert_array_equal(found.mean, [1.5, np.nan])


@pytest.mark.parametrize("samples", [["1", "2"], np.array(["2020", "2021"], "M8[Y]"), [1j], [None]])
def test_arrays_that_are_no_samples(samples):
    with pytest.raises(TypeError, match=r"^samples must be a number or an array of numbers, got "):
        interval(samples)


def test_an_axis_that_the_samples_lack():
    with pytest.raises(ValueError, match=r"^axis = 5 is out of range: must be an integer in \[-1, 0\]$"):
        interval([1.0, 2.0], axis=5)


@pytest.mark.parametrize(("samples", "mean"), [([5.0], 5.0), ([[5.0, 6.0]], [5.0, 6.0])])
def test_one_sample_has_no_limits(samples, mean):
    found = interval(samples, 0.95)
    assert np.array_equal(found.mean, mean)
    assert np.isnan(found.lower).all()
    assert np.isnan(found.upper).all()
    assert np.isnan(student_quantile(0, 0.95))


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 6, 15, 59, 999, 10**6])
@pytest.mark.parametrize("confidence", [1e-300, 1e-12, 0.01, 0.3, 0.5, 0.9, 0.95, 0.99, 1 - 1e-12, 1 - 2**-53])
def test_incomplete_beta_function(degrees, confidence):
    """Abramowitz and Stegun 26.7.1: P(|T_n| <= t) is the incomplete beta function I_x(1/2, n/2) at t^2/(n + t^2)."""
    with mpmath.workdps(80):
        square = mpmath.mpf(student_quantile(degrees, confidence)) ** 2
        inside = mpmath.betainc(0.5, mpmath.mpf(degrees) / 2, 0, square / (degrees + square), regularized=True)
        assert float(inside / confidence) == pytest.approx(1, rel=1e-13)
        assert float((1 - inside) / (1 - mpmath.mpf(confidence))) == pytest.approx(1, rel=1e-13)
