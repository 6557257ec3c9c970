"""Values of the guard: counters of random networks, output of commands, names of plug-ins and public names."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from pathlib import Path

import longfat
from longfat import cli, fluid, sim
from longfat.fluid import systems
from longfat.law import registered
from longfat.sim import Simulation, queues, schemes, services
from tests.sim.networks import OWN, build

STORED = Path(__file__).parents[1] / "data" / "guard"
NETWORKS, DURATION = 200, 1.0  # networks; simulated seconds of each
#: Commands, by the file that stores their output: two settings of each that have an output without times.
COMMANDS = {
    "window": "window --rate 100Mbit/s --rtt 20ms --loss 1e-4,1e-3 --output out",
    "window_law": "window --rate 80..100Mbit/s --rtt 20..30ms --loss 1e-4..3e-4 --scheme bbr1 --no-simulation "
                  "--verbose",
    "window_kernel": "window --rate 1Gbit/s --rtt 20ms --kernel 6.18 --no-simulation",
    "buffer": "buffer --rate 10Mbit/s --rtt 20ms --flows 1,2 --replications 2 --output out",
    "buffer_files": "buffer --rate 10Mbit/s --rtt 20ms --file 30kB --scheme sack --replications 2 --output out",
    "curves": "curves --rate 10Mbit/s --rtt 20ms --scheme cubic --flows 1 --at 0.5,1 --replications 2 --output out",
    "curves_window": "curves --rate 10Mbit/s --rtt 20ms --scheme reno --flows 2 --over window --at 1 "
                     "--replications 2 --csv",
    "simulate": "simulate dumbbell --duration 5s --seed 3 --output out",
    "simulate_json": "simulate hosts --duration 2s --json",
    "simulate_list": "simulate --list",
    "benchmark": "benchmark --experiment 1,3-4 --scheme optimal,tahoe,packet-pair --replications 2",
    "benchmark_suite": "benchmark --suite bcp133 --experiment fairness --scheme vegas --replications 2",
    "measured": "measured {data}/ping.txt {data}/iperf3_tcp.json",
    "measured_json": "measured --json {data}/iperf3_udp.json",
    "verify_law": "verify --quick --law queues.md1_wait --workers 1",
    "verify_proof": "verify --quick --law power.power_ceiling --workers 1",
    "help": "--help",
}  # fmt: skip


def networks() -> dict[str, str]:
    """Return events, packets, bytes and the random streams of 200 networks, by seed; `DURATION` simulated seconds.

    Schemes and disciplines are those of the stored table of networks, so that a new one leaves the networks as they
    are, also when its name is stored.
    """
    drawn = {kind: (read("networks") or plug_ins())[kind] for kind in ("schemes", "disciplines")}
    known = [*drawn["schemes"].split(), *OWN]
    built = (build(seed, known=known, disciplines=drawn["disciplines"].split()) for seed in range(NETWORKS))
    return drawn | {str(seed): _network(net, seed) for seed, net in enumerate(built)}


def _network(net: sim.Network, seed: int) -> str:
    run = Simulation(net, rng=seed)
    run.advance(DURATION)
    counts = run.packet_counts()
    flows, links = run.state.flows, run.state.links
    fields = [flows[name].tobytes() for name in ("received_bytes", "dropped", "losses", "timeouts", "marks", "delay")]
    fields += [links[name].tobytes() for name in ("dropped", "marked", "largest_backlog")]
    counters, streams = (hashlib.sha256(b"".join(one)).hexdigest()[:16] for one in (fields, _streams(run)))
    return (
        f"events {run.state.row.events} sent {counts['sent']} received {counts['received']} "
        f"dropped {counts['dropped']} in_flight {counts['in_flight']} acks {counts['acks_sent']} "
        f"bytes {int(flows['received_bytes'].sum())} counters {counters} streams {streams}"
    )


def _streams(run: Simulation) -> list[bytes]:
    return [repr(stream.bit_generator.state).encode() for stream in (run.rng, run.traffic)]


def plug_ins() -> dict[str, str]:
    """Return the names of laws, schemes, disciplines, services and fluid models."""
    return {
        "laws": " ".join(name for name, _ in registered()),
        "schemes": " ".join(sorted(schemes.names())),
        "disciplines": " ".join(sorted({one.name for one in queues.NAMED.values()})),
        "services": " ".join(sorted(services.SERVICES)),
        "fluid models": " ".join(sorted(name for name in fluid.__all__ if name in dir(systems))),
    }


def public_names() -> dict[str, str]:
    """Return `__all__` of the package and of every public module that can be reached through it."""
    found: dict[str, str] = {}
    waiting = [("longfat", longfat)]
    while waiting:
        name, module = waiting.pop(0)
        found[name] = " ".join(sorted(module.__all__))
        members = ((one, getattr(module, one)) for one in sorted(module.__all__))
        waiting += [(f"{name}.{one}", inner) for one, inner in members if hasattr(inner, "__all__")]
    return found


def command(name: str, folder: Path) -> str:
    """Return what a command prints and the text files that it writes into an empty folder, without times."""
    words = COMMANDS[name].format(data=STORED.parent).split()
    out, error, before = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            status = cli.main(words)
    finally:
        os.chdir(before)
    parts = [f"$ longfat {COMMANDS[name]}", out.getvalue(), error.getvalue(), f"exit status {status}"]
    for path in sorted(folder.rglob("*")):
        text = path.read_text(encoding="utf-8") if path.suffix in (".csv", ".md", ".json") else ""
        parts.append(f"== {path.relative_to(folder)}\n{text}" if path.is_file() else "")
    text = "\n".join(filter(None, parts))
    text = re.sub(r"(\b(in|after) )\d[\d.e+-]* (ns|us|ms|s|min)\b|(wall_time\": )[\d.e-]+", r"\1\4TIME", text)
    for place, name in ((STORED.parent, "tests/data"), (Path(longfat.__file__).parent, "longfat"), (folder, "FOLDER")):
        text = text.replace(str(place), name)
    return text


def read(name: str) -> dict[str, str]:
    """Return the stored values of a file, by key; nothing if there is no such file."""
    path = STORED / f"{name}.txt"
    if not path.exists():
        return {}
    return dict(line.split(": ", 1) for line in path.read_text(encoding="utf-8").splitlines())


def write(name: str, values: dict[str, str]) -> None:
    """Store values, a line for each."""
    lines = [f"{key}: {value}\n" for key, value in values.items()]
    (STORED / f"{name}.txt").write_text("".join(lines), encoding="utf-8")


TABLES = {"plug-ins": plug_ins, "networks": networks, "names": public_names}
