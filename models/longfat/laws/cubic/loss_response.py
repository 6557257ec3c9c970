"""CUBIC's window at a given loss probability, for equally spaced losses and for random losses."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.cubic.growth import BETA, C, cube_root, third
from longfat.laws.references import POOJARY_SHARMA, RFC_9438
from longfat.laws.tcp.rates import ROUND_TRIP

LOSS = Symbol("p", "probability", "(0, 1)", (1e-8, 1e-2), "Loss events per packet sent")
AVERAGE_WINDOW = Symbol("W", "packets", "[2, inf)", (4.0, 1e5), "Mean window over time")
FAST_CONVERGENCE = Symbol(
    "F_c", "1", "[0, 1]", (0, 1), "Whether fast convergence (RFC 9438, section 4.7) is on", integer=True
)

#: Mean window under random loss divided by C^(1/4) (R/p)^(3/4), for beta = 0.7, without and with fast convergence:
#: computed by `derivations.cubic_random.constant`.
RANDOM, RANDOM_FAST_CONVERGENCE = 1.635268597810722, 1.504147664790683


def _constant(c: Any, beta: Any) -> Any:
    """Return A = C (3 + beta)/(4 (1 - beta)) of RFC 9438's equation 5."""
    return c * (3 + beta) / (4 * (1 - beta))


@law(
    source=f"{RFC_9438}, section 5, equation 5, and section 4.3, equation 3",
    result="W [packets], the larger of both regions' averages",
    simulated=SimulatedBy(
        "cubic_window_at_loss",
        {"loss": (1e-5, 2e-4), "round_trip_time": (0.02, 0.15), "c": (0.2, 1.0), "beta": (0.6, 0.8)},
        relative=0.05,
    ),
)
def average_window(loss: LOSS, round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return the average window [packets] of a CUBIC flow that loses every 1/p-th packet.

    .. math:: W = \max\left(\sqrt[4]{\frac{C (3 + \beta)}{4 (1 - \beta)}} \left(\frac{R}{p}\right)^{3/4},
        \sqrt{\frac{3}{2 p}}\right)

    The first term is exact where the cubic function determines the window, p < `reno_friendly_loss`. Near the change of
    regions the window is the larger of two functions of time, and its mean is up to 4 % above the larger of the means
    (beta = 0.7; `mean_window` is exact). A flow that starts at another window approaches the average slowly in the
    cubic region: a relative deviation e shrinks by 0.56 e^3 per loss, so it still is up to 10 % after 100 losses. With
    random losses the window is larger: `average_window_random`.

    >>> [round(average_window(p, 0.1)) for p in (1e-3, 1e-5, 1e-7)]
    [39, 1054, 33325]
    """
    quarter = xp.sqrt(xp.sqrt(_constant(c, beta)))
    cubic = quarter * xp.power(round_trip_time, 0.75) / xp.power(loss, 0.75)
    return xp.maximum(cubic, xp.sqrt(3 / (2 * loss)))


@average_window.printed(
    "A rounding: for the Reno-friendly region tables 1 and 2 take 1.2/sqrt(p) in place of the sqrt(3/2)/sqrt(p) of "
    "the same section's equation 3, 2 % less."
)
def average_window_as_printed(loss: Any, round_trip_time: Any, c: Any = 0.4, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return the average window [packets] by the formula that the tables of RFC 9438 use.

    .. math:: W = \max\left(\sqrt[4]{\frac{C (3 + \beta)}{4 (1 - \beta)}} \left(\frac{R}{p}\right)^{3/4},
        \frac{1.2}{\sqrt{p}}\right)

    >>> [round(average_window.as_printed(p, 0.1)) for p in (1e-3, 1e-5, 1e-7)]
    [38, 1054, 33325]
    """
    quarter = xp.sqrt(xp.sqrt(_constant(c, beta)))
    cubic = quarter * xp.power(round_trip_time, 0.75) / xp.power(loss, 0.75)
    return xp.maximum(cubic, 6 / (5 * xp.sqrt(loss)))


@law(
    source=f"{RFC_9438}, section 5.2, table 3 (its values)",
    result="p [probability]; the rate is W/R",
    not_simulated="the inverse of a law that is simulated",
)
def loss_of_window(window: AVERAGE_WINDOW, round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return the loss probability at which a CUBIC flow has a given average window, for equally spaced losses.

    .. math:: p = \max\left(R \sqrt[3]{\frac{C (3 + \beta)}{4 (1 - \beta) W^4}}, \frac{3}{2 W^2}\right)

    As accurate as `average_window`, which it inverts.

    >>> f"{loss_of_window(83333, 0.1):.1e}"  # 10 Gbit/s with packets of 1500 bytes
    '2.9e-08'
    """
    cubic = round_trip_time * cube_root(_constant(c, beta), xp) / xp.power(window, 4 * third(window, xp))
    return xp.maximum(cubic, 3 / (2 * window) / window)


@law(
    source=f"Ours: both terms of {RFC_9438}, section 5, equation 5, and section 4.3, equation 3, set equal",
    result="p [probability]; values above 1 mean that the Reno-friendly region never rules",
    not_simulated="the limit between the two cases of average_window, which is simulated",
)
def reno_friendly_loss(round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return the loss probability above which the Reno-friendly region determines the average window.

    .. math:: p = \frac{4}{9} \frac{C (3 + \beta)}{4 (1 - \beta)} R^3

    Exact for `average_window`. Only on long fat paths are losses rarer than that: at 10 ms CUBIC behaves as Reno with
    another sawtooth unless fewer than one in two million packets is lost.

    >>> f"{reno_friendly_loss(0.1):.2e} {reno_friendly_loss(0.01):.2e}"
    '5.48e-04 5.48e-07'
    """
    return c * (3 + beta) / (9 * (1 - beta)) * round_trip_time * round_trip_time * round_trip_time


@law(
    source=f"Ours, for the rules of {RFC_9438}, sections 4.2 and 4.3",
    result="W_max at which K equals the climb of the Reno-friendly estimate [packets]",
    not_simulated="the limit between the cases of mean_window, which is simulated",
)
def reno_friendly_window(round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return the window before a loss [packets] below which the Reno-friendly estimate overtakes the cubic function.

    .. math:: W_{max} = \sqrt{\frac{27 (1 - \beta)}{C \left(R (1 + \beta)\right)^3}}

    Exact for a fluid window and a constant round-trip time. Below 1/sqrt(27) of this window the estimate is larger from
    the loss on; between these two windows the cubic function is larger at first. If a flow is alone at a link, W_max is
    the bandwidth-delay product plus the buffer.

    >>> [round(reno_friendly_window(r)) for r in (0.1, 0.01)]
    [64, 2030]
    """
    stretched = round_trip_time * (1 + beta)
    return xp.sqrt(27 * (1 - beta) / c / stretched) / stretched


@law(
    source=f"{POOJARY_SHARMA} (the limiting Markov chain, without fast convergence); the factors are ours",
    result="W [packets]; its factor is computed for beta = 0.7",
    derivation="cubic_random.average_window_random",
    long_proof=True,
    simulated=SimulatedBy(
        "cubic_window_at_random_loss",
        {"loss": (2e-5, 5e-5), "round_trip_time": (0.12, 0.15), "c": (0.4, 1.0), "fast_convergence": [0.0, 1.0]},
        relative=0.08,
        long=True,
    ),
)
def average_window_random(
    loss: LOSS, round_trip_time: ROUND_TRIP, c: C = 0.4, fast_convergence: FAST_CONVERGENCE = 1, *, xp
):
    r"""Return the average window [packets] of a CUBIC flow that loses each packet independently, with beta = 0.7.

    .. math:: W = \kappa \sqrt[4]{C} \left(\frac{R}{p}\right)^{3/4}

    kappa = 1.63527 without fast convergence (F_c = 0), 1.50415 with it (F_c = 1).

    Notes
    -----
    This is the limit for small p of a window that follows the cubic function and loses packets at the rate p W/R. It is
    23 % above `average_window` without fast convergence, 14 % with it. For p > 0 a window that changes once in a round
    trip is smaller by a share of about 0.4 R divided by the time scale (R/(p C))^(1/4): in simulations by 0.4 % at p =
    2e-5 and 0.12 s, and by 1.0 % at p = 1e-4 and 0.2 s. It holds where the Reno-friendly region does not matter, p well
    below `reno_friendly_loss`; nearer to it the average is larger, because the window is the larger of two functions of
    time.

    >>> [round(average_window_random(1e-5, 0.1, fast_convergence=f) / 1000, 4) for f in (0, 1)]
    [1.3005, 1.1962]
    """
    kappa = RANDOM + (RANDOM_FAST_CONVERGENCE - RANDOM) * fast_convergence
    return kappa * xp.sqrt(xp.sqrt(c)) * xp.power(round_trip_time, 0.75) / xp.power(loss, 0.75)
