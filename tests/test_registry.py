"""A law in a new file, with nothing else touched, is found everywhere, or a message says what its declaration lacks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAW = '''
"""A law of a new file."""

from longfat.law import SimulatedBy, Symbol, law

LOAD = Symbol(r"\\rho", "1", "[0, 1)", (0.05, 0.8){meaning})


@law(source="{source}", {declaration} load=LOAD)
def number_again(load, *, xp):
    r"""{sentence}

    .. math:: L = \\frac{{\\rho}}{{1 - \\rho}}

    >>> number_again(0.5)
    1.0
    """
    return load / (1 - load)
'''
COMPLETE = {
    "meaning": ', "Offered load"',
    "source": "Ours, 2026",
    "declaration": 'result="L [packets]", simulated=SimulatedBy("mm1_number", relative=0.05),',
    "sentence": "Return the mean number of packets in an M/M/1 queue.",
}
CODE = """
import sys
import longfat.laws
longfat.laws.__path__.append(sys.argv[1])
names = sys.argv[2:]
"""


def run(folder, names, code):
    """Run code in a new process, in which a folder is part of ``longfat.laws``; return its lines."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    result = subprocess.run(
        [sys.executable, "-c", CODE + code, str(folder), *names], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def write(folder, name="new", **changes):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(LAW.format(**COMPLETE | changes))


LACKING = [
    (
        {"declaration": 'result="L [packets]",'},
        ['add to @law(...) either simulated=SimulatedBy("NAME"', 'or not_simulated="REASON"'],
    ),
    (
        {"declaration": 'result="L [1]", simulated=SimulatedBy("mm1", relative=1),'},
        ["it has to be one of bbr_queue, "],
    ),
    (
        {"declaration": 'result="L [1]", simulated=SimulatedBy("mm1_number"),'},
        ["add a tolerance to @law(... simulated="],
    ),
    ({"declaration": 'result="[packets]", not_simulated="a definition",'}, ["write the symbol of the result before"]),
    ({"source": "somewhere"}, ["write in source= of @law(...) a full reference"]),
    ({"meaning": ""}, ["give the Symbol of load in @law(...) a meaning"]),
    ({"sentence": "The mean number."}, ['begin the docstring of the function with "Return ..."']),
]
FILES = [f"lacking_{k}" for k in range(len(LACKING))]
COMPLETE_ONES = ("new.number_again", "fresh.new.number_again")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Return the folder of all new laws, and the output of one new process on them (its imports take most of the time).

    Two laws are complete, one of them in a package of its own.
    """
    folder = tmp_path_factory.mktemp("laws")
    write(folder)
    write(folder / "fresh")
    (folder / "fresh" / "__init__.py").write_text("")
    for file, (changes, _) in zip(FILES, LACKING, strict=True):
        write(folder, file, **changes)
    return folder, run(
        folder, [*COMPLETE_ONES, *(f"{file}.number_again" for file in FILES)],
        """
import longfat as lf
import tests.test_laws
from longfat.explore import simulations, state
from longfat.law import registered
from longfat.verify import verification
from tests.laws.declarations import missing
for name in names[:2]:
    record = dict(registered())[f"longfat.laws.{name}"]
    print(record.public_name, record(0.5))
    assert name in dict(verification._chosen(None))
    print(name in state.chosen(), simulations.simulator(record) is not None)
    print(missing(record), record.place in tests.test_laws.LAWS)
row = lf.verify.run(names[0], quick=True).iloc[0]
print(row["law"], row["numeric"], row["symbolic"], row["simulator"])
for name in names[2:]:
    print(*missing(dict(registered())[f"longfat.laws.{name}"]))
import jax  # as a user has it: no conftest.py has run
import longfat.fluid
print(jax.config.jax_enable_x64)
""",
    )  # fmt: skip


def test_a_law_in_a_new_file_is_found_everywhere(said):
    """In the registry, in `verify` with its simulator, in `explore`, in the parametrised tests, and complete."""
    assert said[1][:7] == [
        *(line for name in COMPLETE_ONES for line in (f"{name} 1.0", "True True", "[] True")),
        f"{COMPLETE_ONES[0]} agrees agrees agrees",
    ]


def test_no_import_and_no_check_leaves_jax_in_64_bits(said):
    """JAX's default is 32 bits, and the program of a user may need it."""
    assert said[1][-1] == "False"


def test_missing_declarations_are_reported(said):
    folder, lines = said
    for file, line, (_, wanted) in zip(FILES, lines[7:-1], LACKING, strict=True):
        assert line.startswith(f"{file}.number_again ({folder}/{file}.py): ")
        assert all(words in line for words in wanted)
