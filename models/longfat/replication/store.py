"""Store of finished runs: a directory with one small file for each run; a file is complete or absent.

``p3-0_r12.npz`` is replication 12 of the point at position 3 of the first axis and 0 of the second: the arrays, and
under ``about`` a JSON text that describes them and identifies the sweep: function, seed, version and point.
``numpy.load`` reads it without longfat. A file gets its final name when it is complete; a process that is killed leaves
a hidden file, which is ignored.

Runs are not synced to the disk, which would take about 8 ms each. By default Linux writes data that are older than 30 s
every 5 s (kernel documentation, sysctl/vm, dirty_expire_centisecs and dirty_writeback_centisecs), and ext4 its journal
every 5 s (filesystems/ext4, commit): a power failure may lose or damage runs of the last 40 s. A run that is lost or
damaged is computed anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from longfat.base.files import AtomicFiles, regular
from longfat.replication.grid import Grid
from longfat.replication.outcomes import Record, Variable

_RUN = re.compile(r"p[\d-]*_r\d+\.npz")


@contextlib.contextmanager
def _arrays(path: Path) -> Iterator[Mapping[str, np.ndarray]]:
    """Open the file of a run, whose arrays are not compressed; raise a ValueError if they are larger than the file."""
    with regular(path).open("rb") as file:  # opened here, because numpy does not close a damaged file
        unpacked = sum(one.file_size for one in zipfile.ZipFile(file).infolist())
        if unpacked > (size := path.stat().st_size):
            raise ValueError(f"unpacks to {unpacked} bytes, must be at most the {size} bytes of the file")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays


def _first_run(directory: Path) -> dict[str, Any] | None:
    """Return the description of the first intact run of a store; None if it has none; refuse other directories."""
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except FileNotFoundError:
        return None
    except OSError as error:
        why = "it is a file" if isinstance(error, NotADirectoryError) else f"it cannot be read ({error.strerror})"
        raise _refusal(directory, why) from None
    runs = [name for name in names if _RUN.fullmatch(name)]
    if names and not runs:
        raise _refusal(directory, f"it holds {', '.join(names[:3])} and no runs")
    for name in runs:
        # Damaged files raise a dozen kinds of errors; `Store.load` reports them.
        with contextlib.suppress(Exception), _arrays(directory / name) as arrays:
            about: dict[str, Any] = json.loads(arrays["about"].item())
            if {"sweep", "point", "replication"} <= about.keys():
                return about
    return None


class Store:
    """Store of one sweep; ``first`` describes its first intact run, and is None if there is none.

    >>> import tempfile
    >>> from longfat.replication.outcomes import record
    >>> grid = Grid.parse({"load": [0.5, 0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder))
    ...     store.open({"function": "f"}, grid)
    ...     store.save(1, 0, record(2.5))
    ...     print(os.listdir(folder), store.load(0, 0), store.load(1, 0).variables["result"].values)
    ['p1_r0.npz'] None 2.5
    """

    def __init__(self, directory: Path) -> None:
        self.directory, self.first = directory, _first_run(directory)

    def open(self, identity: Mapping[str, Any], grid: Grid) -> None:
        """Open the store for a sweep, and create it if it does not exist; refuse the store of another sweep.

        ``identity`` is everything that determines the runs, except the points: function, code, seed, version. An axis
        of the grid may be longer or shorter than in the store; the common values must be equal.
        """
        self._grid, self._identity = grid, json.loads(json.dumps(identity))
        if self.first is not None:
            words = _differences(self.first["sweep"], self._identity)
            there = self.first["point"]
            if [*there] != [*grid.names]:
                words.append(f"the axes are {', '.join(there)} there and {', '.join(grid.names)} here")
            if words:
                raise self._of_another(words)
        with AtomicFiles(self.directory, "store"):  # creates the directory, and refuses one that cannot be written to
            pass

    def save(self, index: int, replication: int, record: Record) -> None:
        """Write the record of a run to a file, under a hidden name until it is complete."""
        parts = {"variables": record.variables, "coords": record.coords}
        about: dict[str, Any] = {
            "sweep": self._identity, "point": self._grid.point(index), "replication": replication
        }  # fmt: skip
        arrays: dict[str, np.ndarray] = {}
        for part, variables in parts.items():
            about[part] = {}
            # Arrays are numbered, because the names of variables may contain characters that file names may not.
            for number, (name, one) in enumerate(variables.items()):
                about[part][name] = [f"{part}_{number}", one.dims, one.attrs]
                arrays[f"{part}_{number}"] = one.values
        arrays["about"] = np.array(json.dumps(about).encode())
        final = self.directory / self._name(index, replication)
        temporary = final.with_name(f".{final.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            os.replace(temporary, final)
        except BaseException as error:
            temporary.unlink(missing_ok=True)
            if isinstance(error, OSError):
                why = error.strerror or str(error)
                raise OSError(f"store = {self.directory} cannot be written to: {why}") from None
            raise

    def load(self, index: int, replication: int) -> Record | None:
        """Return the record of a run; None if it is absent, or, with a warning, damaged.

        Raises a ValueError if the run belongs to another sweep.
        """
        name = self._name(index, replication)
        try:
            with _arrays(self.directory / name) as arrays:
                about = json.loads(arrays["about"].item())
                parts = [
                    {key: Variable(tuple(dims), arrays[array], attrs) for key, (array, dims, attrs) in given.items()}
                    for given in (about["variables"], about["coords"])
                ]
                there = {**about["point"], "replication": about["replication"]}
                words = _differences(about["sweep"], self._identity)
        except FileNotFoundError:
            return None
        except Exception as error:  # damaged files raise a dozen kinds of errors
            said = f"store = {self.directory}: {name} is damaged ({' '.join(str(error).split())}) and is computed anew"
            warnings.warn(said, UserWarning, stacklevel=2)
            return None
        for key, here in {**self._grid.point(index), "replication": replication}.items():
            if json.dumps(there.get(key)) != json.dumps(here):  # text, because a function may distinguish 1 from 1.0
                words.append(f"{key} is {there.get(key)!r} there and {here!r} here")
        if words:
            raise self._of_another([f"{name}: {words[0]}", *words[1:]])
        return Record(*parts)

    def _name(self, index: int, replication: int) -> str:
        return f"p{'-'.join(map(str, self._grid.positions(index)))}_r{replication}.npz"

    def _of_another(self, differences: list[str]) -> ValueError:
        return ValueError(
            f"store = {self.directory} was made by another sweep: {'; '.join(differences)}. Give another directory"
        )


def _refusal(directory: Path, why: str) -> ValueError:
    return ValueError(
        f"store = {directory} cannot be used: {why}; must be the directory of an earlier sweep, an empty directory, "
        "or a path that does not exist"
    )


def _several(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _differences(found: Mapping[str, Any], identity: Mapping[str, Any]) -> list[str]:
    """Return a description of each difference between the identities of a stored run and of the present sweep."""
    words: list[str] = []
    other = found.get("function") != identity.get("function")
    for key in sorted(found.keys() | identity.keys()):
        there: Any = found.get(key)
        here: Any = identity.get(key)
        if other and key in ("code", "state"):  # code and state always differ between functions
            continue
        if key == "code":
            # Compare instructions only if the same version of Python compiled both.
            if there[0] == here[0] and there[1] != here[1]:
                words.append("the code of the function, or of a function that it calls, has changed")
        elif key == "state":
            changed = [part for part in (here | there) if there.get(part) != here.get(part)]
            if changed:
                words.append(f"the function has another value of {_several(changed)}")
        elif key == "rng":
            words += [
                f"{key} has {part} {there[part]} there and {here[part]} here"
                for part in here
                if there[part] != here[part]
            ]
        elif there != here:
            words.append(f"{key} is {there} there and {here} here")
    return words
