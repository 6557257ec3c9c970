"""A directory of finished runs, one small file each, that is whole or absent.

``sweep.json`` says which sweep it is: function, seed, version and grid. ``p3-0_r12.npz`` is replication 12 of the
point at position 3 of the first axis and 0 of the second: the arrays, and under ``about`` a JSON text that says what
they are. ``numpy.load`` reads it without us. A process that is killed leaves at most one hidden file, which does
not count.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from longfat.files import WholeFiles
from longfat.sweeping.points import Grid
from longfat.sweeping.records import Record, Variable

MANIFEST = "sweep.json"
FORMAT = 1
_RUN = re.compile(r"p[\d-]*_r\d+\.npz")


def manifest(directory: Path) -> dict[str, Any] | None:
    """What a store says about itself; None if there is no store yet in this place."""
    try:
        text = (directory / MANIFEST).read_text(encoding="utf-8")
    except FileNotFoundError:
        strange = _strange(directory)
        if strange:
            raise _refusal(directory, f"it holds {', '.join(strange)} and no {MANIFEST}") from None
        return None
    except NotADirectoryError:
        raise _refusal(directory, "it is a file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _refusal(directory, f"{MANIFEST} cannot be read ({error})") from None
    try:
        found = json.loads(text)
        if found["format"] == FORMAT and isinstance(found["identity"], dict) and isinstance(found["grid"], dict):
            return dict(found)
    except (ValueError, KeyError, TypeError):
        pass
    raise _refusal(directory, f"its {MANIFEST} is damaged or of another version")


class Store:
    """The store of one sweep, opened: made if it is not there, refused if it is another's.

    Parameters
    ----------
    directory : Path
        Where it is.
    identity : mapping
        What must be the same for runs to be the same: function, code, seed, version.
    grid : Grid
        Its axes may be longer or shorter than in the store: what both have must be equal.

    Raises
    ------
    ValueError
        If the store is that of another sweep: by what differs.

    Examples
    --------
    >>> import tempfile
    >>> from longfat.sweeping.records import record
    >>> grid = Grid.parse({"load": [0.5, 0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder), {"function": "f"}, grid)
    ...     store.save(1, 0, record(2.5))
    ...     print(sorted(os.listdir(folder)), store.load(0, 0), store.load(1, 0).variables["result"].values)
    ['p1_r0.npz', 'sweep.json'] None 2.5
    """

    def __init__(self, directory: Path, identity: Mapping[str, Any], grid: Grid) -> None:
        self.directory, self._grid = directory, grid
        identity = json.loads(json.dumps(identity))
        axes = grid.values()
        found = manifest(directory)
        if found is not None:
            differences = _differences(found, identity, axes)
            if differences:
                raise ValueError(
                    f"store = {directory} was made by another sweep: {'; '.join(differences)}. Give another directory"
                )
            # The code may have been digested by another interpreter: what is there was checked by the first.
            identity = found["identity"]
            axes = {name: max(axes[name], found["grid"][name], key=len) for name in axes}
        self._fingerprint = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        now = {"format": FORMAT, "identity": identity, "grid": axes}
        if now != found:
            try:
                self._write(MANIFEST, lambda file: file.write(json.dumps(now, indent=1).encode() + b"\n"))
            except OSError as error:
                raise ValueError(str(error)) from None
        strange = _strange(directory)
        if strange:
            self._report(f"{', '.join(strange)} there is no part of the sweep and is left alone")

    def save(self, index: int, replication: int, record: Record) -> None:
        """Keep the record of a run."""
        parts = {"variables": record.variables, "coords": record.coords}
        about: dict[str, Any] = dict(self._about(index, replication))
        arrays: dict[str, np.ndarray] = {}
        for part, variables in parts.items():
            about[part] = {}
            for number, (name, one) in enumerate(variables.items()):  # names may hold what no file name may
                about[part][name] = [f"{part}_{number}", one.dims, one.attrs]
                arrays[f"{part}_{number}"] = one.values
        arrays["about"] = np.array(json.dumps(about))
        self._write(self._name(index, replication), lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]

    def load(self, index: int, replication: int) -> Record | None:
        """The record of a run; None if it is not there, or if what is there is none, which is reported."""
        name = self._name(index, replication)
        try:
            # Opened here: numpy leaves a damaged file open.
            with (self.directory / name).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                about = json.loads(str(arrays["about"]))
                expected = self._about(index, replication)
                if {key: about[key] for key in expected} != expected:
                    self._report(f"{name} there belongs to another sweep and is computed anew")
                    return None
                parts = [
                    {
                        key: Variable(tuple(dims), arrays[array], attrs)
                        for key, (array, dims, attrs) in about[part].items()
                    }
                    for part in ("variables", "coords")
                ]
                return Record(*parts)
        except FileNotFoundError:
            return None
        except Exception as error:  # there are a dozen ways in which a damaged file fails
            self._report(f"{name} there is damaged ({' '.join(str(error).split())}) and is computed anew")
            return None

    def _name(self, index: int, replication: int) -> str:
        return f"p{'-'.join(map(str, self._grid.positions(index)))}_r{replication}.npz"

    def _about(self, index: int, replication: int) -> dict[str, Any]:
        return {"sweep": self._fingerprint, "point": self._grid.point(index), "replication": replication}

    def _write(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        try:
            with WholeFiles(self.directory) as files, files.path(name).open("wb") as file:
                write(file)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error).partition(" cannot be written to: ")[2] or str(error)
            raise OSError(f"store = {self.directory} cannot be written to: {why}") from None

    def _report(self, text: str) -> None:
        warnings.warn(f"store = {self.directory}: {text}", UserWarning, stacklevel=2)


def _strange(directory: Path) -> list[str]:
    """Names in a directory that are none of ours; hidden files are nobody's business."""
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []
    return [name for name in names if name != MANIFEST and not _RUN.fullmatch(name)][:3]


def _refusal(directory: Path, why: str) -> ValueError:
    return ValueError(
        f"store = {directory} is out of range: {why}; allowed are the directory of an earlier sweep, an empty one, "
        "or one that is not there"
    )


def _differences(found: dict[str, Any], identity: Mapping[str, Any], axes: dict[str, list[Any]]) -> list[str]:
    """What differs between a store and a sweep, in words."""
    words = []
    for key in sorted(found["identity"].keys() | identity.keys()):
        there: Any = found["identity"].get(key)
        here: Any = identity.get(key)
        if key == "code":
            # Instructions of two kinds of interpreter cannot be compared.
            if there and here and there[0] == here[0] and there[1] != here[1]:
                words.append("the code of the function has been changed since")
        elif key == "rng":
            words += [
                f"{key} has {part} {there[part]} there and {here[part]} here"
                for part in here
                if there[part] != here[part]
            ]
        elif there != here:
            words.append(f"{key} is {there} there and {here} here")
    names = list(found["grid"])
    if names != list(axes):
        return [*words, f"the axes are {', '.join(names)} there and {', '.join(axes)} here"]
    for name in names:
        for position, (there, here) in enumerate(zip(found["grid"][name], axes[name], strict=False)):
            if json.dumps(there) != json.dumps(here):  # 1 and 1.0 are two things to a function
                words.append(f"{name}[{position}] is {there!r} there and {here!r} here")
                break
    return words
