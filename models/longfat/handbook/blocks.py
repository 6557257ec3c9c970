"""Placement of the operations of a traced program in blocks: the program, branches of conditions, bodies of loops.

An operation that only one branch of a ``where`` needs is computed in that branch; the program thus computes one case of
a law and not all of them. An operation that does not change in a loop is computed before the loop. This is global
code motion as in C. Click, "Global Code Motion, Global Value Numbering", PLDI 1995: an operation is placed as late as
its uses allow, but outside of loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

from longfat.handbook.trace import Loop, Node

Item = Node | Loop


@dataclass(eq=False)
class Block:
    """Sequence of operations: the body of ``loop``, or the branch for ``known``, a condition and its value."""

    parent: Block | None = None
    loop: Loop | None = None
    known: tuple[Node, bool] | None = None
    items: list[Item] = field(default_factory=list)

    def path(self) -> list[Block]:
        """Return the blocks that enclose this block, from the outermost on, and then this block."""
        return [*(self.parent.path() if self.parent else ()), self]

    def value(self, condition: Node) -> bool | None:
        """Return the value of a condition if this block is in one of its branches; otherwise return None."""
        return next((one.known[1] for one in self.path() if one.known and one.known[0] is condition), None)


@dataclass(eq=False)
class Plan:
    """Placement of the operations of a program: the block of each operation, and the blocks that use its result.

    ``branches`` has the two blocks of each ``where`` of numbers, and ``bodies`` the block of each loop. ``needed`` has
    the positions in a loop's state of values on which results depend; ``uses``, the operation and block of each use.
    """

    root: Block = field(default_factory=Block)
    block: dict[Item, Block] = field(default_factory=dict)
    branches: dict[Node, tuple[Block, Block]] = field(default_factory=dict)
    bodies: dict[Loop, Block] = field(default_factory=dict)
    needed: dict[Loop, set[int]] = field(default_factory=dict)
    uses: dict[Item, list[tuple[Item | None, Block]]] = field(default_factory=dict)


def planned(results: Sequence[Node]) -> Plan:
    """Place the operations of a program that computes the given results.

    >>> from longfat.handbook.trace import Graph
    >>> x = Graph().node("parameter", value="x")
    >>> plan = planned([x + 1])
    >>> [item.operation for item in plan.root.items]
    ['parameter', 'constant', '+']
    """
    plan = Plan()
    _need(plan, results)
    order = _ordered(plan, results)
    varying: dict[Item, frozenset[Loop]] = {}
    for item in order:
        inside = frozenset().union(*(varying[one] for one, _ in _operands(plan, item)))
        if isinstance(item, Node) and item.operation in ("state", "index"):
            inside = frozenset([_loop(item)])
        varying[item] = inside - {item} if isinstance(item, Loop) else inside
    plan.uses = {item: [] for item in order}
    for one in results:
        plan.uses[one].append((None, plan.root))
    for item in reversed(order):
        _place(plan, item, varying[item])
    for item in order:
        plan.block[item].items.append(item)
    return plan


def _loop(node: Node) -> Loop:
    found: Loop = node.value if node.operation == "index" else node.value[0]
    return found


def _need(plan: Plan, results: Sequence[Node]) -> None:
    """Record in ``plan.needed`` the positions, in each loop's state, of the values on which the results depend."""
    pending, seen = list(results), set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending += node.operands
        if node.operation in ("result", "state"):
            loop, k = node.value
            plan.needed.setdefault(loop, set()).add(k)
            pending += [loop.initial[k], loop.following[k], *([loop.more] if loop.more is not None else [])]


def _operands(plan: Plan, item: Item) -> Iterator[tuple[Item, str]]:
    """Yield each operand of an item and the block that uses it: "here", a loop's "body", or a branch "yes" or "no"."""
    if isinstance(item, Loop):
        numbers = sorted(plan.needed[item])
        yield from ((item.initial[k], "here") for k in numbers)
        if item.more is not None:
            yield item.more, "body"
        yield from ((item.following[k], "body") for k in numbers)
    elif item.operation == "result":
        yield item.value[0], "here"
    elif item.operation == "where" and item.length is None:
        yield from zip(item.operands, ("here", "yes", "no"), strict=True)
    else:
        yield from ((one, "here") for one in item.operands)


def _ordered(plan: Plan, results: Sequence[Node]) -> list[Item]:
    """Return all items in an order in which operands precede the items that use them."""
    order: dict[Item, None] = {}
    pending: list[tuple[Item, bool]] = [(one, False) for one in reversed(results)]
    while pending:
        item, complete = pending.pop()
        if item in order:
            continue
        if complete:
            order[item] = None
        else:
            pending.append((item, True))
            pending += [(one, False) for one, _ in reversed(list(_operands(plan, item)))]
    return list(order)


def _place(plan: Plan, item: Item, varying: frozenset[Loop]) -> None:
    """Place an item after all items that use it, and record the blocks in which the item uses its operands."""
    if isinstance(item, Node) and item.operation in ("state", "index"):
        plan.block[item] = plan.bodies[_loop(item)]
        return
    place = best = reduce(_common, (block for _, block in plan.uses[item]))
    while place.parent is not None and place.loop not in varying:
        if place.loop is not None:
            best = place.parent
        place = place.parent
    plan.block[item] = best
    inner = {"here": best}
    if isinstance(item, Loop):
        inner["body"] = plan.bodies[item] = Block(best, item)
    elif item.operation == "where" and item.length is None:
        yes, no = (Block(best, known=(item.operands[0], holds)) for holds in (True, False))
        inner["yes"], inner["no"] = plan.branches[item] = yes, no
    for operand, where in _operands(plan, item):
        plan.uses[operand].append((item, inner[where]))


def _common(one: Block, other: Block) -> Block:
    """Return the innermost block that contains both blocks."""
    return [a for a, b in zip(one.path(), other.path(), strict=False) if a is b][-1]
