"""Claims and numbers that the papers print, each with what our laws and simulators give instead.

A row is bound to a function that reproduces and assesses it. Verdicts: *reproduced*, *ordering reproduced*, *differs*
(with the reason), *not reproducible* (with the reason), *input* (parameters and quotations).
"""

from longfat.verify.published.rows import Finding, Row, published, read

__all__ = ["Finding", "Row", "published", "read"]
