"""Function `conformance`, which checks that a scheme, discipline or service keeps the rules of the simulator."""

from __future__ import annotations

from typing import Any

from longfat.base.domains import generator
from longfat.base.progress import bar
from longfat.sim.conforming.checks import CHECKS, NO_RUN, Check, Report, checked
from longfat.sim.conforming.interpreted import Interpreted, observe_interpreted
from longfat.sim.conforming.trials import ABOUT, Runs, Subject, observe, subject_of, trials_for
from longfat.sim.kernel import jit

TIME_LIMIT = 60.0  # s of wall time for the runs without compilation, which usually take 2 to 3 s

__all__ = ["CHECKS", "Check", "Report", "conformance"]


def conformance(plug_in: Any, *, beside: Any = None, rng: Any = 1, progress: bool = True) -> Report:
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
    subject = subject_of(plug_in, beside)
    seed, other = (int(one) for one in generator(rng).integers(2**32, size=2))
    runs, faults = _simulated(subject, seed, other, progress)
    checks = tuple(checked(name, subject, runs, faults) for name in CHECKS)
    about = {trial.name: trial.about for trial in trials_for(subject)} | {"all": ABOUT}
    return Report(subject.plug_in.title, checks, about, seed)


def _simulated(subject: Subject, seed: int, other: int, progress: bool) -> tuple[list[Runs], dict[str, str]]:
    """Return the runs of each trial, and {check: fault} for runs that could not be made.

    Runs in plain Python come first, because only they can be stopped.
    """
    trials = trials_for(subject)
    made, faults = [Runs() for _ in trials], {}
    with bar(task="checking", unit="run", shown=progress, total=1 + 4 * len(trials)) as shown:
        try:
            if jit.COMPILED:
                for runs, record in zip(made, observe_interpreted(subject, seed, TIME_LIMIT), strict=True):
                    runs.interpreted = record
        except Interpreted as error:
            faults["compilation"] = str(error)
        except TimeoutError:
            why = "perhaps a callback has an endless loop"
            return [], {NO_RUN: f"the runs without compilation did not end in {TIME_LIMIT:g} s: {why}"}
        shown.update(1)
        try:
            for runs, trial in zip(made, trials, strict=True):
                for name, one in (("first", seed), ("again", seed), ("other", other), ("compiled", seed)):
                    slow = name == "compiled" or not jit.COMPILED
                    setattr(runs, name, observe(trial, subject, one, slow=slow))
                    shown.update(1)
        except ValueError as error:  # the plug-in does not compile, or refuses the network, such as its buffer
            return [], {NO_RUN: str(error)}
    return made, faults
