"""The stored numbers are those that the code gives: some points here, all of them in the long tests."""

from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
import pytest

from figures import blt, blt_drawing, cadpc, data, gallery, gong_parulkar, loss_load, network_simulator, receive_buffers
from figures.writing import HERE, figure_files
from longfat import plot
from longfat.verify.published import blt_measured, blt_runs, cadpc_runs, loss_load_runs
from longfat.verify.published.blt_scenarios import SETS
from tests import pictures


def test_every_picture_has_words_and_every_part_numbers():
    assert set(gallery.pictures()) == {path.stem for path in HERE.glob("*.png")}
    assert [part for part, names in gallery.numbers(HERE).items() if not names] == ["explore"]  # a picture of a page


def test_the_gallery_is_what_the_code_gives():
    assert (HERE / "README.md").read_text() == gallery.text(HERE)


def test_a_changed_number_is_noticed(tmp_path):
    """`compare` finds a difference of more than 1e-6 and a missing row."""
    found = loss_load.figure_2()
    with figure_files(tmp_path) as files:
        data.write(files, "one", found, "figures.loss_load")
    assert data.compare(found, "one", tmp_path) == 2 * 501
    assert data.compare(found * (1 + 1e-8), "one", tmp_path) == 2 * 501
    with pytest.raises(ValueError, match=r"one\.csv: raw_throughput is .* at rate = 0\.5, where .* is stored"):
        data.compare(found.assign(raw_throughput=found.raw_throughput.where(found.rate != 0.5, 0.4)), "one", tmp_path)
    with pytest.raises(ValueError, match=r"one\.csv: no row with rate = 1\.002"):
        data.compare(found.assign_coords(rate=found.rate + 0.5), "one", tmp_path)


# Some points of each: those whose random numbers do not depend on the others, and that cost little.


def test_gong_and_parulkar():
    assert data.compare(gong_parulkar.figure_14(), "gong_parulkar_14", HERE) > 1000


def test_receive_buffers(monkeypatch):
    for ack in ("hard", "soft"):
        assert data.compare(receive_buffers.one_loss(ack), f"soft_acknowledgment_{ack}", HERE) > 1000
    monkeypatch.setattr(receive_buffers, "LOSSES", receive_buffers.LOSSES[:1])
    assert data.compare(receive_buffers.figures_17_to_19(), "gong_parulkar_17_18_19", HERE) > 100


def test_loss_load():
    assert data.compare(loss_load.figure_2(), "loss_load_2", HERE) == 2 * 501
    stored = data.read(HERE / "loss_load_5.csv").set_index(["k", "point"])
    time, loss = loss_load.law_0(stored.index.get_level_values("k").to_numpy(float), stored.v.to_numpy())
    np.testing.assert_allclose(stored.law_transfer_time, time, rtol=1e-8)
    np.testing.assert_allclose(stored.law_loss, loss, rtol=1e-8, atol=1e-8)
    ours = loss_load_runs.two_sources(20, 0.5, loss_load.PLAIN, replications=10, rng=5)
    for name, one in ours.items():
        np.testing.assert_allclose(stored.loc[(20, 0)][[name, f"{name}_lower", f"{name}_upper"]], one, rtol=1e-6)


def test_cadpc():
    found = {("CADPC", 1): cadpc_runs.measured("CADPC", 50, cadpc.scenarios.MBIT, replications=3, rng=3)}
    some = cadpc._gathered(found, {"scheme": ["CADPC"], "bottleneck": [1]})
    assert data.compare(some, "cadpc_3", HERE) == 24
    assert data.compare(cadpc.figure_1(mbits=(10,)), "cadpc_1", HERE) == 2 * 161 * 10


def test_blt():
    """The first load of the reference network's slowest bottleneck, in runs of the scoreboard's size."""
    size = blt_measured.sweep_size("BLT", "reference")
    some = blt_runs.powers(("BLT",), SETS["reference"][:1], rng=0, **(size | {"loads": size["loads"][:1]}))
    assert data.compare(some, "blt_sets_reference", HERE) == 31  # ten quantities with their limits, and how many runs
    assert data.compare(blt.queues(), "blt_queues", HERE) > 1000


def test_network_simulator(monkeypatch):
    monkeypatch.setattr(network_simulator, "LOADS", network_simulator.LOADS[:2])
    monkeypatch.setattr(network_simulator, "BUFFERS", network_simulator.BUFFERS[:1])
    monkeypatch.setattr(network_simulator, "LOSSES", network_simulator.LOSSES[-1:])
    found = network_simulator.simulate()
    assert data.compare(found["waiting_times"], "network_simulator_waiting_times", HERE) == 16
    assert data.compare(found["utilisation"], "network_simulator_utilisation", HERE) == 3


@pytest.mark.long
@pytest.mark.parametrize("part", [part for part in gallery.PARTS if part != "explore"])
def test_all_of_it(part, tmp_path):
    """As `make figures` does."""
    module = __import__(f"figures.{part}", fromlist=["write"])
    module.write(tmp_path)
    stored = gallery.numbers(HERE)[part]
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == stored
    for name in stored:
        ours, theirs = (data.read(folder / name) for folder in (tmp_path, HERE))
        assert list(ours) == list(theirs)
        for column in ours:
            if ours[column].dtype.kind in "fiub":
                np.testing.assert_allclose(
                    ours[column], theirs[column], rtol=1e-6, atol=1e-12, err_msg=f"{name} {column}"
                )
            else:
                assert list(ours[column]) == list(theirs[column])


# Pictures, drawn from the stored numbers


#: Colours that a title, a note or a label explains: the marks of the loss-load curve, lines of ten flows, edges.
EXPLAINED = {
    "loss_load_2": ["C0", "0.6"], "loss_load_5": ["0.6"], "cadpc_snmp": ["0.7"],
    "cadpc_2": ["0.5", *(str(0.1 + 0.07 * k) for k in range(10))],
}  # fmt: skip


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.long if part not in ("gong_parulkar", "scoreboard") else ())
        for part in gallery.PARTS
        if part != "explore"
    ],
)
def test_stored_pictures(part, tmp_path, monkeypatch):
    """Stored pictures are what the code draws from the stored numbers, and no text overlaps anything."""
    module, wrong = import_module(f"figures.{part}"), []

    def save(files, figure, name):
        for kind in ("svg", "png"):  # as `writing.save` does: each layout moves things a little
            figure.savefig(tmp_path / f"{name}.{kind}")
        found = pictures.overlaps(figure) + pictures.covered(figure)
        found += pictures.unexplained(figure, EXPLAINED.get(name, ()))
        ours, theirs = (plt.imread(folder / f"{name}.png") for folder in (tmp_path, HERE))
        if ours.shape != theirs.shape or np.abs(ours - theirs).mean() > 1e-3:  # a letter less is more
            found.append("another picture than the stored one")
        wrong.extend(f"{name}: {one}" for one in found)
        plt.close(figure)

    monkeypatch.setattr("figures.writing.save", save)  # for those that draw by `writing.panels`
    monkeypatch.setattr(module, "save", save, raising=False)
    module.redraw(tmp_path / "new")
    assert wrong == []
    assert {path.stem for path in tmp_path.glob("*.png")} == set(module.CAPTIONS)


def test_what_collided():
    """The checks find overlapping tick labels and contour labels, as in earlier versions."""
    kept = blt.kept()
    with plot.style():
        axes = plt.subplots(1, 2, figsize=(10, 4.4))[1]
        blt_drawing.draw_28_29(kept["tyrant"], axes)
        assert pictures.overlaps(axes[0].figure) == []
        ends = [line[:, 1] for one in axes[1].containers for line in one[2][0].get_segments() if len(line)]
        assert 0 <= np.nanmin(ends) <= np.nanmax(ends) == 1
        figure, ax = plt.subplots(figsize=(8, 6.6))
        blt_drawing.draw_14(kept["plane"], kept["greatest"], ax)
        assert pictures.overlaps(figure) == []
        assert pictures.unexplained(figure) == []
    plt.close("all")
