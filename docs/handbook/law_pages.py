"""A page for each law: formula, letters, where it holds, proof, simulator, values, neighbours, live plot."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from docs.handbook import proofs, regions, simulated, verdicts
from docs.handbook.front import toctree
from docs.handbook.judged import PLUG_INS, address, listed
from docs.handbook.markup import code, html, number, section, signs, table, unfolding
from longfat.handbook.law_records import digest, laws, snippets
from longfat.handbook.pages import words
from longfat.law import Law, docstrings
from longfat.law.symbols import Symbol

STEP = 1e-4  # relative, of the difference that gives a slope
FILES = """\
<p>For programs: <a href="../laws.json"><code>laws.json</code></a> has all records, and
<a href="../laws.mjs"><code>laws.mjs</code></a>, a module in JavaScript, all formulas.</p>"""
LONGEST = 3000  # characters of LaTeX that anybody may want to read; some expressions have a hundred thousand


@functools.cache
def latex(law: Law) -> str:
    """Return the formula of a law; of a root, which has none, the equation of its docstring."""
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


def _letters(law: Law) -> str:
    """Return the table of parameters, and the sentence on the result."""
    signature: inspect.Signature = law.__signature__  # type: ignore[attr-defined]
    rows = []
    for name, symbol in law.symbols.items():
        default = signature.parameters[name].default
        remark = f" {symbol.remark.rstrip('.')}." if symbol.remark else ""
        given = "" if default is inspect.Parameter.empty else f" Default {default:g}."
        low, high = map(number, symbol.typical)
        kind = "integer, " if symbol.integer else ""
        meaning = f"{symbol.meaning.rstrip('.')}.{remark}{given}".lstrip(".")
        rows.append(
            (
                f"{{math}}`{symbol.letter}`",
                f"`{name}`",
                symbol.unit,
                f"{kind}`{symbol.domain}`",
                f"{low} to {high}",
                meaning,
            )
        )
    head = ["letter", "parameter", "unit", "domain", "typical", "meaning"]
    return f"{table(head, rows)}\nResult: {docstrings._result(law)}\n"


def _validity(law: Law) -> str:
    """Return where the law holds, and how well."""
    if law.validity is None:
        return "The record states no accuracy: under its source's assumptions the law holds over its whole domain.\n"
    unit = "" if law.unit == "1" else f" {law.unit}"
    drawn = regions.svg(law)
    text = f"Accurate within {law.validity.accuracy:g}{unit} where {signs(law.validity.text)}.\n"
    return f"{text}\n{regions.of(law)}{html(drawn)}" if drawn else text


def _printed(law: Law, formulas: bool) -> str:
    """Return the source's own expression, if it is wrong, and what is wrong with it."""
    if not law.has_printed:
        return ""
    printed = law.as_printed
    end = f"This is `{law.name}.as_printed`; see the [errata](/ERRATA.md).\n"
    return f"{equation(printed, formulas)}{printed.errata}\n\n{end}"


def _simulated(law: Law) -> str:
    """Return the simulator that judges the law, or the reason why none does."""
    if law.simulated is None:
        return f"No simulator judges this law: {law.not_simulated}.\n"
    one = law.simulated
    tolerance = [f"{one.accuracy:g} {law.unit}"] * bool(one.accuracy) + [f"{100 * one.relative:g} %"] * bool(
        one.relative
    )
    names = PLUG_INS[one.simulator]
    involved = f" with {' and '.join(map(_plug_in, names))}" if names else ""
    ranges = [(f"`{name}`", _range(values)) for name, values in one.ranges.items()]
    text = f"Simulator `{one.simulator}`{involved}; tolerance {' and '.join(tolerance) or 'the accuracy above'}"
    return f"{text}.\n\n{table(['parameter', 'simulated over'], ranges)}"


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
        found = [f"{number(one)}: {_value(law, middle | {name: one})}" for one in dict.fromkeys(points)]
        rows.append((f"`{name}`", ", ".join(found), "" if symbol.integer else _elasticity(law, middle, name)))
    at = ", ".join(f"`{name}` = {number(one)}" for name, one in middle.items())
    text = (
        f"One parameter at a time, from end to end; the others are at {at}. The elasticity is the relative change of "
        "the law over that of the parameter there.\n\n"
    )
    return text + table(["parameter", "parameter: value", "elasticity"], rows)


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


@functools.cache
def used(law: Law) -> frozenset[Law]:
    """Return the laws that a law's code calls, directly or by functions of its package."""
    return frozenset(_called(inspect.unwrap(law.function), {law.function})) - {law}


def _called(function: Callable[..., Any], seen: set[Any]) -> set[Law]:
    """Return the laws that a function calls."""
    found: set[Law] = set()
    for name in function.__code__.co_names:  # type: ignore[attr-defined]
        one = function.__globals__.get(name)  # type: ignore[attr-defined]
        if isinstance(one, Law):
            found.add(one)
        elif inspect.isfunction(one) and one.__module__.startswith("longfat.laws") and one not in seen:
            seen.add(one)
            found |= _called(one, seen)
    return found


def _neighbours(law: Law) -> str:
    """Return the laws that this one uses, that use it, that share its proof or its simulator."""
    groups = {
        "It uses": [one for one in laws() if one in used(law)],
        "Used by": [one for one in laws() if law in used(one)],
        "Proved together": [one for one in laws() if one is not law and one.derivation == law.derivation != ""],
        "In the same module": [
            one for one in laws() if one is not law and one.function.__module__ == law.function.__module__
        ],
    }
    shown: set[Law] = set()
    text = ""
    for title, found in groups.items():
        new = [one for one in found if one not in shown]
        shown |= {*new}
        text += f"**{title}**\n\n{listed(new)}\n" if new else ""
    return text


def _written(law: Law) -> tuple[str, str]:
    """Return what the docstring has beyond its first sentence, and its examples, as reStructuredText for MyST."""
    head, found = docstrings.sections(law.function.__doc__ or "")
    beyond = head.partition("\n\n")[2]
    text = "\n\n".join(filter(None, (beyond, found.get("Notes", ""), found.get("See Also", ""))))
    text = re.sub(  # absolute values
        r"^(?![ .]).*$", lambda line: signs(line[0].replace("|", r"\|")), text, flags=re.MULTILINE
    )
    text = re.sub(r"(?<!`)`(?:[\w.]+\.)?(\w+)`(?!`)", lambda one: _mentioned(one, law), text)
    examples = found.get("Examples", "")
    return (f"```{{eval-rst}}\n{text}\n```\n" if text else ""), (code(examples) if examples else "")


def _mentioned(found: re.Match[str], law: Law) -> str:
    """Return a name in backquotes as a link in reStructuredText if it is a law's, else as code."""
    named = next((one for one in laws() if one.name == found[1]), None)
    if named is None or named is law:
        return f"``{found[0].strip('`')}``"
    up = "../" * address(law).count("/")
    return f"`{found[1]} <{up}{address(named)}.html>`__"


def _copies(law: Law, formulas: bool) -> str:
    """Return the texts to copy."""
    parts = [section(language, code(text, language.lower()), 3) for language, text in snippets(law).items() if text]
    if formulas and 0 < len(latex(law)) < LONGEST:
        parts.append(unfolding("The expression as sympy has it", code(latex(law), "latex") + "\n" + equation(law)))
    return "".join(parts)


def page(law: Law, formulas: bool = True) -> str:
    """Return the page of a law; without formulas, what has to be computed is left out."""
    notes, examples = _written(law)
    hook = f'<div class="live-law" data-law="{law.public_name}"></div>'
    version = f"; this version of the expression: `{digest(law)}`" if formulas else ""
    proof = html(proofs.unfolding(law.derivation)) if law.derivation else "The record names no derivation.\n"
    return "".join(
        [
            f"# {words(law.name)}\n\n{law.summary}\n\n",
            "" if ".. math::" in notes else equation(law, formulas),
            notes + "\n" if notes else "",
            html(hook) + "\n",
            f"Permanent name `{law.public_name}`{version}.\n\n",
            section("Letters", _letters(law)),
            section("Where it holds", _validity(law)),
            section("As printed, which is wrong", _printed(law, formulas)),
            section("Source", f"{law.source.rstrip('.')}.\n"),
            section("Proof", proof),
            section("Simulator", _simulated(law)),
            section("Simulated points", simulated.of(law) if formulas else ""),
            section("Verdicts", verdicts.of(law) if formulas else ""),
            section("Values and slopes", values(law) if formulas else ""),
            section("Neighbours", _neighbours(law)),
            section("Examples", examples),
            section("To copy", _copies(law, formulas)),
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
