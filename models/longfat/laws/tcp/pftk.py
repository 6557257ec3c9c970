"""Rate of TCP with timeouts (Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998)."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.references import PADHYE, RFC_5348
from longfat.laws.tcp.parameters import ACKED, LARGEST_WINDOW, LOSS, ROUND_TRIP, TIMEOUT


@law(
    source=f"{PADHYE}, section 2.3 (approximate model); {RFC_5348}, section 3.1",
    unit="packets/s",
    result="X, sent rather than delivered; at most W_m/R if the receiver allows W_m packets",
    derivation="tcp.pftk_rate",
    long_proof=True,
    not_simulated="it assumes that a round loses all packets after its first lost one, as no simulated network does",
    loss=LOSS,
    round_trip_time=ROUND_TRIP,
    timeout=TIMEOUT.described(remark="TFRC takes 4 R"),
    acked=ACKED,
)
def pftk_rate(loss: Any, round_trip_time: Any, timeout: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Return the rate of TCP Reno with timeouts by the approximation for small loss, the equation of TFRC.

    .. math:: X = \frac{1}{R \sqrt{\dfrac{2 b p}{3}}
        + T_0 \min\left(1, 3 \sqrt{\dfrac{3 b p}{8}}\right) p (1 + 32 p^2)}

    Notes
    -----
    Tends to `pftk_full_rate` without a window limit as p -> 0. It holds for small p: 1 + 32 p^2 is the paper's fit to
    1 + p + 2 p^2 + ... + 32 p^6, 17 % too large at p = 0.1. RFC 5348 leaves out the min, which matters only where b p
    > 8/27.

    Examples
    --------
    >>> round(pftk_rate(0.01, 0.1, 0.4), 1)
    112.3
    """
    # sqrt(2 b p / 3) times 9/4 is 3 sqrt(3 b p / 8): one root serves both terms.
    root = xp.sqrt(2 * acked * loss / 3)
    share = xp.minimum(9 * root / 4, 1 + 0 * root)
    return 1 / (round_trip_time * root + timeout * share * loss * (1 + 32 * loss * loss))


@law(
    source=f"{PADHYE}, sections 2.1 to 2.3",
    unit="packets/s",
    result="X, sent rather than delivered",
    derivation="tcp.pftk_full_rate",
    long_proof=True,
    not_simulated="it assumes that a round loses all packets after its first lost one, as no simulated network does",
    loss=LOSS.described(remark="It is that of the first loss of a round; the rest of that round is lost with it"),
    round_trip_time=ROUND_TRIP,
    timeout=TIMEOUT,
    largest_window=LARGEST_WINDOW,
    acked=ACKED,
)
def pftk_full_rate(
    loss: Any, round_trip_time: Any, timeout: Any, largest_window: Any, acked: Any = 1, *, xp: Any
) -> Any:
    r"""Return the rate of TCP Reno with timeouts and a largest window, by the full model of Padhye et al.

    .. math::

        X = \frac{\dfrac{1 - p}{p} + W + \dfrac{Q}{1 - p}}{R (k + 1) + Q T_0 \dfrac{f}{1 - p}}, \qquad
        W = \min(W_u, W_m), \quad W_u = c + \sqrt{\frac{8 (1 - p)}{3 b p} + c^2}, \quad c = \frac{2 + b}{3 b}

        k = \begin{cases} \dfrac{b W}{2} & W_u < W_m \\ \dfrac{b W}{8} + \dfrac{1 - p}{p W} + 1 & W_u \ge W_m
        \end{cases}, \qquad
        Q = \min\left(1, \frac{(1 - (1 - p)^3) (1 + (1 - p)^3 (1 - (1 - p)^{W - 3}))}{1 - (1 - p)^W}\right)

    with f = 1 + p + 2 p^2 + 4 p^3 + 8 p^4 + 16 p^5 + 32 p^6.

    Notes
    -----
    A model of means, which combines W, Q and k as if they were independent. k jumps by (2 - b)/4 rounds at W_u = W_m
    unless b = 2, the paper's case. It holds if the losses of a round are consecutive, recovery is that of Reno, and
    the round-trip time does not depend on the window.

    Examples
    --------
    >>> round(pftk_full_rate(0.01, 0.1, 0.4, 1000), 1)
    111.0
    """
    kept = 1 - loss
    constant = (2 + acked) / (3 * acked)
    unlimited = constant + xp.sqrt(8 * kept / (3 * acked * loss) + constant * constant)
    window = xp.minimum(unlimited, largest_window)
    rounds = xp.piecewise(
        lambda: acked * window / 8 + kept / (loss * window) + 1,
        (unlimited < largest_window, lambda: acked * window / 2),
    )
    # No difference of nearly equal powers: 1 - (1 - p)^3 = p (3 - 3 p + p^2), the others by expm1.
    first_three = loss * (3 - loss * (3 - loss))
    logarithm = xp.log1p(-loss)
    later = 1 - kept * kept * kept * xp.expm1((window - 3) * logarithm)
    share = first_three * later / -xp.expm1(window * logarithm)
    share = xp.minimum(share, 1 + 0 * share)
    backoff = 1 + loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss)))))
    return (kept / loss + window + share / kept) / (round_trip_time * (rounds + 1) + share * timeout * backoff / kept)
