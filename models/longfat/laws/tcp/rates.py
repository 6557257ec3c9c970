"""Rate of a flow with additive increase and multiplicative decrease under a given loss rate."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import MATHIS, YANG_LAM
from longfat.laws.tcp.parameters import ACKED, DECREASE, INCREASE, LOSS, ROUND_TRIP, WINDOW


@law(
    source=f"{MATHIS}, section 2",
    unit="packets/s",
    result="X",
    derivation="tcp.square_root_rate",
    simulated=SimulatedBy(
        "rap_rate_at_loss", {"loss": (3e-4, 5e-3), "round_trip_time": (0.01, 0.3), "acked": 1.0}, relative=0.05
    ),
    loss=LOSS,
    round_trip_time=ROUND_TRIP,
    acked=ACKED.described(remark="It is 2 if acknowledgments are delayed"),
)
def square_root_rate(loss: Any, round_trip_time: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Return the rate of TCP in congestion avoidance if every 1/p-th packet is lost.

    .. math:: X = \frac{1}{R} \sqrt{\frac{3}{2 b p}}

    Notes
    -----
    Exact for a fluid sawtooth. It holds for small p: timeouts, recovery and the receiver's window are left out.
    Against `pftk_rate` with b = 1 and T_0 = 4 R it is 1 % too high at p = 1e-3, 9 % at 1e-2, 48 % at 0.05.

    Examples
    --------
    >>> round(square_root_rate(0.01, 0.1), 1)
    122.5
    """
    return 1 / (round_trip_time * xp.sqrt(2 * acked * loss / 3))


@law(
    source=f"{YANG_LAM} (the term of the rate that remains without timeouts)",
    unit="packets/s",
    result="X; `square_root_rate` for alpha = 1, beta = 1/2",
    derivation="tcp.gaimd_rate",
    simulated=SimulatedBy(
        "gaimd_rate_at_loss",
        {
            "loss": (3e-4, 5e-3),
            "round_trip_time": (0.01, 0.3),
            "acked": 1.0,
            "increase": (0.2, 1.0),
            "decrease": (0.5, 0.875),
        },
        relative=0.05,
    ),
    loss=LOSS,
    round_trip_time=ROUND_TRIP,
    increase=INCREASE,
    decrease=DECREASE,
    acked=ACKED,
)
def gaimd_rate(loss: Any, round_trip_time: Any, increase: Any, decrease: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Return the rate of a GAIMD flow, which adds alpha per window and multiplies its window by beta at a loss.

    .. math:: X = \frac{1}{R} \sqrt{\frac{\alpha (1 + \beta)}{2 b (1 - \beta) p}}

    Notes
    -----
    The assumptions are those of `square_root_rate`. By this rate alone alpha = 3 (1 - beta)/(1 + beta) would be fair to
    TCP; the usual alpha = 0.31 for beta = 7/8 takes timeouts into account and gives a rate 1.24 times as high without
    timeouts.

    Examples
    --------
    >>> round(gaimd_rate(1e-4, 0.1, 0.31, 7 / 8) / square_root_rate(1e-4, 0.1), 3)
    1.245
    """
    spread = 2 * acked * loss * (1 - decrease)
    return 1 / (round_trip_time * xp.sqrt(spread / (increase * (1 + decrease))))


@law(
    source=f"{MATHIS}, section 2",
    unit="probability",
    result="p; alone at a drop-tail link W is the bandwidth-delay product plus the buffer",
    derivation="tcp.loss_of_window",
    not_simulated="the inverse of a law that is simulated",
    window=WINDOW,
    acked=ACKED,
)
def loss_of_window(window: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Return the loss probability of a flow that loses one packet whenever its window reaches a given size.

    .. math:: p = \frac{8}{3 b W^2}

    Notes
    -----
    Exact for a fluid sawtooth. Counted in packets, with b = 1, a cycle has (3/8) W^2 + (3/4) W of them, so for small
    W the law is too high, by 2/W of p.

    Examples
    --------
    >>> round(loss_of_window(100), 6)
    0.000267
    """
    return 8 / (3 * acked) / window / window
