"""The scoreboard at small scale: a line for each row, a verdict in each, finished papers are stored."""

import json
from xml.etree import ElementTree

import pandas as pd
import pytest

from figures import scoreboard, verdict_tables, verdicts
from figures.claims import read
from figures.gong_parulkar import compared, runs
from figures.verdicts import VERDICTS
from longfat.cli import main


@pytest.fixture(scope="module", autouse=True)
def shorter():
    """Shorten two thirds of the paper's time: fewer runs of receivers in Python, of 800 segments, not 3000."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compared, "_segments", lambda context: 800)
        patched.setattr(compared, "RUNS", 2)
        patched.setattr(runs, "LONGEST_RUNS", 10)
        yield
    compared.efficiency.cache_clear()
    runs.longest.cache_clear()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The smallest paper, assessed once; the store has its rows."""
    folder = tmp_path_factory.mktemp("scoreboard")
    table = scoreboard.PART.write(folder, packets={"003": 1e5}, store=folder / "scoreboard")["table"]
    return table, folder


def again(written, packets=1e5):
    return verdicts.scoreboard(["003"], packets=packets, store=written[1] / "scoreboard")


def test_written(written):
    table, folder = written
    assert {path.name for path in folder.iterdir()} == {
        "scoreboard.md", "scoreboard.csv", "scoreboard.png", "scoreboard.svg", "scoreboard"
    }  # fmt: skip
    text = (folder / "scoreboard.md").read_text(encoding="utf-8")
    body = text.split("## 003")[1].splitlines()
    rows = [line for line in body if line.startswith("| ")][1:]
    assert len(rows) == len(table) == len(read("003")) == 39
    assert "10 % are those of the power" in text  # the rule stands on the page
    for line, row in zip(rows, read("003"), strict=True):
        words = [word.strip() for word in line.replace("\\|", "").strip("|").split("|")]
        assert len(words) == 9
        assert words[1] == row.claim.replace("|", "")
        assert words[4] in VERDICTS
        assert words[3]


def test_the_page_gives_its_own_rows_back():
    """The table read from the stored page loses nothing: it is written as the same page again."""
    text = (scoreboard.HERE / "scoreboard.md").read_text(encoding="utf-8")
    table = verdict_tables.from_markdown(text)
    assert verdict_tables.to_markdown(table) == text[text.index("## Rule") :]


def test_rows_missing_on_the_page_are_run(written):
    """Of 39 rows two are missing and one was changed by hand: the two are run, the one stays, the order is the same."""
    table = written[0]
    kept = verdict_tables.from_markdown(scoreboard.text(table)).drop(index=[3, 14])
    kept.loc[5, "ours"] = "kept"
    found = scoreboard.added(kept, "003", 1e5, 0, False)
    assert found.claim.tolist() == table.claim.tolist()
    assert found.ours[5] == "kept"
    assert found.ours.drop(index=5).equals(table.ours.drop(index=5))


def test_counts(written):
    counts = verdicts.summary(again(written))
    assert counts.loc["003", "rows"] == counts.loc["all", "rows"] == 39
    assert counts.loc["003", [*VERDICTS, "repeated"]].sum() == 39


def test_a_paper_that_is_done_is_taken_from_the_store(written, monkeypatch):
    first, place = again(written), written[1] / "scoreboard" / "published_003.json"
    kept = json.loads(place.read_text(encoding="utf-8"))
    assert (kept["packets"], kept["seed"], len(kept["rows"])) == (1e5, 0, 39)
    made = []

    def findings(paper, *, packets, seed, progress):
        made.append((paper, packets))

    monkeypatch.setattr(verdicts, "findings", findings)
    monkeypatch.setattr(verdicts, "tabulated", lambda found: first.drop(columns=["paper", "packets"]))
    kept["rows"][0]["ours"] = "from the store"
    place.write_text(json.dumps(kept), encoding="utf-8")
    stored = again(written)
    assert stored.ours[0] == "from the store"
    assert first.drop(index=0).equals(stored.drop(index=0))
    assert made == []
    other = again(written, packets=1.5e5)  # another scale is run anew
    assert (other.ours[0], other.packets[0], made) == (first.ours[0], 1.5e5, [("003", 1.5e5)])
    kept["sources"], kept["rows"][0]["ours"] = "another simulator", "old"
    place.write_text(json.dumps(kept), encoding="utf-8")
    assert again(written).ours[0] == first.ours[0]
    place.write_text("{", encoding="utf-8")  # a file that is no JSON is no result
    assert again(written).equals(first)
    assert made[1:] == [("003", 1e5)] * 2


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository of two modules and a table."""
    files = {
        "models/longfat/sim/queue.py": 'def rate():\n    """Return a rate."""\n    return 2  # Mbit/s\n',
        "figures/gong_parulkar/claims.csv": "value\n12.5\n",
        "figures/gong_parulkar/claims.py": '"""Claims."""\n',
        "figures/rule.py": "",
        "figures/claims.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(verdicts.longfat, "__file__", str(tmp_path / "models/longfat/__init__.py"))
    monkeypatch.setattr(verdicts, "__file__", str(tmp_path / "figures/verdicts.py"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new", "counts"),
    [
        ("models/longfat/sim/queue.py", "  # Mbit/s", "", False),
        ("models/longfat/sim/queue.py", "a rate", "the rate of a queue", False),
        ("models/longfat/sim/queue.py", '    """Return a rate."""\n', "", False),
        ("models/longfat/sim/queue.py", "return 2", "return 3", True),
        ("models/longfat/sim/queue.py", "return 2", "return '2'", True),
        ("figures/gong_parulkar/claims.py", "Claims.", "Printed claims.", False),
        ("figures/gong_parulkar/claims.csv", "12.5", "12.6", True),
    ],
)
def test_stored_verdicts_depend_on_code_and_tables_but_not_on_texts(tree, name, old, new, counts):
    before, path = verdicts.sources("003"), tree / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert (verdicts.sources("003") != before) is counts


def test_rows_by_the_command(capsys, tmp_path):
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    assert main(["verify", "--published", "003", "--quick", "--html", str(page), "--json", str(data)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "consistent: BDP example" in out
    assert "printed   12.5" in out
    content = json.loads(data.read_text(encoding="utf-8"))
    assert len(content["rows"]) == content["summary"]["all"]["rows"] == 39
    assert sum(content["summary"]["003"].values()) == 2 * 39
    root = ElementTree.fromstring(page.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))
    assert len(root.findall(".//tr")) == (1 + 2) + (1 + 39)


def rows_of(**columns):
    size = len(next(iter(columns.values())))
    usual = {"paper": "009", "section": "1", "repeats": "", "others": 0, "met_by": "", "verdict": "reproduced"}
    return pd.DataFrame({name: columns.get(name, [value] * size) for name, value in usual.items()})


def test_a_number_that_is_printed_twice_counts_once():
    counts = verdicts.summary(rows_of(verdict=["reproduced", "reproduced", "differs"], repeats=["", "another row", ""]))
    assert counts.loc["009"].to_dict() | {"reproduced": 1, "repeated": 1, "differs": 1, "rows": 3} == (
        counts.loc["009"].to_dict()
    )


def test_rows_that_tell_schemes_apart():
    """Two rows with three others each: 0 and 2 of them meet it, too, so one row tells; 2 of 6 pairs agree."""
    found = verdicts.discrimination(rows_of(others=[3, 3, 0], met_by=["", "k = 2, v = 1.0; hbh", ""]))
    assert found.loc[("009", "1")].to_dict() == {"compared": 2, "tells": 1, "false_pass": pytest.approx(2 / 6)}
