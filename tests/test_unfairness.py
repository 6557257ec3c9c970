"""Two flows whose round trips differ at one bottleneck: what docs/data/fairness.csv has of packets, and of the laws."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import longfat as lf
from longfat.laws import tcp
from longfat.replication.intervals import half_width
from longfat.verify.flow_estimators import round_trip_unfairness

TABLE = (Path(__file__).parents[1] / "docs" / "data" / "fairness.csv").read_text()


def goodputs(scheme, discipline, rate, trip, buffer, ratio, rng, span):
    """Return the goodputs of the flow with the short path and of the other one, and the mean queueing delay [s]."""
    rng, packet = np.random.default_rng(rng), 1500
    room = 2000 if discipline == "fq-codel" else int(buffer * rate * trip / packet + 0.49)
    net = lf.sim.Network().link("a", "b", rate=rate, delay=trip / 2, buffer=room, discipline=discipline)
    net.link("b", "a", rate=math.inf, delay=trip / 2)
    for node, longer in ("near", 0.0), ("far", (ratio - 1) * trip):
        net.link(node, "a", rate=math.inf, delay=longer / 2).link("a", node, rate=math.inf, delay=longer / 2)
        start = float(rng.uniform(0, 1))
        net.flow(scheme, path=[node, "a", "b"], packet=packet, start=start, send_jitter=packet / rate)
    run = lf.sim.run(net, duration=100 + span, warm_up=100, rng=rng, progress=False)
    return *run.goodput.values.tolist(), float(run.mean_queue.sel(link="a-b")) * packet / rate


def rows():
    """Return the settings of the table, each with mean, low and high for every ratio of paths, after r if given."""
    found = {}
    for discipline, buffer, scheme, rate, trip, _, *numbers in [*csv.reader(TABLE.splitlines())][1:]:
        setting = scheme, discipline, float(rate) * 1e6 / 8, float(trip) / 1e3, buffer
        found.setdefault(setting, []).append([number for number in numbers if number])
    return [*found.items()]


def test_table_has_every_row():
    assert len(rows()) == 8
    assert all(len(cells) == 3 and len(cell) in (3, 4) for _, cells in rows() for cell in cells)


def test_distance_of_the_table_from_the_law():
    """Within 4 % of s = 1 in the first row but its last cell, within 4 % of s = 0 in the second, by hand r^(1/4), r."""
    (_, first), (_, second), *_ = rows()
    # r = 1.76 and 3.32 (fourth roots 1.152 and 1.350), of which the table has one decimal
    for printed, fourth_root in zip(first, (1.152, 1.350), strict=False):
        assert float(printed[1]) == pytest.approx(fourth_root, rel=0.04)
    assert float(first[2][1]) == pytest.approx(1.44 * float(tcp.round_trip_unfairness(6.45, 1)), rel=0.01)
    for printed, r in zip(second, (1.23, 1.71, 2.66), strict=True):
        assert f"{r:.1f}" == printed[0]
        assert float(printed[1]) == pytest.approx(r, rel=0.04)


@pytest.mark.long
@pytest.mark.parametrize("row", range(8))
def test_table_agrees_with_new_simulations(row):
    setting, cells = rows()[row]
    *_, trip, buffer = setting
    for ratio, printed in zip((2, 4, 8), cells, strict=True):
        span = 300 if trip > 0.02 else 200
        runs = [goodputs(*setting[:4], float(buffer or 0), ratio, 100 + k, span) for k in range(5)]
        logs = np.array([math.log(near / far) for near, far, _ in runs])
        mean, half = logs.mean(), float(half_width(logs, 0.95))
        low, high = map(float, printed[-2:])
        assert math.exp(mean - half) <= high + 0.005
        assert math.exp(mean + half) >= low - 0.005
        wait = np.mean([wait for *_, wait in runs])
        if len(printed) == 4:
            assert (ratio * trip + wait) / (trip + wait) == pytest.approx(float(printed[0]), abs=0.1)


@pytest.mark.parametrize("scheme", ["cubic", "sack"])
def test_a_queue_for_each_flow_makes_equal_rates(scheme):
    """With room for four products of the short path; in one drop-tail queue the long flow has less than half."""
    near, far, _ = goodputs(scheme, "fair", 12.5e6, 0.02, 4.0, 4, 1, 50)
    assert near / far == pytest.approx(1, abs=0.02)
    near, far, _ = goodputs(scheme, "fifo", 12.5e6, 0.02, 0.5, 4, 1, 50)
    assert near / far > 1.5


def test_simulator_of_the_law_with_reno():
    """Powers 1 and 1, losses in step: 4^2, in the fluid limit; packets and a round trip of recovery leave 6 %."""
    value, _ = round_trip_unfairness(1, round_trip_ratio=4.0, loss_power=0.0, time_power=1.0, round_trip_power=1.0)
    assert value == pytest.approx(16.0, rel=0.06)


def test_simulator_of_the_law_knows_two_schemes():
    with pytest.raises(ValueError, match="round_trip_power"):
        round_trip_unfairness(1, round_trip_ratio=2.0, loss_power=0.0, time_power=3.0, round_trip_power=1.0)
