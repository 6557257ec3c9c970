"""Domains: intervals as they are written, and the errors for values that do not fit."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import longfat as lf
from longfat.base import domains
from longfat.base.domains import Interval, array, integer, number


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.booleans(), st.booleans())
def test_an_interval_reads_what_it_writes(low, width, includes_low, includes_high):
    one = Interval(float(f"{low:g}"), float(f"{low + width:g}"), includes_low, includes_high)
    assert Interval.parse(str(one)) == one


def test_ends():
    half_open = Interval.parse("[0, 1)")
    assert [half_open.contains(x) for x in (0.0, 0.5, 1.0, -1e-300, float("nan"))] == [True, True, False, False, False]
    assert list(Interval.parse("(0, inf)").contains(np.array([0.0, 1.0, np.inf]))) == [False, True, False]
    with pytest.raises(ValueError, match="must be an interval such as"):
        Interval.parse("0..1")


@pytest.mark.parametrize("value", [
    "5", b"5", None, [1, 2], np.ones((2, 2)), object, True, np.True_, np.complex128(5 + 1j), np.array("5"),
    np.array(b"5"), np.timedelta64(5),
])  # fmt: skip
def test_other_types_than_numbers_are_a_type_error_of_one_line(value):
    for check in (number, integer):
        with pytest.raises(TypeError, match=r"^x must be a number \[m\], got ") as refusal:
            check("x", value, "m", "[0, 100]")
        assert "\n" not in str(refusal.value)


def test_truth_values_are_numbers_of_a_set_alone():
    """For a parameter such as RED's ``gentle``; `numbers` takes them in arrays: routes are tables of them."""
    for value in (True, np.True_):
        assert number("gentle", value, "1", "{0, 1}") == integer("gentle", value, "1", "{0, 1}") == 1
    assert domains.numbers("routes", [[True, False]], "1", "[0, inf)").tolist() == [[1, 0]]
    assert domains.numbers("constant", False, "1", "{0, 1}", length=2).tolist() == [0, 0]


def test_exact_numbers_in_arrays():
    found = domains.numbers("x", [[Decimal("0.5")], [Fraction(1, 4)]], "1", "[0, 1]")
    assert found.tolist() == [[0.5], [0.25]]
    with pytest.raises(ValueError, match=r"^x = nan is out of range: must be in \[0, inf\)$"):
        domains.numbers("x", np.ma.array([5.0, 6.0], mask=[0, 1]), "1", "[0, inf)")
    with pytest.raises(ValueError, match=r"^x\[1\] = inf is out of range: must be in \[0, inf\)$"):
        domains.numbers("x", [1, 10**400], "1", "[0, inf)")


@pytest.mark.parametrize("value", [10**400, -(10**400), float("nan"), float("inf"), 101])
def test_numbers_outside_the_interval(value):
    with pytest.raises(ValueError, match=r"^x = .* m is out of range: must be in \[0, 100\] m$"):
        number("x", value, "m", "[0, 100]")
    with pytest.raises(ValueError, match=r"^x = .* m is out of range: must be an integer in \[0, 100\]$"):
        integer("x", value, "m", "[0, 100]")


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (domains.wrong_type("load", "0.5"), TypeError, "load must be a number, got the string '0.5'"),
        (domains.wrong_type("delay", None, unit="s"), TypeError, "delay must be a number [s], got None"),
        (domains.wrong_type("loss", 1j, unit="probability"), TypeError,
         "loss must be a number, got the complex number 1j"),
        (domains.wrong_type("law", 3, "a Law"), TypeError, "law must be a Law, got the int 3"),
        (domains.unknown("scheme", "renno", ["tahoe", "reno"]), ValueError,
         "scheme 'renno' is unknown; did you mean 'reno'? Available: reno, tahoe"),
        (domains.unknown("scheme", "cubic", ["decbit", "blt"]), ValueError,
         "scheme 'cubic' is unknown; available: blt, decbit"),
        (domains.unknown("search", 3, ["scan", "bisect"]), ValueError, "search 3 is unknown; available: bisect, scan"),
        (domains.out_of_range("load", 1.2, "1", "[0, 1)"), ValueError, "load = 1.2 is out of range: must be in [0, 1)"),
        (domains.out_of_range("loss", 2, "probability", "[0, 1]"), ValueError,
         "loss = 2 is out of range: must be in [0, 1]"),
        (domains.out_of_range("rate", -1, "bytes/s", "(0, inf)"), ValueError,
         "rate = -1 bytes/s is out of range: must be in (0, inf) bytes/s"),
        (domains.out_of_range("flows", 11, "flows", "[1, 10]", integer=True), ValueError,
         "flows = 11 flows is out of range: must be an integer in [1, 10]"),
        (domains.wrong_shape("rates", (2,), "(flows, 3)"), ValueError, "rates has shape (2,): must be (flows, 3)"),
        (domains.conflict("--bdp", "excludes --file"), ValueError, "--bdp excludes --file"),
        (domains.conflict("step = 1", "excludes a map", "it has updates"), ValueError,
         "step = 1 excludes a map: it has updates"),
    ],
)  # fmt: skip
def test_the_message_of_each_helper(error, kind, said):
    assert type(error) is kind
    assert str(error) == said


def test_long_lists_of_choices_are_sorted_and_complete():
    names = [f"name-{k}" for k in range(50)]
    assert str(domains.unknown("name", "x", names)).endswith(", ".join(sorted(names)))


@pytest.mark.parametrize(
    "value", ["5", ["5"], [1, "5"], ["many"], [[1], [1, 2]], 2j, [None, 2j], object, True, np.True_]
)
def test_arrays_of_other_types_than_numbers(value):
    with pytest.raises(TypeError, match=r"^x must be a number or an array of numbers, got "):
        domains.numbers("x", value, "1", "[0, 9]")


@pytest.mark.parametrize("value", [2, "scann", None])
def test_choices(value):
    assert domains.choice("search", "scan", ("bisect", "scan")) == "scan"
    with pytest.raises(ValueError, match=r"^search .* is unknown; "):
        domains.choice("search", value, ("bisect", "scan"))


def test_accepted_seeds():
    for value in ("seed", True):
        with pytest.raises(TypeError, match=r"^rng must be None, an integer, a numpy\.random\.SeedSequence or"):
            domains.generator(value)
    with pytest.raises(ValueError, match=r"^rng = -1 is out of range: must be an integer in \[0, inf\)$"):
        domains.generator(-1)


def test_arrays_name_the_first_bad_element():
    with pytest.raises(ValueError, match=r"^x\[1, 0\] = 7 m is out of range"):
        array("x", [[0, 1], [7, 9]], "m", Interval.parse("[0, 1]"))
    assert array("x", [0.5, float("nan")], "m", Interval.parse("[0, 1]"))
    assert not array("x", [], "m", Interval.parse("[0, 1]"))
    with pytest.raises(ValueError, match=r"x\[1\] = 1\.5 m is out of range: must be an integer in \[0, 2\]"):
        array("x", [1.0, 1.5], "m", Interval.parse("[0, 2]"), integer=True)


def test_objects_of_a_wrong_type():
    """A number in place of a network or of laws is named, instead of failing somewhere inside."""
    with pytest.raises(TypeError, match="net must be a Network, got the int 3"):
        lf.sim.Simulation(3)
    with pytest.raises(TypeError, match="laws must be a law, its name, or a sequence of them, got the int 3"):
        lf.verify.run(3)
