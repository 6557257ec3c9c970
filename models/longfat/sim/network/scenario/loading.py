"""Scenario files: networks as TOML, and Python files that define schemes and disciplines for them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base.files import LONGEST, regular
from longfat.base.user_files import Files, names_file

if TYPE_CHECKING:
    from longfat.sim.network.network import Network


SHIPPED = Path(__file__).parents[1] / "scenarios"


def shipped() -> dict[str, str]:
    """Return the first line of each scenario that longfat includes, by the scenario's name.

    >>> list(shipped())
    ['dumbbell', 'hosts', 'mixed', 'parking_lot', 'red']
    """
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*.toml"))}
    return {name: text.partition("\n")[0].lstrip("# ") for name, text in files.items()}


def load(path: str | Path, *, trust: bool = False) -> tuple[Network, dict[str, Any]]:
    r"""Return the network of a scenario file, and the options of its run.

    Parameters
    ----------
    path : str or Path
        TOML file, see `longfat.scenario`, or a name of `shipped`. A path has a suffix or a separator; a bare name
        is always an included scenario, even if the current folder has a file of this name.
        ``scheme = "my_schemes.py:aimd"`` runs this Python file, in the folder of the scenario or below it, and takes
        the scheme that is bound to the name; ``scheme = "my_schemes.py"`` takes the only scheme of the file. The same
        holds for ``discipline``.
    trust : bool
        Whether the scenario may run Python files outside its folder, by absolute paths, ".." or symbolic links.

    Returns
    -------
    Network, dict
        Network and options for ``lf.sim.run(net, **options)``.

    Raises
    ------
    ValueError
        For an unknown name, a file that cannot be read, Python files outside the scenario's folder, and keys and values
        that are refused; the message names the file and the table.

    Examples
    --------
    >>> load("parking_lot")
    (Network('parking lot', 4 nodes, 6 links, 4 flows), {'rng': 1})
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "net.toml")
    ...     _ = file.write_text('run = {duration = "10 s"}\nlink = [{from = "a", to = "b", rate = "1 Mbit/s"}]')
    ...     load(file)
    (Network('', 2 nodes, 1 links, 0 flows), {'duration': 10.0})
    """
    from longfat.sim.network.scenario.parsing import parse
    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

    path = _place(path)
    files = Files(path.parent, inside=not trust)

    def find(name: str, *kind: type) -> Any:
        return files.read(name, *(kind or (Scheme, Discipline))) if names_file(name) else None

    try:
        return parse(regular(path, LONGEST).read_bytes().decode("utf-8-sig"), find)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def _place(path: str | Path) -> Path:
    """Return the path of a scenario's file; a bare name stands for an included scenario."""
    from longfat.base.domains import unknown, wrong_type

    if not isinstance(path, str | os.PathLike):
        raise wrong_type("path", path, "a string or a path")
    name, place = os.fspath(path), Path(path)
    if place.suffix or place.name != name:  # it has a suffix, a folder, or a separator at its end
        return place
    if name not in shipped():
        raise ValueError(f"{unknown('scenario', name, shipped())}; a path must have a suffix or a separator: ./{name}")
    return SHIPPED / f"{name}.toml"
