"""Verify laws by proofs, high-precision arithmetic, JAX and simulators."""

from longfat.verify import link_estimators
from longfat.verify.segment_estimators import segment_efficiency
from longfat.verify.verification import run

__all__ = [
    "link_estimators",
    "run",
    "segment_efficiency",
]
