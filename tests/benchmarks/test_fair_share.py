"""Speed of the fluid schedule: files/s on one link, and flows x events/s if every file has its own path.

A file causes two events, its start and its finish. On one link with equal weights all files form one group, and an
event costs one heap operation; with a path for each file an event costs the filling of all links.
"""

from fractions import Fraction

import numpy as np
import pytest

from longfat.laws.fair_share import Flow, Network, max_min_rates, transfer_times

RNG = np.random.default_rng(0)


def one_link(files, kind=float):
    """Return files of exponential size at load 0.9; as fractions, with integer sizes and starts."""
    starts = np.cumsum(RNG.exponential(1 / 0.9, files))
    sizes = RNG.exponential(1.0, files)
    if kind is Fraction:
        starts, sizes = np.round(8 * starts).astype(int), 1 + np.round(8 * sizes).astype(int)
    flows = [Flow("link", size.item(), start=start.item()) for size, start in zip(sizes, starts, strict=True)]
    return Network({"link": kind(1)}, flows)


def grid(files, links=20):
    """Return files that start together, each over three random links, with weights 1 and 2."""
    flows = [
        Flow(tuple(f"link-{i}" for i in RNG.choice(links, 3, replace=False)), RNG.exponential(), weight=1 + i % 2)
        for i in range(files)
    ]
    return Network({f"link-{i}": 1.0 for i in range(links)}, flows)


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("20000 files on one link", one_link(20_000)),
        ("300 files on one link, fractions", one_link(300, Fraction)),
        ("200 paths over 20 links", grid(200)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_schedules(benchmark, capsys, name, network):
    benchmark.group = "max-min fluid schedules"
    schedule = benchmark.pedantic(transfer_times, (network,), rounds=2)
    assert np.isfinite(schedule.finish.astype(float)).all()
    events, flows = len(schedule.times), len(network.flows)
    present = float(schedule.group_flows.sum()) / max(len(schedule.times) - 1, 1)
    seconds = benchmark.stats.stats.min
    with capsys.disabled():
        print(
            f"\n    {name}: {flows / seconds:.3g} files a second, {events / seconds:.3g} events, "
            f"{present * events / seconds:.3g} flows x events"
        )


def test_rates_of_an_instant(benchmark):
    benchmark.group = "max-min rates"
    routes = RNG.random((50, 1000)) < 0.1
    routes[0, ~routes.any(axis=0)] = True
    benchmark.pedantic(max_min_rates, (routes, RNG.uniform(1, 2, 50)), rounds=3)
