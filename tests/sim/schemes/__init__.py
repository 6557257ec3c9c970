"""Tests of schemes; pytest shows how the two sides of the comparison of a trace differ."""

import pytest

pytest.register_assert_rewrite("tests.sim.schemes.losses")
