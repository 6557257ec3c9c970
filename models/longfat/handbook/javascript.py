"""Conversion of the laws to JavaScript, from the same Python code that NumPy and JAX evaluate.

The numeric form of each law is traced (`longfat.handbook.trace`) and written as a function of plain numbers, including
stabilised forms, series of a fixed number of terms and roots. The functions call JavaScript's ``Math``; the written
module begins with ``view/runtime.js``, which has the few functions that ``Math`` lacks.

An operation that is used once is written inside the expression that uses it; other operations are assigned to
variables, in the loop to which they belong. Operations on the elements of vectors become one loop over the elements
if each result is used once. Both branches of a conditional are computed, as in NumPy and JAX.

JavaScript leaves the accuracy of ``Math`` to the engine. V8 (Chromium, node) has the functions of fdlibm, whose errors
are below one unit of the last place. In V8 ``tests/handbook`` compares all laws with Python.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from typing import Any

from longfat.handbook.trace import Loop, Node, Tracing, traced
from longfat.law import Law, Symbol, registered

HEAD = """\
// Written by longfat.handbook from the laws of longfat. Each law: parameters [name, low, high, brackets of the domain,
// whether only integers are allowed]; formula of numbers; printed, the source's own expression if that is wrong;
// valid, the condition under which an approximate law holds.
"""
RUNTIME = files("longfat.handbook").joinpath("view", "runtime.js").read_text(encoding="utf-8")
#: Precedence of operators. If an operand has the same precedence as the operator, it needs parentheses only on the
#: right.
LEVELS = {"||": 2, "&&": 3, "===": 4, "!==": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "+": 6, "-": 6, "*": 7, "/": 7}
TERNARY, UNARY, ATOM = 1, 8, 9
NAMES = {"minimum": "min", "maximum": "max"}  # other operations have the same name in JavaScript or in `RUNTIME`
ATOMS = frozenset(("constant", "parameter", "state", "index", "result"))
MOVES = frozenset(("range", "fill", "single", "slice", "flip", "concat", "element"))  # rearrange values, compute none
#: Operation on all elements of a vector -> further variable of its loop, and statement for each element.
SCANS = {
    "sum": ("", "{} += {};"), "cumulative_sum": (", t = 0", "{}[i] = t += {};"),
    "cumulative_prod": (", t = 1", "{}[i] = t *= {};"),
}  # fmt: skip


def module(laws: Iterable[Law] | None = None) -> str:
    """Return an ES module of laws, by default all; the module exports ``laws``, ``contains`` and ``evaluate``."""
    return f"{HEAD}{_statements(laws)}export {{ laws, contains, evaluate }};\n"


def script(laws: Iterable[Law] | None = None) -> str:
    """Return a classic script that defines ``longfat`` with the laws; unlike a module, it loads from a file, too."""
    return f"{HEAD}const longfat = (() => {{\n{_statements(laws)}return {{ laws, contains, evaluate }};\n}})();\n"


def _statements(laws: Iterable[Law] | None) -> str:
    chosen = [one for _, one in registered()] if laws is None else list(laws)
    entries = ",\n".join(f'"{one.public_name}": {entry(one)}' for one in sorted(chosen, key=lambda x: x.public_name))
    return f"{RUNTIME}const laws = {{\n{entries},\n}};\n"


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
    """Convert a numeric form to a method of a JavaScript object; ``function`` before the text makes it a function."""
    text = body(traced(formula, names, **more), indent)
    return f"{name}({', '.join(names)}) {{\n{text}\n{' ' * (indent - 2)}}}"


def literal(value: float | bool) -> str:
    """Convert a number or a truth value to a JavaScript literal.

    >>> [literal(one) for one in (2.0, 1e-300, float("inf"), True)]
    ['2', '1e-300', 'Infinity', 'true']
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value)).removesuffix(".0").replace("e-0", "e-").replace("e+", "e")


def body(result: Node, indent: int = 4) -> str:
    """Return the statements of a JavaScript function that computes the result.

    >>> from longfat.handbook.trace import traced
    >>> print(body(traced(lambda x: (x + 1) / (x + 1 - x * x), ["x"]), 0))
    const a1 = x + 1;
    return a1 / (a1 - x * x);
    """
    writer = Writer(result)
    writer.write(None, indent)
    return "\n".join([*writer.lines, f"{' ' * indent}return {writer.text(result)[0]};"])


Item = Node | Loop


def _operands(item: Item) -> Iterator[tuple[Item, Loop | None]]:
    """Yield (operand, loop in which the item uses it, or None outside of all loops) for each operand of an item."""
    if isinstance(item, Loop):
        yield from ((one, item.parent) for one in item.initial)
        yield from ((one, item) for one in (*item.following, item.more) if one is not None)
    else:
        yield from ((one, item.loop) for one in item.operands)
        if item.operation in ("state", "result"):
            yield item.value[0], item.loop


class Writer:
    """Writer of the JavaScript statements that compute a result."""

    def __init__(self, result: Node) -> None:
        self.uses: dict[Item, list[tuple[Item | None, Loop | None]]] = defaultdict(list)
        pending: list[tuple[Item, Item | None, Loop | None]] = [(result, None, None)]
        while pending:
            item, user, loop = pending.pop()
            if item not in self.uses:
                pending += [(one, item, where) for one, where in _operands(item)]
            self.uses[item].append((user, loop))
        self.names: dict[Node, str] = {}
        self.count = 0
        self.lines: list[str] = []

    def line(self, indent: int, text: str) -> None:
        """Append a line to the program."""
        self.lines.append(" " * indent + text)

    def name(self) -> str:
        """Return a variable name that is not used yet."""
        self.count += 1
        return f"a{self.count}"

    def write(self, inside: Loop | None, indent: int) -> None:
        """Write the statements of a loop's body, or of the program outside of all loops."""
        here = [one for one in self.uses if (one.parent if isinstance(one, Loop) else one.loop) is inside]
        for item in sorted(here, key=lambda one: one.serial):
            if isinstance(item, Loop):
                self.loop(item, indent)
            elif item not in self.names and not self.inline(item):
                self.declare(item, indent)

    def inline(self, node: Node) -> bool:
        """Return whether an operation is written inside the expression that uses it, without a variable."""
        if node.operation in ATOMS or node.operation == "range":
            return True
        uses = self.uses[node]
        if len(uses) != 1 or uses[0][1] is not node.loop or node.operation in SCANS:
            return False
        user = uses[0][0]
        in_elements = isinstance(user, Node) and elementwise(user)
        return in_elements == (node.length is not None and elementwise(node))

    def declare(self, node: Node, indent: int) -> None:
        """Write the statements that assign the result of an operation to a variable."""
        name = self.name()
        if elementwise(node):
            vector = node.operands[0] if node.operation in SCANS else node
            begin, step = SCANS.get(node.operation, ("", "{}[i] = {};"))
            start = f"let {name} = 0;" if node.operation == "sum" else f"const {name} = new Array({vector.length});"
            self.line(indent, start)
            statement = step.format(name, self.element(vector)[0])
            self.line(indent, f"for (let i = 0{begin}; i < {vector.length}; i++) {statement}")
        else:
            self.line(indent, f"const {name} = {self.text(node)[0]};")
        self.names[node] = name

    def loop(self, loop: Loop, indent: int) -> None:
        """Write a loop; after the loop the variables of its state hold its results."""
        state = [self.name() for _ in loop.initial]
        start = ", ".join(f"{name} = {self.text(one)[0]}" for name, one in zip(state, loop.initial, strict=True))
        self.line(indent, f"let {start};")
        for node in self.uses:
            if isinstance(node, Node) and node.operation in ("state", "result") and node.value[0] is loop:
                self.names[node] = state[node.value[1]]
        index = f"i{loop.number}"
        if loop.index is not None:
            self.names[loop.index] = index
        self.line(
            indent, f"for (let {index} = 1; {index} <= {loop.times}; {index}++) {{" if loop.times else "for (;;) {"
        )
        self.write(loop, indent + 2)
        if loop.more is not None:
            self.line(indent + 2, f"if (!({self.text(loop.more)[0]})) break;")
        self.advance([(name, self.text(loop.following[k])[0]) for k, name in enumerate(state)], indent + 2)
        self.line(indent, "}")

    def advance(self, changes: list[tuple[str, str]], indent: int) -> None:
        """Write the assignments of the next state, in which every right-hand side reads the present state."""
        if len(changes) == 1:
            self.line(indent, f"{changes[0][0]} = {changes[0][1]};")
        else:
            new = [self.name() for _ in changes]
            self.line(indent, "const " + ", ".join(f"{n} = {v}" for n, (_, v) in zip(new, changes, strict=True)) + ";")
            self.line(indent, " ".join(f"{name} = {n};" for n, (name, _) in zip(new, changes, strict=True)))

    def text(self, node: Node) -> tuple[str, int]:
        """Return the expression of a number or a vector, and the precedence of the expression."""
        if node in self.names:
            return self.names[node], ATOM
        if node.operation == "constant":
            written = literal(node.value)
            return written, UNARY if written.startswith("-") else ATOM
        if node.operation == "parameter":
            return node.value, ATOM
        if node.operation in MOVES:
            return self.moved(node), ATOM
        return self.operation(node, [self.text(one) for one in node.operands])

    def moved(self, node: Node) -> str:
        """Return the expression of an operation in `MOVES`, which takes an element or rearranges elements."""
        parts = [self.text(one)[0] for one in node.operands]
        match node.operation:
            case "element":
                return f"{parts[0]}[{node.value}]"
            case "range":
                return f"Array.from({{ length: {node.length} }}, (_, i) => i + {node.value})"
            case "fill":
                return f"new Array({node.length}).fill({parts[0]})"
            case "slice":
                return f"{parts[0]}.slice({node.value}, {node.value + node.length})"
            case "single":
                return f"[{parts[0]}]"
            case "flip":
                return f"{parts[0]}.slice().reverse()"
        return f"{parts[0]}.concat({', '.join(parts[1:])})"  # the operation "concat"

    def element(self, node: Node) -> tuple[str, int]:
        """Return the expression of element i of a vector, or of a number, and the precedence of the expression."""
        if node.length is None:
            return self.text(node)
        if node in self.names:
            return f"{self.names[node]}[i]", ATOM
        if node.operation == "range":
            return (f"i + {node.value}", LEVELS["+"]) if node.value else ("i", ATOM)
        return self.operation(node, [self.element(one) for one in node.operands])

    def operation(self, node: Node, parts: list[tuple[str, int]]) -> tuple[str, int]:
        """Return the expression of an operation on numbers, and the expression's precedence."""
        if node.operation in LEVELS:
            level = LEVELS[node.operation]
            left, right = at_least(parts[0], level), at_least(parts[1], level + 1)
            return f"{left} {node.operation} {right}", level
        if node.operation == "where":
            condition, yes, no = at_least(parts[0], 2), at_least(parts[1], 2), parts[2][0]
            return f"{condition} ? {yes} : {no}", TERNARY
        if node.operation in ("negative", "!"):
            operand = at_least(parts[0], UNARY)
            sign = "-" if node.operation == "negative" else "!"
            return f"{sign}({operand})" if operand.startswith("-") else f"{sign}{operand}", UNARY
        return f"{NAMES.get(node.operation, node.operation)}({', '.join(text for text, _ in parts)})", ATOM


def elementwise(node: Node) -> bool:
    """Return whether an operation computes with each element of a vector."""
    return node.operation in SCANS or (node.length is not None and node.operation not in ATOMS | MOVES)


def at_least(part: tuple[str, int], level: int) -> str:
    """Return an expression; put it in parentheses if its precedence is lower than ``level``."""
    return part[0] if part[1] >= level else f"({part[0]})"
