"""Options of commands: types of their values, with ranges, names and completion, and options that commands share.

A type converts text to a value or raises a `ValueError` of one line; defaults are written as text and converted, too.
An option has the name of the library's argument even if its flag differs, so that commands call ``function(**given)``.
Modules that take long to import are imported when they are used, so that `longfat --help` stays fast.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from longfat.base.argument import Argument, Declared, Setting
from longfat.base.domains import out_of_range, unknown, wrong_type
from longfat.base.quantity import Quantity
from longfat.design.arguments import RNG, SENDERS

if TYPE_CHECKING:
    _Type = click.ParamType[Any]
else:  # before click 8.5 `ParamType` takes no arguments
    _Type = click.ParamType

Names = Callable[[], Iterable[str]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
#: Name of a library's argument -> name of its option, if they differ.
FLAGS = {
    "round_trip_time": "rtt", "rng": "seed", "parameters": "parameter", "schemes": "scheme",
}  # fmt: skip
#: Unit -> placeholder of a value in the help.
METAVARS = {
    "bytes/s": "rate", "s": "time", "bytes": "size", "probability": "share", "bandwidth-delay products": "share",
}  # fmt: skip

MANY = 1e4  # the help leaves out the upper end of a range if it is this large


def _name(param: click.Parameter | None) -> str:
    """Return the name of an option in error messages: its longest flag without the leading dashes."""
    return max(param.opts, key=len).lstrip("-").replace("-", "_") if param is not None else "value"


def _end(limit: float) -> float | None:
    """Convert the end of a range to the number that click prints in the help; None for infinity."""
    return None if math.isinf(limit) else int(limit) if limit == int(limit) else limit


class _Several:
    """Type of an option that takes one value, or several with commas between them."""

    several = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the text of an option to its value, or to the list of its values."""
        if not isinstance(value, str) or (ctx is not None and ctx.resilient_parsing):
            return value  # click converts twice; and for a completion, no file of the user may be executed
        found = [self.one(word, _name(param)) for word in (value.split(",") if self.several else [value])]
        return found if self.several else found[0]

    def one(self, word: str, name: str) -> Any:
        """Convert one text to a value; ``name`` is the name of the option in error messages."""
        raise NotImplementedError


class Value(_Several, click.FloatRange):
    """Type of an option for one value of a declared quantity, for several, or for ranges such as "80..100Mbit/s".

    Values are in SI units. A range is converted to the pair of its ends. Sizes are integers.
    """

    def __init__(self, record: Quantity, *, several: bool = False, ranges: bool = False) -> None:
        domain = record.interval
        super().__init__(
            _end(domain.low), _end(domain.high), min_open=not domain.includes_low, max_open=not domain.includes_high
        )
        self.record = replace(record, integer=record.integer or record.unit == "bytes")
        self.several, self.ranges = several, ranges
        self.name = METAVARS.get(record.unit, "N" if record.integer else "X") + (",..." if several else "")

    def _describe_range(self) -> str:
        """Return the range for the help; empty for an obvious range, such as all positive numbers."""
        low, high = self.min or 0, math.inf if self.max is None else self.max
        return "" if low <= 1 and (high == 1 or high >= MANY) else super()._describe_range()

    def one(self, word: str, name: str) -> Any:
        """Convert a text to a number, or to the pair of ends of a range.

        >>> Value(Quantity(unit="1", domain="[0, inf)", integer=True)).one("7", "seed")
        7
        """
        record, allowed, text = self.record, str(self.record.interval), word.strip()
        if self.ranges:
            from longfat.design import figure_ranges

            found = figure_ranges.read(name, word, record.unit, allowed)
            return found.low, found.high
        if record.text_unit:
            return record.checked(name, word)
        if record.integer:
            if not re.fullmatch("[+-]?[0-9]{1,40}", text):  # Python would take 1_000 and digits of other scripts, too
                raise wrong_type(name, text, f"an integer in {allowed}")
            return record.checked(name, int(text))
        try:
            value = float(text)
        except ValueError:
            raise wrong_type(name, text, f"a number in {allowed}") from None
        return record.checked(name, value)


class Name(_Several, _Type):
    """Type of an option for a name from a list, for an object in the user's Python file, or for several of these.

    ``names`` is called only when the names are needed. The help lists them, or ``shown`` as examples, if ``listed``.
    ``own`` is the kind of object that a file may define, "scheme" or "law". ``loaded`` is False if the library loads
    the file itself. ``checked`` is False if the library checks the names, because it accepts more names than the shell
    completes.
    """

    def __init__(
        self, what: str, names: Names, *, own: str = "", loaded: bool = True, several: bool = False,
        checked: bool = True, listed: bool = True, shown: Names | None = None,
    ) -> None:  # fmt: skip
        self.name = f"{what},..." if several else what
        self.what, self.names, self.own, self.loaded = what, names, own, loaded
        self.several, self.checked, self.listed, self.shown = several, checked, listed, shown

    def one(self, word: str, name: str) -> Any:
        """Check a name and return it, or return the object that a Python file defines."""
        from longfat.base.user_files import names_file, read

        word = word.strip()
        if self.own and names_file(word):
            return read(word, _kind(self.own), what=self.what) if self.loaded else word
        if self.checked and word not in (names := self.names()):
            raise unknown(self.what, word, names)
        return word

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the incomplete text, and files if the option accepts Python files."""
        before, comma, last = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        items = [CompletionItem(f"{before}{comma}{name}") for name in self.names() if name.startswith(last)]
        return [*items, CompletionItem(incomplete, type="file")] if self.own else items


class Assignment(_Several, _Type):
    """Type of an option for a parameter's name and number, such as ``delayed_ack=2``."""

    name = "name=value"

    def one(self, word: str, name: str) -> tuple[str, float]:
        """Split a text such as ``delayed_ack=2`` into name and number."""
        key, _, text = word.partition("=")
        try:
            return key.strip(), float(text)
        except ValueError:
            raise wrong_type(name, word, "a name and a number, such as delayed_ack=2") from None


class Text(_Several, _Type):
    """Type of an option for a text that is not blank, such as a path, which the shell completes."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what = name, what

    def one(self, word: str, name: str) -> str:
        """Return the text; raise a ValueError if it is blank."""
        if not word.strip():
            raise out_of_range(name, repr(word), "1", self.what)
        return word

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return an item that makes the shell complete paths, if the text is a path."""
        return [CompletionItem(incomplete, type=self.name)] if self.name in ("file", "dir") else []


class Option(click.Option):
    """Option whose help ends with the names that it accepts."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the flags of the option, and its help with the accepted names or examples of them."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Name) or not self.type.listed:
            return record
        file = [f"FILE.py[:{self.type.own.upper()}]"] if self.type.own else []
        if self.type.shown is not None:
            return record[0], f"{record[1]}  E.g. {', '.join([*self.type.shown(), *file])} (--list)."
        return record[0], f"{record[1]}  One of: {', '.join([*self.type.names(), *file])}."


def option(flag: str, kind: Any, text: str, *, argument: str = "", **more: Any) -> Decorator:
    """Return a decorator that adds an option with a type and a help text; the help shows a default if there is one.

    ``argument`` is the name of the library's argument, if the flag has another name.
    """
    more.setdefault("show_default", more.get("default") is not None)
    return click.option(flag, *filter(None, [argument]), cls=Option, type=kind, help=text, **more)


def options(declared: Mapping[str, Declared], *names: str, optional: bool = False, **more: Any) -> Decorator:
    """Return a decorator that adds an option for each argument of the library in ``names``, by default for all.

    With ``optional`` the help shows the default, but the command gets only values that the user has given. ``more`` is
    passed to `option` for each argument.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(names or tuple(declared)):
            command = _option(name, declared[name], optional, more)(command)
        return command

    return decorate


def _option(name: str, one: Declared, optional: bool, more: dict[str, Any]) -> Decorator:
    """Return a decorator that adds one argument of the library as an option."""
    chosen: dict[str, Any] = {"required": one.required}
    if isinstance(one, Setting):
        chosen["multiple"] = one.kind == "mapping"
        if one.names:
            chosen["metavar"] = f"[{'|'.join(one.names)}]"
    default = _text(one.default)
    if default and not optional:
        chosen["default"] = default
    elif default or one.otherwise:
        chosen["show_default"] = _flags(default or one.otherwise)
    return option(flag_of(name), _type(name, one), f"{_flags(one.meaning)}.", argument=name, **chosen | more)


def _text(default: Any) -> str:
    """Format a default value as users would type it; None is an empty text."""
    if isinstance(default, tuple):
        return ",".join(map(_text, default))
    return "" if default is None else f"{default:g}" if isinstance(default, float) else str(default)


def _flags(text: str) -> str:
    """Replace each argument's name in double backquotes by the flag of its option."""
    return re.sub("``(.*?)``", lambda match: flag_of(match[1]), text)


def _type(name: str, one: Declared) -> Any:
    """Return the option type that fits an argument of the library."""
    if isinstance(one, Argument):
        return Value(one, several=one.several, ranges=one.ranges)
    if one.names:
        return Name(name, lambda: one.names, listed=False)
    if one.kind == "mapping":
        return Assignment()
    if one.registry == "discipline":
        return Name("discipline", disciplines, shown=disciplines_of_linux)
    return Name("scheme", schemes, own="scheme", several=one.several, shown=lambda: SENDERS)


def flag_of(name: str) -> str:
    """Return the flag of the option for an argument of the library.

    >>> flag_of("round_trip_time"), flag_of("mark_above")
    ('--rtt', '--mark-above')
    """
    return "--" + FLAGS.get(name, name).replace("_", "-")


def switch(flag: str, text: str, *, argument: str = "") -> Decorator:
    """Return a decorator that adds an option without a value."""
    return click.option(flag, *filter(None, [argument]), is_flag=True, help=text)


def listing(**kinds: Names) -> Decorator:
    """Return a decorator that adds --list, which prints all names of each kind and ends the command.

    >>> command = listing(schemes=schemes)(click.command()(lambda: None))
    >>> command.main(["--list"], standalone_mode=False)
    schemes: bbr, bbr1, becn, ...
    0
    """

    def printed(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if not wanted or context.resilient_parsing:
            return
        for kind, names in kinds.items():
            click.echo(f"{kind}: {', '.join(names())}")
        context.exit()

    text = f"Print the names of all {' and '.join(kinds)}."
    return click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=printed, help=text)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that have a value, so that the library uses its defaults for the others.

    >>> given({"flows": None, "share": 0.95, "parameters": ()})
    {'share': 0.95}
    """
    return {name: value for name, value in options.items() if value is not None and value != ()}


def schemes() -> Iterable[str]:
    """Return the names of the schemes that the packet simulator has."""
    from longfat.sim import schemes

    return schemes.NAMED


def disciplines() -> Iterable[str]:
    """Return the names of the queue disciplines that the packet simulator has."""
    from longfat.sim import queues

    return queues.NAMED


def disciplines_of_linux() -> Iterable[str]:
    """Return the names of the queue disciplines, besides fifo, for which `longfat buffer` prints commands of tc."""
    from longfat.design import signalling

    return signalling.NAMES


def entries() -> Iterable[str]:
    """Return the names of schemes for the benchmark, beginning with schemes that have settings for the benchmark."""
    from longfat.benchmark import ENTRIES, FURTHER, TODAY

    return dict.fromkeys([*ENTRIES, *TODAY, *FURTHER, *schemes()])


def experiments() -> Iterable[str]:
    """Return the numbers of the benchmark's experiments and the names of their variants."""
    from longfat.benchmark.experiments import VARIANTS

    return dict.fromkeys([*(str(one.experiment) for one in VARIANTS.values()), *VARIANTS])


def suites() -> Iterable[str]:
    """Return the names of the benchmark's suites."""
    from longfat.benchmark.suites.case import NAMES

    return (*NAMES, "paths")


def laws() -> Iterable[str]:
    """Return the names of all laws of the package."""
    from longfat.law import registered

    return [law.public_name for _, law in registered()]


def _kind(name: str) -> type:
    if name == "law":
        from longfat.law import Law

        return Law
    from longfat.sim import Scheme

    return Scheme


FILE, DIRECTORY = Text("file", "a path"), Text("dir", "a path")
SEED = options({"rng": RNG})
#: Switch that extends the answer of a command; the short answer without it ends with `longfat.cli.output.MORE`.
VERBOSE = switch("--verbose", "Explain the answer, and give further lines.")
