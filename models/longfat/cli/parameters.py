"""Types of command line options: the package's parsers as click's types, with ranges, names and completion.

A type converts text to a value or raises a `ValueError` of one line; defaults are written as text and converted, too.
What it imports beyond click it imports when it is used, so that `longfat --help` stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from longfat.cli.parameter_types import integer, numbers

if TYPE_CHECKING:
    _Type = click.ParamType[Any]
else:  # before click 8.5 it takes no arguments
    _Type = click.ParamType

Names = Callable[[], Iterable[str]]


def _name(param: click.Parameter | None) -> str:
    """Return the longest flag without its dashes: the name of the option in error messages."""
    return max(param.opts, key=len).lstrip("-").replace("-", "_") if param is not None else "value"


def _interval(limits: click.IntRange | click.FloatRange) -> str:
    low = "-inf" if limits.min is None else f"{limits.min:g}"
    high = "inf" if limits.max is None else f"{limits.max:g}"
    return f"{'(' if limits.min_open else '['}{low}, {high}{')' if limits.max_open or limits.max is None else ']'}"


class Integer(click.IntRange):
    """An integer, or several with commas between them."""

    name = "integer"

    def __init__(self, unit: str, least: int, most: int | None = None, *, several: bool = False) -> None:
        super().__init__(least, most)
        self.unit, self.several = unit, several
        self.name = "N,..." if several else "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or a list of them."""
        words = value.split(",") if self.several else [value]
        found = [integer(_name(param), word.strip(), self.unit, _interval(self)) for word in words]
        return found if self.several else found[0]


class Numbers(click.FloatRange):
    """Numbers with commas between them."""

    name = "X,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers."""
        return numbers(_name(param), value, "1", _interval(self))


class Quantity(click.FloatRange):
    """A rate, duration or share as `longfat.quantities` reads it, in SI; or several with commas between them."""

    def __init__(self, kind: Literal["rate", "duration", "fraction"], *, several: bool = False, **limits: Any) -> None:
        super().__init__(**limits)
        self.kind, self.several = kind, several
        self.name = {"rate": "rate", "duration": "time", "fraction": "share"}[kind] + (",..." if several else "")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value in SI, or a list of them."""
        from longfat.base import quantities

        read = getattr(quantities, self.kind)
        words = value.split(",") if self.several else [value]
        found = [read(word, _name(param), _interval(self)) for word in words]
        return found if self.several else found[0]


class Between(Quantity):
    """A quantity or a range of it, such as "80..100Mbit/s", as a pair in SI; or several with commas between them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the two ends, or a list of such pairs."""
        from longfat.base import quantities
        from longfat.design import figure_ranges

        read = getattr(quantities, self.kind)
        words = value.split(",") if self.several else [value]
        found = [figure_ranges.read(word, read, _name(param), _interval(self)) for word in words]
        pairs = [(one.low, one.high) for one in found]
        return pairs if self.several else pairs[0]


class Size(click.IntRange):
    """A size in bytes, an integer."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the size in bytes."""
        from longfat.base import quantities
        from longfat.base.domains import integer

        name, allowed = _name(param), _interval(self)
        return integer(name, quantities.size(value, name, allowed), "bytes", allowed)


class Name(_Type):
    """A name from a list, or an object in a Python file of the user's; or several of them, separated by commas.

    ``names`` is called only when the names are needed. ``own`` is the kind of object that a file may define, "scheme"
    or "law". ``loaded`` is False if the library loads the file itself. ``checked`` is False if the library checks the
    names, because it accepts more than those that the shell completes.
    """

    def __init__(
        self,
        what: str,
        names: Names,
        *,
        own: str = "",
        loaded: bool = True,
        several: bool = False,
        checked: bool = True,
    ) -> None:
        self.name = f"{what},..." if several else what
        self.what, self.names, self.own, self.loaded = what, names, own, loaded
        self.several, self.checked = several, checked

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name or the object, or a list of them."""
        if ctx is not None and ctx.resilient_parsing:  # run no file while the shell completes
            return value
        found = [self._one(word.strip()) for word in (value.split(",") if self.several else [value])]
        return found if self.several else found[0]

    def _one(self, word: str) -> Any:
        from longfat.base.user_files import names_file, read

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


class Assignment(_Type):
    """A parameter's name and its value, a number."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name and the value."""
        if isinstance(value, tuple):  # click converts what it has converted once more
            return value
        from longfat.base.domains import wrong_type

        name, _, text = value.partition("=")
        try:
            return name.strip(), float(text)
        except ValueError:
            raise wrong_type(_name(param), value, "a name and a number, such as delayed_ack=2") from None


class Choice(Name):
    """One of few fixed names, which the help shows in place of a type."""

    def __init__(self, what: str, *names: str) -> None:
        super().__init__(what, lambda: names)
        self.shown = f"[{'|'.join(names)}]"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the names."""
        return self.shown


class PathName(_Type):
    """A path that the shell completes; the command that opens it checks whether it exists."""

    def __init__(self, kind: Literal["file", "dir"]) -> None:
        self.name = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            from longfat.base.domains import out_of_range

            raise out_of_range(_name(param), "''", "1", "a path")
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return an item that makes the shell complete paths."""
        return [CompletionItem(incomplete, type=self.name)]


class Host(_Type):
    """An address to listen on."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the address."""
        if not value.strip():
            from longfat.base.domains import out_of_range

            raise out_of_range(_name(param), repr(value), "1", "an address of this machine")
        return value


class Option(click.Option):
    """An option whose help ends with the names that it takes."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the flags and their help."""
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Name) or isinstance(self.type, Choice):
            return record
        file = [f"FILE.py[:{self.type.own.upper()}]"] if self.type.own else []
        return record[0], f"{record[1]}  One of: {', '.join([*self.type.names(), *file])}."


#: A share of one without its ends, as of most goals and confidences.
SHARE = Quantity("fraction", min=0, max=1, min_open=True, max_open=True)

# Options that several commands have in the same words.
OUTPUT = click.option("--output", type=PathName("dir"), default=".", show_default=True, help="Directory for the files.")
CONFIDENCE = click.option(
    "--confidence", type=SHARE, default="0.95", show_default=True, help="Confidence level of the intervals."
)
SEED = click.option("--seed", type=Integer("1", 0), default="0", show_default=True, help="Seed of the random numbers.")


def _kind(name: str) -> type:
    if name == "law":
        from longfat.law import Law

        return Law
    from longfat.sim import Scheme

    return Scheme


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
