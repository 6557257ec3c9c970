"""Scenarios: a network, its flows and the options of its run as TOML text, read and written.

The keys are the arguments of `Network.link` (with ``from`` and ``to``), `Network.flow` and `longfat.sim.run`.
Numbers are in SI units; text has a unit. The writer (`writing`) writes a user's own `Scheme`,
`Discipline` or `Traffic` as ``"own:NAME"`` with a comment. For every name that has a colon or is that of a Python file,
the parser (`parsing`) calls a function ``find``, which returns the object. `loading` reads files.
"""

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.sim.network.scenario.loading import SHIPPED as SHIPPED
    from longfat.sim.network.scenario.loading import load, shipped
    from longfat.sim.network.scenario.parsing import parse

__all__ = ["load", "parse", "shipped"]

__getattr__, __dir__ = lazily(__name__)
