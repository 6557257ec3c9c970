"""Linux's TCP as judge of the simulator: runs `figures.linux.cases` and stores the results.

``python -m tests.benchmarks.linux [--at-once N] [WORD]...`` runs the cases whose name has one of the words, or all, on
Linux and in the simulator, and replaces their rows of tests/data/linux.csv. With ``--more M`` it adds M runs on Linux
to the stored ones, with the seeds that follow theirs; with ``--simulator`` it runs only the simulator. docs/linux.md is
written from that file by ``python -m docs.linux``.
"""

import argparse
import csv
import math
from dataclasses import replace
from pathlib import Path

from figures.linux import equivalence
from figures.linux.cases import cases

STORED = Path(__file__).resolve().parent.parent / "data" / "linux.csv"
CHUNK = 5  # cases that are stored together
COLUMNS = ("case", "quantity", "face", "values")


def read(path=STORED):
    """Return the stored runs: case -> face -> list of quantities by name."""
    found = {}
    if not path.exists():
        return found
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            values = [float(word) for word in row["values"].split()]
            runs = found.setdefault(row["case"], {}).setdefault(row["face"], [{} for _ in values])
            for run, value in zip(runs, values, strict=True):
                run[row["quantity"]] = value
    return found


def write(found, path=STORED):
    """Store runs, in the order of the cases; those of cases that are no longer listed are left out."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for case in cases():
            for face, runs in found.get(case.name, {}).items():
                for quantity in case.quantities:
                    writer.writerow((case.name, quantity, face, " ".join(f"{run[quantity]:.6g}" for run in runs)))


def statements(found):
    """Return the statements of all cases that are stored for both faces."""
    return [
        statement
        for case in cases()
        if {equivalence.SIMULATOR, equivalence.LINUX} <= set(found.get(case.name, {}))
        for statement in equivalence.state(
            case, found[case.name][equivalence.LINUX], found[case.name][equivalence.SIMULATOR]
        )
    ]


def measured(chosen, stored, at_once, more):
    """Run cases on Linux, and return all their runs by name; cases spoilt by the machine's load stay as stored."""
    made = {}
    for case in chosen if more else [None]:
        some, begin = ([case], len(stored.get(case.name, {}).get(equivalence.LINUX, ()))) if more else (chosen, 0)
        asked = [replace(one, replications=more or one.replications) for one in some]
        for one, runs in zip(some, equivalence.runs_on_linux(asked, at_once, seed=begin), strict=True):
            if any(math.isnan(value) for run in runs for value in run.values()):
                print(f"{one.name}: spoilt by the machine's load; what was stored stays", flush=True)
            else:
                made[one.name] = (stored[one.name][equivalence.LINUX] if begin else []) + runs
    return made


def main():
    """Run the cases that were asked for, and store their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--simulator", action="store_true")
    given = parser.parse_args()
    chosen = [one for one in cases() if not given.words or any(word in one.name for word in given.words)]
    for begin in range(0, len(chosen), CHUNK):
        some, found = chosen[begin : begin + CHUNK], read()
        if not given.simulator:
            new = [one for one in some if one.name_on_linux == one.name]
            for name, runs in measured(new, found, given.at_once, given.more).items():
                found.setdefault(name, {})[equivalence.LINUX] = runs
        for case in some:  # rules that are switched here alone
            if equivalence.LINUX in found.get(case.name_on_linux, {}):
                found.setdefault(case.name, {})[equivalence.LINUX] = found[case.name_on_linux][equivalence.LINUX]
        for case in some:
            runs = len(found.get(case.name, {}).get(equivalence.LINUX, ())) or case.replications
            seeds = range(replace(case, replications=runs).simulated)
            found.setdefault(case.name, {})[equivalence.SIMULATOR] = [equivalence.simulate(case, k) for k in seeds]
        write(found)
    found = read()
    names = {one.name for one in chosen}
    print(equivalence.to_text([one for one in statements(found) if one.case.name in names]))


if __name__ == "__main__":
    main()
