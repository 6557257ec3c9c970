"""Plug-ins as a user would write them, one file each."""
