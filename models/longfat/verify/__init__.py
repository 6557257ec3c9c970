"""Verification: laws against proofs, high-precision arithmetic, JAX and simulators."""

from longfat.verify import link_estimators
from longfat.verify.equivalence import check
from longfat.verify.estimators import segment_efficiency
from longfat.verify.simulated import SimulatorCheck
from longfat.verify.verification import run

__all__ = [
    "SimulatorCheck",
    "check",
    "link_estimators",
    "run",
    "segment_efficiency",
]
