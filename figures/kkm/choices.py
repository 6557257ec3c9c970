"""Rules of the ten experiments that are our choice, and the printed numbers that decided the choice.

The paper is silent or ambiguous there, or contradicts its own numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longfat.benchmark import Entry, Variant
from longfat.benchmark.experiments import LOADS


@dataclass(frozen=True)
class Choice:
    """Rule that is our choice.

    Parameters
    ----------
    words : str
        Description.
    kind : {"fitted", "interpretation", "open"}
        Fitted: a value that the paper does not print, set so that the results of `experiments` agree with the printed
        ones. Interpretation: the text allows or states something else, and the numbers of `experiments` have decided.
        Open: no printed number has been used.
    experiments : tuple of int
        Experiments whose printed numbers decided the choice.
    metric : str
        Numbers that decided the choice: "transfer_time", "packet_delay", or "packet_delay_mean" if the choice cannot
        change a standard deviation; for an open choice, the numbers that it can change.
    """

    words: str
    kind: str = "open"
    experiments: tuple[int, ...] = ()
    metric: str = "transfer_time"

    def decided_by(self, experiment: int, metric: str) -> bool:
        """Return whether the numbers that the paper prints for a metric in an experiment decided the choice.

        >>> Choice("2 MB", "fitted", (10,)).decided_by(10, "transfer_time_mean")
        True
        """
        return experiment in self.experiments and metric.startswith(self.metric)


_START = "start rate of 1 packet per {}, doubled at most once per {}"
_GAIN = Choice("gain of 0.5 and set point of 10 packets")
_CLOCKED = Choice(
    "self-clocked fair queueing, where the paper cites bit-by-bit round robin", "interpretation", (7,), "packet_delay"
)
#: Only mean delays can decide this choice: it adds the same constant to each delay and changes no standard deviation.
_TRANSMISSION = Choice(
    "packet delays include transmission times", "interpretation", (1, 2, 5, 6, 7), "packet_delay_mean"
)
#: Choices by the name of a scheme's entry in the benchmark.
OF_SCHEME = {
    "hop-by-hop": (
        Choice(_START.format("3 ms", "round trip of a hop"), "fitted", (3, 7)),
        Choice("the added hops are 5 ms apart", "fitted", (3, 7)),
        _GAIN,
        _CLOCKED,
        _TRANSMISSION,
        Choice("probe packets pass the added switches", "interpretation", (1, 2, 7), "packet_delay"),
    ),
    "explicit-feedback": (
        Choice(_START.format("ms", "round trip"), "fitted", (3, 7)), _GAIN, _CLOCKED, _TRANSMISSION,
    ),
    "packet-pair": (
        Choice("gain of 0.5, set point of 10 packets, start-up time constant of one round trip"),
        Choice("losses are found by a timer of at least 0.2 s alone", "fitted", (8,)),
        Choice("means of gaps instead of rates", "interpretation", (7,)),
        Choice("packet delays do not include transmission times", "interpretation", (5, 7), "packet_delay_mean"),
    ),
}  # fmt: skip

#: The optimal mean transfer time at a load of 0.9 is 1362 ms if the sources start one after the other. The paper prints
#: 4092 to 4112 ms, so its sources started together.
_STEADY = Choice("all sources send from time 0 on, not one after the other as in the text", "interpretation", (7,))
#: The paper's numbers do not decide this choice. Mean transfer times of hop-by-hop in a hundred runs, at loads of 0.6,
#: 0.8 and 0.9, are 1072, 2078 and 3962 ms without probe packets, 1084, 2130 and 4115 ms with probe packets; the paper
#: prints 1063, 2097 and 4094 ms.
APART = Choice("transfer times are measured in runs without the probe packets")
#: Choices by the name of a variant of an experiment.
OF_VARIANT = {
    **{f"7-{load}": (_STEADY, APART) if load in ("0.8", "0.9") else (_STEADY,) for load in LOADS},
    "9b": (Choice("files of 75 kB and 18.75 kB, not 2 MB and 500 kB as in the text", "interpretation", (9,)),),
    "10": (Choice("files of 2 MB", "fitted", (10,)),),
}


def decided(entry: Entry, variant: Variant, metric: str) -> Iterator[Choice]:
    """Yield the choices for a scheme and a variant that the printed numbers of a metric have decided.

    >>> from longfat.benchmark import ENTRIES, VARIANTS
    >>> entry = ENTRIES["explicit-feedback"]
    >>> [one.words for one in decided(entry, VARIANTS["3-4"], "transfer_time")]
    ['start rate of 1 packet per ms, doubled at most once per round trip']
    >>> list(decided(entry, VARIANTS["1"], "transfer_time"))
    []
    """
    for one in (*OF_SCHEME.get(entry.name, ()), *OF_VARIANT.get(variant.name, ())):
        if one.decided_by(variant.experiment, metric):
            yield one
