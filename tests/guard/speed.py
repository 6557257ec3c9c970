"""Report the time of `import longfat` and of three networks, beside those of the last report on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from longfat.sim import Network, Simulation

LAST = Path("build/guard_speed.json")  # not in the repository: times of another machine say nothing
REPEATED = 5
NETWORKS = {
    "reno, 1 flow": lambda: Network.dumbbell(["reno"], rate="100 Mbit/s", delay="20 ms", buffer=100),
    "cubic, 20 flows": lambda: Network.dumbbell(["cubic"] * 20, rate="100 Mbit/s", delay="20 ms", buffer=300),
    "bbr and cubic, codel": lambda: Network.dumbbell(
        ["bbr", "cubic"], rate="100 Mbit/s", delay="20 ms", buffer=300, discipline="codel"
    ),
}


def report() -> str:
    """Return a line for each figure: the least of five times, and its ratio to that of the last report."""
    here = {"import longfat [s]": min(_import() for _ in range(REPEATED))}
    for name, build in NETWORKS.items():
        here[f"{name} [ns/event]"] = min(_run(build()) for _ in range(REPEATED))
    last = json.loads(LAST.read_text(encoding="utf-8")) if LAST.exists() else {}
    LAST.parent.mkdir(exist_ok=True)
    LAST.write_text(json.dumps(here), encoding="utf-8")
    return "\n".join(
        f"{name:32}{value:10.4g}" + (f"{value / last[name]:8.3f} of the last report" if name in last else "")
        for name, value in here.items()
    )


def _import() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import longfat"], check=True)
    return time.perf_counter() - begun


def _run(net: Network) -> float:
    run = Simulation(net, rng=1)
    run.advance(0.1)  # loads and compiles once, outside of the timing
    begun, before = time.perf_counter(), int(run.state.row.events)
    run.advance(20.0)
    return 1e9 * (time.perf_counter() - begun) / (int(run.state.row.events) - before)


if __name__ == "__main__":
    print(report())
