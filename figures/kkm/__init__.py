"""Kanakia, Keshav and Mishra (1992), ten standard experiments: claims, figures and tables."""
