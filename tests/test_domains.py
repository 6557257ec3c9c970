"""Domains: intervals as they are written, and one way of refusing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.domains import Interval, array, integer, number


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.booleans(), st.booleans())
def test_an_interval_reads_what_it_writes(low, width, includes_low, includes_high):
    one = Interval(float(f"{low:g}"), float(f"{low + width:g}"), includes_low, includes_high)
    assert Interval.parse(str(one)) == one


def test_ends():
    half_open = Interval.parse("[0, 1)")
    assert [half_open.contains(x) for x in (0.0, 0.5, 1.0, -1e-300, float("nan"))] == [True, True, False, False, False]
    assert list(Interval.parse("(0, inf)").contains(np.array([0.0, 1.0, np.inf]))) == [False, True, False]
    with pytest.raises(ValueError, match="written like"):
        Interval.parse("0..1")


@pytest.mark.parametrize("value", ["5", b"5", None, [1, 2], np.ones((2, 2)), 10**400, float("nan"), object])
def test_what_is_no_number_is_refused_in_one_line(value):
    for check in (number, integer):
        with pytest.raises(ValueError, match=r"^x = .* m is out of range") as refusal:
            check("x", value, "m", "[0, 100]")
        assert "\n" not in str(refusal.value)


def test_arrays_name_the_first_bad_element():
    with pytest.raises(ValueError, match=r"^x\[1, 0\] = 7 m is out of range"):
        array("x", [[0, 1], [7, 9]], "m", Interval.parse("[0, 1]"))
    assert array("x", [0.5, float("nan")], "m", Interval.parse("[0, 1]"))
    assert not array("x", [], "m", Interval.parse("[0, 1]"))
    with pytest.raises(ValueError, match="whole numbers"):
        array("x", [1.0, 1.5], "m", Interval.parse("[0, 2]"), integer=True)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("s", "x = 2 s is out of range: allowed are values in [0, 1]"),
        ("1", "x = 2 is out of range: allowed are values in [0, 1]"),
        ("probability", "x = 2 is out of range: allowed are values in [0, 1]"),
    ],
)
def test_a_value_is_named_with_its_unit_if_that_is_a_word_of_measure(unit, said):
    with pytest.raises(ValueError, match="out of range") as refusal:
        number("x", 2, unit, "[0, 1]")
    assert str(refusal.value) == said
