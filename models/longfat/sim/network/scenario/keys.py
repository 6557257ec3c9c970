"""Keys of a scenario file and the kinds of their values, for reading and writing."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from longfat.base.argument import Argument
from longfat.sim.network import traffic
from longfat.sim.network.elements import OF_FLOW, OF_LINK
from longfat.sim.network.options import RUN_OPTIONS, Option
from longfat.sim.network.traffic import Traffic


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
#: Name in ``traffic = {kind = ...}`` of a flow -> traffic generator.
GENERATORS: dict[str, Callable[..., Traffic]] = {
    name.replace("_", "-"): made
    for name, made in vars(traffic).items()
    if inspect.isfunction(made) and made.__annotations__.get("return") == "Traffic" and not name.startswith("_")
}
