"""Functions that compute the numbers of ERRATA.md, one module for each paper."""
