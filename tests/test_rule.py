"""The rule of the scoreboard: every verdict from evidence made by hand, and every kind of evidence can fail."""

import math

import pytest

from longfat.verify.published.claims_table import judged
from longfat.verify.published.rule import (
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
    judge,
    met_by_others,
    opposite,
    printed,
)


def verdict(*args, **kwargs):
    return judge(Quantity(*args, **kwargs))[0]


@pytest.mark.parametrize(
    ("text", "value", "rounding"),
    [("0.41", 0.41, 0.005), ("1534", 1534, 0.5), ("1.5-2", 1.5, 0.05), ("about 1e-2", 0.01, 0.005), (">200", 200, 0.5),
     ("-3.0 dB", -3, 0.05), ("4e3", 4000, 500)],
)  # fmt: skip
def test_what_a_printed_number_stands_for(text, value, rounding):
    """Half a unit in the last printed digit, in decimals and with an exponent."""
    number = printed(text)
    assert (number.value, number.rounding) == (pytest.approx(value), pytest.approx(rounding))


def test_ten_percent_and_no_more():
    """10 % of 200 is 20: 220 meets it, 221 does not, and from 180 on."""
    values = [179, 180, 220, 221]
    assert [verdict(printed("200"), Estimate(v)) for v in values] == ["differs", "reproduced", "reproduced", "differs"]


def test_the_interval_and_the_rounding():
    """0.04 stands for 0.035 to 0.045; an interval from 0.0451 on misses it, one from 0.0449 on meets it."""
    assert verdict(printed("0.04"), Estimate(0.06, 0.0451, 0.07)) == "differs"
    assert verdict(printed("0.04"), Estimate(0.06, 0.0449, 0.07)) == "reproduced"
    assert verdict(printed("0.04"), Estimate(0.0449)) == "reproduced"
    assert verdict(printed("0.04"), Estimate(0.0451)) == "differs"


def test_ten_percent_of_a_power_is_0_041_in_its_logarithm():
    """log10 1.1 = 0.0414; 6.90 stands for 6.895 to 6.905."""
    assert verdict(printed("6.90", log10=True), Estimate(6.94)) == "reproduced"
    assert verdict(printed("6.90", log10=True), Estimate(6.942)) == "differs"
    assert verdict(printed("6.9", log10=True), Estimate(7.1)) == "differs"  # 2.9 % of the logarithm, 58 % of the power


def test_what_a_scheme_adds_to_the_optimum_counts():
    """1534 over an optimum of 1444 adds 90; 25 % are 22.5, so that 1444 + 112.5 = 1556.5 is the most."""
    assert verdict(printed("1534"), Estimate(1556), optimum=1444) == "reproduced"
    assert verdict(printed("1534"), Estimate(1558), optimum=1444) == "differs"
    assert verdict(printed("1534"), Estimate(1558)) == "reproduced"
    assert "what is added to the optimum 27 % above" in judge(Quantity(printed("1534"), Estimate(1558), 1444.0))[1]


def test_bounds_have_one_side():
    assert verdict(printed("200", bound="at least"), Estimate(900)) == "reproduced"
    assert verdict(printed("200", bound="at least"), Estimate(179)) == "differs"
    assert verdict(printed("200", bound="at most"), Estimate(3)) == "reproduced"
    assert verdict(printed("200", bound="at most"), Estimate(230, 219, 241)) == "differs"


def test_a_wide_range_decides_first():
    """A value that ranges from 1467 to 8564 meets nothing by more than chance."""
    jitter = Spread(1467, 8564, "a packet time of jitter")
    assert verdict(printed("4430"), Estimate(4577), spread=jitter) == "sensitive"
    assert verdict(printed("9430"), Estimate(9430), spread=jitter) == "differs"
    assert verdict(printed("4430"), Estimate(4577), spread=Spread(4200, 4700, "seeds")) == "reproduced"


def test_fitted_and_interpretations():
    assert verdict(printed("53"), Estimate(53.3), fitted="start rate") == "fitted"
    assert verdict(printed("53"), Estimate(88), fitted="start rate") == "differs"
    assert judge(Statement(True, "constant", fitted="start rate")) == ("fitted", "set by it: start rate")
    other = {"with headers": Estimate(90), "without": Estimate(54)}
    assert judge(Quantity(printed("53"), Estimate(88), interpretations=other)) == (
        "reproduced under an interpretation",
        "66 % above; without: 54, the first of 2 that meets it",
    )
    assert verdict(printed("53"), Estimate(53), interpretations=other) == "reproduced"


def test_zero_and_no_value():
    """0 stands for -0.5 to 0.5; 10 % of it are nothing."""
    assert verdict(printed("0"), Estimate(0.4)) == "reproduced"
    assert judge(Quantity(printed("0.0"), Estimate(0.4))) == ("differs", "0.4 for 0")
    assert verdict(printed("12"), Estimate(math.nan)) == "differs"
    assert verdict(printed("12"), Estimate(math.inf)) == "differs"


def test_orderings_need_the_whole_interval():
    assert judge(Difference((Estimate(1, 0.2, 1.8), Estimate(3))))[0] == "ordering reproduced"
    assert judge(Difference((Estimate(1, -0.2, 2.2), Estimate(3)))) == ("differs", "1 of 2 differences is not above 0")
    assert judge(Difference(()))[0] == "differs"


def test_a_row_of_several_numbers_has_the_worst_verdict():
    good, bad = Quantity(printed("10"), Estimate(10)), Quantity(printed("10"), Estimate(20))
    assert judge(Together((good, Arithmetic(printed("3"), 3.0))))[0] == "reproduced"
    assert judge(Together((good, bad))) == ("differs", "2.0 times the printed number")


def test_which_others_meet_it():
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
    "fitted": Quantity(printed("10"), Estimate(10), fitted="a start rate"),
    "ordering reproduced": Difference((Estimate(1),)),
    "sensitive": Quantity(printed("10"), Estimate(10), spread=Spread(1, 100, "seeds")),
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
