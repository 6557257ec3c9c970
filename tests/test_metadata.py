"""What the package says of itself is the same everywhere."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

import longfat

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def setup():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    return config


@pytest.fixture(scope="module")
def citation():
    yaml = pytest.importorskip("yaml", reason="comes with dask")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_citation(citation, setup):
    """The keys that the schema of the Citation File Format 1.2.0 requires, and the package's own words."""
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= citation.keys()
    assert citation["type"] == "software"
    assert str(citation["version"]) == longfat.__version__
    assert citation["license"] == setup["metadata"]["license"]
    assert [author["name"] for author in citation["authors"]] == [setup["metadata"]["author"]]
    assert citation["authors"][0]["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_every_requirement_has_its_reason(setup):
    """A comment stands above each, or above the extra."""
    lines = (ROOT / "setup.cfg").read_text(encoding="utf-8").splitlines()
    begin = lines.index("install_requires =")
    for before, line in zip(lines[begin:], lines[begin + 1 :], strict=False):
        if line.startswith("[options.packages.find]"):
            break
        if re.match(r"\s+[\w-]+ >=", line):
            assert before.strip().startswith("#"), line


def test_the_lock_file_has_hashes_of_what_is_required(setup):
    """Every package of the base, by exact version, each with hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([\w.-]+)==([\w.]+)[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
    )
    assert len(entries) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
    locked = {name for name, _, _ in entries}
    wanted = re.findall(r"^([\w-]+) >=", setup["options"]["install_requires"], re.MULTILINE)
    assert {name.lower() for name in wanted} <= locked
    assert {"jax", "matplotlib", "jupyterlab", "distributed", "pytest", "ruff"} <= locked
