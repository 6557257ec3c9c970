"""The check of commit messages, and the hooks that call it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import commit_subject

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "message",
    [
        "Drop packets at dequeue",
        "Drop packets at dequeue\n\nThe queue was one packet too long.\n",
        "Refuse windows below one packet\n# Please enter the commit message\n",
        "Merge branch 'work' into topic",
        "S" + "end" + " x" * 34,
    ],
)
def test_good_messages(message):
    assert commit_subject.faults(message) == []


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "must begin with a subject"),
        ("# a comment alone", "must begin with a subject"),
        ("Drops packets at dequeue", "must be imperative: 'Drop', not 'Drops'"),
        ("The queue drops at dequeue", "must begin with an imperative verb, got 'The'"),
        ("drop packets at dequeue", "capital letter"),
        ("Drop packets at dequeue.", "period"),
        ("Drop packets at dequeue\nbecause", "blank line"),
        ("Send" + " x" * 35, "has 74 characters, at most 72 are allowed"),
    ],
)
def test_bad_messages(message, fault):
    (found,) = commit_subject.faults(message)
    assert fault in found


def test_the_hook(tmp_path):
    """As git calls it: the exit status decides, and stderr says why."""
    path = tmp_path / "COMMIT_EDITMSG"
    path.write_text("New window\n")
    command = [sys.executable, "-m", "tests.commit_subject", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("commit message: the subject must begin with an imperative verb, got 'New'")
    path.write_text("Open the window\n")
    assert commit_subject.main(path) == 0


def test_hooks_need_no_download():
    """Each runs a tool of the project's own environment."""
    yaml = pytest.importorskip("yaml", reason="comes with dask")
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [one["repo"] for one in config["repos"]] == ["local"]
    hooks = {hook["id"]: hook for one in config["repos"] for hook in one["hooks"]}
    assert hooks.keys() == {"ruff-check", "ruff-format", "mypy", "commit-subject"}
    assert all(hook["language"] == "system" and hook["entry"].startswith(".venv/bin/") for hook in hooks.values())
    assert hooks["commit-subject"]["stages"] == ["commit-msg"]
    assert hooks["commit-subject"]["entry"].endswith("-m tests.commit_subject")
    assert set(config["default_install_hook_types"]) == {"pre-commit", "commit-msg"}
