"""Configuration of Sphinx for the handbook; ``make handbook`` calls it by `docs.handbook.__main__`."""

from pathlib import Path

from longfat._version import __version__

project = "longfat"
author = "The longfat developers"
copyright = "The longfat developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
extensions += [f"docs.handbook.{name}" for name in ("finding", "live", "mathml", "play")]
nitpicky = True
toc_object_entries_show_parents = "hide"
default_role = "code"  # the docstrings' single backquotes
# Types of the standard library and of libraries that are not documented here.
nitpick_ignore_regex = [("py:.*", r"(?!longfat).*")]
keep_warnings = False
smartquotes = False  # a tenth of the time of the build
templates_path: list[str] = []
html_static_path = [str(Path(__file__).parent / "handbook" / "static")]

# Markdown: the pages are those of the repository, whose links hold there, too.
myst_enable_extensions = ["attrs_inline", "fieldlist"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.header",  # the changelog and the tables begin at other levels
]

# Docstrings follow numpydoc.
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "longfat"
html_math_renderer = "mathml"
html_css_files = ["handbook.css"]
html_js_files = ["handbook.js"]
html_copy_source = False
html_show_search_summary = False  # it reads the pages that are found, which browsers refuse on the file system
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "longfat"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    # Navigation has the branch of its page alone: with all laws on each of 350 pages it would be a third of the build.
    "collapse_navigation": True,
    "show_prev_next": False,
    "search_as_you_type": True,
}
html_sidebars = {"index": []}
