"""`run`: laws on all their faces, one row each."""

from __future__ import annotations

import fnmatch
import multiprocessing
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

from longfat import laws as _shipped  # noqa: F401  # registers the laws
from longfat._version import __version__
from longfat.domains import conflict, integer, number, unknown
from longfat.law import PACKAGE, Law, registered
from longfat.verify import faces, points, simulated, symbolic
from longfat.verify.faces import Outcome
from longfat.verify.simulated import SimulatorCheck, check_of

if TYPE_CHECKING:
    import pandas as pd

FACES = ("proof", "numeric", "symbolic", "jax", "gradient", "simulator", "printed")
FAILURES = ("differs", "undecided", "error")
#: (mixed points for many digits, points for JAX and slopes, points for the simulator, points for sympy)
QUICK, FULL = (5, 6, 2, 3), (100, 25, 10, 25)

TASKS = ("jax", "simulator", "proof", "numeric", "symbolic")

Estimators = Mapping[str, "SimulatorCheck | Callable[..., tuple[float, float, float]]"]


def run(
    laws: str | Iterable[Law | str] | None = None,
    *,
    estimators: Estimators | None = None,
    quick: bool = False,
    confidence: float = 0.99,
    seed: int = 0,
    workers: int = 1,
    progress: bool = False,
) -> pd.DataFrame:
    """Check laws on all their faces: proof, many digits, NumPy, sympy, JAX, slopes, simulator.

    Parameters
    ----------
    laws : str or iterable of Law or str, optional
        Laws, or names of registered ones, such as "queues.md1_wait", with ``*`` and ``?``; all of longfat by default.
    estimators : mapping, optional
        By a law's name, what simulates it: a `Held`, or an estimator as `check` takes it for a law that states its
        accuracy. Added to those of longfat, or in their place.
    quick : bool
        Fewer points, no long proofs, slopes forward alone: about a minute for all laws on two cores.
    confidence : float
        Of all verdicts against simulators together [probability], in (0, 1).
    seed : int
        Of points and simulations, at least 0.
    workers : int
        Processes; more than one needs a script with an ``if __name__ == "__main__":``, and laws defined outside
        longfat stay in this process.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    pandas.DataFrame
        A row per law: ``law`` (its public name), ``source``, and of each face in `FACES` the columns ``face``
        ("agrees", "differs", "undecided", "error", "not checked", for ``printed`` "erratum" or ""), ``face_error``
        (worst relative error; for the simulator in parts of what is allowed), ``face_where`` (the point),
        ``face_checks`` (comparisons) and ``face_note``; and ``agrees``, False if a face differs, is undecided or met an
        exception ("error", the note says which). ``attrs["agrees"]`` is whether all laws agree.

    Raises
    ------
    ValueError
        For names that no law has, and values outside their ranges.

    Notes
    -----
    Of a law's floats every corner of its parameters is looked at, with the others in the middle of their ranges, and
    a mixed draw; relative errors up to 1e-12 are allowed, of slopes 1e-6. The expression (``law.expr``, of a root its
    equation) is evaluated by sympy at points from the typical ranges, in a full run at their ends, too. Simulated are
    points drawn from the typical range: the interval of each has to lie within what the law's record states, or `Held`
    allows. An undecided point is simulated four times as long, up to `longfat.verify.simulated.LOOKS` looks; looks and
    points share the confidence (Bonferroni). An expression that is wrong in its paper is an erratum and no failure.

    Examples
    --------
    >>> table = run("queues.md1_wait", quick=True)
    >>> table.attrs["agrees"], table.numeric.item(), table.simulator.item()
    (True, 'agrees', 'agrees')
    """
    chosen = dict(_chosen(laws))
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    seed = integer("seed", seed, "1", "[0, inf)")
    workers = integer("workers", workers, "processes", "[1, 1024]")
    held = _held(chosen, estimators or {}, quick)
    counts = QUICK if quick else FULL
    drawn = {name: _drawn(one, chosen[name], counts[2], seed) for name, one in held.items()}
    each = 1 - (1 - confidence) / max(1, sum(len(some) for some in drawn.values() if not isinstance(some, Outcome)))
    tasks = [(name, face) for face in TASKS for name in chosen]
    found: dict[tuple[str, str], dict[str, Outcome]] = {}
    outside = [task for task in tasks if not _travels(task[0], chosen[task[0]], held)]
    inside = [task for task in tasks if workers > 1 and task not in outside]
    here = [task for task in tasks if task not in set(inside)]
    bar = _bar(len(tasks), progress)
    with bar:
        arguments = {task: (task[0], task[1], counts, quick, seed, drawn.get(task[0], []), each) for task in tasks}
        if inside:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(min(workers, len(inside)), mp_context=context) as pool:
                pending = {pool.submit(_registered_face, *arguments[task]): task for task in inside}
                try:
                    for done in as_completed(pending):
                        found[pending[done]] = done.result()
                        bar.update()
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
        for task in here:
            found[task] = _face(chosen[task[0]], held.get(task[0]), *arguments[task])
            bar.update()
    table = _table(chosen, found)
    table.attrs = {
        "agrees": bool(table.agrees.all()), "quick": quick, "seed": seed, "confidence": confidence,
        "longfat": __version__,
    }  # fmt: skip
    return table


def _chosen(laws: str | Iterable[Law | str] | None) -> Iterator[tuple[str, Law]]:
    """Laws by their public names."""
    every = [one for _, one in registered()]
    if laws is None:
        yield from ((one.public_name, one) for one in every if one.place.startswith(PACKAGE))
        return
    for wanted in [laws] if isinstance(laws, str | Law) else laws:
        found = [wanted] if isinstance(wanted, Law) else [one for one in every if _fits(one, wanted)]
        if not found:
            raise unknown("law", wanted, [one.public_name for one in every])
        yield from ((one.public_name, one) for one in found)


def _fits(law: Law, pattern: str) -> bool:
    """Whether a pattern fits a law's public name, its bare name or the name of where it is defined."""
    names = (law.public_name, law.name, law.place.removeprefix(PACKAGE))
    return any(fnmatch.fnmatchcase(name, pattern.removeprefix(PACKAGE)) for name in names)


def _held(chosen: Mapping[str, Law], estimators: Estimators, quick: bool) -> dict[str, SimulatorCheck]:
    """What simulates the chosen laws: ours, then the caller's, by full or short names."""
    declared = {name: check_of(law) for name, law in chosen.items()}
    result = {name: one for name, one in declared.items() if one is not None and not (quick and one.long)}
    for wanted, given in estimators.items():
        names = [name for name, one in chosen.items() if wanted in (name, one.name, one.place.removeprefix(PACKAGE))]
        if not names:
            raise unknown("estimators: law", wanted, chosen)
        one = given if isinstance(given, SimulatorCheck) else SimulatorCheck(_always(given))
        for name in names:
            if not one.accuracy and not one.relative and chosen[name].validity is None:
                raise conflict(
                    f"law {name}", "needs an accuracy in (0, inf)", "it states none, give one in a SimulatorCheck(...)"
                )
            result[name] = one
    return result


def _always(estimator: Callable[..., Any]) -> Callable[[float, Any], Any]:
    return lambda effort, rng: estimator


def _drawn(held: SimulatorCheck, law: Law, count: int, seed: int) -> list[points.Point] | Outcome:
    """Points to simulate, or what the law's validity raised there."""
    try:
        return held.draw(law, count, _own(seed, law))
    except Exception as failure:
        return faces.failed(failure)


def _own(seed: int, law: Law) -> int:
    """A seed of the law's own, that the choice of laws does not move, nor the package that exports it."""
    return zlib.crc32(f"{seed} {law.place.removeprefix(PACKAGE)}".encode())


def _travels(name: str, law: Law, held: Mapping[str, SimulatorCheck]) -> bool:
    """Whether another process finds the same law and the same estimator by its name."""
    ours = law.place.startswith(PACKAGE) and dict(registered()).get(law.place) is law
    return ours and held.get(name, check_of(law)) is check_of(law)


def _registered_face(name: str, *arguments: Any) -> dict[str, Outcome]:
    law = dict(_chosen(name))[name]
    return _face(law, check_of(law), name, *arguments)


def _face(
    law: Law, held: SimulatorCheck | None, name: str, face: str, counts: tuple[int, ...], quick: bool, seed: int,
    drawn: list[points.Point] | Outcome, confidence: float,
) -> dict[str, Outcome]:  # fmt: skip
    """One face of one law, or what belongs together: JAX's values and slopes, simulator and printed expression."""
    own = _own(seed, law)
    if face == "proof":
        return {"proof": faces.proof(law, quick=quick)}
    if face == "jax":
        values, slopes = faces.jax_faces(law, points.typical(law, counts[1], own), quick=quick)
        return {"jax": values, "gradient": slopes}
    if face == "numeric":
        everywhere = points.everywhere(law, counts[0], own)
        result = {"numeric": faces.numeric(law, everywhere)}
        if law.has_printed:
            result["printed"] = faces.printed(law, points.typical(law, counts[0], own))
        return result
    if face == "symbolic":
        return {"symbolic": symbolic.symbolic(law, points.for_symbols(law, counts[3], own, at_ends=not quick))}
    if isinstance(drawn, Outcome):
        return {"simulator": drawn}
    if held is None or not drawn:
        declared = check_of(law)
        later = quick and declared is not None and declared.long
        note = "takes longer: in the full run" if later else simulated.reason(law)
        note = "no point of the ranges is valid" if held is not None and not drawn else note
        return {"simulator": Outcome("not checked", note=note)}
    try:
        outcome, printed = simulated.simulated(law, held, drawn, confidence, own)
    except Exception as failure:
        return {"simulator": faces.failed(failure)}
    return {"simulator": outcome} | ({"printed simulated": printed} if printed else {})


def _table(chosen: Mapping[str, Law], found: Mapping[tuple[str, str], dict[str, Outcome]]) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for name, law in chosen.items():
        outcomes: dict[str, Outcome] = {}
        for face in TASKS:
            outcomes |= found[name, face]
        if "printed" in outcomes and "printed simulated" in outcomes:
            one = outcomes["printed"]
            note = f"{one.note} Simulated, {outcomes['printed simulated'].note}."
            outcomes["printed"] = Outcome(one.status, one.error, one.where, one.checks, note)
        row: dict[str, Any] = {"law": name, "source": law.source}
        for face in FACES:
            one = outcomes.get(face, Outcome(""))
            row |= {
                face: one.status, f"{face}_error": one.error, f"{face}_where": dict(one.where) if one.where else None,
                f"{face}_checks": one.checks, f"{face}_note": one.note,
            }  # fmt: skip
        row["agrees"] = all(row[face] not in FAILURES for face in FACES)
        rows.append(row)
    return pd.DataFrame(rows)


def _bar(total: int, progress: bool) -> Any:
    from longfat.progress import bar

    return bar(task="checking laws", unit="face", shown=progress, total=total)
