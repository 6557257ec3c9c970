"""Function `conformance`, which checks that a scheme, discipline or service keeps the rules of the simulator."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from longfat.base.domains import generator
from longfat.base.progress import bar
from longfat.sim.conforming.checks import CHECKS, COMPILATION, VALUES, Evidence
from longfat.sim.conforming.findings import Check, Report
from longfat.sim.conforming.interpreted import Interpreted, observe_interpreted
from longfat.sim.conforming.trials import ABOUT, Subject, observe, subject_of, trials_for
from longfat.sim.kernel import jit

TIME_LIMIT = 60.0  # s of wall time for the runs without compilation, which usually take 2 to 3 s

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

    The rules: the plug-in compiles and returns valid values, no packet is lost uncounted, the buffer and the order of
    packets are kept, a link with a backlog transmits, files arrive, and a seed determines the run, compiled or not. The
    report has a sentence on each rule. Three small networks are simulated, each of them twice with one seed, once with
    another seed, and for a shorter time compiled and in plain Python. This takes about five to ten seconds.

    Parameters
    ----------
    plug_in : Scheme, Discipline, Service or str
        Plug-in to check, or its name.
    beside : Discipline, Scheme or str, optional
        Discipline of the bottleneck for a scheme, by default "fifo"; scheme of the flows for a discipline, by default
        Reno with packets of priority 0, 1 or 2.
    parameters : mapping, optional
        Values of the scheme's parameters.
    rng : None, int, SeedSequence or Generator
        Seed of the random numbers.
    progress : bool
        Whether to show a progress bar after two seconds.

    Returns
    -------
    Report
        ``passed`` is true if no check failed; ``checks`` has the verdict and the message of each; printed, a table.

    Examples
    --------
    >>> conformance("reno", progress=False).passed  # doctest: +SKIP
    True
    """
    begun = time.perf_counter()
    subject = subject_of(plug_in, beside, parameters)
    seed, other = (int(one) for one in generator(rng).integers(2**32, size=2))
    found = _evidence(subject, seed, other, progress)
    checks = tuple(rule.check(name, found) for name, rule in CHECKS.items())
    about = {trial.name: trial.about for trial in found.trials} | {"all": ABOUT}
    return Report(subject.plug_in.title, checks, about, seed, time.perf_counter() - begun)


def _evidence(subject: Subject, seed: int, other: int, progress: bool) -> Evidence:
    """Run all trials and return their records; runs in plain Python come first, because only they can be stopped."""
    found = Evidence(subject, trials_for(subject))
    with bar(task="checking", unit="run", shown=progress, total=1 + 4 * len(found.trials)) as shown:
        try:
            if jit.COMPILED:
                found.interpreted = observe_interpreted(subject, seed, TIME_LIMIT)
        except Interpreted as error:
            found.faults[COMPILATION] = str(error)
        except TimeoutError:
            found.faults[VALUES] = (
                f"the runs without compilation did not end in {TIME_LIMIT:g} s: perhaps a callback has an endless loop"
            )
            return found
        shown.update(1)
        runs = ((found.runs, seed, False), (found.again, seed, False), (found.other, other, False))
        try:
            for trial in found.trials:
                for records, one, slow in (*runs, (found.compiled, seed, True)):
                    records.append(observe(trial, subject, one, slow=slow or not jit.COMPILED))
                    shown.update(1)
        except ValueError as error:  # the plug-in does not compile, or refuses the network, such as its buffer
            found.faults[VALUES] = str(error)
    return found
