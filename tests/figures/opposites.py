"""Evidence with the opposite verdict: it shows that the rule can give another verdict on every row."""

from dataclasses import replace

from figures.rule import EQUAL, Arithmetic, Difference, Estimate, Formula, Quantity, Statement, Together, judge


def opposite(evidence):
    """Return evidence with the opposite verdict; a row that is not assessed has none."""
    differs = judge(evidence)[0] == "differs"
    match evidence:
        case Quantity(printed=number):
            far = 3.0 * abs(number.value) + 10.0 * number.rounding
            moved = 0.0 if differs else -far if number.bound == "at least" else far
            return replace(evidence, ours=Estimate(number.value + moved), spread=None, interpretations={})
        case Difference():
            return Difference((Estimate(1.0 if differs else -1.0),))
        case Arithmetic(printed=number):
            return replace(evidence, value=number.value if differs else 3.0 * number.value + 1.0)
        case Formula(error=error):
            return Formula(0.0 if error > EQUAL else 1.0)
        case Statement():
            return Statement(differs, evidence.criterion)
        case Together():
            parts = (opposite(one) if not differs or judge(one)[0] == "differs" else one for one in evidence.parts)
            return Together(tuple(parts))
    return evidence
