"""The check of links finds what is planted, and a build with it fails."""

import pytest

from docs.handbook import __main__ as command
from docs.handbook import links

GOOD = """<html><head><link rel="stylesheet" href="own.css"><style>a { background: url(data:,) }</style></head><body>
<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a><a href="https://example.org/">elsewhere</a>
<img src="a.png" srcset="a.png 2x"><script src="own.js"></script></body></html>"""
OTHER = '<html><body><p id="there">b</p><a href="a.html">a</a></body></html>'

PLANTED = {
    "which does not exist": '<a href="no.html">no</a>',
    "whose anchor does not exist": '<a href="b.html#no">no</a>',
    "which is a folder": '<a href="folder/">no</a>',
    "which is outside the site": '<a href="../x.html">no</a>',
    "loads https://example.org/x.js from another host": '<script src="https://example.org/x.js"></script>',
    "loads //example.org/x.woff from another host": "<style>@font-face { src: url('//example.org/x.woff') }</style>",
    "loads http://example.org/x.png from another host": '<img src="http://example.org/x.png">',
    "loads https://example.org/x.css from another host": '<link rel="stylesheet" href="https://example.org/x.css">',
}


@pytest.fixture
def site(tmp_path):
    """Provide a site of two pages, in a folder that has a page beside the site."""
    folder = tmp_path / "site"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "x.html").write_text(OTHER)
    for name, text in {"a.html": GOOD, "b.html": OTHER, "own.css": "", "own.js": "", "a.png": ""}.items():
        (folder / name).write_text(text)
    return folder


def test_a_whole_site_has_no_problems(site):
    assert links.problems(site) == []


@pytest.mark.parametrize("words", PLANTED)
def test_planted_faults_are_found(site, words):
    (site / "a.html").write_text(GOOD.replace("</body>", f"{PLANTED[words]}</body>"))
    (found,) = links.problems(site)
    assert found.startswith("a.html ")
    assert words in found


@pytest.mark.parametrize("text", ["a { background: url(no.png) }", "@import 'https://example.org/x.css';"])
def test_style_sheets_are_read(site, text):
    (site / "own.css").write_text(text)
    (found,) = links.problems(site)
    assert found.startswith("own.css ")


def built(folder, page):
    """Build a site of one page with the configuration of the handbook."""
    source = folder / "source"
    source.mkdir()
    (source / "index.md").write_text(f"# Page\n\n{page}\n")
    return command.build(source, folder / "html", folder / "doctrees")


@pytest.mark.long
@pytest.mark.parametrize(
    "page",
    [
        "[a page](missing.md)",
        "[an anchor](#missing)",
        "![a picture](missing.png)",
        "```{toctree}\n/missing\n```",
        "```{raw} html\n<a href='missing.html'>a page</a>\n```",
        "```{raw} html\n<script src='https://example.org/x.js'></script>\n```",
        "{math}`\\nosuchcommand{1}`",
    ],
    ids=["link", "anchor", "image", "page", "raw link", "request", "formula"],
)
def test_a_build_fails(tmp_path, page):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: make venv")
    assert built(tmp_path, page) != 0


@pytest.mark.long
def test_a_build_without_faults_succeeds(tmp_path):
    pytest.importorskip("sphinx", reason="Sphinx is not installed: make venv")
    assert built(tmp_path, "Text.") == 0
