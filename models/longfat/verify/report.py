"""Tables of the results of `run` and `scoreboard`: as text, JSON, HTML and Markdown."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any

from longfat.verify.published import rule
from longfat.verify.scoreboard import NAMES, discrimination, summary
from longfat.verify.verification import FACES, FAILURES

if TYPE_CHECKING:
    import pandas as pd

MARKS = {
    "agrees": "ok", "differs": "FAILS", "undecided": "?", "error": "ERROR", "not checked": "-", "erratum": "erratum",
    "": "",
}  # fmt: skip
HEADINGS = {"published": "printed", "scale": "run", "met_by": "also met by", "others": "others tried"}
HEADS = ("law", "proof", "digits", "sympy", "JAX", "slopes", "simulator", "packets", "evidence", "printed")


def cells(row: Any) -> list[str]:
    """Return the table row of a law: a mark per check with its largest error.

    The error is relative; for the simulator it is the deviation in percent of the tolerance, followed by the packets
    sent and the evidence for agreement.
    """
    line = [row.law]
    for face in FACES:
        mark, error = MARKS[getattr(row, face)], getattr(row, f"{face}_error")
        if face in ("numeric", "symbolic", "jax", "gradient") and mark in ("ok", "FAILS") and not math.isnan(error):
            mark += f" {error:.0e}"
        elif face == "simulator" and not math.isnan(error):
            mark += f" {100 * error:.0f} %"
        line.append(mark)
        if face == "simulator":
            spent, evidence = row.simulator_packets, row.simulator_evidence
            line += ["" if math.isnan(spent) else f"{spent:.1e}", power_of_ten(evidence)]
    return line


def to_text(table: pd.DataFrame) -> str:
    """Format the table of `run` as text, a line per law, followed by failures and errata.

    >>> from longfat.verify import run
    >>> print(to_text(run("power.little_mean_number", quick=True)).splitlines()[0])
    law                       proof  digits    sympy     JAX       slopes    simulator  packets  evidence  printed
    """
    lines = [list(HEADS), *(cells(row) for row in table.itertuples())]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADS))]
    text = ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    remarks = failures(table) + errata(table)
    total, good = len(table), int(table.agrees.sum())
    kind = "quick run" if table.attrs.get("quick") else "full run"
    attrs = table.attrs
    end = (
        f"{good} of {total} laws agree in every check that was made ({kind}, seed {attrs.get('seed')}). "
        f'{attrs.get("points", 0)} points were simulated. All verdicts "agrees" there (within the accuracy) are true '
        f"with the confidence {100 * attrs.get('confidence', math.nan):g} %, and a law within its accuracy "
        f"differs anywhere with at most the probability {attrs.get('alpha', math.nan):g}. "
        "digits, sympy, JAX, slopes: largest relative error; simulator: largest deviation in percent of the accuracy; "
        "packets: sent in all replications; evidence: least e-value of the points against a larger deviation than the "
        "accuracy, exact where nothing is random; -: not checked (--json gives the reason)."
    )
    return "\n".join([*text, "", *remarks, *([""] if remarks else []), end])


def power_of_ten(evidence: float) -> str:
    """Format an e-value given by its logarithm to the base 10.

    >>> power_of_ten(5.26), power_of_ten(math.inf), power_of_ten(-2.0), power_of_ten(math.nan)
    ('1e5.3', 'exact', 'none', '')
    """
    if math.isnan(evidence):
        return ""
    return ("exact" if evidence > 0 else "none") if math.isinf(evidence) or evidence < 0 else f"1e{evidence:.1f}"


def failures(table: pd.DataFrame) -> list[str]:
    """Return a line for each check that differs, is undecided or raised an exception."""
    found = []
    for row in table.itertuples():
        for face in FACES:
            if getattr(row, face) in FAILURES:
                where = getattr(row, f"{face}_where") or {}
                at = ", ".join(f"{name} = {value:.6g}" for name, value in where.items())
                error, remark = getattr(row, f"{face}_error"), getattr(row, f"{face}_remark")
                size = "" if math.isnan(error) else f", {error:.2g}"
                words = f"{row.law}, {face}: {getattr(row, face)}{size}{' at ' + at if at else ''}"
                found.append(words + (f" ({remark})" if remark else ""))
    return found


def errata(table: pd.DataFrame) -> list[str]:
    """Return a line for each law with an error in its source."""
    return [
        f"erratum, {row.law} ({row.source}): {row.printed_remark} Up to {row.printed_error:.2g} of the law's value."
        for row in table.itertuples()
        if row.printed == "erratum"
    ]


def to_json(table: pd.DataFrame) -> str:
    """Format the table of `run` as JSON: attributes and a list of laws, with nested checks; NaN is null."""
    laws = []
    for row in table.itertuples():
        entry: dict[str, Any] = {"law": row.law, "source": row.source, "agrees": bool(row.agrees)}
        for face in FACES:
            if getattr(row, face):
                entry[face] = {
                    "status": getattr(row, face),
                    "error": _number(getattr(row, f"{face}_error")),
                    "where": getattr(row, f"{face}_where"),
                    "checks": int(getattr(row, f"{face}_checks")),
                    "remark": getattr(row, f"{face}_remark"),
                }
                if face == "simulator":
                    entry[face] |= {
                        "packets": _number(row.simulator_packets),
                        "log10_evidence": _number(row.simulator_evidence),
                    }
        laws.append(entry)
    return json.dumps({**table.attrs, "laws": laws}, indent=1, allow_nan=False, ensure_ascii=False)


def to_html(table: pd.DataFrame) -> str:
    """Format the table of `run` as an HTML page, with remarks as tooltips of the cells."""
    body = []
    for row in table.itertuples():
        line = cells(row)
        faces = ["law", *FACES[:-1], "simulator_packets", "simulator_evidence", FACES[-1]]
        remarks = [str(getattr(row, f"{face}_remark", "")) for face in faces]
        kinds = [getattr(row, face).replace(" ", "-") if face in FACES else "" for face in faces]
        body.append([(word, remark, kind) for word, remark, kind in zip(line, remarks, kinds, strict=True)])
    verdict = "All laws agree." if table.attrs.get("agrees") else "Not all laws agree."
    remarks = [escape(one) for one in failures(table) + errata(table)]
    text = [
        f"<p>{verdict} longfat {escape(str(table.attrs.get('longfat', '')))}, seed {table.attrs.get('seed')}.</p>",
        _html_table(list(HEADS), body),
        f"<ul>{''.join(f'<li>{one}</li>' for one in remarks)}</ul>" if remarks else "",
    ]
    return _page("Verification of the laws", "\n".join(text))


def published_text(table: pd.DataFrame) -> str:
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


def published_json(table: pd.DataFrame) -> str:
    """Format the rows of the papers and the summary as JSON."""
    content = {
        **table.attrs, "summary": summary(table).to_dict("index"), "rows": table.to_dict("records"),
    }  # fmt: skip
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)


def published_html(table: pd.DataFrame) -> str:
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
    text = _html_table(["paper", *map(str, counts.columns)], totals) + _html_table(heads, body)
    return _page("Published values and ours", text)


def published_markdown(table: pd.DataFrame) -> str:
    """Format the rule, the summary, what is fitted and, paper by paper, the rows as Markdown."""
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
        parts += [f"## {paper} {NAMES[str(paper)]}", _markdown(heads, lines)]
    return "\n\n".join(parts) + "\n"


def _rule_text() -> list[str]:
    """Return the rule as the module states it that applies it."""
    return (rule.__doc__ or "").strip().split("\n\n")[1:]


def _counts(table: pd.DataFrame) -> str:
    counts = summary(table)
    return _markdown(["paper", *map(str, counts.columns)], [
        [f"{name} {NAMES.get(str(name), 'papers')}".strip(), *map(str, row)]
        for name, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    ])  # fmt: skip


def _telling(table: pd.DataFrame) -> str:
    """Return the text and the table on which numbers other schemes' runs meet, too."""
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
    return intro + "\n\n" + _markdown(["paper", "section", "numbers", "met by no other", "false-pass rate"], lines)


def _fitted(table: pd.DataFrame) -> str:
    """Return our free choices that printed numbers have set, with the number of their rows."""
    rows = table[table.fitted != ""]
    counts = rows.assign(fitted=rows.fitted.str.split("; ")).explode("fitted").groupby(["paper", "fitted"]).size()
    return "\n".join(f"- {paper}: {words} ({count} row{'s' * (count > 1)})" for (paper, words), count in counts.items())


def _why(row: dict[str, Any]) -> str:
    """Return the reason of a row with what is fitted and which row counts the number."""
    fitted = f"fitted: {row['fitted']}" if row["fitted"] and row["verdict"] != "fitted" else ""
    return "; ".join(filter(None, [row["reason"], fitted, row["repeats"] and f"counted at '{row['repeats']}'"]))


def _tells(met_by: str, others: int) -> str:
    """Return how many of the other runs meet a number, and which: such a row cannot tell them apart.

    >>> _tells("", 3), _tells("pp; hbh", 3)
    ('0 of 3', '2 of 3, cannot tell: pp; hbh')
    """
    names = met_by.split("; ") if met_by else []
    return f"{len(names)} of {others}" + (f", cannot tell: {met_by}" if names else "")


def _number(value: float) -> float | str | None:
    if math.isnan(value) or value == -math.inf:
        return None
    return value if math.isfinite(value) else "infinite"


def _markdown(heads: list[str], lines: list[list[str]]) -> str:
    def row(words: list[str]) -> str:
        return "| " + " | ".join(str(word).replace("|", "\\|").replace("\n", " ") for word in words) + " |"

    return "\n".join([row(heads), "|" + "---|" * len(heads), *map(row, lines)])


def _html_table(heads: list[str], body: list[list[tuple[str, str, str]]]) -> str:
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    rows = []
    for line in body:
        words = []
        for word, remark, kind in line:
            attributes = (f' class="{escape(kind)}"' if kind else "") + (f' title="{escape(remark)}"' if remark else "")
            words.append(f"<td{attributes}>{escape(word)}</td>")
        rows.append(f"<tr>{''.join(words)}</tr>")
    return f"<table>\n<tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def _page(title: str, text: str) -> str:
    style = (
        "body { font-family: sans-serif } table { border-collapse: collapse; margin: 1em 0 } "
        "td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left; vertical-align: top } "
        # Okabe and Ito's colours, always together with words
        ".differs, .error { background: #f3d3c0 } .undecided { background: #faf3bf } .erratum { background: #d6e8f5 } "
        ".agrees, .reproduced, .ordering-reproduced { background: #d5efe6 }"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n<title>{escape(title)}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{text}\n</body>\n</html>\n"
    )
