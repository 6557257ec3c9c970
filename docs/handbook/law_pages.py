"""A page for each law: sentence, formula, live plot, letters, validity; further parts unfold on demand."""

from __future__ import annotations

import functools
import inspect
import math
import re
from typing import Any

import numpy as np

from docs.handbook import proofs, simulated
from docs.handbook.formulas import typeset
from docs.handbook.front import toctree
from docs.handbook.judged import PLUG_INS, address, listed
from docs.handbook.markup import anchor, bracketed, code, html, number, quantity, section, signs, table, unfolding
from docs.handbook.records import digest, neighbours, snippets
from longfat.handbook import law_records
from longfat.handbook.law_records import laws
from longfat.handbook.pages import words
from longfat.law import Law, docstrings
from longfat.law.symbols import Symbol

STEP = 1e-4  # relative, of the difference that gives a slope
FILES = """\
<p>For programs: <a href="../laws.mjs"><code>laws.mjs</code></a>, a module in JavaScript, has all formulas.</p>"""
LONGEST = 3000  # characters of LaTeX that anybody may want to read; some expressions have a hundred thousand


@functools.cache
def latex(law: Law) -> str:
    """Return the formula of a law as LaTeX; empty for a root, which has an equation instead."""
    import sympy

    try:
        return str(sympy.latex(law.expr))
    except AttributeError:
        return ""


def equation(law: Law, formulas: bool = True) -> str:
    """Return the formula as a block."""
    text = latex(law) if formulas else ""
    if not text:
        return ""
    letter = docstrings._result(law).partition(" [")[0]
    left = f"{letter} = " if letter and letter.replace("_", "").isalnum() else ""
    return f"```{{math}}\n{left}{text}\n```\n\n"


@functools.cache
def known(law: Law) -> frozenset[str]:
    """Return the letters that stand alone in the sentences on a law: those of its parameters, result and equations."""
    of_equations = re.findall(r"(?<![A-Za-z\\{])[A-Za-z](?![A-Za-z])", " ".join(law_records.equations(law)))
    given = (symbol.letter.strip("\\").replace("{", "").replace("}", "") for symbol in law.symbols.values())
    return frozenset([*of_equations, *given, law_records.result(law)[0]])


def _sentence(law: Law, text: str) -> str:
    """Return a text about a law with its formulas typeset."""
    return signs(typeset(text, known(law)))


def _letters(law: Law) -> str:
    """Return the table of parameters, and the sentence on the result."""
    signature: inspect.Signature = law.__signature__  # type: ignore[attr-defined]
    rows = []
    for name, symbol in law.symbols.items():
        default = signature.parameters[name].default
        remark = f" {symbol.remark.rstrip('.')}." if symbol.remark else ""
        given = "" if default is inspect.Parameter.empty else f" Default {default:g}."
        kind = "integer, " if symbol.integer else ""
        meaning = _sentence(law, f"{symbol.meaning.rstrip('.')}.{remark}{given}".lstrip("."))
        low, high = number(symbol.typical[0]), quantity(symbol.typical[1], symbol.unit)
        ranges = f"{low} to {high}; {kind}`{symbol.domain}`"
        rows.append((f"{{math}}`{symbol.letter}`", f"{meaning} `{name}`", ranges))
    head = ["letter", "meaning and parameter", "typical range; domain"]
    return f"{table(head, rows)}\nResult: {_sentence(law, docstrings._result(law))}\n"


def _validity(law: Law, notes: str) -> str:
    """Return a text on the law's range of validity and its accuracy there."""
    if law.validity is None:
        whole = "The record states no accuracy: under its source's assumptions the law holds over its whole domain."
        return f"{notes}\n\n{whole}\n"
    within = quantity(law.validity.accuracy, law.unit)
    return f"Accurate within {within} where {_sentence(law, law.validity.text)}.\n\n{notes}"


def _printed(law: Law, formulas: bool) -> str:
    """Return the expression that the source prints, if it is wrong, and its error."""
    if not law.has_printed:
        return ""
    printed = law.as_printed
    end = f"This is `{law.name}.as_printed`; see the [errata](/ERRATA.md).\n"
    return f"{equation(printed, formulas)}{_sentence(law, printed.errata)}\n\n{end}"


def _simulated(law: Law, formulas: bool) -> str:
    """Return the simulator that judges the law with its points, or the reason why none does."""
    if law.simulated is None:
        return f"No simulator judges this law: {_sentence(law, law.not_simulated)}.\n"
    one = law.simulated
    tolerance = [f"{one.accuracy:g} {law.unit}"] * bool(one.accuracy) + [f"{100 * one.relative:g} %"] * bool(
        one.relative
    )
    names = PLUG_INS[one.simulator]
    involved = f" with {' and '.join(map(_plug_in, names))}" if names else ""
    ranges = [(f"`{name}`", _range(values)) for name, values in one.ranges.items()]
    text = f"Simulator `{one.simulator}`{involved}; tolerance {' and '.join(tolerance) or 'the accuracy above'}"
    points = simulated.of(law) if formulas else ""
    return f"{text}.\n\n{table(['parameter', 'simulated over'], ranges)}\n{points}"


def _plug_in(name: str) -> str:
    """Return a link to the page of a scheme or discipline."""
    from docs.handbook.plug_ins import records

    folder = "schemes" if name in records("scheme") and name != "loss-load" else "disciplines"
    return f"[{name}](/{folder}/{name}/index.md)"


def _range(values: Any) -> str:
    """Return the range of simulated points in words."""
    if isinstance(values, tuple) and len(values) == 2:
        return f"{number(values[0])} to {number(values[1])}"
    return number(list(values)) if isinstance(values, (list, tuple)) else number(values)


def _ends(symbol: Symbol) -> tuple[float, ...]:
    """Return the points of a parameter at which values are listed: typical range, middle, ends of the domain."""
    low, high = symbol.typical
    interval = symbol.interval
    first = [interval.low] if interval.includes_low and interval.low < low else []
    last = [interval.high] if interval.includes_high and math.isfinite(interval.high) and interval.high > high else []
    return (*first, float(low), symbol.middle, float(high), *last)


def values(law: Law) -> str:
    """Return the law's values along each parameter, the others in the middle of their ranges, and its elasticity."""
    middle = {name: symbol.middle for name, symbol in law.symbols.items()}
    rows = []
    for name, symbol in law.symbols.items():
        points = _ends(symbol)
        found = [f"{quantity(one, symbol.unit)}: {_value(law, middle | {name: one})}" for one in dict.fromkeys(points)]
        rows.append((f"`{name}`", ", ".join(found), "" if symbol.integer else _elasticity(law, middle, name)))
    at = ", ".join(f"`{name}` = {quantity(one, law.symbols[name].unit)}" for name, one in middle.items())
    text = (
        f"One parameter at a time, from end to end; the others are at {at}. The elasticity is the relative change of "
        "the law over that of the parameter there.\n\n"
    )
    return text + table(["parameter", f"parameter: value{bracketed(law.unit)}", "elasticity"], rows)


def _value(law: Law, point: dict[str, float]) -> str:
    """Return a value in four digits; a dash where the combination is refused."""
    try:
        return f"{float(law(**point)):.4g}"
    except (ValueError, ZeroDivisionError, OverflowError):
        return "-"


def _elasticity(law: Law, point: dict[str, float], name: str) -> str:
    """Return d ln law/d ln parameter by a central difference."""
    try:
        low, high = (float(law(**point | {name: point[name] * (1 + step)})) for step in (-STEP, STEP))
    except ValueError:
        return ""
    if not (low * high > 0 and math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"{float(np.log(high / low) / (2 * STEP)):.3f}".replace("-0.000", "0.000")


def _neighbours(law: Law) -> str:
    """Return a list of links to laws that a law mentions, that mention it, or that are proved together with it."""
    near = neighbours()[law.public_name]
    proof = law.derivation.split(".")[:2]  # without the part of its result
    together = [one for one in laws() if one.derivation and one.derivation.split(".")[:2] == proof]
    return listed([one for one in laws() if one is not law and (one.public_name in near or one in together)])


def _written(law: Law) -> tuple[str, str, str]:
    """Return three texts of a law's docstring for MyST: text with equations below the summary, notes, examples."""
    head, found = docstrings.sections(law.function.__doc__ or "")
    notes = "\n\n".join(filter(None, (found.get("Notes", ""), found.get("See Also", ""))))
    examples = found.get("Examples", "")
    return _rest(law, head.partition("\n\n")[2]), _rest(law, notes), code(examples) if examples else ""


def _rest(law: Law, text: str) -> str:
    """Return reStructuredText with links to the laws that it names and with its formulas typeset, for MyST."""
    text = re.sub(r"(?<!`)`(?:[\w.]+\.)?(\w+)`(?!`)", lambda one: _mentioned(one, law), text)
    paragraphs = re.split(r"(\n\n+)", text)
    for k, one in enumerate(paragraphs):
        if one.strip() and not one.startswith((" ", ".. ")):
            found = typeset(" ".join(one.split()), known(law), ":math:`{}`".format)
            paragraphs[k] = signs(found.replace("|", r"\|"))  # absolute values
    joined = "".join(paragraphs)
    return f"```{{eval-rst}}\n{joined}\n```\n" if text else ""


def _mentioned(found: re.Match[str], law: Law) -> str:
    """Return a name in backquotes as a link in reStructuredText if it is a law's, else as code."""
    named = next((one for one in laws() if one.name == found[1]), None)
    if named is None or named is law:
        return f"``{found[0].strip('`')}``"
    up = "../" * address(law).count("/")
    return f"`{found[1]} <{up}{address(named)}.html>`__"


def _copies(law: Law, formulas: bool) -> str:
    """Return the texts to copy."""
    texts = snippets(law)
    if formulas and 0 < len(latex(law)) < LONGEST:
        texts["LaTeX of the expression in sympy"] = latex(law)
    return "".join(f"{title}:\n\n{code(text, title.split()[0].lower())}\n" for title, text in texts.items() if text)


def page(law: Law, formulas: bool = True) -> str:
    """Return the page of a law; if ``formulas`` is false, parts that take time to compute are left out."""
    equations, notes, examples = _written(law)
    hook = f'<div class="live-law" data-law="{law.public_name}"></div>'
    version = f"This version of the expression: `{digest(law)}`.\n\n" if formulas else ""
    check = f"To check it:\n\n{code(f'$ longfat verify --quick --law {law.public_name}', 'console')}\n"
    folded = {
        "As printed in its source": _printed(law, formulas),
        "Proof": html(proofs.unfolding(law.derivation)) if law.derivation else "",
        "Simulator": _simulated(law, formulas),
        "Values and slopes": values(law) if formulas else "",
        "Neighbours": _neighbours(law),
        "Examples": examples,
        "To copy": version + check + _copies(law, formulas),
    }
    return "".join(
        [
            f"# {words(law.name)}\n\n{_sentence(law, law.summary)}\n\n",
            equations if ".. math::" in equations else equation(law, formulas) + equations,
            html(hook) + "\n",
            section("Letters", _letters(law)),
            section("Where it holds", _validity(law, notes)),
            f"Source: {law.source.rstrip('.')}. Name: `{law.public_name}`.\n\n",
            *(unfolding(title, body, anchor(title)) for title, body in folded.items() if body),
        ]
    )


def pages(formulas: bool = True) -> dict[str, str]:
    """Return the pages of all laws by name, a page for each family, and the page that lists the families."""
    families: dict[str, list[Law]] = {}
    for law in laws():
        families.setdefault(law.public_name.rpartition(".")[0], []).append(law)
    made = {}
    for family, found in families.items():
        about = _family(family)
        rows = []
        for law in found:
            shown = f"{{math}}`{latex(law)}`" if formulas and 0 < len(latex(law)) < 120 else ""
            rows.append((f"[{law.name}](/{address(law)}.md)", law.summary, shown))
            made[address(law)] = page(law, formulas)
        made[f"laws/{family}/index"] = (
            f"# {family}\n\n{about}\n\n{table(['law', 'what it gives', 'formula'], rows)}\n"
            + toctree([address(law) for law in found], hidden=True)
        )
    rows = [
        (f"[{family}](/laws/{family}/index.md)", _family(family).split("\n\n")[0], f"{len(found)}")
        for family, found in families.items()
    ]
    made["laws/index"] = (
        f"# Laws\n\nThe {len(laws())} laws of longfat. [Fluid models](/fluid/index.md) have pages of their own.\n\n"
        + table(["family", "content", "laws"], rows)
        + "\n"
        + html(FILES)
        + toctree([*(f"laws/{family}/index" for family in families), "fluid/index"], hidden=True)
    )
    return made


def _family(name: str) -> str:
    """Return the docstring of a package of laws."""
    import importlib

    text = inspect.getdoc(importlib.import_module(f"longfat.laws.{name}")) or ""
    return text.replace("``", "`")
