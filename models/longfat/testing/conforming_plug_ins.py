"""`conforms`: a test of pytest from a plug-in of the simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def conforms(plug_in: Any, **options: Any) -> Callable[[], None]:
    """Return a test of pytest that a scheme, a discipline or a service keeps the rules of the simulator.

    In a file of tests, ``test_mine = longfat.testing.conforms(MINE)`` is enough. The rules are those of
    `longfat.sim.conformance`; the test fails with its report.

    Parameters
    ----------
    plug_in : Scheme, Discipline, Service or str
        Plug-in to check, or its name.
    **options
        Arguments of `longfat.sim.conformance`.

    Returns
    -------
    callable
        Function without arguments.

    Examples
    --------
    >>> from longfat import testing
    >>> test_reno = testing.conforms("reno")
    """

    def test() -> None:
        from longfat.sim import conformance

        report = conformance(plug_in, **{"progress": False, **options})
        if not report.passed:
            raise AssertionError(str(report))

    return test
