"""Writer of scenarios, which converts a network to short, readable TOML."""

from __future__ import annotations

import functools
import inspect
import json
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from longfat.base import domains, quantities
from longfat.base.argument import Argument
from longfat.base.domains import unknown
from longfat.sim import queues, schemes
from longfat.sim.network.elements import OF_FLOW, OF_LINK, Flow, Link, link_values
from longfat.sim.network.options import RUN_OPTIONS, Number, Option
from longfat.sim.network.traffic import ARGUMENTS, GENERATORS, Traffic
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

# Argument of a traffic generator -> field of `Traffic`, if the two names differ.
_FIELDS = {"on": "on_time", "off": "off_time", "connections": "arrivals", "by": "scheme"}
_JSON = json.JSONEncoder(ensure_ascii=False)
_TEXT = ("bytes/s", "s", "bytes")  # units that are written as text
#: Key of a table -> class of its value, a plug-in. A comment in the text names the class of a user's own plug-in.
_OWN = {"scheme": "Scheme", "by": "Scheme", "discipline": "Discipline"}


def write(net: Network, **options: Any) -> str:
    """Return a network and the options of its run as TOML with units, without values that equal the defaults.

    `longfat.scenario.parse` returns the network from the text. A user's own scheme or discipline is written as
    "own:NAME" and read with ``find={"own:NAME": scheme}.get``; a user's own generator cannot be read.

    Parameters
    ----------
    **options
        Options of `longfat.sim.run`: ``duration``, ``rng`` and so on.

    Examples
    --------
    >>> from longfat.sim import Network
    >>> net = Network().link("a", "b", rate=5e6, delay=0.022, buffer=440, duplex=True)
    >>> print(write(net.flow("reno", path=["a", "b"], file=2e6), duration=10))
    [[link]]
    from = "a"
    to = "b"
    rate = "40 Mbit/s"
    delay = "22 ms"
    buffer = "440 packets"
    duplex = true
    <BLANKLINE>
    [[flow]]
    scheme = "reno"
    path = ["a", "b"]
    file = "2 MB"
    <BLANKLINE>
    [run]
    duration = "10 s"
    <BLANKLINE>
    """
    parts = [_lines({"name": net.name})] if net.name else []
    parts += _links(list(net.links.values()))
    parts += [_flow(flow, k) for k, flow in enumerate(net.flows, 1)]
    if options:
        parts.append("[run]\n" + _lines({key: _option(key, value) for key, value in options.items()}))
    return "\n".join(parts)


def _links(links: list[Link]) -> list[str]:
    """Return the tables of the links; two equal links in opposite directions share a table with ``duplex = true``."""
    parts: list[str] = []
    k = 0
    while k < len(links):
        link = links[k]
        own = link.name != f"{link.tail}-{link.head}"
        back = (f"{link.name}-back" if own else f"{link.head}-{link.tail}", link.head, link.tail)
        following = [one for one in links[k + 1 : k + 2] if link_values(one) == link_values(link)]
        duplex = [(one.name, one.tail, one.head) for one in following if one.discipline == link.discipline] == [back]
        ends = {"name": link.name if own else None, "from": link.tail, "to": link.head}
        parts.append("[[link]]\n" + _lines(ends | _options(link, OF_LINK) | {"duplex": duplex or None}))
        k += 1 + duplex
    return parts


def _options(thing: Link | Flow, known: Mapping[str, Number | Option]) -> dict[str, Any]:
    """Return the options that differ from their defaults, converted to values for TOML."""
    made: dict[str, Any] = {}
    for name, option in known.items():
        value = getattr(thing, name)
        if value == _DEFAULTS[type(thing)][name]:
            continue
        if isinstance(option, Argument):
            made[name] = f"{value} B" if option.integer and option.unit == "bytes" else _written(value, option.unit)
        else:
            made[name] = _WRITERS[name](value) if name in _WRITERS else value
    return made


def _buffer(limits: tuple[float, float]) -> Any:
    packets, size = limits
    return _written(size, "bytes") if packets == math.inf else f"{packets:.0f} packet{'s' * (packets != 1)}"


def _changes(changes: tuple[tuple[float, float], ...]) -> list[list[Any]]:
    return [[_written(time, "s"), _written(rate, "bytes/s")] for time, rate in changes]


def _discipline(given: Discipline) -> Any:
    """Return the name of a discipline, or a table of its name and changed parameters."""
    known = queues.NAMED.get(given.name)
    if known is not None:
        options: dict[str, Any] = {
            name: bool(value) if name in known.flags else value
            for name, value in given.values.items()
            if name in known.parameters and value != known.values.get(name)
        }
        if given.service in known.services:
            options["service"] = given.service
        if _same(known, options, given):
            return {"name": given.name} | options if options else given.name
    return f"own:{given.name}"


def _same(function: Callable[..., Any], options: Mapping[str, Any], given: object) -> bool:
    """Return whether the call ``function(**options)`` returns an object equal to `given`."""
    try:
        return bool(function(**options) == given)
    except (TypeError, ValueError):
        return False


def _scheme(given: Scheme) -> str:
    known = given.name in schemes.NAMED and schemes.scheme(given.name) == given
    return given.name if known else f"own:{given.name}"


def _flow(flow: Flow, number: int) -> str:
    """Return the table of a flow."""
    made = flow.traffic or flow.scheme
    assert made is not None
    which = {"traffic": _traffic(made)} if isinstance(made, Traffic) else {"scheme": _scheme(made)}
    options = _options(flow, OF_FLOW)
    values = options.pop("parameters", {})
    name = flow.name if flow.name != f"{made.name}-{number}" else None
    first = {one: options.pop(one, None) for one in ("file", "start", "stagger")}
    text = "[[flow]]\n" + _lines({"name": name, **which, "path": flow.path, **first, **options})
    if values:
        known = flow.scheme.parameters if flow.scheme is not None else {}
        units = {name: getattr(known.get(name), "unit", "") for name in values}
        text += "\n[flow.parameters]\n" + _lines({name: _written(one, units[name]) for name, one in values.items()})
    return text


def _traffic(given: Traffic) -> dict[str, Any]:
    function = GENERATORS.get(given.name)
    if function is not None:
        takes = inspect.signature(function).parameters
        values = {name: getattr(given, _FIELDS.get(name, name), None) for name in takes}
        if _same(function, values, given):
            table: dict[str, Any] = {
                name: _written(value, ARGUMENTS[name].unit if name in ARGUMENTS else "")
                for name, value in values.items()
                if value != takes[name].default and name != "by"
            }
            by = {"by": _scheme(given.scheme)} if given.scheme is not None else {}
            return {"kind": given.name} | table | by
    return {"kind": f"own:{given.name}"}


#: Option -> function that converts its value for TOML, for options that are not quantities; others are written
#: unchanged.
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "buffer": _buffer, "discipline": _discipline, "rate_changes": _changes, "application": _traffic
}  # fmt: skip
_DEFAULTS = {
    Link: {one.name: one.default for one in fields(Link)},
    Flow: {one.name: one.default for one in fields(Flow)} | {"parameters": {}},
}


def _option(key: str, value: Any) -> Any:
    """Return an option of the run as a value for TOML, after the checks that the parser makes, too."""
    if key not in RUN_OPTIONS:
        raise unknown("option", key, RUN_OPTIONS)
    if RUN_OPTIONS[key].unit == "s" and value is not None:
        return _written(RUN_OPTIONS[key].checked(key, value), "s")
    if RUN_OPTIONS[key].integer and value is not None:
        try:
            return operator.index(value)
        except TypeError:
            raise domains.wrong_type(key, value, "an integer, so that a file can hold it") from None
    return value


@functools.lru_cache(maxsize=4096, typed=True)  # distinguishes True from 1
def _written(value: float, unit: str) -> float | str:
    """Return a quantity as text with a unit, or as a number if the text would not be read as exactly this number."""
    if unit not in _TEXT or not math.isfinite(value):
        return value
    precise = f"{8 * value!r} bit/s" if unit == "bytes/s" else f"{value!r} {unit.replace('bytes', 'B')}"
    for text in (quantities.text(value, unit), precise.replace(".0 ", " ")):
        try:
            if quantities.read("", text, unit, "[0, inf)") == value:
                return text
        except ValueError:
            continue
    return value


def _lines(table: Mapping[str, Any]) -> str:
    """Return a line for each key whose value is not None, with comments on a user's own plug-ins."""
    return "".join(
        f"{_key(key)} = {_value(value)}{_comment(key, value)}\n" for key, value in table.items() if value is not None
    )


def _comment(key: str, value: Any) -> str:
    if isinstance(value, dict):
        if str(value.get("kind", "")).startswith("own:"):
            return "  # a user's own generator, which a file cannot hold"
        return _comment("by", value["by"]) if "by" in value else ""
    if key not in _OWN or not value.startswith("own:"):
        return ""
    return f'  # a user\'s own {_OWN[key]}: name its file, as in "my_file.py:NAME"'


@functools.lru_cache(maxsize=1024)
def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """Return a TOML value, with lists and tables on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):  # the escapes of JSON are valid in TOML, which also requires one for DEL
        return _JSON.encode(value).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())}}}"
    integral = isinstance(value, int) or (math.isfinite(value) and abs(value) < 1e15 and value == int(value))
    return str(int(value)) if integral else repr(float(value))
