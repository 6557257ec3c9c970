"""Users' Python files: plug-ins and laws found in them, and one sentence for each error in them."""

import os
import subprocess
import sys

import pytest

from longfat.base import user_files
from longfat.benchmark import entry
from longfat.law import Law
from longfat.sim import Scheme
from longfat.sim.network import scenario

ONE = "from longfat.sim import Scheme\ndef ack(flow, event):\n    return 4.0\nfour = Scheme('four packets', ack=ack)\n"
TWO = ONE + "five = Scheme('five packets', ack=ack)\nagain = four\n"
LAW = """
from longfat.law import Symbol, law
from longfat.laws.queues import md1_wait

@law(source="notes", result="[1]", x=Symbol("x", "1", "[0, 1]", typical=(0, 1)))
def half(x, *, xp):
    return x / 2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_by_variable_by_name_and_alone(folder):
    (folder / "mine.py").write_text(ONE)
    for text in ("mine.py:four", "mine.py:four packets", "mine.py", "mine.py:", str(folder / "mine.py")):
        assert user_files.read(text, Scheme).name == "four packets"
    assert [path.name for path in folder.iterdir()] == ["mine.py"]  # nothing is written beside it


def test_several(folder):
    (folder / "mine.py").write_text(TWO)
    with pytest.raises(ValueError, match=r"^scheme = 'mine.py': the file defines four, five; name one, as in mine"):
        user_files.read("mine.py", Scheme, what="scheme")
    assert user_files.read("mine.py:five", Scheme).name == "five packets"


def test_a_law_that_is_only_imported_is_not_the_one(folder):
    (folder / "mine.py").write_text(LAW)
    assert user_files.read("mine.py", Law).name == "half"
    assert user_files.read("mine.py:md1_wait", Law).name == "md1_wait"
    assert user_files.read("mine.py:half", Law)(0.5) == 0.25


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise SystemExit(3)", "mine.py cannot be run: SystemExit: 3 (line 1)"),
        ("class Own(BaseException): pass\nraise Own('x\\ny')", "mine.py cannot be run: Own: x y (line 2)"),
        ("raise GeneratorExit", "mine.py cannot be run: GeneratorExit:"),
        ("open('absent.csv')", "mine.py cannot be run: FileNotFoundError: [Errno 2] No such file"),
        ("def f(:", "mine.py cannot be run: SyntaxError: "),
        ("\0", "mine.py cannot be run: "),
        ("def f(): f()\nf()", "mine.py cannot be run: RecursionError"),
        (
            "class Own(Exception):\n    def __str__(self):\n        1 / 0\nraise Own",
            "mine.py cannot be run: Own: without a message (line 4)",
        ),
        ("four = 4", "mine.py defines no Scheme"),
        (
            ONE.replace("four =", "fourth ="),
            "mine.py: name 'four' is unknown; did you mean 'fourth'? ",
        ),
        (ONE + "four = 4\nother = Scheme('x', ack=ack)", "scheme = 'mine.py:four' has the type int: must be a Scheme"),
        (None, "mine.py cannot be read: No such file or directory"),
    ],
)
def test_errors_of_a_file_are_one_line(folder, source, words):
    if source is not None:
        (folder / "mine.py").write_text(source)
    for read in (lambda: user_files.read("mine.py:four", Scheme, what="scheme"), lambda: entry("mine.py:four")):
        with pytest.raises(ValueError, match=r"mine\.py") as caught:
            read()
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_endless_files_are_not_read(folder):
    os.mkfifo(folder / "mine.py")
    (folder / "net.toml").symlink_to("/dev/zero")
    words = "cannot be read: not a regular file: must not be a pipe, a socket or a device"
    with pytest.raises(ValueError, match=rf"mine\.py {words}"):
        user_files.read("mine.py:four", Scheme, what="scheme")
    with pytest.raises(ValueError, match=rf"net\.toml {words}"):
        scenario.load("net.toml")
    (folder / "net.toml").unlink()
    with (folder / "net.toml").open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(ValueError, match=r"net\.toml cannot be read: has 1073741824 bytes, must have at most 67108864"):
        scenario.load("net.toml")


def test_ctrl_c_of_the_user_is_no_fault_of_the_file(folder):
    (folder / "mine.py").write_text("raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        user_files.read("mine.py", Scheme)


def test_each_file_is_run_once(folder):
    (folder / "mine.py").write_text(ONE + "with open('runs', 'a') as file:\n    file.write('.')\n")
    files = user_files.Files(folder)
    assert files.read("mine.py:four", Scheme) is files.read("mine.py", Scheme)
    assert (folder / "runs").read_text() == "."


NET = """
link = [{{from = "a", to = "b", rate = "1 Mbit/s", buffer = 10, duplex = true}}]
flow = [{{scheme = "{}", path = ["a", "b"], file = "50 kB"}}]
"""


def test_a_scenario_names_files_of_its_folder(folder):
    (folder / "below").mkdir()
    (folder / "below" / "mine.py").write_text(ONE)
    for name in ("below/mine.py:four", "below/mine.py", "./below/mine.py:four packets"):
        (folder / "net.toml").write_text(NET.format(name))
        assert scenario.load("net.toml")[0].flows[0].scheme.name == "four packets"


def test_a_scheme_and_a_discipline_in_one_file_need_no_names(folder):
    discipline = "from longfat.sim.queues import ENQUEUE, Discipline\ndef enqueue(link, packet, now):\n"
    (folder / "mine.py").write_text(
        ONE + discipline + "    return ENQUEUE\nmine = Discipline('mine', enqueue=enqueue)\n"
    )
    text = NET.format("mine.py").replace("buffer = 10", 'buffer = 10, discipline = "mine.py"')
    (folder / "net.toml").write_text(text)
    net, _ = scenario.load("net.toml")
    assert net.flows[0].scheme.name == "four packets"
    assert {link.discipline.name for link in net.links.values()} == {"mine"}


@pytest.mark.parametrize("how", ["absolute", "..", "link", "linked folder"])
def test_a_scenario_does_not_run_files_elsewhere(folder, how):
    """Not before it is trusted: the file would show that it was run."""
    (folder / "elsewhere").mkdir()
    (folder / "here").mkdir()
    file = folder / "elsewhere" / "mine.py"
    file.write_text(ONE + f"open({str(folder / 'was-run')!r}, 'w').close()")
    names = {"absolute": f"{file}:four", "..": "../elsewhere/mine.py:four", "link": "link.py:four",
             "linked folder": "linked/mine.py:four"}  # fmt: skip
    os.symlink(file, folder / "here" / "link.py")
    os.symlink(folder / "elsewhere", folder / "here" / "linked")
    (folder / "here" / "net.toml").write_text(NET.format(names[how]))
    with pytest.raises(ValueError, match=r"net.toml: flow 1: '.*:four' is outside the folder .* --trust"):
        scenario.load(folder / "here" / "net.toml")
    assert not (folder / "was-run").exists()
    assert scenario.load(folder / "here" / "net.toml", trust=True)[0].flows[0].scheme.name == "four packets"
    assert (folder / "was-run").exists()


def test_a_file_may_import_what_commands_hide_from_xarray(tmp_path):
    """Importing dask takes a second that commands save; a file that needs it gets it all the same."""
    pytest.importorskip("dask")
    (tmp_path / "mine.py").write_text("import dask\nanswer = dask.__name__\n")
    program = (
        "import importlib\nfrom longfat.base import user_files\nuser_files.hide_clusters()\n"
        "try:\n    importlib.import_module('dask')\nexcept ModuleNotFoundError:\n    print('hidden')\n"
        "print(user_files.read('mine.py:answer', str))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout == "hidden\ndask\n"
