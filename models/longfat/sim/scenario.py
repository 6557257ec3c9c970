"""Scenarios: a network, its flows and its run as TOML text that a person can read, and back.

The keys are those of `Network.link` (with ``from`` and ``to``), `Network.flow` and `longfat.sim.run`. Numbers are SI,
text has a unit. What has no name in this package, a `Scheme`, `Discipline` or `Traffic` of one's own, is written as
``"own:NAME"`` with a comment; `read` asks `find` for every name with a colon and every Python file.
"""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from longfat import quantities
from longfat.sim import queues, schemes, traffic
from longfat.sim.ahead import announced
from longfat.sim.kernel.events import INDICES
from longfat.sim.names import unknown
from longfat.sim.network import Network
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme
from longfat.sim.traffic import Traffic

Find = Callable[..., Any]

#: key: what it holds; for the three kinds of table
LINK = {
    "name": "text", "from": "text", "to": "text", "rate": "bytes/s", "delay": "s", "buffer": "packets",
    "discipline": "choice", "loss": "share", "jitter": "s", "counter_refresh": "s", "coarse_clock": "flag",
    "stamps": "flag", "duplex": "flag",
}  # fmt: skip
FLOW = {
    "name": "text", "scheme": "text", "traffic": "table", "path": "nodes", "file": "bytes", "start": "s",
    "stagger": "s", "stop": "s", "packet": "bytes", "ack": "bytes", "access_rate": "bytes/s", "ack_path": "text",
    "count": "whole", "send_jitter": "s", "parameters": "table",
}  # fmt: skip
RUN = {
    "duration": "s", "warm_up": "s", "replications": "whole", "confidence": "share", "sample_every": "s",
    "rng": "whole",
}  # fmt: skip
DOCUMENT = {"name": "text", "link": "tables", "flow": "tables", "run": "table"}

_QUANTITY = (int, float, str)
#: what a key holds: its types in TOML, and how to say that
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "text"),
    "bytes/s": (_QUANTITY, 'a number [bytes/s] or text such as "40 Mbit/s"'),
    "s": (_QUANTITY, 'a number [s] or text such as "22 ms"'),
    "bytes": (_QUANTITY, 'a number [bytes] or text such as "64 KiB"'),
    "packets": (_QUANTITY, 'a number [packets] or text such as "440 packets" or "64 KiB"'),
    "share": (_QUANTITY, 'a number or text such as "1%"'),
    "quantity": (_QUANTITY, "a number or text with a unit"),
    "whole": ((int,), "a whole number"),
    "flag": ((bool,), "true or false"),
    "nodes": ((list,), 'a list of nodes, as in ["left", "right"]'),
    "choice": ((str, dict), 'a name, or a table as in {name = "red", low = 5, high = 15}'),
    "table": ((dict,), "a table"),
    "tables": ((list,), "tables"),
}
READERS: dict[str, Callable[[Any, str, str], float]] = {
    "bytes/s": quantities.rate,
    "s": quantities.duration,
    "bytes": quantities.size,
}
#: the generators that a flow's `traffic = {kind = ...}` may name
GENERATORS: dict[str, Callable[..., Traffic]] = {
    name.replace("_", "-"): made
    for name, made in vars(traffic).items()
    if inspect.isfunction(made) and made.__annotations__.get("return") == "Traffic" and not name.startswith("_")
}


def read(text: str, find: Find | None = None) -> Network:
    """The network of a scenario.

    Parameters
    ----------
    text : str
        TOML, see the module.
    find : callable, optional
        Asked for each scheme or discipline that is named with a colon, "my_schemes.py:aimd": returns it, or None. For
        "my_schemes.py" it gets the class that is wanted, too, as a second argument.

    Returns
    -------
    Network
        Equal to the one that was written.

    Raises
    ------
    ValueError
        For text that is no TOML, keys and names that are unknown, and what `Network` refuses, with its table.

    Examples
    --------
    >>> net = read('''
    ... [[link]]
    ... from = "left"
    ... to = "right"
    ... rate = "40 Mbit/s"
    ... duplex = true
    ...
    ... [[flow]]
    ... scheme = "reno"
    ... path = ["left", "right"]
    ... ''')
    >>> net
    Network('', 2 nodes, 2 links, 1 flows)
    >>> read(net.to_toml()) == net
    True
    """
    return parse(text, find)[0]


def parse(text: str, find: Find | None = None) -> tuple[Network, dict[str, Any]]:
    """The network of a scenario, and the options of its run (`longfat.sim.run`); see `read`.

    >>> parse('run = {duration = "10 s", rng = 1}')
    (Network('', 0 nodes, 0 links, 0 flows), {'duration': 10.0, 'rng': 1})
    """
    for kind in ("link", "flow"):  # before minutes of reading
        if text.count(f"[[{kind}]]") >= INDICES:
            raise ValueError(f"{text.count(f'[[{kind}]]')} {kind}s are out of range: less than {INDICES} are allowed")
    try:
        with announced(f"longfat: reading {len(text) / 1e6:.3g} MB of TOML"):
            document = tomllib.loads(text)
    except RecursionError:
        raise ValueError("this is no scenario: it is nested too deeply") from None
    _check("", document, DOCUMENT)
    net = Network(document.get("name", ""))
    for k, table in enumerate(_shown_progress(document.get("link", []), "link"), 1):
        _within(f"link {k}", _add_link, net, table, find)
    for k, table in enumerate(_shown_progress(document.get("flow", []), "flow"), 1):
        _within(f"flow {k}", _add_flow, net, table, find)
    return net, _within("run", _run, document.get("run", {}))


def _shown_progress(tables: list[Any], kind: str) -> Iterable[Any]:
    """Return tables that show how far they were read, on a terminal and after two seconds."""
    if len(tables) < 1000:
        return tables
    from tqdm import tqdm

    shown: Iterable[Any] = tqdm(tables, unit=kind, delay=2, leave=False, disable=not sys.stderr.isatty())
    return shown


def _within(where: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Say of an error in which table it is."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check(what: str, table: Any, keys: Mapping[str, str], required: tuple[str, ...] = ()) -> None:
    """Known keys, with values of their types, and none missing."""
    if not isinstance(table, dict):
        raise ValueError(f"{_shown(table)} is no table")
    for key, value in table.items():
        if key not in keys:
            raise unknown(f"{what}key", key, keys)
        types, words = _TYPES[keys[key]]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            if keys[key] == "tables":
                raise ValueError(f"{what}{key} is no list of tables: head each with [[{key}]]")
            raise ValueError(f"{what}{key} = {_shown(value)} is out of range: allowed is {words}")
        if isinstance(value, list) and keys[key] == "nodes" and not all(isinstance(node, str) for node in value):
            raise ValueError(f"{what}{key} = {_shown(value)} is out of range: allowed is {words}")
    for key in required:
        if key not in table:
            raise ValueError(f"{what}{key!r} is missing")


def _shown(value: object) -> str:
    text = " ".join(str(value).lower().split() if isinstance(value, bool) else repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _add_link(net: Network, table: dict[str, Any], find: Find | None) -> None:
    _check("", table, LINK, ("from", "to", "rate"))
    options = {key: value for key, value in table.items() if key not in ("from", "to")}
    if "discipline" in table:
        options["discipline"] = _discipline(table["discipline"], find)
    net.link(table["from"], table["to"], **options)


def _discipline(given: str | dict[str, Any], find: Find | None) -> Discipline:
    options = {"name": given} if isinstance(given, str) else dict(given)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise ValueError("discipline: 'name' is missing" if name is None else f"discipline: name = {name!r} is no text")
    if _is_own(name):
        made = _found("discipline", name, find, Discipline)
        if options:
            raise ValueError(f"discipline {name!r} takes no parameters here: it has them in its file")
        return made  # type: ignore[no-any-return]
    if name not in queues.NAMED:
        raise unknown("discipline", name, queues.NAMED)
    return _known_discipline(name, options)


def _known_discipline(name: str, options: dict[str, Any]) -> Discipline:
    """Return one of the package's disciplines with the values of a table."""
    known, what = queues.NAMED[name], f"discipline {name!r}: "
    kinds = dict.fromkeys(known.parameters, "quantity") | dict.fromkeys(known.flags, "flag")
    if known.services:
        kinds["service"] = "text"
    if not kinds and options:
        raise ValueError(f"{what}it takes no parameters, so {next(iter(options))!r} is unknown")
    _check(what, options, kinds, tuple(known.missing))
    return _within(what.rstrip(": "), lambda: known(**options))  # type: ignore[no-any-return]


def _made(what: str, function: Callable[..., Any], options: dict[str, Any], find: Find | None) -> Any:
    """Call one of the package's functions with the keys of a table; `by` is a scheme."""
    takes = inspect.signature(function).parameters
    if not takes and options:
        raise ValueError(f"{what}it takes no parameters, so {next(iter(options))!r} is unknown")
    kinds = {
        name: "text" if name == "by" else "flag" if isinstance(one.default, bool) else "quantity"
        for name, one in takes.items()
    }
    _check(what, options, kinds, tuple(name for name, one in takes.items() if one.default is one.empty))
    given = {name: _scheme(value, find) if name == "by" else value for name, value in options.items()}
    return _within(what.rstrip(": "), lambda: function(**given))


def _is_own(name: str) -> bool:
    return ":" in name or name.endswith(".py")


def _found(what: str, name: str, find: Find | None, kind: type) -> Any:
    """A scheme or discipline that is not the package's."""
    made = None if find is None else find(name) if ":" in name else find(name, kind)
    if made is None:
        raise ValueError(
            f'{what} = {name!r} is not at hand: name the file that defines it, as in "my_file.py:NAME", '
            "and read the scenario with longfat.scenario.load or the command line"
        )
    if not isinstance(made, kind):
        raise ValueError(f"{what} = {name!r} is no {kind.__name__} but {type(made).__name__}")
    return made


def _scheme(name: str, find: Find | None) -> Scheme:
    return _found("scheme", name, find, Scheme) if _is_own(name) else schemes.scheme(name)  # type: ignore[no-any-return]


def _add_flow(net: Network, table: dict[str, Any], find: Find | None) -> None:
    _check("", table, FLOW, ("path",))
    if ("scheme" in table) == ("traffic" in table):
        both = "scheme" in table
        raise ValueError("'scheme' and 'traffic' exclude each other" if both else "'scheme' (or 'traffic') is missing")
    options = {key: value for key, value in table.items() if key not in ("scheme", "traffic")}
    what = _scheme(table["scheme"], find) if "scheme" in table else _traffic(dict(table["traffic"]), find)
    chosen = what if isinstance(what, Scheme) else what.scheme
    if "parameters" in table:
        options["parameters"] = {
            key: _parameter(key, value, chosen) if isinstance(value, str) else value
            for key, value in table["parameters"].items()
        }
    net.flow(what, **options)


def _parameter(name: str, text: str, chosen: Scheme | None) -> float | str:
    """A scheme's parameter that is written with a unit."""
    parameter = chosen.parameters.get(name) if chosen is not None else None
    if isinstance(parameter, schemes.Parameter) and parameter.unit in READERS:
        return READERS[parameter.unit](text, name, parameter.allowed)
    return text  # refused by the flow


def _traffic(options: dict[str, Any], find: Find | None) -> Traffic:
    kind = options.pop("kind", None)
    if kind is None:
        raise ValueError("traffic: 'kind' is missing")
    if not isinstance(kind, str) or kind not in GENERATORS:
        raise unknown("traffic: kind", kind, GENERATORS)
    return _made(f"traffic {kind!r}: ", GENERATORS[kind], options, find)  # type: ignore[no-any-return]


def _run(table: dict[str, Any]) -> dict[str, Any]:
    """The options of `longfat.sim.run`; their ranges are its own business."""
    _check("", table, RUN)
    return {key: _option(key, value) for key, value in table.items()}


def _option(key: str, value: Any) -> Any:
    if isinstance(value, str) and RUN[key] == "share":
        return quantities.fraction(value, key, "(0, 1)")
    if isinstance(value, str) and (key, value) != ("warm_up", "auto"):
        return quantities.duration(value, key)
    return value
