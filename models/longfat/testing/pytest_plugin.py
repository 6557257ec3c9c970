"""Plug-in of pytest for tests decorated with `longfat.testing.holds`: options, error rate, progress line, table.

pytest loads this module in every session of an environment with longfat, so the module imports other modules of longfat
only when such a test runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from longfat.testing import Comparison

#: Error rate of a session: probability that any of its tests fails although all formulas are within their accuracies.
ALPHA = 1e-6
#: Key of the table's rows in the `user_properties` of a test's report. Rows are kept there, because pytest-xdist
#: collects these properties from its workers.
KEY = "longfat"
TESTS = pytest.StashKey[int]()
HEADS = ("formula", "point", "value", "interval", "within", "verdict", "replications", "cost", "power")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--longfat-budget`` and ``--longfat-seed``."""
    group = parser.getgroup("longfat", "formulas against simulators (longfat.testing)")
    group.addoption(
        "--longfat-budget", type=_positive, default=100_000, metavar="N", help="replications of each test (%(default)s)"
    )
    group.addoption(
        "--longfat-seed", type=_natural, default=0, metavar="N", help="seed of all replications (%(default)s)"
    )


@pytest.hookimpl(tryfirst=True)  # before pytest's terminal reporter calls the hook below
def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the tests of `longfat.testing.holds`, which share the error rate `ALPHA` of the session."""
    session.config.stash[TESTS] = sum(_claim(item) is not None for item in session.items)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Return a line with number, error rate, budget and seed of the claims; no line if there are no claims."""
    count = config.stash.get(TESTS, 0)
    if not count:
        return []
    seed, budget = config.getoption("--longfat-seed"), config.getoption("--longfat-budget")
    shared = f"claims: {count}, error of all: {ALPHA:g}"
    return [f"longfat: {shared}, budget of each: {budget} replications, seed: {seed}"]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Run a test of a claim with its part of the session's error rate, and record its comparisons."""
    __tracebackhide__ = True
    if _claim(pyfuncitem) is None:
        return (yield)
    from longfat.testing.holding import ALLOWANCE, Allowance

    config = pyfuncitem.config
    done: list[Comparison] = []

    def report(name: str, found: Comparison, points: int) -> None:
        done.append(found)
        pyfuncitem.user_properties.append((KEY, row(name, found)))
        _progress(
            config, f"{name}: {len(done)} of {points} points, {sum(one.replications for one in done)} replications"
        )

    share = ALPHA / max(config.stash.get(TESTS, 1), 1)
    allowance = Allowance(share, config.getoption("--longfat-budget"), config.getoption("--longfat-seed"), report)
    token = ALLOWANCE.set(allowance)
    try:
        return (yield)
    finally:
        ALLOWANCE.reset(token)
        _progress(config, "")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table of all comparisons of the session."""
    reports = [
        one for kind in ("passed", "failed", "xfailed", "xpassed") for one in terminalreporter.stats.get(kind, [])
    ]
    rows = [
        value
        for one in reports
        if getattr(one, "when", "") == "call"
        for name, value in getattr(one, "user_properties", [])
        if name == KEY
    ]
    if rows:
        terminalreporter.section("formulas against simulators")
        for line in table(rows):
            terminalreporter.write_line(line)


def row(name: str, found: Comparison) -> list[str]:
    """Format a comparison as the cells of a row, in the order of `HEADS`.

    >>> from longfat.testing import Comparison
    >>> at = Comparison("agrees", 1.0, 1.01, (0.9, 1.1), 10, 10, 0.1, 1e-6, 0.99, {"load": 0.123456}, 1, 2e4)
    >>> row("wait", at)
    ['wait', 'load=0.1235', '1', '[0.9, 1.1]', '0.1', 'agrees', '10', '20000', '0.99']
    """
    low, high = found.interval
    point = " ".join(f"{name}={_short(value)}" for name, value in found.point.items())
    interval = f"[{low:.4g}, {high:.4g}]"
    cost = "" if math.isnan(found.cost) else f"{found.cost:.0f}"
    return [
        name, point, f"{found.formula:.4g}", interval, f"{found.within:.3g}", found.verdict, str(found.replications),
        cost, f"{found.power:g}",
    ]  # fmt: skip


def table(rows: list[list[str]]) -> list[str]:
    """Format rows as the lines of a table, without the columns that are empty in all rows.

    >>> table([["wait", "load=0.5", "1", "[0.9, 1.1]", "0.1", "agrees", "10", "", "0.99"]])[1]
    'wait     load=0.5  1      [0.9, 1.1]  0.1     agrees   10            0.99'
    """
    from longfat.base.text_tables import columns

    filled = [any(column) for column in zip(*rows, strict=True)]
    return columns([list(itertools.compress(line, filled)) for line in (HEADS, *rows)])


def _claim(item: pytest.Item) -> Any:
    """Return the claim of a test that `longfat.testing.holds` decorates; None for other tests."""
    return getattr(getattr(item, "obj", None), "longfat_claim", None)


def _progress(config: pytest.Config, text: str) -> None:
    """Show progress on a terminal in a line that replaces the previous one; with -v, print a new line each time."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    capture = config.pluginmanager.get_plugin("capturemanager")
    if reporter is None or not (reporter.isatty or reporter.verbosity > 0):
        return
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        if reporter.verbosity > 0:
            if text:
                reporter.ensure_newline()
                reporter.write_line(f"  {text}")
        else:
            reporter.rewrite(text, erase=True)
            reporter.currentfspath = None  # makes pytest write the name of the file again


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def _positive(text: str) -> int:
    value = _natural(text)
    if value < 2:
        raise ValueError(text)
    return value
