"""Numbers of ERRATA.md and docs/papers/refinements.md, one module for each paper; `tests/test_errata.py` calls every one."""
