"""The stored numbers are those that the code gives: some points here, all of them in the long tests."""

from dataclasses import astuple
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from docs import slow_links, slow_start
from figures import data, gallery
from figures.blt import drawing as blt_drawing
from figures.blt import further as blt_further
from figures.blt import pictures as blt
from figures.blt import runs as blt_runs
from figures.blt import today as blt_today
from figures.blt.networks import SETS
from figures.cadpc import further as cadpc_further
from figures.cadpc import pictures as cadpc
from figures.cadpc import runs as cadpc_runs
from figures.gong_parulkar import pictures as gong_parulkar
from figures.gong_parulkar import receive_buffers, sstp
from figures.kkm import other_schemes
from figures.loss_load import pictures as loss_load
from figures.loss_load import runs as loss_load_runs
from figures.network_simulator import credits
from figures.network_simulator import pictures as network_simulator
from figures.today import courses
from figures.today import pictures as today
from figures.writing import HERE, figure_files
from longfat import plot
from longfat.benchmark import tables
from tests.figures import pictures


def test_every_picture_has_words_and_every_part_numbers():
    assert set(gallery.pictures()) == {
        path.relative_to(HERE).with_suffix("").as_posix() for path in HERE.rglob("*.png")
    }
    without = [part for part, names in gallery.numbers(HERE).items() if not names]
    assert without == ["explore", "kkm.topologies", "kkm.other_schemes"]  # a page, drawings, and tables


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
    found = gong_parulkar.figure_14()
    assert int(found.segments.min()) * found.attrs["segment_packets"] >= 1e7  # packets a point, as in the paper
    assert data.compare(found, "gong_parulkar_14") > 1000


def test_receive_buffers(monkeypatch):
    for ack in ("hard", "soft"):
        assert data.compare(receive_buffers.one_loss(ack), f"soft_acknowledgment_{ack}") > 1000
    monkeypatch.setattr(receive_buffers, "LOSSES", receive_buffers.LOSSES[:1])
    assert data.compare(receive_buffers.figures_17_to_19(), "gong_parulkar_17_18_19") > 100


def test_loss_load():
    assert data.compare(loss_load.figure_2(), "loss_load_2") == 2 * 501
    stored = data.read(HERE / "loss_load" / "loss_load_5.csv").set_index(["k", "point"])
    time, loss = loss_load.law_0(stored.index.get_level_values("k").to_numpy(float), stored.v.to_numpy())
    np.testing.assert_allclose(stored.law_transfer_time, time, rtol=1e-8)
    np.testing.assert_allclose(stored.law_loss, loss, rtol=1e-8, atol=1e-8)
    ours = loss_load_runs.two_sources(20, 0.5, loss_load.PLAIN, replications=10, rng=5)
    for name, one in ours.items():
        np.testing.assert_allclose(
            stored.loc[(20, 0)][[name, f"{name}_lower", f"{name}_upper"]], astuple(one), rtol=1e-6
        )


def test_cadpc():
    found = {("CADPC", 1): cadpc_runs.measured("CADPC", 50, cadpc.MBIT, replications=3, rng=3)}
    some = cadpc._gathered(found, {"scheme": ["CADPC"], "bottleneck": [1]})
    assert data.compare(some, "cadpc_3") == 24
    assert data.compare(cadpc.figure_1(mbits=(10,)), "cadpc_1") == 2 * 161 * 10


def test_blt():
    """The first load of the reference network's slowest bottleneck, in runs of the scoreboard's size."""
    size = blt_runs.sweep_size("BLT", "reference")
    some = blt_runs.powers(("BLT",), SETS["reference"][:1], rng=0, **(size | {"loads": size["loads"][:1]}))
    assert data.compare(some, "blt_sets_reference") == 31  # ten quantities with their limits, and how many runs
    assert data.compare(blt.queues(), "blt_queues") > 1000


def test_network_simulator(monkeypatch):
    monkeypatch.setattr(network_simulator, "LOADS", network_simulator.LOADS[:1])
    monkeypatch.setattr(network_simulator, "BUFFERS", network_simulator.BUFFERS[:1])
    monkeypatch.setattr(network_simulator, "LOSSES", network_simulator.LOSSES[-1:])
    found = network_simulator.simulate()
    assert data.compare(found["waiting_times"], "network_simulator_waiting_times") == 8
    assert data.compare(found["utilisation"], "network_simulator_utilisation") == 3


def test_page_of_blt_today():
    assert blt_today.text(blt_today.PART.kept()["blt_today"]) == (HERE / "blt" / "blt_today.md").read_text()


def test_page_of_blt_further():
    assert (
        blt_further.text(data.dataset("blt_further", ("variant", "label")))
        == (HERE / "blt" / "blt_further.md").read_text()
    )


@pytest.mark.long
def test_blt_further(monkeypatch):
    kept = {name: blt_further.VARIANTS[name] for name in ("one", "abusive")}
    monkeypatch.setattr(blt_further, "VARIANTS", kept)
    assert data.compare(blt_further.simulate()["blt_further"], "blt_further") > 0


def test_credits():
    """The bound holds for every packet of random traffic, and a fixed allocation has the utilisation of the law."""
    found = credits.PART.kept()
    above = found["delay_bound_random"].sel(level=slice(1.0, None), kind=[0, 1]).above_upper
    assert float(above.max()) == 0.0
    for k, buffer in enumerate(credits.BUFFERS):
        share = float(found["credits"].utilisation[0, k])
        assert share == pytest.approx(credits.sum_of_shares(buffer), abs=0.015)
    assert float(found["credits"].loss[:2].max()) == 0.0


def test_cadpc_further():
    """By hand: link 2 has the weights 1 + 2 + 4 + 8, so that each is 1/16; link 1 then has 9/16 for weight 3 + 1."""
    law = [1 / 16, 2 / 16, 4 / 16, 3 / 4 * 9 / 16, 8 / 16, 5 / 6 * 9 / 16]
    found = cadpc_further.PART.kept()
    np.testing.assert_allclose(cadpc_further.weighted_rates(), law, rtol=1e-12)
    np.testing.assert_allclose(found["broker"].rate, law, rtol=0.02)
    np.testing.assert_allclose(found["target"].utilisation, 10 / 11 * np.array(cadpc_further.TARGETS), rtol=0.002)
    assert float(found["noise"].utilisation.sel(loss=0.01)) == pytest.approx(10 / 11, rel=0.002)
    np.testing.assert_allclose(found["bounded"].friendly, 1, atol=0.1)
    # A bottleneck that nobody tells of is filled with 10/11 of twice its capacity.
    np.testing.assert_allclose(found["hidden"].utilisation, [10 / 11, 10 / 11, 1], rtol=0.001)
    np.testing.assert_allclose(found["hidden"].loss, [0, 0, 1 - 11 / 20], atol=0.005)


def test_streams_of_tcp_and_blt():
    """Slow start begins window k after k round trips of 30.06 ms; BLT sends a packet each 26.7 us."""
    found = blt.streams()
    assert data.compare(found, "blt_concepts") > 0
    first = [2**k - 1 for k in range(7)]
    np.testing.assert_allclose(found.departure.sel(scheme="TCP")[first], 0.03006 * np.arange(7), rtol=0.01, atol=1e-4)
    expected = np.arange(127) * 500 / 18.75e6
    np.testing.assert_allclose(np.diff(found.departure.sel(scheme="BLT")), np.diff(expected), rtol=1e-4)


@pytest.mark.long
def test_cadpc_further_again():
    for name, one in cadpc_further.simulate().items():
        assert data.compare(one, f"cadpc_further_{name}") > 0


@pytest.mark.long
def test_credits_again():
    for name, one in credits.simulate().items():
        assert data.compare(one, name) > 0


@pytest.mark.long
def test_blt_today(monkeypatch):
    monkeypatch.setattr(blt_today, "PATHS", {"transatlantic": blt_today.PATHS["transatlantic"]})
    monkeypatch.setattr(blt_today, "SIZES", (1e5,))
    monkeypatch.setattr(blt_today, "FASTER", (10.0,))
    assert data.compare(blt_today.greatest(), "blt_today") > 0


@pytest.mark.parametrize(
    ("picture", "first"),
    [
        pytest.param("today_buffer", {"scheme": 1, "buffer": 1}, marks=pytest.mark.long),
        ("today_delay", {"queue": 2}),
        pytest.param("today_fairness", {"pair": 1, "ratio": 2}, marks=pytest.mark.long),
        pytest.param("today_power", {"label": 3, "load": 1}, marks=pytest.mark.long),
    ],
)
def test_today(picture, first):
    assert data.compare(today.sweep(picture, **first), picture) > 0


@pytest.mark.parametrize(
    "page",
    [pytest.param(one, marks=[] if one == "today_tables" else pytest.mark.long) for one in other_schemes.SCHEMES],
)
def test_tables_of_other_schemes(page):
    """The table of experiment 3 is the stored one."""
    stored = (HERE / "kkm" / f"{page}.md").read_text()
    assert tables.to_markdown(tables.tables(other_schemes.experiments(page, ["3"]))).strip() in stored


def test_what_the_pictures_of_today_show():
    """Stored numbers against hand arithmetic and the targets of the RFCs."""
    kept = today.PART.kept()
    alone, delay, shares, power = (kept[f"today_{name}"] for name in ("buffer", "delay", "fairness", "power"))
    # Halving: 0.75 (1 + b)^2/(1 + b + b^2). CUBIC: 1 from b = 0.3/0.7 on; at 0.1, with D = 0.33 and x = 0.303,
    # 1 - D/4 (1 - 4 x + 3 x^(4/3)) = 0.967
    b = alone.buffer.values
    np.testing.assert_allclose(alone.utilisation.sel(scheme="sack"), 0.75 * (1 + b) ** 2 / (1 + b + b * b), atol=0.006)
    np.testing.assert_allclose(
        alone.utilisation.sel(scheme="cubic", buffer=[0.1, 0.45, 1.0]), [0.967, 1, 1], atol=0.003
    )
    # 400 packets at 50 Mbit/s are 96 ms; targets: 5 ms (RFC 8289), 15 ms (RFC 8033, RFC 9332), 1 ms (L4S)
    middle = delay.percentile_50
    assert 0.8 * 96 < middle.sel(queue="FIFO") < 96
    assert 2.5 < middle.sel(queue="CoDel") < 10
    np.testing.assert_allclose(middle.sel(queue=["PIE", "DualPI2, Classic"]), 15, rtol=0.1)
    assert middle.sel(queue="DualPI2, L4S") < 1
    # Under FQ-CoDel shares differ by less than a factor of 2, but for CUBIC with 320 ms; under drop-tail Reno's as
    # squares of round trips
    ratio = 2**shares.log_ratio
    fair = ratio.sel(sharing="fq-codel")
    assert float(fair.drop_sel(pair="cubic").max()) < 2
    assert float(fair.sel(pair="cubic", ratio=slice(8)).max()) < 2
    # 2.1 was seen, where the timer of ns-2 expires in vain; Linux's does not.
    assert float(fair.sel(pair="cubic", ratio=16)) > float(fair.sel(pair="cubic, timer of Linux", ratio=16))
    assert float(ratio.sel(sharing="fifo", pair="sack", ratio=16)) > 8.5**2
    # No power is above capacity over the unloaded time, 100 kB at 3.75 MB/s and 30 ms
    assert float(power.power_upper.max()) < 3.75e6 / (0.1 / 3.75 + 0.03)


def test_courses():
    """The stored courses are those of the code; the events of 61 simulated seconds."""
    assert data.compare(courses.cubic(), "courses_cubic") > 300
    assert data.compare(courses.bbr(), "courses_bbr") > 5000


def test_sstp():
    assert data.compare(sstp.receivers(), "sstp_receivers") > 700


@pytest.mark.long
def test_sstp_beside_others(monkeypatch):
    monkeypatch.setattr(sstp, "BOOKED", sstp.BOOKED[-1:])
    assert data.compare(sstp.booked(), "sstp_booked") == 3 * 6


def test_what_the_pictures_of_sstp_show():
    """Stored numbers against hand arithmetic."""
    kept = sstp.PART.kept()
    # From 0.5 s on one segment is accepted in 40 ms: 35 between 1 and 2.4 s. A window of 16 waits at the receiver, or
    # one of floor(16 * 16/40) = 6; the sender knows of both 53 ms later, one or two segments.
    seen = kept["sstp_receivers"].sel(time=[1.0, 2.4], method="nearest")
    np.testing.assert_allclose(seen.accepted.diff("time"), 35, atol=1)
    waiting = (seen.granted - seen.accepted).isel(time=1)
    assert (waiting - [16, 6]).min() >= -2
    assert (waiting - [16, 6]).max() <= 0
    # A link with loss-load curves leaves the sender without rate control what the others leave, and these what they
    # negotiated, as far as that fits. By the law it gets 1 - 0.76 = 0.24 of the capacity. Drop-tail does not.
    shares = kept["sstp_sharing"].sel(window=slice(4, None))
    np.testing.assert_allclose(shares.free_goodput.sel(link="loss-load"), 0.24, atol=0.01)
    assert (shares.controlled_goodput.sel(link="loss-load") > 0.97 * 0.19).all()
    assert shares.controlled_goodput.sel(link="drop-tail", window=128) < 0.5 * 0.19
    # Fair queueing gives it a fifth, or what is left if that is more.
    booked = kept["sstp_booked"].free.sel(link="fair queueing")
    left = np.maximum(0.2, 1 - booked.negotiated)
    np.testing.assert_allclose(booked / left, 0.95, atol=0.05)


def test_what_the_pictures_of_cadpc_and_loss_load_show():
    """Stored numbers that only long runs make again, against hand arithmetic."""
    kept = cadpc.PART.kept()
    # Of ten flows each has 1/11, also with counters of SNMP, and 0.5/11 beside a load of one half. In the parking lot
    # the long flow and three others have 1/5, and the one on the other link 2/5.
    last = kept["2"].staggered.sel(time_staggered=slice(280, None)).mean("time_staggered")
    np.testing.assert_allclose(last, 1.25e6 / 11, rtol=0.02)
    np.testing.assert_allclose(kept["snmp"].throughput.sel(clock="time of the refresh"), 10 / 11, rtol=0.005)
    path = kept["changes"].path_change.mean("flow_path_change")
    for begin, end, share in ((40, 58, 1 / 11), (100, 109, 0.5 / 11), (190, 210, 1 / 11)):
        assert float(path.sel(time_path_change=slice(begin, end)).mean()) == pytest.approx(share, rel=0.05)
    lot = kept["changes"].parking_lot.sel(time_parking_lot=slice(120, None)).mean("time_parking_lot")
    np.testing.assert_allclose(lot, [0.2, 0.2, 0.2, 0.2, 0.4], rtol=0.02)
    # Two files of 16 Mbit share 40 Mbit/s; at v = 0.5 the line carries (k + 1)/(2 k).
    kept = loss_load.PART.kept()
    first = kept["5"].isel(point=0)
    np.testing.assert_allclose(first.transfer_time, 1.6 * first.k / (first.k + 1), rtol=0.02)
    nearest = kept["8"].transfer_time.sel(interpretation="nearest")
    assert float(nearest.sel(k=2, v=0.5)) == pytest.approx(2.656, rel=0.1)  # printed


def test_tables_of_the_documentation():
    """Rows of the tables that modules of docs/ simulate, where delayed acknowledgments and recoveries matter."""
    assert slow_links.rows(1, "codel", 4) in slow_links.TABLE.read_text(encoding="utf-8")
    time, law, lost = slow_start.transfer("first loss", 10e6, 1, 0.05)
    row = f"10,1,50,first loss,{time:.3f},{law:.3f},{lost}\n"
    assert row in slow_start.TABLE.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("part", [part for part in gallery.PARTS if part != "explore"])
def test_all_of_it(part, tmp_path):
    """As `make figures` does; Linux itself, which runs in real time, is not run again."""
    gallery.module(part).PART.write(tmp_path, **({"here": True} if part == "linux" else {}))
    stored = gallery.numbers(HERE)[part]
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == [Path(name).name for name in stored]
    for name in stored:
        ours, theirs = data.read(tmp_path / Path(name).name), data.read(HERE / name)
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
    "loss_load_2": ["C0", "0.6"], "loss_load_5": ["0.6"], "loss_load_shaping": ["0.6"], "cadpc_snmp": ["0.7"],
    "cadpc_2": ["0.5", *(str(0.1 + 0.07 * k) for k in range(10))],
}  # fmt: skip


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.long if part != "scoreboard" else ())
        for part in gallery.PARTS
        if part != "explore"
    ],
)
def test_stored_pictures(part, tmp_path, monkeypatch):
    """Stored pictures are what the code draws from the stored numbers, and no text overlaps anything."""
    module, stored, wrong = gallery.module(part), HERE / gallery.folder(part), []

    def save(files, figure, name):
        for kind in ("svg", "png"):  # as `writing.save` does: each layout moves things a little
            figure.savefig(tmp_path / f"{name}.{kind}")
        found = pictures.overlaps(figure) + pictures.covered(figure)
        found += pictures.unexplained(figure, EXPLAINED.get(name, ()))
        ours, theirs = (plt.imread(folder / f"{name}.png") for folder in (tmp_path, stored))
        if ours.shape != theirs.shape or np.abs(ours - theirs).mean() > 1e-3:  # a letter less is more
            found.append("another picture than the stored one")
        wrong.extend(f"{name}: {one}" for one in found)
        plt.close(figure)

    monkeypatch.setattr("figures.writing.save", save)
    module.PART.redraw(tmp_path / "new")
    assert wrong == []
    assert {path.stem for path in tmp_path.glob("*.png")} == set(module.PICTURES)


@pytest.mark.long  # as test_stored_pictures of this part
def test_overlaps_of_earlier_versions_are_found():
    """The checks find overlapping tick labels and contour labels, as in earlier versions."""
    kept = blt.PART.kept()
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
