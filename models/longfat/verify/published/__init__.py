"""What the papers print, row by row, beside what laws and simulators of ours give.

A row is bound to a function that reproduces it and judges. Verdicts: *reproduced*, *ordering reproduced*, *differs*
(with the reason), *not reproducible* (with the reason), *input* (parameters and quotations).
"""

from longfat.verify.published.rows import Finding, Row, published, read

__all__ = ["Finding", "Row", "published", "read"]
