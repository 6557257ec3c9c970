"""Scenario files: networks as TOML, and the Python files that define schemes for them."""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.sim.names import unknown

if TYPE_CHECKING:
    from longfat.sim.network import Network


SHIPPED = Path(__file__).with_name("scenarios")


def shipped() -> dict[str, str]:
    """Return the names of the scenarios that come with longfat, each with its first line.

    >>> list(shipped())
    ['dumbbell', 'mixed', 'parking_lot', 'red']
    """
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*.toml"))}
    return {name: text.partition("\n")[0].lstrip("# ") for name, text in files.items()}


def load(path: str | Path) -> tuple[Network, dict[str, Any]]:
    """Return the network of a scenario, and the options of its run.

    Parameters
    ----------
    path : str or Path
        A TOML file, see `longfat.sim.scenario`, or the name of a scenario in `shipped`. What has a suffix or a
        separator is a file; a bare name is a shipped scenario, whatever lies in the current folder.
        ``scheme = "my_schemes.py:aimd"`` (or a ``discipline``) runs that Python file, looked for beside the scenario,
        and takes from it what is called so.

    Returns
    -------
    Network, dict
        For ``lf.sim.run(net, **options)``.

    Raises
    ------
    ValueError
        For a name that is not shipped; files that cannot be read, by name; keys and values that are refused, with
        their table.

    Examples
    --------
    >>> load("parking_lot")
    (Network('parking lot', 4 nodes, 6 links, 4 flows), {'rng': 1})
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "net.toml")
    ...     _ = file.write_text('run = {duration = "10 s"}\\nlink = [{from = "a", to = "b", rate = "1 Mbit/s"}]')
    ...     load(file)
    (Network('', 2 nodes, 1 links, 0 flows), {'duration': 10.0})
    """
    from longfat.sim import scenario

    path = _place(path)
    try:
        text = path.read_bytes().decode()
        return scenario.parse(text, finder(path.parent))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: this is no text in UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _place(path: str | Path) -> Path:
    """Return where a scenario lies: the path of a file, or the shipped file of a bare name."""
    name, place = os.fspath(path), Path(path)
    if place.suffix or place.name != name:  # a folder, or a separator at the end
        return place
    if name not in shipped():
        raise ValueError(f"{unknown('scenario', name, shipped())}; a file has a suffix or a separator: ./{name}")
    return SHIPPED / f"{name}.toml"


def finder(folder: str | Path) -> Callable[[str], Any]:
    """What finds "my_schemes.py:aimd" in the Python files of a folder; each file is run once."""
    modules: dict[Path, dict[str, Any]] = {}

    def find(name: str) -> Any:
        file, _, wanted = name.rpartition(":")
        if not file.endswith(".py"):
            return None
        path = Path(folder, file)
        if path not in modules:
            modules[path] = _executed(path)
        return _named(wanted, file, modules[path])

    return find


def definitions(path: str | Path) -> dict[str, Any]:
    """The names that a Python file defines, as `finder` sees them."""
    return _executed(Path(path))


def _executed(path: Path) -> dict[str, Any]:
    """The names that a Python file defines; nothing is written beside it."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(module))
    except OSError as error:
        raise ValueError(f"{error.filename or path} cannot be read: {error.strerror or error}") from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"{path} cannot be run: {_said(error)}") from None
    return vars(module)


def _said(error: BaseException) -> str:
    lines = []
    trace = error.__traceback__
    while trace is not None:
        lines.append(trace.tb_lineno)
        trace = trace.tb_next
    where = "" if isinstance(error, SyntaxError) or len(lines) < 2 else f" (line {lines[1]})"
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


def _named(wanted: str, file: str, names: dict[str, Any]) -> Any:
    """What a file calls so: a variable, or a scheme or discipline with that name."""
    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

    made = {key: value for key, value in names.items() if isinstance(value, Scheme | Discipline)}
    if wanted in made:
        return made[wanted]
    for value in made.values():
        if value.name == wanted:
            return value
    if not made:
        raise ValueError(f"{file} defines no Scheme and no Discipline")
    raise unknown(f"name in {file}", wanted, made)
