"""The code gives the stored values of the guard."""

import pytest

from tests.guard.values import COMMANDS, NETWORKS, STORED, TABLES, command, read


@pytest.mark.parametrize("name", TABLES)
def test_table(name):
    found, stored = TABLES[name](), read(name)
    assert list(stored) == list(found)
    assert [f"{key}: {found[key]}" for key in stored if found[key] != stored[key]] == []


def test_networks_contain_every_plug_in():
    """Two hundred random networks have each scheme and each discipline from which they were drawn."""
    from tests.sim.networks import OWN, build

    stored = read("networks")
    drawn, known = stored["disciplines"].split(), [*stored["schemes"].split(), *OWN]
    text = [build(seed, known=known, disciplines=drawn) for seed in range(NETWORKS)]
    assert {link.discipline.name for net in text for link in net.links.values()} == set(drawn)
    schemes = {flow.scheme.name for net in text for flow in net.flows if flow.scheme is not None}
    assert schemes == set(stored["schemes"].split()) | {one.name for one in OWN}


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name, tmp_path):
    assert command(name, tmp_path) == (STORED / "commands" / f"{name}.txt").read_text(encoding="utf-8")
