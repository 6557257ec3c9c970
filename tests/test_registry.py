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


@law(source="{source}", unit="packets", {declaration} load=LOAD)
def number_again(load, *, xp):
    r"""{sentence}

    .. math:: L = \\frac{{\\rho}}{{1 - \\rho}}

    Examples
    --------
    >>> number_again(0.5)
    1.0
    """
    return load / (1 - load)
'''
COMPLETE = {
    "meaning": ', "Offered load"',
    "source": "Ours, 2026",
    "declaration": 'result="L", simulated=SimulatedBy("mm1_number", relative=0.05),',
    "sentence": "Return the mean number of packets in an M/M/1 queue.",
}
CODE = """
import sys
import longfat.laws
longfat.laws.__path__.append(sys.argv[1])
name = sys.argv[2]
"""


def run(folder, name, code):
    """Run code in a new process, in which a folder is part of ``longfat.laws``; return its lines."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    result = subprocess.run(
        [sys.executable, "-c", CODE + code, str(folder), name], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def write(folder, **changes):
    folder.mkdir(exist_ok=True)
    (folder / "new.py").write_text(LAW.format(**COMPLETE | changes))


@pytest.mark.parametrize("package", ["", "fresh"])
def test_a_law_in_a_new_file_is_found_everywhere(tmp_path, package):
    """In the registry, in `verify` with its simulator, in `explore`, in the parametrised tests, and complete."""
    if package:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    write(tmp_path / package)
    place = ".".join(filter(None, ["longfat.laws", package, "new", "number_again"]))
    public = place.removeprefix("longfat.laws.")
    lines = run(
        tmp_path, public,
        """
from longfat.law import registered
[record] = [one for _, one in registered() if one.name == "number_again"]
print(record.place, record.public_name, record(0.5))
import longfat as lf
from longfat.verify import verification
assert name in dict(verification._chosen(None))
row = lf.verify.run(name, quick=True).iloc[0]
print(row["law"], row["numeric"], row["symbolic"], row["simulator"])
from longfat.explore import lookup, simulations
print(name in lookup.chosen(), simulations.simulator(record) is not None)
from tests.laws.declarations import missing
import tests.test_laws
print(missing(record), place := record.place in tests.test_laws.LAWS)
""",
    )  # fmt: skip
    assert lines == [f"{place} {public} 1.0", f"{public} agrees agrees agrees", "True True", "[] True"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"declaration": 'result="L",'}, 'add to @law(...) either simulated=SimulatedBy("NAME"'),
        ({"declaration": 'result="L",'}, 'or not_simulated="REASON"'),
        (
            {"declaration": 'result="L", simulated=SimulatedBy("mm1", relative=1),'},
            "it has to be one of bbr_queue, ",
        ),
        ({"declaration": 'result="L", simulated=SimulatedBy("mm1_number"),'}, "add a tolerance to @law(... simulated="),
        ({"declaration": 'not_simulated="a definition",'}, 'add result="SYMBOL" to @law(...)'),
        ({"source": "somewhere"}, "write in source= of @law(...) a full reference"),
        ({"meaning": ""}, "give the Symbol of load in @law(...) a meaning"),
        ({"sentence": "The mean number."}, 'begin the docstring of the function with "Return ..."'),
    ],
)
def test_what_is_missing_is_said(tmp_path, changes, said):
    write(tmp_path, **changes)
    [line] = run(
        tmp_path, "new.number_again",
        """
from longfat.law import registered
from tests.laws.declarations import missing
print(*missing(dict(registered())["longfat.laws.new.number_again"]))
""",
    )  # fmt: skip
    assert line.startswith(f"new.number_again ({tmp_path}/new.py): ")
    assert said in line
