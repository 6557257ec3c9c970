"""Proofs of the laws, one module for each paper or topic. No module here imports the law that it proves.

`derivations.errata` computes the numbers of ERRATA.md and docs/papers/refinements.md;
it may use the laws and the simulators.
"""
