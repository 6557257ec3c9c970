"""Claims of `longfat.testing` for laws: each with its simulator, the ranges and the accuracy that it declares."""

from __future__ import annotations

import longfat.laws  # noqa: F401  # registers the laws
from longfat.law import Law, registered
from longfat.testing.domain import axes_of
from longfat.testing.holding import Claim
from longfat.verify.simulators import simulator_of


def simulated_laws() -> list[Law]:
    """Return the laws that have a simulator, but those whose simulation takes minutes, in the order of their names."""
    every = [one for _, one in registered() if one.place.startswith("longfat.")]
    return sorted((one for one in every if one.simulated and not one.simulated.long), key=lambda one: one.public_name)


def over(law: Law) -> dict[str, object]:
    """Return the domain in which a law is simulated; limits of integers are integers."""
    ranges = dict(law.simulated.ranges)
    for name, symbol in law.symbols.items():
        given = ranges.get(name)
        if symbol.integer and isinstance(given, tuple):
            ranges[name] = (int(given[0]), int(given[1]))
    return ranges


def claim_of(law: Law, formula=None) -> Claim:
    """Return the claim that a law, or another formula in its place, agrees with the law's simulator."""
    options = {"within": lambda **point: law.simulated.allowed(law, point)}
    return Claim(formula or law, simulator_of(law), axes_of(law, over(law)), law.validity, options)
