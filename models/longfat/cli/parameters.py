"""Options of commands: types of their values, with ranges, names and completion, and the options of several commands.

A type converts text to a value or raises a `ValueError` of one line; defaults are written as text and converted, too.
An option names the library's argument where its flag differs, so that ``function(**given)`` is the call.
What is needed beyond click is imported when it is used, so that `longfat --help` stays fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    _Type = click.ParamType[Any]
else:  # before click 8.5 it takes no arguments
    _Type = click.ParamType

Names = Callable[[], Iterable[str]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _name(param: click.Parameter | None) -> str:
    """Return the longest flag without its dashes: the name of the option in error messages."""
    return max(param.opts, key=len).lstrip("-").replace("-", "_") if param is not None else "value"


def _interval(limits: click.IntRange | click.FloatRange) -> str:
    low = "-inf" if limits.min is None else f"{limits.min:g}"
    high = "inf" if limits.max is None else f"{limits.max:g}"
    return f"{'(' if limits.min_open else '['}{low}, {high}{')' if limits.max_open or limits.max is None else ']'}"


class _Several:
    """A type that takes one value, or several with commas between them."""

    several = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of an option, or the list of its values."""
        if not isinstance(value, str) or (ctx is not None and ctx.resilient_parsing):
            return value  # click converts what it has converted once more; and no file is run while the shell completes
        found = [self.one(word, _name(param)) for word in (value.split(",") if self.several else [value])]
        return found if self.several else found[0]

    def one(self, word: str, name: str) -> Any:
        """Return one value; ``name`` is the option's in error messages."""
        raise NotImplementedError


class Integer(_Several, click.IntRange):
    """An integer, or several."""

    def __init__(self, unit: str, least: int, most: int | None = None, *, several: bool = False) -> None:
        super().__init__(least, most)
        self.unit, self.several = unit, several
        self.name = "N,..." if several else "N"

    def one(self, word: str, name: str) -> int:
        """Return the integer that a text holds.

        >>> Integer("1", 0).one("7", "seed")
        7
        """
        from longfat.base import domains

        allowed, text = _interval(self), word.strip()
        if not re.fullmatch("[+-]?[0-9]{1,40}", text):  # Python would take 1_000 and digits of other scripts, too
            raise domains.wrong_type(name, text, f"an integer in {allowed}")
        return domains.integer(name, int(text), self.unit, allowed)


class Numbers(_Several, click.FloatRange):
    """Numbers with commas between them."""

    name, several = "X,...", True

    def one(self, word: str, name: str) -> float:
        """Return the number that a text holds."""
        from longfat.base.domains import number, wrong_type

        text, allowed = word.strip(), _interval(self)
        try:
            value = float(text)
        except ValueError:
            raise wrong_type(name, text, f"a number in {allowed}") from None
        return number(name, value, "1", allowed)


class Quantity(_Several, click.FloatRange):
    """A rate, duration or share as `longfat.quantities` reads it, in SI; or several."""

    def __init__(self, kind: Literal["rate", "duration", "fraction"], *, several: bool = False, **limits: Any) -> None:
        super().__init__(**limits)
        self.kind, self.several = kind, several
        self.name = {"rate": "rate", "duration": "time", "fraction": "share"}[kind] + (",..." if several else "")

    def one(self, word: str, name: str) -> Any:
        """Return the value in SI."""
        from longfat.base import quantities

        return getattr(quantities, self.kind)(word, name, _interval(self))


class Between(Quantity):
    """A quantity or a range of it, such as "80..100Mbit/s", as a pair in SI; or several."""

    def one(self, word: str, name: str) -> tuple[float, float]:
        """Return the two ends."""
        from longfat.base import quantities
        from longfat.design import figure_ranges

        found = figure_ranges.read(word, getattr(quantities, self.kind), name, _interval(self))
        return found.low, found.high


class Size(_Several, click.IntRange):
    """A size in bytes, an integer."""

    name = "size"

    def one(self, word: str, name: str) -> int:
        """Return the size in bytes."""
        from longfat.base import quantities
        from longfat.base.domains import integer

        allowed = _interval(self)
        return integer(name, quantities.size(word, name, allowed), "bytes", allowed)


class Name(_Several, _Type):
    """A name from a list, or an object in a Python file of the user's; or several of them.

    ``names`` is called only when the names are needed; the help lists them if ``listed``. ``own`` is the kind of object
    that a file may define, "scheme" or "law". ``loaded`` is False if the library loads the file itself. ``checked`` is
    False if the library checks the names, because it accepts more than those that the shell completes.
    """

    def __init__(
        self, what: str, names: Names, *, own: str = "", loaded: bool = True, several: bool = False,
        checked: bool = True, listed: bool = True,
    ) -> None:  # fmt: skip
        self.name = f"{what},..." if several else what
        self.what, self.names, self.own, self.loaded = what, names, own, loaded
        self.several, self.checked, self.listed = several, checked, listed

    def one(self, word: str, name: str) -> Any:
        """Return the name or the object."""
        from longfat.base.user_files import names_file, read

        word = word.strip()
        if self.own and names_file(word):
            return read(word, _kind(self.own), what=self.what) if self.loaded else word
        if self.checked and word not in (names := list(self.names())):
            from longfat.base.domains import unknown

            raise unknown(self.what, word, names)
        return word

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the text, and files if the option accepts Python files."""
        before, comma, last = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        items = [CompletionItem(f"{before}{comma}{name}") for name in self.names() if name.startswith(last)]
        return [*items, CompletionItem(incomplete, type="file")] if self.own else items


class Choice(Name):
    """One of few fixed names, which the help shows in place of a type."""

    def __init__(self, what: str, *names: str) -> None:
        super().__init__(what, lambda: names, listed=False)
        self.shown = f"[{'|'.join(names)}]"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the names."""
        return self.shown


class Assignment(_Several, _Type):
    """A parameter's name and its value, a number."""

    name = "name=value"

    def one(self, word: str, name: str) -> tuple[str, float]:
        """Return the name and the value."""
        from longfat.base.domains import wrong_type

        key, _, text = word.partition("=")
        try:
            return key.strip(), float(text)
        except ValueError:
            raise wrong_type(name, word, "a name and a number, such as delayed_ack=2") from None


class PathName(_Several, _Type):
    """A path that the shell completes; the command that opens it checks whether it exists."""

    def __init__(self, kind: Literal["file", "dir"]) -> None:
        self.name = kind

    def one(self, word: str, name: str) -> str:
        """Return the path."""
        if word == "":
            from longfat.base.domains import out_of_range

            raise out_of_range(name, "''", "1", "a path")
        return word

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return an item that makes the shell complete paths."""
        return [CompletionItem(incomplete, type=self.name)]


class Host(_Several, _Type):
    """An address to listen on."""

    name = "address"

    def one(self, word: str, name: str) -> str:
        """Return the address."""
        if not word.strip():
            from longfat.base.domains import out_of_range

            raise out_of_range(name, repr(word), "1", "an address of this machine")
        return word


class Option(click.Option):
    """An option whose help ends with the names that it takes."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the flags and their help."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Name) or not self.type.listed:
            return record
        file = [f"FILE.py[:{self.type.own.upper()}]"] if self.type.own else []
        return record[0], f"{record[1]}  One of: {', '.join([*self.type.names(), *file])}."


def option(flag: str, kind: Any, text: str, *, argument: str = "", **more: Any) -> Decorator:
    """Return the decorator that adds an option with a type and its help; a default that is given is shown.

    ``argument`` is the name of the library's argument, where it is not that of the flag.
    """
    more.setdefault("show_default", more.get("default") is not None)
    return click.option(flag, *filter(None, [argument]), cls=Option, type=kind, help=text, **more)


def switch(flag: str, text: str, *, argument: str = "") -> Decorator:
    """Return the decorator that adds an option without a value."""
    return click.option(flag, *filter(None, [argument]), is_flag=True, help=text)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that have a value; the library has its own defaults for the others.

    >>> given({"flows": None, "share": 0.95, "parameters": ()})
    {'share': 0.95}
    """
    return {name: value for name, value in options.items() if value is not None and value != ()}


def schemes() -> Iterable[str]:
    """Return the names of the schemes that the packet simulator has."""
    from longfat.sim import schemes

    return schemes.names()


def disciplines() -> Iterable[str]:
    """Return the names of the queue disciplines that the packet simulator has."""
    from longfat.sim import queues

    return sorted(queues.NAMED)


def entries() -> Iterable[str]:
    """Return the names of schemes for the benchmark: those with settings for it first, then all others."""
    from longfat.benchmark import ENTRIES, FURTHER, TODAY

    return dict.fromkeys([*ENTRIES, *TODAY, *FURTHER, *schemes()])


def experiments() -> Iterable[str]:
    """Return the numbers of the benchmark's experiments and the names of their variants."""
    from longfat.benchmark.experiments import VARIANTS

    return dict.fromkeys([*(str(one.experiment) for one in VARIANTS.values()), *VARIANTS])


def suites() -> Iterable[str]:
    """Return the names of the benchmark's suites."""
    from longfat.benchmark.suites.case import NAMES

    return NAMES


def laws() -> Iterable[str]:
    """Return the names of all laws of the package."""
    from longfat import laws  # noqa: F401  # registers them
    from longfat.law import registered

    return [law.public_name for _, law in registered()]


def _kind(name: str) -> type:
    if name == "law":
        from longfat.law import Law

        return Law
    from longfat.sim import Scheme

    return Scheme


#: Limits of a quantity, and a share of one without its ends, as of most goals and confidences.
POSITIVE: dict[str, Any] = {"min": 0, "min_open": True}
SHARE = Quantity("fraction", min=0, max=1, min_open=True, max_open=True)
RATE, TIME, FILE = Quantity("rate", **POSITIVE), Quantity("duration", **POSITIVE), PathName("file")

# Options of several commands.
PACKET = option("--packet", Size(1, 10**6), "Packet size [bytes].", default="1500B")
CONFIDENCE = option("--confidence", SHARE, "Confidence level of the intervals.", default="0.95")
SEED = option("--seed", Integer("1", 0), "Seed of the random numbers.", argument="rng", default="0")


def scheme(default: str, *, several: bool = False, argument: str = "") -> Decorator:
    """Return the option of the senders' scheme, or schemes."""
    kind = Name("scheme", schemes, own="scheme", several=several)
    text = "Congestion control of the flows; cubic, reno, bbr, bbr1 and dctcp are those of hosts."
    return option("--scheme", kind, text, argument=argument, default=default)


def spread(**default: str) -> Decorator:
    """Return the option of the spread of round-trip times."""
    text = "Relative spread of the flows' round-trip times: R (1 - s) to R (1 + s)."
    return option("--spread", Quantity("fraction", min=0, max=0.9), text, **default)


def replications(least: int, text: str, **default: str) -> Decorator:
    """Return the option of the number of runs."""
    return option("--replications", Integer("runs", least, 10**6), text, **default)
