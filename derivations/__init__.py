"""Proofs of the laws, one module per paper; nothing here imports what it proves."""
