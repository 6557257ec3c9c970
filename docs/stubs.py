"""Stubs of the subjects of laws, for editors: signatures and complete docstrings, as the laws' records have them.

Editors read source files, in which a law's docstring has no parameters, units and sources: these are generated at run
time (`longfat.law.docstrings`). The stubs are written when the package is built (`BuildWithStubs`, for wheels and for
the editable installation of ``make venv``) and by ``make types``, beside ``longfat/laws/*.py`` and
``longfat/laws/*/__init__.py``; git ignores them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from setuptools.command.build_py import build_py

SOURCES = Path(__file__).parents[1] / "models"
sys.path.insert(0, str(SOURCES))  # an isolated build has not installed the package

import longfat.laws  # noqa: E402
from longfat.law import Law  # noqa: E402

HEAD = '''"""{title}

Written when the package is built: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

{imports}
_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
'''
WIDTH, MANY = 120, ",\n    "  # of a line; between the parameters that do not fit into one


def packages() -> list[ModuleType]:
    """Return the packages and modules that export laws, one for each subject."""
    found = [importlib.import_module(f"longfat.laws.{one.name}") for one in pkgutil.iter_modules(longfat.laws.__path__)]
    return [one for one in found if any(isinstance(value, Law) for value in vars(one).values())]


def place(package: ModuleType, folder: Path) -> Path:
    """Return the path of a stub, in a folder that contains ``longfat``."""
    return (folder / Path(str(package.__file__)).relative_to(SOURCES)).with_suffix(".pyi")


def stub(package: ModuleType) -> str:
    """Return the stub of a package: its laws with signatures and docstrings, and imports of what else it exports."""
    exported = {name: getattr(package, name) for name in package.__all__}
    laws = {name: one for name, one in exported.items() if isinstance(one, Law)}
    others = {name: one for name, one in exported.items() if name not in laws}
    lines = ["from longfat.law import Law"]
    lines += [
        f"from {one.__module__} import {name} as {name}"
        for name, one in others.items()
        if one.__module__ != package.__name__
    ]
    title = (package.__doc__ or "").splitlines()[0]
    text = HEAD.format(title=title, imports="\n".join(sorted(lines, key=lambda line: line.split()[1])) + "\n")
    text += "".join(_law(name, one) for name, one in sorted(laws.items()))
    own = [(name, one) for name, one in others.items() if one.__module__ == package.__name__]
    return text + "".join(f"\ndef {name}{inspect.signature(one)}:\n    {one.__doc__!r}\n" for name, one in own)


def _law(name: str, law: Law) -> str:
    """Return the declaration of a law as a decorated function."""
    signature: inspect.Signature = law.__signature__  # type: ignore[attr-defined]
    parameters = [f"{one.name}: Any{_default(one)}" for one in signature.parameters.values()]
    head = f"def {name}({', '.join(parameters)}) -> Any:"
    if len(head) > WIDTH:
        together = ", ".join(parameters)
        head = f"def {name}(\n    {together if len(together) + 4 <= WIDTH else MANY.join(parameters) + ','}\n) -> Any:"
    doc = (law.__doc__ or "").rstrip("\n")
    body = textwrap.indent(f'"""{doc}\n"""', "    ")
    if "\\" in doc:
        body = body.replace('"""', 'r"""', 1)
    return f"\n@_law\n{head}\n{body}\n"


def _default(parameter: inspect.Parameter) -> str:
    """Return the default of a parameter as stubs write it."""
    value: Any = parameter.default
    if value is inspect.Parameter.empty:
        return ""
    return f" = {value!r}" if isinstance(value, int) else " = ..."


def write(folder: Path) -> None:
    """Write all stubs beside the packages in a folder that contains ``longfat``."""
    for package in packages():
        place(package, folder).write_text(stub(package), encoding="utf-8")


class BuildWithStubs(build_py):  # type: ignore[misc]
    """Command of setuptools that builds the package and writes the stubs: beside the sources if it is editable."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        write(SOURCES if self.editable_mode else Path(self.build_lib))


if __name__ == "__main__":
    write(SOURCES)
