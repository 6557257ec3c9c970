"""Types of options that take a range, and options that go with one kind of answer only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    _Type = click.ParamType[Any]
else:  # before click 8.5 it takes no arguments
    _Type = click.ParamType


class Between(_Type):
    """A quantity or a range of it, such as "80..100Mbit/s", as a pair in SI; or several with commas between them."""

    def __init__(self, kind: Literal["rate", "duration", "fraction"], allowed: str, *, several: bool = False) -> None:
        self.kind, self.allowed, self.several = kind, allowed, several
        self.name = {"rate": "rate", "duration": "time", "fraction": "share"}[kind] + (",..." if several else "")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the two ends, or a list of such pairs."""
        from longfat import quantities
        from longfat.design import ranges

        name = max(param.opts, key=len).lstrip("-") if param is not None else "value"
        found = [
            ranges.read(word, getattr(quantities, self.kind), name, self.allowed)
            for word in (value.split(",") if self.several else [value])
        ]
        pairs = [(one.low, one.high) for one in found]
        return pairs if self.several else pairs[0]


def refuse(flags: Mapping[str, Any], options: Mapping[str, str], needed: str) -> None:
    """Refuse options that have a value and belong to another answer; ``options`` has flags by parameter."""
    from longfat.domains import conflict

    for name, flag in options.items():
        if flags[name] is not None:
            raise conflict(flag, f"needs {needed}")
