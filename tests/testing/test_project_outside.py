"""A project of its own, in a virtual environment with the wheel of longfat: the one that docs/testing.md shows.

Nothing is downloaded: the wheel is built and installed without an index, and what it requires is taken from the
environment of this test, to which the project's own comes first.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.processes import copy_of

ROOT = Path(__file__).parents[2]
BUILT_FROM = ("models", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
OFFLINE = ("--no-deps", "--no-index", "--no-cache-dir", "--quiet", "--disable-pip-version-check")
#: What the wheel brings to other projects, seen from within one.
ENTRY_POINT = """
import importlib.metadata as metadata
import longfat
print(longfat.__file__)
(one,) = metadata.entry_points(group="pytest11", name="longfat.testing.pytest_plugin")
print(one.dist.locate_file(""), one.load().__name__)
"""


def blocks():
    """Return the blocks of the page's section: the project's files by name, and what pytest prints."""
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    section = page.split("## In a project of its own\n")[1].split("\n## ")[0]
    files = dict(re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL))
    *_, (language, printed) = re.findall(r"^```(\w*)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert not language
    return files, printed


class Project:
    """A folder with the files of the page, and a virtual environment with the wheel."""

    def __init__(self, folder, files):
        self.folder, self.python = folder / "project", folder / "venv" / "bin" / "python"
        self.folder.mkdir()
        for name, text in files.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.run(sys.executable, "-m", "pip", "--python", self.python, "install", *OFFLINE, wheel(folder))
        (self.packages,) = folder.glob("venv/lib/python*/site-packages")
        (self.packages / "requirements.pth").write_text(str(Path(np.__file__).parents[1]), encoding="utf-8")

    def run(self, *command, status=0):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=clean(), check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def pytest(self, status):
        return self.run(self.python, "-m", "pytest", "-p", "no:cacheprovider", status=status)


def clean():
    """Return the environment without what would lead to this checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "PIP_"))}


def wheel(folder):
    """Return a wheel built from a copy of the sources, because setuptools writes into the folder that it builds."""
    source = copy_of(BUILT_FROM, folder / "source")
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", *OFFLINE, "--wheel-dir", folder, source]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=clean(), check=False)
    if done.returncode:
        pytest.skip(f"no wheel can be built here: {done.stderr.strip().splitlines()[-1]}")
    (built,) = folder.glob("longfat-*.whl")
    return built


def test_the_page_has_the_project():
    """As one that builds would say; its Python compiles."""
    files, printed = blocks()
    assert list(files) == ["pyproject.toml", "waiting.py", "test_waiting.py"]
    for name in list(files)[1:]:
        compile(files[name], name, "exec")
    assert printed.startswith("mean_wait differs at ")


@pytest.mark.long
def test_a_project_outside(tmp_path):
    """One test, so that one process alone builds and installs."""
    files, printed = blocks()
    project = Project(tmp_path, files)
    package, loaded = project.run(project.python, "-c", ENTRY_POINT).splitlines()
    assert Path(package).is_relative_to(project.packages)
    assert loaded == f"{project.packages} longfat.testing.pytest_plugin"

    said = project.pytest(1)
    lines = [line.removeprefix("E   longfat.testing.holding.Disagreement: ").strip() for line in said.splitlines()]
    start = lines.index(printed.splitlines()[0])
    expected = [line.strip() for line in printed.splitlines()]
    assert lines[start : start + len(expected)] == expected
    assert re.search(r"mean_wait +load=0.3806 variation=0.4104 .* differs", said)

    right = files["waiting.py"].replace("(1 + variation)", "(1 + variation**2)")
    assert right != files["waiting.py"]
    (project.folder / "waiting.py").write_text(right, encoding="utf-8")
    said = project.pytest(0)
    assert len(re.findall(r"^ *mean_wait .* agrees ", said, re.MULTILINE)) == 8
