"""Where the faces meet: laws against simulators."""

from longfat.verify.equivalence import check
from longfat.verify.estimators import segment_efficiency

__all__ = ["check", "segment_efficiency"]
