"""Foundations that every other room may import: quantities, domains, files, extras, discovery, progress."""
