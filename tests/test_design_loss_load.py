"""k and v for a ceiling on loss: the rule of the choice, the schedule in equilibrium, refusals, and the picture."""

import numpy as np
import pytest
import xarray as xr

from longfat import design, plot
from longfat.design.loss_load_curves import Transfers, in_equilibrium
from longfat.design.replicating import Effort

PATH = {"rate": "40Mbit/s", "round_trip_time": "4ms", "packet": "500B"}
SMALL = {**PATH, "sources": 2, "file": "2MB", "k": [2, 10], "points": 3, "replications": 3}


@pytest.fixture(scope="module")
def answer():
    return design.loss_load(loss="5%", stagger=0, progress=False, **SMALL)


def transfers(**changes):
    given = {"rate": 5e6, "round_trip_time": 0.0, "sources": 2, "file": 1e6, "packet": 500, "stagger": 0.0}
    return Transfers(**{**given, "buffer": None, **changes})


def test_the_schedule_by_hand():
    """Transfer times of two files of 1 MB on a link of 5 MB/s, which carries one of them in 0.2 s.

    If both start at once, both end at 0.4 s. If the second starts 0.1 s later, the first has sent half of its file by
    then; both then have half of the rate, so that the first ends at 0.3 s. The second has 0.5 MB left, sends them in
    0.1 s and ends at 0.4 s, 0.3 s after its start.
    """
    assert in_equilibrium(transfers(), 2, 2 / 3) == pytest.approx(0.4)
    assert in_equilibrium(transfers(stagger=0.1), 2, 1.0) == pytest.approx(0.3)
    # v = 1/2, k = 1: load (k + 1) v/k = 1 for two, half the link for one alone.
    # Until 0.1 s 0.25 MB; then 0.75 MB at 2.5 MB/s: 0.4 s; of the second 0.25 MB are left, at 2.5 MB/s: 0.5 s.
    assert in_equilibrium(transfers(stagger=0.1), 1, 0.5) == pytest.approx((0.4 + 0.4) / 2)
    assert in_equilibrium(transfers(sources=1, round_trip_time=0.05), 20, 0.5) == pytest.approx(0.45)
    assert in_equilibrium(transfers(stagger=10.0), 2, 1.0) == pytest.approx(0.2)  # never together
    assert in_equilibrium(transfers(file=999_501), 2, 1.0) == pytest.approx(0.4)  # 2000 packets


def test_the_chosen_factors_keep_the_ceiling(answer):
    assert answer.status.values.tolist() == ["reached", "reached"]
    assert (answer.loss_upper <= 0.05).all()
    assert (answer.loss_lower <= answer.loss).all()
    for k in answer.k.values:
        row = answer.sel(k=k)
        below = row.curve_transfer_time.where(row.curve_loss_upper <= 0.05).min()
        assert float(row.transfer_time) <= 1.01 * float(below)  # no point of the curve below the ceiling is sooner
    assert float(answer.attrs["best_k"]) in (2, 10)
    assert answer.transfer_time.values == pytest.approx(0.804, rel=0.02)


def test_the_laws_virtual_factors(answer):
    """k/(k + 1) = 2/3 and 10/11; divided by 1 - 0.05."""
    assert answer.v_lossless.values == pytest.approx([2 / 3, 10 / 11])
    assert answer.v_ceiling.values == pytest.approx([2 / 3 / 0.95, 10 / 11 / 0.95])
    at_one = answer.curve_law_loss.max("point")
    assert at_one.values == pytest.approx([1 / 3, 1 / 11])  # 1/(k + 1) at v = 1


def test_a_low_ceiling_is_found_by_bisection():
    """Below the loss at k/(k + 1) the chosen v is none of the curve's; a little more does not keep the ceiling."""
    answer = design.loss_load(loss=0.006, stagger=0, progress=False, **{**SMALL, "k": [10]})
    v = float(answer.v[0])
    assert v < 10 / 11
    assert np.abs(answer.curve_v.values - v).min() > 1e-4
    again = Transfers(**{name: answer.attrs[name] for name in transfers().__dataclass_fields__})
    effort = Effort(int(answer.attrs["seed"]), 3, 0.95, lambda new: None)
    assert again.simulate(10.0, v, effort)["loss_upper"] <= 0.006
    assert again.simulate(10.0, v + 0.005, effort)["loss_upper"] > 0.006  # as finely as the factor is found


def test_the_same_seed_gives_the_same_answer():
    first, second = (design.loss_load(loss=0.1, rng=3, progress=False, **{**SMALL, "k": [2]}) for _ in range(2))
    xr.testing.assert_identical(first, second)
    assert first.k.attrs["units"] == "1"
    assert first.transfer_time.attrs["units"] == "s"


def test_an_impossible_ceiling_says_so():
    """Eleven sources that begin at once with all of the link."""
    with pytest.raises(ValueError, match=r"loss = 0 is not reached by any v in \[0.1, 1\] with k = 20"):
        design.loss_load(loss=0, stagger=0, progress=False, **{**SMALL, "sources": 11, "file": "100kB", "k": [20]})


def test_the_picture(answer):
    with plot.style():
        ax = plot.show(answer)
    drawn = {tuple(line.get_ydata()) for line in ax.lines if len(line.get_ydata()) == answer.sizes["point"]}
    for name in ("curve_law_transfer_time", "curve_transfer_time"):
        for k in answer.k.values:
            assert tuple(answer[name].sel(k=k).values) in drawn
    assert ax.get_ylabel() == "transfer time [s]"
    with pytest.raises(ValueError, match="no curves"):
        plot.loss_load_curves(xr.Dataset())
