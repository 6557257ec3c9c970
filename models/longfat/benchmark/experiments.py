"""Experiments of the benchmark and their variants, by name; the networks are in ``scenarios/*.toml``.

A rule that the paper leaves open, or that contradicts the printed numbers, has a variant for each interpretation.
Experiment 3 has round trips of 44 ms, as printed, or of 40 ms, which the printed times of TCP and DECbit need. In
experiment 7 all sources start at once, which the printed times need, or one after the other, as the text says.
Experiment 9 has the printed file sizes (9a) or scaled ones (9b).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from string import Template

from longfat.base.domains import unknown

LOADS = ("0.2", "0.4", "0.6", "0.8", "0.9")
SIZES = (4, 20, 200)  # packets
SLOW = 5_000_000  # bytes/s


@dataclass(frozen=True)
class Variant:
    """Variant of an experiment of the benchmark: its scenario, and the quantities to measure.

    Parameters
    ----------
    name : str
        Name such as "1", "3-20" or "7-0.9-ramp".
    experiment : int
        Number of the paper's experiment.
    case : str
        Load or size that distinguishes the variants of an experiment, as in the tables' column ``load_or_size``.
    values : mapping
        Values of the placeholders (with a dollar sign) in the scenario file.
    connections : tuple of str
        Flows whose transfer times are measured.
    probed : bool
        Whether the paper reports the delay of single packets.
    extra : bool
        Whether the variant is run only if it is named.
    edits : tuple of (str, str)
        Replacements in the text of the scenario file, for another interpretation of the paper.
    """

    name: str
    experiment: int
    case: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    connections: tuple[str, ...] = ("1",)
    probed: bool = True
    extra: bool = False
    edits: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """Return the scenario as TOML (`longfat.scenario`)."""
        folder = files("longfat.benchmark").joinpath("scenarios")
        text = Template(folder.joinpath(f"{self.experiment}.toml").read_text(encoding="utf-8")).substitute(self.values)
        for old, new in self.edits:
            if old not in text:
                raise ValueError(f"edits = {old!r} is not in the scenario file of experiment {self.experiment}")
            text = text.replace(old, new)
        return text


def _load(load: str, ramp: bool) -> Variant:
    starts = {f"start{k}": f', start = "{100 + 44 * (k - 2)} ms"' if ramp else "" for k in range(2, 12)}
    rate = {"rate": f"{float(load) * 8 * SLOW / 10 / 1e6:g} Mbit/s"}
    if ramp:
        return Variant(f"7-{load}-ramp", 7, f"{load} ramp", rate | starts, extra=True)
    return Variant(f"7-{load}", 7, load, rate | starts)


def _size(packets: int, trip: int) -> Variant:
    values = {"size": f"{500 * packets} B", "access": f"{trip // 2 - 2} ms"}
    usual = trip == 44
    return Variant(
        f"3-{packets}" + ("" if usual else f"-rtt{trip}"), 3, f"{packets} pkts" + ("" if usual else f", {trip} ms"),
        values, probed=False, extra=not usual,
    )  # fmt: skip


_BOTH = ("1", "2")
VARIANTS: dict[str, Variant] = {
    one.name: one
    for one in (
        Variant("1", 1),
        Variant("2", 2),
        *[_size(packets, trip) for trip in (44, 40) for packets in SIZES],
        Variant("4", 4, connections=_BOTH, probed=False),
        Variant("5", 5),
        Variant("6", 6, connections=_BOTH),
        *[_load(load, ramp) for ramp in (False, True) for load in LOADS],
        Variant("8", 8),
        Variant("9a", 9, "as printed", {"large": "2 MB", "small": "500 kB"}),
        Variant("9b", 9, "scaled", {"large": "75 kB", "small": "18750 B"}),
        Variant("10", 10, connections=_BOTH, probed=False),
    )
}


def variants(names: Iterable[str] | None = None) -> list[Variant]:
    """Return the variants with given names or of given experiments; by default return all that are not `extra`.

    A single name may be given without a list.

    >>> [one.name for one in variants(["3", "9b"])]
    ['3-4', '3-20', '3-200', '9b']
    """
    found: dict[str, Variant] = {}
    usual = {one.name: one for one in VARIANTS.values() if not one.extra}
    names = [names] if isinstance(names, str) else names
    for name in map(str, names) if names is not None else usual:
        if name in VARIANTS:
            found[name] = VARIANTS[name]
            continue
        of_it = {key: one for key, one in usual.items() if str(one.experiment) == name}
        if name.endswith(".toml"):
            raise ValueError(
                f"experiment = {name!r} is the name of a file: must be the number of an experiment, 1 to 10, or the "
                "name of a variant; longfat simulate runs any network"
            )
        if not of_it:
            raise unknown("experiment", name, {*VARIANTS, *(str(one.experiment) for one in VARIANTS.values())})
        found |= of_it
    return list(found.values())
