"""The loss-load curve of a source and its raw throughput."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.loss_load.curve import shares, throughput
from longfat.laws.loss_load.parameters import EXCESS, RATE, SPREAD, K
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON, WILLIAMSON_CHERITON


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2, after " + WILLIAMSON_CHERITON,
    unit="probability",
    result="P, never decreasing in f; 0 up to f = -a. Without others max(0, (f + a)/f). At f = 0 the slope is set to 0",
    not_simulated="the rule that the simulated switch computes itself",
    rate=RATE,
    excess=EXCESS.described(remark="Negative if they leave some capacity unused"),
    spread=SPREAD.described(remark="It is 0 for a source that is alone"),
    k=K.described(remark="The paper has integers"),
)
def loss_probability(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    r"""Return the loss probability that a link announces to a source, as a function of the source's rate.

    .. math:: P(f) = \min\left(1, \max\left(0, \frac{f^k (f + a)}{f^{k+1} + b}\right)\right),
        \qquad a = \sum_{i \ne j} f_i - 1, \qquad b = \sum_{i \ne j} f_i^{k+1}

    Notes
    -----
    The definition of a scheme, so exact, for sources with b > 0 if a > -1. As long as the total is at least 1 and no
    P exceeds 1, the losses of all sources add up to the excess over the capacity. The paper's formula has no bounds,
    though its P is a probability: it is negative below the capacity and above 1 where f^k a > b.

    Examples
    --------
    >>> loss_probability(0.75, -0.25, 0.5625, 1)  # two sources of 3/4 each
    0.3333333333333333
    """
    q, _ = shares(rate, spread, k, xp)
    if hasattr(xp, "sympy"):
        return xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp)))
    zero = 0 * (rate + q)
    loss = q * ((rate + excess) / xp.where(xp.equal(rate, 0), 1 + zero, rate))
    # These bounds, unlike maximum and minimum, do not halve the slope at a tie.
    return xp.where(rate + excess > 0, xp.where(loss > 1, 1 + zero, loss), zero)


def unbounded(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the value of the paper's formula, without the bounds 0 and 1."""
    return xp.power(rate, k) * (rate + excess) / (xp.power(rate, k + 1) + spread)


@loss_probability.printed("exceeds 1 where f^k a > b, and is negative where the total stays below the capacity.")
def _(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    return unbounded(rate, excess, spread, k, xp)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2",
    unit="1",
    result=(
        "t, over the capacity that the link announces. Rises up to `throughput_optimal_rate`, then falls: to 0 if the "
        "others alone exceed the capacity, else to -a. A source that is alone has min(f, -a)"
    ),
    not_simulated="the rule that the simulated switch computes itself",
    rate=RATE,
    excess=EXCESS,
    spread=SPREAD,
    k=K,
)
def raw_throughput(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    r"""Return the rate at which a source's packets are delivered, retransmissions included.

    .. math:: t(f) = (1 - P(f)) f = \begin{cases} f & f \le -a \\
        \max\left(0, \dfrac{b f - a f^{k+1}}{f^{k+1} + b}\right) & f > -a \end{cases}

    Notes
    -----
    The mean throughput through a link that drops packets with `loss_probability`. As exact as that, except for rates
    at which next to nothing is delivered: there the error is up to 1e-12 of the rate.

    Examples
    --------
    >>> raw_throughput(0.75, -0.25, 0.5625, 1)  # 2/3 of 3/4
    0.5
    """
    if hasattr(xp, "sympy"):
        return rate * (1 - xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp))))
    return throughput(rate, excess, spread, k, xp)
