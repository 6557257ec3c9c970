"""Docstrings of laws: sections generated from the record, added to what is written by hand.

The docstring of a law's function has a sentence, the equation, notes, and examples, which begin with ``>>>``. It needs
no headings: what follows the equation becomes the section "Notes", the examples become "Examples". `of_law` adds the
parameters with symbol, unit, domain, default and typical range, the result, the errors, the validity, the misprint if
any, and the source. A section that has its heading in the function's docstring is kept; if this is "Notes", paragraphs
before it belong to the equation. `help`, Jupyter and doctest read the complete docstring from the law; editors, which
read source files, find it in the stubs that are written when the package is built.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import replace
from typing import Any

from longfat.base.quantity import filled

ORDER = ("Parameters", "Returns", "Raises", "See Also", "Notes", "References", "Examples")
_HEADING = re.compile(rf"^({'|'.join(ORDER)})\n-+\n", re.MULTILINE)
#: The equation with the text before it, up to the first paragraph that is no part of an equation.
_EQUATION = re.compile(r".*?\.\. math::.*?(?=\n\n(?!\.\. math::)\S|\Z)", re.DOTALL)


class Generated:
    """Descriptor of ``__doc__``: it returns a generated docstring for a law, and the written one for the class.

    The docstring is generated when it is read, so that it does not delay the import of laws.
    """

    def __init__(self, own: str | None) -> None:
        self.own = own

    def __get__(self, law: Any, owner: type) -> str | None:
        return self.own if law is None else of_law(law)


def of_law(law: Any) -> str:
    """Return the complete docstring of a law, in the order of numpydoc.

    >>> from longfat.laws.queues import mm1_wait
    >>> of_law(mm1_wait).splitlines()[7]
    '    Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.'
    """
    head, written = sections(law.function.__doc__ or "")
    generated = {
        "Parameters": _parameters(law),
        "Returns": f"float or array\n{textwrap.indent(filled(_result(law)), '    ')}",
        "Raises": _raises(law),
        "Notes": "\n\n".join(filter(None, (written.pop("Notes", ""), *map(filled, _remarks(law))))),
        "References": filled(_reference(law)),
    }
    found = generated | written
    head = head or ("Return the value of the expression printed in the source." if law.errata else "")
    parts = [head, *(f"{name}\n{'-' * len(name)}\n{found[name]}" for name in ORDER if found.get(name))]
    return "\n\n".join(part for part in parts if part) + "\n"


def sections(text: str) -> tuple[str, dict[str, str]]:
    r"""Return the text before the first section of a docstring, and a mapping of headings to sections.

    >>> sections("Return x.\n\n.. math:: x\n\nExact.\n\n>>> 1\n1")
    ('Return x.\n\n.. math:: x', {'Notes': 'Exact.', 'Examples': '>>> 1\n1'})
    """
    head, *rest = _HEADING.split(inspect.cleandoc(text))
    found = {name: body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)}
    equation = _EQUATION.match(head)
    if equation is not None and "Notes" not in found:
        head, found["Notes"] = equation[0], head[equation.end() :].strip()
    if "Examples" not in found:
        found["Notes"], *examples = re.split(r"(?:\n\n|^)(?=>>> )", found.get("Notes", ""), maxsplit=1)
        found["Examples"] = "".join(examples)
    return head.strip(), {name: body for name, body in found.items() if body}


def _parameters(law: Any) -> str:
    """Return the text of the section "Parameters" of a law."""
    signature: inspect.Signature = law.__signature__
    rows = []
    for name, symbol in law.symbols.items():
        default = signature.parameters[name].default
        rows.append(replace(symbol, default=None if default is inspect.Parameter.empty else default).entry(name))
    return "\n".join(rows)


def _result(law: Any) -> str:
    """Return the text of the section "Returns": symbol and unit of the result, and remarks on it."""
    cut = re.search(r"[,;:.](?=\s)", law.result)
    letter, rest = (law.result, "") if cut is None else (law.result[: cut.start()], law.result[cut.start() :])
    return f"{letter} [{law.unit}]{rest}".strip().rstrip(".") + "."


def _raises(law: Any) -> str:
    """Return the text of the section "Raises"; it has one more sentence for laws without a closed form."""
    symbols = " Symbols are refused, because the root has no closed form." if law.solves is not None else ""
    return (
        "ValueError\n    If a parameter is outside its domain.\n"
        f"TypeError\n    If a parameter is missing, unknown or not a real number.{symbols}"
    )


def _remarks(law: Any) -> list[str]:
    """Return validity, accuracy and erratum of a law as paragraphs."""
    found = []
    if law.validity is not None:
        unit = "" if law.unit == "1" else f" {law.unit}"
        found.append(f"Accurate within {law.validity.accuracy:g}{unit} where {law.validity.text}.")
    if law.has_printed:
        found.append(f"The expression printed in the source is `as_printed`: {law.as_printed.errata}")
    if law.errata:
        found.append(f"As printed: {law.errata}")
    return found


def _reference(law: Any) -> str:
    """Return the bibliographic source of a law, and the module with its proof."""
    proof = place_of_proof(law)
    return f"{law.source.rstrip('.')}." + (f" Proof: {proof}." if proof else "")


def place_of_proof(law: Any) -> str:
    """Return the file in ``derivations/`` and the function that prove a law; an empty text if no proof is there."""
    given = law.derivation
    return f"derivations/{given.replace('.', '.py, ', 1)}" if given and isinstance(given, str) else ""
