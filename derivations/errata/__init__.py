"""Numbers of ERRATA.md and docs/papers/refinements.md, one module for each paper; tests call every one."""
