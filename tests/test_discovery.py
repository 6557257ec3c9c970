"""A new module in a package is enough to add a scheme or discipline; two records of one name are refused."""

import subprocess
import sys

import pytest

from longfat.base import discovery
from longfat.sim import queues, schemes

#: Modules that a user might add to longfat/sim/schemes and longfat/sim/switch.
ADDED = """
from longfat.sim.schemes.scheme import Scheme

def ack(flow, event):
    return flow.window + event.acked / flow.window

ADDED = Scheme("added", ack=ack, source="Ours, because a test needs a scheme that nothing names.")
"""
SECOND = """
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline

def enqueue(link, packet, now):
    link.admit = not link.admit
    return ENQUEUE if link.admit else DROP

every_second = Discipline("every-second", enqueue=enqueue, state={"admit": False}, source="Ours, for a test")
_hidden = Discipline("hidden")
"""

#: Code that loads both packages with one more folder, as if its modules lay in their own, and asks who lists them.
LOOK = """
import importlib.util, sys
for name in ("schemes", "switch"):
    spec = importlib.util.find_spec(f"longfat.sim.{name}")
    package = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    package.__path__.append(f"{sys.argv[1]}/{name}")
    spec.loader.exec_module(package)
from longfat.cli import parameters
from longfat.sim import Network, queues, schemes
from longfat.sim.network import scenario
from tests.sim import networks

assert schemes.scheme("added").name == "added"
assert "added" in parameters.schemes()
assert "every-second" in parameters.disciplines()
assert "every-second" in [one.name for one in networks.DISCIPLINES]
net = Network().link("a", "b", rate=1e6, discipline="every-second", duplex=True).flow("added", path=["a", "b"])
assert scenario.parse(net.to_toml())[0] == net
print(*schemes.names())
print(*sorted(queues.NAMED))
"""


def test_plug_ins_in_new_modules_are_found(tmp_path):
    for name, text in (("schemes", ADDED), ("switch", SECOND)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "added.py").write_text(text)
    done = subprocess.run([sys.executable, "-c", LOOK, tmp_path], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    found = [line.split() for line in done.stdout.splitlines()]
    assert found == [sorted([*schemes.names(), "added"]), sorted([*queues.NAMED, "every-second"])]


def test_a_scheme_with_a_name_that_is_taken_is_refused(tmp_path, monkeypatch):
    (tmp_path / "added.py").write_text(ADDED.replace('"added"', '"reno"'))
    monkeypatch.setattr(schemes, "__path__", [*schemes.__path__, str(tmp_path)])
    for places, name in ((sys.modules, "longfat.sim.schemes.added"), (vars(schemes), "added")):
        monkeypatch.setitem(places, name, None)  # which is gone at the end
        del places[name]
    words = (
        r"^Scheme name 'reno' is defined twice, by longfat\.sim\.schemes\.added\.ADDED and "
        r"longfat\.sim\.schemes\.reno\.RENO: rename one of them$"
    )
    with pytest.raises(ValueError, match=words):
        discovery.named("longfat.sim.schemes", schemes.Scheme)


def test_every_module_that_defines_a_scheme_is_in_the_registry():
    found = discovery.named("longfat.sim.schemes", schemes.Scheme)
    assert tuple(sorted(found)) == schemes.names()
    assert len(found) >= 23


@pytest.mark.parametrize("package", ["longfat.sim.schemes", "longfat.sim.switch", "longfat.laws"])
def test_modules_come_in_the_order_of_their_names(package):
    found = [module.__name__ for module in discovery.modules(package)]
    assert found == sorted(found)
    assert all(name.startswith(package) for name in found)
