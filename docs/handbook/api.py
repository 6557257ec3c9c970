"""Reference of the Python interface: the names in ``__all__`` of the packages, with signatures and docstrings.

Functions and classes come from their docstrings by numpydoc. Laws have pages of their own.
"""

from __future__ import annotations

import inspect
import pkgutil
from types import ModuleType
from typing import Any

from docs.handbook.front import toctree
from docs.handbook.markup import plain, table
from longfat.sim.queues import Discipline

#: Packages with a page, in the order of the list; a name that several of them export is on the page of the first one.
PACKAGES = (
    "longfat.sim", "longfat.sim.schemes", "longfat.sim.queues", "longfat.sim.services", "longfat.sim.traffic",
    "longfat.segments", "longfat.fluid", "longfat.design", "longfat.law", "longfat.verify",
    "longfat.testing", "longfat.benchmark", "longfat.benchmark.suites", "longfat.replication", "longfat.testbed",
    "longfat.plot", "longfat.explore", "longfat.law.symbols", "longfat.law.array_namespaces",
    "longfat.quantities", "longfat.measured", "longfat.scenario",
)  # fmt: skip


def public(module: ModuleType) -> dict[str, Any]:
    """Return the public objects of a module by name: the names in ``__all__``, or else all that it defines itself.

    >>> sorted(public(pkgutil.resolve_name("longfat.replication")))
    ['SweepError', 'interval', 'replicate', 'sweep']
    """
    names = getattr(module, "__all__", None)
    if names is None:
        own = (name for name, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__)
        names = sorted(name for name in own if not name.startswith("_"))
    return {name: getattr(module, name) for name in names}


def described(where: str, name: str, one: Any) -> str:
    """Return the description of a function, class or value; nothing for modules and for records with pages."""
    full = f"{where}.{name}"
    if inspect.ismodule(one) or isinstance(one, (Discipline, str, int, float)):
        return ""
    if inspect.isclass(one):
        return _directive("autoclass", full, "members", "show-inheritance" if issubclass(one, Exception) else "")
    if inspect.isfunction(one):
        return _directive("autofunction", full)
    python = getattr(one, "py_func", None)
    if python is not None:  # compiled by numba
        return f"```{{py:function}} {full}{inspect.signature(python)}\n{plain(inspect.getdoc(python))}\n```\n\n"
    if callable(one) and inspect.getdoc(one):
        return _directive("autofunction", full)
    return _directive("autodata", full, "no-value")


def _directive(kind: str, name: str, *options: str) -> str:
    """Return a directive of Sphinx in MyST."""
    lines = [f".. {kind}:: {name}", *(f"   :{one}:" for one in options if one)]
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```\n\n"


def page(where: str, seen: set[int]) -> str:
    """Return the page of a package without objects in `seen`, which other pages describe; aliases of classes stay."""
    module = pkgutil.resolve_name(where)
    found = public(module)
    text = f"# {where}\n\n```{{py:module}} {where}\n```\n\n{plain(module.__doc__)}\n\n"
    records = [(f"`{name}`", _link(one)) for name, one in found.items() if isinstance(one, Discipline)]
    text += table(["record", "page"], records) + "\n"
    for name, one in found.items():
        if id(one) not in seen or (inspect.isclass(one) and one.__name__ != name):
            seen.add(id(one))
            text += described(where, name, one)
    return text


def _link(record: Discipline) -> str:
    """Return a link to the page of a discipline."""
    return f"[{record.name}](/disciplines/{record.name}/index.md)"


def pages() -> dict[str, str]:
    """Return the pages of all packages by name, and the page that lists them."""
    seen: set[int] = set()
    made, rows = {}, []
    for where in PACKAGES:
        made[f"api/{where}"] = page(where, seen)
        rows.append((f"[{where}](/api/{where}.md)", plain(pkgutil.resolve_name(where).__doc__)))
    rows.append(("[longfat.laws](/laws/index.md)", "The laws, each with its parameters on a page of its own."))
    about = "What the packages list in `__all__` is public; `import longfat as lf` is how the examples import them."
    index = f"# Python interface\n\n{about}\n\n{table(['package', 'content'], rows)}\n"
    return {"api/index": index + toctree(list(made), hidden=True), **made}
