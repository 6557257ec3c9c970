"""Modules that every other subpackage may import: quantities, domains, files, extras, discovery, progress."""
