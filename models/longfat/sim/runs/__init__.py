"""Runs of networks: assembly, event loop calls, results, captures."""
