"""Tests that need network namespaces say why they are skipped where there are none."""

import functools

import pytest

from longfat.testbed import missing

lacking = functools.cache(missing)


@pytest.fixture
def testbed():
    """Skip the test on a machine that cannot run the testbed, with what is missing."""
    if reasons := lacking():
        pytest.skip("; ".join(reasons))
