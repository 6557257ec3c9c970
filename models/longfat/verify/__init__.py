"""Verify laws by proofs, high-precision arithmetic, JAX and simulators."""

from longfat.law import SimulatedBy as SimulatorCheck
from longfat.verify import link_estimators
from longfat.verify.segment_estimators import segment_efficiency
from longfat.verify.verification import run

__all__ = [
    "SimulatorCheck",
    "link_estimators",
    "run",
    "segment_efficiency",
]
