"""The scoreboard at small scale: a line for each row, a verdict in each, finished papers are stored."""

import json

from figures import scoreboard
from longfat import verify
from longfat.verify.published import read
from longfat.verify.scoreboard import VERDICTS


def test_written(tmp_path):
    table = scoreboard.write(tmp_path, {"003": 1e5})
    assert {path.name for path in tmp_path.iterdir()} == {
        "scoreboard.md", "scoreboard.csv", "scoreboard.png", "scoreboard.svg", "scoreboard"
    }  # fmt: skip
    text = (tmp_path / "scoreboard.md").read_text(encoding="utf-8")
    body = text.split("## 003")[1].splitlines()
    rows = [line for line in body if line.startswith("| ")][1:]
    assert len(rows) == len(table) == len(read("003")) == 30
    for line, row in zip(rows, read("003"), strict=True):
        words = [word.strip() for word in line.replace("\\|", "").strip("|").split("|")]
        assert len(words) == 6
        assert words[1] == row.claim.replace("|", "")
        assert words[4] in VERDICTS
        assert words[3]


def test_a_paper_that_is_done_is_taken_from_the_store(tmp_path):
    first = verify.scoreboard(["003"], packets=1e5, store=tmp_path)
    place = tmp_path / "published_003.json"
    kept = json.loads(place.read_text(encoding="utf-8"))
    assert (kept["packets"], kept["seed"], len(kept["rows"])) == (1e5, 0, 30)
    kept["rows"][0]["ours"] = "from the store"
    place.write_text(json.dumps(kept), encoding="utf-8")
    again = verify.scoreboard(["003"], packets=1e5, store=tmp_path)
    assert again.ours[0] == "from the store"
    assert first.drop(index=0).equals(again.drop(index=0))
    other = verify.scoreboard(["003"], packets=2e5, store=tmp_path)  # another scale is run anew
    assert other.ours[0] == first.ours[0]
    verify.scoreboard(["003"], packets=1e5, store=tmp_path)
    kept = json.loads(place.read_text(encoding="utf-8"))
    kept["sources"], kept["rows"][0]["ours"] = "another simulator", "old"
    place.write_text(json.dumps(kept), encoding="utf-8")
    assert verify.scoreboard(["003"], packets=1e5, store=tmp_path).ours[0] == first.ours[0]
    place.write_text("{", encoding="utf-8")  # a file that is no JSON is no result
    assert len(verify.scoreboard(["003"], packets=1e5, store=tmp_path)) == 30


def test_counts():
    table = verify.scoreboard(["003"], packets=1e5)
    counts = verify.summary(table)
    assert counts.loc["003", "rows"] == counts.loc["all", "rows"] == 30
    assert counts.loc["003", list(VERDICTS)].sum() == 30
