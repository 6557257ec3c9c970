"""Arguments of public functions and of commands, each declared once.

A record determines the check of the argument, its default in the signature, its entry in the docstring, and the option
of the command that calls the function: type, range, default and help. Other arguments are named in double backquotes in
these texts; the command line replaces such names by the options.
"""

from __future__ import annotations

import functools
import inspect
import reprlib
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from longfat.base import domains
from longfat.base.quantity import Quantity, filled

_Answer = TypeVar("_Answer")
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Argument(Quantity):
    """Argument whose value is a quantity, or several quantities.

    Examples
    --------
    >>> packet = Argument("bytes", "[1, 1e6]", "1500B", "Packet size", integer=True)
    >>> packet.default, packet.read("packet", "9 kB")
    ('1500B', 9000)
    >>> print(packet.described("packet"))
    packet : int or str
        Packet size. An integer in [1, 1e6] [bytes].
    """

    unit: str
    domain: str
    default: Any = None  # value as users write it: a number, a text with its unit, or a tuple of these
    meaning: str = ""
    _: KW_ONLY
    #: Text after "By default" in the docstring, which says what None means. If this text is given, None is allowed, and
    #: is the default unless ``default`` is given.
    otherwise: str = ""
    optional: bool = False  # whether the argument may be None although ``otherwise`` is empty
    several: bool = False  # whether the option takes values with commas between them
    ranges: bool = False  # whether the option takes a range such as "80..100Mbit/s"
    kind: str = ""  # types of an argument that the function itself converts, such as "int or sequence of int"

    @property
    def required(self) -> bool:
        """Whether a caller has to give a value."""
        return self.default is None and not self.otherwise and not self.optional

    def read(self, name: str, value: Any, of: str = "") -> Any:
        """Return the checked value in SI units; return an allowed None, and any value if ``kind`` is set, unchanged."""
        if self.kind or (value is None and (self.otherwise or self.optional)):
            return value
        return self.checked(name, value)

    def each(self, name: str, values: Any) -> list[Any]:
        """Return the checked values of a sequence, of a text with commas, or of one value; refuse equal values.

        >>> loss = Argument("probability", "[0, 1)")
        >>> loss.each("loss", "1e-4, 1%"), loss.each("loss", [0, 0.5]), loss.each("loss", 0.5)
        ([0.0001, 0.01], [0.0, 0.5], [0.5])
        """
        given = listed(name, values)
        found = [self.checked(f"{name}[{i}]" if len(given) > 1 else name, one) for i, one in enumerate(given)]
        if len(set(found)) < len(found):
            raise domains.out_of_range(name, reprlib.repr(values), "1", "one value or more, all different")
        return found

    @property
    def types(self) -> str:
        """Types of the argument as its docstring entry names them, such as "float or str"."""
        return self.kind or ("int" if self.integer else "float") + " or str" * bool(self.text_unit)

    def described(self, name: str) -> str:
        """Return the docstring entry of the argument, in numpydoc format."""
        each = "Each " if self.several or self.ranges else ""
        allowed = f"{each}{'an integer ' if self.integer else ''}in {self.domain}"
        unit = "" if f"[{self.unit}]" in self.meaning else f" [{self.unit}]"
        return _entry(name, self, f"{allowed[0].upper()}{allowed[1:]}{unit}")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Argument that is no quantity: a word, an object, a truth value, or a sequence of these.

    `meaning`, `default`, `remark`, `otherwise`, `several` and `kind` are those of `Argument`.
    """

    meaning: str
    default: Any = None
    remark: str = ""
    otherwise: str = ""
    several: bool = False
    kind: str = ""
    names: tuple[str, ...] = ()  # words that are allowed; empty if the function itself checks the argument
    registry: str = ""  # "scheme" or "discipline" if the argument is such an object or its name
    #: ``check(name, value, of)`` returns the converted value; ``of`` is the owner of the argument, for error messages.
    check: Callable[[str, Any, str], Any] | None = None

    required = False

    def read(self, name: str, value: Any, of: str = "") -> Any:
        """Return the value, converted by ``check`` or checked against ``names``; unchanged if neither is given."""
        if self.check is not None:
            return self.check(name, value, of)
        return domains.choice(f"{name} of {of}:" if of else name, value, self.names) if self.names else value

    @property
    def types(self) -> str:
        """Types of the argument as its docstring entry names them, such as "float or str"."""
        return self.kind or "{{{}}}".format(", ".join(f'"{one}"' for one in self.names))

    def described(self, name: str) -> str:
        """Return the docstring entry of the argument, in numpydoc format."""
        return _entry(name, self)


Declared = Argument | Setting


def _entry(name: str, one: Declared, *allowed: str) -> str:
    """Return the docstring entry of an argument, in numpydoc format."""
    sentences = [one.meaning, *allowed, *([f"By default {one.otherwise}"] if one.otherwise else [])]
    text = " ".join(f"{sentence}." for sentence in sentences) + f" {one.remark}"
    optional = ", optional" if one.default is None and not one.required else ""
    return f"{name} : {one.types}{optional}\n{textwrap.indent(filled(text.rstrip()), '    ')}"


def listed(name: str, values: Any) -> list[Any]:
    """Return the elements of a sequence, the parts of a text with commas, or one value, as a list that is not empty.

    >>> listed("loss", "1e-4, 1%"), listed("loss", (0.1, 0.2)), listed("loss", 0.1)
    (['1e-4', '1%'], [0.1, 0.2], [0.1])
    """
    found = [part.strip() for part in values.split(",")] if isinstance(values, str) else values
    found = list(found) if isinstance(found, Iterable) and getattr(found, "ndim", None) != 0 else [found]
    if not found:
        raise domains.out_of_range(name, reprlib.repr(values), "1", "one value or more")
    return found


def documented(declared: Mapping[str, Declared]) -> Callable[[_Function], _Function]:
    """Return a decorator that adds arguments to a signature, and puts their entries for ``**arguments`` in a docstring.

    The decorator does not check values: a function with ``**arguments`` calls `read_all` itself, and `takes` makes a
    decorator that checks.
    """

    def changed(function: _Function) -> _Function:
        signature = inspect.signature(function)
        named = {name: one for name, one in signature.parameters.items() if one.kind is not one.VAR_KEYWORD}
        for name, one in declared.items():  # no annotations: the docstring has the types before conversion
            default = inspect.Parameter.empty if one.required else one.default
            named[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        entries = "\n".join(one.described(name) for name, one in declared.items())
        function.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("**arguments", entries, 1)
        function.__signature__ = signature.replace(parameters=list(named.values()))  # type: ignore[attr-defined]
        return function

    return changed


def takes(
    declared: Mapping[str, Declared], name: str = ""
) -> Callable[[Callable[..., _Answer]], Callable[..., _Answer]]:
    """Return a decorator that documents arguments as `documented` does, and checks and converts them in each call.

    ``name`` replaces the function's name in errors about missing and unknown arguments.

    >>> @takes({"share": Argument("probability", "(0, 1]", "95%", "Goal")})
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
    defaults = {key: one.default for key, one in declared.items() if not one.required}

    def wrapped(function: Callable[..., _Answer]) -> Callable[..., _Answer]:
        @functools.wraps(function)
        def called(**given: Any) -> _Answer:
            values = defaults | given
            return function(
                **{key: declared[key].read(key, one) if key in declared else one for key, one in values.items()}
            )

        if name:
            function.__qualname__ = name  # shown in errors; `called` keeps its own name, by which pickle finds it
        return documented(declared)(called)

    return wrapped


def read_all(declared: Mapping[str, Declared], given: Mapping[str, Any], of: str) -> dict[str, Any]:
    """Return the given arguments, checked and converted; raise a TypeError for an unknown or a missing argument."""
    for name in given:
        if name not in declared:
            raise TypeError(str(domains.unknown(f"option of {of}:", name, declared)))
    for name, one in declared.items():
        if one.required and name not in given:
            raise TypeError(f"{of} needs {name}")
    return {name: declared[name].read(name, value, of) for name, value in given.items()}
