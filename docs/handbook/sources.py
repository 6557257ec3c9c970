"""Sources of the handbook: all pages as Markdown in one folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from docs.handbook import front, staging


def write(into: Path) -> list[str]:
    """Write the sources of all pages; return their names, which are their addresses without suffix."""
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    staged = staging.stage(into)
    names = [path.relative_to(into).with_suffix("").as_posix() for path in staged]
    generated: dict[str, str] = {}
    generated |= front.pages()
    for name, text in generated.items():
        path = into / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return names + list(generated)
