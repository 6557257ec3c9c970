"""The papers' figures at full scale, and the simulator compared with laws."""

import numpy as np
import pytest

from figures.gong_parulkar import pictures as gong_parulkar
from figures.gong_parulkar import receive_buffers
from figures.network_simulator import pictures as network_simulator


def test_figure_14(tmp_path, monkeypatch):
    """10^7 packets a point, as in the paper; the law lies within its accuracy where it is valid."""
    seen = []
    original = gong_parulkar.figure_14
    monkeypatch.setattr(gong_parulkar, "figure_14", lambda: seen.append(original()) or seen[0])
    gong_parulkar.PART.write(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix != ".csv") == [
        f"gong_parulkar_14.{kind}" for kind in ("png", "svg")
    ]
    data = seen[0]
    assert int(data.segments.min()) * data.attrs["segment_packets"] >= 1e7
    valid = data.sel(loss=[1e-4, 1e-3])  # w_a s p^2 = 3.7e-6 and 3.7e-4; 0.037 at p = 1e-2
    assert float(np.abs(valid.law_at_window - valid.throughput_efficiency).max()) < 0.03
    # The paper says that the analysis always lies above the simulation: as printed it lies far below.
    middle = data.sel(window=slice(26, 46))
    assert float((middle.printed_at_window - middle.throughput_efficiency_upper).max()) < 0
    assert float((middle.printed_at_window - middle.throughput_efficiency).min()) < -0.2


LONG = pytest.mark.long  # 10^7 packets at each of 84 points; tests/figures/test_data.py runs some of them again


@pytest.fixture(scope="module")
def buffers(tmp_path_factory):
    """Figures 17 to 19 at 10^7 packets a point, as in the paper; the stored ones have ten times as many."""
    folder = tmp_path_factory.mktemp("figures")
    data = receive_buffers.PART.write(folder, packets=1e7)["gong_parulkar_17_18_19"]
    pictures = [*(f"gong_parulkar_{n}" for n in (17, 18, 19)), "soft_acknowledgment"]
    expected = [f"{name}.{kind}" for name in pictures for kind in ("png", "svg")]
    assert sorted(p.name for p in folder.iterdir() if p.suffix != ".csv") == sorted(expected)
    assert int(data.segments.min()) * data.attrs["segment_packets"] >= 1e7
    return data


def _limits(data, experiment, name="throughput_efficiency"):
    """Lower and upper limits of a quantity under one experiment, by loss and buffer."""
    one = data.sel(experiment=experiment)
    return one[f"{name}_lower"], one[f"{name}_upper"]


@LONG
def test_figure_17(buffers):
    """Section 4.3.2: a window of 2.5 w_a gains over 70% at a buffer of 0.25 w_a, and gains everywhere."""
    assert buffers.receive_buffer.values.tolist() == [6, 12, 23, 58]  # 0.25, 0.5, 1.0, 2.5 times 23.08
    lower, upper = _limits(buffers, "hard")[0], _limits(buffers, "window = buffer")[1]
    assert float((lower - upper).sel(loss=1e-5, receive_buffer=6)) > 0.70
    assert bool((lower > upper).sel(receive_buffer=[6, 12, 23]).all())  # "for the whole range of loss probabilities"
    # The other interpretation gains nothing at 0.25 and 0.5 w_a.
    other = buffers.throughput_efficiency.sel(experiment="hard, asks when free", receive_buffer=[6, 12])
    equal = buffers.throughput_efficiency.sel(experiment="window = buffer", receive_buffer=[6, 12])
    assert float(np.abs(other - equal).max()) < 0.02


@LONG
def test_figure_18(buffers):
    """Section 4.3.3: soft acknowledgment falls far below hard, most at 0.5 w_a, until losses are heavy."""
    efficiency = buffers.throughput_efficiency
    hard, soft = efficiency.sel(experiment="hard"), efficiency.sel(experiment="soft")
    np.testing.assert_array_equal(hard.sel(receive_buffer=58), soft.sel(receive_buffer=58))
    gap = _limits(buffers, "hard")[0] - _limits(buffers, "soft")[1]
    rare = slice(0, 1e-3)
    assert float(gap.sel(loss=rare, receive_buffer=[6, 12]).min()) > 0.2
    lower, upper = _limits(buffers, "soft")
    falls = {
        (a, b): lower.sel(receive_buffer=a) - upper.sel(receive_buffer=b) for a, b in ((58, 23), (23, 12), (12, 6))
    }
    others = {pair: upper.sel(receive_buffer=pair[0]) - lower.sel(receive_buffer=pair[1]) for pair in falls}
    for pair in ((58, 23), (12, 6)):
        assert bool((falls[23, 12] > others[pair]).sel(loss=rare).all())
    assert float(np.abs(hard - soft).sel(loss=0.1).max()) < 0.05
    assert bool((gap.sel(loss=0.1, receive_buffer=[6, 12, 23]) > 0).all())  # still a little better
    # Not in the paper: at 1.0 w_a and losses of 1e-2 and 3e-2 soft is the better one, by 0.084 and 0.036.
    better = _limits(buffers, "soft")[0] - _limits(buffers, "hard")[1]
    assert bool((better.sel(receive_buffer=23, loss=[1e-2, 3e-2]) > 0.02).all())


@LONG
def test_figure_19(buffers):
    """Section 4.3.3: hard acknowledgment has the lower maximum delay up to 1e-2 and, unlike in the paper, at 0.1."""
    delay = buffers.max_delay
    hard, soft = delay.sel(experiment="hard"), delay.sel(experiment="soft")
    np.testing.assert_array_equal(hard.sel(receive_buffer=58), soft.sel(receive_buffer=58))
    gap = _limits(buffers, "soft", "max_delay")[0] - _limits(buffers, "hard", "max_delay")[1]
    assert bool((gap.sel(receive_buffer=[6, 12]) > 0).all())
    # At 1.0 w_a some intervals overlap; the means are in the same order everywhere.
    assert bool((soft > hard).sel(receive_buffer=23).all())


def test_one_loss():
    """One loss: hard acknowledgment recovers in two rounds, soft acknowledgment never does."""
    hard, soft = receive_buffers.one_loss("hard"), receive_buffers.one_loss("soft")
    # Segment 0 is repeated at 25, after an answer at 24.1: of 24 segments sent meanwhile 11 find room, 13 do not. The
    # first of these, 12, is repeated when one more packet and segments up to 36 have gone: 12 more without room.
    assert int((hard.verdict == "discarded").sum()) == 25
    assert not bool((hard.start[hard.verdict == "discarded"] > 37).any())
    assert int((~hard["first"]).sum()) == 26  # those, and the lost packet
    late = soft.isel(group=np.flatnonzero(soft.start > 113))
    steps = np.flatnonzero(np.diff(late.edge.values))
    assert len(steps) > 15
    np.testing.assert_array_equal(np.diff(late.edge.values)[steps], 12)
    np.testing.assert_array_equal(np.diff(late.end.values[steps + 1]), 25.0)
    cycle = late.isel(group=slice(int(steps[0]) + 2, int(steps[1]) + 2))
    assert cycle["first"].values.tolist() == [True] * 12 + [False] * 13
    assert set(cycle.verdict.values[:12]) == {"kept"}
    assert set(cycle.verdict.values[12:]) == {"replaced"}
    np.testing.assert_array_equal(np.diff(cycle.segment.values[12:]), -1)


@pytest.mark.long
def test_network_simulator(tmp_path, monkeypatch):
    """Three points of each panel agree with the laws: waiting times and utilisation within 2 %, windows within 15 %."""
    monkeypatch.setattr(network_simulator, "LOADS", (0.3, 0.6))
    monkeypatch.setattr(network_simulator, "BUFFERS", (0.1, 0.5, 1.0))
    monkeypatch.setattr(network_simulator, "LOSSES", (1e-3, 1e-2))
    found = network_simulator.PART.write(tmp_path, replications=4)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "network_simulator.png", "network_simulator.svg", *(f"network_simulator_{name}.csv" for name in sorted(found))
    ]  # fmt: skip
    for values in found["utilisation"].utilisation.values:
        # 0.75 (1 + b)^2/(1 + b + b^2) = 0.9075/1.11, 1.6875/1.75, 3/3
        np.testing.assert_allclose(values, [0.9075 / 1.11, 1.6875 / 1.75, 1.0], rtol=0.02)
    # sqrt(3/(2 p)) = 38.73 and 12.25
    np.testing.assert_allclose(found["windows"]["window"].values.T, [[38.73, 12.25]] * 3, rtol=0.15)
    # Wait r/(2 (1 - r)) = 0.2143 and 0.75; without the 2 for exponential sizes
    waits = found["waiting_times"]["wait"].values
    np.testing.assert_allclose(waits, [[0.2143, 0.4286], [0.75, 1.5]], rtol=0.03)
