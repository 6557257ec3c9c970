"""Values that must not change while the code is moved: `make guard` compares them with those in tests/data/guard.

A change that is meant to change a value writes the values anew in a commit of its own, which says why:
``python -m tests.guard``.
"""
