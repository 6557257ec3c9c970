"""Arguments of the functions that answer questions, each declared once.

From the record come the check of the argument, its default in the signature, its entry in the docstring, and the
option of the command that calls the function: type, range, default and help. A text names other arguments in double
backquotes, which the command line shows as its options.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from longfat.base import domains
from longfat.base.quantity import Quantity, filled

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, kw_only=True)
class Argument(Quantity):
    """Argument that is a quantity, or several of them.

    Parameters
    ----------
    usual : str
        Default as users write it, with its unit.
    otherwise : str
        What holds where the argument is None; that is the default, unless there is a usual value.
    optional : bool
        Whether it may be None although no text says what holds then.
    several : bool
        Whether the option takes values with commas between them.
    ranges : bool
        Whether the option takes a range such as "80..100Mbit/s".
    kind : str
        Types of an argument that the function reads itself, such as "int or sequence of int"; empty for one number.

    Examples
    --------
    >>> packet = Argument(unit="bytes", domain="[1, 1e6]", integer=True, usual="1500B", meaning="Packet size")
    >>> packet.fallback, packet.read("packet", "9 kB")
    ('1500B', 9000)
    >>> print(packet.described("packet"))
    packet : int or str
        Packet size. An integer in [1, 1e6] [bytes].
    """

    usual: str = ""
    otherwise: str = ""
    optional: bool = False
    several: bool = False
    ranges: bool = False
    kind: str = ""

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return not (self.usual or self.otherwise or self.optional)

    @property
    def fallback(self) -> Any:
        """Default of the function's argument; a text where the quantity has a unit."""
        if not self.usual:
            return None
        kind: Any = str if self.has_unit else int if self.integer else float
        found = [kind(word) for word in self.usual.split(",")]
        return found[0] if len(found) == 1 else tuple(found)

    def read(self, name: str, value: Any) -> Any:
        """Return the value in SI units; as it is, if the function reads it or if it is None where that is allowed."""
        if self.kind or (value is None and (self.otherwise or self.optional)):
            return value
        return self.checked(name, value)

    def described(self, name: str) -> str:
        """Return the entry of the docstring."""
        kind = self.kind or ("int" if self.integer else "float") + " or str" * self.has_unit
        each = "Each " if self.several or self.ranges else ""
        allowed = f"{each}{'an integer ' if self.integer else ''}in {self.domain}"
        unit = "" if f"[{self.unit}]" in self.meaning else f" [{self.unit}]"
        sentences = [self.meaning, f"{allowed[0].upper()}{allowed[1:]}{unit}"]
        return _entry(name, kind, sentences, self, optional=not self.required and not self.usual)


@dataclass(frozen=True, kw_only=True)
class Word:
    """Argument that is a word, or several of them.

    Parameters
    ----------
    meaning, remark, usual, otherwise, several
        As for `Argument`.
    names : tuple of str
        What it can be; empty where the function checks it.
    registry : str
        "scheme" or "discipline": the word is the name of one of these, or an object.
    kind : str
        Types of the argument, for the docstring.
    """

    meaning: str
    remark: str = ""
    usual: str = ""
    otherwise: str = ""
    several: bool = False
    names: tuple[str, ...] = ()
    registry: str = ""
    kind: str = ""

    required = False

    @property
    def fallback(self) -> Any:
        """Default of the function's argument."""
        if not self.usual:
            return None
        return tuple(self.usual.split(",")) if self.several else self.usual

    def read(self, name: str, value: Any) -> Any:
        """Return the word; refuse one that is not among the names, if there are any."""
        return domains.choice(name, value, self.names) if self.names else value

    def described(self, name: str) -> str:
        """Return the entry of the docstring."""
        names = ", ".join(f'"{one}"' for one in self.names)
        kind = self.kind or f"{{{names}}}"
        return _entry(name, kind, [self.meaning], self, optional=not self.usual)


def _entry(name: str, kind: str, sentences: list[str], one: Argument | Word, *, optional: bool) -> str:
    """Return an entry of a docstring in the form of numpydoc."""
    sentences += [f"By default {one.otherwise}"] if one.otherwise else []
    text = " ".join(f"{sentence}." for sentence in sentences) + f" {one.remark}"
    return f"{name} : {kind}{', optional' * optional}\n{textwrap.indent(filled(text.rstrip()), '    ')}"


def takes(
    declared: Mapping[str, Argument | Word],
) -> Callable[[Callable[..., _Answer]], Callable[..., _Answer]]:
    """Give a function declared arguments: it gets them read, and has their defaults and entries in its docstring.

    The entries stand where the docstring has ``**arguments``.

    >>> @takes({"share": Argument(unit="probability", domain="(0, 1]", usual="95%", meaning="Goal")})
    ... def answer(*, share):
    ...     '''Return the goal.
    ...
    ...     **arguments
    ...     '''
    ...     return share
    >>> answer(), answer(share="50%"), str(inspect.signature(answer))
    (0.95, 0.5, "(*, share='95%')")
    >>> print(inspect.getdoc(answer))
    Return the goal.
    <BLANKLINE>
    share : float or str
        Goal. In (0, 1] [probability].
    """

    def documented(function: Callable[..., _Answer]) -> Callable[..., _Answer]:
        signature = inspect.signature(function)
        defaults = {name: one.fallback for name, one in declared.items() if not one.required}
        empty = inspect.Parameter.empty  # the docstring has the types, and the annotations are those of what is read
        named = [
            one.replace(default=defaults.get(name, empty), annotation=empty) if name in declared else one
            for name, one in signature.parameters.items()
        ]

        @functools.wraps(function)
        def called(**given: Any) -> _Answer:
            values = defaults | given
            return function(
                **{name: declared[name].read(name, one) if name in declared else one for name, one in values.items()}
            )

        entries = "\n".join(one.described(name) for name, one in declared.items())
        called.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("**arguments", entries, 1)
        called.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return called

    return documented
