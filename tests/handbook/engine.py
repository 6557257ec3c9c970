"""Runs of code in node, a JavaScript engine; modules of laws are evaluated at many points in one process."""

import json
import math
import shutil
import subprocess

import pytest

NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="no JavaScript engine on this machine: apt-get install nodejs")

RUN = """
const found = [];
for (const { module, law, face, points } of given) {
  const { laws, evaluate } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(module));
  found.push(points.map((one) => String(evaluate(laws[law], one.map(Number), face))));
}
show(found);
"""


def run(code, given=None):
    """Run a module in node, which sees ``given``, and return what it gives to ``show``."""
    begin = 'import { readFileSync } from "fs";\nconst given = JSON.parse(readFileSync(0, "utf8"));\n'
    begin += "const show = (value) => console.log(JSON.stringify(value, (key, x) => Number.isNaN(x) ? null : x));\n"
    command = [NODE, "--input-type=module", "-e", begin + code]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def evaluated(*requests):
    """Return the values of a module at points, for each request (module, name of the law, face, points)."""
    given = [
        {"module": module, "law": law, "face": face, "points": [[_written(x) for x in one.values()] for one in points]}
        for module, law, face, points in requests
    ]
    return [[_read(text) for text in values] for values in run(RUN, given)]


def _written(value):
    """Return text from which JavaScript reads the same float; JSON has no infinity."""
    return repr(float(value)) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _read(text):
    return {"true": True, "false": False}[text] if text in ("true", "false") else float(text)
