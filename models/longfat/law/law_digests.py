"""Digest of a law: identifies the formula to which stored verdicts and evidence belong."""

from __future__ import annotations

import functools
import hashlib
import inspect

from longfat.law import Law
from longfat.law.roots import Root


@functools.cache
def digest(law: Law) -> str:
    """Return ten hexadecimal digits that change when the law's expression does.

    Of a root it is the equation that counts, and of a law without an expression in closed form its source code.

    >>> from longfat.laws.queues import mm1_wait, mm1_response
    >>> len(digest(mm1_wait)), digest(mm1_wait) == digest(mm1_response)
    (10, False)
    """
    return hashlib.sha256(expression(law).encode()).hexdigest()[:10]


def expression(law: Law) -> str:
    """Return the expression of a law as text."""
    try:
        return str(law.equation if isinstance(law, Root) else law.expr)
    except Exception:  # sympy's symbols cannot trace it
        return inspect.getsource(law.function)
