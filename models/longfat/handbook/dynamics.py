"""Conversion of the fluid models to JavaScript: the traced rule of each system, and a function that integrates systems.

The function ``path`` of the module computes the same as `longfat.fluid.integrate`: maps (discrete time) update by
update, flows (continuous time) by classical Runge-Kutta steps, with cubic Hermite interpolation of past states. A
system is written for a fixed number of flows, because its vectors have fixed lengths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from longfat import fluid
from longfat.fluid.system import System
from longfat.handbook.javascript import RUNTIME
from longfat.handbook.statements import body, literal
from longfat.handbook.trace import Graph, Node, Tracing

PATH = """\
function path(system, start, steps, step, parameters) {  // the start, and the state after each update or step
  const { kind, low, high, rule, delays } = system, size = start.length, p = { ...system.parameters, ...parameters };
  const bounded = (x) => x.map((one, k) => max(low[k], min(high[k], one)));
  const past = [start.slice()], slopes = [];
  const before = (i, place) => {  // the state at a time, in steps since the start
    if (!(place > 0)) return start;
    if (kind === "map") return past[place];
    const node = max(0, min(max(i - 1, 0), floor(place))), theta = place - node, rest = 1 - theta;
    const y0 = past[node], y1 = past[node + 1] || y0, m0 = slopes[node], m1 = slopes[node + 1] || m0.map(() => 0);
    return y0.map((_, k) => rest * rest * ((1 + 2 * theta) * y0[k] + step * theta * m0[k]) +
      theta * theta * ((1 + 2 * rest) * y1[k] - step * rest * m1[k]));
  };
  for (let i = 0; i < steps; i++) {
    const state = past[i];
    if (kind === "map") {
      past.push(bounded(rule(i, state, delays(state, p).map((one) => before(i, i - floor(one))), p)));
      continue;
    }
    let change = new Array(size).fill(0);
    const total = new Array(size).fill(0);
    for (const [place, weight] of [[0, 1 / 6], [0.5, 1 / 3], [0.5, 1 / 3], [1, 1 / 6]]) {
      const x = bounded(state.map((one, k) => one + place * step * change[k]));
      change = rule((i + place) * step, x, delays(x, p).map((one) => before(i, i + place - one / step)), p);
      change = change.map((one, k) => (x[k] <= low[k] && one < 0) || (x[k] >= high[k] && one > 0) ? 0 : one);
      for (let k = 0; k < size; k++) total[k] += weight * change[k];
      if (slopes.length === i) slopes.push(change);
    }
    past.push(bounded(state.map((one, k) => one + step * total[k])));
  }
  return past;
}
"""


def systems(flows: int = 2) -> dict[str, System]:
    """Return the systems of `longfat.fluid` by name; ``flows`` is the number of flows in systems that model each flow.

    >>> sorted(systems())[:4]
    ['bbr', 'cadpc', 'cadpc_flow', 'capc']
    """
    equal = {name: getattr(fluid, name)() for name in ("cubic", "dctcp", "tcp_pie", "tcp_red")}
    each = {name: getattr(fluid, name)(flows) for name in ("bbr", "cadpc", "cadpc_flow", "capc", "xcp")}
    return equal | each


def module(chosen: Mapping[str, System] | None = None) -> str:
    """Return an ES module of systems, by default all; the module exports ``systems`` and the function ``path``."""
    entries = ",\n".join(f'"{name}": {entry(one)}' for name, one in sorted((chosen or systems()).items()))
    head = "// Written by longfat.handbook from the systems of longfat.fluid.\n"
    return f"{head}{RUNTIME}{PATH}const systems = {{\n{entries},\n}};\nexport {{ systems, path }};\n"


def entry(system: System) -> str:
    """Convert a system to a JavaScript object: kind, bounds, start, default parameters, rule and delays."""
    variables = [one for one in system.variables.values() for _ in range(one.length)]
    parameters = ", ".join(
        f"{name}: {_list([one.default] * one.length) if one.axis else literal(one.default)}"
        for name, one in system.parameters.items()
    )
    parts = [
        f"kind: {json.dumps(system.kind)}",
        f"time: {json.dumps(system.time)}",
        f"variables: {json.dumps([name for name, one in system.variables.items() for _ in range(one.length)])}",
        *(f"{name}: {_list([getattr(one, name) for one in variables])}" for name in ("start", "low", "high")),
        f"parameters: {{ {parameters} }}",
        f"rule(t, x, late, p) {{\n{_rule(system)}\n  }}",
        f"delays(x, p) {{\n{_delays(system)}\n  }}",
    ]
    return "{\n" + "".join(f"  {one},\n" for one in parts) + "}"


def _list(values: list[float]) -> str:
    return f"[{', '.join(literal(one) for one in values)}]"


def _arguments(system: System, graph: Graph) -> tuple[Node, dict[str, Node]]:
    """Return the node of the state, and a dict from each parameter's name to its node."""
    parameters = {
        name: graph.node("input", value=f"p.{name}", length=one.length)
        if one.axis
        else graph.node("parameter", value=f"p.{name}")
        for name, one in system.parameters.items()
    }
    return graph.node("input", value="x", length=system.size), parameters


def _rule(system: System) -> str:
    """Return the JavaScript statements of a rule: they compute the next state of a map, or a time derivative."""
    graph = Graph()
    xp: Any = Tracing(graph)
    x, parameters = _arguments(system, graph)
    count = len(system.late(x, parameters, xp))
    late = tuple(graph.node("input", value=f"late[{k}]", length=system.size) for k in range(count))
    return body(system.rule(graph.node("parameter", value="t"), x, late, parameters, xp))


def _delays(system: System) -> str:
    """Return the JavaScript statements that compute the list of a system's delays."""
    graph = Graph()
    xp: Any = Tracing(graph)
    x, parameters = _arguments(system, graph)
    late = system.late(x, parameters, xp)
    return body(xp.stack(late)) if late else "    return [];"
