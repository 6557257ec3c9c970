"""Conversion of a traced program to the body of a JavaScript function.

An operation that is used once is written inside the expression that uses it; other operations are assigned to
variables. A vector that is used once is computed element by element in the loop that uses it, so that a chain of
operations is one loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from longfat.handbook.blocks import Block, Plan, planned
from longfat.handbook.trace import Loop, Node

#: Precedence of operators. If an operand has the same precedence as the operator, it needs parentheses only on the
#: right.
LEVELS = {"||": 2, "&&": 3, "===": 4, "!==": 4, "<": 5, "<=": 5, ">": 5, ">=": 5, "+": 6, "-": 6, "*": 7, "/": 7}
TERNARY, UNARY, ATOM = 1, 8, 9
NAMES = {"minimum": "min", "maximum": "max"}  # other operations have the same name in JavaScript or in `RUNTIME`
ATOMS = frozenset(("constant", "parameter", "input", "state", "index", "result"))
REPEATED = frozenset(("fill", "single"))
SCANS = {"cumulative_sum": "+=", "cumulative_prod": "*="}


@dataclass(frozen=True)
class Index:
    """Index of an element in JavaScript: ``sign * name + offset``, or the number ``offset`` if ``sign`` is 0."""

    name: str
    sign: int
    offset: int

    def after(self, count: int) -> Index:
        """Return the index plus ``count``."""
        return Index(self.name, self.sign, self.offset + count)

    def __str__(self) -> str:
        if self.sign == 0:
            return str(self.offset)
        if self.sign < 0:
            return f"{self.offset} - {self.name}"
        return self.name if not self.offset else f"{self.name} {'+' if self.offset > 0 else '-'} {abs(self.offset)}"


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
    return Writer(planned([result])).program(result, indent)


class Writer:
    """Writer of the JavaScript of one program, whose operations are placed by a `Plan`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names: dict[Node, str] = {}
        self.count = 0
        self.lines: list[str] = []

    def program(self, result: Node, indent: int) -> str:
        """Return the statements that compute the result."""
        for node in self.plan.uses:
            if isinstance(node, Node) and node.operation == "input":  # an argument that is a vector
                self.names[node] = node.value
        self.write(self.plan.root, indent)
        if result.length is not None and result not in self.names:
            self.declare(result, indent)
        self.line(indent, f"return {self.text(result)[0]};")
        return "\n".join(self.lines)

    def line(self, indent: int, text: str) -> None:
        """Append a line to the program."""
        self.lines.append(" " * indent + text)

    def name(self) -> str:
        """Return a variable name that is not used yet."""
        self.count += 1
        return f"a{self.count}"

    def write(self, block: Block, indent: int) -> None:
        """Write the statements of a block."""
        for item in block.items:
            if isinstance(item, Loop):
                self.loop(item, indent)
            elif not self.inline(item):
                self.declare(item, indent)

    def inline(self, node: Node) -> bool:
        """Return whether an operation is written inside the expression that uses it, without a variable."""
        if node.operation in ATOMS or node.operation == "range":
            return True
        if node.operation in REPEATED and node.operands[0].operation in ATOMS:
            return True
        if node.operation in SCANS or node.operation == "sum":
            return False
        if node in self.plan.branches and any(self.statements(one) for one in self.plan.branches[node]):
            return False
        uses = self.plan.uses[node]
        if len(uses) != 1 or uses[0][1] is not self.plan.block[node]:
            return False
        user = uses[0][0]
        vectors = isinstance(user, Node) and (user.length is not None or user.operation == "sum")
        if node.length is None:
            return not vectors or (isinstance(user, Node) and user.operation in ("single", "fill"))
        return vectors or (isinstance(user, Node) and user.operation == "element")

    def choice(self, node: Node) -> Node | None:
        """Return the operand that a conditional selects if an enclosing branch fixes the condition; else None."""
        if node not in self.plan.branches:
            return None
        holds = self.plan.block[node].value(node.operands[0])
        return None if holds is None else node.operands[1 if holds else 2]

    def statements(self, block: Block) -> bool:
        """Return whether a block needs statements, because it has a loop or an operation that is not written inline."""
        return any(isinstance(item, Loop) or not self.inline(item) for item in block.items)

    def declare(self, node: Node, indent: int) -> None:
        """Write the statement that assigns the result of an operation to a variable."""
        chosen = self.choice(node)
        if chosen is not None:
            self.write(self.plan.branches[node][0 if chosen is node.operands[1] else 1], indent)
            written = self.text(chosen)[0]
            if not written.isidentifier():
                written, expression = self.name(), written
                self.line(indent, f"const {written} = {expression};")
            self.names[node] = written
            return
        name = self.name()
        if node.length is not None:
            self.vector(node, name, indent)
        elif node.operation == "sum":
            self.line(indent, f"let {name} = 0;")
            element = self.element(node.operands[0], Index("i", 1, 0))[0]
            self.line(indent, f"for (let i = 0; i < {node.operands[0].length}; i++) {name} += {element};")
        elif node in self.plan.branches and any(self.statements(one) for one in self.plan.branches[node]):
            self.branches(node, name, indent)
        else:
            self.line(indent, f"const {name} = {self.text(node)[0]};")
        self.names[node] = name

    def vector(self, node: Node, name: str, indent: int) -> None:
        """Write the loop that computes a vector."""
        if node.operation == "concat" and all(one.operation == "single" for one in node.operands):
            parts = ", ".join(self.text(one.operands[0])[0] for one in node.operands)
            self.line(indent, f"const {name} = [{parts}];")
            return
        index = Index("i", 1, 0)
        self.line(indent, f"const {name} = new Array({node.length});")
        if node.operation in SCANS:
            start, sign = ("0", "+=") if node.operation == "cumulative_sum" else ("1", "*=")
            element = self.element(node.operands[0], index)[0]
            step = f"{name}[i] = t {sign} {element}"
            self.line(indent, f"for (let i = 0, t = {start}; i < {node.length}; i++) {step};")
        else:
            self.line(indent, f"for (let i = 0; i < {node.length}; i++) {name}[i] = {self.operation(node, index)[0]};")

    def branches(self, node: Node, name: str, indent: int) -> None:
        """Write an ``if`` statement for a conditional whose branches need statements."""
        condition, *values = node.operands
        self.line(indent, f"let {name};")
        self.line(indent, f"if ({self.text(condition)[0]}) {{")
        for block, value, end in zip(self.plan.branches[node], values, ("} else {", "}"), strict=True):
            self.write(block, indent + 2)
            self.line(indent + 2, f"{name} = {self.text(value)[0]};")
            self.line(indent, end)

    def loop(self, loop: Loop, indent: int) -> None:
        """Write a loop; afterwards the variables of the loop's state hold its results."""
        numbers = sorted(self.plan.needed[loop])
        names = {k: self.name() for k in numbers}
        start = ", ".join(f"{names[k]} = {self.text(loop.initial[k])[0]}" for k in numbers)
        self.line(indent, f"let {start};")
        body = self.plan.bodies[loop]
        for item in body.items:
            if isinstance(item, Node) and item.operation == "state":
                self.names[item] = names[item.value[1]]
        index = f"i{loop.number}"
        if loop.index is not None:
            self.names[loop.index] = index
        self.line(
            indent, f"for (let {index} = 1; {index} <= {loop.times}; {index}++) {{" if loop.times else "for (;;) {"
        )
        self.write(body, indent + 2)
        if loop.more is not None:
            self.line(indent + 2, f"if (!({self.text(loop.more)[0]})) break;")
        self.advance([(names[k], self.text(loop.following[k])[0]) for k in numbers], indent + 2)
        self.line(indent, "}")
        for node in self.plan.uses:
            if isinstance(node, Node) and node.operation == "result" and node.value[0] is loop:
                self.names[node] = names[node.value[1]]

    def advance(self, changes: list[tuple[str, str]], indent: int) -> None:
        """Write the assignments of the next state, in which every right-hand side reads the present state."""
        changes = [(name, value) for name, value in changes if name != value]
        if len(changes) == 1:
            self.line(indent, f"{changes[0][0]} = {changes[0][1]};")
        elif changes:
            new = [self.name() for _ in changes]
            self.line(indent, "const " + ", ".join(f"{n} = {v}" for n, (_, v) in zip(new, changes, strict=True)) + ";")
            self.line(indent, " ".join(f"{name} = {n};" for n, (name, _) in zip(new, changes, strict=True)))

    def text(self, node: Node) -> tuple[str, int]:
        """Return the expression of a number, or the name of a vector, and the precedence of this text."""
        if node in self.names:
            return self.names[node], ATOM
        if node.operation == "constant":
            written = literal(node.value)
            return written, UNARY if written.startswith("-") else ATOM
        if node.operation == "parameter":
            return node.value, ATOM
        if node.operation == "element":
            return self.element(node.operands[0], Index("", 0, node.value))
        return self.operation(node, None)

    def element(self, node: Node, index: Index) -> tuple[str, int]:
        """Return the expression of an element of a vector, or of a number, and its precedence."""
        if node.length is None:
            return self.text(node)
        return (f"{self.names[node]}[{index}]", ATOM) if node in self.names else self.operation(node, index)

    def operation(self, node: Node, index: Index | None) -> tuple[str, int]:
        """Return the expression of an operation, or of an element of its result, and the expression's precedence."""
        if index is not None and node.length is not None and node.operation in MOVES:
            return self.moved(node, index)
        chosen = self.choice(node)
        if chosen is not None:
            return self.text(chosen)
        parts = [self.text(one) if index is None else self.element(one, index) for one in node.operands]
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

    def moved(self, node: Node, index: Index) -> tuple[str, int]:
        """Return the expression of an element of a vector that only rearranges values, and its precedence."""
        if node.operation == "range":
            place = index.after(node.value)
            return str(place), ATOM if str(place) in (place.name, str(place.offset)) else LEVELS["+"]
        if node.operation == "slice":
            return self.element(node.operands[0], index.after(node.value))
        if node.operation == "flip":
            last = (node.length or 0) - 1
            return self.element(node.operands[0], Index(index.name, -index.sign, last - index.offset))
        if node.operation in ("fill", "single"):
            return self.text(node.operands[0])
        first, *rest = node.operands  # concat
        if not rest:
            return self.element(first, index)
        others = node.graph.node("concat", *rest, length=sum(one.length or 0 for one in rest))
        begin, after = self.element(first, index), self.element(others, index.after(-(first.length or 0)))
        return f"{index} < {first.length} ? {at_least(begin, 2)} : {after[0]}", TERNARY


MOVES = frozenset(("range", "slice", "flip", "fill", "single", "concat"))


def at_least(part: tuple[str, int], level: int) -> str:
    """Return an expression; put it in parentheses if its precedence is lower than ``level``."""
    return part[0] if part[1] >= level else f"({part[0]})"
