"""Store of finished runs: a directory with one small file for each run; a file is complete or absent.

``sweep.json`` identifies the sweep: function, seed, version and grid. ``p3-0_r12.npz`` is replication 12 of the point
at position 3 of the first axis and 0 of the second: the arrays, and under ``about`` a JSON text that describes them and
identifies the sweep. ``numpy.load`` reads it without longfat. A file gets its final name when it is complete; a process
that is killed leaves a hidden file, which is ignored. If ``sweep.json`` is missing or damaged, the runs identify the
sweep.

Runs are not synced to the disk, which would take about 8 ms each. By default Linux writes data that are older than 30 s
every 5 s (kernel documentation, sysctl/vm, dirty_expire_centisecs and dirty_writeback_centisecs), and ext4 its journal
every 5 s (filesystems/ext4, commit): a power failure may lose or damage runs of the last 40 s. A run that is lost or
damaged is computed anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from longfat.base.files import LONGEST, AtomicFiles, regular
from longfat.replication.grid import Grid
from longfat.replication.outcomes import Record, Variable

MANIFEST = "sweep.json"
FORMAT = 2
_RUN = re.compile(r"p[\d-]*_r\d+\.npz")


def manifest(directory: Path) -> dict[str, Any] | None:
    """Return the content of ``sweep.json``, from the runs if it is missing or damaged; None if there is no store yet.

    Raises
    ------
    ValueError
        If the directory is no store.
    """
    try:
        content = regular(directory / MANIFEST, LONGEST).read_bytes()
    except FileNotFoundError:
        strange = _strange(directory)
        if strange:
            raise _refusal(directory, f"it holds {', '.join(strange)} and no {MANIFEST}") from None
        return _recovered(directory)
    except NotADirectoryError:
        raise _refusal(directory, "it is a file") from None
    except OSError as error:
        raise _refusal(directory, f"{MANIFEST} cannot be read ({error.strerror})") from None
    try:
        found = json.loads(content)
        is_intact = found["check"] == _check(found)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_intact = False
    if is_intact and found.get("format") != FORMAT:
        raise _refusal(directory, f"its {MANIFEST} is of version {found.get('format')} instead of {FORMAT}")
    if is_intact:
        return dict(found)
    if (recovered := _recovered(directory)) is None:
        raise _refusal(directory, f"its {MANIFEST} is damaged, or not that of a sweep, and the directory holds no runs")
    return recovered


def _check(found: Mapping[str, Any]) -> str:
    """Return the digest of a manifest for its entry ``check``, which reveals damage to the other entries."""
    rest = {key: value for key, value in found.items() if key != "check"}
    return hashlib.sha256(_text(rest).encode()).hexdigest()


@contextlib.contextmanager
def _arrays(path: Path) -> Iterator[Mapping[str, np.ndarray]]:
    """Open the arrays of a run, which are stored uncompressed; raise a ValueError if these are larger than the file."""
    with regular(path).open("rb") as file:  # opened here, because numpy does not close a damaged file
        unpacked = sum(one.file_size for one in zipfile.ZipFile(file).infolist())
        if unpacked > (size := path.stat().st_size):
            raise ValueError(f"unpacks to {unpacked} bytes, must be at most the {size} bytes of the file")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays


def _recovered(directory: Path) -> dict[str, Any] | None:
    """Return a sweep's identity from the first intact run of its store; None if the store has no intact run."""
    for name in sorted(os.listdir(directory)) if directory.is_dir() else []:
        if _RUN.fullmatch(name):
            try:
                with _arrays(directory / name) as arrays:
                    return {"identity": dict(json.loads(arrays["about"].item())["sweep"]), "grid": None}
            except Exception:  # there are a dozen ways in which a damaged file fails; `Store.load` reports it
                continue
    return None


class Store:
    """Open store of one sweep, created if it does not exist.

    Parameters
    ----------
    directory : Path
        Directory of the store.
    identity : mapping
        Everything that determines the runs: function, code, seed, version.
    grid : Grid
        Grid of the sweep. An axis may be longer or shorter than in the store; the common values must be equal.

    Raises
    ------
    ValueError
        If the store belongs to another sweep, with the differences.

    Examples
    --------
    >>> import tempfile
    >>> from longfat.replication.outcomes import record
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
            # Keep the stored identity, because the stored runs contain it. Its digest of the code may differ from the
            # present one, if another version of Python computed it.
            identity = found["identity"]
            if found["grid"] is not None:
                axes = {name: max(axes[name], found["grid"][name], key=len) for name in axes}
        self._identity = identity
        now: dict[str, Any] = {"format": FORMAT, "identity": identity, "grid": axes}
        now["check"] = _check(now)
        if now != found:
            try:
                with AtomicFiles(directory) as files:
                    files.path(MANIFEST).write_bytes(json.dumps(now, indent=1).encode() + b"\n")
            except (OSError, ValueError) as error:
                raise ValueError(str(self._unwritable(error))) from None
        strange = _strange(directory)
        if strange:
            self._report(f"{', '.join(strange)} does not belong to the sweep and is not changed")

    def save(self, index: int, replication: int, record: Record) -> None:
        """Write the record of a run to a file, under a hidden name until it is complete."""
        parts = {"variables": record.variables, "coords": record.coords}
        about: dict[str, Any] = dict(self._about(index, replication))
        arrays: dict[str, np.ndarray] = {}
        for part, variables in parts.items():
            about[part] = {}
            for number, (name, one) in enumerate(
                variables.items()
            ):  # names may contain characters that file names may not
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
                raise self._unwritable(error) from None
            raise

    def load(self, index: int, replication: int) -> Record | None:
        """Return the record of a run; None if it is absent, or, with a warning, damaged or of another sweep."""
        name = self._name(index, replication)
        try:
            with _arrays(self.directory / name) as arrays:
                about = json.loads(arrays["about"].item())
                expected = self._about(index, replication)
                if _text({key: about[key] for key in expected}) != _text(expected):  # 1 and 1.0 are different
                    self._report(f"{name} belongs to another sweep and is computed anew")
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
            self._report(f"{name} is damaged ({' '.join(str(error).split())}) and is computed anew")
            return None

    def _name(self, index: int, replication: int) -> str:
        return f"p{'-'.join(map(str, self._grid.positions(index)))}_r{replication}.npz"

    def _about(self, index: int, replication: int) -> dict[str, Any]:
        return {"sweep": self._identity, "point": self._grid.point(index), "replication": replication}

    def _unwritable(self, error: OSError | ValueError) -> OSError:
        why = getattr(error, "strerror", None) or str(error).partition(" cannot be written to: ")[2] or str(error)
        return OSError(f"store = {self.directory} cannot be written to: {why}")

    def _report(self, text: str) -> None:
        warnings.warn(f"store = {self.directory}: {text}", UserWarning, stacklevel=2)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _strange(directory: Path) -> list[str]:
    """Return up to three file names in a directory that do not belong to a store; hidden files are ignored."""
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []
    return [name for name in names if name != MANIFEST and not _RUN.fullmatch(name)][:3]


def _refusal(directory: Path, why: str) -> ValueError:
    return ValueError(
        f"store = {directory} cannot be used: {why}; must be the directory of an earlier sweep, an empty directory, "
        "or a path that does not exist"
    )


def _several(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _differences(found: dict[str, Any], identity: Mapping[str, Any], axes: dict[str, list[Any]]) -> list[str]:
    """Return a description of each difference between the sweep of a store and the present sweep."""
    words: list[str] = []
    other = found["identity"].get("function") != identity.get("function")
    for key in sorted(found["identity"].keys() | identity.keys()):
        there: Any = found["identity"].get(key)
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
    if found["grid"] is None:  # each run is checked when it is loaded
        return words
    names = list(found["grid"])
    if names != list(axes):
        return [*words, f"the axes are {', '.join(names)} there and {', '.join(axes)} here"]
    for name in names:
        for position, (there, here) in enumerate(zip(found["grid"][name], axes[name], strict=False)):
            if _text(there) != _text(here):  # text, because a function may distinguish 1 from 1.0
                words.append(f"{name}[{position}] is {there!r} there and {here!r} here")
                break
    return words
