"""Channels with packet loss: each gives the number of packets before the next loss, which the kernel can skip.

Independent loss is a Gilbert-Elliott channel that never leaves its good state, so one kernel serves both. The Markov
chain of channel states advances with every packet transmitted, not with time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from longfat.base.domains import integer, number, out_of_range


@dataclass(frozen=True)
class IndependentLoss:
    """Channel on which every packet is lost with the same probability, independently of the others.

    Parameters
    ----------
    loss : float
        Probability that a packet is lost [probability], in [0, 1).

    Examples
    --------
    >>> IndependentLoss(0.01).mean
    0.01
    """

    loss: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", number("loss", self.loss, "probability", "[0, 1)"))

    @property
    def mean(self) -> float:
        """Long-run fraction of packets lost [probability]."""
        return self.loss

    def parameters(self) -> np.ndarray:
        """Return the four exponential rates [1/packet] that the kernel reads: the rate of losses, and three zeros."""
        return np.array([_rate(self.loss), 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class GilbertElliott:
    """Channel with bursty loss: a Markov chain of a good and a bad state, which advances with each packet.

    Parameters
    ----------
    good_loss, bad_loss : float
        Probability that a packet is lost in either state [probability], in [0, 1).
        For a bad state that loses every packet use about 1 - 1e-12.
    good_to_bad, bad_to_good : float
        Probability of changing state after a packet [probability], in (0, 1).

    Examples
    --------
    >>> round(GilbertElliott(0.0, 0.5, good_to_bad=0.01, bad_to_good=0.09).mean, 12)
    0.05
    """

    good_loss: float
    bad_loss: float
    good_to_bad: float
    bad_to_good: float

    def __post_init__(self) -> None:
        for name in ("good_loss", "bad_loss", "good_to_bad", "bad_to_good"):
            domain = "[0, 1)" if name.endswith("loss") else "(0, 1)"
            object.__setattr__(self, name, number(name, getattr(self, name), "probability", domain))

    @classmethod
    def bursts(cls, loss: float, length: float, bad_loss: float = 0.5) -> GilbertElliott:
        """Return a channel with a lossless good state, mean loss `loss` and bad periods of `length` packets on average.

        >>> round(GilbertElliott.bursts(0.01, 20).mean, 12)
        0.01
        """
        length = number("length", length, "packets", "(1, inf)")
        bad_loss = number("bad_loss", bad_loss, "probability", "(0, 1)")
        loss = number("loss", loss, "probability", f"(0, {bad_loss})")
        share = loss / bad_loss  # fraction of packets sent in the bad state
        return cls(0.0, bad_loss, share / (length * (1 - share)), 1 / length)

    @property
    def mean(self) -> float:
        """Long-run fraction of packets lost [probability]."""
        bad = self.good_to_bad / (self.good_to_bad + self.bad_to_good)
        return (1 - bad) * self.good_loss + bad * self.bad_loss

    def parameters(self) -> np.ndarray:
        """Return four exponential rates [1/packet]: loss in either state, and leaving either state."""
        return np.array([_rate(p) for p in (self.good_loss, self.bad_loss, self.good_to_bad, self.bad_to_good)])


@dataclass(frozen=True)
class ListedLosses:
    """Channel that loses the listed packets and no others; packets are numbered from 0 in the order of sending.

    Parameters
    ----------
    packets : sequence of int
        Serial numbers of transmissions [packets], at least 0, increasing.

    Examples
    --------
    >>> ListedLosses([0, 5]).mean
    0.0
    """

    packets: Sequence[int]

    def __post_init__(self) -> None:
        checked = tuple(integer("packets", one, "packets", "[0, 1e15]") for one in self.packets)
        if any(later <= one for one, later in pairwise(checked)):
            raise out_of_range("packets", list(self.packets), "1", "increasing numbers")
        object.__setattr__(self, "packets", checked)

    @property
    def mean(self) -> float:
        """Long-run fraction of packets lost [probability]."""
        return 0.0

    def parameters(self) -> np.ndarray:
        """Return -1, which identifies a list of losses, and the number of packets delivered before each loss."""
        return np.array([-1.0, *(np.diff(self.packets, prepend=-1) - 1.0)])


def _rate(probability: float) -> float:
    """Return -ln(1 - p), the rate of an exponential variable that, rounded down, is geometric with probability p."""
    return float(-np.log1p(-probability))
