"""Pages for maintainers and for writers of plug-ins."""
