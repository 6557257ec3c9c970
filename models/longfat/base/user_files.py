"""Schemes, disciplines and laws from users' Python files, given as "my_file.py:NAME" or "my_file.py"."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any, TypeVar

from longfat.base.files import LONGEST, regular

Kind = TypeVar("Kind")
#: Libraries that xarray imports if they are installed, but that no command of longfat needs.
CLUSTERS = ("dask", "distributed")


def hide_clusters() -> None:
    """Keep xarray from importing dask and distributed, which takes a second; user files can still import them.

    An import fails if `sys.modules` has None for the name (Python's reference, module cache); xarray needs neither.
    """
    for name in CLUSTERS:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


def _show_clusters() -> None:
    """Undo `hide_clusters`."""
    for name in CLUSTERS:
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]


def names_file(text: str) -> bool:
    """Return whether a text names a Python file, with or without the name of an object in the file.

    >>> names_file("my_schemes.py:aimd"), names_file("my_schemes.py"), names_file("reno")
    (True, True, False)
    """
    return split(text)[0].endswith(".py")


def read(text: str, *kinds: type[Kind], folder: str | Path = "", what: str = "name") -> Kind:
    """Run a Python file and return an object that it defines.

    Parameters
    ----------
    text : str
        "my_file.py:NAME", or "my_file.py" where the file defines one object of the kinds.
    *kinds : type
        Types of the object: `longfat.sim.Scheme`, `longfat.law.Law` and the like.
    folder : str or Path
        Folder of relative paths; by default the current directory.
    what : str
        Name of the parameter, for error messages.

    Returns
    -------
    object
        An instance of one of the kinds: the variable NAME, or the object with the attribute ``name`` equal to NAME.

    Raises
    ------
    ValueError
        If the file cannot be read or raises an exception, if it defines no object of the kinds, or if it defines
        several and ``text`` has no NAME.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "my_file.py").write_text("answer = 42")
    ...     read("my_file.py:answer", int, folder=folder), read("my_file.py", int, folder=folder)
    (42, 42)
    """
    return Files(folder).read(text, *kinds, what=what)


class Files:
    """Python files of a folder, each executed once.

    Parameters
    ----------
    folder : str or Path
        Folder of relative paths.
    inside : bool
        Whether files outside this folder are refused: absolute paths, "..", and links that lead out of it.
    """

    def __init__(self, folder: str | Path = "", *, inside: bool = False) -> None:
        self.folder, self.inside = Path(folder), inside
        self._modules: dict[Path, types.ModuleType] = {}

    def read(self, text: str, *kinds: type[Kind], what: str = "name") -> Kind:
        """Return an object that a file of the folder defines; the arguments are as in the function `read`."""
        file, wanted = split(text)
        module = self._module(file, text)
        found = {name: value for name, value in vars(module).items() if isinstance(value, kinds)}
        words = " and no ".join(kind.__name__ for kind in kinds)
        if wanted:
            named: Kind = _named(file, wanted, vars(module), found, words, what)
            return named
        # Ignore objects that the file only imports: their `__module__` is the name of another file.
        mine = {name: value for name, value in found.items() if getattr(value, "__module__", "") == module.__name__}
        different: dict[int, str] = {}
        for name, value in (mine or found).items():
            different.setdefault(id(value), name)
        if not different:
            raise ValueError(f"{file} defines no {words}")
        if len(different) > 1:
            names = list(different.values())
            raise ValueError(
                f"{what} = {text!r}: the file defines {', '.join(names)}; name one, as in {file}:{names[0]}"
            )
        return found[next(iter(different.values()))]

    def _module(self, file: str, text: str) -> types.ModuleType:
        path = Path(self.folder, file)
        if self.inside:
            path = path.resolve()  # the same path is checked and read, because a link may change in between
            if Path(file).is_absolute() or ".." in Path(file).parts or not path.is_relative_to(self.folder.resolve()):
                raise ValueError(
                    f"{text!r} is outside the folder of the scenario: move the file there, or trust the scenario "
                    "with longfat simulate --trust or longfat.scenario.load(path, trust=True)"
                )
        if path not in self._modules:
            self._modules[path] = _executed(path)
        return self._modules[path]


def split(text: str) -> tuple[str, str]:
    """Return the file and the name of an object in it from a text "FILE:NAME"; the name is "" if the text has none.

    >>> split("my_schemes.py:aimd"), split("my_schemes.py")
    (('my_schemes.py', 'aimd'), ('my_schemes.py', ''))
    """
    file, _, wanted = text.rpartition(":")
    return (text, "") if text.endswith(".py") else (file, wanted)


def _named(file: str, wanted: str, every: dict[str, Any], found: dict[str, Any], words: str, what: str) -> Any:
    """Return the object whose variable in the file, or whose attribute ``name``, is ``wanted``; else raise an error."""
    if wanted in found:
        return found[wanted]
    for value in found.values():
        if getattr(value, "name", None) == wanted:
            return value
    if not found:
        raise ValueError(f"{file} defines no {words}")
    if wanted in every:
        has, kinds = type(every[wanted]).__name__, words.replace(" and no ", " or ")
        raise ValueError(f"{what} = {f'{file}:{wanted}'!r} has the type {has}: must be a {kinds}")
    from longfat.base.domains import unknown

    raise unknown(f"{file}: name", wanted, found)


def _executed(path: Path) -> types.ModuleType:
    """Execute a file and return it as a module; write no byte-code file."""
    try:
        source = regular(path, LONGEST).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from None
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    _show_clusters()
    try:
        exec(compile(source, path, "exec"), vars(module))
    except KeyboardInterrupt:  # Ctrl-C of the user, who waits for the file
        raise
    except BaseException as error:  # SystemExit, and exceptions that the file derives from BaseException
        raise ValueError(f"{path} cannot be run: {_said(error)}") from None
    return module


def _said(error: BaseException) -> str:
    lines = []
    trace = error.__traceback__
    while trace is not None:
        lines.append(trace.tb_lineno)
        trace = trace.tb_next
    where = "" if isinstance(error, SyntaxError) or len(lines) < 2 else f" (line {lines[1]})"
    try:
        words = " ".join(str(error).split())
    except Exception:  # a class whose __str__ fails
        words = "without a message"
    return f"{type(error).__name__}: {words}{where}"
