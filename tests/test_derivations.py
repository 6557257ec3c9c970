"""Proofs as commands, ``python -m derivations.NAME``, and the induction over the slots after a loss."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sympy as sp

from derivations import proof, receive_buffer, segment_distribution

ROOT = Path(proof.__file__).parents[1]
WRONG = """
import sympy as sp
from derivations.proof import require_zero

x = sp.Symbol("x")

def square():
    \"\"\"Derive x^2 + 2 x + 1.\"\"\"
    require_zero((x + 1) ** 2 - x**2 - 2 * x - 1, "expanded")

def cube():
    \"\"\"Derive x^3.\"\"\"
    require_zero(x**3 - x**2, "the same power")

def helper(y):
    raise AssertionError("no proof: it takes an argument")
"""


def command(folder, module):
    """Run the proofs of a module as a command in a folder."""
    return subprocess.run([sys.executable, "-m", module], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("residual", "zero"),
    [
        ("a/(b + 1) - (a*b + a)/(b + 1)**2", True),  # by a common denominator
        ("a/(b + 1) - a/b", False),
        ("a/(b + 1) - 1.0000001*a/(b + 1)", False),
        ("1/((b + 1)**2 - b**2 - 2*b - 1)", False),  # divided by 0
        ("0**a", False),
    ],
)
def test_residuals(residual, zero):
    expression = sp.sympify(residual, evaluate=False)
    if zero:
        proof.require_zero(expression, "zero")
    else:
        with pytest.raises(AssertionError, match="not zero"):
            proof.require_zero(expression, "not zero")


def test_zero_divided_by_zero_is_no_zero():
    x = sp.Symbol("x")
    zero = sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1
    with pytest.raises(AssertionError, match=r"flat: division by .*, which is 0"):
        proof.require_zero(((x + 1) ** 2 - x**2 - 2 * x - 1) / zero, "flat")


def test_denominators():
    """Equal to 0 for all numbers, for all integers, and at 1 only."""
    x, n = sp.symbols("x n")
    assert not proof.not_zero((x + 1) ** 2 - x**2 - 2 * x - 1)
    assert not proof.not_zero(sp.sin(sp.pi * sp.Symbol("n", integer=True)))
    assert not proof.not_zero(sp.exp(x) * sp.exp(n) - sp.exp(x + n, evaluate=False))
    assert proof.not_zero(x - 1)
    assert proof.not_zero(sp.Integer(1))


def test_a_module_as_a_command_proves_each_of_its_laws():
    made = command(ROOT, "derivations.fairness")
    assert (made.returncode, made.stderr) == (0, "")
    proved = [line.removeprefix("proved  ").split(":")[0] for line in made.stdout.splitlines()]
    assert proved == list(proof.proofs("derivations.fairness"))
    assert len(proved) == 5  # counted by hand


def test_an_unknown_module_ends_with_one_line():
    made = command(ROOT, "derivations.nosuch")
    assert made.returncode == 1
    assert [line.partition(": ")[2] for line in made.stderr.splitlines()] == ["No module named derivations.nosuch"]


def test_a_wrong_proof_is_reported_and_the_status_is_1(tmp_path):
    (tmp_path / "derivations").mkdir()
    for name in ("__init__.py", "proof.py"):
        shutil.copy(ROOT / "derivations" / name, tmp_path / "derivations")
    (tmp_path / "derivations" / "wrong.py").write_text(WRONG, encoding="utf-8")
    made = command(tmp_path, "derivations.wrong")
    assert (made.returncode, made.stderr) == (1, "")
    assert made.stdout.splitlines() == [
        "proved  square: Derive x^2 + 2 x + 1.",
        "failed  cube: the same power: residual x**3 - x**2",
    ]


def test_other_modules_are_no_commands():
    """What imports a proof, such as a test or the handbook, runs none."""
    made = command(ROOT, "derivations.errata.rfcs")
    assert (made.returncode, made.stdout) == (0, "")


#: Modules with proofs that no law names; those of laws run in test_laws_and_derivations.py.
FURTHER = ("loss_load", "loss_load_clipping", "loss_load_convergence", "loss_load_response", "loss_load_unequal",
           "segment_distribution")  # fmt: skip
PROOFS = {f"{module}.{name}": one for module in FURTHER for name, one in proof.proofs(f"derivations.{module}").items()}
PROOFS["segment_distribution.tails"] = segment_distribution.tails  # takes a number of packets


@pytest.mark.long
@pytest.mark.parametrize("one", PROOFS.values(), ids=PROOFS)
def test_every_proof_runs(one):
    assert one() is not None


def test_the_runs_after_a_loss_are_those_of_the_slots():
    """For buffers up to two windows, with numbers in place of symbols, by the simulation of single slots."""
    for trip in range(1, 12):
        for buffer in range(1, 2 * trip + 1):
            followed = receive_buffer.runs(sp.Integer(trip), sp.Integer(buffer))
            assert followed == receive_buffer.slots(trip, buffer, soft=False, length=12 * trip + 12)[0]


def test_a_case_that_does_not_decide_a_sign_is_no_proof():
    a, b = sp.symbols("a b", integer=True, nonnegative=True)
    with pytest.raises(AssertionError, match="the sign of"):
        receive_buffer.runs(3 + a, 2 + b)


def test_a_wrong_count_of_the_discards_is_found(monkeypatch):
    monkeypatch.setattr(receive_buffer.sp, "Min", lambda *some: sp.Max(*some))
    with pytest.raises(AssertionError, match="the largest and the smallest"):
        receive_buffer.discards()
