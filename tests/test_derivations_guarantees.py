"""The proofs of the delay bounds agree with the laws, and each of their steps can fail."""

import pytest

from derivations import guarantees
from longfat import laws


def test_the_laws_are_what_is_proved():
    names = {"sigma": 12_000, "g": 300_000, "l": 500, "l_m": 1500, "C": 2_000_000, "K": 3}
    values = {symbol: names[symbol.name] for symbol in (*guarantees.packet_delay().free_symbols,)}
    # (12000 + 2 * 500)/300000 + 3 * 1500/2e6 = 0.0433333 + 0.00225 s
    assert float(guarantees.packet_delay().subs(values)) == pytest.approx(13 / 300 + 0.00225, rel=1e-15)
    assert laws.guarantees.delay_bound(12_000, 300_000, 500, 1500, 2e6, 3) == pytest.approx(13 / 300 + 0.00225)
    assert laws.guarantees.fluid_delay_bound(12_000, 300_000) == pytest.approx(0.04)
    assert guarantees.fluid_delay() == guarantees.sigma / guarantees.g


@pytest.mark.parametrize("tags", [guarantees.deadlines, guarantees.fluid_ends], ids=["VirtualClock", "fair queueing"])
@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.long), pytest.param(4, marks=pytest.mark.long)])
def test_every_arrangement(tags, count):
    """No packet is later than one largest packet after its deadline; some are late by a part of it."""
    assert 0 < guarantees.every_arrangement(tags, count) < 1


def test_wrong_orders_are_noticed():
    """The bound fails without the packet in transmission, and for packets in order of arrival."""
    with pytest.raises(AssertionError, match="by its deadline"):
        guarantees.every_arrangement(guarantees.deadlines, count=2, late=0)
    with pytest.raises(AssertionError, match="by its deadline"):
        guarantees.every_arrangement(lambda packets, rates: list(range(len(packets))), count=3)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("next_link", lambda late: late),
        ("lateness", lambda: 2 * guarantees.l_m / guarantees.C),
        ("fluid_delay", lambda: 2 * guarantees.sigma / guarantees.g),
    ],
)
def test_a_wrong_step_is_noticed(monkeypatch, name, wrong):
    monkeypatch.setattr(guarantees, name, wrong)
    with pytest.raises(AssertionError):
        guarantees.packet_delay()
