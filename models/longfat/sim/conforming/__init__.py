"""`conformance`: whether a scheme or discipline keeps the rules of the simulator, and what it breaks if not."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from longfat.domains import generator
from longfat.progress import bar
from longfat.sim import jit
from longfat.sim.conforming.checks import CHECKS, Evidence, answers
from longfat.sim.conforming.interpreted import Interpreted, observe_interpreted
from longfat.sim.conforming.report import NOT_APPLICABLE, Check, Report
from longfat.sim.conforming.trials import ABOUT, Subject, observe, subject_of, trials_for

PATIENCE = 60.0  # s of wall time for the runs without compilation, which take two or three

__all__ = ["CHECKS", "Check", "Report", "conformance"]


def conformance(
    plug_in: Any,
    *,
    beside: Any = None,
    parameters: Mapping[str, float] | None = None,
    rng: Any = 1,
    progress: bool = True,
) -> Report:
    """Check that a congestion-control scheme, a queue discipline or a service keeps the rules of the simulator.

    Three small networks are simulated, each of them with the same seed twice, with another seed, and once more by plain
    Python in a process of its own. It takes some five to ten seconds.

    Parameters
    ----------
    plug_in : Scheme, Discipline, Service or str
        What is checked, or its name.
    beside : Discipline, Scheme or str, optional
        For a scheme, the discipline of the bottleneck, by default "fifo". For a discipline, the scheme of the flows, by
        default Reno, whose packets have the priority 0, 1 or 2.
    parameters : mapping, optional
        Parameters of the scheme.
    rng : None, int, SeedSequence or Generator
        Of the random numbers.
    progress : bool
        Show a bar if it takes more than two seconds.

    Returns
    -------
    Report
        With ``passed``, and ``checks`` with a verdict and a sentence each; printed, it is a table.

    Raises
    ------
    TypeError
        For what is no scheme, discipline or service.
    ValueError
        For unknown names, and for a discipline whose parameters are missing.

    Examples
    --------
    >>> conformance("reno", progress=False).passed
    True
    """
    begun = time.perf_counter()
    subject = subject_of(plug_in, beside, parameters)
    seed, other = (int(one) for one in generator(rng).integers(2**32, size=2))
    found = _evidence(subject, seed, other, progress)
    checks = tuple(_made(name, meaning, made, found) for name, (meaning, made) in CHECKS.items())
    what = "scheme" if subject.is_scheme else "discipline"
    about = {trial.name: trial.about for trial in found.trials} | {"all": ABOUT}
    return Report(f"{what} {subject.plug_in.name!r}", checks, about, seed, time.perf_counter() - begun)


def _evidence(subject: Subject, seed: int, other: int, progress: bool) -> Evidence:
    """Make all runs; those without compilation first, because an endless loop can be ended there only."""
    found = Evidence(subject, trials_for(subject))
    with bar(task="checking", unit="run", shown=progress, total=1 + 4 * len(found.trials)) as shown:
        try:
            if jit.COMPILED:
                found.interpreted = observe_interpreted(subject, seed, PATIENCE)
            else:
                found.not_interpreted = "compilation is switched off in this process, too"
        except Interpreted as error:
            found.not_interpreted = str(error)
        except TimeoutError:
            found.refused = (
                f"the runs without compilation did not end in {PATIENCE:g} s: perhaps a callback has an endless loop"
            )
            return found
        shown.update(1)
        for trial in found.trials:
            kinds = ((found.runs, seed, False), (found.again, seed, False), (found.other, other, False))
            for records, one, slow in (*kinds, (found.compiled, seed, True)):
                try:
                    records.append(observe(trial, subject, one, slow=slow or not jit.COMPILED))
                except ValueError as error:  # it does not compile, or cannot stand on such a link
                    found.refused = str(error)
                    return found
                shown.update(1)
    return found


def _made(name: str, meaning: str, made: Callable[[Evidence], Any], found: Evidence) -> Check:
    """Make a check; it gives a verdict, the networks and a message."""
    if found.refused and made is not answers:
        return Check(name, meaning, (), NOT_APPLICABLE, "not made, because there was no run")
    verdict, networks, message = made(found)
    return Check(name, meaning, tuple(networks), verdict, message)
