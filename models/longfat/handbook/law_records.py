"""Parts of the laws' records for pages: addresses, equations, parameters, and formulas as MathML."""

from __future__ import annotations

import inspect
import math
import re
from html import escape
from typing import Any

from longfat.base import extras
from longfat.law import PACKAGE, Law, Symbol, docstrings, registered

MATH = re.compile(r"\.\. math::(.*?)(?=\n\S|\Z)", re.DOTALL)


def laws() -> list[Law]:
    """Return the laws of longfat, sorted by their public names."""
    return sorted((one for name, one in registered() if name.startswith(PACKAGE)), key=lambda one: one.public_name)


def address(law: Law) -> str:
    """Return the permanent address of a law's page, relative to the address of the site."""
    return f"laws/{law.public_name.replace('.', '/')}/"


def equations(law: Law) -> list[str]:
    """Return the equations in a law's docstring, as LaTeX."""
    text = inspect.cleandoc(law.function.__doc__ or "")
    parts = [part for found in MATH.findall(text) for part in re.split(r"\n\s*\n", found.strip())]
    return [" ".join(part.split()) for part in parts]


def typeset(law: Law) -> str:
    """Return the equations in a law's docstring, as MathML."""
    return "".join(mathml(one) for one in equations(law))


def prose(law: Law) -> tuple[str, str]:
    """Return two texts of a law's docstring: between summary and sections, without equations; and the notes."""
    head, sections = docstrings.sections(law.function.__doc__ or "")
    return _plain(MATH.sub("", head).partition("\n\n")[2]), _plain(sections.get("Notes", ""))


def _plain(text: str) -> str:
    """Return a docstring's text with each paragraph joined to one line."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


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


def starts(law: Law) -> dict[str, float]:
    """Return the first values of a law's sliders: defaults, or else the middles of typical ranges."""
    defaults = {name: one.default for name, one in inspect.signature(law).parameters.items()}
    return {
        name: symbol.middle if defaults[name] is inspect.Parameter.empty else float(defaults[name])
        for name, symbol in law.symbols.items()
    }


def parameter(law: Law, name: str, symbol: Symbol) -> dict[str, Any]:
    """Return the record of a parameter as a dict with the entries that the view needs."""
    low, high = map(float, symbol.typical)
    return {
        "name": name,
        "letter": symbol.letter,
        **({"meaning": symbol.meaning} if symbol.meaning else {}),
        "unit": symbol.unit,
        "domain": symbol.domain,
        **{key: True for key in ("integer", "logarithmic") if getattr(symbol, key)},
        "low": low,
        "high": high,
        "start": number(starts(law)[name]),
    }


def number(value: float) -> float | str:
    """Return a finite number unchanged; convert an infinite number to the text "Infinity" or "-Infinity" for JSON."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


#: LaTeX of two conditions below a sum, one below the other. `translated` puts them side by side, because docutils
#: cannot stack them.
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
