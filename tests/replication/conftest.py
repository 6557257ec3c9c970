"""Fixtures for several tests."""

import pytest

from tests.replication.common import Counting


@pytest.fixture
def counted():
    """Return the function and its number of calls, under a name that stays the same."""
    return Counting()
