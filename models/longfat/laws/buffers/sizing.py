"""Least buffer with which a link stays busy, for flows that lose together and for independent ones."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.references import APPENZELLER, HOEFFDING, SPANG

DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.3, 0.95), "Factor by which a loss multiplies the window")
FLOWS = Symbol(
    "n", "flows", "[1, inf)", (10, 10_000), "Number of flows, equal and with equal round-trip times", integer=True
)
SHARE = Symbol("q", "probability", "(0, 1)", (1e-3, 0.1), "Share of the time for which the queue may be empty")


@law(
    source=f"{SPANG} (one flow, by the factor of its scheme); {APPENZELLER}, section 3 (synchronised flows of Reno)",
    unit="1",
    result="B, in bandwidth-delay products: 1 for Reno, 3/7 for CUBIC",
    derivation="buffers.synchronised",
    not_simulated="the buffer at which aimd_utilisation_general and cubic.utilisation, which are simulated, reach 1",
    decrease=DECREASE,
)
def buffer_for_synchronised(decrease: Any, *, xp: Any) -> Any:
    r"""Return the least buffer with which a link stays busy, for one flow or for flows that all lose together.

    .. math:: B = \frac{1 - \beta}{\beta}

    Notes
    -----
    Exact for fluid windows that fill path and buffer, 1 + B bandwidth-delay products, when they are multiplied by beta,
    however they grow in between: the link stays busy if beta (1 + B) is at least 1. The number of flows does not
    matter. Time that a sender loses in recovery is not included.

    Examples
    --------
    >>> buffer_for_synchronised(0.5), round(buffer_for_synchronised(0.7), 4)
    (1.0, 0.4286)
    """
    return (1 - decrease) / decrease


@law(
    source=f"{APPENZELLER}, section 3 (beta = 1/2); with the factor of the scheme ours",
    unit="1",
    result="Standard deviation of the sum of the windows over its mean",
    derivation="buffers.deviation",
    not_simulated="in simulations of one drop-tail link flows of the same scheme are never independent",
    flows=FLOWS,
    decrease=DECREASE,
)
def deviation_of_total_window(flows: Any, decrease: Any = 0.5, *, xp: Any) -> Any:
    r"""Return the standard deviation of the sum of independent sawtooth windows, relative to its mean.

    .. math:: \frac{\sigma}{\mu} = \frac{1 - \beta}{(1 + \beta) \sqrt{3 n}}

    Notes
    -----
    Exact for independent windows, each uniform between beta W and W, as linear growth makes them. For Reno it is
    1/(3 sqrt(3 n)).

    Examples
    --------
    >>> round(deviation_of_total_window(1) * 3 * 3**0.5, 12)
    1.0
    """
    return (1 - decrease) / ((1 + decrease) * xp.sqrt(3 * flows))


@law(
    source=f"Ours: the model of {APPENZELLER}, section 3, with the bound of {HOEFFDING}, theorem 2",
    unit="1",
    result="B, in bandwidth-delay products; infinite where the bound gives none, sqrt(n) <= the factor below",
    derivation="buffers.desynchronised",
    not_simulated="in simulations of one drop-tail link flows of the same scheme are never independent",
    flows=FLOWS,
    probability=SHARE,
    decrease=DECREASE,
)
def buffer_for_desynchronised(flows: Any, probability: Any = 0.01, decrease: Any = 0.5, *, xp: Any) -> Any:
    r"""Return a buffer that suffices for independent flows: the queue is empty for at most a share q of the time.

    .. math:: B = \frac{2 a}{\sqrt{n} - a}, \qquad
        a = \frac{1 - \beta}{1 + \beta} \sqrt{2 \ln \frac{1}{q}}

    Notes
    -----
    A bound that holds for every number of flows, without the central limit theorem: with independent windows between
    beta W and W, each uniform, whose sum has the mean 1 + B/2 bandwidth-delay products, the queue is empty for at most
    a share q of the time and full for at most another. It falls as 1/sqrt(n). The windows of one drop-tail link are
    not independent: where losses coincide `buffer_for_synchronised` is needed.

    Examples
    --------
    >>> [round(buffer_for_desynchronised(n, 0.01), 3) for n in (100, 10_000)]
    [0.225, 0.02]
    """
    factor = (1 - decrease) / (1 + decrease) * xp.sqrt(-2 * xp.log(probability))
    room = xp.sqrt(flows) - factor
    return xp.where(room > 0, 2 * factor / xp.where(room > 0, room, 1 + 0 * room), xp.inf + 0 * room)
