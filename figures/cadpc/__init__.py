"""Welzl, CADPC: networks, claims, figures and tables."""
