"""A plug-in becomes a test of pytest."""

import pytest

import longfat as lf
from longfat.sim import Scheme
from tests.plugins.aimd import AIMD


def grows_without_end(flow, event):
    return -1.0


test_aimd = lf.testing.conforms(AIMD)


def test_a_plug_in_that_does_not_conform():
    test = lf.testing.conforms(Scheme("mine", ack=grows_without_end))
    with pytest.raises(AssertionError, match=r"scheme 'mine': .* checks passed"):
        test()
