"""Simulators of a line each, whose means are known by hand."""

import numpy as np

from longfat.testing.domain import axes_of
from longfat.testing.holding import Claim


def normal(rng, mean=0.0, deviation=1.0):
    return np.random.default_rng(rng).normal(mean, deviation)


def rare(rng, share):
    return float(np.random.default_rng(rng).random() < share)


def exponential(rng, mean):
    return np.random.default_rng(rng).exponential(mean)


def formula(mean=0.0, **_):
    return mean


def off_by(deviation):
    """Return a formula that is off by so much."""
    return lambda mean=0.0, **_: mean + deviation


def claim(formula, simulator, *, over=None, where=None, cases=None, **options):
    """Return a claim as `longfat.testing.holds` makes it."""
    return Claim(formula, simulator, axes_of(formula, over), where, options, cases)
