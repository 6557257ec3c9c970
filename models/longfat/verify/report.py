"""Tables of the results of `run`: as text, JSON and HTML."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any

from longfat.base.html_pages import html_table, page
from longfat.base.text_tables import columns
from longfat.verify.verification import FACES, FAILURES

if TYPE_CHECKING:
    import pandas as pd

MARKS = {
    "agrees": "ok", "differs": "FAILS", "undecided": "?", "error": "ERROR", "not checked": "-", "erratum": "erratum",
    "": "",
}  # fmt: skip
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
    text = columns([HEADS, *(cells(row) for row in table.itertuples())])
    remarks = failures(table) + errata(table)
    total, good = len(table), int(table.agrees.sum())
    quick = table.attrs.get("quick")
    kind, traced = ("quick run", "JAX: traced, not compiled. ") if quick else ("full run", "")
    attrs = table.attrs
    sure = (
        f"Points simulated: {attrs.get('points')}. With {100 * attrs.get('confidence', math.nan):g} % confidence "
        'each law marked "ok" under simulator is within its stated accuracy at all of its points. The probability that '
        f'any law within its accuracy is marked "FAILS" there is at most {attrs.get("alpha", math.nan):g}.'
    )
    end = [
        f"{good} of {total} laws agree in every check that was made ({kind}, seed {attrs.get('seed')}).",
        sure if attrs.get("points") else "No point was simulated.",
        "digits, sympy, JAX, slopes: largest relative error. simulator: largest deviation, in percent of the law's "
        "stated accuracy. packets: sent in all replications. evidence: least e-value of the law's points; 1e4 arises "
        "with a probability of at most 1e-4 if the law is off by its accuracy or more; exact if nothing is random. "
        f"{traced}-: not checked; --json - prints the reason.",
    ]
    return "\n".join([*text, "", *remarks, *([""] if remarks else []), *end])


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
        html_table(list(HEADS), body),
        f"<ul>{''.join(f'<li>{one}</li>' for one in remarks)}</ul>" if remarks else "",
    ]
    return page("Verification of the laws", "\n".join(text))


def _number(value: float) -> float | str | None:
    if math.isnan(value) or value == -math.inf:
        return None
    return value if math.isfinite(value) else "infinite"
