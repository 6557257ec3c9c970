"""The language of the repository: the field's terms, verbs first, and sources that a reader can look up.

Every check is a function from text to findings, so that the tests can show it a bad example as well.
CONTRIBUTING.md says what to write instead, docs/glossary.md has the terms.
"""

import ast
import functools
import io
import re
import tokenize
from pathlib import Path

from docs import size
from tests.verbs import VERBS

ROOT = Path(__file__).parents[1]
#: Python whose functions start with a verb; those of tests state properties instead.
WRITTEN = ("models", "derivations", "docs", "figures", "notebooks")
TEXTS = {".py", ".md", ".toml", ".ipynb", ".cfg", ".cff", ".yaml", ".csv", ".svg", ".lock", ""}
PROSE = {".py", ".md", ".toml", ".ipynb"}
GENERATED = {"build", "curves", "__pycache__"}

#: Words that have no meaning in the field, or another one, with the word to use instead.
HOUSE_WORDS = {
    "product": "bandwidth_delay_product, bdp",
    "products": "bdp",
    "waits": "backlog, waiting time",
    "world": "state",
    "books": "packet_counts",
    "note": "record, remark or feedback",
    "notes": "remarks",
    "fed": "feedback",
    "obey": "follow",
    "hear": "receive",
    "hears": "receive",
    "heard": "received",
    "told": "announced, notified",
    "whom": "the receiver's name",
    "ring": "circular buffer",
    "rings": "expires",
    "rated": "rate_controlled",
    "stated": "explicit_rate",
    "echoes": "acknowledgments",
    "ahead": "precomputed, in advance",
    "member": "value, key",
    "members": "values, keys",
    "reading": "interpretation",
    "readings": "interpretations",
    "put_in": "insert, substitute",
    "held": "SimulatedBy, checked, kept",  # alone: a packet may be held back
    "whole": "integer",
    "typed": "parameter_types",
    "serving": "service",
    "meter": "round_trip_probe",
    "meters": "probes",
    "give_way": "yield",
    "stand": "agree",
    "stands": "agrees",
}
#: Identifiers that contain one of these words rightly, and why. In a longer name "bandwidth_delay_product" is the term.
ALLOWED = {
    "product": "itertools.product, and a product of numbers; only where one of both is meant (checked below)",
    "add_note": "a method of Python's exceptions",
    "MemberDescriptorType": "a class of Python's types",
    "typed": "an argument of functools.lru_cache",
}
#: Files in which `product` is itertools' function or a product of numbers.
PRODUCTS = re.compile(r"itertools|math\.prod|\bProduct\b")

#: Phrases of a private language, as regular expressions; a space stands for any break between two words.
PHRASES = {
    "under way": "in flight",
    "what waits": "the backlog",
    "what is waiting": "the backlog",
    r"as it was(?=[.,;:)])": "say what is restored",
    r"(?-i:\[D\])": "name the document and its section",
}
#: References outside the repository.
OUTSIDE = {
    r"\b(?:schemes|facts|benchmark)\.md\b": "cite the RFC or the paper",
    r"(?<![\w.])/work\b": "a path of one machine",
    r"\.\./shared\b": "a folder outside the repository",
    r"(?<![\w/])\.library\b": "a folder outside the repository",
}
#: A place in a document: "section 3.2", "rule 4", "(16.8)", "1.4 (b):", "T3".
PLACE = re.compile(
    r"(?:\b(?:[Ss]ections?|[Ss]ec\.|[Rr]ules?|§) ?\d)"
    r"|(?:(?<=\s)\(1?\d\.\d{1,2}(?:\.\d)?(?:: [^)]*)?\))"
    r"|(?:(?:^|; )1?\d\.\d{1,2}(?: \([a-z]\))?: )"
    r"|(?:\bT\d{1,2}(?=[,:)]))"
)
#: What names a document: an RFC, a year, a report or conference, a source file of ns-2, a constant with a reference.
DOCUMENT = re.compile(
    r"RFC|draft-\w+-|\b(?:19|20)\d\d\b|WUCS|SIGCOMM|INFOCOM|ERRATA|ns-2|\{\w+\}|\b[A-Z_]{3,} ?\+|et al\.|\b[Pp]apers?\b"
    r"|\b[A-Z][a-z]+ and [A-Z][a-z]+\b|Gong|Parulkar|Welzl|Kim|Farber|Kanakia|Keshav|Mishra"
    r"|Prithviraj|Williamson|Kleinrock|Mathis|Padhye|Jacobson|Jain"
)


@functools.cache
def files() -> tuple[Path, ...]:
    """Return every text file of the repository that is not generated."""
    found = []
    for top in sorted(ROOT.iterdir()):
        if top.is_file() and top.name != ".git":  # a file where the checkout is a worktree
            found.append(top)
        elif top.is_dir() and (not top.name.startswith(".") or top.name == ".ci"):
            found += sorted(top.rglob("*"))
    return tuple(
        path
        for path in found
        if path.suffix in TEXTS and path.is_file() and not GENERATED & {*path.relative_to(ROOT).parts[:-1]}
        and not any(part.endswith(".egg-info") for part in path.parts)
    )  # fmt: skip


@functools.cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


@functools.cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def tree_of(path: Path) -> ast.Module:
    return parsed(text_of(path))


def python(*folders: str) -> list[Path]:
    return [path for path in files() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders]


def found_in(paths, findings) -> list[str]:
    """Return the findings of one check in files, each with its place."""
    return [f"{path.relative_to(ROOT)}:{one}" for path in paths for one in findings(path)]


def report(found: list[str]) -> str:
    """Return a message with the number of findings and the first of them."""
    return f"{len(found)} findings\n" + "\n".join(found[:40])


# Identifiers


def identifiers(tree: ast.AST):
    """Yield every identifier of a module with its line, names of fields and keys in strings included."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield line, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.keyword(arg=str(name)):
                yield line, name
            case ast.alias(name=name):
                yield line, name.split(".")[-1]
            case ast.Constant(value=str(name)) if name.isidentifier() and ("_" in name or name in HOUSE_WORDS):
                yield line, name


#: A house word between the ends of an identifier and underscores.
HOUSE = re.compile(rf"(?<=_)(?:{'|'.join(HOUSE_WORDS.keys() - {'held'})})(?=_)|^_+held_+$")


@functools.cache
def house_words(name: str) -> tuple[str, ...]:
    """Return the house words in an identifier.

    >>> house_words("what_waits"), house_words("RING_SIZE"), house_words("add_note"), house_words("string")
    (('waits',), ('ring',), (), ())
    """
    if name in ALLOWED:
        return ()
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("bandwidth_delay_product", "bdp")
    return tuple(found.strip("_") for found in HOUSE.findall(f"_{words}_"))


@functools.cache
def named(text: str) -> tuple[tuple[int, str], ...]:
    """Return the identifiers of a module's text, each with its line."""
    return tuple(identifiers(parsed(text)))


def bad_identifiers(text: str) -> list[str]:
    found = set()
    for line, name in named(text):
        if words := house_words(name):
            found |= {(line, name, word) for word in words}
        if name == "product" and not PRODUCTS.search(text):
            found.add((line, name, name))
    return [f"{line}: {name}: use {HOUSE_WORDS[word]}" for line, name, word in sorted(found)]


def test_no_identifier_is_a_house_word():
    """Neither the name nor one of its words, in modules, functions, parameters, fields and keys."""
    found = found_in(python("models"), lambda path: bad_identifiers(text_of(path)))
    found += [f"{path.relative_to(ROOT)}" for path in python("models") if house_words(path.stem)]
    assert not found, report(found)


def test_every_exception_is_in_use():
    """A name that is gone from the code must leave the list."""
    used = {name for path in python("models") for _, name in named(text_of(path))}
    assert {*ALLOWED} <= used


# References


def matches(text: str, patterns: dict[str, str]) -> list[str]:
    """Return the places of patterns in a text; a space in a pattern matches a line break of prose or comments."""
    found = []
    for pattern, instead in patterns.items():
        joined = pattern.replace(" ", r"(?:\s+(?:#:? *)?)")
        for match in re.finditer(joined, text, re.IGNORECASE):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{line}: {' '.join(match[0].split())!r}: {instead}")
    return found


def test_nothing_outside_the_repository_is_cited():
    """A reader cannot look it up."""
    found = found_in(files(), lambda path: [] if path == Path(__file__) else matches(text_of(path), OUTSIDE))
    assert not found, report(found)


# Docstrings


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {ast.unparse(one).split(".")[-1] for one in function.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


def statements(tree: ast.AST):
    """Yield all statements below a node; none of them is part of an expression."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.expr):
            yield node
            yield from statements(node)


def without_verb(tree: ast.AST) -> list[str]:
    """Return the docstrings of functions whose first word is not an imperative verb; properties are nouns."""
    found = []
    for node in statements(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_property(node):
            continue
        words = (ast.get_docstring(node) or "").split()
        if words and not (words[0][:1].isupper() and words[0].strip(".,;:").lower() in VERBS):
            found.append(f"{node.lineno}: {node.name}: {' '.join(words[:8])}")
    return found


def test_every_docstring_of_a_function_starts_with_a_verb():
    """A good English imperative that tests/verbs.py does not have may be added to it."""
    found = found_in(python(*WRITTEN), lambda path: without_verb(tree_of(path)))
    assert not found, report(found)


# Phrases and sections


def test_no_phrase_of_a_private_language():
    """In docstrings, comments, texts and pages; the pages of rules number their rules themselves."""
    paths = [path for path in files() if path.suffix in PROSE and path.name not in ("test_language.py", "CHANGELOG.md")]
    paths = [path for path in paths if (ROOT / "docs" / "rules") not in path.parents]
    found = found_in(paths, lambda path: matches(text_of(path), PHRASES))
    assert not found, report(found)


#: What may lie between two strings that are one: f-strings have tokens of their own from Python 3.12 on.
FSTRING_ENDS = tuple(getattr(tokenize, name) for name in ("FSTRING_START", "FSTRING_END") if hasattr(tokenize, name))


def blocks(text: str):
    """Yield line and text of every string and of every block of comments of a module; adjacent strings are one."""
    comment, first, last = [], 0, 0
    string, begin = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if comment and token.start[0] > last + 1:
                yield first, " ".join(comment)
                comment = []
            if not comment:
                first = token.start[0]
            comment.append(token.string.lstrip("#: "))
            last = token.start[0]
        elif token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            begin = begin or token.start[0]
            string.append(" ".join(token.string.strip("rbfu\"' \n").split()))
        elif string and token.type not in (tokenize.NL, *FSTRING_ENDS):
            yield begin, " ".join(string)
            string, begin = [], 0
    if comment:
        yield first, " ".join(comment)


#: The docstring of a module, at its beginning: parsing all modules of the tests would take a second.
DOCSTRING = re.compile(r'r?(?:"""(.*?)""")?', re.DOTALL)


def bare_sections(text: str) -> list[str]:
    """Return the places in documents without the document, in a docstring, a comment or a string.

    The docstring of a module names it for the whole module. Sources of laws are put together from constants.
    """
    if not PLACE.search(text) or DOCUMENT.search(DOCSTRING.match(text)[1] or ""):
        return []
    found = []
    for line, block in blocks(text):
        match = PLACE.search(block)
        if match and not DOCUMENT.search(block) and not DOCUMENT.search(text.splitlines()[line - 1]):
            found.append(f"{line}: {match[0].strip()!r} in {block[:80]!r}: name the document")
    return found


def test_every_section_has_its_document():
    found = found_in(
        [path for path in python(*WRITTEN, "tests") if path.name != "test_language.py"],
        lambda path: bare_sections(text_of(path)),
    )
    assert not found, report(found)


# Examples


def of_docstring(docstring: str) -> list[str]:
    return without_verb(ast.parse(f"class A:\n    def f(self):\n        '''{docstring}'''\n"))


def cited(text: str) -> list[str]:
    return matches(text, OUTSIDE)


def phrases(text: str) -> list[str]:
    return matches(text, PHRASES)


#: A check, the number of its findings, and texts with so many.
EXAMPLES = [
    (bad_identifiers, 1, [
        "world = 1", "state.books()", "def f(whole=False): pass", "f(whole=True)", "class Held: pass",
        "from longfat.sim.queues import serving", "import longfat.sim.schemes.stated as s",
        "dtype = [('ring_mask', 'i8')]", "row['ahead']", "ROUND_TRIP_METER = 3", "give_way = 1",
        "product = rate * delay",
    ]),
    (bad_identifiers, 0, [
        "from itertools import product", "_bandwidth_delay_product_for_advantage = BANDWIDTH_DELAY_PRODUCT",
        "error.add_note('x')", "string = 'a ring buffer'",
    ]),
    (cited, 1, [
        "see " + "schemes" + ".md, 16.8", "(" + "facts" + ".md)", "in /work/main", "the folder ../shared/x",
        "`.library/x`",
    ]),
    (cited, 0, ["[the engine](docs/engine.md), frame/works, www.library.org, ./workspace"]),
    (of_docstring, 1, [
        "As it was.", "return the loss probability.", "Half of it.", "The same, before all others.",
    ]),
    (of_docstring, 0, ["Return the loss probability."]),
    (lambda text: without_verb(ast.parse(text)), 0, [
        "class A:\n    @functools.cached_property\n    def f(self):\n        '''Mean delay [s].'''\n",
    ]),
    (phrases, 1, ["packets under way", "# under\n    # way", "What waits.", "Leave it as it was.", "[D]"]),
    (bare_sections, 1, [
        "x = 1  # section 3.2", "# As the router does (16.8).\nx = 1", '"""Test of T3, within 2 %."""',
        '"""Ours, for the rules of section 4.3.1."""', "x = 1  # rule 4: the window stays", '"""Rules 4 and 5."""',
    ]),
    (bare_sections, 0, [
        "x = 1  # RFC 6582, section 3.2, step 3", "# RFC 6298 (5.4): restart the\n# timer (5.5).\nx = 1",
        'SOURCE = f"{PAPER}, section 4.2"', "x = f(0.5) + g(1.5)  # half of it, 0.5", "x = 1  # RFC 6298, rule 5.3",
        'source = ("S. Floyd, RED, 1993, "\n"section 4")', '"""The rules of RFC 6298."""\nx = 1  # rule 5.3',
    ]),
]  # fmt: skip


def test_a_check_finds_what_it_is_for():
    for check, count, texts in EXAMPLES:
        assert [len(check(text)) for text in texts] == [count] * len(texts), check.__name__


# Modules


def test_a_module_has_a_name_of_its_own_or_its_folder_says_its_kind():
    assert size.homonyms() == {}


def test_modules_of_one_name_are_found(tmp_path):
    for name in (
        "sim/running",
        "benchmark/running",
        "a/__init__",
        "b/__init__",
        "cli/xcp",
        "sim/schemes/xcp",
        "sim/xcp",
    ):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert size.homonyms(tmp_path) == {"running": ["benchmark/running", "sim/running"]}
    (tmp_path / "benchmark" / "xcp.py").touch()
    assert size.homonyms(tmp_path)["xcp"] == ["benchmark/xcp", "sim/xcp"]
