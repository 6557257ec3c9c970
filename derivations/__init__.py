"""Proofs of the laws, one module for each paper or topic. No module here imports the law that it proves."""
