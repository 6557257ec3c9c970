"""Options of links and flows: kinds of values, and the fields that declare them.

An option is one field of `elements.Link` or `elements.Flow`, with its record. From the record come the argument of
`Network.link` or `Network.flow` with its check and its entry in the docstring, the key of scenario files, the field of
the kernel's row if it has one of its own, and the values that hypothesis strategies draw.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from longfat.base import domains, quantities
from longfat.base.quantity import Quantity, filled

MOST_CHANGES = 10**6
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Number(Quantity):
    """Option that is a quantity.

    Parameters
    ----------
    unit, domain, default, meaning, remark, integer
        As for `longfat.base.quantity.Quantity`.
    endless : bool
        Whether infinity is allowed besides the domain.
    optional : bool
        Whether None is allowed, and the default.
    drawn : tuple or list, optional
        Range or list of values for strategies, with which a run takes few events; by default the option is left out.
    row : str
        Field of the kernel's row that has the value, times in nanoseconds.

    Examples
    --------
    >>> stop = Number("s", "[0, 1e9]", math.inf, endless=True)
    >>> stop.read("stop", "20 ms"), stop.read("stop", math.inf)
    (0.02, inf)
    """

    unit: str
    domain: str
    default: float | None = None
    meaning: str = ""
    endless: bool = False
    optional: bool = False
    drawn: tuple[float, float] | list[float] | None = None
    row: str = ""

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is None and not self.optional

    @property
    def kind(self) -> str:
        """Kind of the value in a scenario file, see `scenario.keys.TYPES`."""
        if self.integer and self.unit != "bytes":
            return "integer"
        return "share" if self.unit == "probability" else self.unit

    def read(self, name: str, value: Any, of: str = "") -> Any:
        """Return the value of an argument in SI units; raise an error for others."""
        if (self.optional and value is None) or (self.endless and value == math.inf):
            return value
        return self.checked(name, value)

    def described(self, name: str) -> str:
        """Return the entry of the docstring."""
        kind = "int" if self.integer else "float"
        kind += " or str" if self.kind != "integer" else ""
        return dataclasses.replace(self, default=None).entry(name, kind + ", optional" * self.optional)


@dataclass(frozen=True)
class Option:
    """Option that is no quantity.

    Parameters
    ----------
    kind : str
        Kind of the value in a scenario file, see `scenario.keys.TYPES`.
    type : str
        Types of the argument, for the docstring.
    default : object
        Default of the argument.
    meaning : str
        Description for the docstring.
    read : callable
        ``read(name, value, of)`` returns the value of an argument as the network has it; ``of`` says whose it is.
    drawn, row
        As for `Number`.
    """

    kind: str
    type: str
    default: Any
    meaning: str
    _: KW_ONLY
    read: Callable[[str, Any, str], Any] = lambda name, value, of: value
    drawn: list[Any] | None = None
    row: str = ""
    required, unit = False, ""

    def described(self, name: str) -> str:
        """Return the entry of the docstring."""
        return f"{name} : {self.type}\n{textwrap.indent(filled(self.meaning), '    ')}"


Declared = Number | Option


#: Options of `longfat.sim.run` that a scenario file may hold.
RUN_OPTIONS = {
    "duration": Number("s", "[0, inf)"), "warm_up": Number("s", "[0, inf)"),
    "replications": Number("runs", "[1, 1e6]", integer=True), "confidence": Number("probability", "(0, 1)"),
    "sample_every": Number("s", "(0, 1e9]"), "rng": Number("1", "[0, inf)", integer=True),
}  # fmt: skip


def flag(meaning: str, **more: Any) -> Option:
    """Return an option that is true or false."""
    return Option("flag", "bool", False, meaning, read=lambda name, value, of: bool(value), **more)


def choice(default: str, meaning: str, *choices: str) -> Option:
    """Return an option that is one of some words."""

    def read(name: str, value: Any, of: str) -> str:
        return domains.choice(f"{name} of {of}:", value, choices)

    shown = ", ".join(f'"{one}"' for one in choices)
    return Option("text", f"{{{shown}}}", default, meaning, read=read, drawn=list(choices))


def option(record: Declared) -> Any:
    """Return a field of a dataclass that declares an option; its default is the default of the argument, as read."""
    if record.required:
        return dataclasses.field(metadata={"option": record})
    read = record.read("default", record.default, "")
    return dataclasses.field(default=read, metadata={"option": record})


def options(kind: type) -> dict[str, Declared]:
    """Return the options of `Link` or `Flow` by name."""
    found = {one.name: one.metadata.get("option") for one in dataclasses.fields(kind)}
    return {name: one for name, one in found.items() if one is not None}


def read_all(known: Mapping[str, Declared], given: Mapping[str, Any], of: str) -> dict[str, Any]:
    """Return the values of given options as a network has them; refuse unknown and missing ones."""
    for name in given:
        if name not in known:
            raise TypeError(str(domains.unknown(f"option of {of}:", name, known)))
    for name, one in known.items():
        if one.required and name not in given:
            raise TypeError(f"{of} needs {name}")
    return {name: known[name].read(name, value, of) for name, value in given.items()}


def takes(kind: type) -> Callable[[_Function], _Function]:
    """Give a method with ``**options`` the options of `Link` or `Flow`: in its signature and in its docstring."""
    known = options(kind)

    def documented(method: _Function) -> _Function:
        signature = inspect.signature(method)
        named = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        for name, one in known.items():
            default = inspect.Parameter.empty if one.required else one.default
            named.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        method.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        entries = "\n".join(one.described(name) for name, one in known.items())
        method.__doc__ = inspect.cleandoc(method.__doc__ or "").replace("**options", entries, 1)
        return method

    return documented


def read_buffer(name: str, buffer: Any, of: str = "") -> tuple[float, float]:
    """Return the limits of a buffer [packets], [bytes]; a limit that is not given is infinite.

    >>> [read_buffer("buffer", one) for one in ("440 packets", "64 KiB", None)]
    [(440, inf), (inf, 65536.0), (inf, inf)]
    """
    if buffer is None or buffer == math.inf:
        return math.inf, math.inf
    if isinstance(buffer, str):
        text = buffer.strip()
        for word in ("packets", "packet"):
            if text.endswith(word):
                amount = text.removesuffix(word).strip()
                try:
                    return domains.integer(name, float(amount), "packets", "[0, 1e15]"), math.inf
                except ValueError:
                    raise domains.out_of_range(name, repr(buffer), "1", "[0, 1e15]", integer=True) from None
        return math.inf, quantities.size(buffer, name, "[0, 1e18]")
    return domains.integer(name, buffer, "packets", "[0, 1e15]"), math.inf


def read_rate_changes(name: str, changes: Sequence[Sequence[Any]], of: str = "") -> tuple[tuple[float, float], ...]:
    """Return times [s] and rates [bytes/s], given as numbers or text, after checking that the times increase.

    >>> read_rate_changes("rate_changes", [("1 s", "8 Mbit/s"), (2.5, 2e6)])
    ((1.0, 1000000.0), (2.5, 2000000.0))
    """
    words = "a sequence of pairs (time, rate)"
    if isinstance(changes, str) or not isinstance(changes, Sequence):
        raise domains.wrong_type(name, changes, words)
    domains.integer(f"number of {name}", len(changes), "1", f"[0, {MOST_CHANGES}]")
    made: list[tuple[float, float]] = []
    for one in changes:
        if isinstance(one, str) or not isinstance(one, Sequence) or len(one) != 2:
            raise domains.wrong_type(name, one, words)
        after = made[-1][0] if made else 0.0
        time = quantities.duration(one[0], f"time in {name}", f"({after!r}, 1e9]")
        made.append((time, quantities.rate(one[1], f"rate in {name}")))
    return tuple(made)
