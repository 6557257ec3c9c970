"""Generated pages of this folder: ``python -m docs.pages`` or ``make docs`` writes them."""

from __future__ import annotations

import csv
import inspect
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from docs import drawing, rooms
from longfat import sim
from longfat.sim.plugin import view_fields as fields

HERE = Path(__file__).resolve().parent

#: Functions for plug-ins, by the kinds of plug-ins that may call them.
FUNCTIONS = {
    "Schemes, disciplines and services": ("random", "now_ns"),
    "Disciplines and services": (
        "mark", "is_full", "flow_state", "queue_of", "has_next_switch", "first_waiting", "behind", "waiting",
        "push_out",
    ),
    "Services": (
        "queue", "queue_numbered", "append", "take", "take_first", "take_last", "drop_more", "number_of", "tag_of",
        "set_tag", "capacity", "schedule_wake", "memory", "set_memory", "heap_insert", "heap_replace", "heap_remove",
        "heap_entry",
    ),
}  # fmt: skip

HEAD = """\
# What a plug-in sees, and what it may set

This page is generated from `longfat.sim.fields` by `make docs`; do not edit it. [simulator.md](simulator.md) has an
example of a scheme, [engine.md](engine.md) says how the engine calls a plug-in.

A `PlugIn` is a `Scheme` (congestion control), a `Discipline` (which packets a link drops or marks, and what feedback
it sends) or a `Service` (the order in which a link sends). Its callbacks are plain functions that numba compiles. Their
arguments are *views* of the simulator's records: times in seconds, sizes in bytes, rates in bytes/s, as floats; windows
and counts in packets. A plug-in has the fields listed here. Setting a read-only field is refused before the run begins.

"""

TEXT = """
- A scheme's callbacks return the window [packets], or the rate [bytes/s] with `controls="rate"`; `send` returns 0.
- `receive` of a scheme is called for every packet at the receiver, in place of the simulator's own acknowledgments; it
  returns 1 if data of the packet is accepted. `reply` is called at `receiver.alarm` with a new acknowledgment, and
  returns 1 if it leaves. They see `receiver_state`, not the state of the sender: the ends share only parameters.
- The *number* of a packet at its link is where the simulator stores it, as `first_waiting`, `behind` and `take_first`
  return it; a service may keep it in its state. It is not the sequence number, `packet.number`.
- A service that sorts packets asks for memory with `workspace`, in which it may have a heap. Its times are integers
  [ns], as `now_ns` returns them.
- `enqueue` of a discipline returns `ENQUEUE`, `DROP` or `push_out(number)`; `dequeue` returns `SEND` or `DROP`; `tick`
  returns the time of the next call [s], `math.inf` for none; the return value of `feedback` is ignored.
- `enqueue` of a service appends the packet to a queue. `dequeue` takes a packet out of its queue and returns its
  number, or `NOTHING` if none may leave. If the buffer is full, `evict` takes the packet to drop out of its queue and
  returns its number, or `drop_more(number)` to be called again, or `NOTHING` to drop the arriving packet. `wake` is
  called after a discipline's `feedback` about a queue. The return values of `wake` and `enqueue` are ignored.
- Functions that are not given have defaults, see `help(longfat.sim.Scheme)` and so on.

**Parameters and state** are further fields, by their declared names: `flow.beta`, `link.target`, `queue.deficit`. A
`Parameter(default, unit, domain)` is read-only, a state may be set. A state is a float, an integer, a boolean or up to
1000 of them; text names the parameter that has its initial value. A name that is a keyword of Python, a field listed
here, or declared twice is refused. A scheme's parameter with `field=` is no field of its own, but the initial value of
one of these fields of the simulator:
{initial}.
A discipline's state of a flow is `flow_state(link, packet.flow)`.

**Helper functions** of a plug-in carry the decorator `longfat.sim.part`. A plug-in uses `math` and numbers; random
numbers come from `longfat.sim.random`, so that the seed determines them. Write `x * x * x`, not `x**3`: compiled code
rounds powers otherwise than Python does. `longfat.sim.conformance(plug_in)` checks a plug-in on three small networks,
compiled and in plain Python; `test_mine = longfat.testing.conforms(MINE)` makes a test of pytest from it.

## Fields

The views `flow` and `event` go to schemes; `receiver` to their `receive` and `reply`; `link`, `packet` and `queue` to
disciplines and services; `packet` also to a scheme's `send`, `receive` and `reply`.

"""


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table as Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _listed(names: Iterable[str]) -> str:
    """Return names as a list in Markdown."""
    return ", ".join(f"`{name}`" for name in names)


def _callbacks(kind: type[sim.PlugIn]) -> str:
    """Return the callbacks of a kind of plug-in in Markdown, with their arguments."""
    named: dict[str, list[str]] = {}
    for name, arguments in kind.CALLBACKS.items():
        named.setdefault(arguments, []).append(name)
    return "; ".join(f"{_listed(names)}: `{arguments}`" for arguments, names in named.items())


def plug_ins() -> str:
    """Return the page for writers of plug-ins."""
    rows = [
        (kind.KIND, _callbacks(kind), _listed(("parameters", "state", *more)), example)
        for kind, more, example in (
            (sim.Scheme, ("receiver_state",), "[AIMD](../tests/plugins/aimd.py)"),
            (sim.Discipline, ("flow_state",), "[loss of each n-th packet](../tests/plugins/nth.py)"),
            (sim.Service, ("queue_state",), "[small packets first](../tests/plugins/small_first.py)"),
        )
    ]
    shapes = table(("plug-in", "its callbacks", "its record", "example, in a file outside the package"), rows)
    text = TEXT.format(initial=_listed(fields.INITIAL))
    return HEAD + shapes + text + fields.documentation() + "\n" + functions()


def functions() -> str:
    """Return the tables of functions, from their signatures and docstrings."""
    parts = ["## Functions\n\nTo be imported from `longfat.sim`.\n"]
    for who, names in FUNCTIONS.items():
        plain = [(name, getattr(getattr(sim, name), "py_func", getattr(sim, name))) for name in names]
        rows = [
            (f"`{name}{inspect.signature(one)}`", (inspect.getdoc(one) or "").splitlines()[0]) for name, one in plain
        ]
        parts.append(f"### {who}\n\n" + table(("function", "what it does"), rows))
    return "\n".join(parts)


def _plug_ins() -> Iterator[tuple[str, Any]]:
    """Return kind and record of each scheme, discipline and service, once each."""
    for registry in (sim.schemes.NAMED, sim.queues.NAMED, sim.queues.SERVICES):
        for name, one in sorted(registry.items()):
            if one is not None and one.name == name:  # no other name of the same
                yield one.KIND.lower(), one


def _in_csv(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def sources() -> str:
    """Return the full references of all schemes, disciplines and services as CSV."""
    return _in_csv([("kind", "name", "source"), *((kind, one.name, one.source) for kind, one in _plug_ins())])


PAGES = {
    "plug-ins.md": plug_ins,
    "data/sources.csv": sources,
    "engine.svg": drawing.svg,
    "architecture.svg": rooms.svg,
}


def main() -> None:
    """Write all generated pages."""
    for name, made in PAGES.items():
        (HERE / name).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
