"""Advice carried out on Linux: the settings are those of the hypercube, and every one was run."""

import numpy as np
import pytest

from tests.benchmarks import advice


def test_the_settings_are_a_latin_hypercube():
    """Each twelfth of the range of rates has one setting, and each of the three senders has four settings."""
    made = advice.draw(advice.SEED)
    places = np.log([8 * one["rate"] / 5e6 for one in made]) / np.log(20)
    assert sorted(np.floor(12 * places + 1e-3 * (places < 0.999)).astype(int)) == list(range(12))
    assert sorted(one["scheme"] for one in made) == 4 * ["bbr1"] + 4 * ["cubic"] + 4 * ["sack"]
    assert sum(one["kind"] == "window" for one in made) == 6
    assert made != advice.draw(advice.SEED + 1)
    assert all(one["rate"] * one["round_trip_time"] / advice.PACKET >= 0.99 * advice.FEWEST for one in made)


def test_every_setting_was_run():
    stored = advice.read()
    assert set(stored) == {one["name"] for one in advice.SETTINGS}
    for one in advice.SETTINGS:
        assert {name: stored[one["name"]][name] for name in one} == one
        assert len(stored[one["name"]]["seen"]) >= 2 or (one.get("only_line") and "pasted_own" in stored[one["name"]])


@pytest.mark.parametrize(("rates", "kind", "verdict"), [
    ([5e6, 6e6], "window", True), ([5e6, 9e6], "window", False), ([4e6, 6.5e6], "buffer", True),
    ([4e6, 5e6], "buffer", False),
])  # fmt: skip
def test_when_a_row_holds(rates, kind, verdict):
    row = {"kind": kind, "promised": {"rate": [5e6, 7e6]}, "seen": [{"rate": rate} for rate in rates]}
    assert advice.held(row) is verdict
