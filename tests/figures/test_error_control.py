"""The plain simulator of error control: group by group the compiled one, and the efficiency that theory gives."""

import math

import numpy as np
import pytest

from figures.claims import Context
from figures.gong_parulkar import compared, delaying
from figures.gong_parulkar.error_control import RESERVED, RULES, counted, deliver, random_losses
from longfat.segments import trace
from longfat.segments.simulating import ListedLosses

PATH = {"window": 58, "packets": 16, "ack_delay": 370}


@pytest.mark.parametrize("rule", ["hard", "soft"])
@pytest.mark.parametrize(("loss", "buffer"), [(1e-3, 6), (1e-2, 12), (0.05, 23), (1e-2, 40)])
def test_the_same_groups_as_the_compiled_simulator(rule, loss, buffer):
    """Two programs that share no code send the same groups at the same times, and keep and discard the same ones."""
    lost = np.flatnonzero(np.random.default_rng(7).random(100_000) < loss)
    seen = trace(window=58, loss=ListedLosses(lost.tolist()), segment_packets=16, ack_segments=370 / 16,
                 receive_buffer=buffer, ack=rule, segments=800)  # fmt: skip
    gaps, groups = iter([*(np.diff(lost, prepend=-1) - 1).tolist(), 2**60]), []
    deliver(rule, 800, counted(lambda: next(gaps)), buffer=buffer, trace=groups, **PATH)
    columns = (seen[name].values.tolist() for name in ("start", "segment", "packets", "verdict"))
    compiled = list(zip(*columns, strict=True))[: len(groups)]  # which goes on until all segments are acknowledged
    assert len(groups) > 800
    assert [tuple(one) for one in groups] == compiled


@pytest.mark.parametrize("loss", [1e-3, 1e-2])
def test_the_efficiency_that_theory_gives(loss):
    """A wide window: 1 - p if packets are repeated, (1 - p)^s if segments are.

    Going back costs each damaged segment all that were begun until its acknowledgment, M = 1 + ceil(w_a) in all:
    (1 - g)/(1 - g + M g) (for example Schwartz 1987, section 4-3).
    """
    wide = {**PATH, "window": 2000, "buffer": 2000}
    intact = (1 - loss) ** 16
    trips = 1 + math.ceil(370 / 16)
    expected = {"hard": 1 - loss, "blocks": intact, "go back": intact / (intact + trips * (1 - intact))}
    for rule, value in expected.items():
        seeds = np.random.SeedSequence(3).spawn(6)
        found = [deliver(rule, 8000, random_losses(loss, np.random.default_rng(one)), warm_up=500, **wide)
                 for one in seeds]  # fmt: skip
        error = np.std(found, ddof=1) / math.sqrt(len(found))
        assert np.mean(found) == pytest.approx(value, abs=4 * error + 1e-3), rule


def test_every_rule_is_perfect_without_losses():
    for rule in RULES:
        assert deliver(rule, 500, lambda _: 0, buffer=58, warm_up=100, **PATH) == 1.0
    with pytest.raises(ValueError, match="rule"):
        deliver("softer", 500, lambda _: 0, buffer=58, **PATH)


def test_a_slot_for_the_first_missing_segment_ends_the_lock():
    """Derived in derivations/receive_buffer.py: soft acknowledgment keeps B/(1 + ceil(w_a)) = 12/25."""
    assert compared.after_one_loss("soft", 12) == pytest.approx(12 / 25, abs=0.02)
    assert [compared.after_one_loss(rule, 12) for rule in RESERVED] == [1.0, 1.0]


def test_rows_can_fail(monkeypatch):
    """If the reserved slot were the paper's policy, the lock would remain; without a delay, TCP repeats nothing."""
    assert compared.avoids(Context(1e5, 0)).verdict == "reproduced"
    monkeypatch.setattr(compared, "RESERVED", ("soft",))
    monkeypatch.setattr(compared, "_words", str)
    assert compared.avoids(Context(1e5, 0)).verdict == "differs"
    observe = delaying.observe
    monkeypatch.setattr(delaying, "observe", lambda scheme, _: observe(scheme, 0.0))
    assert compared.false_retransmissions(Context(1e5, 0)).verdict == "differs"
