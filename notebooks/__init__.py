"""Worked questions as notebooks; the handbook has their pages."""
