"""The tables and pictures of the benchmark's paper: the stored page, and what is drawn."""

import re

import pytest

from figures.kkm import pictures as kkm
from figures.writing import HERE
from longfat import benchmark
from longfat.benchmark.tables import cells
from longfat.sim import run
from tests.figures.published_checks import SCOREBOARD, rows_of


def test_drawn_rates_add_up_to_the_packets_sent():
    """The sending rate sums to what connection 1 sent in experiment 9b; the queue fits the buffer."""
    data = kkm.traces("9b", ["packet-pair"], 3.0, rng=0)
    net = benchmark.build(benchmark.VARIANTS["9b"], benchmark.ENTRIES["packet-pair"])
    counted = run(net, duration=3.0, rng=0, progress=False).sel(flow="1")
    assert float(counted.transfer_time) < 2.9
    assert float(data.sending_rate.sum()) * 0.02 == 500 * int(counted.sent) >= 150 * 500
    assert 0 < float(data.queue.max()) <= 20


def numbers(text):
    """Return value and unit in the last digit of each number in a text; 1e+04 and 16961 have a unit of 1e4 and of 1."""
    found = re.findall(r"\d+(?:\.(\d+))?(?:e([+-]\d+))?", text)
    values = [float(one[0]) for one in re.finditer(r"\d+(?:\.\d+)?(?:e[+-]\d+)?", text)]
    return [
        (value, 10.0 ** (int(power or 0) - len(digits))) for value, (digits, power) in zip(values, found, strict=True)
    ]


def table_of(page, heading):
    """Return the rows of a table, by the heads of its columns."""
    return rows_of(page.split(f"## {heading}")[1].split("\n## ")[0])


def compare(page):
    """Compare each cell in the list of a page with the table of its experiment, digit by digit; return their number.

    Of experiment 7 the table has the first fifth of the list's runs. The mean of a fifth of n values is at most
    2 s sqrt((n - 1)/n) from that of all, which is 2 sqrt(n - 1)/t times half of an interval: 7.0 for 50 runs, with
    t = 2.01. The first of five deviations is at most 4 s/sqrt(5) from their mean: 4/t = 1.44, with t = 2.78.
    """
    count = 0
    listed = {row["cell"]: row for row in table_of(page, "Every printed cell")}
    for cell in (one for one in cells() if kkm.kkm.claim(one) in listed):
        ours = listed[kkm.kkm.claim(cell)]["ours"]
        if listed[kkm.kkm.claim(cell)]["verdict"] in ("not reproducible", "input"):
            continue
        kind = {"mean": "delay", "std": "its std. dev."}[cell.metric[13:]] if cell.metric.startswith("packet") else (
            f"time of {cell.connection}" if cell.experiment in (4, 6, 10) else "transfer time")  # fmt: skip
        case = "scaled" if cell.experiment == 9 else cell.load_or_size
        (row,) = [row for row in table_of(page, f"Experiment {cell.experiment}:") if row["scheme"] == cell.scheme]
        parts = numbers(row[f"{kind}, {case}" if case else kind].split("(")[0])
        value, last = parts[1 if cell.metric == "transfer_time_std" else 0]
        ((own, unit), *half) = numbers(ours)
        scale = 1e3 if ours.endswith(" s") else 1.0
        more = (1.44 if cell.metric == "transfer_time_std" else 7.0) * sum(half[0]) if half else 0.0
        assert value == pytest.approx(scale * own, abs=0.5 * last + 0.5 * scale * unit + more), kkm.kkm.claim(cell)
        count += 1
    return count


def test_the_stored_page_agrees_with_itself_and_with_the_scoreboard():
    """The page beside the code has all 174 cells, with the numbers of its tables and of the scoreboard's rows."""
    page = (HERE / "kkm" / "kkm_tables.md").read_text(encoding="utf-8")
    for row in table_of(page, "Experiment 3:"):
        assert all(word and "nan" not in word for word in [*row.values()][:4])
    listed = table_of(page, "Every printed cell")
    assert len(listed) == 174
    # 12 zeros of the optimal scheme and 4 misprints have no number.
    assert compare(page) == 174 - 12 - 4
    shown = SCOREBOARD[SCOREBOARD.paper == "001"].set_index("claim")
    for row in listed:
        assert (row["ours"], row["verdict"]) == tuple(shown.loc[row["cell"], ["ours", "verdict"]])
