"""The store of evidence: what is multiplied, what counts once, where packets go, and files that are damaged."""

import json
import math
import multiprocessing

import numpy as np
import pytest
from matplotlib.colors import to_hex

from longfat import plot, verify
from longfat.cli import main
from longfat.law import Law, Symbol, Validity
from longfat.laws import cubic, queues
from longfat.verify import cells, evidence_store, identities, report
from longfat.verify.evidence_store import EvidenceStore, Record, choose, combined
from longfat.verify.simulated import SimulatorCheck, check_of

X = Symbol("x", "m", "[0, 10]", (1, 5))


def record(seed=1, cell=(0,), agreement=3.0, difference=-1.0, identity="1f", law="a"):
    return Record(law, identity, cell, seed, "agrees", 1e3, agreement, difference)


def law_of(function=lambda x, *, xp: x, validity=None):
    return Law(function, {"x": X}, "m", "an example", validity)


def simulator(rng, x):
    return x + np.random.default_rng(rng).normal(0, 0.1), 10.0


def test_different_seeds_multiply_and_equal_ones_count_once(tmp_path):
    """(1 + 10^3)/2 = 500.5 each; their product is 250500.25."""
    store = EvidenceStore(tmp_path / "store")
    store.add([record(1), record(2), record(1)])
    assert 10 ** store.evidence("a", "1f")[(0,)][0] == pytest.approx(250500.25)
    again = EvidenceStore(store.path)
    assert len(store.path.read_text().splitlines()) == 3
    assert again.evidence("a", "1f") == store.evidence("a", "1f")
    assert again.of("a", "1f") == [record(1), record(2)]


def test_no_run_destroys_what_others_have_found(tmp_path):
    """An e-value of 0 halves the product: 500.5/2."""
    store = EvidenceStore(tmp_path / "store")
    store.add([record(1), record(2, agreement=-math.inf)])
    assert 10 ** store.evidence("a", "1f")[(0,)][0] == pytest.approx(250.25)


@pytest.mark.parametrize("error", [0.01, 0.1])
def test_the_product_keeps_the_promise(error):
    """Twenty runs of likelihood ratios with mean 1: their product exceeds 1/error with at most that probability."""
    rng = np.random.default_rng(1)
    logs = (rng.normal(size=(2000, 20)) - 0.5) / math.log(10)  # of exp(z - 1/2), whose mean is 1
    products = np.array([[evidence_store.half_staked(float(one)) for one in row] for row in logs]).cumsum(axis=1)
    assert np.mean(products.max(axis=1) >= -math.log10(error)) <= error


def test_cells_are_combined_by_the_worst_case():
    """Of e-values 10, 1000 for agreement the least, of 0.1, 100 for a difference the mean, 50.05."""
    near, apart = combined([(1.0, -1.0), (3.0, 2.0)])
    assert (near, 10**apart) == (1.0, pytest.approx(50.05))
    assert combined([(math.inf, -0.3), (math.inf, -0.3)])[0] == math.inf
    assert combined([(-0.3, math.inf), (math.inf, -0.3)]) == (-0.3, math.inf)


def test_packets_go_where_they_tell_most():
    """Unknown cells in the given order, then those decided least, for or against."""
    known = {(0,): (5.0, -1.0), (1,): (-1.0, 7.0), (3,): (1.0, -1.0)}
    assert choose([(k,) for k in range(5)], known, 5, [4, 3, 2, 1, 0]) == [(4,), (2,), (3,), (0,), (1,)]


def test_files_of_machines_are_merged_by_concatenation(tmp_path):
    one, two = EvidenceStore(tmp_path / "one"), EvidenceStore(tmp_path / "two")
    one.add([record(1), record(2)])
    two.add([record(2), record(3, cell=(1,))])
    both = tmp_path / "both"
    both.write_bytes(one.path.read_bytes() + two.path.read_bytes())
    assert [(each.seed, each.cell) for each in EvidenceStore(both).of("a", "1f")] == [(1, (0,)), (2, (0,)), (3, (1,))]


@pytest.mark.parametrize("kept", [1, 12, 30, 100])
def test_a_line_that_was_cut_off_is_left_out(tmp_path, kept):
    """A crash leaves a part of the last line; the next run begins a line of its own, a merged file continues it."""
    store = EvidenceStore(tmp_path / "store")
    store.add([record(1)])
    whole = store.path.read_text()
    store.path.write_text(whole + record(2).line()[:kept])
    again = EvidenceStore(store.path)
    assert (again.lost, [one.seed for one in again.of("a", "1f")]) == (1, [1])
    again.add([record(3)])
    after = EvidenceStore(store.path)
    assert (after.lost, [one.seed for one in after.of("a", "1f")]) == (1, [1, 3])
    store.path.write_text(whole + record(2).line()[:kept] + record(4).line())
    merged = EvidenceStore(store.path)
    assert (merged.lost, [one.seed for one in merged.of("a", "1f")]) == (1, [1, 4])


def test_foreign_files_and_places_are_refused(tmp_path, capsys):
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("load,wait\n0.5,1.0\n")
    words = ["verify", "--law", "power.network_power", "--quick", "--workers", "1", "--store"]
    for place, message in (
        (foreign, "line 1 of"),
        (tmp_path, "directory"),
        (tmp_path / "no" / "store", "No such file"),
    ):
        assert main([*words, str(place)]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert message in err
    assert foreign.read_text() == "load,wait\n0.5,1.0\n"
    assert main(["verify", "--published", "--store", str(foreign)]) == 2
    assert "--store and --published exclude each other" in capsys.readouterr().err


def _write(path, first):
    store = EvidenceStore(path)
    for seed in range(first, first + 50):
        store.add([record(seed)])


def test_two_writers_at_once(tmp_path):
    path = tmp_path / "store"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, first)) for first in (0, 1000)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    store = EvidenceStore(path)
    assert (store.lost, len(store.of("a", "1f"))) == (0, 100)


def test_cells_of_a_domain():
    """0.05 to 0.8 is 16 times as much: logarithmic parts of a factor 2 each, with middles sqrt(2) above their ends."""
    found = cells.partition(queues.mm1_wait, check_of(queues.mm1_wait))
    assert [found.cells[k,]["load"] for k in range(4)] == pytest.approx([0.05 * 2 ** (k + 0.5) for k in range(4)])
    assert found.parts["load"][0] == "0.05 to 0.1"
    many = cells.partition(cubic.window, check_of(cubic.window))
    assert [len(parts) for parts in many.parts.values()] == [2, 2, 2, 2]
    listed = cells.partition(queues.mg1_wait, check_of(queues.mg1_wait))
    assert {point["variation"] for point in listed.cells.values()} == {0.0, 1.0}


def test_a_cell_where_the_law_is_not_valid_is_none():
    """Parts of (1, 5) have middles at 5^(1/8) = 1.22 and 5^(3/8) = 1.83; before the first is 5^(1/16) = 1.11."""

    def points(limit):
        law = law_of(validity=Validity(f"x < {limit}", lambda x: x < limit, 0.1))
        return {place: point["x"] for place, point in cells.partition(law, SimulatorCheck(simulator)).cells.items()}

    assert points(1.6) == {(0,): pytest.approx(5**0.125)}
    assert points(1.2) == {(0,): pytest.approx(5**0.0625)}
    assert points(1.1) == {}


def test_what_makes_evidence_begin_anew(monkeypatch):
    """Another formula, accuracy, range or simulator, and other code of the simulator."""
    monkeypatch.setattr(identities, "_digest", lambda *files: str(files))

    def digest(law, check):
        return identities.identity(law, check, cells.partition(law, check))

    law, check = queues.mm1_wait, check_of(queues.mm1_wait)
    first = digest(law, check)
    assert digest(law, check) == first
    others = [
        (law, SimulatorCheck(check.simulator, check.ranges, accuracy=0.02, relative=0.05)),
        (law, SimulatorCheck(check.simulator, accuracy=0.01, relative=0.05)),
        (law, SimulatorCheck(simulator, check.ranges, accuracy=0.01, relative=0.05)),
        (queues.md1_wait, check),
    ]
    found = {first, *(digest(*one) for one in others)}
    monkeypatch.setattr(identities, "_digest", lambda *files: f"changed {files}")
    assert len(found | {digest(law, check)}) == 6
    commented = 'def f():\n    """One."""\n    return 1'
    assert identities._stripped(commented) == identities._stripped("def f(): return 1  # one")
    assert identities._stripped("x = 1") != identities._stripped("x = 2")
    assert identities._imported(identities.ROOT / "verify" / "estimators.py") & set(identities.PACKAGES) == {"segments"}


def test_runs_accumulate(tmp_path):
    """Four cells, two points in a quick run: two runs go everywhere, and a third one returns, with new seeds."""
    store, law = tmp_path / "store", law_of()
    check = SimulatorCheck(simulator, accuracy=0.5)
    tables = [verify.run([law], simulators={law.name: check}, quick=True, store=store) for _ in range(3)]
    name = tables[0].law.item()
    seen = [table.attrs["store"][name] for table in tables]
    assert [one["simulated"] for one in seen] == [2, 4, 4]
    assert [one["map"].count("+") for one in seen] == [2, 4, 4]
    assert [one["cells"] for one in seen] == [4, 4, 4]
    assert seen[2]["packets"] == sum(table.simulator_packets.item() for table in tables)
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    assert len({(tuple(line["cell"]), line["seed"]) for line in lines}) == len(lines) == 6
    assert all(table.attrs["agrees"] and table.attrs["lost"] == 0 for table in tables)
    other = verify.run([law], simulators={law.name: SimulatorCheck(simulator, accuracy=0.4)}, quick=True, store=store)
    assert other.attrs["store"][name]["outdated"] == 6
    assert other.attrs["store"][name]["simulated"] == 2
    text = report.to_text(other)
    assert "    begun anew: 6 records are of another formula, simulator or accuracy\n" in text
    assert f"{name}: evidence 1e" in text
    assert "in the weakest of 2 cells of 4" in text


def test_a_wrong_law_is_marked(tmp_path):
    law = law_of(lambda x, *, xp: 1.5 * x)
    check = SimulatorCheck(simulator, relative=0.1)
    table = verify.run([law], simulators={law.name: check}, quick=True, store=tmp_path / "store")
    (seen,) = table.attrs["store"].values()
    assert (seen["map"].count("x"), table.simulator.item()) == (2, "differs")
    assert seen["evidence_against"] > 6 > 0 > seen["evidence"]


def test_the_map_as_a_picture():
    """A cell for each mark, in rows of all parts of the second half of the parameters, with their units."""
    parts = {"load": ["0.1 to 0.3", "0.3 to 0.8"], "capacity": ["1 to 4", "4 to 9"], "trip": ["1 to 2", "2 to 4"]}
    one = {"parts": parts, "units": {"trip": "s"}, "map": "+. o. x  ..", "simulated": 3, "cells": 7}
    figure = plot.evidence_maps({"wait": one})
    (ax,) = figure.axes
    colours = [to_hex(patch.get_facecolor()).upper() for patch in ax.patches]
    white, grey = "#FFFFFF", "#BFBFBF"
    assert colours == ["#0072B2", white, "#56B4E9", white, "#D55E00", grey, white, white]
    assert [(patch.get_x(), patch.get_y()) for patch in ax.patches[3:5]] == [(2.5, -0.5), (-0.5, 0.5)]
    assert [one.get_text() for one in ax.get_xticklabels()] == ["1 to 2\n1 to 4", "2 to 4", "1 to 2\n4 to 9", "2 to 4"]
    assert [one.get_text() for one in ax.get_yticklabels()] == ["0.1 to 0.3", "0.3 to 0.8"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("trip [s], capacity", "load")
    assert ax.get_title("left") == "wait: 3 of 7 cells"
    with pytest.raises(ValueError, match=r"summaries = \{\} is out of range"):
        plot.evidence_maps({})


@pytest.mark.parametrize(("words", "message"), [
    (["--figure", "map.svg"], "--figure needs --store"),
    (["--store", "store", "--figure", "map.txt"], "suffix of --figure '.txt' is unknown"),
])  # fmt: skip
def test_pictures_that_are_refused(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.long
def test_the_command_shows_the_store(tmp_path, capsys):
    words = ["verify", "--law", "tcp.aimd_utilisation", "--quick", "--workers", "1", "--store", str(tmp_path / "store")]
    page = tmp_path / "page.html"
    for simulated in (2, 4):
        assert main([*words, "--html", str(page), "--figure", str(tmp_path / "map.svg")]) == 0
        out = capsys.readouterr().out
        assert f"tcp.aimd_utilisation: evidence exact in the weakest of {simulated} cells of 4" in out
        assert "    buffer: 0.05 to 0.111, 0.111 to 0.245, 0.245 to 0.542, 0.542 to 1.2\n" in out
    assert "    ++++\n" in out
    assert "cells of 4" in page.read_text()
    assert "tcp.aimd_utilisation: 4 of 4 cells" in (tmp_path / "map.svg").read_text()
    assert main([*words, "--json", "-"]) == 0
    stored = json.loads(capsys.readouterr().out)["store"]["tcp.aimd_utilisation"]
    assert (stored["simulated"], stored["evidence"]) == (4, "infinite")
