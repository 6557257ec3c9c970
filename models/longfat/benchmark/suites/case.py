"""Cases of a test suite: each TOML file has a scenario, and the behaviour that a document requires in this scenario.

A case file is a scenario file (`longfat.scenario`) in which the tested scheme is "suite:tested" and the scheme that it
is compared with "suite:reference". It has three more tables: ``case`` (section, title), ``find`` (times that a
preliminary run determines, because a document says "upon entering a phase") and ``expect`` (a measured quantity, and
its bounds). Placeholders with a dollar sign are replaced by the values of ``case.vary`` and by the results of ``find``.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from longfat.base.domains import unknown

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

NAMES = ("bbr", "bcp133")


@dataclass(frozen=True)
class Probe:
    """Definition of a measured quantity: samples of a field of the tested flow, or a counter of flows or links."""

    field: str = ""  # field of the first flow in `longfat.sim.fields`; "bdp" [packets], from BBR's model; "time" [s]
    count: str = ""  # quantity of `longfat.sim.runs.results`
    # For a field: first, last, min, max, mean or change of the samples, time (their duration [s]), or next (the first
    # sample after them). For a quantity: sum, mean, min, max or jain (fairness index) over the flows or links of `of`,
    # or share (their part of the sum over all flows).
    how: str = "last"
    of: str = ""  # beginning of the names of the counted flows or links; empty for all
    # Samples of a field that count: those in the phase `during` ("A|B" is A or B), in visit number `visit` (1 is the
    # first, -1 the last) of the visits that begin at `after` [s] or later; without `during`, those from `begin` to
    # `end` [s].
    during: str = ""
    visit: int = 1
    after: float = 0.0
    begin: float = 0.0
    end: float = float("inf")
    per: float | Probe = 1.0  # divisor of the value
    plus: float = 0.0  # number added to the quotient

    def words(self) -> str:
        """Return a description of the quantity for reports."""
        which = f" of {self.of}*" if self.of else ""
        when = f" in {self.during.replace('|', ' or ')}" if self.during else ""
        per = self.per.words() if isinstance(self.per, Probe) else f"{self.per:g}" if self.per != 1 else ""
        how = "" if self.count and self.how == "last" else f"{self.how} "
        return f"{how}{self.field or self.count}{which}{when}{' / ' + per if per else ''}"


@dataclass(frozen=True)
class Expectation:
    """Requirement of a document, and the measurement that decides whether a scheme meets it."""

    rule: str  # the requirement, paraphrased
    step: str = ""  # number of the step in the document
    probe: Probe = field(default_factory=Probe)
    # Instead of the value of a probe: phases that must be visited one directly after the other (`visits`), or never
    # (`never`), at `Probe.after` or later.
    visits: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    within: tuple[float, float] | None = None  # bounds; without them the value is only reported, beside the reference's
    unit: str = "1"
    ours: str = ""  # part of the requirement that is our choice, because the document is silent, with the reason

    def words(self) -> str:
        """Return a description of the measurement for reports."""
        if self.visits:
            return " -> ".join(self.visits).replace("|", " or ")
        return f"visits of {', '.join(self.never)}" if self.never else self.probe.words()


@dataclass(frozen=True)
class Case:
    """Case of a test suite: the text of its file, and the values of the placeholders in ``case.vary``."""

    suite: str
    name: str
    section: str
    title: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    sample: float = 0.0  # s between samples of the fields; 0: none
    not_run: str = ""

    def finds(self, found: Mapping[str, str]) -> dict[str, Probe]:
        """Return the measurement of a preliminary run for each placeholder; ``found`` has the values known so far.

        By default a measurement is the time [s] at which the run enters a phase.
        """
        made = {}
        for one in self._document(found).get("find", []):
            name = one.pop("name")
            del one["before"]  # value before the placeholder is found, which `_document` has used
            made[name] = _probe({"field": "time", "how": "first"} | one)
        return made

    def _document(self, found: Mapping[str, str]) -> dict[str, Any]:
        """Return the parsed file, with the values of `found` in place of their placeholders."""
        before = dict(re.findall(r'name = "(\w+)"[^\n]*before = "([^"]+)"', self.text))
        return tomllib.loads(Template(self.text).substitute({**before, **self.values, **found}))

    def fields(self) -> set[str]:
        """Return the names of the flow's fields that a run of the case must sample."""
        names = {"phase"}
        probes: list[Any] = [*self.finds({}).values(), *(one.probe for one in self.expectations({}))]
        while probes:
            one = probes.pop()
            if isinstance(one, Probe):
                names.add(one.field)
                probes.append(one.per)
        return names - {""}

    def expectations(self, found: Mapping[str, str]) -> list[Expectation]:
        """Return the expectations, with the values of `found` in place of their placeholders."""
        return [_expectation(one) for one in self._document(found).get("expect", [])]

    def network(self, tested: Any, reference: Any, found: Mapping[str, str]) -> tuple[Network, dict[str, Any]]:
        """Return the network with the tested and the reference scheme, and the options of its run."""
        from longfat.sim.network.scenario.parsing import parse_document

        document = self._document(found)
        for key in ("case", "find", "expect"):
            document.pop(key, None)
        schemes = {"suite:tested": tested, "suite:reference": reference}
        return parse_document(document, lambda name, *kind: schemes.get(name))


@dataclass(frozen=True)
class Suite:
    """Test suite: its document, its cases, its default schemes, and the names of the phases of its scheme."""

    name: str
    title: str
    document: str
    scheme: str
    reference: str
    replications: int
    phases: tuple[str, ...]
    cases: tuple[Case, ...]

    def chosen(self, names: list[str] | None) -> list[Case]:
        """Return the cases whose name is a given name, or begins with it and a hyphen; by default return all cases."""
        found = []
        for name in names or [""]:
            mine = [one for one in self.cases if one.name == name or one.name.startswith(f"{name}-") or not name]
            if not mine:
                raise unknown(f"case of suite {self.name}", name, [one.name for one in self.cases])
            found += [one for one in mine if one not in found]
        return found


@cache
def suite(name: str) -> Suite:
    """Return the test suite with a name in `NAMES`.

    >>> suite("bbr").scheme, len({case.section for case in suite("bbr").cases})
    ('bbr', 22)
    """
    if name not in NAMES:
        raise unknown("suite", name, NAMES)
    folder = files("longfat.benchmark.suites").joinpath(name)
    texts = {one.name[:-5]: one.read_text(encoding="utf-8") for one in folder.iterdir() if one.name.endswith(".toml")}
    about = tomllib.loads(texts.pop("suite"))
    about["phases"] = tuple(about.get("phases", ()))
    cases = [case for key in sorted(texts) for case in _cases(name, key, texts[key])]
    return Suite(name=name, cases=tuple(cases), **about)


def _cases(of: str, key: str, text: str) -> list[Case]:
    """Return the cases of a file: one for each combination of the values in the table ``case.vary``."""
    begin = text.index("[case]")
    ends = [text.find(mark, begin + 1) for mark in ("\n[[", "\n[run]")]
    head = tomllib.loads(text[begin : min(end for end in ends if end > 0)])["case"]
    vary = head.pop("vary", {})
    made = []
    for values in itertools.product(*vary.values()):
        chosen = dict(zip(vary, map(str, values), strict=True))
        suffix = "".join(f"-{re.sub('[^A-Za-z0-9.]+', '', value)}" for value in chosen.values())
        words = ", ".join(f"{name} {value}" for name, value in chosen.items())
        title = head["title"] + (f"; {words}" if words else "")
        made.append(Case(of, key + suffix, text=text, values=chosen, **{**head, "title": title}))
    return made


def _expectation(given: dict[str, Any]) -> Expectation:
    """Convert a table ``expect`` of a case file to an Expectation."""
    own = {key: given.pop(key) for key in ("rule", "step", "unit", "ours") if key in given}
    within = given.pop("within", None)
    visits, never = (tuple(given.pop(key, ())) for key in ("visits", "never"))
    if visits or never:
        within = [1.0, 1.0] if visits else [0.0, 0.0]
    bounds = None if within is None else (float(within[0]), float(within[1]))
    return Expectation(**own, probe=_probe(given), visits=visits, never=never, within=bounds)


def _probe(given: dict[str, Any]) -> Probe:
    """Convert the keys of a table to a Probe; the value of ``per`` may be a table, too."""
    per = given.get("per", 1.0)
    return Probe(**given | {"per": _probe(per) if isinstance(per, dict) else float(per)})
