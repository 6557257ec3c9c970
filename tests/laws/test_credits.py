"""Credit flow control of a link: values by hand and limits."""

import pytest

from longfat.laws import credits


def test_shares_by_hand():
    """15 cells in 20 + 5 cell times; of 17 cells, 15 in 20 + 5 - 2; of 4, none but 3 in 8 + 3 - 1."""
    assert credits.link_share(5, 10, 20.0) == pytest.approx(15 / 25, rel=1e-15)
    assert credits.link_share(5, 12, 20.0) == pytest.approx(15 / 23, rel=1e-15)
    assert credits.link_share(3, 1, 8.0) == pytest.approx(3 / 10, rel=1e-15)


@pytest.mark.parametrize("batch", [1, 3, 10])
def test_the_link_is_full_from_its_product_on(batch):
    assert credits.link_share(batch, 50, 50.0) == 1.0
    assert credits.link_share(batch, 49, 50.0) < 1.0
    assert credits.allocation_for_rate(batch, 50.0) == batch + 50
    for share in (0.1, 0.37, 0.9):
        reserve = -(-share * 50.0 // 1)  # rounded up
        assert credits.link_share(batch, reserve, 50.0) >= share


def test_adaptive_allocations_by_hand():
    """1, 1 + 2, 1 + 2 x 3, 1 + 2 x 7; 1 + 1.5, 1 + 1.5 x 2.5."""
    assert [credits.adaptive_allocation(k, 2.0) for k in range(4)] == [1.0, 3.0, 7.0, 15.0]
    assert [credits.adaptive_allocation(k, 1.5) for k in (1, 2)] == [2.5, 4.75]
