"""The base install: functions that need no library of an extra, and messages where one is missing."""

import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from longfat import cli
from longfat.base import extras

ROOT = Path(__file__).parents[1]

# A Python in which the libraries of the extras cannot be imported, and what a user of the base install does in it.
WITHOUT = """
import sys

ABSENT = {"jax", "jaxlib", "optimistix", "equinox", "matplotlib", "netCDF4", "anywidget", "distributed"}


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocker())

import math

import mpmath
import numpy as np
import sympy
import longfat as lf
from longfat.verify.simulators import SIMULATORS


def message(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except ImportError as error:
        return str(error)


md1_wait = lf.laws.queues.md1_wait  # load/(2 (1 - load))
assert md1_wait(0.5) == 0.5
assert md1_wait(np.array([0.5, 0.75])).tolist() == [0.5, 1.5]
assert md1_wait(mpmath.mpf("0.75")) == mpmath.mpf("1.5")
load = sympy.Symbol("r")
assert sympy.simplify(md1_wait(load) - load / (2 * (1 - load))) == 0
assert md1_wait.expr is not None

net = lf.sim.Network().link("a", "b", rate="8 Mbit/s", delay="10 ms", buffer="20 packets", duplex=True)
net = net.flow(lf.sim.traffic.poisson(5e5), path=["a", "b"], packet=1000)
run = lf.sim.run(net, duration=5, rng=1, replications=2, progress=False)
assert 0 < run.utilisation_lower.values[0] < run.utilisation_upper.values[0] < 1

path = {"rate": "15Mbit/s", "round_trip_time": "20ms", "segment": "9kB", "packet": "900B"}
window = lf.design.window(**path, loss=1e-3, points=0, progress=False)
assert window.window_segments.item() > 1

table = lf.verify.run("power.network_power", quick=True)
assert table.attrs["agrees"] and table.numeric.item() == "agrees"
for face in ("jax", "gradient"):
    assert (table[face].item(), table[f"{face}_remark"].item()) == ("not checked", "JAX is not installed")
value, packets = SIMULATORS["mm1_wait"](1, load=0.5)
assert 0.8 < value < 1.2  # load/(1 - load), in transmission times

fluid = lf.fluid
steps = fluid.integrate(fluid.cadpc(4), 2, {"rate": 0.1}, method="numpy", smoothing=1.0)
assert np.allclose(steps.rate.isel(update=1), 0.15)  # x + x (1 - x - 4 x) = 0.1 + 0.1 * 0.5
jax = " needs JAX: pip install 'longfat[jax]'"
assert message(fluid.integrate, fluid.cadpc(4), 2, {"rate": 0.1}) == "longfat.fluid" + jax
assert message(fluid.stability, fluid.cadpc(4)) == "longfat.fluid" + jax
assert message(fluid.linearise, fluid.cadpc(1), [0.5]) == "longfat.fluid" + jax
assert message(fluid.trajectory, fluid.cadpc(4), [0.1] * 4, 2) == "fluid.trajectory" + jax

picture = "a picture needs matplotlib: pip install 'longfat[files]'"
assert message(lf.plot.style) == message(lf.plot.show, run) == picture
assert message(lambda: lf.explore.law) == "longfat.explore.law needs anywidget: pip install 'longfat[explore]'"
data = lf.explore.dataset(lf.explore.start(lf.laws.queues.mm1_wait, load=0.9))
assert math.isclose(data.operating_value, 9)
assert message(lf.explore.figure, data) == "explore.figure" + picture.removeprefix("a picture")
assert message(lf.plot.benchmark_times, data) == picture
print("done")
"""


def test_without_the_libraries_of_the_extras(tmp_path):
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stderr == ""
    assert done.stdout == "done\n"


@pytest.fixture
def bare(monkeypatch):
    """A Python in which no library of an extra is found."""
    found = extras.installed
    monkeypatch.setattr(extras, "installed", lambda module: module not in extras.LIBRARIES and found(module))


SCENARIO = """
link = [{from = "a", to = "b", rate = "8 Mbit/s", delay = "10 ms"}]
flow = [{traffic = {kind = "constant", rate = 100_000}, path = ["a", "b"], packet = "1 kB"}]
run = {duration = "1 s", sample_every = "0.1 s"}
"""


@pytest.mark.usefixtures("bare")
def test_a_command_leaves_out_files_and_says_so(tmp_path, capsys):
    (tmp_path / "net.toml").write_text(SCENARIO)
    assert cli.main(["simulate", str(tmp_path / "net.toml"), "--output", str(tmp_path / "out")]) == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["flows.csv", "links.csv"]
    assert capsys.readouterr().err == (
        "longfat: run.nc, traces.svg, traces.png left out: "
        "they need netCDF4 and matplotlib: pip install 'longfat[files]'\n"
    )


@pytest.mark.usefixtures("bare")
def test_a_command_that_needs_an_extra_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["explore"]) == 2
    message = "explore needs tornado and docutils: pip install 'longfat[explore]'"
    assert capsys.readouterr() == ("", f"longfat: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_installed():
    """Also where an import is forbidden by None in sys.modules."""
    assert extras.installed("json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "json", None)
        assert not extras.installed("json")


def test_two_extras_in_one_line():
    assert extras.install_line("docutils", "jax") == "docutils and JAX: pip install 'longfat[explore,jax]'"


def requirements():
    """Names by extra, the base under ""."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    texts = {"": config["options"]["install_requires"], **config["options.extras_require"]}
    return {
        extra: set(re.findall(r"^\s*([\w.-]+(?:\[[\w,]+\])?)", text, re.MULTILINE)) for extra, text in texts.items()
    }


def test_every_hint_names_the_extra_that_brings_the_library():
    wanted = requirements()
    for module, (_, extra) in extras.LIBRARIES.items():
        brought = {"ipykernel": "jupyterlab"}.get(module, module)  # JupyterLab brings its kernel
        assert brought.lower() in {name.lower() for name in wanted[extra]}, module
        assert brought not in wanted[""], module
