"""What several of the tests begin with."""

import pytest

from tests.sweeping.common import queue


@pytest.fixture
def counted():
    """The function, and the number of times that it was called, by a name that stays the same."""

    def counting(load, scheme, rng):
        counting.calls += 1
        return queue(load, scheme, rng)

    counting.calls = 0
    return counting
