"""The coupled probabilities of a dual queue, and the rates of classic and scalable flows that follow from them."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.aqm.parameters import (
    CLASSIC_TRIP,
    COUPLING,
    DECREASE,
    MARKING,
    ROUND_TRIP,
    SCALABLE_TRIP,
    TARGET,
)
from longfat.laws.references import RFC_9332


@law(
    source=f"{RFC_9332}, section 2.1, equation (1)",
    unit="probability",
    result="p_C",
    derivation="aqm.classic_probability",
    not_simulated="a rule of the discipline; coupled_rate_ratio has its effect",
    marking=MARKING,
    coupling_factor=COUPLING,
)
def classic_probability(marking: Any, coupling_factor: Any = 2, *, xp: Any) -> Any:
    r"""Return the probability with which a coupled queue drops or marks classic packets.

    .. math:: p_C = \left(\frac{p_{CL}}{k}\right)^2

    Notes
    -----
    Its square root is the base probability, which the controller sets. Where p_CL reaches 1 this is at most 1/k^2.

    Examples
    --------
    >>> round(classic_probability(0.2), 12)
    0.01
    """
    base = marking / coupling_factor
    return base * base


@law(
    source=f"{RFC_9332}, appendix C.2, equation (10) (for k = 2)",
    unit="1",
    result="r_L/r_C",
    derivation="aqm.coupled_rate_ratio",
    not_simulated="two responses, each of which is simulated: window_at_spaced_marks of DCTCP, the square-root law",
    classic_round_trip_time=CLASSIC_TRIP,
    scalable_round_trip_time=SCALABLE_TRIP,
    coupling_factor=COUPLING,
)
def coupled_rate_ratio(
    classic_round_trip_time: Any, scalable_round_trip_time: Any, coupling_factor: Any = 2, *, xp: Any
) -> Any:
    r"""Return the rate of a scalable flow over that of a classic one at a coupled queue.

    .. math:: \frac{r_L}{r_C} = \sqrt{\frac{8}{3}} \, \frac{R_C}{k R_L}

    Notes
    -----
    The classic flow has the window sqrt(3/(2 p_C)), the scalable one 2/p_CL: DCTCP, or Prague where it does not make
    itself independent of the round-trip time. With equal round-trip times the rates are equal for k = 1.633; the RFC
    prints 1.64, because it rounds sqrt(3/2) to 1.22 first. The marks are evenly spaced, as those of the RFC's
    discipline; independent ones would give 1.37 times the rate (`longfat.laws.dctcp.window_at_random_marks`).

    Examples
    --------
    >>> round(coupled_rate_ratio(0.04, 0.025), 3)
    1.306
    """
    balance = xp.sqrt(8 + 0 * coupling_factor) / xp.sqrt(3 + 0 * coupling_factor)
    return balance / coupling_factor * (classic_round_trip_time / scalable_round_trip_time)


@law(
    source=f"{RFC_9332}, appendix C.2, equations (7) to (9)",
    unit="1",
    result="k",
    derivation="aqm.coupling_factor",
    not_simulated="the inverse of coupled_rate_ratio at the round-trip times of the RFC",
    round_trip_time=ROUND_TRIP.described(remark="It is that of both flows"),
    target=TARGET,
    decrease=DECREASE,
)
def coupling_factor(round_trip_time: Any, target: Any = 0.015, decrease: Any = 0.5, *, xp: Any) -> Any:
    r"""Return the coupling factor with which a scalable and a classic flow get equal rates.

    .. math:: k = \sqrt{\frac{8}{3}} \, \frac{1 + \beta}{2} \left(1 + \frac{q}{R}\right)

    Notes
    -----
    The queueing delay of the classic flow reaches the target at the tips of its sawtooth, so its mean round-trip time
    is (1 + beta)/2 (R + q); that of the scalable one is R. At R = 25 ms and a target of 15 ms this is 1.96 for Reno
    and 2.22 for CUBIC in its Reno-friendly region; the RFC prints 1.97, from rounded factors, and 2.22.

    Examples
    --------
    >>> round(coupling_factor(0.025), 2), round(coupling_factor(0.025, decrease=0.7), 2)
    (1.96, 2.22)
    """
    balance = xp.sqrt(8 + 0 * target) / xp.sqrt(3 + 0 * target)
    return balance * ((1 + decrease) / 2) * (1 + target / round_trip_time)
