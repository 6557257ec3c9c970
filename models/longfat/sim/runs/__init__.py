"""Runs of networks: from links and flows to arrays, calls of the event loop, results and captures."""
