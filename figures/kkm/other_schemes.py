"""The ten experiments of Kanakia, Keshav and Mishra (1992) with schemes that their paper does not have.

``today_tables.md``: the schemes of `longfat.benchmark.TODAY`; ``further_tables.md``: those of
`longfat.benchmark.FURTHER`, credit and rate control of ATM, NETBLT and SSTP. Run with ``python -m
figures.kkm.other_schemes``; it takes some minutes.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from figures.writing import Part, Picture
from longfat import benchmark
from longfat.benchmark import tables

PICTURES: dict[str, Picture] = {}
SCHEMES = {
    "today_tables": ("optimal", "sack", *benchmark.TODAY),
    "further_tables": ("optimal", "sack", "hop-by-hop", "explicit-feedback", *benchmark.FURTHER),
}
TITLES = {
    "today_tables": "# The standard experiments with schemes of today",
    "further_tables": "# The standard experiments with credit and rate control",
}
BESIDE = {
    "today_tables": "The ten experiments of Kanakia, Keshav and Mishra (1992), as in [their tables](kkm_tables.md), "
    "beside the optimal times and SACK. The paper has none of these rows. "
    "[Settings](../../docs/standard-experiments.md#schemes-of-today) are the same in all experiments.",
    "further_tables": "The ten experiments of Kanakia, Keshav and Mishra (1992), as in [their tables](kkm_tables.md), "
    "with credit and rate control of ATM, NETBLT and SSTP beside the optimal times, SACK and two of the paper's "
    "schemes. [Settings](../../docs/standard-experiments.md#credit-and-rate-control-of-atm-netblt-and-sstp) are the "
    "same in all experiments.",
}
READ = (
    "After ±: the standard deviation over {} runs in experiment 7, otherwise half of the 95 % interval of random runs; "
    "a row without ± is not random. A time below the optimal one belongs to a scheme that takes more than its fair "
    "share."
)


def experiments(page: str, names: Any = None, replications: int = 10) -> xr.Dataset:
    """Run the ten experiments, or some of them, with the schemes of a page."""
    return benchmark.run(names, list(SCHEMES[page]), replications=replications, progress=False)


def text(page: str, data: xr.Dataset) -> str:
    """Return the content of a page."""
    about = f"{BESIDE[page]} {READ.format(data.attrs['replications'])}"
    return "\n".join([TITLES[page], "", about, "", tables.to_markdown(tables.tables(data))])


PART = Part("figures.kkm.other_schemes", lambda: {f"{page}.md": text(page, experiments(page)) for page in SCHEMES})

if __name__ == "__main__":
    PART.main()
