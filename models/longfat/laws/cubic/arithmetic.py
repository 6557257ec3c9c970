"""Cube roots in every arithmetic."""

from __future__ import annotations

from typing import Any


def third(like: Any, xp: Any) -> Any:
    """Return 1/3 in the digits of a number's arithmetic; no derivative passes through it."""
    return xp.fixed(1 / (3 + 0 * like))


def cube_root(x: Any, xp: Any) -> Any:
    """Return the cube root of a number that is not negative."""
    return xp.power(x, third(x, xp))
