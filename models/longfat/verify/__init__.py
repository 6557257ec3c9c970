"""Verification: laws against proofs, high-precision arithmetic, JAX and simulators; papers against both."""

from longfat.verify import link_estimators
from longfat.verify.equivalence import check
from longfat.verify.estimators import segment_efficiency
from longfat.verify.scoreboard import discrimination, scoreboard, summary
from longfat.verify.simulated import SimulatorCheck
from longfat.verify.verification import run

__all__ = [
    "SimulatorCheck",
    "check",
    "discrimination",
    "link_estimators",
    "run",
    "scoreboard",
    "segment_efficiency",
    "summary",
]
