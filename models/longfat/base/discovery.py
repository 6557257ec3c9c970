"""Discovery of plug-ins and other records, so that a new module needs no registration; imports on first use."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

Record = TypeVar("Record")


@functools.cache
def lazy_imports(package: str) -> dict[str, tuple[str, str]]:
    """Return, for each name that a package imports for type checkers only, the module and the object's name in it.

    These imports are below ``if TYPE_CHECKING``, the first ``if`` of the package's file. An import of ``*`` stands for
    the other names of the package's ``__all__``.
    """
    module = sys.modules[package]
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    found = {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    if "*" in found:
        source, _ = found.pop("*")
        found = {name: (source, name) for name in module.__all__} | found
    return found


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package that imports each name of `lazy_imports` on first use.

    No module of a package may have the name of an object that the package exports, because its import would replace
    the object.
    """

    def get(name: str) -> Any:
        found = lazy_imports(package)  # not called before the first use, because it reads the package's file
        if name not in found:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        source, there = found[name]
        module = importlib.import_module(source)
        if source == package or not hasattr(module, there):  # the name of a module, not of an object in it
            return importlib.import_module(f"{source}.{there}")
        return getattr(module, there)

    return get, lambda: list(sys.modules[package].__all__)


def modules(package: str) -> Iterator[ModuleType]:
    """Import the modules and subpackages of a package in alphabetical order, and yield each.

    >>> [module.__name__ for module in modules("longfat.laws") if module.__name__.endswith("power")]
    ['longfat.laws.power']
    """
    folders = importlib.import_module(package).__path__
    for name in sorted(found.name for found in pkgutil.iter_modules(folders)):
        yield importlib.import_module(f"{package}.{name}")


def alone(package: str, kind: type[Record], name: str) -> Record | None:
    """Return the record ``name`` from the module of the same name, without other imports; None if there is none.

    >>> from longfat.sim.schemes import Scheme
    >>> alone("longfat.sim.schemes", Scheme, "ledbat++") is None, alone("longfat.sim.schemes", Scheme, "reno").name
    (True, 'reno')
    """
    module = f"{package}.{name.replace('-', '_')}"
    if not name.replace("-", "_").isidentifier() or importlib.util.find_spec(module) is None:
        return None
    found = vars(importlib.import_module(module))
    records = (one for attribute, one in found.items() if not attribute.startswith("_") and isinstance(one, kind))
    return next((one for one in records if one.name == name), None)  # type: ignore[attr-defined]


def named(package: str, kind: type[Record]) -> dict[str, Record]:
    """Return the instances of a class that the modules of a package define, by their attribute ``name``.

    Only public attributes of a module count: their names have no leading underscore.

    Parameters
    ----------
    package : str
        Dotted name of the package, such as "longfat.sim.schemes".
    kind : type
        Class of the records, which have an attribute ``name``.

    Returns
    -------
    dict of str to record
        The records by name, in the order of the modules and of the definitions in each module.

    Raises
    ------
    ValueError
        If two different records have the same name; the message names the places of both.

    Examples
    --------
    >>> from longfat.sim.schemes import Scheme
    >>> "reno" in named("longfat.sim.schemes", Scheme)
    True
    """
    found: dict[str, Any] = {}
    places: dict[str, str] = {}
    for module in modules(package):
        for attribute, record in vars(module).items():
            if attribute.startswith("_") or not isinstance(record, kind):
                continue
            name, place = record.name, f"{module.__name__}.{attribute}"  # type: ignore[attr-defined]
            if found.setdefault(name, record) is not record:
                raise ValueError(
                    f"{kind.__name__} name {name!r} is defined twice, by {places[name]} and {place}: rename one of them"
                )
            places.setdefault(name, place)
    return found
