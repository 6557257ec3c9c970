"""Conversion of the laws to one module of JavaScript, from the same source code as the other forms of the laws.

Each law's numeric form, which NumPy and JAX evaluate, is traced (`longfat.handbook.trace`) and written as a
function of plain numbers, including stabilised forms, series of a fixed number of terms and roots. The functions call
JavaScript's ``Math``; the few functions that it lacks are in the runtime at the beginning of the module.

JavaScript leaves the accuracy of ``Math`` to the engine. V8 (Chromium, node) has the functions of fdlibm, whose errors
are below one unit of the last place. In V8 ``tests/handbook`` compares all laws with Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from longfat.handbook.statements import body, literal
from longfat.handbook.trace import Tracing, traced
from longfat.law import Law, Symbol, registered

HEAD = """\
// Written by longfat.handbook from the laws of longfat. Each law: parameters [name, low, high, brackets of the domain,
// whether only integers are allowed]; formula of numbers; printed, the source's own expression if that is wrong;
// valid, the condition under which an approximate law holds.
"""
RUNTIME = """\
const { abs, acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, exp, expm1, floor, log, log10, log1p, log2, max,
  min, sign, sin, sinh, sqrt, tan, tanh } = Math;
const power = (x, y) => x === 1 ? 1 : Math.pow(x, y);  // in JavaScript 1 to the power of infinity is NaN
const logaddexp = (x, y) => x === y ? x + Math.LN2 : max(x, y) + log1p(exp(-abs(x - y)));
const mod = (x, y) => { const rest = x % y; return rest !== 0 && (rest < 0) !== (y < 0) ? rest + y : rest; };
const round = (x) => { const up = Math.round(x); return up - x === 0.5 && up % 2 !== 0 ? up - 1 : up; };
"""
EVALUATE = """\
function contains([, low, high, brackets, integer], x) {
  return (brackets[0] === "[" ? x >= low : x > low) && (brackets[1] === "]" ? x <= high : x < high) &&
    (!integer || x === floor(x));
}
function evaluate(law, values, face = "formula") {  // NaN outside the domain
  return law.parameters.every((one, k) => contains(one, values[k])) ? law[face](...values) : NaN;
}
"""


def module(laws: Iterable[Law] | None = None) -> str:
    """Return an ES module of laws, by default all; the module exports ``laws``, ``contains`` and ``evaluate``."""
    return f"{HEAD}{_statements(laws)}export {{ laws, contains, evaluate }};\n"


def script(laws: Iterable[Law] | None = None) -> str:
    """Return a classic script that defines ``longfat`` with the laws; browsers load it from the file system, too."""
    return f"{HEAD}const longfat = (() => {{\n{_statements(laws)}return {{ laws, contains, evaluate }};\n}})();\n"


def _statements(laws: Iterable[Law] | None) -> str:
    chosen = [one for _, one in registered()] if laws is None else list(laws)
    entries = ",\n".join(f'"{one.public_name}": {entry(one)}' for one in sorted(chosen, key=lambda x: x.public_name))
    return f"{RUNTIME}{EVALUATE}const laws = {{\n{entries},\n}};\n"


def entry(law: Law) -> str:
    """Convert a law to a JavaScript object: parameters, formula and, if the law has them, printed form and validity."""
    names = list(law.symbols)
    parts = [f"parameters: [{', '.join(_parameter(name, one) for name, one in law.symbols.items())}]"]
    parts.append(method("formula", law.function, names, xp=Tracing))
    if law.has_printed:
        parts.append(method("printed", law.as_printed.function, names, xp=Tracing))
    if law.validity is not None:
        validity = law.validity
        parts.append(method("valid", lambda *values: validity(**dict(zip(names, values, strict=True))), names))
    return "{\n" + "".join(f"  {one},\n" for one in parts) + "}"


def _parameter(name: str, symbol: Symbol) -> str:
    inside = symbol.interval
    brackets = ("[" if inside.includes_low else "(") + ("]" if inside.includes_high else ")")
    ends = f"{literal(inside.low)}, {literal(inside.high)}"
    return f"[{json.dumps(name)}, {ends}, {json.dumps(brackets)}, {literal(symbol.integer)}]"


def method(name: str, formula: Callable[..., Any], names: list[str], indent: int = 4, **more: Any) -> str:
    """Return a method of a JavaScript object, or a function without the keyword ``function``, from a numeric form."""
    text = body(traced(formula, names, **more), indent)
    return f"{name}({', '.join(names)}) {{\n{text}\n{' ' * (indent - 2)}}}"
