"""Neighbours of laws, texts to copy, and hashes of expressions, for the pages of laws."""

from __future__ import annotations

import functools
import hashlib
import inspect
import math
import re

from longfat.handbook import javascript
from longfat.handbook.law_records import equations, laws, number, starts
from longfat.handbook.trace import Tracing
from longfat.law import Law

NAMED = re.compile(r"`(?:[\w.]+\.)?(\w+)`")  # a law that a text mentions
CITED = re.compile(r'^(?!Ours)(?P<authors>[^"]*), "(?P<title>[^"]*)"(?P<rest>.*)$')
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@functools.cache
def neighbours() -> dict[str, list[str]]:
    """Return, for each law, the names of the laws that its text mentions or whose text mentions the law."""
    named = {one.name: one.public_name for one in laws()}
    mentions = {one.public_name: _mentioned(one, named) for one in laws()}
    return {
        name: list(dict.fromkeys([*mentioned, *(other for other, found in mentions.items() if name in found)]))
        for name, mentioned in mentions.items()
    }


def _mentioned(law: Law, named: dict[str, str]) -> list[str]:
    """Return the public names of the laws that a law's docstring, result or `not_simulated` mentions."""
    text = f"{law.function.__doc__} {law.result} {law.not_simulated}"
    found = [named[name] for name in NAMED.findall(text) if name in named and name != law.name]
    return list(dict.fromkeys(found))


def snippets(law: Law) -> dict[str, str]:
    """Return texts of a law that a reader can copy from its page, by language (Python, LaTeX, JavaScript, BibTeX)."""
    return {
        "Python": python_call(law),
        "LaTeX": "\n".join(equations(law)),
        "JavaScript": function(law),
        "BibTeX": bibtex(law),
    }


def python_call(law: Law) -> str:
    """Return lines of Python that evaluate the law at the initial values of its page.

    >>> from longfat.laws.queues import mm1_wait
    >>> print(python_call(mm1_wait))
    import longfat as lf
    lf.laws.queues.mm1_wait(load=0.5)
    """
    shown = ", ".join(f"{name}={_python(value)}" for name, value in starts(law).items())
    return f"import longfat as lf\nlf.laws.{law.public_name}({shown})"


def _python(value: float) -> str:
    return f"{value:.10g}" if math.isfinite(value) else f'float("{number(value)}")'


def bibtex(law: Law) -> str:
    r"""Return a BibTeX entry of the law's source.

    >>> from longfat.laws.queues import mm1_wait
    >>> print(bibtex(mm1_wait))
    @misc{longfat:queues.mm1_wait,
      author = {L. Kleinrock},
      title = {Queueing Systems, Volume 1: Theory},
      howpublished = {Wiley, 1975, section 3.2},
      year = {1975},
    }
    """
    cited = CITED.match(law.source)
    fields = {"author": "The longfat developers", "title": f"{law.public_name} of longfat", "howpublished": law.source}
    if cited is not None:
        authors = re.sub(r",? and |, (?=[A-Z]\. )", " and ", cited["authors"])
        fields = {"author": authors, "title": cited["title"], "howpublished": f"{cited['rest'].strip(', ')}"}
        years = YEAR.findall(cited["rest"])
        if years:
            fields["year"] = years[0]
    lines = "".join(f"  {name} = {{{_escaped(value)}}},\n" for name, value in fields.items())
    return f"@misc{{longfat:{law.public_name},\n{lines}}}"


def _escaped(text: str) -> str:
    """Return a text with BibTeX's special characters escaped."""
    return re.sub(r"([_%&#$])", r"\\\1", text).replace("`", "'")


def function(law: Law) -> str:
    """Convert a law to one self-contained JavaScript function, which a reader can copy.

    >>> from longfat.laws.queues import mm1_wait
    >>> print(function(mm1_wait))
    function mm1_wait(load) {
      return load / (1 - load);
    }
    """
    written = javascript.method(law.name, law.function, list(law.symbols), indent=2, xp=Tracing)
    own = [line for line in javascript.RUNTIME.splitlines() if line.startswith("const ") and "Math;" not in line][1:]
    used = [line for line in own if f"{line.split()[1]}(" in written]
    head, _, rest = written.partition("\n")
    text = "\n".join([f"function {head}", *(f"  {line.partition('  //')[0]}" for line in used), rest])
    names = sorted(one for one in _of_math() if f"{one}(" in text.replace("Math.", "Math_"))
    if not names:
        return text
    head, _, rest = text.partition("\n")
    return f"{head}\n  const {{ {', '.join(names)} }} = Math;\n{rest}"


def _of_math() -> list[str]:
    """Return the names of the functions that the runtime takes from Math."""
    return (
        javascript.RUNTIME[javascript.RUNTIME.index("{") + 1 : javascript.RUNTIME.index("}")].replace(",", " ").split()
    )


@functools.cache
def digest(law: Law) -> str:
    """Return a hash of ten hexadecimal digits, which changes when the law's expression changes.

    The hash of a root depends on the root's equation, that of a law without a closed form on its source code.

    >>> from longfat.laws.queues import mm1_wait, mm1_response
    >>> len(digest(mm1_wait)), digest(mm1_wait) == digest(mm1_response)
    (10, False)
    """
    return hashlib.sha256(expression(law).encode()).hexdigest()[:10]


def expression(law: Law) -> str:
    """Return the expression or equation of a law as text, or its source code if sympy cannot trace the law."""
    try:
        return str(law.expr if law.solves is None else law.equation)
    except Exception:  # sympy's symbols cannot trace it
        return inspect.getsource(law.function)
