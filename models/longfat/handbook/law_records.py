"""Records of the laws as plain data, for ``laws.json`` and, together with the formulas, for the laws' pages.

All data come from the laws' own records and docstrings. Properties that a law lacks are absent. Infinite numbers, which
JSON lacks, are the texts "Infinity" and "-Infinity". Each law has a permanent address, and a hash that changes when
the law's expression changes. The formulas are in the module of `longfat.handbook.javascript`, under the same
names; `snippets` returns the texts that a reader can copy from a page, including JavaScript and BibTeX.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import re
from collections.abc import Iterable
from html import escape
from typing import Any

from longfat.base import extras
from longfat.handbook import javascript
from longfat.law import PACKAGE, Law, Symbol, docstrings, registered
from longfat.law.roots import Root

MATH = re.compile(r"\.\. math::(.*?)(?=\n\S|\Z)", re.DOTALL)
NAMED = re.compile(r"`(?:[\w.]+\.)?(\w+)`")  # a law that a text mentions
CITED = re.compile(r'^(?!Ours)(?P<authors>[^"]*), "(?P<title>[^"]*)"(?P<rest>.*)$')
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def laws() -> list[Law]:
    """Return the laws of longfat, sorted by their public names."""
    return sorted((one for name, one in registered() if name.startswith(PACKAGE)), key=lambda one: one.public_name)


def written(records: Iterable[dict[str, Any]]) -> str:
    """Return the text of ``laws.json``, with one record on each line."""
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for one in records)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def records(chosen: Iterable[Law] | None = None, *, hashes: bool = True) -> list[dict[str, Any]]:
    """Return the records of laws, by default of all; ``hashes`` need all sympy expressions, which takes seconds."""
    every = laws() if chosen is None else list(chosen)
    near = neighbours(every)
    return [record(one, near[one.public_name], hashed=hashes) for one in every]


def neighbours(chosen: Iterable[Law]) -> dict[str, list[str]]:
    """Return, for each law, the names of the laws that its text mentions or whose text mentions the law."""
    every = list(chosen)
    named = {one.name: one.public_name for one in every}
    mentions = {one.public_name: _mentioned(one, named) for one in every}
    return {
        name: list(dict.fromkeys([*mentioned, *(other for other, found in mentions.items() if name in found)]))
        for name, mentioned in mentions.items()
    }


def record(law: Law, neighbours: Iterable[str] = (), *, hashed: bool = True) -> dict[str, Any]:
    """Return the record of one law.

    >>> from longfat.laws.queues import mm1_wait
    >>> one = record(mm1_wait)
    >>> one["id"], one["address"], one["unit"], one["letters"][0]["domain"]
    ('queues.mm1_wait', 'laws/queues/mm1_wait/', 'service times', '[0, 1)')
    """
    head, sections = docstrings.sections(law.function.__doc__ or "")
    letter, remark = result(law)
    found: dict[str, Any] = {
        "id": law.public_name,
        "address": address(law),
        "hash": digest(law) if hashed else "",
        "summary": law.summary,
        "equations": equations(law),
        "text": _plain(MATH.sub("", head).partition("\n\n")[2]),
        "remarks": _plain(sections.get("Notes", "")),
        "unit": law.unit,
        "result": letter,
        "result_remark": remark,
        "letters": [parameter(law, name, one) for name, one in law.symbols.items()],
        "validity": None if law.validity is None else {"text": law.validity.text, "accuracy": law.validity.accuracy},
        "source": law.source,
        "printed": law.as_printed.errata if law.has_printed else None,
        "derivation": docstrings.place_of_proof(law) or None,
        "simulator": law.simulated and getattr(law.simulated.simulator, "__name__", law.simulated.simulator),
        "not_simulated": law.not_simulated or None,
        "neighbours": list(neighbours),
    }
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def snippets(law: Law) -> dict[str, str]:
    """Return texts of a law that a reader can copy from its page, by language (Python, LaTeX, JavaScript, BibTeX)."""
    return {
        "Python": python_call(law),
        "LaTeX": "\n".join(equations(law)),
        "JavaScript": javascript.function(law),
        "BibTeX": bibtex(law),
    }


def address(law: Law) -> str:
    """Return the permanent address of a law's page, relative to the address of the site."""
    return f"laws/{law.public_name.replace('.', '/')}/"


def equations(law: Law) -> list[str]:
    """Return the equations of a law's docstring in LaTeX."""
    text = inspect.cleandoc(law.function.__doc__ or "")
    parts = [part for found in MATH.findall(text) for part in re.split(r"\n\s*\n", found.strip())]
    return [" ".join(part.split()) for part in parts]


def typeset(law: Law) -> str:
    """Return the equations of a law in MathML."""
    return "".join(mathml(one) for one in equations(law))


def result(law: Law) -> tuple[str, str]:
    """Split the description of a law's result into its symbol and a remark; either may be empty.

    >>> from longfat.laws.cadpc import logistic_rate
    >>> result(logistic_rate)[0]
    'x(t)'
    """
    cut = re.search(r"[,;:.](?=\s)", law.result)
    if cut is None:
        return (law.result, "") if len(law.result) <= 12 else ("", law.result)
    letter, rest = law.result[: cut.start()], law.result[cut.end() :].strip()
    return (letter, rest) if len(letter) <= 12 else ("", law.result)


def parameter(law: Law, name: str, symbol: Symbol) -> dict[str, Any]:
    """Return the record of a parameter; ``start`` is its default or, without one, the middle of its typical range."""
    default = inspect.signature(law).parameters[name].default
    low, high = map(float, symbol.typical)
    return {
        "name": name,
        "letter": symbol.letter,
        **{key: text for key, text in (("meaning", symbol.meaning), ("remark", symbol.remark)) if text},
        "unit": symbol.unit,
        "domain": symbol.domain,
        **{key: True for key in ("integer", "logarithmic") if getattr(symbol, key)},
        "low": low,
        "high": high,
        "start": number(symbol.middle if default is inspect.Parameter.empty else float(default)),
    }


def number(value: float) -> float | str:
    """Return a finite number unchanged; convert an infinite number to the text "Infinity" or "-Infinity" for JSON."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def python_call(law: Law) -> str:
    """Return lines of Python that evaluate the law at the initial values of its page.

    >>> from longfat.laws.queues import mm1_wait
    >>> print(python_call(mm1_wait))
    import longfat as lf
    lf.laws.queues.mm1_wait(load=0.5)
    """
    values = [(name, parameter(law, name, one)["start"]) for name, one in law.symbols.items()]
    shown = ", ".join(f"{name}={_python(value)}" for name, value in values)
    return f"import longfat as lf\nlf.laws.{law.public_name}({shown})"


def _python(value: float | str) -> str:
    return f'float("{value}")' if isinstance(value, str) else f"{value:.10g}"


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


def _mentioned(law: Law, named: dict[str, str]) -> list[str]:
    """Return the public names of the laws that a law's docstring, result or `not_simulated` mentions."""
    text = f"{law.function.__doc__} {law.result} {law.not_simulated}"
    found = [named[name] for name in NAMED.findall(text) if name in named and name != law.name]
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """Return a docstring's text with each paragraph joined to one line."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


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
        return str(law.equation if isinstance(law, Root) else law.expr)
    except Exception:  # sympy's symbols cannot trace it
        return inspect.getsource(law.function)


#: LaTeX of two conditions below a sum. `translated` writes them side by side, because docutils cannot stack them.
_STACKED = re.compile(r"\\substack\{((?:[^{}]|\{[^{}]*\})*)\}")


def translated(latex: str, block: bool = False) -> str:
    r"""Convert a LaTeX formula to MathML, without spaces between elements; ``block`` displays the formula as a block.

    >>> translated("t_a")
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msub><mi>t</mi><mi>a</mi></msub></math>'
    >>> r"\substack" in translated(r"\sum_{\substack{a < b\\b < c}} x")
    False
    """
    extras.need("typesetting equations", "docutils")
    from docutils.utils.math.latex2mathml import tex2mathml

    latex = _STACKED.sub(lambda found: "{" + found[1].replace(r"\\", r",\;") + "}", latex)
    return re.sub(r">\n\s*<", "><", tex2mathml(latex, as_block=block)).strip()


def mathml(latex: str, *, block: bool = True) -> str:
    r"""Convert a LaTeX formula to an HTML element ``math``, with the LaTeX as its alternative text.

    >>> mathml(r"t_a", block=False)
    '<math alttext="t_a"><msub><mi>t</mi><mi>a</mi></msub></math>'
    """
    text = translated(latex, block)
    return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', f' alttext="{escape(latex)}"', 1)
