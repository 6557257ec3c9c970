"""Writer of scenarios: from a network to TOML, as a person would write it."""

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
from longfat.base.domains import unknown
from longfat.sim import queues, schemes
from longfat.sim.network.elements import Flow, Link
from longfat.sim.network.scenario.keys import GENERATORS, READERS, RUN
from longfat.sim.network.traffic import Traffic
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

# Fields of `Traffic` for the arguments of generators that have other names, and the units of arguments.
_FIELDS = {"on": "on_time", "off": "off_time", "connections": "arrivals", "by": "scheme"}
_UNITS = {"rate": "bytes/s", "interval": "s", "on": "s", "off": "s"}
_ENDS = ("name", "tail", "head", "discipline")
_DEFAULTS = {(kind, one.name): one.default for kind in (Link, Flow) for one in fields(kind)}
# All fields of a link except its ends, the discipline first.
_KIND = operator.attrgetter("discipline", *(one.name for one in fields(Link) if one.name not in _ENDS))
_JSON = json.JSONEncoder(ensure_ascii=False)
_OWN = ': name its file, as in "my_file.py:NAME"'


def write(net: Network, **options: Any) -> str:
    """Return a network, and the options of its run, as TOML with units, without defaults, and with duplex links joined.

    Parameters
    ----------
    net : Network
        Network, which `longfat.scenario.read` returns from the text. A user's own scheme or discipline is written as
        "own:NAME" and read with ``find={"own:NAME": scheme}.get``; an own generator cannot be read.
    **options
        Options of `longfat.sim.run`: ``duration``, ``rng`` and so on.

    Returns
    -------
    str
        Text of the scenario, in TOML.

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
    """Return the tables of the links; two equal links in opposite directions share one with ``duplex = true``."""
    parts: list[str] = []
    written: dict[Any, str] = {}  # text of a link without its ends, since many links are equal
    k = 0
    while k < len(links):
        link = links[k]
        own = link.name != f"{link.tail}-{link.head}"
        back = (f"{link.name}-back" if own else f"{link.head}-{link.tail}", link.head, link.tail)
        duplex = [(one.name, one.tail, one.head) for one in links[k + 1 : k + 2] if _KIND(one) == _KIND(link)] == [back]
        key = (duplex, id(link.discipline), *_KIND(link)[1:])
        if key not in written:
            written[key] = _link(link, duplex)
        ends = {"name": link.name if own else None, "from": link.tail, "to": link.head}
        parts.append("[[link]]\n" + _lines(ends) + written[key])
        k += 1 + duplex
    return parts


def _link(link: Link, duplex: bool) -> str:
    """Return the lines of a link, except its ends."""
    buffer: Any = math.inf
    if link.buffer_packets < math.inf:
        buffer = f"{link.buffer_packets:.0f} packet{'s' * (link.buffer_packets != 1)}"
    elif link.buffer_bytes < math.inf:
        buffer = _written(link.buffer_bytes, "bytes")
    discipline, comment = _discipline(link.discipline)
    table = {
        "rate": _written(link.rate, "bytes/s"),
        "delay": _written(link.delay, "s") if link.delay else None,
        "buffer": buffer if buffer != math.inf else None,
        "discipline": discipline if link.discipline != queues.FIFO else None,
        "loss": link.loss or None,
        "jitter": _written(link.jitter, "s") if link.jitter else None,
        "counter_refresh": _written(link.counter_refresh, "s") if link.counter_refresh else None,
        "coarse_clock": link.coarse_clock or None,
        "stamps": None if link.stamps is True else link.stamps,
        "rate_changes": [[_written(time, "s"), _written(rate, "bytes/s")] for time, rate in link.rate_changes] or None,
        "duplex": duplex or None,
    }
    return _lines(table, discipline=comment)


def _discipline(given: Discipline) -> tuple[Any, str]:
    """Return the name of a discipline, or a table of its name and changed parameters; and a comment, "" if complete."""
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
            return ({"name": given.name} | options if options else given.name), ""
    return f"own:{given.name}", f"a user's own Discipline{_OWN}"


def _same(function: Callable[..., Any], options: Mapping[str, Any], given: object) -> bool:
    """Return whether a function called with these options returns an equal object."""
    try:
        return bool(function(**options) == given)
    except (TypeError, ValueError):
        return False


def _scheme(given: Scheme) -> tuple[str, str]:
    known = given.name in schemes.names() and schemes.scheme(given.name) == given
    return (given.name, "") if known else (f"own:{given.name}", f"a user's own Scheme{_OWN}")


def _flow(flow: Flow, number: int) -> str:
    made = flow.traffic or flow.scheme
    assert made is not None
    table: dict[str, Any] = {"name": flow.name if flow.name != f"{made.name}-{number}" else None}
    if flow.traffic is not None:
        table["traffic"], comment = _traffic(flow.traffic)
    else:
        assert flow.scheme is not None
        table["scheme"], comment = _scheme(flow.scheme)
    table["path"] = list(flow.path)
    for key, unit in (
        ("file", "bytes"), ("start", "s"), ("stagger", "s"), ("stop", "s"), ("packet", "packet"), ("ack", "packet"),
        ("access_rate", "bytes/s"), ("ack_path", ""), ("count", ""), ("send_jitter", "s"),
    ):  # fmt: skip
        value = getattr(flow, key)
        if value != _DEFAULTS[Flow, key]:
            table[key] = f"{value} B" if unit == "packet" else _written(value, unit) if unit else value
    own_application = ""
    if flow.application is not None:
        table["application"], own_application = _traffic(flow.application)
    text = "[[flow]]\n" + _lines(table, scheme=comment, traffic=comment, application=own_application)
    if flow.parameters:
        known = flow.scheme.parameters if flow.scheme is not None else {}
        units = {name: getattr(known.get(name), "unit", "") for name in flow.parameters}
        values = {name: _written(value, units[name]) for name, value in flow.parameters.items()}
        text += "\n[flow.parameters]\n" + _lines(values)
    return text


def _traffic(given: Traffic) -> tuple[dict[str, Any], str]:
    function = GENERATORS.get(given.name)
    if function is not None:
        takes = inspect.signature(function).parameters
        values = {name: getattr(given, _FIELDS.get(name, name), None) for name in takes}
        if _same(function, values, given):
            table: dict[str, Any] = {
                name: _written(value, _UNITS.get(name, ""))
                for name, value in values.items()
                if value != takes[name].default and name != "by"
            }
            comment = ""
            if given.scheme is not None:
                table["by"], comment = _scheme(given.scheme)
            return {"kind": given.name} | table, comment
    return {"kind": f"own:{given.name}"}, "a user's own generator, which a file cannot hold"


def _option(key: str, value: Any) -> Any:
    """Return an option of the run as TOML holds it, checked as the parser checks it."""
    if key not in RUN:
        raise unknown("option", key, RUN)
    if RUN[key] == "s" and value is not None and value != "auto":
        return _written(quantities.duration(value, key), "s")
    if RUN[key] == "integer" and value is not None:
        try:
            return operator.index(value)
        except TypeError:
            raise domains.wrong_type(key, value, "an integer, so that a file can hold it") from None
    return value


@functools.lru_cache(maxsize=4096, typed=True)  # True is not 1
def _written(value: float, unit: str) -> float | str:
    """Return a quantity as text with its unit if this is read as the same number, otherwise the number."""
    if unit not in READERS or not math.isfinite(value):
        return value
    precise = f"{8 * value!r} bit/s" if unit == "bytes/s" else f"{value!r} {unit.replace('bytes', 'B')}"
    for text in (quantities.text(value, unit), precise.replace(".0 ", " ")):
        try:
            if READERS[unit](text, "", "[0, inf)") == value:
                return text
        except ValueError:
            continue
    return value


def _lines(table: Mapping[str, Any], **comments: str) -> str:
    """Return lines of keys, values and comments, without the values that are None."""
    return "".join(
        f"{_key(key)} = {_value(value)}{f'  # {comments[key]}' if comments.get(key) else ''}\n"
        for key, value in table.items()
        if value is not None
    )


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """Return a TOML value, with lists and tables on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):  # JSON's escapes are TOML's, but for DEL
        return _JSON.encode(value).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())}}}"
    integral = isinstance(value, int) or (math.isfinite(value) and abs(value) < 1e15 and value == int(value))
    return str(int(value)) if integral else repr(float(value))
