"""Simulations of a run that go where a store of evidence has the least, and what the store then says of each law."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longfat.law import Law
from longfat.testing import Comparison
from longfat.testing.seeded_runs import seed_of
from longfat.verify.cells import Partition, Place, partition
from longfat.verify.evidence_store import EvidenceStore, Record, choose, combined
from longfat.verify.identities import identity
from longfat.verify.points import Point
from longfat.verify.simulated import SimulatorCheck

#: Evidence from which a cell counts as supported: what "agrees" needs at a single point with a confidence of 99 %.
SUPPORTED = 2.0
LEGEND = (
    ". never simulated, o some evidence, + evidence of 100 or more that the law is within its accuracy, x evidence of "
    "1e6 or more that it is not, a space where the law is not valid; the last parameter varies within a group of cells"
)
AGAINST = 6.0


class Accumulation:
    """Simulations of some laws with a store of evidence.

    Parameters
    ----------
    path : Path
        File of the store.
    laws : mapping
        By name the laws, and their checks.
    seed : int
        Seed of the run.
    """

    def __init__(self, path: Path, laws: Mapping[str, tuple[Law, SimulatorCheck]], seed: int) -> None:
        self.store, self.laws, self.seed = EvidenceStore(path), laws, seed
        self.partitions: dict[str, Partition] = {}
        self.identities: dict[str, str] = {}
        self.chosen: dict[str, list[Place]] = {}

    def draw(self, name: str, count: int) -> list[tuple[Point, int]]:
        """Return the points of the cells where a run tells most, each with a seed that it has not had."""
        law, check = self.laws[name]
        self.partitions[name] = made = partition(law, check)
        self.identities[name] = own = identity(law, check, made)
        cells = made.cells
        rng = np.random.default_rng(zlib.crc32(f"{self.seed} {name}".encode()))
        order = [int(k) for k in rng.permutation(len(cells))]
        self.chosen[name] = choose(list(cells), self.store.evidence(name, own), count, order)
        return [(cells[place], self._seed(name, place)) for place in self.chosen[name]]

    def _seed(self, name: str, place: Place) -> int:
        used = {one.seed for one in self.store.of(name, self.identities[name]) if one.cell == place}
        base, k = zlib.crc32(f"{self.seed} {name} {place}".encode()), 0
        while seed_of(base, k) in used:
            k += 1
        return seed_of(base, k)

    def add(self, name: str, found: Sequence[Comparison]) -> None:
        """Store what was found at the points drawn."""
        pairs = zip(self.chosen[name], found, strict=True)
        self.store.add([Record.of(name, self.identities[name], place, one) for place, one in pairs])

    def summaries(self) -> dict[str, dict[str, Any]]:
        """Return what the store says of each law: evidence, packets, and the map of its cells."""
        return {name: self._summary(name) for name in self.chosen}

    def _summary(self, name: str) -> dict[str, Any]:
        own, parts = self.identities[name], self.partitions[name].parts
        known = self.store.evidence(name, own)
        near, apart = combined(list(known.values())) if known else (math.nan, math.nan)
        packets = math.fsum(one.packets for one in self.store.of(name, own) if not math.isnan(one.packets))
        return {
            "evidence": near,
            "evidence_against": apart,
            "packets": packets,
            "simulated": len(known),
            "cells": len(self.partitions[name].cells),
            "outdated": self.store.outdated(name, own),
            "parts": {parameter: list(words) for parameter, words in parts.items() if len(words) > 1},
            "units": {parameter: symbol.unit for parameter, symbol in self.laws[name][0].symbols.items()},
            "map": self._map(name, known),
        }

    def _map(self, name: str, known: Mapping[Place, tuple[float, float]]) -> str:
        """Return a character for each cell, in groups along the last parameter that varies."""
        cells, sizes = self.partitions[name].cells, [len(words) for words in self.partitions[name].parts.values()]
        marks = ""
        for place in np.ndindex(*sizes):
            near, apart = known.get(place, (math.nan, math.nan))
            mark = "." if math.isnan(near) else "x" if apart >= AGAINST else "+" if near >= SUPPORTED else "o"
            marks += mark if place in cells else " "
        group = next((size for size in reversed(sizes) if size > 1), 1)
        return " ".join(marks[k : k + group] for k in range(0, len(marks), group))


def to_text(summaries: Mapping[str, Mapping[str, Any]], lost: int) -> str:
    """Format what the store says of each law: evidence and packets, and a map of its cells."""
    lines = []
    for name, one in summaries.items():
        evidence = f"evidence {power_of_ten(one['evidence'])}" if one["simulated"] else "no evidence"
        lines.append(
            f"{name}: {evidence} in the weakest of {one['simulated']} cells of {one['cells']}, "
            f"{one['packets']:.1e} packets"
        )
        if one["evidence_against"] >= SUPPORTED:
            lines.append(f"    evidence against it: {power_of_ten(one['evidence_against'])}")
        if one["outdated"]:
            lines.append(f"    begun anew: {one['outdated']} records are of another formula, simulator or accuracy")
        lines += [f"    {parameter}: {', '.join(parts)}" for parameter, parts in one["parts"].items()]
        lines.append(f"    {one['map']}")
    if lost:
        lines.append(f"{lost} records of the store were cut off and are left out")
    return "\n".join([*lines, LEGEND])


def power_of_ten(evidence: float) -> str:
    """Format an e-value given by its logarithm to the base 10.

    >>> power_of_ten(5.26), power_of_ten(math.inf), power_of_ten(-2.0), power_of_ten(math.nan)
    ('1e5.3', 'exact', 'none', '')
    """
    if math.isnan(evidence):
        return ""
    return ("exact" if evidence > 0 else "none") if math.isinf(evidence) or evidence < 0 else f"1e{evidence:.1f}"
