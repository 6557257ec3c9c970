"""Options of links, flows and runs: their records, and the conversion of buffers and rate changes.

An option is a field of `elements.Link` or `elements.Flow` with a record. The record defines the argument of
`Network.link` or `Network.flow`, its check and its entry in the docstring, the key in scenario files, and the field of
the kernel's row that has the value, if any.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import KW_ONLY, dataclass
from typing import Any

from longfat.base import domains, quantities
from longfat.base.argument import Argument, Setting

MOST_CHANGES = 10**6


@dataclass(frozen=True)
class Number(Argument):
    """Option whose value is a quantity.

    Parameters
    ----------
    endless : bool
        Whether infinity is allowed besides the domain.
    row : str
        Field of the kernel's row that has the value (times in nanoseconds).
    **others
        Parameters of `longfat.base.argument.Argument`.

    Examples
    --------
    >>> stop = Number("s", "[0, 1e9]", math.inf, endless=True)
    >>> stop.read("stop", "20 ms"), stop.read("stop", math.inf)
    (0.02, inf)
    """

    _: KW_ONLY
    endless: bool = False
    row: str = ""

    def read(self, name: str, value: Any, of: str = "") -> Any:
        """Return an argument's value in SI units; raise an error if it is outside the domain."""
        return value if self.endless and value == math.inf else super().read(name, value, of)

    def described(self, name: str) -> str:
        """Return the entry of the option in the docstring of `Network.link` or `Network.flow`."""
        return dataclasses.replace(self, default=None).entry(name, self.types + ", optional" * self.optional)


@dataclass(frozen=True, kw_only=True)
class Option(Setting):
    """Option whose value is not a quantity; `toml` is the value's kind in files, a key of `scenario.parsing.TYPES`."""

    toml: str


#: Options of `longfat.sim.run` that a scenario file may hold.
RUN_OPTIONS = {
    "duration": Argument("s", "[0, inf)"), "warm_up": Argument("s", "[0, inf)"),
    "replications": Argument("runs", "[1, 1e6]", meaning="Number of replications", integer=True),
    "confidence": Argument("probability", "(0, 1)", meaning="Confidence level of the intervals"),
    "sample_every": Argument("s", "(0, 1e9]"),
    "rng": Argument("1", "[0, inf)", meaning="Seed of the random numbers", integer=True),
}  # fmt: skip


def number(*given: Any, **others: Any) -> Any:
    """Return a dataclass field for an option whose value is a quantity; the arguments are those of `Number`."""
    return _declared(Number(*given, **others))


def setting(**given: Any) -> Any:
    """Return a dataclass field for an option whose value is not a quantity; the arguments are those of `Option`."""
    return _declared(Option(**given))


def _declared(record: Number | Option) -> Any:
    """Return a dataclass field that declares an option; its default is the option's default in SI units."""
    if record.required:
        return dataclasses.field(metadata={"option": record})
    read = record.read("default", record.default)
    return dataclasses.field(default=read, metadata={"option": record})


def options(kind: type) -> dict[str, Number | Option]:
    """Return the options of `Link` or `Flow` by name."""
    return {one.name: one.metadata["option"] for one in dataclasses.fields(kind) if "option" in one.metadata}


def read_buffer(name: str, buffer: Any, of: str = "") -> tuple[float, float]:
    """Return the limits of a buffer in packets and in bytes; the limit that is not given is infinite.

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
        return math.inf, quantities.read(name, buffer, "bytes", "[0, 1e18]")
    return domains.integer(name, buffer, "packets", "[0, 1e15]"), math.inf


def read_rate_changes(name: str, changes: Sequence[Sequence[Any]], of: str = "") -> tuple[tuple[float, float], ...]:
    """Return pairs of time [s] and rate [bytes/s] from numbers or text, after checking that the times increase.

    >>> read_rate_changes("rate_changes", [("1 s", "8 Mbit/s"), (2.5, 2e6)])
    ((1.0, 1000000.0), (2.5, 2000000.0))
    """
    words = "a sequence of pairs (time, rate)"
    if isinstance(changes, str) or not isinstance(changes, Sequence):
        raise domains.wrong_type(name, changes, words)
    domains.integer(f"number of {name}", len(changes), "1", f"[0, {MOST_CHANGES}]")
    made: list[tuple[float, float]] = []
    after = 0.0
    for one in changes:
        try:
            time, rate = [] if isinstance(one, str | Mapping | Set) else one
        except (TypeError, ValueError):
            raise domains.wrong_type(name, one, words) from None
        # A quantity takes a hundred times as long to check, and a trace may have a hundred thousand changes.
        plain = isinstance(time, int | float) and isinstance(rate, int | float) and bool not in (type(time), type(rate))
        if not (plain and after < time <= 1e9 and 0 < rate < math.inf):
            time = quantities.read(f"time in {name}", time, "s", f"({after!r}, 1e9]")
            rate = quantities.read(f"rate in {name}", rate, "bytes/s", "(0, inf)")
        after = float(time)
        made.append((after, float(rate)))
    return tuple(made)
