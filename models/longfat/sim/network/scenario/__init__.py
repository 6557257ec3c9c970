"""Scenarios: a network, its flows and the options of its run as TOML text, read and written.

The keys are the arguments of `Network.link` (with ``from`` and ``to``), `Network.flow` and `longfat.sim.run`.
Numbers are in SI units; text has a unit. The writer (`writing`) writes a user's own `Scheme`,
`Discipline` or `Traffic` as ``"own:NAME"`` with a comment; the parser (`parsing`) calls ``find`` for every name with a
colon and every Python file. `loading` reads files.
"""

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.sim.network.scenario.loading import SHIPPED as SHIPPED
    from longfat.sim.network.scenario.loading import load, shipped
    from longfat.sim.network.scenario.parsing import parse

__all__ = ["load", "parse", "shipped"]

__getattr__, __dir__ = lazily(__name__)
