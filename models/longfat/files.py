"""Atomic writing: files get a temporary name, are synced, and are renamed when all of them are complete."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import TracebackType


class AtomicFiles:
    """Context in which the files of one directory are written; they appear together at its end.

    Parameters
    ----------
    directory : str or Path
        Directory of the files; created if it does not exist.

    Raises
    ------
    ValueError
        If the directory cannot be made or written to: at the start, before anything is computed.

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

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self._pending: dict[Path, Path] = {}

    def __enter__(self) -> AtomicFiles:
        probe = self.path(".probe")
        try:
            made = [place for place in (self.directory, *self.directory.parents) if not place.exists()]
            self.directory.mkdir(parents=True, exist_ok=True)
            for place in made:
                sync(place.parent)
            probe.touch()
        except OSError as error:
            why = "it is a file, not a directory" if isinstance(error, FileExistsError) else error.strerror
            raise ValueError(f"output = {self.directory} cannot be written to: {why}") from None
        finally:
            self._discard()
        return self

    def path(self, name: str) -> Path:
        """Return the path at which to write the file that shall appear as ``name``."""
        if (self.directory / name).is_dir():
            raise ValueError(f"output = {self.directory} cannot be written to: {name} is a directory there")
        temporary = self.directory / f".{name}.{os.getpid()}.part"
        self._pending[temporary] = self.directory / name
        return temporary

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                # A power failure after a rename that came to the disk before the content would leave an empty file.
                for temporary in self._pending:
                    sync(temporary)
                for temporary, final in self._pending.items():
                    os.replace(temporary, final)
                sync(self.directory)
        finally:
            self._discard()

    def _discard(self) -> None:
        for temporary in self._pending:
            try:
                temporary.unlink(missing_ok=True)
            except OSError:
                continue  # the directory is not there or not ours: nothing of ours is left in it
        self._pending.clear()


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a directory, are on the disk.

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
