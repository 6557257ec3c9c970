"""One CUBIC flow alone at a drop-tail link, in its cubic region."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.cubic.arithmetic import third
from longfat.laws.cubic.parameters import BETA, BUFFER
from longfat.laws.references import RFC_9438

OURS = f"Ours, in the fluid limit of {RFC_9438}, sections 4.2 and 4.6"


def _full(buffer: Any, beta: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return the depth of the sawtooth, the part x of it above one bandwidth-delay product, and x^(4/3)."""
    depth = (1 + buffer) * (1 - beta)
    part = xp.minimum(buffer / depth, 1 + 0 * depth)
    return depth, part, xp.power(part, 4 * third(part, xp))


@law(
    source=OURS,
    unit="1",
    result="U, from (3 + beta)/4 without a buffer to 1 at B = 1/beta - 1, where the slope is 0 on both sides",
    derivation="cubic.utilisation",
    simulated=SimulatedBy("cubic_utilisation", {"buffer": (0.05, 0.8), "beta": (0.6, 0.8)}, accuracy=0.005),
    buffer=BUFFER,
    beta=BETA,
)
def utilisation(buffer: Any, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return the utilisation of a drop-tail link by one CUBIC flow in its cubic region.

    .. math:: U = 1 - \frac{(1 + B)(1 - \beta)}{4} \left(1 - 4 x + 3 x^{4/3}\right), \qquad
        x = \min\left(\frac{B}{(1 + B)(1 - \beta)}, 1\right)

    Notes
    -----
    The window follows the cubic function from beta (1 + B) to 1 + B bandwidth-delay products in real time, so queueing
    does not slow it, and neither C nor the product matter. This is a fluid limit: a product of many packets, K of many
    round trips, one loss per period, W_max the window at each loss, and no time lost in recovery. It holds where the
    product plus the buffer is above `reno_friendly_window`; where the Reno-friendly estimate rules from the loss on,
    below 1/sqrt(27) of that, the law is `tcp.aimd_utilisation_general` with the same beta. Fast convergence is off, as
    RFC 9438, section 4.7, asks for a single flow.

    Examples
    --------
    >>> [round(utilisation(b), 4) for b in (0, 0.1, 0.2, 3 / 7)]
    [0.925, 0.9671, 0.9867, 1.0]
    """
    depth, part, power = _full(buffer, beta, xp)
    return 1 - depth / 4 * (1 - 4 * part + 3 * power)


@law(
    source=OURS,
    unit="1",
    result="Q over the bandwidth-delay product, the mean over time",
    derivation="cubic.mean_queue",
    simulated=SimulatedBy("cubic_queue", {"buffer": (0.1, 1.0), "beta": (0.6, 0.8)}, accuracy=0.01),
    buffer=BUFFER,
    beta=BETA,
)
def mean_queue(buffer: Any, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return the mean backlog of a drop-tail link with one CUBIC flow in its cubic region.

    .. math:: Q = \frac{3}{4} (1 + B)(1 - \beta)\, x^{4/3} + \max\left(B - (1 + B)(1 - \beta), 0\right)

    with x of `utilisation`.

    Notes
    -----
    The assumptions are those of `utilisation`. Most of the buffer is occupied most of the time, since the cubic
    function stays near W_max: with B = 1/beta - 1, which just fills the link, it is 3/4 of the buffer.

    Examples
    --------
    >>> round(mean_queue(3 / 7) / (3 / 7), 12)
    0.75
    """
    depth, _, power = _full(buffer, beta, xp)
    return 3 * depth / 4 * power + xp.maximum(buffer - depth, 0 * depth)
