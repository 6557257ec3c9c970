"""A discipline in a new file of the package appears in the registry, scenarios, the command line and the tests."""

import subprocess
import sys

MODULE = '''
"""Discipline that drops every second packet."""

from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline


def enqueue(link, packet, now):
    """Admit every second packet."""
    link.admit = not link.admit
    return ENQUEUE if link.admit else DROP


every_second = Discipline("every-second", enqueue=enqueue, state={"admit": False}, source="Ours, for a test")
_hidden = Discipline("hidden")
'''
# The package is loaded with one more folder, as if the file lay in its own.
PROGRAM = """
import importlib.util, sys
spec = importlib.util.find_spec("longfat.sim.switch")
package = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
package.__path__.append(sys.argv[1])
spec.loader.exec_module(package)

from longfat.cli import parameters
from longfat.sim import Network, queues
from tests.sim import networks

net = Network().link("a", "b", rate=1e6, discipline="every-second", duplex=True).flow("reno", path=["a", "b"])
assert Network.from_toml(net.to_toml()) == net
assert "every-second" in parameters.disciplines()
assert "every-second" in [one.name for one in networks.DISCIPLINES]
assert "hidden" not in queues.NAMED
print(*sorted(queues.NAMED))
"""


def test_a_discipline_in_a_new_file_is_found(tmp_path):
    from longfat.sim import queues

    (tmp_path / "every_second.py").write_text(MODULE)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert done.stdout.split() == sorted([*queues.NAMED, "every-second"])
