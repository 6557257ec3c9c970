"""The handbook: one static site from the pages of the repository and from the records of laws, schemes and papers.

``make handbook`` writes it to ``build/handbook``. `sources` writes pages in Markdown to a folder, Sphinx turns them
into HTML. Nothing that is generated is committed.
"""
