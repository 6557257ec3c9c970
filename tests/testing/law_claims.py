"""Claims of `longfat.testing` for laws: each with its simulator, the ranges and the accuracy that it declares."""

from __future__ import annotations

from dataclasses import dataclass

import longfat.laws  # noqa: F401  # registers the laws
from longfat.law import Law, registered
from longfat.testing.claims import Claim
from longfat.testing.comparing import Comparison, compare
from longfat.testing.domain import axes_of
from longfat.verify.simulated import check_of
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


@dataclass(frozen=True)
class LawClaim(Claim):
    """The claim that a formula in place of a law agrees with the law's simulator within the law's accuracy."""

    law: Law | None = None

    def valid(self, point) -> bool:
        """Return whether the law is valid at a point of the domain."""
        validity = self.law.validity
        inside = all(axis.contains(point[axis.name]) for axis in self.axes)
        return inside and (validity is None or bool(validity(**point)))

    def compared(self, point, *, alpha: float, budget: int, seed: int) -> Comparison:
        """Return the comparison at one point, with the accuracy that the law states there."""
        within = check_of(self.law).allowed(self.law, point)
        return compare(self.formula, self.simulator, point, within=within, alpha=alpha, budget=budget, rng=seed)


def claim_of(law: Law, formula=None) -> LawClaim:
    """Return the claim of a law, or of another formula in its place."""
    return LawClaim(formula or law, simulator_of(law), axes_of(law, over(law)), None, {}, law=law)
