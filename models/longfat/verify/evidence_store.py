"""Evidence of many runs and machines, by law and cell of its domain, in a file of JSON lines.

A record is what one run has found at the point of one cell: e-values for "the law is within its accuracy there" and for
"it is not", the packets that they took, and the seed. An e-value is a number whose mean is at most 1 if its hypothesis
is false; so by Markov's inequality it exceeds 1/error with at most the probability ``error``. Runs with different seeds
are independent, and the product of independent e-values is an e-value, also where the next cell is chosen by what was
found before (V. Vovk and R. Wang, E-values: Calibration, combination and applications, Annals of Statistics 49 (2021),
1736-1754, section 4). A run whose estimate lies on the wrong side has the e-value 0, which no later run could mend, so
(1 + e)/2 is multiplied, an e-value, too: half of the wealth is never staked.

Cells are combined by the worst case. That a law is within its accuracy at the points of all simulated cells has the
least of their e-values as its evidence; that it is not at one of them, their mean (the same article, section 3).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longfat.domains import out_of_range
from longfat.testing import Comparison

#: Each line begins with this; the number is that of the format.
MARK = '{"longfat evidence": 1, '

Place = tuple[int, ...]


@dataclass(frozen=True)
class Record:
    """What one run has found at the point of one cell.

    Parameters
    ----------
    law, identity : str
        Public name of the law, and the digest of `longfat.verify.identities.identity`.
    cell : tuple of int
        Place of the cell.
    seed : int
        Seed of the comparison.
    verdict : str
        "agrees", "differs" or "undecided".
    packets : float
        Packets sent; NaN if the simulator does not say.
    agreement, difference : float
        Logarithms of the e-values to the base 10.
    """

    law: str
    identity: str
    cell: Place
    seed: int
    verdict: str
    packets: float
    agreement: float
    difference: float

    @classmethod
    def of(cls, law: str, identity: str, cell: Place, found: Comparison) -> Record:
        """Return the record of a comparison."""
        return cls(law, identity, cell, found.seed, found.verdict, found.cost, found.agreement, found.difference)

    def line(self) -> str:
        """Return the record as a line of the file; numbers that JSON does not have are words."""
        content = {name: str(one) if isinstance(one, float) else one for name, one in asdict(self).items()}
        return MARK + json.dumps(content)[1:] + "\n"

    @classmethod
    def parse(cls, line: str) -> Record:
        """Convert a line of the file.

        >>> one = Record("mm1_wait", "1f", (2,), 7, "agrees", 1e4, math.inf, -math.inf)
        >>> Record.parse(one.line()) == one
        True
        """
        content = json.loads(line)
        del content["longfat evidence"]
        numbers = {name: float(content[name]) for name in ("packets", "agreement", "difference")}
        return cls(**content | numbers | {"cell": tuple(content["cell"]), "seed": int(content["seed"])})


class EvidenceStore:
    """A file of records, to which several processes may append at the same time.

    Files of several machines are merged by concatenation. A line that was cut off when a machine stopped is left out
    (``lost`` counts them); a record that occurs twice counts once.

    Parameters
    ----------
    path : Path
        The file; it is made if it does not exist.

    Raises
    ------
    ValueError
        If the file has lines of another kind.
    OSError
        If it cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = EvidenceStore(Path(folder) / "evidence")
    ...     store.add([Record("mm1_wait", "1f", (2,), 7, "agrees", 1e4, 3.0, -1.0)])
    ...     again = EvidenceStore(store.path)
    >>> round(again.evidence("mm1_wait", "1f")[2,][0], 3), again.lost
    (2.699, 0)
    """

    def __init__(self, path: Path) -> None:
        self.path, self.lost = path, 0
        self.records: dict[tuple[str, str, Place, int], Record] = {}
        with path.open("a+b") as file:  # refused here, before anything is simulated, if it cannot be written
            file.seek(0)
            text = file.read().decode("utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                self._take(number, line)

    def _take(self, number: int, line: str) -> None:
        begin = line.rfind(MARK)  # after a line that was cut off and continued by another file's first
        if begin < 0 and not MARK.startswith(line):
            where = f"line {number} of {self.path}"
            raise out_of_range(where, line[:40], "", f"a record of evidence, beginning with {MARK.strip()}")
        if begin != 0:
            self.lost += 1
        if begin >= 0:
            try:
                self._keep(Record.parse(line[begin:]))
            except (ValueError, TypeError, KeyError):
                self.lost += 1

    def _keep(self, one: Record) -> None:
        self.records.setdefault((one.law, one.identity, one.cell, one.seed), one)

    def add(self, records: Sequence[Record]) -> None:
        """Append records, in one piece."""
        for one in records:
            self._keep(one)
        with self.path.open("a+b") as file, _alone(file.fileno()):
            cut_off = file.seek(0, os.SEEK_END) > 0 and _last_byte(file) != b"\n"
            file.write(("\n" * cut_off + "".join(one.line() for one in records)).encode())
            file.flush()
            os.fsync(file.fileno())

    def of(self, law: str, identity: str) -> list[Record]:
        """Return the records of a law with an identity."""
        return [one for one in self.records.values() if (one.law, one.identity) == (law, identity)]

    def outdated(self, law: str, identity: str) -> int:
        """Return the number of records of a law that are of another formula, simulator, accuracy or partition."""
        return sum(one.law == law and one.identity != identity for one in self.records.values())

    def evidence(self, law: str, identity: str) -> dict[Place, tuple[float, float]]:
        """Return the evidence for agreement and for a difference, by cell, of all runs (logarithms to the base 10)."""
        found: dict[Place, tuple[float, float]] = {}
        for one in self.of(law, identity):
            near, apart = found.get(one.cell, (0.0, 0.0))
            found[one.cell] = near + half_staked(one.agreement), apart + half_staked(one.difference)
        return found


def half_staked(evidence: float) -> float:
    """Return the logarithm of (1 + e)/2, to the base 10.

    >>> [round(half_staked(one), 3) for one in (-math.inf, 0.0, 2.0, 400.0, math.inf)]
    [-0.301, 0.0, 1.703, 399.699, inf]
    """
    return evidence - math.log10(2) if evidence > 16 else math.log10((1 + 10**evidence) / 2)


def combined(cells: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the evidence that a law is right at the points of all cells, and that it is wrong at one of them.

    >>> combined([(3.0, -1.0), (1.0, 2.0)])[0], round(combined([(3.0, -1.0), (1.0, 2.0)])[1], 2)
    (1.0, 1.7)
    """
    near, most = min(near for near, _ in cells), max(apart for _, apart in cells)
    if math.isinf(most):
        return near, most
    return near, most + math.log10(sum(10 ** (apart - most) for _, apart in cells) / len(cells))


def choose(
    cells: Sequence[Place], known: dict[Place, tuple[float, float]], count: int, order: Sequence[int]
) -> list[Place]:
    """Return the cells where a run tells most: those never simulated, in a given order, then the least decided ones.

    >>> choose([(0,), (1,), (2,), (3,)], {(1,): (9.0, -1.0), (2,): (2.0, -1.0)}, 3, [3, 1, 2, 0])
    [(3,), (0,), (2,)]
    """
    ranked = [cells[k] for k in order]
    ranked.sort(key=lambda one: max(known[one]) if one in known else -math.inf)
    return ranked[:count]


@contextlib.contextmanager
def _alone(descriptor: int) -> Iterator[None]:
    """Hold the file's lock, where the system has locks."""
    try:
        import fcntl
    except ImportError:  # Windows: an append in one piece is whole there, too
        yield
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _last_byte(file: Any) -> bytes:
    file.seek(-1, os.SEEK_END)
    last: bytes = file.read(1)
    return last
