"""Parser of scenarios, which converts TOML to a network with its flows and the options of its run."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from longfat.base import domains
from longfat.base.argument import Argument
from longfat.base.domains import unknown
from longfat.base.progress import announced, bar
from longfat.sim import queues, schemes
from longfat.sim.kernel.events import INDICES
from longfat.sim.network.elements import OF_FLOW, OF_LINK
from longfat.sim.network.network import Network
from longfat.sim.network.options import RUN_OPTIONS, Option
from longfat.sim.network.traffic import GENERATORS, Traffic
from longfat.sim.plugin.parameters import Table
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme

Find = Callable[..., Any]


def kind(one: Argument | Option) -> str:
    """Return the kind of an option's value, a key of `TYPES`."""
    if isinstance(one, Option):
        return one.toml
    if one.integer and one.unit != "bytes":
        return "integer"
    return "share" if one.unit == "probability" else one.unit


# Keys of each table, and the kind of each value, which is a key of `TYPES`.
LINK = {"from": "text", "to": "text", "name": "text", "duplex": "flag"}
LINK |= {key: kind(one) for key, one in OF_LINK.items()}
FLOW = {"name": "text", "scheme": "text", "traffic": "traffic", "path": "nodes"}
FLOW |= {key: kind(one) for key, one in OF_FLOW.items()}
RUN = {key: kind(one) for key, one in RUN_OPTIONS.items()}
DOCUMENT = {"name": "text", "link": "tables", "flow": "tables", "run": "table"}

_QUANTITY = (int, float, str)
#: Kind of a value -> its TOML types, and the words for this kind in messages.
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "text"),
    "bytes/s": (_QUANTITY, 'a number [bytes/s] or text such as "40 Mbit/s"'),
    "s": (_QUANTITY, 'a number [s] or text such as "22 ms"'),
    "bytes": (_QUANTITY, 'a number [bytes] or text such as "64 KiB"'),
    "packets": (_QUANTITY, 'a number [packets] or text such as "440 packets" or "64 KiB"'),
    "share": (_QUANTITY, 'a number or text such as "1%"'),
    "quantity": (_QUANTITY, "a number or text with a unit"),
    "integer": ((int,), "an integer"),
    "flag": ((bool,), "true or false"),
    "answer": ((bool, str), 'true, false or "incoming"'),
    "pairs": ((list,), 'a list of pairs, as in [["1 s", "5 Mbit/s"]]'),
    "rows": ((list,), 'a list of rows, as in [["1 s", "2 s", 1]]'),
    "nodes": ((list,), 'a list of nodes, as in ["left", "right"]'),
    "discipline": ((str, dict), 'a name, or a table as in {name = "red", min_th = 5, max_th = 15}'),
    "table": ((dict,), "a table"),
    "traffic": ((dict,), "a table"),
    "values": ((str, dict), 'a table, or "linux"'),
    "tables": ((list,), "tables"),
}


def parse(text: str, find: Find | None = None) -> tuple[Network, dict[str, Any]]:
    """Return the network of a scenario's text, and the options of its run.

    Parameters
    ----------
    text : str
        TOML, see `longfat.scenario`.
    find : callable, optional
        Function that returns the scheme or discipline for a name with a colon, such as "my_schemes.py:aimd", or None
        if there is none. For a file without a name, such as "my_schemes.py", a second argument has the class needed.

    Returns
    -------
    Network, dict
        Network, equal to the network from which the text was written, and options for `longfat.sim.run`.

    Raises
    ------
    ValueError
        For text that is not TOML, unknown keys and names, and values that `Network` refuses; the message names the
        table.

    Examples
    --------
    >>> parse('run = {duration = "10 s", rng = 1}')
    (Network('', 0 nodes, 0 links, 0 flows), {'duration': 10.0, 'rng': 1})
    """
    for kind in ("link", "flow"):  # refuses a huge file before parsing it, which would take minutes
        if text.count(f"[[{kind}]]") >= INDICES:
            raise domains.out_of_range(f"{kind}s", text.count(f"[[{kind}]]"), "1", f"[0, {INDICES})", integer=True)
    try:
        with announced(f"longfat: reading {len(text) / 1e6:.3g} MB of TOML"):
            document = tomllib.loads(text)
    except RecursionError:
        raise ValueError("the scenario is nested too deeply: must be tables of links, flows and run options") from None
    return parse_document(document, find)


def parse_document(document: dict[str, Any], find: Find | None = None) -> tuple[Network, dict[str, Any]]:
    """Return the network of a scenario, given as the dictionary of its TOML, and the options of its run.

    >>> parse_document({"run": {"duration": "10 s"}})[1]
    {'duration': 10.0}
    """
    _check("", document, DOCUMENT)
    net = Network(document.get("name", ""))
    for k, table in enumerate(_shown_progress(document.get("link", []), "link"), 1):
        _within(f"link {k}", _add_link, net, table, find)
    for k, table in enumerate(_shown_progress(document.get("flow", []), "flow"), 1):
        _within(f"flow {k}", _add_flow, net, table, find)
    return net, _within("run", _run, document.get("run", {}))


def _shown_progress(tables: list[Any], kind: str) -> Iterable[Any]:
    """Return an iterator over the tables that shows a progress bar, on a terminal and after two seconds."""
    return tables if len(tables) < 1000 else bar(tables, task="parsing", unit=kind, shown=True)  # type: ignore[no-any-return]


def _within(where: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, and prefix the messages of its errors with the name of the table."""
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None


def _check(what: str, table: Any, keys: Mapping[str, str], required: tuple[str, ...] = ()) -> None:
    """Raise a ValueError for an unknown key of a table, a value of a wrong type, or a required key that is missing."""
    if not isinstance(table, dict):
        raise ValueError(f"must be a table, got {_shown(table)}")
    for key, value in table.items():
        if key not in keys:
            raise unknown(f"{what}key", key, keys)
        types, words = TYPES[keys[key]]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            if keys[key] == "tables":
                raise ValueError(f"{what}{key} must be a list of tables, each headed by [[{key}]]")
            raise ValueError(f"{what}{key} must be {words}, got {_shown(value)}")
        if isinstance(value, list) and keys[key] == "nodes" and not all(isinstance(node, str) for node in value):
            raise ValueError(f"{what}{key} must be {words}, got {_shown(value)}")
    for key in required:
        if key not in table:
            raise ValueError(f"{what}{key!r} is missing: must be {TYPES[keys[key]][1]}")


def _shown(value: object) -> str:
    text = " ".join(str(value).lower().split() if isinstance(value, bool) else repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _add_link(net: Network, table: dict[str, Any], find: Find | None) -> None:
    _check("", table, LINK, ("from", "to", "rate"))
    options = {key: _argument(LINK[key], key, value, find) for key, value in table.items()}
    net.link(options.pop("from"), options.pop("to"), **options)


def _argument(kind: str, key: str, value: Any, find: Find | None) -> Any:
    """Return the argument of `Network.link` or `Network.flow` that a value in a scenario file represents."""
    if kind == "discipline":
        return _discipline(value, find)
    return _traffic(dict(value), find, key) if kind == "traffic" else value


def _discipline(given: str | dict[str, Any], find: Find | None) -> Discipline:
    options = {"name": given} if isinstance(given, str) else dict(given)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise (
            ValueError("discipline: 'name' is missing: must be the name of a discipline")
            if name is None
            else domains.wrong_type("discipline: name", name, "a string")
        )
    if _is_own(name):
        made = _found("discipline", name, find, Discipline)
        if options:
            raise ValueError(f"discipline {name!r} takes no parameters here: set them in the file that defines it")
        return made  # type: ignore[no-any-return]
    if name not in queues.NAMED:
        raise unknown("discipline", name, queues.NAMED)
    return _known_discipline(name, options)


def _known_discipline(name: str, options: dict[str, Any]) -> Discipline:
    """Return the package's discipline of this name, with the values of its parameters in `options`."""
    known, what = queues.NAMED[name], f"discipline {name!r}: "
    kinds = {name: "rows" if isinstance(one, Table) else "quantity" for name, one in known.parameters.items()}
    kinds |= dict.fromkeys(known.flags, "flag")
    if known.services:
        kinds["service"] = "text"
    if not kinds and options:
        raise ValueError(f"{what}it takes no parameters, so {next(iter(options))!r} is unknown")
    _check(what, options, kinds, tuple(known.missing))
    return _within(what.rstrip(": "), lambda: known(**options))  # type: ignore[no-any-return]


def _is_own(name: str) -> bool:
    return ":" in name or name.endswith(".py")


def _found(what: str, name: str, find: Find | None, kind: type) -> Any:
    """Return a user's own scheme or discipline by name, after checking that it is of the class `kind`."""
    made = None if find is None else find(name) if ":" in name else find(name, kind)
    if made is None:
        raise ValueError(
            f'{what} = {name!r} is not defined here: name the file that defines it, as in "my_file.py:NAME", '
            "and read the scenario with longfat.scenario.load or the command line"
        )
    if not isinstance(made, kind):
        raise ValueError(f"{what} = {name!r} has the type {type(made).__name__}: must be a {kind.__name__}")
    return made


def _scheme(name: str, find: Find | None) -> Scheme:
    return _found("scheme", name, find, Scheme) if _is_own(name) else schemes.scheme(name)  # type: ignore[no-any-return]


def _add_flow(net: Network, table: dict[str, Any], find: Find | None) -> None:
    _check("", table, FLOW, ("path",))
    if ("scheme" in table) == ("traffic" in table):
        both = "scheme" in table
        raise ValueError("'scheme' and 'traffic' exclude each other" if both else "'scheme' (or 'traffic') is missing")
    options = {key: _argument(FLOW[key], key, value, find) for key, value in table.items() if key != "scheme"}
    what = _scheme(table["scheme"], find) if "scheme" in table else options.pop("traffic")
    net.flow(what, **options)


def _traffic(options: dict[str, Any], find: Find | None, key: str) -> Traffic:
    """Return the traffic of a table: `kind` names the generator, the other keys its arguments; `by` names a scheme."""
    kind = options.pop("kind", None)
    if kind is None:
        raise ValueError(f"{key}: 'kind' is missing: must be one of {', '.join(GENERATORS)}")
    if not isinstance(kind, str) or kind not in GENERATORS:
        raise unknown(f"{key}: kind", kind, GENERATORS)
    takes = inspect.signature(GENERATORS[kind]).parameters
    kinds = {
        name: "text" if name == "by" else "flag" if isinstance(one.default, bool) else "quantity"
        for name, one in takes.items()
    }
    required = tuple(name for name, one in takes.items() if one.default is one.empty)
    _check(f"{key} {kind!r}: ", options, kinds, required)
    given = {name: _scheme(value, find) if name == "by" else value for name, value in options.items()}
    return _within(f"{key} {kind!r}", lambda: GENERATORS[kind](**given))  # type: ignore[no-any-return]


def _run(table: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `longfat.sim.run` from a table, converted to SI units; `run` checks their ranges."""
    _check("", table, RUN)
    texts = {key: text for key, text in table.items() if isinstance(text, str)}
    return table | {key: RUN_OPTIONS[key].read(key, text) for key, text in texts.items()}
