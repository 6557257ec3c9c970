"""The scoreboard: every row of every paper with its verdict, stored paper by paper, and the counts of verdicts."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import longfat
from figures.claims import PAPERS, findings, tabulated
from figures.rule import VERDICTS
from longfat._version import __version__
from longfat.base.domains import unknown
from longfat.base.files import AtomicFiles

if TYPE_CHECKING:
    import pandas as pd

NAMES = {
    "000": "Kim & Farber",
    "001": "Kanakia, Keshav & Mishra",
    "002": "Welzl",
    "003": "Gong & Parulkar",
    "004": "Prithviraj & Williamson",
}
#: Subpackages and modules of this folder on which verdicts depend, and the paper's folder; a stored paper is
#: used as long as none of them changes.
SUBPACKAGES = ("law", "laws", "replication", "segments", "fluid", "sim")
MORE = {"001": ("benchmark",)}  # used by one paper alone
MODULES = ("rule.py", "claims.py")


def scoreboard(
    papers: Iterable[str] | None = None,
    *,
    packets: float = 1e7,
    seed: int = 0,
    store: str | Path | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Return every row of some papers: the printed value, our value and the verdict.

    Parameters
    ----------
    papers : iterable of str, optional
        Numbers of the papers; all by default.
    packets : float
        Scale of the simulations [packets], in [1e5, 1e12]: "003" delivers at least so many packets at each point. The
        others take from it how many runs a point has: "001" one for every million, 2 to 10; "002" one for every
        million, 3 to 20; "004" one for every million, 4 to 100; "000" 6 to 10 of 1.5e5 to 3e5 packets from a million
        on, 3 short ones below. The column ``scale`` states it at each row.
    seed : int
        Seed of the random numbers, at least 0.
    store : str or Path, optional
        Directory for results. A paper is read from there instead of being run, if scale, seed and the code on which it
        depends (laws, simulator, assessments) have not changed.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    pandas.DataFrame
        Columns ``paper``, ``packets`` (the scale), ``section``, ``claim``, ``kind``, ``published``, ``unit``, ``ours``
        (with 95 % intervals), ``verdict``, ``reason``, ``criterion`` (the part of the rule that was applied), ``scale``
        (what was run), ``repeats`` (the claim in whose row the same number is counted), ``fitted`` (our free choices
        that the number has set), ``met_by`` and ``others`` (which runs of other schemes meet the number, too, and how
        many were tried). The rule is `figures.rule`.

    Examples
    --------
    >>> table = scoreboard(["003"], packets=1e5)  # doctest: +SKIP
    >>> len(table), table.verdict.isin(VERDICTS).all().item()  # doctest: +SKIP
    (39, True)
    """
    import pandas as pd

    chosen = list(papers) if papers is not None else sorted(PAPERS, reverse=True)
    for paper in chosen:
        if paper not in PAPERS:
            raise unknown("paper", paper, PAPERS)
    parts = [_one(paper, packets, seed, store, progress) for paper in sorted(set(chosen), reverse=True)]
    table = pd.concat(parts, ignore_index=True).sort_values("paper", kind="stable", ignore_index=True)
    table.attrs = {"seed": int(seed)}
    return table


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Count the rows of each paper by verdict, with a last row for all papers.

    A number that is printed twice is counted once, by its verdict in one row and as "repeated" in the others.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"paper": ["003"] * 2, "verdict": ["reproduced", "differs"], "repeats": ["", ""]})
    >>> summary(rows).loc["all", "rows"].item()
    2
    """
    import pandas as pd

    verdict = table.verdict.where(table.repeats == "", "repeated")
    counts = pd.crosstab(table.paper, verdict).reindex(columns=[*VERDICTS, "repeated"], fill_value=0)
    counts.columns.name = None
    counts["rows"] = counts.sum(axis=1)
    counts.loc["all"] = counts.sum()
    return counts


def discrimination(table: pd.DataFrame) -> pd.DataFrame:
    """Count, for each section of each paper, the printed numbers that runs of other schemes would also meet.

    Returns
    -------
    pandas.DataFrame
        Over ``paper`` and ``section``: ``compared``, the rows for which other runs were tried; ``tells``, those that
        none of them meets; ``false_pass``, the share of all pairs of a row and another run that agree.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"paper": "003", "section": "2.4", "repeats": "", "others": 2, "met_by": "hbh"}
    >>> discrimination(pd.DataFrame([row])).values.tolist()
    [[1.0, 0.0, 0.5]]
    """
    rows = table[(table.others > 0) & (table.repeats == "")]
    hits = rows.met_by.map(lambda names: len(names.split("; ")) if names else 0)
    made = rows.assign(compared=1, tells=(hits == 0).astype(int), hits=hits)
    sums = made.groupby(["paper", "section"], sort=False)[["compared", "tells", "hits", "others"]].sum()
    sums["false_pass"] = sums.hits / sums.others
    return sums[["compared", "tells", "false_pass"]]


def sources(paper: str) -> str:
    """Return a digest of the tables and of the `code` of the modules on which a paper's verdicts depend.

    >>> sources("003") == sources("003"), sources("003") == sources("004"), len(sources("003"))
    (True, False, 16)
    """
    digest = hashlib.sha256()
    package, here = Path(longfat.__file__).parent, Path(__file__).parent
    folders = [package / name for name in (*SUBPACKAGES, *MORE.get(paper, ()))]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".csv", ".toml")]
    folder = here / PAPERS[paper]
    paths += [*(here / name for name in MODULES), *folder.glob("*.py"), folder / "claims.csv"]
    for path in sorted(paths):
        content = path.read_text(encoding="utf-8")
        read = code(content) if path.suffix == ".py" else content
        digest.update(f"{path.relative_to(package.parents[1]).as_posix()}\0{read}".encode())
    return digest.hexdigest()[:16]


@functools.cache
def code(text: str) -> str:
    r"""Return a Python module without comments, docstrings and layout, which change no result.

    >>> code("def f(x):\n    'Double a number.'\n    return 2*x  # exact in floats")
    'def f(x):\n    return 2 * x'
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = node.body[ast.get_docstring(node, clean=False) is not None :]
    return ast.unparse(tree)


def _one(paper: str, packets: float, seed: int, store: str | Path | None, progress: bool) -> pd.DataFrame:
    import pandas as pd

    identity = {"paper": paper, "packets": float(packets), "seed": int(seed), "sources": sources(paper)}
    name = f"published_{paper}.json"
    if store is not None and (kept := _kept(Path(store) / name, identity)) is not None:
        return _scaled(pd.DataFrame(kept), packets)
    begin = monotonic()
    table = tabulated(findings(paper, packets=packets, seed=seed, progress=progress))
    table.insert(0, "paper", paper)
    if store is not None:
        with AtomicFiles(store) as folder:
            content = identity | {
                "longfat": __version__, "seconds": round(monotonic() - begin, 1), "rows": table.to_dict("records"),
            }  # fmt: skip
            folder.path(name).write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return _scaled(table, packets)


def _scaled(table: pd.DataFrame, packets: float) -> pd.DataFrame:
    table.insert(1, "packets", float(packets))
    return table


def _kept(path: Path, identity: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the stored rows of a paper, or None if they were made with other settings."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or any(content.get(key) != value for key, value in identity.items()):
        return None
    rows: list[dict[str, Any]] = content["rows"]
    return rows
