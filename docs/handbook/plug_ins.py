"""Pages of schemes, queue disciplines and services: a trace and the parameters that matter; the rest unfolds."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from docs.handbook import judged, rules, traces
from docs.handbook.formulas import typeset
from docs.handbook.front import toctree
from docs.handbook.markup import anchor, code, html, plain, quantity, section, table, unfolding
from docs.handbook.staging import ROOT
from longfat.base import discovery
from longfat.sim import queues, schemes
from longfat.sim.kernel.views import STATES

FOLDERS = {"scheme": "schemes", "discipline": "disciplines", "service": "services"}
TITLES = {"scheme": "Schemes", "discipline": "Queue disciplines", "service": "Services"}
REGISTRIES = {"scheme": schemes.NAMED, "discipline": queues.NAMED, "service": queues.SERVICES}
#: Kinds whose lists stand below that of the schemes.
BESIDE = ("discipline", "service")
INTRODUCTIONS = {
    "scheme": "A scheme is a sender's congestion control. [Queue disciplines](/disciplines/index.md) and "
    "[services](/services/index.md) decide what becomes of its packets at a link.",
    "discipline": "A queue discipline decides which packets a link admits, drops and marks.",
    "service": "A service is the scheduler of a link: it decides the order of departures.",
}


def records(kind: str) -> dict[str, Any]:
    """Return the plug-ins of a kind by name, each once.

    >>> "codel" in records("discipline"), "drop-tail" in records("discipline")
    (True, False)
    """
    found: Mapping[str, Any] = REGISTRIES[kind]
    return {name: one for name, one in sorted(found.items()) if one is not None and one.name == name}


def _module(kind: str, record: Any) -> Any:
    """Return the module that defines a plug-in."""
    for module in discovery.modules(REGISTRIES[kind].package):
        if any(one is record for name, one in vars(module).items() if not name.startswith("_")):
            return module
    return importlib.import_module(record.dequeue.__module__)  # service "departures", which other plug-ins need


@functools.cache
def common(kind: str) -> frozenset[tuple[str, str]]:
    """Return name and meaning of the parameters that three or more plug-ins of a kind share, such as the timer's.

    A variant, such as `cubic-search`, counts as the plug-in whose name its own begins with.
    """
    made = {
        (base if (base := title.partition("-")[0]) in records(kind) else title, name, one.meaning)
        for title, record in records(kind).items()
        for name, one in record.parameters.items()
    }
    count = Counter((name, meaning) for _, name, meaning in made)
    return frozenset(key for key, many in count.items() if many >= 3)


def _parameters(kind: str, record: Any, shared: bool) -> str:
    """Return the table of the parameters that a plug-in shares with others, or of its own ones; switches are last."""
    rows = []
    switched = {name: one.domain[0] == "{" or not record.settings.get(name) for name, one in record.parameters.items()}
    for name, one in sorted(record.parameters.items(), key=lambda item: switched[item[0]]):
        if ((name, one.meaning) in common(kind)) == shared:
            about = one.meaning + (f" (initial value of `{one.field}`)" if one.field and one.field != name else "")
            default = quantity(record.settings.get(name), one.unit)
            rows.append((f"`{name}`", typeset(about), default, f"`{one.domain}`"))
    return table(["parameter", "meaning", "default", "domain"], rows)


def said(docstring: str | None) -> str:
    """Return the first paragraph of a docstring without the page of rules, which unfolds on its own page.

    >>> said("CUBIC: a cubic function (RFC 9438; docs/rules/cubic.md).")
    'CUBIC: a cubic function (RFC 9438).'
    """
    return re.sub(r"; (rules in )?docs/rules/[\w-]+\.md| \(docs/rules/[\w-]+\.md\)", "", plain(docstring))


def _state(record: Any) -> str:
    """Return the table of state variables."""
    owners = {STATES[view]: view for view in record.BARE_VIEWS} | {"flow_state": "flow"}
    rows = []
    for attribute, whose in owners.items():
        for name, value in getattr(record, attribute, {}).items():
            many = isinstance(value, (list, tuple))
            first = f"{len(value)} values" if many else f"parameter `{value}`" if isinstance(value, str) else f"{value}"
            rows.append((f"`{name}`", f"of each {whose}", first))
    return table(["state", "whose", "initial value"], rows)


def _properties(kind: str, record: Any) -> str:
    """Return a table of the callbacks of a plug-in and of the other declarations in its record."""
    given = [f"`{name}`" for name in record.callbacks]
    rows = [("functions of its own", ", ".join(given) or "none")]
    if kind == "scheme":
        rows += [
            ("returns", "the congestion window [packets]" if record.controls == "window" else "a rate [bytes/s]"),
            ("recovery", "by the simulator, selective" if record.recovery == "selective" else "the scheme's own"),
            ("echo of marks", record.echo),
            ("acknowledged", "yes" if record.acknowledged else "no"),
        ]
    elif kind == "discipline":
        service = record.service if isinstance(record.service, str) else record.service.name
        page = "" if service == "fifo" else f"[{service}](/services/{service}/index.md)"
        rows.append(("service", page or "`fifo`: first in, first out, departure times computed at arrival"))
        if record.services:
            rows.append(("also with", ", ".join(f"`{one}`" for one in record.services)))
    else:
        users = [name for name, one in records("discipline").items() if one.scheduler is record]
        rows += [
            ("queues of a link", f"{record.queues}"),
            ("work-conserving", "yes" if record.work_conserving else "no"),
            ("in order of arrival", "yes" if record.in_order else "no"),
            (
                "used by",
                ", ".join(f"[{one}](/disciplines/{one}/index.md)" for one in users) or "no discipline by default",
            ),
        ]
    return table(["", ""], rows)


def page(kind: str, name: str, record: Any, trace: Callable[[str], str] | None) -> str:
    """Return the page of a plug-in; the trace is left out if there is no function for it."""
    module = _module(kind, record)
    path = Path(inspect.getsourcefile(module) or "").resolve().relative_to(ROOT).as_posix()
    drawn = trace(name) if trace else ""
    own = _parameters(kind, record, shared=False)
    laws = judged.listed(judged.judging(name)) if kind != "service" else ""
    folded = {
        "Rules": rules.about(kind, name),
        "Laws that it is compared with": laws,
        "Parameters that it shares with others": _parameters(kind, record, shared=True),
        "Interface and state": f"{_properties(kind, record)}\n{_state(record)}",
    }
    return "".join(
        [
            f"# {name}\n\n{said(module.__doc__)}\n\n",
            f"{html(drawn)}\n*{traces.SETTING}*\n\n" if drawn else "",
            section("Parameters that matter", own),
            f"Source: {record.source}\n\n" if record.source else "",
            *(unfolding(title, body, anchor(title)) for title, body in folded.items() if body),
            unfolding(f"Code: <code>{path}</code>", code(inspect.getsource(module)), "code"),
        ]
    )


def pages(draw: bool = True) -> dict[str, str]:
    """Return the pages of all plug-ins by name, and the three pages that list them."""
    made = {}
    for kind, folder in FOLDERS.items():
        drawing = getattr(traces, f"of_{kind}")
        found = records(kind)
        names = [f"{folder}/{name}/index" for name in found]
        rows = [
            (f"[{name}](/{folder}/{name}/index.md)", said(_module(kind, one).__doc__)) for name, one in found.items()
        ]
        made[f"{folder}/index"] = (
            f"# {TITLES[kind]}\n\n{INTRODUCTIONS[kind]}\n\n{table([kind, 'what it is'], rows)}\n"
            + toctree([*names, *(f"{FOLDERS[one]}/index" for one in BESIDE if kind == "scheme")], hidden=True)
        )
        for name, one in found.items():
            made[f"{folder}/{name}/index"] = page(kind, name, one, drawing if draw else None)
    return made
