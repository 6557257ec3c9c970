"""The loss-load curve of a source and its raw throughput."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.loss_load.curve import shares, throughput
from longfat.laws.loss_load.parameters import EXCESS, PAPER, RATE, SPREAD, K


@law(source=PAPER + ", section 2.2", unit="probability", rate=RATE, excess=EXCESS, spread=SPREAD, k=K)
def loss_probability(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    r"""Loss probability that a link announces to a source, as a function of the source's rate.

    .. math:: P(f) = \min\left(1, \max\left(0, \frac{f^k (f + a)}{f^{k+1} + b}\right)\right),
        \qquad a = \sum_{i \ne j} f_i - 1, \qquad b = \sum_{i \ne j} f_i^{k+1}

    Parameters
    ----------
    rate : float or array
        f [1], in [0, inf): the source's rate over the capacity that the link announces.
    excess : float or array
        a [1], in [-1, inf): the rates of the others over that capacity, less 1; negative if they leave some of it.
    spread : float or array
        b [1], in [0, inf): 0 for a source that is alone.
    k : float or array
        k [1], in [1, inf): how much harder high rates are punished than low ones; the paper has whole numbers.

    Returns
    -------
    float or array
        P [probability], never falling in f; 0 up to f = -a. Without others max(0, (f + a)/f). At f = 0 the slope is
        given as 0.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The definition of a scheme, so exact: for sources with whom b > 0 if a > -1. As long as the total is at least 1 and
    no P above 1, the curves of all sources together shed just the excess. The paper's formula has no bounds, though
    its P is a probability: it is negative below the capacity and above 1 where f^k a > b.

    Examples
    --------
    >>> loss_probability(0.75, -0.25, 0.5625, 1)  # two sources of 3/4 each
    0.3333333333333333

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.2, after the loss-load model of Williamson
    and Cheriton, 1991.
    """
    q, _ = shares(rate, spread, k, xp)
    if hasattr(xp, "sympy"):
        return xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp)))
    zero = 0 * (rate + q)
    loss = q * ((rate + excess) / xp.where(xp.equal(rate, 0), 1 + zero, rate))
    return xp.where(rate + excess > 0, xp.where(loss > 1, 1 + zero, loss), zero)  # bounds that split no slope at a tie


def unbounded(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """The paper's formula."""
    return xp.power(rate, k) * (rate + excess) / (xp.power(rate, k + 1) + spread)


@loss_probability.printed("exceeds 1 where f^k a > b, and is negative where the total stays below the capacity.")
def _(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    return unbounded(rate, excess, spread, k, xp)


@law(source=PAPER + ", section 2.2", unit="1", rate=RATE, excess=EXCESS, spread=SPREAD, k=K)
def raw_throughput(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    r"""What of a source's rate gets through.

    .. math:: t(f) = (1 - P(f)) f = \begin{cases} f & f \le -a \\
        \max\left(0, \dfrac{b f - a f^{k+1}}{f^{k+1} + b}\right) & f > -a \end{cases}

    Parameters
    ----------
    rate : float or array
        f [1], in [0, inf): the source's rate over the capacity that the link announces.
    excess : float or array
        a [1], in [-1, inf): the rates of the others over that capacity, less 1.
    spread : float or array
        b [1], in [0, inf): the sum of the others' rates, each to the power k + 1.
    k : float or array
        k [1], in [1, inf).

    Returns
    -------
    float or array
        t [1], over the capacity that the link announces. Rises to `throughput_optimal_rate`, then falls: to 0 if the
        others alone exceed the capacity, else to -a. A source that is alone gets min(f, -a).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As exact as `loss_probability`, but for rates of which next to nothing gets through: there 1e-12 of the rate. The
    mean rate of a link that drops packets with that probability.

    Examples
    --------
    >>> raw_throughput(0.75, -0.25, 0.5625, 1)  # 2/3 of 3/4
    0.5

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.2.
    """
    if hasattr(xp, "sympy"):
        return rate * (1 - xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp))))
    return throughput(rate, excess, spread, k, xp)
