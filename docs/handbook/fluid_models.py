"""Pages of the predefined fluid models: equations, variables, parameters, a path, the laws of the same scheme."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from docs.handbook.drawing import Panel, svg
from docs.handbook.front import toctree
from docs.handbook.judged import listed
from docs.handbook.markup import code, html, number, plain, section, table, unfolding
from longfat import fluid
from longfat.fluid import systems
from longfat.fluid.system import System
from longfat.handbook.law_records import laws

#: Arguments of the function that builds the system, duration and step [unit of its time], and starts, ours: they show
#: the way from the start to the equilibrium, or around it.
SHOWN: Mapping[str, tuple[dict[str, Any], float, float | None, dict[str, Any]]] = {
    "bbr": ({"flows": 2}, 4.0, 0.005, {}),
    "best_replies": ({"sources": 3}, 20, None, {}),
    "cadpc": ({"flows": 3}, 30, None, {}),
    "cadpc_flow": ({"flows": 3}, 30.0, 0.05, {}),
    "capc": ({"flows": 3}, 200, None, {}),
    "cubic": ({}, 60.0, 0.01, {}),
    "dctcp": ({}, 0.05, 2e-5, {}),
    "tcp_pie": ({}, 40.0, 0.01, {}),
    "tcp_red": ({}, 60.0, 0.01, {}),
    "xcp": ({"flows": 3}, 10.0, 0.005, {}),
}
#: Families of laws about the same scheme.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "bbr": ("bbr",),
    "best_replies": ("loss_load",),
    "cadpc": ("cadpc",),
    "cadpc_flow": ("cadpc",),
    "cubic": ("cubic",),
    "dctcp": ("dctcp",),
    "tcp_pie": ("aqm", "tcp"),
    "tcp_red": ("tcp",),
}


def names() -> list[str]:
    """Return the names of the predefined systems.

    >>> "tcp_red" in names()
    True
    """
    return list(systems.__all__)


def built(name: str) -> System:
    """Return a system with the arguments of its page."""
    system: System = getattr(fluid, name)(**SHOWN[name][0])
    return system


def trace(name: str) -> str:
    """Return a path of a system as a picture, a panel for each variable."""
    system = built(name)
    _, duration, step, start = SHOWN[name]
    every = 1 if step is None else max(1, round(duration / step / 400))
    data = fluid.integrate(system, duration, start, step=step, every=every, method="numpy")
    panels = []
    axis = "time" if "time" in data.dims else "update"
    for variable, declared in system.variables.items():
        found = np.atleast_2d(data[variable].transpose(..., axis).values)
        curves = [(f"{declared.axis} {k}" if len(found) > 1 else "", one) for k, one in enumerate(found[:3], 1)]
        panels.append(Panel(variable, declared.unit, curves))
    return svg(
        data[axis].values, panels, f"A path of {system.name}", f"The variables over time [{system.time}]", system.time
    )


def page(name: str, draw: bool = True) -> str:
    """Return the page of a system."""
    function, system = getattr(fluid, name), built(name)
    arguments, duration, step, _ = SHOWN[name]
    variables = [
        (f"`{one}`", declared.unit, number(declared.default), f"`{declared.domain}`", declared.axis or "system")
        for one, declared in system.variables.items()
    ]
    parameters = [
        (f"`{one}`", number(declared.default), declared.unit, f"`{declared.domain}`", declared.meaning)
        for one, declared in system.parameters.items()
    ]
    given = ", ".join(f"{key}={value}" for key, value in arguments.items())
    steps = "" if step is None else f", step={step:g}"
    call = f"import longfat as lf\n\npath = lf.fluid.integrate(lf.fluid.{name}({given}), {duration:g}{steps})"
    family = [law for law in laws() if law.public_name.split(".")[0] in FAMILIES.get(name, ())]
    source = inspect.getsource(sys.modules[function.__module__])
    kind = "A map, in discrete time" if system.kind == "map" else "Differential equations, in continuous time"
    delays = "with feedback delays" if system.delays else "without delays"
    return "".join(
        [
            f"# {name}\n\n{plain(inspect.getdoc(function))}\n\n{kind} [{system.time}], {delays}.\n\n",
            section("Path", f"From the default start.\n\n{html(trace(name))}\n{code(call)}" if draw else ""),
            section("Definition", f"```{{eval-rst}}\n.. autofunction:: longfat.fluid.{name}\n   :no-index:\n```\n"),
            section("Variables", table(["variable", "unit", "start", "domain", "one for each"], variables)),
            section("Parameters", table(["parameter", "default", "unit", "domain", "meaning"], parameters)),
            section("Laws about the same scheme", listed(family)),
            section("Code", unfolding(f"<code>{function.__module__}</code>", code(source))),
        ]
    )


def pages(draw: bool = True) -> dict[str, str]:
    """Return the pages of all systems by name, and the page that lists them."""
    rows = [
        (f"[{name}](/fluid/{name}/index.md)", plain(inspect.getdoc(getattr(fluid, name))), built(name).source)
        for name in names()
    ]
    made = {f"fluid/{name}/index": page(name, draw) for name in names()}
    about = "Maps and delay differential equations of rates and queues, without packets. `longfat.fluid` integrates "
    about += "them, finds their equilibria, and decides their stability."
    index = f"# Fluid models\n\n{about}\n\n{table(['model', 'what it is', 'source'], rows)}\n"
    return {"fluid/index": index + toctree(list(made), hidden=True), **made}
