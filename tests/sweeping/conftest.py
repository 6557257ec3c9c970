"""What several of the tests begin with."""

import pytest

from tests.sweeping.common import Counting


@pytest.fixture
def counted():
    """The function, and the number of times that it was called, by a name that stays the same."""
    return Counting()
