"""The wheel in a bare environment: what `pip install` brings, how large it is, and which commands run with it.

The wheel is that of `make wheel`, with the simulators' compiled code.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import copy_of

ROOT = Path(__file__).parents[1]
LIMIT = 670e6  # bytes, of which 18e6 are compiled code
LARGEST_WHEEL = 10e6  # bytes
SOURCES = ("models", "docs", "setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
# A virtual environment comes with these; they are not ours.
INSTALLERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")


class Bare:
    """A fresh virtual environment with the wheel in it, installed as a user does, and an empty folder to work in."""

    def __init__(self, folder):
        self.folder, self.python, self.work = folder, folder / "venv/bin/python", folder / "work"
        self.work.mkdir()
        self.reach_an_index()
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.pip(self.python, "install", self.wheel())

    def run(self, *command, **environment):
        """Run a command; a variable of its environment that is empty is not set."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
        clean = {name: value for name, value in (clean | environment).items() if value}
        return subprocess.run(command, capture_output=True, text=True, cwd=self.work, env=clean, check=False)

    def pip(self, python, *arguments, **environment):
        done = self.run(python, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check", **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def longfat(self, *arguments, **environment):
        """Run the installed command; return its output."""
        done = self.run(self.folder / "venv/bin/longfat", *arguments, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def reach_an_index(self):
        done = self.run(sys.executable, "-m", "pip", "download", "--no-deps", "--dest", self.folder / "probe", "click")
        if done.returncode:
            pytest.skip(f"pip reaches no package index: {done.stderr.strip().splitlines()[-1]}")

    def wheel(self):
        source = copy_of(SOURCES, self.folder / "source")  # setuptools writes into the folder that it builds from
        # The compiler is in this environment, not in an isolated one.
        here = ["--no-deps", "--no-build-isolation", "--wheel-dir", self.folder, source]
        self.pip(sys.executable, "wheel", *here, LONGFAT_COMPILED="1")
        (wheel,) = self.folder.glob("longfat-*.whl")
        assert f"-cp{sys.version_info[0]}{sys.version_info[1]}-" in wheel.name
        assert wheel.stat().st_size < LARGEST_WHEEL
        return wheel

    @property
    def packages(self):
        (found,) = self.folder.glob("venv/lib/python*/site-packages")
        return found

    def compiled(self):
        """Return the files with compiled code, and their content."""
        return {path: path.read_bytes() for path in self.packages.glob("longfat/**/*.nb[ic]")}


@pytest.mark.long
def test_the_wheel_in_a_bare_environment(tmp_path):
    """One test, so that one process alone installs."""
    bare = Bare(tmp_path)
    check_size(bare)
    check_compiled(bare)
    check_commands(bare)
    check_scenarios(bare)
    check_verify(bare)
    check_extra(bare)


def check_size(bare):
    """What was installed, with the byte code that pip writes."""
    sizes = {}
    for path in bare.packages.rglob("*"):
        name = path.relative_to(bare.packages).parts[0]
        if path.is_file() and not name.startswith(INSTALLERS):
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    largest = {name: round(size / 1e6, 1) for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:12]}
    assert sum(sizes.values()) < LIMIT, largest
    assert not {"jax", "jaxlib", "matplotlib", "netCDF4"} & sizes.keys()


def simulated(run, **environment):
    """Run a scenario; return what it says but for the time that it took."""
    answer = json.loads(run("simulate", "dumbbell", "--json", **environment))
    return {name: value for name, value in answer["run"].items() if name != "wall_time"}, answer["flows"]


def check_compiled(bare):
    """The first simulation compiles nothing, on any processor; the numbers are those of code for this processor."""
    shipped = bare.compiled()
    here = Path(sys.executable).with_name("longfat")
    fresh = simulated(lambda *arguments: subprocess.run([here, *arguments], capture_output=True, check=True).stdout)
    for environment in (
        {},
        {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+sse2"},
        {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator"},
    ):
        assert simulated(bare.longfat, **environment) == fresh
        assert bare.compiled() == shipped
    (loop,) = (path for path in shipped if path.name.startswith("loop.run") and path.suffix == ".nbc")
    content = bytearray(shipped[loop])
    content[len(content) // 3] ^= 1
    loop.write_bytes(content)
    assert simulated(bare.longfat) == fresh
    assert set(bare.compiled()) - set(shipped)  # compiled again
    loop.write_bytes(shipped[loop])


def check_commands(bare):
    text = bare.longfat("--help")
    assert all(command in text for command in ("window", "simulate", "buffer", "benchmark", "verify", "explore"))
    path = ["--rate", "15Mbit/s", "--rtt", "20ms", "--loss", "1e-3", "--no-simulation", "--output", "."]
    assert "the link: 14.1 to 14.5 Mbit/s" in bare.longfat("window", *path)  # 15 x 1448/1538 and 15 x 1448/1500
    path = ["--rate", "12Mbit/s", "--rtt", "60ms"]
    assert "one BDP" in bare.longfat("buffer", *path, "--replications", "2", "--output", ".")
    assert sorted(file.name for file in bare.work.iterdir()) == ["buffer.csv", "window.csv"]
    assert "Experiment 3: short files" in bare.longfat("benchmark", "--experiment", "3", "--scheme", "tahoe,sack")


def check_scenarios(bare):
    """By name; a scheme beside the scenario is found, too."""
    assert "dumbbell" in bare.longfat("simulate", "--list")
    for name, flows in (("dumbbell", 2), ("mixed", 5)):
        answer = json.loads(bare.longfat("simulate", name, "--json"))
        assert answer["run"]["conservation"]["balanced"] is True
        assert len(answer["flows"]) == flows


def check_verify(bare):
    """Every face but JAX's two; the derivations are not part of the package."""
    answer = bare.longfat("verify", "--quick", "--law", "queues.*.md1_wait", "--workers", "1", "--json", "-")
    (law,) = json.loads(answer)["laws"]
    assert law["agrees"] is True
    assert [law[face]["status"] for face in ("numeric", "simulator")] == ["agrees"] * 2
    assert [law[face]["remark"] for face in ("jax", "gradient")] == ["JAX is not installed"] * 2


def check_extra(bare):
    """As the hints say: pip takes the requirements of an extra from the installed package, no index knows longfat."""
    report = json.loads(bare.pip(bare.python, "install", "--dry-run", "--report", "-", "longfat[files]"))
    names = {one["metadata"]["name"].lower() for one in report["install"]}
    assert {"matplotlib", "netcdf4"} <= names
    assert "longfat" not in names
