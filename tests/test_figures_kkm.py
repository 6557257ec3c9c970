"""The tables and pictures of the benchmark's paper, at a small scale."""

import pytest

from figures import kkm
from longfat import benchmark
from longfat.sim import run


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kkm")
    return kkm.write(folder, replications=2, quick=True), folder


def test_files(written):
    names = {path.name for path in written[1].iterdir()}
    drawn = {f"{name}.{kind}" for name in ("kkm_7", "kkm_rates_9b", "kkm_queues_9b") for kind in ("svg", "png", "nc")}
    assert {name for name in names if not name.endswith(".csv")} == drawn | {"kkm.nc", "kkm_tables.md"}
    assert any(name.endswith(".csv") for name in names)


def test_tables_have_no_empty_cell(written):
    text = (written[1] / "kkm_tables.md").read_text()
    table = text.split("## Experiment 3")[1].split("## Experiment 9")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(lines) == 7  # heads, optimal and five schemes
    for line in lines[2:]:
        words = [word.strip() for word in line.strip("|").split("|")]
        assert len(words) == 5
        assert all(word and "nan" not in word and word != "-" for word in words)
        assert all("(" in word for word in words[1:4])  # the printed ones
    assert "| 44.4 (44.4) | 46 (46) | 64 (64) |" in lines[1]
    assert kkm.ASKS[3] in table
    # by the printed times, in units of the least of a column: e2e-ef (1 + 1 + 150/122)/3 = 1.08, hbh 1.10, pp 1.48
    assert "The paper's order, e2e-ef, hbh, pp, tcp (tahoe), decbit, holds" in table
    assert "No packets are lost." in table
    listed = text.split("## Every printed cell")[1]
    assert sum(line.startswith("| table 4.3") for line in listed.splitlines()) == 18


def test_what_is_drawn_is_what_was_sent():
    """The sending rate sums to what connection 1 sent in experiment 9b; the queue fits the buffer."""
    data = benchmark.traces("9b", ["packet-pair"], 3.0, rng=0)
    net = benchmark.build(benchmark.VARIANTS["9b"], benchmark.ENTRIES["packet-pair"])
    counted = run(net, duration=3.0, rng=0, progress=False).sel(flow="1")
    assert float(counted.transfer_time) < 2.9
    assert float(data.sending_rate.sum()) * 0.02 == 500 * int(counted.sent) >= 150 * 500
    assert 0 < float(data.queue.max()) <= 20


def test_misprints_are_cells_too():
    """The optimal row of table 4.7 at load 0.2 has two misprints and two delays of 0."""
    data = benchmark.run(["7-0.2"], ["optimal"], progress=False)
    (table,) = kkm.every_cell(data, 0, switch=False)
    nothing = ["0", "0", "+0 ms"]
    assert [line[1:4] for line in table.lines] == [["1444", "", ""], ["0", "", ""], nothing, nothing]


def test_the_page_has_all_printed_cells():
    """The page stored beside the code has all 174 cells, each with an explanation if it differs."""
    text = (kkm.HERE / "kkm_tables.md").read_text(encoding="utf-8")
    listed = [line for line in text.split("## Every printed cell")[1].splitlines() if line.startswith("| table 4.")]
    assert len(listed) == len(set(listed)) == 174
    for line in listed:
        words = [word.strip() for word in line.strip("|").split("|")]
        off = words[3].endswith("%") and abs(float(words[3].split()[0])) > 10
        assert not off or len(words[4]) > 10, line
