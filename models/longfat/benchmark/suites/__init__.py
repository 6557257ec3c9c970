"""Test suites: the situations in which a document requires a congestion control to be evaluated.

``bbr``: the 22 test cases that draft-ietf-ccwg-bbr-06, appendix A, describes in words. ``bcp133``: the situations of
RFC 9743 (BCP 133), "Specifying New Congestion Control Algorithms", for any scheme.

>>> [case.section for case in suite("bbr").chosen(["a01"])]
['A.1']
"""

from longfat.benchmark.suites.case import NAMES, Case, Expectation, Probe, Suite, suite
from longfat.benchmark.suites.running import Result, rows_to_csv, run, to_markdown, to_text

__all__ = [
    "NAMES",
    "Case",
    "Expectation",
    "Probe",
    "Result",
    "Suite",
    "rows_to_csv",
    "run",
    "suite",
    "to_markdown",
    "to_text",
]
