"""Runs of modules of laws in node, a JavaScript engine: many points in one process."""

import json
import math
import shutil
import subprocess

import pytest

NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="no JavaScript engine on this machine: apt-get install nodejs")

RUN = """
import { readFileSync } from "fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const found = [];
for (const { module, law, face, points } of given) {
  const { laws, evaluate } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(module));
  found.push(points.map((one) => String(evaluate(laws[law], one.map(Number), face))));
}
console.log(JSON.stringify(found));
"""


def evaluated(*requests):
    """Return for each request, (module, name of the law, face, points), what the module gives at the points."""
    given = [
        {"module": module, "law": law, "face": face, "points": [[_written(x) for x in one.values()] for one in points]}
        for module, law, face, points in requests
    ]
    command = [NODE, "--input-type=module", "-e", RUN]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return [[_read(text) for text in values] for values in json.loads(done.stdout)]


def _written(value):
    """Return a float as text from which JavaScript reads the same float; JSON has no infinity."""
    return repr(float(value)) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _read(text):
    return {"true": True, "false": False}[text] if text in ("true", "false") else float(text)
