"""Benchmarks run apart from the tests: ``make benchmark``."""
