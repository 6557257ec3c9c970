"""Verdicts on laws for their pages: ``python -m docs.handbook.verdicts`` checks every law and stores what was found.

The table has the digest of each law's expression. A law that has changed since has no verdict on its page. The reason
why no simulator judges a law is not stored: the law's record has it.
"""

from __future__ import annotations

import csv
import functools
import math
import sys
from pathlib import Path
from typing import Any

from docs.handbook.markup import table
from docs.handbook.records import digest
from longfat.handbook.law_records import laws
from longfat.law import Law

STORED = Path(__file__).resolve().parent / "verdicts.csv"
COLUMNS = ("verdict", "error", "where", "checks", "remark")
WORDS = {
    "proof": "derivation",
    "numeric": "floats against 50 digits",
    "symbolic": "sympy's expression",
    "jax": "JAX",
    "gradient": "slopes",
    "simulator": "packet or segment simulator",
    "printed": "as printed",
}


@functools.cache
def stored() -> dict[str, dict[str, str]]:
    """Return the rows of the stored table by the laws' names."""
    if not STORED.is_file():
        return {}
    with STORED.open(encoding="utf-8") as file:
        return {row["law"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def of(law: Law, current: bool = True) -> str:
    """Return the verdicts on a law as a table; a sentence if there are none for its present expression."""
    row = stored().get(law.public_name)
    if row is None or (current and row["digest"] != digest(law)):
        return "The expression is newer than the stored verdicts.\n"
    rows = []
    for face, words in WORDS.items():
        verdict, error, where, checks, remark = (row[f"{face}_{column}"] for column in COLUMNS)
        remark = law.not_simulated if face == "simulator" and law.not_simulated else remark
        if verdict:
            rows.append((words, verdict, f"{float(error):.2g}" if error else "", where, checks, remark))
    about = "the error is relative to the tolerance for the simulator, else to the value"
    head = ["check", "verdict", "largest error", "where", "comparisons", "remark"]
    return f'By `longfat verify --quick --law "{law.public_name}"`; {about}.\n\n{table(head, rows)}'


def _cell(value: Any) -> str:
    """Return a value of the table of `longfat.verify.run` as text."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {one:.4g}" for name, one in value.items())
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.3g}" if isinstance(value, float) else f"{value}"


def row_of(law: Law, found: dict[str, Any]) -> dict[str, str]:
    """Return the row to store for a law, from its row in the table of `longfat.verify.run`."""
    kept = found | {"simulator_remark": "" if law.not_simulated else found["simulator_remark"]}
    names = [f"{face}_{column}" for face in WORDS for column in COLUMNS]
    cells = {name: _cell(kept[name.removesuffix("_verdict")]) for name in names}
    return {"law": law.public_name, "digest": digest(law)} | cells


def main(workers: int = 2) -> None:
    """Check all laws, quickly, and store the verdicts."""
    from longfat import verify

    found = verify.run(quick=True, workers=workers, progress=True).set_index("law")
    rows = [row_of(law, found.loc[law.public_name].to_dict()) for law in laws()]
    with STORED.open("w", encoding="utf-8", newline="") as file:
        file.write(
            "# made by python -m docs.handbook.verdicts; errors are relative, of the simulator to the tolerance\n"
        )
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
