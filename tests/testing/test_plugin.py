"""The plugin of pytest: tests that run in a session of their own."""

import itertools
import re
import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

HEAD = """
import numpy as np
import longfat as lf

def wait(load, flows):
    return load / (1 - load)

def planted(load, flows):
    return load / (1 - load) * (2.0 if load >= 0.5 and flows >= 3 else 1.0)

def simulated(rng, load, flows):
    return np.random.default_rng(rng).normal(load / (1 - load), 0.1 * load / (1 - load)), 1000

DOMAIN = {"load": (0.1, 0.9), "flows": (1, 9)}
"""
RIGHT = (
    HEAD
    + """
@lf.testing.holds(wait, simulated, over=DOMAIN, within="20 %")
def test_wait():
    pass
"""
)
WRONG = (
    HEAD
    + """
@lf.testing.holds(planted, simulated, over=DOMAIN, within="20 %")
def test_wait():
    pass
"""
)


@pytest.fixture
def session(pytester, monkeypatch):
    """Return a function that runs pytest on a file of tests, without the other plugins that are installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(text, *options):
        pytester.makepyfile(test_it=text)
        # The plugin has been imported before if another test in this process needed it.
        imported = "-Wignore::pytest.PytestAssertRewriteWarning"
        return pytester.runpytest_inprocess(
            "-p", "longfat.testing.pytest_plugin", "-p", "no:cacheprovider", imported, *options
        )

    return run


def table(result):
    """Return the cells of the table's lines; columns are two spaces apart.

    The next section ends it: where CI is set, pytest's summary has whole messages, whose lines are indented.
    """
    start = next(k for k, line in enumerate(result.outlines) if "formulas against" in line) + 1
    lines = itertools.takewhile(lambda line: not line.startswith("="), result.outlines[start:])
    return [re.split(" {2,}", line) for line in lines if line]


def test_a_right_formula_passes(session):
    result = session(RIGHT)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["longfat: claims: 1, error of all: 1e-06, budget of each: 100000 replications, seed: 0"]
    )
    heads, *rows = table(result)
    assert heads == ["formula", "point", "value", "interval", "within", "verdict", "replications", "cost", "power"]
    assert len(rows) == 12
    assert {row[5] for row in rows} == {"agrees"}
    assert [row[1] for row in rows[:4]] == [
        "load=0.1 flows=1", "load=0.9 flows=9", "load=0.1 flows=9", "load=0.9 flows=1"
    ]  # fmt: skip
    assert all(int(row[7]) == 1000 * int(row[6]) for row in rows)
    assert rows[1][2] == "9"


def test_a_planted_error_is_found_and_shrunk(session):
    """The corner of high load and many flows comes second; the simplest point is load 0.5 and three flows."""
    result = session(WRONG)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*planted differs at load = 0.9, flows = 9: formula 18, *",
            "*import longfat as lf",
            "*from test_it import planted; from test_it import simulated",
            "*point = {'load': 0.5, 'flows': 3}",
            "*found = lf.testing.compare(planted, simulated, point, within='20 %', alpha=1e-09, rng=*)",
            "*print(found)  # differs at load = 0.5, flows = 3: formula 2, *",
        ]
    )
    assert "holding.py" not in result.stdout.str()  # the message alone
    assert [row[5] for row in table(result)[1:]] == ["agrees", "differs"]


def test_the_seed_repeats_a_session(session):
    first, again, other = (table(session(RIGHT, f"--longfat-seed={seed}")) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_small_budget_is_not_enough(session):
    result = session(RIGHT, "--longfat-budget=20")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*wait undecided at load = *; the budget is spent: a verdict needs about * repl*"])


def test_the_error_is_shared_and_fixtures_are_as_usual(session):
    text = (
        RIGHT
        + """
from longfat.testing.holding import ALLOWANCE

@lf.testing.holds(wait, simulated, over={"load": 0.5, "flows": [1]}, within="20 %", points=1)
def test_share(tmp_path):
    assert tmp_path.exists()
    assert ALLOWANCE.get().alpha == 5e-7

def test_another():
    assert ALLOWANCE.get().alpha == 1e-6
"""
    )
    result = session(text)
    result.assert_outcomes(passed=3)
    assert len(table(result)) == 1 + 12 + 1
    session(text, "-k", "another").assert_outcomes(passed=1, deselected=2)


def test_progress_is_printed(session):
    result = session(RIGHT.replace('"20 %"', '"20 %", points=5'), "-v")
    result.stdout.fnmatch_lines(["  wait: 1 of 5 points, * replications", "  wait: 5 of 5 points, *", "*PASSED*"])
    assert "points," not in session(RIGHT).stdout.str()


def test_other_sessions_are_left_alone(session):
    result = session("def test_it():\n    pass\n")
    result.assert_outcomes(passed=1)
    assert "longfat" not in "".join(line for line in result.outlines if not line.startswith(("plugins:", "rootdir:")))


def test_the_plugin_loads_nothing():
    """Neither NumPy nor another module of longfat, except the one that imports public names on their first use."""
    code = (
        "import sys, longfat.testing.pytest_plugin\n"
        "print([one for one in sys.modules if one[:5] in ('longf', 'numpy')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    first = "['longfat._version', 'longfat.base', 'longfat.base.discovery', 'longfat', "
    assert out.strip() == first + "'longfat.testing', 'longfat.testing.pytest_plugin']"


@pytest.mark.parametrize("option", ["--longfat-budget=1", "--longfat-seed=-1"])
def test_bad_options_are_refused(session, option):
    assert "invalid" in session(RIGHT, option).stderr.str()


@pytest.mark.long
def test_workers_report_to_one_table(pytester):
    pytester.makepyfile(test_a=RIGHT, test_b=RIGHT)
    result = pytester.runpytest_subprocess("-p", "longfat.testing.pytest_plugin", "-n", "2")
    result.assert_outcomes(passed=2)
    assert len(table(result)) == 1 + 24
