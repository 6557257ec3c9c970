"""Scenarios: a network, its flows and its run as TOML text that a person can read, and back.

The keys (`keys`) are those of `Network.link` (with ``from`` and ``to``), `Network.flow` and `longfat.sim.run`. Numbers
are SI, text has a unit. What has no name in this package, a `Scheme`, `Discipline` or `Traffic` of one's own, is
written (`writing`) as ``"own:NAME"`` with a comment; `reading` asks ``find`` for every name with a colon and every
Python file. `longfat.scenario` reads files.
"""
