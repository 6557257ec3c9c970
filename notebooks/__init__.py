"""Worked questions as notebooks, and the pages that are made of them."""
