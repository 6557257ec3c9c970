"""The glossary has terms with sources; its CSV has every parameter of laws and `design`, and every variable."""

import ast
import csv
import inspect
import re
from pathlib import Path

import pytest

import longfat as lf
from longfat.law import registered
from longfat.sim.runs import results

ROOT = Path(__file__).parents[1]
DESIGN = ROOT / "models" / "longfat" / "design"
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
IDENTIFIERS = [*csv.DictReader((ROOT / "docs" / "data" / "identifiers.csv").read_text(encoding="utf-8").splitlines())]
TABLES = ("laws", "design", "datasets")
GREEK = {r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\lambda": "λ", r"\mu": "μ", r"\pi": "π",
         r"\rho": "ρ", r"\varphi": "φ", r"\Theta": "Θ", r"\sigma": "σ"}  # fmt: skip
LINE = "{0!r} has no line in docs/data/identifiers.csv, in table {1!r}"


def rows(heading, text=GLOSSARY):
    """Return the cells of the tables below a heading of the glossary, up to the next one of its level or above."""
    level = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    body = re.split(rf"^#{{1,{len(level[1])}}} ", text[level.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    table = [line.strip("|").split("|") for line in body.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in table if not line[0].strip().startswith("---")]


def lines(table):
    """Return symbol and unit of each identifier of a table."""
    found = [row for row in IDENTIFIERS if row["table"] == table]
    return {name: (row["symbol"], row["unit"]) for row in found for name in row["identifiers"].split(", ")}


def split(cell):
    return {one.strip() for one in cell.split(",")} - {""}


def letter(latex):
    """Return a letter as the glossary writes it."""
    for name, sign in GREEK.items():
        latex = latex.replace(name, sign)
    return re.sub(r"[{}]", "", latex)


def described(tree):
    """Yield the names of variables with unit and description: pairs of text, or a call of ``attrs``."""
    for node in ast.walk(tree):
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            last = value.elts[-1] if isinstance(value, ast.Tuple) and value.elts else value
            called = isinstance(last, ast.Call) and getattr(last.func, "id", "") == "attrs"
            texts = isinstance(value, ast.Tuple) and [type(one) for one in value.elts] == [ast.Constant] * 2
            if isinstance(key, ast.Constant) and (called or texts):
                yield key.value


def plain(name):
    """Return the name of a variable without the limits of its interval and without the kind of curve."""
    name = name.removesuffix("_lower").removesuffix("_upper").removesuffix("_trace")
    return re.sub(r"^(curve|dense|reference)_", "", name)


def without_law(name):
    return {name, name.removesuffix("_law"), name.removeprefix("law_")}


def variables():
    names = {plain(name) for path in sorted(DESIGN.glob("*.py")) for name in described(ast.parse(path.read_text()))}
    return names | {plain(name) for name in results.QUANTITIES}


def known(names, table):
    listed = lines(table).keys()
    missing = [name for name in sorted(names) if not {name, *without_law(name), *without_law(plain(name))} & listed]
    assert not missing, "\n".join(LINE.format(name, table) for name in missing)


def functions():
    public = (getattr(lf.design, name) for name in lf.design.__all__)
    answers = [one for one in public if inspect.isfunction(one) and "Dataset" in str(inspect.signature(one))]
    assert len(answers) >= 5
    return [*answers, lf.sim.run, lf.testbed.run, lf.testbed.compare]


def test_every_parameter_of_a_law_with_letter_and_unit():
    listed, used = lines(TABLES[0]), {}
    assert lf.laws.__all__
    for _, law in registered():
        if law.function.__module__.startswith("longfat.laws."):
            for name, symbol in law.symbols.items():
                used.setdefault(name, (set(), set()))
                used[name][0].add(letter(symbol.letter))
                used[name][1].add(symbol.unit)
    missing = [LINE.format(name, TABLES[0]) for name in used.keys() - listed.keys()]
    assert not missing, "\n".join(sorted(missing))
    wrong = {name: sets for name, sets in used.items() if (split(listed[name][0]), split(listed[name][1])) != sets}
    assert not wrong
    assert not sorted(listed.keys() - used.keys()), "no law has such a parameter now"


def test_every_parameter_of_a_design():
    known({name for one in functions() for name in inspect.signature(one).parameters}, TABLES[1])


def test_every_variable_of_a_dataset():
    known(variables(), TABLES[2])


def test_missing_lines_are_named():
    with pytest.raises(AssertionError, match=r"'window_furlongs' has no line in .*, in table 'datasets'"):
        known({"window_furlongs"}, TABLES[2])
    tree = ast.parse("A = {'window_furlongs': ('furlongs', 'window'), 'b': attrs('1', 'x'), 'c': 3, 'd': ('x', y)}")
    assert [*described(tree)] == ["window_furlongs", "b"]
    assert {"transfer_time", "window_segments", "tcp_rate", "buffer_bdp"} <= variables()


@pytest.mark.long
def test_every_variable_of_answers():
    """The datasets themselves, for paths that take little time."""
    path = {"rate": "40Mbit/s", "round_trip_time": "4ms", "packet": "500B", "progress": False}
    quick = {"points": 3, "replications": 2, "progress": False}
    answers = [
        lf.design.window(rate="15Mbit/s", round_trip_time="20ms", loss=[1e-2], segment="9kB", packet="900B",
                         points=2, progress=False),
        lf.design.tcp_window(rate="15Mbit/s", round_trip_time="20ms", replications=2, progress=False),
        lf.design.buffer(rate="1Gbit/s", round_trip_time="100ms", flows=[1, 4], bandwidth_delay_product=60, **quick),
        lf.design.loss_load(**path, loss=0.02, sources=2, file="2MB", k=[5], points=3, replications=2),
    ]  # fmt: skip
    net = lf.sim.Network.dumbbell(["reno"], rate="10 Mbit/s", delay="5 ms", buffer=20)
    answers.append(lf.sim.run(net, duration="2 s", sample_every="0.1 s", progress=False))
    for answer in answers:
        known(map(str, answer.variables), TABLES[2])


def test_every_term_has_a_meaning_and_a_source():
    terms = [row for heading in ("Terms", "Terms of the five papers") for row in rows(heading) if row[0] != "term"]
    assert len(terms) > 80
    assert not [row[0] for row in terms if len(row) != 5 or not row[3].endswith(".") or not row[4]]
    names = [name for row in terms for name in row[0].split(", ")]
    assert len(names) == len(set(names))


def test_every_source_is_in_the_references():
    """By the first name of an author; RFCs have their own place, and other sources begin in small letters."""
    known = {*re.findall(r"\w+", (ROOT / "docs" / "data" / "references.csv").read_text(encoding="utf-8"))}
    sources = [source for row in rows("Terms") + rows("Terms of the five papers") for source in row[4].split("; ")]
    authors = {source.split()[0].strip(",") for source in sources if source[0].isupper() and "RFC" not in source}
    assert len(authors) > 15
    assert sorted(authors - known) == []


def test_terms_are_there():
    for term in (
        "congestion window", "in flight", "bandwidth-delay product", "backlog", "round-trip time", "goodput",
        "throughput", "utilisation", "offered load", "service time", "waiting time", "response time", "power",
        "fairness index", "loss (probability)", "selective repeat", "hard acknowledgment", "soft acknowledgment",
        "loss-load curve", "CADPC", "BLT", "interpretation", "simulator check", "replication",
        "confidence interval", "warm-up",
    ):  # fmt: skip
        assert re.search(rf"^\| (?:[^|]+, )?{re.escape(term)}(?:,[^|]+)? \|", GLOSSARY, re.MULTILINE), term
