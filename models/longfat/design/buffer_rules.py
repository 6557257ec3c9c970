"""Rules for the buffer of a switch [bandwidth-delay products], and two laws of the utilisation for a buffer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from longfat.base.domains import conflict
from longfat.laws.tcp import aimd_utilisation_general

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

#: Name of a rule -> flows for which the rule holds according to its source.
RULES = {
    "one BDP": "any number of flows that halve their windows",
    "BDP/sqrt(n)": "many flows whose losses do not coincide",
    "AIMD closed form": "one flow, or flows that all lose at the same time",
    "BDP/3": "no law: a third of the bandwidth-delay product (Kim and Farber, MS-CIS-94-55, section 4.2)",
}
SETTABLE = ("gaimd-window", "cubic")  # schemes whose decrease factor is the parameter beta
SMALLEST = "simulated"  # name of the row that follows the rules: the smallest simulated buffer that suffices


def decrease_of(scheme: Scheme, parameters: dict[str, float]) -> float:
    """Return the factor by which a loss multiplies the window [1]; NaN if the laws do not describe the scheme.

    >>> from longfat.sim.schemes import scheme
    >>> decrease_of(scheme("reno"), {}), decrease_of(scheme("gaimd-window"), {"beta": 0.75})
    (0.5, 0.75)
    """
    if scheme.name in ("reno", "newreno", "sack"):
        return 0.5
    if scheme.name in SETTABLE and "beta" in scheme.parameters:
        return float(parameters.get("beta", scheme.parameters["beta"].default))  # type: ignore[arg-type, union-attr]
    return math.nan


def with_decrease(
    scheme: Scheme, parameters: dict[str, float], decrease: float | None
) -> tuple[float, dict[str, float]]:
    """Return the decrease factor for the laws, and the scheme's parameters for the simulation of the same sender.

    ``decrease`` sets the parameter ``beta`` of ``gaimd-window`` and ``cubic``. For a user-defined scheme ``decrease``
    is returned as the factor, and no parameter is set. Every other scheme has a fixed factor, or no factor.

    >>> from longfat.sim.schemes import scheme
    >>> with_decrease(scheme("gaimd-window"), {}, 0.7)
    (0.7, {'beta': 0.7})
    >>> with_decrease(scheme("sack"), {}, 0.7)
    Traceback (most recent call last):
    ValueError: decrease = 0.7 excludes scheme 'sack', which multiplies its window by 0.5 at a loss: leave it out,
    or take scheme 'gaimd-window', where it can be set
    """
    from longfat.sim import schemes

    known = decrease_of(scheme, parameters)
    if decrease is None or decrease == known:
        return known, parameters
    if scheme.name in SETTABLE and "beta" not in parameters:
        return decrease, parameters | {"beta": decrease}
    shipped = scheme.name in schemes.NAMED and schemes.scheme(scheme.name) is scheme
    if not shipped and math.isnan(known):
        return decrease, parameters
    does = "does not multiply its window by a constant" if math.isnan(known) else f"multiplies its window by {known:g}"
    reason = "leave it out, or take scheme 'gaimd-window', where it can be set"
    raise conflict(f"decrease = {decrease:g}", f"excludes scheme {scheme.name!r}, which {does} at a loss", reason)


def buffer_of_share(share: float, decrease: float) -> float:
    r"""Return the smallest buffer [bandwidth-delay products] with which one flow reaches the utilisation U, ``share``.

    .. math:: B = \max\left(\frac{1}{\beta + y} - 1, 0\right), \qquad y = \sqrt{(1 - \beta^2) \frac{1 - U}{U}}

    >>> round(buffer_of_share(0.75, 0.5), 12), buffer_of_share(1.0, 0.5), buffer_of_share(1.0, 0.8)
    (0.0, 1.0, 0.25)
    """
    idle = math.sqrt((1 - decrease) * (1 + decrease) * (1 - share) / share)
    return max(1 / (decrease + idle) - 1, 0.0)


def together(buffer: float, decrease: float) -> float:
    """Return the utilisation [1] of one flow, or of any number of flows with synchronised losses.

    >>> together(0.0, 0.5)
    0.75
    """
    return math.nan if math.isnan(decrease) else float(aimd_utilisation_general(buffer, decrease))


def apart(buffer: float, flows: float, decrease: float) -> float:
    r"""Return a lower bound of the utilisation [1] of many flows whose losses are not synchronised.

    .. math::

        U \ge \operatorname{erf}\left(\frac{k}{2 \sqrt 2} \frac{B \sqrt n}{1 + B}\right), \qquad
        k = \sqrt 3 \, \frac{1 + \beta}{1 - \beta}

    A window that is uniformly distributed between beta w and w has the mean (1 + beta) w/2, and its standard deviation
    is 1/k of the mean. The sum of n independent windows is nearly normal, and its standard deviation is 1/(k sqrt(n))
    of its mean. If the mean lies in the middle of the buffer, the sum stays within the buffer with the probability that
    the equation gives, and the link is idle only when the sum is below the buffer. For beta = 1/2, k is 3 sqrt(3).
    Appenzeller, Keslassy and McKeown, Sizing Router Buffers, SIGCOMM 2004, section 3. The result is NaN for one flow.

    >>> round(apart(0.1, 100, 0.5), 4)  # B = BDP/sqrt(n)
    0.9817
    """
    if flows <= 1 or math.isnan(decrease):
        return math.nan
    k = math.sqrt(3) * (1 + decrease) / (1 - decrease)
    return math.erf(k / (2 * math.sqrt(2)) * buffer * math.sqrt(flows) / (1 + buffer))


def rules(share: float, flows: float, decrease: float) -> dict[str, float]:
    """Return the buffer of each rule [bandwidth-delay products]; NaN where a rule does not apply to the scheme.

    >>> rules(0.75, 4, 0.5)["BDP/sqrt(n)"]
    0.5
    """
    closed = math.nan if math.isnan(decrease) else buffer_of_share(share, decrease)
    return dict(zip(RULES, (1.0, 1 / math.sqrt(max(flows, 1.0)), closed, 1 / 3), strict=True))
