"""Confidence interval of a loss probability from a count of losses."""

from __future__ import annotations

CONFIDENCE = 0.95
#: Number of losses, or of bursts of losses, that a measurement should have; if it has fewer, the commands recommend a
#: longer measurement. Our choice: the ends of the interval for ten losses differ by a factor of only 3.8.
ENOUGH = 10
#: If the ends of the loss's interval differ by this factor or more, the commands recommend a further measurement (our
#: choice).
WIDE = 8.0


def poisson_interval(events: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    r"""Return the exact confidence interval of the mean of a Poisson variable, from one observed value ``events``.

    Garwood's interval: at its lower end, ``events`` or more have the probability (1 - confidence)/2; at its upper end,
    ``events`` or fewer have this probability. The lower end of 0 events is 0.

    >>> low, high = poisson_interval(10)
    >>> round(low, 4), round(high, 4)
    (4.7954, 18.3904)

    References
    ----------
    F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28, 1936.
    """
    from scipy import special

    tail = (1 - confidence) / 2  # a tail of the Poisson distribution is a tail of a gamma distribution
    low = float(special.gammaincinv(events, tail)) if events else 0.0
    return low, float(special.gammainccinv(events + 1, tail))


def loss_interval(lost: float, packets: float, burst: float | None = None) -> tuple[float, float]:
    """Return the confidence interval of the loss probability [probability], from the packets lost and sent.

    The number of events is assumed to be a Poisson variable. A burst of consecutive losses is one event, because it has
    one cause; ``burst`` is the mean length of a burst [packets]. Without it every loss counts as an event, which makes
    the interval too narrow if losses come in bursts.

    >>> [round(end, 7) for end in loss_interval(0, 10_000)]  # nothing lost: at most 3.7 in 10,000
    [0.0, 0.0003689]
    """
    size = burst or 1.0
    events = max(round(lost / size), 1) if lost else 0
    low, high = poisson_interval(events)
    each = lost / events if lost else size  # packets
    return low * each / packets, min(high * each / packets, 1.0)


def longer(interval: tuple[float, float]) -> float:
    """Return the factor [1] by which a measurement must be longer to have `ENOUGH` losses, from its loss interval.

    >>> longer(loss_interval(1, 18_000)), longer(loss_interval(4, 18_000)), longer(loss_interval(20, 18_000))
    (10.0, 2.5, 1.0)
    """
    factor = (1 + 1e-9) * interval[1] / interval[0]
    ends = ((events, poisson_interval(events)) for events in range(1, ENOUGH))
    return ENOUGH / next((events for events, (low, high) in ends if high / low <= factor), ENOUGH)
