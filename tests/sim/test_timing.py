"""The kernel's round trips and timeouts against those of the reference, by RFC 6298, sections 2 and 5."""

import math

import numba
import numpy as np
import pytest

from longfat.sim import Simulation
from longfat.sim.kernel import sender
from longfat.sim.kernel.memory import state_at
from longfat.sim.schemes import profile
from tests.reference import Timeout
from tests.sim.lab import one_link


class Ticking(Timeout):
    """The reference's timeout, in s; BSD's clock counts the ticks that have passed, at least one."""

    def __init__(self, tick, **bounds):
        super().__init__(**bounds)
        self.tick = tick

    def measure(self, seconds):
        if self.tick:
            seconds = self.tick * max(1, int(round(seconds / self.tick, 6)))
        self.sample(seconds * 1e9)
        if self.tick:  # the bounds are whole ticks
            self.rto = self.tick * math.ceil(round(self.rto / self.tick, 6))


@numba.njit
def compiled_update_rto(address, seconds):
    sender.update_rto(state_at(address).timers[0], seconds)


@numba.njit
def compiled_timeout(address):
    return sender.timeout_ns(state_at(address).timers[0])


class Timed:
    """Timer of a flow in the kernel, called without events of a network."""

    def __init__(self, name, **parameters):
        self.run = Simulation(one_link("reno", rate=1e6, parameters={**profile(name), **parameters}), rng=1)
        self.timer = self.run.state.timers[0]

    def update_rto(self, seconds):
        compiled_update_rto(self.run.state.address(), seconds)

    @property
    def in_force(self):
        return compiled_timeout(self.run.state.address())


@pytest.mark.parametrize("name", ["ns", "rfc", "bsd", "fine"])
@pytest.mark.parametrize("scale", [1e-4, 0.05, 0.7, 30.0])
def test_against_plain_rfc_6298(name, scale):
    """RFC 6298, sections 2 and 5: 500 log-normal round-trip times, with timeouts between them."""
    rng = np.random.default_rng(5)
    timed, chosen = Timed(name), profile(name)
    timer = timed.timer
    plain = Ticking(**{name: chosen[name] for name in ("tick", "min_rto", "max_rto", "granularity")})
    for _ in range(500):
        r = round(scale * float(rng.lognormal(0, 0.5)), 9)
        timed.update_rto(r)
        plain.measure(r)
        assert timer.srtt == pytest.approx(plain.srtt, rel=1e-12)
        assert timer.rttvar == pytest.approx(plain.rttvar, rel=1e-9, abs=1e-12)
        assert timer.rto == pytest.approx(plain.rto, rel=1e-12)
        for _ in range(int(rng.integers(0, 9)) if rng.integers(10) == 0 else 0):
            timer.backoff = min(2 * timer.backoff, timer.max_backoff)  # as in sender.time_out
            plain.backoff = min(2 * plain.backoff, 64)  # as in Sender.expire
        assert timed.in_force == pytest.approx(plain.nanoseconds(), rel=1e-9, abs=1)


@pytest.mark.parametrize("tick", [0.1, 0.01, 0.5, 1e-3, 0.3])
def test_whole_ticks(tick):
    """Timer profile bsd: k ticks are read as k, whatever k x tick is in binary.

    A little less is read as k - 1, but at least 1. The timeout, R + 4 R/2 = 3 R, is 3 k ticks and no tick more.
    """
    timed = Timed("bsd", tick=tick, granularity=0, min_rto=1e-9, max_rto=1e6)
    for k in range(1, 200):
        for seconds, read in ((round(k * tick, 9), k), (round(k * tick, 9) - 1e-4 * tick, max(1, k - 1))):
            timed.timer.srtt = timed.timer.rttvar = 0.0
            timed.update_rto(seconds)
            assert timed.timer.srtt == pytest.approx(read * tick, rel=1e-12)
            assert timed.timer.rto == pytest.approx(3 * read * tick, rel=1e-12)
