"""Proofs on the pages of laws: the functions of ``derivations``, step by step, with the claims of each `require`."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from types import ModuleType
from typing import Any

CHECKS = ("require", "require_zero")
OWN = "derivations.proof"


@dataclass(frozen=True)
class Step:
    """Function of a proof: dotted name, docstring, code, claims that it establishes, functions that it calls."""

    name: str
    text: str
    source: str
    claims: tuple[tuple[str, str], ...]
    calls: tuple[Callable[..., Any], ...]


def start(derivation: str) -> Callable[..., Any]:
    """Return the function that proves a law, by its name in the record.

    >>> start("queues.mm1k_wait").__name__
    'mm1k_wait'
    """
    module, name, *_ = derivation.split(".")
    found: Callable[..., Any] = getattr(importlib.import_module(f"derivations.{module}"), name)
    return found


@functools.cache
def step(function: Callable[..., Any]) -> Step:
    """Read a function of a proof.

    >>> step(start("queues.geometric_sums")).claims[0][0]
    'base, N = 0'
    """
    function = inspect.unwrap(function)
    module = inspect.getmodule(function)
    assert module is not None
    source = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(source)
    claims, calls = [], []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in CHECKS and len(node.args) == 2:
            claims.append((node.lineno, _words(node.args[1]), _statement(name, node.args[0])))
        called = _resolved(node.func, module)
        if called is not None:
            calls.append((node.lineno, called))
    in_order = sorted(claims)
    unique = dict.fromkeys(one for _, one in sorted(calls, key=lambda pair: pair[0]))
    where = f"{module.__name__}.{function.__name__}"
    text = inspect.getdoc(function) or ""
    return Step(where, text, source, tuple((words, what) for _, words, what in in_order), tuple(unique))


def _resolved(called: ast.expr, module: ModuleType) -> Callable[..., Any] | None:
    """Return the function of `derivations` that a call names; None for others."""
    found: Any = None
    if isinstance(called, ast.Name):
        found = getattr(module, called.id, None)
    elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        holder = getattr(module, called.value.id, None)
        found = getattr(holder, called.attr, None) if isinstance(holder, ModuleType) else None
    if found is None or inspect.isclass(found) or not inspect.isfunction(inspect.unwrap(found)):
        return None
    place = inspect.unwrap(found).__module__ or ""
    return found if place.startswith("derivations.") and place != OWN else None


def _words(node: ast.expr) -> str:
    """Return the text of a claim, with the code of inserted values in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"  # type: ignore[attr-defined]
            for part in node.values
        )
        return "".join(parts)
    return ast.unparse(node)


def _statement(check: str, node: ast.expr) -> str:
    """Return the condition that a check demands, as code."""
    text = ast.unparse(node)
    return f"{text} = 0" if check == "require_zero" else text


def unfolding(derivation: str) -> str:
    """Return a proof as HTML: each step unfolds to its text, its claims, the steps that it uses, and its code."""
    seen: set[str] = set()

    def shown(function: Callable[..., Any], opened: bool) -> str:
        one = step(function)
        first, _, rest = one.text.partition("\n\n")
        head = f"<summary><code>{escape(one.name)}</code> {escape(' '.join(first.split()))}</summary>"
        if one.name in seen:
            return f"<details>{head}<p>As above.</p></details>"
        seen.add(one.name)
        parts = [f"<p>{escape(' '.join(part.split()))}</p>" for part in rest.split("\n\n") if part.strip()]
        if one.claims:
            rows = (f"<li>{escape(words)}: <code>{escape(what)}</code></li>" for words, what in one.claims)
            parts.append(f"<p>It establishes:</p><ul>{''.join(rows)}</ul>")
        parts += [shown(called, opened=False) for called in one.calls]
        parts.append(f"<details><summary>Code</summary><pre>{escape(one.source.rstrip())}</pre></details>")
        return f"<details{' open' if opened else ''}>{head}{''.join(parts)}</details>"

    return f'<div class="proof">{shown(start(derivation), opened=True)}</div>'
