"""The rule of the scoreboard: every verdict from evidence made by hand, and every kind of evidence can fail."""

import math
from dataclasses import replace

import pytest

from figures.claims import judged
from figures.rule import (
    VERDICTS,
    Arithmetic,
    Declared,
    Difference,
    Estimate,
    Formula,
    Quantity,
    Spread,
    Statement,
    Together,
    at_once,
    judge,
    met_by_others,
    printed,
)
from tests.figures.opposites import opposite


def verdict(*args, **kwargs):
    return judge(Quantity(*args, **kwargs))[0]


@pytest.mark.parametrize(
    ("text", "value", "rounding"),
    [("0.41", 0.41, 0.005), ("1534", 1534, 0.5), ("1.5-2", 1.5, 0.05), ("about 1e-2", 0.01, 0.005), (">200", 200, 0.5),
     ("-3.0 dB", -3, 0.05), ("4e3", 4000, 500), ("1,447 s", 1447, 0.5), ("1e+07", 1e7, 5e6), (".5", 0.5, 0.05),
     ("1.50e-2", 0.015, 5e-5)],
)  # fmt: skip
def test_the_range_of_a_printed_number(text, value, rounding):
    """Half a unit in the last printed digit, in decimals and with an exponent: of 1.50e-2 that is 0.005 x 10^-2."""
    number = printed(text)
    assert (number.value, number.rounding) == (pytest.approx(value), pytest.approx(rounding))


def test_the_interval_and_the_rounding():
    """0.04 stands for 0.035 to 0.045; an interval from 0.0451 on misses it, one from 0.0449 on meets it."""
    assert verdict(printed("0.04"), Estimate(0.06, 0.0451, 0.07)) == "differs"
    assert verdict(printed("0.04"), Estimate(0.06, 0.0449, 0.07)) == "reproduced"
    assert verdict(printed("0.04"), Estimate(0.0449)) == "reproduced"
    assert verdict(printed("0.04"), Estimate(0.0451)) == "differs"


def test_the_excess_over_the_optimum_counts():
    """1534 over an optimum of 1444 adds 90; 25 % are 22.5, so that 1444 + 112.5 = 1556.5 is the most."""
    assert verdict(printed("1534"), Estimate(1556), optimum=1444) == "reproduced"
    assert verdict(printed("1534"), Estimate(1558), optimum=1444) == "differs"
    assert verdict(printed("1534"), Estimate(1558)) == "reproduced"
    assert "what is added to the optimum 27 % above" in judge(Quantity(printed("1534"), Estimate(1558), 1444.0))[1]


def test_how_far_off_with_an_optimum():
    """1350 for 1534 is 12 % less, but below an optimum of 1400 by 50, where 134 are added: 137 % less.

    1174 for 1331 over 1044 adds 130 in place of 287, 55 % less; 3000 for 1534 over 1444 is 1556 for 90, 17 times.
    """
    far = [(1534, 1350, 1400, "12 % below", "137 % below"), (1331, 1174, 1044, "12 % below", "55 % below"),
           (1534, 3000, 1444, "96 % above", "1629 % above")]  # fmt: skip
    for value, ours, optimum, whole, added in far:
        one = Quantity(printed(str(value)), Estimate(ours), optimum)
        assert judge(one) == ("differs", f"{whole}, what is added to the optimum {added}")
        wide = replace(one, spread=Spread(10, 100, "2 runs", "ms"))
        assert judge(wide)[1] == f"{whole}, what is added to the optimum {added}; 10 to 100 ms over 2 runs"
    assert judge(Quantity(printed("1534"), Estimate(math.nan), 1444.0)) == ("differs", "no value")


def test_bounds_have_one_side():
    assert verdict(printed("200", bound="at least"), Estimate(900)) == "reproduced"
    assert verdict(printed("200", bound="at least"), Estimate(179)) == "differs"
    assert verdict(printed("200", bound="at most"), Estimate(3)) == "reproduced"
    assert verdict(printed("200", bound="at most"), Estimate(230, 219, 241)) == "differs"


def test_fitted_and_interpretations():
    assert verdict(printed("53"), Estimate(53.3), fitted="start rate") == "fitted"
    assert verdict(printed("53"), Estimate(88), fitted="start rate") == "differs"
    assert judge(Statement(True, "constant", fitted="start rate")) == ("fitted", "set by it: start rate")
    other = {"with headers": Estimate(90), "without": Estimate(54)}
    assert judge(Quantity(printed("53"), Estimate(88), interpretations=other)) == (
        "reproduced under an interpretation",
        "66 % above; without: 54, the first that meets it, of 2 tried",
    )
    assert verdict(printed("53"), Estimate(53), interpretations=other) == "reproduced"


def test_zero_and_no_value():
    """0 stands for -0.5 to 0.5; 10 % of it is 0."""
    assert verdict(printed("0"), Estimate(0.4)) == "reproduced"
    assert judge(Quantity(printed("0.0"), Estimate(0.4))) == ("differs", "0.4 for 0")
    assert verdict(printed("12"), Estimate(math.nan)) == "differs"
    assert verdict(printed("12"), Estimate(math.inf)) == "differs"


def test_a_difference_below_0_has_to_be_so_at_1_minus_5_percent_over_n():
    """Student's t with 5 degrees of freedom: 2.571 at 0.975, 3.163 at 0.9875, 4.983 at 1 - 0.025/12 (tables)."""
    assert at_once(1) == 1
    assert [at_once(2), at_once(12)] == pytest.approx([3.163 / 2.571, 4.983 / 2.571], rel=1e-3)

    def among(n, half):
        """A difference of -1 with a half width, beside n - 1 that are above 0."""
        return judge(Difference((Estimate(-1, -1 - half, -1 + half), *(n - 1) * [Estimate(3)])))[0]

    # -1 + 1.94 x 0.51 < 0 < -1 + 1.94 x 0.52
    assert [among(12, half) for half in (0.51, 0.52)] == ["differs", "undecided"]
    assert [among(1, half) for half in (0.99, 1.01)] == ["differs", "undecided"]
    tie = Difference((Estimate(0, -1, 1),))
    assert judge(Together((tie, Statement(True, "x")))) == ("undecided", "1 of 1 differences is not above 0")
    parts = Together((Difference((Estimate(-1, -1.6, -0.4),)), Difference(11 * (Estimate(3),))))
    assert judge(parts)[0] == "undecided"  # twelve in the claim


def test_a_value_with_a_choice_set_by_another_number_is_predicted():
    assert judge(Quantity(printed("318"), Estimate(305), predicted="240 files a run")) == (
        "predicted",
        "predicted with what another number has set: 240 files a run",
    )
    assert verdict(printed("318"), Estimate(200), predicted="240 files a run") == "differs"


def test_an_interpretation_that_only_an_interval_meets_prints_it():
    near = {"counted": Estimate(2.142, 1.8, 2.5)}
    assert judge(Quantity(printed("2.5", bound="at least"), Estimate(1.6), interpretations=near)) == (
        "reproduced under an interpretation",
        "36 % below; counted: 2.142 (1.8 .. 2.5)",
    )


def test_other_schemes_that_meet_a_number():
    others = {"pp": Estimate(1500), "tcp": Estimate(4000)}
    one = Quantity(printed("1534"), Estimate(1515), 1444.0, others)
    two = Quantity(printed("4100"), Estimate(4000), None, others)
    assert met_by_others(one) == ([], 2)  # 56 for 90 is more than 25 % off
    assert met_by_others(Quantity(printed("1534"), Estimate(1515), None, others)) == (["pp"], 2)
    assert met_by_others(Together((two, two))) == (["tcp"], 2)
    assert met_by_others(Together((one, two))) == ([], 2)


EVERY = {
    "reproduced": Quantity(printed("10"), Estimate(10)),
    "reproduced under an interpretation": Quantity(printed("10"), Estimate(20), interpretations={"x": Estimate(10)}),
    "predicted": Quantity(printed("10"), Estimate(10), predicted="a start rate"),
    "fitted": Quantity(printed("10"), Estimate(10), fitted="a start rate"),
    "ordering reproduced": Difference((Estimate(1),)),
    "sensitive": Quantity(printed("10"), Estimate(10), spread=Spread(1, 100, "seeds")),
    "undecided": Difference((Estimate(1, -1, 3),)),
    "differs": Quantity(printed("10"), Estimate(20)),
    "consistent": Arithmetic(printed("10"), 10.0),
    "not reproducible": Declared("not reproducible", "no definition is printed"),
    "input": Declared("input"),
}


def test_every_verdict_can_be_had():
    assert {judge(one)[0]: one for one in EVERY.values()} == EVERY
    assert set(EVERY) == set(VERDICTS)


@pytest.mark.parametrize(
    "evidence",
    [one for one in EVERY.values() if not isinstance(one, Declared)]
    + [Formula(1e-15), Formula(0.1), Statement(True, "x"), Statement(False, "x"), Difference((Estimate(-1),)),
       Arithmetic(printed("10"), 11.5), Quantity(printed("10", bound="at least"), Estimate(50)),
       Quantity(printed("10", bound="at most"), Estimate(1)), Quantity(printed("6.9", log10=True), Estimate(6.92)),
       Together((EVERY["reproduced"], EVERY["differs"])), Together((EVERY["reproduced"], EVERY["consistent"]))],
)  # fmt: skip
def test_the_opposite_has_another_verdict(evidence):
    first, second = judge(evidence)[0], judge(opposite(evidence))[0]
    assert first != second
    assert "differs" in (first, second)


def test_a_finding_has_what_its_row_shows():
    others = {"pp": Estimate(9.5)}
    found = judged(Quantity(printed("10"), Estimate(20), others=others), "20 ms", "of the clock", scale="one run")
    assert (found.verdict, found.reason) == ("differs", "2.0 times the printed number; of the clock")
    assert (found.criterion, found.scale, found.met_by) == ("in the interval or within 10 %", "one run", ["pp"])
    assert judged(Quantity(printed("10"), Estimate(10)), "10 ms", "of the clock").reason == ""


@pytest.mark.parametrize(
    ("bound", "lower", "upper", "expected"),
    [
        ("at least", 300, 900, "reproduced"),  # whatever is open, it is at least 200
        ("at least", 100, 900, "sensitive"),  # a part of the range is below 200, a part above
        ("at least", 50, 100, "differs"),  # all of it is below 200
        ("at most", 30, 90, "reproduced"),
        ("at most", 30, 900, "sensitive"),
        ("at most", 300, 900, "differs"),
    ],
)
def test_a_wide_range_on_one_side_of_a_bound(bound, lower, upper, expected):
    """A bound has one side: a range beyond it holds the claim, however wide it is."""
    ours = Estimate(0.5 * (lower + upper))
    assert verdict(printed("200", bound=bound), ours, spread=Spread(lower, upper, "seeds")) == expected


def test_a_range_within_the_rounding_is_not_wide():
    """0.00 stands for -0.005 to 0.005: a loss of 0 to 0.004 over seeds rounds to it; one of 0 to 0.02 may or may not.

    0 to 0.004 is 100 % to each side of its middle. 0.01 to 0.02 never rounds to 0.00.
    """
    assert verdict(printed("0.00"), Estimate(0.001), spread=Spread(0.0, 0.004, "seeds")) == "reproduced"
    assert verdict(printed("0.00"), Estimate(0.001), spread=Spread(0.0, 0.02, "seeds")) == "sensitive"
    assert verdict(printed("0.00"), Estimate(0.015), spread=Spread(0.01, 0.02, "seeds")) == "differs"


def test_a_range_of_the_power_is_measured_in_the_power():
    """6.5 to 7.2 in log10 is a factor of five in the power: 10 % to each side are log10 1.1 = 0.041 to each side.

    As numbers they are 5 % to each side of 6.85. 6.88 to 6.95 is 0.035 to each side.
    """
    number = printed("6.90", log10=True)
    assert verdict(number, Estimate(6.9), spread=Spread(6.5, 7.2, "seeds")) == "sensitive"
    assert verdict(printed("7.40", log10=True), Estimate(7.4), spread=Spread(6.5, 7.2, "seeds")) == "differs"
    assert verdict(number, Estimate(6.9), spread=Spread(6.88, 6.95, "seeds")) == "reproduced"
    # Both ends of -0.05 to 0.05 round to 0.0, half a unit being 0.05.
    assert verdict(printed("0.0", log10=True), Estimate(0.0), spread=Spread(-0.05, 0.05, "seeds")) == "reproduced"


def test_a_range_of_a_unit_of_the_last_digit_is_not_wide():
    """1183 and an optimum of 1183.03: 1183.1 to 1184.2 ms is 0.55 to each side, and 2.6 % of nothing at all.

    A unit of the last digit to each side is the rounding of two numbers; 1182 to 1186 ms is two.
    """
    number, optimum = printed("1183"), 1183.033
    assert verdict(number, Estimate(1183.1), optimum=optimum, spread=Spread(1183.1, 1184.2, "jitter")) == "reproduced"
    assert verdict(number, Estimate(1183.1), optimum=optimum, spread=Spread(1182.0, 1186.0, "jitter")) == "sensitive"


def test_an_infinite_interval_shows_nothing():
    """Two runs of different outcome may give an infinite interval; it contains every number, and decides nothing."""
    assert verdict(printed("20"), Estimate(100, -math.inf, math.inf)) == "differs"
    assert verdict(printed("20"), Estimate(21, -math.inf, math.inf)) == "reproduced"
    assert verdict(printed("0"), Estimate(1, -math.inf, 3)) == "differs"
    assert judge(Difference((Estimate(1, -math.inf, math.inf),)))[0] == "undecided"  # its lower end is not above 0
    # A transfer that never ends with one of the seeds: 4430 is in the range from 1467 to infinity, by chance.
    assert verdict(printed("4430"), Estimate(4430), spread=Spread(1467, math.inf, "seeds")) == "sensitive"


def test_the_ends_of_an_interval_are_in_order():
    """The lower end of 1/x comes from the upper end of x: with the ends in wrong order 0.5 would miss 0.4 to 0.6."""
    with pytest.raises(ValueError, match=r"lower = 0.6 must not exceed upper = 0.4"):
        Estimate(0.5, 0.6, 0.4)
    with pytest.raises(ValueError, match=r"lower = 3 must not exceed upper = 2"):
        Spread(3, 2, "seeds")


def test_negative_numbers():
    """10 % of -10 is 1: -11 to -9. A bound of "at least -10" has all above it."""
    values = [-11.1, -11.0, -9.0, -8.9, 10.0]
    verdicts = [verdict(printed("-10"), Estimate(v)) for v in values]
    assert verdicts == ["differs", "reproduced", "reproduced", "differs", "differs"]
    assert judge(Quantity(printed("-10"), Estimate(-12)))[1] == "20 % below"
    assert verdict(printed("-10", bound="at least"), Estimate(-5)) == "reproduced"
    assert verdict(printed("-10", bound="at least"), Estimate(-12)) == "differs"
    assert verdict(printed("-10", bound="at most"), Estimate(-12)) == "reproduced"


def test_evidence_without_a_value():
    """NaN is neither above 0 nor equal to anything; missing evidence shows nothing; an error may have either sign."""
    assert judge(Difference((Estimate(math.nan),))) == ("differs", "1 of 1 differences is not above 0")
    assert judge(Quantity(printed("3"), Estimate(math.nan, 2, 4)))[0] == "differs"
    assert judge(Together(()))[0] == "differs"
    assert judge(Formula(math.nan))[0] == judge(Formula(-0.1))[0] == "differs"
    spread = Spread(math.nan, math.nan, "no run that ended")
    assert verdict(printed("3"), Estimate(3), spread=spread) == "reproduced"


def test_a_wide_interval_shows_nothing():
    """An interval of more than 25 % to each side contains numbers that are far off: 10 to 190 is 90 % to each side.

    80 to 120 is 20 % to each side, and contains 82. 95 is within 10 % of 100, whatever the interval. Of what is added
    to an optimum of 1444, 156, half of 1500 to 1700 is 64 %; of 116, half of 1534 to 1586 is 22 %.
    """
    assert judge(Quantity(printed("20"), Estimate(100, 10, 190))) == (
        "sensitive",
        "5.0 times the printed number, in an interval from 10 to 190",
    )
    assert verdict(printed("82"), Estimate(100, 80, 120)) == "reproduced"
    assert verdict(printed("95"), Estimate(100, 10, 190)) == "reproduced"
    assert verdict(printed("1534"), Estimate(1600, 1500, 1700), optimum=1444.0) == "sensitive"
    assert verdict(printed("1534"), Estimate(1560, 1534, 1586), optimum=1444.0) == "reproduced"
    # An interval of a factor of ten in the power, and one of 22 %, 0.0864 in log10, that contains the number.
    assert verdict(printed("6.90", log10=True), Estimate(7.2, 6.7, 7.7)) == "sensitive"
    assert verdict(printed("6.90", log10=True), Estimate(6.98, 6.894, 7.066)) == "reproduced"
    other = {"with headers": Estimate(100, 10, 190)}
    assert verdict(printed("20"), Estimate(100), interpretations=other) == "differs"
