"""Atomic writing: files are written and synced under temporary names, and renamed when all are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Any

from longfat.base.domains import conflict, out_of_range, wrong_type

#: Size of the largest text file that is read [bytes]. Our choice: a wrong file is refused before it fills the memory.
LONGEST = 1 << 26


def regular(path: str | os.PathLike[str], most: int | None = None) -> Path:
    """Return the path of a regular file; raise an OSError for a directory, pipe or device, whose reading may never end.

    Parameters
    ----------
    path : str or Path
        The file.
    most : int, optional
        Largest size [bytes].

    Raises
    ------
    OSError
        If the file does not exist, is no regular file, or is larger than ``most``; `strerror` has the reason.

    Examples
    --------
    >>> regular("/dev/zero")
    Traceback (most recent call last):
    OSError: [Errno 22] not a regular file: must not be a pipe, a socket or a device: '/dev/zero'
    """
    found = os.stat(path)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file: must not be a pipe, a socket or a device", str(path))
    if most is not None and found.st_size > most:
        raise OSError(errno.EFBIG, f"has {found.st_size} bytes, must have at most {most}", str(path))
    return Path(path)


def text_of(name: str, file: str) -> str:
    """Return the text of a file without its byte-order mark; ``name`` is the argument that gave the file."""
    try:
        return regular(file, LONGEST).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise conflict(f"{name} = {file}", "must be a text in UTF-8") from None


def directory(name: str, value: Any) -> Path:
    """Return the path of a directory; raise an error for other values, and for "", which would mean the current one.

    >>> directory("store", "runs").name
    'runs'
    """
    if not isinstance(value, str | os.PathLike):
        raise wrong_type(name, value, "None or the path of a directory")
    if not os.fspath(value):
        raise out_of_range(name, "''", "1", "the path of a directory")
    return Path(value)


class AtomicFiles:
    """Context manager that writes files to one directory, and gives all of them their final names when it exits.

    Parameters
    ----------
    place : str or Path
        Directory of the files; created if it does not exist, and removed again after an error if it is empty.
    name : str
        Name of the option or argument with the directory, for error messages.

    Raises
    ------
    ValueError
        On entry, if the directory cannot be created or written to.
    OSError
        If a file cannot be written, as on a full disk; the message names the option or argument.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with AtomicFiles(folder) as files:
    ...         _ = files.path("a.txt").write_text("text")
    ...         during = sorted(os.listdir(folder))
    ...     print(len(during), during == ["a.txt"], os.listdir(folder))
    1 False ['a.txt']
    """

    def __init__(self, place: str | Path, name: str = "output") -> None:
        self.directory, self.name = directory(name, place), name
        self._pending: dict[Path, Path] = {}
        self._made: list[Path] = []

    def __enter__(self) -> AtomicFiles:
        try:
            probe = self.path(".probe")
            self._made = [place for place in (self.directory, *self.directory.parents) if not place.exists()]
            self.directory.mkdir(parents=True, exist_ok=True)
            for place in self._made:
                sync(place.parent)
            probe.touch()
        except OSError as error:
            why = "it is a file, not a directory" if isinstance(error, FileExistsError) else error.strerror
            raise ValueError(self._refusal(why)) from None
        finally:
            self._discard()
        return self

    def path(self, name: str) -> Path:
        """Return a temporary path to write to; on exit the file at this path is renamed to ``name``."""
        try:
            taken = (self.directory / name).is_dir()
        except OSError as error:  # the name is too long
            raise ValueError(self._refusal(error.strerror)) from None
        if taken:
            raise ValueError(self._refusal(f"{name} is a directory there"))
        temporary = self.directory / f".{name}.{os.getpid()}.part"
        self._pending[temporary] = self.directory / name
        return temporary

    def forget(self, temporary: Path) -> None:
        """Delete the file at a temporary path, so that it is not renamed on exit."""
        if self._pending.pop(temporary, None) is not None:
            temporary.unlink(missing_ok=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        failed = error if self._is_ours(error) else None
        try:
            if kind is None:
                # Write the content to the disk before the rename. Otherwise a power failure between the two could leave
                # an empty file.
                for temporary in self._pending:
                    sync(temporary)
                for temporary, final in self._pending.items():
                    os.replace(temporary, final)
                sync(self.directory)
        except OSError as found:
            failed = found
        finally:
            self._discard()
        if kind is not None or failed is not None:
            with contextlib.suppress(OSError):  # a directory that is not empty
                for place in self._made:
                    place.rmdir()
        if isinstance(failed, OSError):
            raise OSError(self._refusal(failed.strerror or failed)) from None

    def _is_ours(self, error: BaseException | None) -> bool:
        """Return whether an error names one of these files, or means a full disk or quota, or too large a file."""
        if not isinstance(error, OSError):
            return False
        if error.filename is None:
            return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return Path(os.fsdecode(error.filename)) in self._pending

    def _refusal(self, why: object) -> str:
        return f"{self.name} = {self.directory} cannot be written to: {why}"

    def _discard(self) -> None:
        for temporary in self._pending:
            try:
                temporary.unlink(missing_ok=True)
            except OSError:
                continue  # the directory is missing or inaccessible, so it contains no temporary file
        self._pending.clear()


class GrowingFiles:
    """Files to which chunks are appended; a chunk that could be written only in part is removed."""

    def __init__(self) -> None:
        self._length: dict[Path, int] = {}

    def begin(self, path: Path) -> Path:
        """Register a file, which the first chunk will create; return its path."""
        self._length[path] = 0
        return path

    def empty(self) -> list[Path]:
        """Return the paths of the registered files to which no chunk has been written completely."""
        return [path for path, length in self._length.items() if length == 0]

    def append(self, path: Path, chunk: bytes) -> None:
        """Append a chunk to a file, or create the file with it; on failure remove the chunk and raise an OSError."""
        length = self._length[path]
        try:
            with open(path, "ab" if length else "wb", buffering=0) as file:
                rest = memoryview(chunk)
                while len(rest):
                    rest = rest[file.write(rest) :]
        except OSError:
            if path.exists():
                os.truncate(path, length)
            raise
        self._length[path] = length + len(chunk)


def sync(path: Path) -> None:
    """Wait until the content of a file, or the entries of a directory, are on the disk.

    Nothing happens on systems that cannot sync directories (Windows) and on file systems that cannot sync.
    """
    try:
        place = os.open(path, os.O_RDONLY)
    except OSError:
        if path.is_dir():
            return
        raise
    try:
        os.fsync(place)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(place)
