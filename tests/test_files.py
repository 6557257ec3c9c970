"""Files are written in full or not at all."""

import errno
import os

import pytest

from longfat.base.files import AtomicFiles


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupted_run_leaves_what_was_there(tmp_path, error):
    (tmp_path / "a").write_text("old")

    def interrupted(folder):
        with AtomicFiles(folder) as files:
            files.path("a").write_text("half")
            raise error

    for folder in (tmp_path, tmp_path / "new" / "folder"):
        with pytest.raises(error):
            interrupted(folder)
        assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a", "old")]


def test_a_new_directory_goes_if_no_file_can_have_its_name(tmp_path):
    with pytest.raises(OSError, match="No such file"), AtomicFiles(tmp_path / "new" / "folder") as files:
        files.path("never written")
    assert list(tmp_path.iterdir()) == []


def test_files_are_synced_before_and_after_they_appear(tmp_path, monkeypatch):
    """A rename may reach the disk before content that was not synced, and not at all before the directory is synced."""
    called = []
    fsync, replace = os.fsync, os.replace

    def syncing(place):
        called.append(os.readlink(f"/proc/self/fd/{place}"))
        fsync(place)

    def replacing(one, other):
        called.append(f"{one} -> {other}")
        replace(one, other)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "replace", replacing)
    place = tmp_path / "new" / "files"
    with AtomicFiles(place) as files:
        parts = [files.path(name) for name in ("a.csv", "b.csv")]
        for part in parts:
            part.touch()
    renames = [f"{part} -> {place / name}" for part, name in zip(parts, ("a.csv", "b.csv"), strict=True)]
    assert called == [str(tmp_path / "new"), str(tmp_path), *map(str, parts), *renames, str(place)]


def test_unwritable(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ValueError, match=r"output = .*file.* cannot be written to"),
        AtomicFiles(tmp_path / "file" / "x"),
    ):
        pass
    with pytest.raises(ValueError, match="cannot be written to"), AtomicFiles("/proc/nowhere"):
        pass
    with (
        pytest.raises(ValueError, match=r"output = a{300} cannot be written to: File name too long"),
        AtomicFiles("a" * 300),
    ):
        pass


def test_a_full_disk(tmp_path):
    """The error of the system names no file; the message names option and directory, and nothing is left."""

    def fill(error):
        with AtomicFiles(tmp_path, "figure") as files:
            files.path("a").write_text("half")
            raise error

    with pytest.raises(OSError, match=f"^figure = {tmp_path} cannot be written to: No space left on device$"):
        fill(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with pytest.raises(FileNotFoundError, match="no_such_input"):  # of another file
        fill(FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "no_such_input"))
    assert list(tmp_path.iterdir()) == []
