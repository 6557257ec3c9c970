"""Intervals of replications, by the table of Student's t and arithmetic by hand."""

import numpy as np
import pytest

from longfat.replication import interval


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
