"""Verification of laws: `run` returns a table with one row for each law."""

from __future__ import annotations

import fnmatch
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from longfat._version import __version__
from longfat.base.domains import integer, number, unknown, wrong_type
from longfat.base.progress import bar
from longfat.law import PACKAGE, Law, registered
from longfat.replication import replicate
from longfat.replication.repeating import Processes
from longfat.testing.comparing import Comparison, compare
from longfat.testing.seeded_runs import seed_of
from longfat.verify import faces, points, symbolic
from longfat.verify.faces import Outcome
from longfat.verify.simulators import simulator_of

if TYPE_CHECKING:
    import pandas as pd

FACES = ("proof", "numeric", "symbolic", "jax", "gradient", "simulator", "printed")
FAILURES = ("differs", "undecided", "error")
#: Numbers of points in a quick run and in a full run: random points for the check in high precision, points for JAX
#: and slopes, points to simulate, and points for sympy. A quick run simulates one point, which shows whether the
#: model's assumptions hold; the derivation shows how a law depends on its parameters.
QUICK, FULL = (5, 6, 1, 3), (100, 25, 10, 25)

TASKS = ("jax", "simulator", "proof", "numeric", "symbolic")
#: Largest number of replications at a point. Our choice: this number is enough if the standard deviation is six times
#: the accuracy.
BUDGET = 1000
#: Smallest number of laws for each process, if there are several processes. Our choice: a process spends two seconds of
#: processor time on imports and on loading compiled code, and a quick run spends as much on eight laws.
LAWS_EACH = 16

Drawn = list[tuple[points.Point, int]]  # points, each with the seed of its runs


def run(
    laws: str | Iterable[Law | str] | None = None,
    *,
    quick: bool = False,
    confidence: float = 0.99,
    alpha: float = 1e-6,
    seed: int = 0,
    workers: int | None = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Check laws by proof, high-precision arithmetic, NumPy, sympy, JAX, slopes and simulation; return a table.

    Parameters
    ----------
    laws : str or iterable of Law or str, optional
        Laws, or names of registered ones, such as "queues.md1_wait", with ``*`` and ``?``; all of longfat by default.
    quick : bool
        Fewer points and no long proofs; JAX only traces a law and its forward-mode slopes, and NumPy computes them.
    confidence : float
        Confidence that all verdicts "agrees" of the simulator check are right together [probability], in (0, 1).
    alpha : float
        Largest probability that the simulator check gives the verdict "differs" anywhere although all laws are within
        their accuracies, in (0, 1).
    seed : int
        Seed of points and simulations, at least 0.
    workers : int, optional
        Number of processes; None is one for each processor, but at most one for every 16 laws. More than one needs
        ``if __name__ == "__main__":`` in the calling script; laws defined outside longfat are checked in the calling
        process.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    pandas.DataFrame
        A row per law: ``law`` (its public name), ``source``, ``agrees``, and five columns for each check in `FACES`, in
        whose names ``face`` stands for the check: ``face`` ("agrees", "differs", "undecided", "error", "not checked",
        for ``printed`` "erratum" or ""), ``face_error`` (largest relative error; for the simulator relative to the
        tolerance), ``face_where`` (the point), ``face_checks`` (number of comparisons) and ``face_remark``. For the
        simulator also ``simulator_packets`` (packets sent) and ``simulator_evidence`` (logarithm to the base 10 of the
        least e-value at any point, see Notes). ``agrees`` is False if a check differs, is undecided or raised an
        exception ("error", see the remark). ``attrs["agrees"]`` is True if all laws agree, ``attrs["points"]`` is the
        number of points simulated.

    Notes
    -----
    Floats are checked at every corner of every parameter, with the other parameters in the middle of their ranges, and
    at random points. The tolerance is 1e-12 (relative), for slopes 1e-6. Sympy evaluates the expression (``law.expr``,
    or the equation of a root) at points from the typical ranges, in a full run also at their ends. An expression that
    is wrong in its paper is an erratum and no failure.

    Simulations are run at points drawn from the typical ranges, and replicated (`longfat.testing.compare`) until it is
    decided whether the law's deviation is below the accuracy in its record. If all laws have n points together,
    "agrees" is wrong at a point with at most the probability (1 - ``confidence``)/n, "differs" with at most
    ``alpha``/n. A point without a decision after `longfat.verify.verification.BUDGET` replications is undecided. The
    evidence is the logarithm of an e-value: if a law is off by its accuracy or more at a point, the mean of the e-value
    is at most 1.

    Examples
    --------
    >>> table = run("queues.md1_wait", quick=True)
    >>> table.attrs["agrees"], table.numeric.item(), table.simulator.item()
    (True, 'agrees', 'agrees')
    """
    chosen = dict(_chosen(laws))
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    seed = integer("seed", seed, "1", "[0, inf)")
    most = max(1, min(os.cpu_count() or 1, len(chosen) // LAWS_EACH))
    workers = most if workers is None else integer("workers", workers, "processes", "[1, 1024]")
    alpha = number("alpha", alpha, "probability", "(0, 1)")
    counts = QUICK if quick else FULL
    own = {name: zlib.crc32(f"{seed} {law.place.removeprefix(PACKAGE)}".encode()) for name, law in chosen.items()}
    simulable = [name for name, law in chosen.items() if simulator_of(law) and not _skipped(law, quick)]
    drawn = {name: drawn_points(chosen[name], counts[2], own[name]) for name in simulable}
    count = sum(len(some) for some in drawn.values() if not isinstance(some, Outcome))
    errors = alpha / max(1, count), 1 - (1 - confidence) / max(1, count)
    tasks = [
        Task(name, law, face, counts, quick, own[name], drawn.get(name), errors)
        for face in TASKS
        for name, law in chosen.items()
    ]
    known = dict(registered()) if workers > 1 else {}
    away: list[Task] = []
    here: list[Task] = []
    for task in tasks:
        place = task.law.place
        (away if place.startswith(PACKAGE) and known.get(place) is task.law else here).append(task)

    found: list[dict[str, Outcome]] = []
    with bar(task="checking laws", unit="check", shown=progress, total=len(tasks)) as shown:
        if away:
            with Processes(min(workers, len(away))) as pool:
                found = replicate(_face, away, pool, progress=shown.update)
        for task in here:
            found.append(_face(task))
            shown.update()
    table = _table(chosen, {(task.name, task.face): one for task, one in zip(away + here, found, strict=True)})
    table.attrs = {
        "agrees": bool(table.agrees.all()), "quick": quick, "seed": seed, "confidence": confidence,
        "alpha": alpha, "points": count, "longfat": __version__,
    }  # fmt: skip
    return table


def _chosen(laws: str | Iterable[Law | str] | None) -> Iterator[tuple[str, Law]]:
    """Yield the selected laws with their public names."""
    every = [one for _, one in registered()]
    if laws is None:
        yield from ((one.public_name, one) for one in every if one.place.startswith(PACKAGE))
        return
    if not isinstance(laws, str | Law | Iterable):
        raise wrong_type("laws", laws, "a law, its name, or a sequence of them")
    for wanted in [laws] if isinstance(laws, str | Law) else laws:
        found = [wanted] if isinstance(wanted, Law) else [one for one in every if _fits(one, wanted)]
        if not found:
            raise unknown("law", wanted, [one.public_name for one in every])
        yield from ((one.public_name, one) for one in found)


def _fits(law: Law, pattern: str) -> bool:
    """Return whether a pattern matches a law's public name, the name of its function, or its module and name."""
    names = (law.public_name, law.name, law.place.removeprefix(PACKAGE))
    return any(fnmatch.fnmatchcase(name, pattern.removeprefix(PACKAGE)) for name in names)


class Task(NamedTuple):
    """One check of one law (``face``, a name in `TASKS`), with all inputs of the check."""

    name: str  # public name of the law
    law: Law
    face: str
    counts: tuple[int, ...]  # numbers of points, as in `QUICK`
    quick: bool
    own: int  # seed of the law's points and runs, which depends only on `run`'s seed and on the law's module and name
    drawn: Drawn | Outcome | None  # points to simulate; outcome "error" if drawing failed; None if nothing is simulated
    errors: tuple[float, float]  # probability of a wrong "differs", and 1 minus that of a wrong "agrees", at a point


def _skipped(law: Law, quick: bool) -> bool:
    """Return whether a quick run leaves a law's simulator out."""
    return quick and law.simulated is not None and law.simulated.long


def _face(task: Task) -> dict[str, Outcome]:
    """Make one check of one law; return its outcome, or its two outcomes, by name.

    JAX's check has two outcomes, of values and of slopes. If the printed formula has an error, the numeric and the
    simulator check have an outcome of the law and one of the printed formula.
    """
    law, counts, quick, own = task.law, task.counts, task.quick, task.own
    if task.face == "proof":
        return {"proof": faces.proof(law, points.typical(law, counts[1], own), quick=quick)}
    if task.face == "jax":
        values, slopes = faces.jax_faces(law, points.typical(law, counts[1], own), quick=quick)
        return {"jax": values, "gradient": slopes}
    if task.face == "numeric":
        everywhere = points.everywhere(law, counts[0], own)
        result = {"numeric": faces.numeric(law, everywhere)}
        if law.has_printed:
            result["printed"] = faces.printed(law, points.typical(law, counts[0], own))
        return result
    if task.face == "symbolic":
        chosen = points.for_symbols(law, counts[3], own, at_ends=not quick)
        return {"symbolic": symbolic.symbolic(law, chosen, quick=quick)}
    if isinstance(task.drawn, Outcome):
        return {"simulator": task.drawn}
    if task.drawn:
        return _simulated(law, task.drawn, *task.errors)
    if task.drawn is not None:
        remark = "the law is valid at no point of the ranges"
    elif _skipped(law, quick):
        remark = "skipped in a quick run, because it takes longer"
    else:
        remark = law.not_simulated or "@law declares neither simulated= nor not_simulated="
    return {"simulator": Outcome("not checked", remark=remark)}


def drawn_points(law: Law, count: int, seed: int) -> Drawn | Outcome:
    """Draw up to ``count`` points of a law's simulator check at which the law is valid; return them with their seeds.

    If that raises an exception, return the outcome "error".
    """
    assert law.simulated is not None
    try:
        found = points.typical(law, 64 * count, seed, law.simulated.ranges)
        valid = [one for one in found if law.validity is None or law.validity(**one)]
    except Exception as failure:
        return faces.failed(failure)
    return [(point, seed_of(seed, k)) for k, point in enumerate(valid[:count])]


def _simulated(law: Law, drawn: Drawn, alpha: float, power: float) -> dict[str, Outcome]:
    """Compare a law, and its printed formula if that has an error, with its simulator at the points ``drawn``."""
    simulator, record = simulator_of(law), law.simulated
    assert simulator is not None
    assert record is not None
    limits: dict[str, Any] = {"alpha": alpha, "power": power, "power_at": 1, "budget": BUDGET}
    try:
        found = [
            compare(law, simulator, point, within=record.allowed(law, point), rng=seed, **limits)
            for point, seed in drawn
        ]
        outcomes = {"simulator": _judged(law, found)}
        return outcomes | ({"printed simulated": _printed(law, found)} if law.has_printed else {})
    except Exception as failure:
        return {"simulator": faces.failed(failure)}


def _judged(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Summarise comparisons as an outcome: the worst verdict, and the largest deviation with its point."""
    worst = max(found, key=lambda one: abs(one.estimate - one.formula) / one.within)
    off = abs(worst.estimate - worst.formula)
    verdicts = [one.verdict for one in found]
    status = next((one for one in ("differs", "undecided") if one in verdicts), "agrees")
    text = f"off by {off:.2g} where {worst.within:.2g} {law.unit} are allowed".replace(" 1 are", " are")
    remarks = dict.fromkeys([text, *(one.remark for one in found if one.verdict == "undecided")])
    at = {name: float(worst.point[name]) for name in law.symbols}
    return Outcome(
        status, off / worst.within, at, len(found), "; ".join(remarks),
        packets=math.fsum(one.cost for one in found), evidence=min(one.agreement for one in found)
    )  # fmt: skip


def _printed(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Return an outcome that counts the points where the printed formula deviates by more than the accuracy."""
    values = [float(law.as_printed(**one.point)) for one in found]
    beyond = [max(one.interval[0] - value, value - one.interval[1]) for one, value in zip(found, values, strict=True)]
    count = sum(one > by.within for one, by in zip(beyond, found, strict=True))
    return Outcome("erratum", checks=len(found), remark=f"as printed {count} of {len(found)} differ")


def _table(chosen: Mapping[str, Law], found: Mapping[tuple[str, str], dict[str, Outcome]]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for name, law in chosen.items():
        outcomes: dict[str, Outcome] = {}
        for face in TASKS:
            outcomes |= found[name, face]
        if "printed" in outcomes and "printed simulated" in outcomes:
            one = outcomes["printed"]
            remark = f"{one.remark} Simulated, {outcomes['printed simulated'].remark}."
            outcomes["printed"] = replace(one, remark=remark)
        row: dict[str, Any] = {"law": name, "source": law.source}
        for face in FACES:
            one = outcomes.get(face, Outcome(""))
            row |= {
                face: one.status, f"{face}_error": one.error, f"{face}_where": dict(one.where) if one.where else None,
                f"{face}_checks": one.checks, f"{face}_remark": one.remark,
            }  # fmt: skip
            if face == "simulator":
                row |= {"simulator_packets": one.packets, "simulator_evidence": one.evidence}
        row["agrees"] = all(row[face] not in FAILURES for face in FACES)
        rows.append(row)
    return pd.DataFrame(rows)
