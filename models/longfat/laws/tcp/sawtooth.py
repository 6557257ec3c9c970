"""One flow with additive increase and multiplicative decrease, alone at a drop-tail link."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import APPENZELLER, JACOBSON, YANG_LAM
from longfat.laws.tcp.parameters import BUFFER, DECREASE, UTILISATION


@law(
    source=(
        f"Ours, in the fluid limit of {JACOBSON}, section 3 (the rules); {APPENZELLER}, section 2 (B = 1 fills the "
        "link)"
    ),
    unit="1",
    result="U, from 3/4 without a buffer to 1 at B = 1, where the slope is 0 on both sides",
    derivation="tcp.aimd_utilisation",
    long_proof=True,
    simulated=SimulatedBy("sawtooth", {"buffer": (0.05, 1.2)}, accuracy=0.02),
    buffer=BUFFER,
)
def aimd_utilisation(buffer: Any, *, xp: Any) -> Any:
    r"""Return the utilisation of a drop-tail link by one flow that halves its window at a loss.

    .. math:: U = \begin{cases} \dfrac{3 (1 + B)^2}{4 (1 + B + B^2)} & 0 \le B \le 1 \\ 1 & B > 1 \end{cases}
        \qquad = \frac{3}{3 + y^2}, \quad y = \frac{\max(1 - B, 0)}{1 + B}

    Notes
    -----
    The window w grows from (1 + B)/2 to 1 + B bandwidth-delay products; the round-trip time is max(1, w) times that
    of the empty path, since it includes the queueing delay. This is a fluid limit: it holds for a bandwidth-delay
    product of many packets (N packets change U by the order of 1/N), one loss per cycle, no timeouts, and no time
    lost in recovery.

    Examples
    --------
    >>> round(aimd_utilisation(0.5), 4)
    0.9643
    """
    idle = xp.maximum(1 - buffer, 0 * buffer) / (1 + buffer)
    return 3 / (3 + idle * idle)


@law(
    source=f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}",
    unit="1",
    result="U, from (1 + beta)/2 without a buffer to 1 at B = 1/beta - 1. The increase does not matter",
    derivation="tcp.aimd_utilisation_general",
    simulated=SimulatedBy("sawtooth", {"buffer": (0.1, 1.2), "decrease": (0.4, 0.75)}, accuracy=0.02),
    buffer=BUFFER,
    decrease=DECREASE,
)
def aimd_utilisation_general(buffer: Any, decrease: Any, *, xp: Any) -> Any:
    r"""Return the utilisation of a drop-tail link by one flow that multiplies its window by a factor at a loss.

    .. math:: U = \frac{1 - \beta^2}{1 - \beta^2 + y^2}, \qquad y = \max\left(\frac{1}{1 + B} - \beta, 0\right)

    Notes
    -----
    The assumptions are those of `aimd_utilisation`, which is the case beta = 1/2.

    Examples
    --------
    >>> aimd_utilisation_general(0, 7 / 8)
    0.9375
    """
    idle = xp.maximum(1 / (1 + buffer) - decrease, 0 * (buffer + decrease))
    spread = (1 - decrease) * (1 + decrease)
    return spread / (spread + idle * idle)


@law(
    source=f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}",
    unit="1",
    result="Q over the bandwidth-delay product, the mean over time; 5/9 for beta = 1/2 at B = 1",
    derivation="tcp.aimd_mean_queue",
    simulated=SimulatedBy("sawtooth_queue", {"buffer": (0.2, 1.2), "decrease": (0.4, 0.75)}, accuracy=0.01),
    buffer=BUFFER,
    decrease=DECREASE,
)
def aimd_mean_queue(buffer: Any, decrease: Any, *, xp: Any) -> Any:
    r"""Return the mean backlog of a drop-tail link with one flow that multiplies its window by a factor at a loss.

    .. math:: Q = (1 + B) \, \frac{(f - y) \left(\frac{1}{3} (f^2 + f y + y^2) + \frac{s}{2} (f + y)\right)}
        {s \max(s - \beta, 0) + \frac{1}{2} (f - y) (1 + \max(\beta, s))}, \qquad
        s = \frac{1}{1 + B}, \quad f = \frac{B}{1 + B}, \quad y = \max(\beta - s, 0)

    Notes
    -----
    The assumptions are those of `aimd_utilisation`. The queue is between y (1 + B) and B bandwidth-delay products, and
    empty while the window is below one product. With a small buffer it tends to B^2/(2 (1 - beta)), with a large one to
    (1 + B) times (2/3) (1 - beta^3)/(1 - beta^2), less one product: 7/9 of 1 + B for beta = 1/2.

    Examples
    --------
    >>> round(aimd_mean_queue(1, 0.5) * 9, 12)
    5.0
    """
    path, full = 1 / (1 + buffer), buffer / (1 + buffer)
    # beta - s is f - (1 - beta), which keeps its digits for beta and s near 1.
    spare, zero = 1 - decrease, 0 * (buffer + decrease)
    least = xp.maximum(full - spare, zero)
    climb = xp.minimum(full, spare)
    queue = climb * ((full * full + full * least + least * least) / 3 + path * (full + least) / 2)
    idle = path * xp.maximum(spare - full, zero)
    return (1 + buffer) * queue / (idle + climb * (2 - climb) / 2)


@law(
    source=f"Ours: aimd_utilisation solved for the buffer, in the fluid limit of {JACOBSON}, section 3",
    unit="1",
    result="B, in bandwidth-delay products; 0 up to U = 3/4, 1 at U = 1, where the slope is infinite",
    derivation="tcp.buffer_for_utilisation",
    long_proof=True,
    not_simulated="the inverse of a law that is simulated",
    utilisation=UTILISATION,
)
def buffer_for_utilisation(utilisation: Any, *, xp: Any) -> Any:
    r"""Return the smallest buffer with which one flow that halves its window reaches a utilisation.

    .. math:: B = \frac{\max(4 U - 3, 0)}{\left(\sqrt{U} + \sqrt{3 (1 - U)}\right)^2}

    Notes
    -----
    As accurate as `aimd_utilisation`, which it inverts.

    Examples
    --------
    >>> round(aimd_utilisation(buffer_for_utilisation(0.9)), 12)
    0.9
    """
    root = xp.sqrt(utilisation) + xp.sqrt(3 * (1 - utilisation))
    return xp.maximum(4 * utilisation - 3, 0 * utilisation) / (root * root)
