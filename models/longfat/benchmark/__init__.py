"""Benchmark of Kanakia, Keshav and Mishra (1992): ten experiments in which any scheme can be compared.

>>> from longfat import benchmark
>>> data = benchmark.run(["3-4"], ["optimal", "packet-pair"], progress=False)
>>> [round(1e3 * float(t), 1) for t in data.transfer_time.sel(variant="3-4", connection="1")]
[44.4, 92.8]

References
----------
H. Kanakia, S. Keshav, P. P. Mishra, A Comparison of Reactive Host-based Flow Control Schemes in Reservationless
Networks, 1992.
"""

from longfat.benchmark.entries import ENTRIES, FURTHER, TODAY, Entry, entry
from longfat.benchmark.evaluation import run
from longfat.benchmark.experiments import VARIANTS, Variant, variants
from longfat.benchmark.measuring import build, measure, optimal

__all__ = [
    "ENTRIES",
    "FURTHER",
    "TODAY",
    "VARIANTS",
    "Entry",
    "Variant",
    "build",
    "entry",
    "measure",
    "optimal",
    "run",
    "variants",
]
