"""A new module in a package is enough to add a scheme; two records of one name are refused."""

import subprocess
import sys

import pytest

from longfat.base import discovery
from longfat.sim import schemes

#: A module that a user might add to longfat/sim/schemes.
ADDED = """
from longfat.sim.schemes.scheme import Scheme

def ack(flow, event):
    return flow.window + event.acked / flow.window

ADDED = Scheme("added", ack=ack, source="Ours, because a test needs a scheme that nothing names.")
"""

#: Code that lets the package see a module in a folder of its own, and asks those who list the schemes.
LOOK = """
import sys
from longfat.sim import schemes
schemes.__path__.append(sys.argv[1])
assert schemes.scheme("added").name == "added"
assert "added" in schemes.names()
from longfat.sim import Network
net = Network()
net.link("a", "b", rate=1e6, delay=0.01, buffer=100, duplex=True)
net.flow("added", path=["a", "b"])
from longfat.cli import parameters
assert "added" in parameters.schemes()
print(*schemes.names())
"""


def test_a_scheme_in_a_new_module_is_found(tmp_path):
    (tmp_path / "added.py").write_text(ADDED)
    done = subprocess.run([sys.executable, "-c", LOOK, tmp_path], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert done.stdout.split() == sorted([*schemes.names(), "added"])


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
