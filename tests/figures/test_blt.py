"""Figures and tables of the BLT paper: stored numbers by hand, and the page of tables against the scoreboard."""

import math
import re
from pathlib import Path as File

import numpy as np
import pytest

from figures.blt import networks, priorities, runs
from figures.blt import pictures as blt
from figures.blt.networks import SETS, Path
from figures.blt.table_1 import PRINTED
from figures.claims import Context
from longfat.laws import power
from longfat.sim import Network, Simulation
from tests.figures.published_checks import SCOREBOARD, rows_of

FOLDER = File(blt.__file__).parent


@pytest.fixture(scope="module")
def kept():
    return blt.PART.kept()


def test_no_greatest_power_is_above_the_bound(kept):
    """First-come service has the greatest power of all; a sweep's mean is at most its noise above it."""
    for name, one in kept["greatest"].items():
        for k, path in enumerate(SETS[name]):
            top = math.log10(power.first_come_ceiling(path.capacity, path.file, path.round_trip))
            assert (one.power_lower[:, k] <= top).all(), name


def test_response_times_of_figure_6(kept):
    """At load 0.1 the network is nearly empty: 116.88 ms without load, by hand in test_blt, plus a little waiting."""
    low = kept["sets"]["reference"].isel(load=0, bottleneck=0)
    assert 0.1168 < float(low.response_time.sel(label="BLT")) < 0.16
    # TCP: eight rounds at least
    assert float(low.response_time.sel(label="TCP")) > 0.24


def test_queues_of_figure_8(kept):
    """Both schemes fill the buffer of 75 packets, and the queue is never longer."""
    queue = kept["queues"].queue
    assert (queue.max("time") <= 75).all()
    assert (queue.max("time") > 60).all()


def test_outlook(kept):
    """With priorities interactive files take hardly more than a round trip; without, much more."""
    small = kept["interactive"].small_transfer_time.isel(bottleneck=0).sel(load=0.3)
    assert 0.0305 < float(small.sel(label="BLT")) < 0.045
    assert float(small.sel(label="TCP")) > 0.085  # three rounds of 1, 2, 1 packets: 90 ms, less what the first few do
    top = kept["buffers"].power.isel(bottleneck=0).sel(label="BLT")
    assert float(top.sel(buffers=4)) > float(top.sel(buffers=1)) + 0.1


SIZE = {"loads": (0.1, 0.6), "packets": 1e4, "round_trips": 12.0, "replications": 2}


def test_runs_of_a_scheme_do_not_depend_on_those_beside_it(monkeypatch):
    """The claims run one scheme at a time, the figures all: the same runs, number for number."""
    monkeypatch.setattr(blt, "SETS", {"10 kB": SETS["10 kB"]})
    beside = blt.sets(Context(1e5, 0))["10 kB"]
    alone = runs.powers(("BLT",), SETS["10 kB"], rng=0, **runs.sweep_size("BLT", "10 kB", small=True))
    np.testing.assert_array_equal(beside.power_samples.sel(label=["BLT"]), alone.power_samples)


def test_store(tmp_path):
    """A second call reads the runs from the store, and they are the same."""
    first = runs.powers(("BLT",), [Path(150, 150)], rng=1, store=tmp_path / "one", **SIZE)
    again = runs.powers(("BLT",), [Path(150, 150)], rng=1, store=tmp_path / "one", **SIZE)
    np.testing.assert_array_equal(first.power_samples, again.power_samples)
    assert (tmp_path / "one").is_dir()


# Scenarios and measures


def test_the_dumbbell():
    """Section 4.1: three equal links, D in all; buffers of BW_b D/3 in packets of 500 bytes, rounded down."""
    net = networks.dumbbell("BLT", Path(150, 30), 0.5)
    assert [(link.rate, link.delay) for link in net.route(net.flows[0])] == [
        (math.inf, 0.005), (3.75e6, 0.005), (18.75e6, 0.005),
    ]  # fmt: skip
    assert net.route(net.flows[0])[1].discipline.name == "priority-discard-published"
    assert net.flows[0].access_rate == 18.75e6
    assert net.flows[0].traffic.arrivals == pytest.approx(18.75)
    sizes = {(30, 0.03): 75, (90, 0.03): 225, (1000, 0.03): 2500, (30, 0.003): 7, (30, 0.0018): 4, (30, 1e-5): 1}
    assert {key: Path(150, *key).buffer_packets for key in sizes} == sizes
    assert Path(150, 30, buffers=4).buffer_packets == 300


def test_everybody_runs():
    """Every competitor completes a file."""
    for label in networks.COMPETITORS:
        run = Simulation(networks.dumbbell(label, Path(150, 150, 0.003), 0.05), rng=1)
        run.advance(1.0)
        assert int(run.state.row.connections) > 3, label
    assert isinstance(networks.dumbbell("TCP", Path(), 0.1), Network)


def test_greatest_has_no_bias():
    """Twenty loads with the same mean 0: the largest mean of three runs is near 1.1, the unbiased estimate near 0."""
    rng = np.random.default_rng(1)
    ours, naive = [], []
    for _ in range(400):
        samples = rng.normal(0, 1, (20, 3))
        ours.append(runs.greatest(samples)[0].value)
        naive.append(samples.mean(1).max())
    assert abs(np.mean(ours)) < 0.1  # standard error 0.6/20 = 0.03
    assert np.mean(naive) > 1.0


def test_files_until_the_last_is_complete():
    """Unloaded BLT: R is 30 ms and 202 packets of 4 us; throughput is lower than the arrivals because of the tail."""
    found = runs.finished("BLT", Path(1000, 1000), 0.01, 50, 1)
    assert found["response_time"] == pytest.approx(0.030808, rel=0.01)
    assert found["power"] == pytest.approx(found["throughput"] / found["response_time"])
    three = runs.printed("BLT", 1000, 0.5, connections=50, network=1000, rng=np.random.default_rng(1))
    each = [runs.finished("BLT", Path(1000, 1000), 0.5, 50, rng) for rng in [np.random.default_rng(1)]]
    assert three["throughput"] <= each[0]["throughput"]


# The page of tables and the scoreboard

SHOWN = SCOREBOARD[SCOREBOARD.paper == "000"].set_index("claim")
TABLES = rows_of((FOLDER / "blt_tables.md").read_text(encoding="utf-8"))
TABLE_1 = [row for row in TABLES if "BW_N" in row]
INCREASES = [row for row in TABLES if "increase, printed" in row]
GREATEST = {(row["network"], row["BW_b [Mbit/s]"]): row["BLT over TCP"] for row in TABLES if "BLT over TCP" in row}
LAST = "240 files, to the last"


def counted(reason):
    """Return the value counted as in the paper that a reason names, with its interval."""
    return re.findall(r"counted as in footnote 13 \(\d+ files a run\): (-?[\d.]+ \([\d. -]+\))", reason)


def is_rounded(cell, value):
    """Return whether the numbers of a cell are those of a value with more digits, rounded to two places."""
    numbers = [[float(one) for one in re.findall(r"-?[\d.]*\d", text)] for text in (cell, value)]
    return len(numbers[0]) == len(numbers[1]) and all(abs(a - b) < 0.00501 for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: " ".join([*row.values()][:3]))
def test_cells_of_table_1_are_those_of_the_scoreboard(row):
    label, ratio, network = row["scheme"], row["BW_b/BW_N"], row["BW_N"]
    shown = SHOWN.loc[f"table 1, {label}, BW_b/BW_N = {ratio}, BW_N = {network}: log10 of the greatest power"]
    assert shown.ours.startswith(f"{row['ours, steady state']}, upper bound {row['upper bound']}")
    assert all(is_rounded(row[LAST], found) for found in counted(shown.reason))
    assert row["printed"] in PRINTED[label, {"150 Mbit/s": "reference", "1 Gbit/s": "1 Gbit/s"}[network]]


@pytest.mark.parametrize("row", INCREASES, ids=lambda row: " ".join([*row.values()][:2]))
def test_increases_of_table_1_are_those_of_the_scoreboard(row):
    shown = SHOWN.loc[f"table 1, {row['scheme']}, BW_b/BW_N = {row['BW_b/BW_N']}: increase from 150 Mbit/s to 1 Gbit/s"]
    assert shown.ours.split()[0] == row["ours"]
    assert all(is_rounded(row[LAST], found.split()[0]) for found in counted(shown.reason))


def test_twelve_cells_and_six_increases_are_compared():
    assert (len(TABLE_1), len(INCREASES)) == (12, 6)


def test_ratios_are_those_of_the_scoreboard():
    """Column "BLT over TCP", and section 5.1, where every network is listed."""
    for bottleneck in ("30", "90", "150"):
        ours = SHOWN.ours[f"max power ratio BLT/TCP at BW_b={bottleneck}"]
        assert ours.split()[0] == GREATEST["reference", bottleneck]
    for part in SHOWN.ours["BLT outperforms TCP by approximately"].split("; "):
        name, _, ratios = part.partition(": ")
        listed = re.findall(r"([\d.]+) \(", ratios)
        assert listed == [GREATEST[name, f"{path.bottleneck:g}"] for path in SETS[name]], name


def test_fairness_is_that_of_the_scoreboard():
    indices = {(row["network"], row["BW_b [Mbit/s]"]): row for row in TABLES if "loads" in row}
    for claim, name, bottlenecks in (
        ("fairness: BLT better than TCP at BW_b=30 and 150 (esp. high load)", "reference", ("30", "150")),
        ("fairness: TCP better than BLT at BW_b=90", "reference", ("90",)),
        ("fairness at 1 Gbps: TCP comparable only at BW_b=200; BLT better as BW_b grows", "1 Gbit/s", ("600", "1000")),
    ):
        for bottleneck in bottlenecks:
            row = indices[name, bottleneck]
            assert SHOWN.ours[claim].startswith(f"loads {row['loads']}: ")
            assert f"BW_b {bottleneck}: BLT {row['BLT, published switch']}, TCP {row['TCP']}" in SHOWN.ours[claim]


def test_datagrams_lose_by_their_priority():
    """A file of 200 packets has the priorities 0 to 7: nothing is worse than 7, and nothing better than 0."""
    best, worst = (priorities.observe(0.5, one, np.random.default_rng(1), 100)["datagram_loss"] for one in (0, 7))
    assert best == 0
    assert worst > 0.1
