"""Loss-load curve of a source, its raw throughput, and the equilibrium of sources that all maximise it.

With r = b / f^(k+1), the source's own share is q = 1/(1 + r) and P = q (f + a)/f. For k = 50 neither f^(k+1) nor r fits
into a float where q still matters; log r does. Without others (b = 0) q = 1, and r is computed as b f^-(k+1), whose
derivative with respect to b is correct.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON, WILLIAMSON_CHERITON

RATE = Symbol("f", "1", "[0, inf)", (0.05, 2.0), "Rate of the source over the capacity that the link announces")
EXCESS = Symbol("a", "1", "[-1, inf)", (-1.0, 2.0), "Rates of the other sources over the announced capacity, less 1")
SPREAD = Symbol("b", "1", "[0, inf)", (1e-6, 1.0), "Sum of the other sources' rates, each to the power k + 1")
K = Symbol("k", "1", "[1, inf)", (1.0, 20.0), "Exponent, with which the loss of high rates grows")
VIRTUAL = Symbol("v", "1", "(0, 1]", (0.5, 1.0), "Virtual factor, announced over true capacity")
SOURCES = Symbol("M", "sources", "[2, inf)", (2, 100), "Equal sources", integer=True)


def log_ratio(rate: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return log r = log(b/f^(k+1)), for a positive rate f and a positive spread b."""
    return xp.log(spread) - (k + 1) * xp.log(rate)


def shares(rate: Any, spread: Any, k: Any, xp: Any) -> tuple[Any, Any]:
    """Return q = f^(k+1)/(f^(k+1) + b) and 1 - q (rate f, spread b) to full relative accuracy; 0 and 1 if f = 0."""
    if hasattr(xp, "sympy"):
        power = xp.power(rate, k + 1)
        return power / (power + spread), spread / (power + spread)
    silent, alone = xp.equal(rate, 0), xp.equal(spread, 0)
    one, some = 1 + 0 * (rate + spread + k), xp.where(silent, 1 + 0 * rate, rate)
    log_r = log_ratio(some, xp.where(alone, 1 + 0 * spread, spread), k, xp)
    nothing = 0 * one
    with_others = xp.exp(-xp.logaddexp(nothing, log_r)), xp.exp(-xp.logaddexp(nothing, -log_r))
    r = spread * xp.exp(xp.minimum(-(k + 1) * xp.log(some), 80 * one))  # if spread is 0, r is 0 but its slope is not
    q = xp.where(silent, nothing, xp.where(alone, 1 / (1 + r), with_others[0]))
    return q, xp.where(silent, one, xp.where(alone, r / (1 + r), with_others[1]))


def throughput(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return t = (1 - P) f: f up to -a, then f (1 - q) - a q, and 0 where P would exceed 1."""
    q, rest = shares(rate, spread, k, xp)
    lossless = (rate + excess <= 0) | xp.equal(rate, 0)
    return xp.where(lossless, rate, xp.maximum(rate * rest - excess * q, 0 * q))


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2, after " + WILLIAMSON_CHERITON,
    result=(
        "P [probability], never decreasing in f; 0 up to f = -a. Without others max(0, (f + a)/f). At f = 0 the slope"
        " is set to 0"
    ),
    derivation="",
    not_simulated="the rule that the simulated switch computes itself",
    excess=EXCESS.described(remark="Negative if they leave some capacity unused"),
    spread=SPREAD.described(remark="It is 0 for a source that is alone"),
    k=K.described(remark="The paper has integers"),
)
def loss_probability(rate: RATE, excess, spread, k, *, xp):
    r"""Return the loss probability that a link announces to a source, as a function of the source's rate.

    .. math:: P(f) = \min\left(1, \max\left(0, \frac{f^k (f + a)}{f^{k+1} + b}\right)\right),
        \qquad a = \sum_{i \ne j} f_i - 1, \qquad b = \sum_{i \ne j} f_i^{k+1}

    The law defines a scheme, so it is exact: for sources with b > 0 if a > -1. As long as the total is at least 1 and
    no P exceeds 1, the losses of all sources add up to the excess over the capacity. The paper's formula has no bounds,
    though its P is a probability: it is negative below the capacity and above 1 where f^k a > b.

    >>> loss_probability(0.75, -0.25, 0.5625, 1)  # two sources of 3/4 each
    0.3333333333333333
    """
    q, _ = shares(rate, spread, k, xp)
    if hasattr(xp, "sympy"):
        return xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp)))
    zero = 0 * (rate + q)
    loss = q * ((rate + excess) / xp.where(xp.equal(rate, 0), 1 + zero, rate))
    # Use `where`, because maximum and minimum would halve the derivative where both values are equal.
    return xp.where(rate + excess > 0, xp.where(loss > 1, 1 + zero, loss), zero)


def unbounded(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the paper's formula for the loss probability, which may be below 0 or above 1."""
    return xp.power(rate, k) * (rate + excess) / (xp.power(rate, k + 1) + spread)


@loss_probability.printed("P exceeds 1 where f^k a > b, and is negative where the total stays below the capacity.")
def _(rate: Any, excess: Any, spread: Any, k: Any, *, xp: Any) -> Any:
    return unbounded(rate, excess, spread, k, xp)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2",
    result=(
        "t [1], over the capacity that the link announces. Rises up to `throughput_optimal_rate`, then falls: to 0 if"
        " the others alone exceed the capacity, else to -a. A source that is alone has min(f, -a)"
    ),
    derivation="",
    not_simulated="the rule that the simulated switch computes itself",
)
def raw_throughput(rate: RATE, excess: EXCESS, spread: SPREAD, k: K, *, xp):
    r"""Return the rate at which a source's packets are delivered, relative to the announced capacity.

    .. math:: t(f) = (1 - P(f)) f = \begin{cases} f & f \le -a \\
        \max\left(0, \dfrac{b f - a f^{k+1}}{f^{k+1} + b}\right) & f > -a \end{cases}

    This is the mean throughput of a link that drops packets with `loss_probability`. It is as exact as that law, except
    for rates at which next to nothing is delivered: there the error is up to 1e-12 of the rate.

    >>> raw_throughput(0.75, -0.25, 0.5625, 1)  # 2/3 of 3/4
    0.5
    """
    if hasattr(xp, "sympy"):
        return rate * (1 - xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp))))
    return throughput(rate, excess, spread, k, xp)


LINK = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1e10), "Capacity of the link")


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2 (bounded packet loss)",
    result=(
        "P [probability], of the announced loss-load curve; the link's true loss is less if it announces less than "
        "its capacity"
    ),
    derivation="loss_load.loss_at_optimum",
    simulated=SimulatedBy("loss_load_loss_at_capacity", accuracy=0.012, long=True),
)
def bounded_loss(k: K, *, xp):
    r"""Return the loss probability of a source at its throughput-optimal rate, whatever the other sources send.

    .. math:: P(f_t) = \frac{1}{k + 1}

    Exact for a source that is not alone (b > 0) and whose access link allows `throughput_optimal_rate`.

    >>> bounded_loss(9)
    0.1
    """
    return 1 / (k + 1)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.3",
    result="C_v [bytes/s]",
    derivation="",
    not_simulated="arithmetic of definitions",
    capacity=LINK.described("True capacity of the link"),
)
def virtual_capacity(capacity, v: VIRTUAL, *, xp):
    """Return the capacity [bytes/s] that a link announces; rates in the loss-load laws are fractions of it.

    .. math:: C_v = v C

    A definition. The link drops packets by its true capacity only. The paper allows v = 0, which announces no
    capacity.

    >>> virtual_capacity(5e6, 0.8)
    4000000.0
    """
    return capacity * v


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", sections 2.2 (v = 1) and 2.3",
    result="L [1], over the true capacity",
    derivation="loss_load.virtual_capacity",
    simulated=SimulatedBy("loss_load_load", accuracy=0.03),
    v=VIRTUAL.described(remark="1 gives the loss-load model itself"),
)
def equilibrium_load(k: K, v, *, xp):
    r"""Return the offered load, relative to the true capacity, of equal sources that all maximise their throughput.

    .. math:: L = \frac{k + 1}{k} v

    Exact for two or more equal sources, none limited by its access link, whatever their number. A source that is
    alone offers the load v.

    >>> equilibrium_load(5, 1), equilibrium_load(5, 0.5)
    (1.2, 0.6)
    """
    return (k + 1) * v / k


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", sections 2.2 and 2.3",
    result="f [1], over the true capacity",
    derivation="loss_load.virtual_rate",
    not_simulated="equilibrium_load, which is simulated, over the number of sources",
)
def equilibrium_rate(k: K, v: VIRTUAL, sources: SOURCES, *, xp):
    r"""Return the equilibrium rate of each of M equal sources, relative to the true capacity.

    .. math:: f = \frac{(k + 1) v}{k M}

    This is one of M equal shares of `equilibrium_load`.

    >>> round(equilibrium_rate(2, 1, 2), 12)  # of the paper's two senders
    0.75
    """
    return (k + 1) * v / (k * sources)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.3 with footnote 3, and section 4.1 for the smallest v",
    result=(
        "p [probability]; 1/(k + 1) for v = 1, and 0 up to v = k/(k + 1), `lossless_virtual_factor`, where the slope "
        "jumps"
    ),
    derivation="loss_load.virtual_loss",
    simulated=SimulatedBy("loss_load_loss", {"v": (0.96, 1.0)}, accuracy=0.012),  # above k/(k + 1): packets are lost
)
def equilibrium_loss(k: K, v: VIRTUAL, *, xp):
    r"""Return the loss probability of a link with equal sources that all maximise their throughput.

    .. math:: p = \max\left(0, 1 - \frac{1}{L}\right) = \max\left(0, 1 - \frac{k}{(k + 1) v}\right)

    The assumptions are those of `equilibrium_load`, for a fluid: with random arrivals some packets are lost for v below
    k/(k + 1), too. Sources mark the announced share 1/(k + 1) of their packets red, which is more than the loss for
    every v below 1.

    >>> round(equilibrium_loss(4, 0.9), 12), equilibrium_loss(4, 0.75)  # L = 9/8
    (0.111111111111, 0.0)
    """
    return xp.maximum((v - k * (1 - v)) / ((k + 1) * v), 0 * (k + v))


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 4.1",
    result="v [1]",
    derivation="loss_load.lossless_factor",
    not_simulated="the point at which equilibrium_loss, which is simulated, becomes 0",
)
def lossless_virtual_factor(k: K, *, xp):
    r"""Return the largest virtual factor with which equal sources in equilibrium have no loss and fill the link.

    .. math:: v = \frac{k}{k + 1}

    The assumptions are those of `equilibrium_load`.

    >>> lossless_virtual_factor(4)
    0.8
    """
    return k / (k + 1)
