"""The wheel in a bare environment: what `pip install` brings, how large it is, and which commands run with it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMIT = 500e6  # bytes
SOURCES = ("models", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
# A virtual environment comes with these; they are not ours.
INSTALLERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")

pytestmark = pytest.mark.long


def pip(python, *arguments):
    command = [python, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A fresh virtual environment with the wheel in it, installed as a user does: the folder that holds both."""
    folder = tmp_path_factory.mktemp("wheel")
    reached = pip(sys.executable, "download", "--no-deps", "--dest", str(folder / "probe"), "click")
    if reached.returncode:
        pytest.skip(f"pip reaches no package index: {reached.stderr.strip().splitlines()[-1]}")
    source = folder / "source"  # setuptools writes into the folder that it builds from
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(ROOT / name, source)
    built = pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source))
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("longfat-*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    installed = pip(folder / "venv/bin/python", "install", str(wheel))
    assert installed.returncode == 0, installed.stderr
    return folder


@pytest.fixture
def longfat(environment, tmp_path):
    """Run the installed command in an empty folder, where no source is found; return its output."""

    def run(*arguments):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        command = [environment / "venv/bin/longfat", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=clean, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_size(environment):
    """What was installed, with the byte code that pip writes."""
    (packages,) = environment.glob("venv/lib/python*/site-packages")
    sizes = {}
    for path in packages.rglob("*"):
        if path.is_file():
            name = path.relative_to(packages).parts[0]
            sizes[name] = sizes.get(name, 0) + path.stat().st_size
    ours = {name: size for name, size in sizes.items() if not name.startswith(INSTALLERS)}
    largest = {name: round(size / 1e6, 1) for name, size in sorted(ours.items(), key=lambda item: -item[1])[:12]}
    assert sum(ours.values()) < LIMIT, largest
    assert not {"jax", "jaxlib", "scipy", "matplotlib", "netCDF4"} & ours.keys()


def test_help(longfat):
    text = longfat("--help")
    assert all(command in text for command in ("window", "simulate", "buffer", "benchmark", "verify", "explore"))


def test_window(longfat, tmp_path):
    path = ["--rate", "15Mbit/s", "--rtt", "20ms", "--loss", "1e-3", "--segment", "9kB", "--packet", "900B"]
    assert "0.001" in longfat("window", *path, "--points", "2")
    assert [file.name for file in tmp_path.iterdir()] == ["window.csv"]


def test_simulate(longfat):
    """By name, own schemes beside the scenario included."""
    assert "dumbbell" in longfat("simulate", "--list")
    for name, flows in (("dumbbell", 2), ("mixed", 6)):
        answer = json.loads(longfat("simulate", name, "--json"))
        assert answer["run"]["conservation"]["balanced"] is True
        assert len(answer["flows"]) == flows


def test_buffer(longfat):
    answer = longfat(
        "buffer", "--rate", "1Gbit/s", "--rtt", "100ms", "--product", "60", "--points", "2", "--replications", "2"
    )
    assert "one product" in answer


def test_verify(longfat):
    """Every face but JAX's two, and the derivations, which are not part of the package."""
    answer = json.loads(longfat("verify", "--quick", "--law", "queues.*.md1_wait", "--workers", "1", "--json", "-"))
    (law,) = answer["laws"]
    assert law["agrees"] is True
    assert [law[face]["status"] for face in ("numeric", "simulator")] == ["agrees"] * 2
    assert [law[face]["note"] for face in ("jax", "gradient")] == ["JAX is not installed"] * 2


def test_benchmark(longfat):
    answer = longfat("benchmark", "--experiment", "3", "--scheme", "tahoe,sack")
    assert "Experiment 3: short files" in answer


def test_an_extra_is_added_without_an_index_that_knows_longfat(environment):
    """As the hints say: pip takes the requirements of the extra from the installed package."""
    said = pip(environment / "venv/bin/python", "install", "--dry-run", "--report", "-", "longfat[files]")
    assert said.returncode == 0, said.stderr
    names = {one["metadata"]["name"].lower() for one in json.loads(said.stdout)["install"]}
    assert {"matplotlib", "netcdf4"} <= names
    assert "longfat" not in names
