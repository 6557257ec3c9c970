"""Strategies: what is drawn runs, shrinks to the simplest, and is found by type in another project."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from longfat.sim import Network, Simulation, queues, schemes
from longfat.sim.network import scenario
from longfat.sim.network.traffic import Traffic
from longfat.testing import strategies

FEW = settings(
    max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate]
)


@pytest.mark.long
@FEW
@given(strategies.networks(most_flows=3), st.integers(0, 2**32))
def test_every_network_runs_and_conserves_packets(net, seed):
    run = Simulation(net, rng=seed)
    run.advance(0.3)
    counts = run.packet_counts()  # raises an error if packets are not conserved
    assert counts["sent"] >= counts["received"]


@FEW
@given(strategies.networks())
def test_every_network_is_a_scenario(net):
    assert scenario.parse(net.to_toml())[0] == net


@pytest.mark.long
def test_a_failing_network_shrinks_to_one_link_and_one_flow():
    def lossy(net):
        return any(link.loss > 0 for link in net.links.values())

    small = find(strategies.networks(), lossy, settings=settings(max_examples=2000, database=None, deadline=None))
    assert len(small.links) == 2
    assert [(flow.count, flow.start, flow.packet) for flow in small.flows] == [(1, 0.0, 100)]
    assert sorted(link.loss for link in small.links.values()) == [0.0, 0.01]
    assert {link.discipline.name for link in small.links.values()} == {"fifo"}


def test_every_discipline_and_scheme_can_be_drawn():
    known = {one.name for one in queues.NAMED.values()}
    assert set(strategies.GIVEN) <= known
    drawn = set()
    settings(max_examples=500, deadline=None, database=None)(
        given(strategies.disciplines())(lambda one: drawn.add(one.name))
    )()
    assert drawn == known
    silent = [name for name in schemes.names() if not schemes.scheme(name).acknowledged]
    assert silent
    with pytest.raises(NoSuchExample):
        find(strategies.schemes(acknowledged=True), lambda scheme: scheme.name in silent)


def test_a_rate_has_three_digits():
    found = find(strategies.numbers(5e4, 1e6), lambda x: x > 123_456)
    assert float(f"{found:.3g}") == found


@pytest.mark.parametrize(("option", "value"), [("most_hops", 0), ("most_flows", 0), ("most_hops", 1.5)])
def test_sizes_are_checked(option, value):
    with pytest.raises(ValueError, match=option):
        strategies.networks(**{option: value})


@pytest.mark.long
def test_types_have_strategies():
    assert isinstance(find(st.from_type(Traffic), lambda one: True), Traffic)
    assert len(find(st.from_type(Network), lambda net: True).flows) == 1


#: Hypothesis calls the entry point when it is imported; from a checkout that is not installed, the test does.
REGISTER = "from longfat.testing.registration import register; register(); "
BEFORE = f"import hypothesis, sys; {REGISTER}print('numba' in sys.modules); "


@pytest.mark.parametrize(
    ("first", "said"),
    [("import longfat.sim.network.network, hypothesis; " + REGISTER, []), (BEFORE, ["False"])],
    ids=["the network first", "hypothesis first"],
)
def test_a_type_has_its_strategy_in_whatever_order_the_packages_are_imported(first, said):
    """Registering loads no simulator; the second process says so before it imports one."""
    code = (
        f"{first}import longfat.sim.network.network; "
        "from hypothesis.strategies._internal.types import _global_type_lookup as known; "
        "print(longfat.sim.network.network.Network in known)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == [*said, "True"]
