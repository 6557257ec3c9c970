"""The table of `figures.verdicts.scoreboard` as text, JSON, HTML and Markdown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from figures import rule
from figures.verdicts import NAMES, discrimination, summary
from longfat.base import html_pages
from longfat.base.text_tables import markdown

if TYPE_CHECKING:
    import pandas as pd

HEADINGS = {"published": "printed", "scale": "run", "met_by": "also met by", "others": "others tried"}


def to_text(table: pd.DataFrame) -> str:
    """Format the rows of the papers, each in a few lines, and the summary as text."""
    lines = []
    for paper, rows in table.groupby("paper", sort=True):
        lines += [f"{paper}  {NAMES[str(paper)]}", ""]
        for row in rows.itertuples():
            lines.append(f"  {row.verdict.upper() if row.verdict == 'differs' else row.verdict}: {row.claim}")
            lines.append(f"      printed   {row.published} {'' if row.unit == '1' else row.unit}".rstrip())
            lines.append(f"      ours      {row.ours}")
            for name in ("reason", "criterion", "scale", "fitted", "repeats"):
                if text := getattr(row, name):
                    lines.append(f"      {name:<9} {text}")
            if row.others:
                lines.append(f"      {'tells':<9} {_tells(row.met_by, row.others)}")
        lines.append("")
    return "\n".join([*lines, summary(table).to_string()])


def to_json(table: pd.DataFrame) -> str:
    """Format the rows of the papers and the summary as JSON."""
    content = {
        **table.attrs, "summary": summary(table).to_dict("index"), "rows": table.to_dict("records"),
    }  # fmt: skip
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)


def to_html(table: pd.DataFrame) -> str:
    """Format the rows of the papers and the summary as an HTML page."""
    keys = [
        "paper", "section", "claim", "published", "unit", "ours", "verdict", "reason", "criterion", "scale", "fitted",
        "repeats", "met_by", "others",
    ]  # fmt: skip
    heads = [HEADINGS.get(key, key) for key in keys]
    body = [
        [(str(row[key]), "", row["verdict"].replace(" ", "-") if key == "verdict" else "") for key in keys]
        for row in table.to_dict("records")
    ]
    counts = summary(table)
    totals = [
        [(f"{name} {NAMES.get(str(name), '')}", "", ""), *((str(value), "", "") for value in row)]
        for name, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    ]
    text = html_pages.html_table(["paper", *map(str, counts.columns)], totals) + html_pages.html_table(heads, body)
    return html_pages.page("Published values and ours", text)


def to_markdown(table: pd.DataFrame) -> str:
    """Format the rule, the summary, the fitted choices and, paper by paper, the rows as Markdown."""
    parts = ["## Rule", *_rule_text(), "## Counts", _counts(table), "## Can the rows tell?", _telling(table)]
    if fitted := _fitted(table):
        parts += ["## Fitted", fitted]
    for paper, rows in table.groupby("paper", sort=True):
        lines = [
            [row["section"], row["claim"], f"{row['published']} {'' if row['unit'] == '1' else row['unit']}".strip(),
             row["ours"], row["verdict"], _why(row), row["criterion"], row["scale"],
             _tells(row["met_by"], row["others"]) if row["others"] else ""]
            for row in rows.to_dict("records")
        ]  # fmt: skip
        heads = ["section", "claim", "printed", "ours", "verdict", "reason", "criterion", "run", "met by others"]
        parts += [f"## {paper} {NAMES[str(paper)]}", _table(heads, lines)]
    return "\n\n".join(parts) + "\n"


def from_markdown(text: str) -> pd.DataFrame:
    """Return the rows of a page of `to_markdown` as a table that gives the same page.

    Printed numbers keep their units in the column ``published``; columns absent from the page are missing.
    """
    import pandas as pd

    fitted: dict[str, list[str]] = {}
    for paper, words in re.findall(r"^- (\d{3}): (.*) \(\d+ rows?\)$", text, flags=re.MULTILINE):
        fitted.setdefault(paper, []).append(words)
    rows = []
    for section in re.split(r"^## (?=\d{3} )", text, flags=re.MULTILINE)[1:]:
        paper, lines = section[:3], [line for line in section.splitlines() if line.startswith("| ")][1:]
        rows += [_row(paper, re.split(r"(?<!\\)\|", line)[1:-1], fitted.get(paper, [])) for line in lines]
    return pd.DataFrame(rows)


def _row(paper: str, cells: list[str], choices: list[str]) -> dict[str, Any]:
    """Return a row of the table from its cells on the page and the paper's fitted choices; undo `_why` and `_tells`."""
    section, claim, published, ours, verdict, why, criterion, scale, tells = (
        cell[1:-1].replace("\\|", "|") for cell in cells
    )
    why, _, repeats = why.partition("counted at '")
    why = why.removesuffix("; ")
    before, _, after = why.partition("set by it: " if verdict == "fitted" else "fitted: ")
    fitted = sorted((one for one in choices if one in after), key=after.index)
    return {
        "paper": paper, "section": section, "claim": claim, "published": published, "unit": "1", "ours": ours,
        "verdict": verdict, "reason": why if verdict == "fitted" else before.removesuffix("; "),
        "criterion": criterion, "scale": scale, "repeats": repeats.removesuffix("'"), "fitted": "; ".join(fitted),
        "met_by": tells.partition("cannot tell: ")[2],
        "others": int(tells.partition(" of ")[2].partition(",")[0]) if tells else 0,
    }  # fmt: skip


def _table(heads: list[str], lines: list[list[str]]) -> str:
    return "\n".join(markdown(heads, lines))


def _rule_text() -> list[str]:
    """Return the rule as stated in the module that applies it."""
    return (rule.__doc__ or "").strip().split("\n\n")[1:]


def _counts(table: pd.DataFrame) -> str:
    counts = summary(table)
    return _table(["paper", *map(str, counts.columns)], [
        [f"{name} {NAMES.get(str(name), 'papers')}".strip(), *map(str, row)]
        for name, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    ])  # fmt: skip


def _telling(table: pd.DataFrame) -> str:
    """Return text and table that say how many printed numbers the runs of other schemes meet, too."""
    found = discrimination(table)
    lines = [
        [paper, section, str(row.compared), str(row.tells), f"{100 * row.false_pass:.0f} %"]
        for (paper, section), row in zip(found.index, found.itertuples(), strict=True)
    ]
    sums = found.groupby("paper")[["compared", "tells"]].sum()
    sums.loc["all papers"] = sums.sum()
    shares = [
        f"{paper}: {row.tells} of {row.compared} ({100 * row.tells / row.compared:.0f} %)"
        for paper, row in zip(sums.index, sums.itertuples(), strict=True)
        if row.compared
    ]
    intro = (
        "A number that the run of another scheme, or with another parameter of the same table, would meet as well, "
        "cannot tell whether the scheme is the one that the paper describes. For each number with such runs beside it, "
        "the last column of the tables below says how many of them meet it, and which. The false-pass rate is the "
        "share of all pairs of a number and another run that agree by the same rule. "
        f"Numbers that none of the other runs meets: {', '.join(shares) or 'none'}."
    )
    return intro + "\n\n" + _table(["paper", "section", "numbers", "met by no other", "false-pass rate"], lines)


def _fitted(table: pd.DataFrame) -> str:
    """Return our free choices that printed numbers have set, with the number of their rows."""
    rows = table[table.fitted != ""]
    counts = rows.assign(fitted=rows.fitted.str.split("; ")).explode("fitted").groupby(["paper", "fitted"]).size()
    return "\n".join(f"- {paper}: {words} ({count} row{'s' * (count > 1)})" for (paper, words), count in counts.items())


def _why(row: dict[str, Any]) -> str:
    """Return the reason of a row, with its fitted choices and the row that counts the number."""
    fitted = f"fitted: {row['fitted']}" if row["fitted"] and row["verdict"] != "fitted" else ""
    return "; ".join(filter(None, [row["reason"], fitted, row["repeats"] and f"counted at '{row['repeats']}'"]))


def _tells(met_by: str, others: int) -> str:
    """Return the number and names of the other runs that meet a number, which cannot tell the schemes apart.

    >>> _tells("", 3), _tells("pp; hbh", 3)
    ('0 of 3', '2 of 3, cannot tell: pp; hbh')
    """
    names = met_by.split("; ") if met_by else []
    return f"{len(names)} of {others}" + (f", cannot tell: {met_by}" if names else "")
