"""Tracing of a law: a call of its numeric form with tracers, which record the operations as a graph.

A `Node` is the tracer of a number or a vector. It has the operators of numbers, and `Tracing` has the functions of
`longfat.law.array_namespaces`, so that the code of a law records its operations. Equal operations on equal operands
become one node, which eliminates common subexpressions. A node belongs to the innermost loop whose state it depends on,
so that the written program computes it before loops that do not change it.

A condition is also a node; therefore no Python ``if`` may depend on one; JAX requires the same of laws. A loop
(``repeat``, ``iterate``) is recorded once, with a node for each value of its state. An operation may be rewritten only
if not even the last bit of its value changes: NumPy also computes x**2 as x*x, and x**0.5 as sqrt(x).
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.law.exact_namespaces import Namespace

#: Functions of numbers that the written program calls by name. JavaScript's Math or
#: `longfat.handbook.javascript.RUNTIME` has them.
CALLS = frozenset((
    "sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "abs", "sign", "floor", "ceil", "round", "minimum", "maximum",
    "logaddexp",
))  # fmt: skip
NUMBER = (int, float, np.floating, np.integer, np.bool_)
#: Recorded operation -> the special method of its operator in Python. Operations in `REFLECTED` have a second method,
#: for a left operand that is no tracer.
METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "mod": "mod", "power": "pow", "negative": "neg", "abs": "abs",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "===": "eq", "!==": "ne", "&&": "and", "||": "or", "!": "invert",
}  # fmt: skip
REFLECTED = ("+", "-", "*", "/", "mod", "power", "&&", "||")


class Graph:
    """Nodes of one program, in which equal operations share a node."""

    def __init__(self) -> None:
        self._known: dict[Any, Node] = {}
        self.loops = 0
        self.loop: Loop | None = None  # innermost loop that is being recorded
        self.serials = itertools.count()  # numbers of nodes and loops, in the order in which their recording ends

    def node(self, operation: str, *operands: Any, length: int | None = None, value: Any = None) -> Node:
        """Return the node of an operation; ``length`` is the length of its result, None for a number."""
        nodes = tuple(self.constant(one) for one in operands)
        key = operation, tuple(id(one) for one in nodes), length, repr(value)
        if key not in self._known:
            self._known[key] = Node(self, operation, nodes, length, value, next(self.serials))
        return self._known[key]

    def constant(self, value: Any) -> Node:
        """Convert a Python number to a node; return a node unchanged."""
        if isinstance(value, Node):
            return value
        if not isinstance(value, NUMBER):
            raise TypeError(f"a traced law computes with numbers, got {value!r}")
        return self.node("constant", value=bool(value) if isinstance(value, bool | np.bool_) else float(value))


class Node:
    """Tracer of a number or a vector, the result of an operation; its operators record further operations."""

    __array_ufunc__ = None  # an operator between a NumPy scalar and a tracer calls the tracer's method
    dtype = np.dtype(float)
    ndim, shape = 0, ()  # a vector has these, too: laws do not see the leading axis of its elements

    def __init__(self, graph: Graph, operation: str, operands: tuple[Node, ...], length: Any, value: Any, serial: int):
        self.graph, self.operation, self.operands = graph, operation, operands
        self.length: int | None = length
        self.value, self.serial = value, serial
        self.loop: Loop | None = max((one.loop for one in operands if one.loop), key=lambda x: x.depth, default=None)
        if operation in ("index", "state", "result"):
            self.loop = value[0].parent if operation == "result" else value[0]

    def apply(self, operation: str, *operands: Any) -> Any:
        """Return the node of an operation, which acts elementwise on vectors."""
        if operation == "power" and isinstance(operands[1], NUMBER) and operands[1] in (0.5, 1, 2):
            base = operands[0]
            return base if operands[1] == 1 else base * base if operands[1] == 2 else self.apply("sqrt", base)
        lengths = {one.length for one in operands if isinstance(one, Node)} - {None}
        if len(lengths) > 1:
            raise TypeError(f"vectors of the lengths {sorted(lengths)} cannot be combined")  # type: ignore[type-var]
        return self.graph.node(operation, *operands, length=next(iter(lengths), None))

    def __getitem__(self, key: Any) -> Any:
        keys = [one for one in (key if isinstance(key, tuple) else (key,)) if one is not Ellipsis]
        if self.length is None:
            assert keys == [None], f"a number has no element {key}"
            return self.graph.node("single", self, length=1)
        (only,) = keys
        if isinstance(only, int):
            return self.graph.node("element", self, value=only)
        first, last, _ = only.indices(self.length)
        return self.graph.node("slice", self, value=first, length=last - first)

    def __bool__(self) -> bool:
        raise TypeError("a traced condition has no value: write xp.where(condition, x, y) instead of if")

    def __repr__(self) -> str:
        return f"<{self.operation} {self.serial}>"


def _operator(operation: str, reflected: bool = False) -> Callable[..., Any]:
    """Return the special method of an operator, which records the operation; ``reflected`` exchanges the operands."""
    return lambda *operands: operands[0].apply(operation, *(operands[::-1] if reflected else operands))


for _operation, _method in METHODS.items():
    setattr(Node, f"__{_method}__", _operator(_operation))
    if _operation in REFLECTED:
        setattr(Node, f"__r{_method}__", _operator(_operation, reflected=True))


@dataclass(eq=False)
class Loop:
    """Loop of the program: nodes of its initial state, and of the next state after an iteration.

    The node ``index`` counts ``times`` iterations from 1; if ``times`` is None, the loop runs while ``more`` holds.
    ``parent`` is the loop in which the loop was recorded.
    """

    number: int
    initial: list[Node]
    times: int | None = None
    parent: Loop | None = None
    serial: int = 0
    index: Node | None = None
    more: Node | None = None
    following: list[Node] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """Number of loops that enclose the loop."""
        return 0 if self.parent is None else 1 + self.parent.depth

    def __repr__(self) -> str:  # used in the keys of nodes
        return f"loop {self.number}"


class Tracing(Namespace):
    """Functions of `longfat.law.array_namespaces` for tracers, which record each call in a graph."""

    pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
    power, equal, not_equal = staticmethod(operator.pow), staticmethod(operator.eq), staticmethod(operator.ne)
    logical_and, logical_or = staticmethod(operator.and_), staticmethod(operator.or_)
    logical_not = staticmethod(operator.invert)

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __getattr__(self, name: str) -> Any:
        if name not in CALLS:
            raise AttributeError(f"xp.{name} does not exist for tracers: must be in longfat.handbook.trace.CALLS")
        return functools.partial(self._call, name)

    def _call(self, name: str, *operands: Any) -> Any:
        if all(isinstance(one, NUMBER) for one in operands):
            return float(getattr(np, name)(*operands))
        return next(one for one in operands if isinstance(one, Node)).apply(name, *operands)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Return x, limited to the interval from ``low`` to ``high``."""
        return self.minimum(self.maximum(x, low), high)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return ``yes`` where the condition holds, else ``no``."""
        return condition.apply("where", condition, yes, no)

    def piecewise(self, default: Callable[[], Any], *branches: tuple[Any, Callable[[], Any]]) -> Any:
        """Return the value of the first branch whose condition holds, else the default."""
        result = default()
        for condition, value in reversed(branches):
            result = self.where(condition, value(), result)
        return result

    def where_needed(self, condition: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)`` where the condition holds, else 0."""
        return self.where(condition, function(*arguments), 0.0)

    def full_like(self, like: Any, value: float) -> Any:
        """Return a constant, as a number or as a vector of the same length as ``like``."""
        constant = self.graph.constant(value)
        return constant if like.length is None else self.graph.node("fill", constant, length=like.length)

    def zeros_like(self, like: Any) -> Any:
        """Return 0, or a vector of zeros."""
        return self.full_like(like, 0.0)

    def ones_like(self, like: Any) -> Any:
        """Return 1, or a vector of ones."""
        return self.full_like(like, 1.0)

    def broadcast_arrays(self, *values: Any) -> tuple[Any, ...]:
        """Return the values unchanged: numbers need no broadcasting."""
        return values

    def bits(self, like: Any) -> int:
        """Return the number of bits of the fraction of a double, 52."""
        return 52

    def smallest(self, like: Any) -> float:
        """Return the smallest double with full precision."""
        return float(np.finfo(float).smallest_normal)

    finfo = staticmethod(np.finfo)

    def arange(self, start: int, stop: int | None = None, dtype: Any = None) -> Node:
        """Return the vector of the integers from ``start`` to ``stop - 1``."""
        first, last = (0, start) if stop is None else (start, stop)
        return self.graph.node("range", value=first, length=last - first)

    def reshape(self, x: Any, shape: Any) -> Any:
        """Return a vector unchanged; the only shape that laws use is (-1,)."""
        assert shape == (-1,)
        return x

    def concat(self, parts: Sequence[Any], axis: int) -> Node:
        """Return the concatenation of vectors."""
        return self.graph.node("concat", *parts, length=sum(one.length for one in parts))

    def flip(self, x: Node, axis: int) -> Node:
        """Return the vector in reverse order."""
        return self.graph.node("flip", x, length=x.length)

    def cumulative_sum(self, x: Node, *, axis: int) -> Node:
        """Return the vector of the sums up to each element."""
        return self.graph.node("cumulative_sum", x, length=x.length)

    def cumulative_prod(self, x: Node, *, axis: int) -> Node:
        """Return the vector of the products up to each element."""
        return self.graph.node("cumulative_prod", x, length=x.length)

    def sum(self, x: Any, *, axis: int | None = None) -> Any:
        """Return the sum of a list of terms, or of a vector."""
        return self.graph.node("sum", x) if isinstance(x, Node) else functools.reduce(operator.add, x, 0)

    def repeat(self, times: int, step: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
        """Return the state after ``step(i, *state)`` for i from 1 to ``times``."""
        return self._loop(times, lambda loop, now: step(loop.index, *now), None, state)

    def iterate(self, more: Callable[..., Any], step: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
        """Return the state after repeating ``step`` while ``more(*state)`` holds."""
        return self._loop(None, lambda loop, now: step(*now), more, state)

    def _loop(self, times: int | None, step: Callable[..., Any], more: Any, start: tuple[Any, ...]) -> tuple[Any, ...]:
        """Record a loop, and return the nodes of its results."""
        graph = self.graph
        loop = graph.loop = Loop(graph.loops, [graph.constant(one) for one in start], times, graph.loop)
        graph.loops += 1
        if times is not None:
            loop.index = graph.node("index", value=(loop, None))
        state, results = (
            [graph.node(kind, length=one.length, value=(loop, k)) for k, one in enumerate(loop.initial)]
            for kind in ("state", "result")
        )
        loop.more = None if more is None else graph.constant(more(*state))
        loop.following = [graph.constant(one) for one in step(loop, state)]
        loop.serial, graph.loop = next(graph.serials), loop.parent
        return tuple(results)


def traced(function: Callable[..., Any], names: Sequence[str], **more: Any) -> Node:
    """Trace a function, and return the node of its result.

    The arguments are tracers of the parameters ``names``, and an instance of each given class (``xp=Tracing``).

    >>> from longfat.laws.queues import mm1_wait
    >>> traced(mm1_wait.function, ["load"], xp=Tracing).operation
    '/'
    """
    graph = Graph()
    parameters = [graph.node("parameter", value=name) for name in names]
    return graph.constant(function(*parameters, **{key: make(graph) for key, make in more.items()}))
