"""The wheel in a bare environment: what `pip install` brings, how large it is, and which commands run with it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMIT = 650e6  # bytes
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

    def run(self, *command):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(command, capture_output=True, text=True, cwd=self.work, env=clean, check=False)

    def pip(self, python, *arguments):
        done = self.run(python, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def longfat(self, *arguments):
        """Run the installed command; return its output."""
        done = self.run(self.folder / "venv/bin/longfat", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def reach_an_index(self):
        done = self.run(sys.executable, "-m", "pip", "download", "--no-deps", "--dest", self.folder / "probe", "click")
        if done.returncode:
            pytest.skip(f"pip reaches no package index: {done.stderr.strip().splitlines()[-1]}")

    def wheel(self):
        source = self.folder / "source"  # setuptools writes into the folder that it builds from
        source.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(ROOT / name, source)
        self.pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", self.folder, source)
        (wheel,) = self.folder.glob("longfat-*.whl")
        return wheel


@pytest.mark.long
def test_the_wheel_in_a_bare_environment(tmp_path):
    """One test, so that one process alone installs."""
    bare = Bare(tmp_path)
    check_size(bare)
    check_commands(bare)
    check_scenarios(bare)
    check_verify(bare)
    check_extra(bare)


def check_size(bare):
    """What was installed, with the byte code that pip writes."""
    (packages,) = bare.folder.glob("venv/lib/python*/site-packages")
    sizes = {}
    for path in packages.rglob("*"):
        name = path.relative_to(packages).parts[0]
        if path.is_file() and not name.startswith(INSTALLERS):
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    largest = {name: round(size / 1e6, 1) for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:12]}
    assert sum(sizes.values()) < LIMIT, largest
    assert not {"jax", "jaxlib", "matplotlib", "netCDF4"} & sizes.keys()


def check_commands(bare):
    text = bare.longfat("--help")
    assert all(command in text for command in ("window", "simulate", "buffer", "benchmark", "verify", "explore"))
    path = ["--scheme", "selective-repeat", "--rate", "15Mbit/s", "--rtt", "20ms", "--loss", "1e-3"]
    path += ["--segment", "9kB", "--packet", "900B", "--output", "."]
    assert "0.001" in bare.longfat("window", *path, "--points", "2")
    path = ["--rate", "1Gbit/s", "--rtt", "100ms", "--bdp", "60"]
    assert "one BDP" in bare.longfat("buffer", *path, "--points", "2", "--replications", "2", "--output", ".")
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
