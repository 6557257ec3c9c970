"""The proofs of the delay bounds hold for every arrangement, and fail for other orders."""

import pytest

from derivations import guarantees


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
