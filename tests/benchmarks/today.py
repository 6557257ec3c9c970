"""The TCP and the queue disciplines of today, here and in ns-3: one bottleneck, three buffers, several starts.

``python -m tests.benchmarks.today`` runs the cases in both simulators and stores what they counted in
tests/data/peers.csv, from which ``python -m docs.peers`` writes docs/peers.md; with numbers it runs only these of
`COMPARISONS`. NS3_PYTHON names the interpreter that has ns-3's wheel; with ``--here`` only our simulator runs, and the
rows of ns-3 stay as stored.
"""

import argparse
import csv
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from longfat import sim
from longfat.replication.intervals import half_width
from longfat.sim import queues
from longfat.sim.runs import results
from tests.benchmarks import ns3_rules

HERE = Path(__file__).parent
NS3 = os.environ.get("NS3_PYTHON", sys.executable)
RATE, DELAY, PACKET = 20, 20, 1500  # Mbit/s, ms one way, bytes
FLOWS, WARM_UP, SECONDS, REPLICATIONS = 3, 15.0, 45.0, 8
PRODUCT = RATE * 1e6 * 2 * DELAY / 1e3 / 8 / PACKET  # packets
BUFFERS = {share: int(share * PRODUCT) for share in (0.25, 1, 4)}
THRESHOLD = 10  # packets, of step-marking
#: Options of the schemes here that make the sender ns-3's: its timer, no HyStart (neither there), no RACK.
SENDER = {
    "min_rto": 1.0,
    "first_rto": 1.0,
    "hystart": 0.0,
    "prr": 0.0,
    "rack": 0.0,
    "full_reno": 0.0,
    "delayed_ack": 2.0,
    "initial_window": 10.0,
}
QUANTITIES = ("goodput", "loss", "queue", "marks")


def starts(replication):
    """Return the starts of the flows [s], the same in both simulators."""
    return [round(float(time), 4) for time in np.random.default_rng(replication).uniform(0.0, 1.0, FLOWS)]


def case(scheme, discipline, share, replication, ours=None, options=None):
    """Return one case; `ours` are parameters here, `options` attributes of ns-3.

    Of `ours`, "scheme" is the name of one of `ns3_rules`; of `options`, "mend" are names of rules for `ns3_today`.
    """
    options = dict(options or {})
    return {
        "scheme": scheme,
        "discipline": discipline,
        "share": share,
        "buffer": BUFFERS[share],
        "run": replication + 1,
        "starts": starts(replication),
        "rate": RATE,
        "delay": DELAY,
        "warm_up": WARM_UP,
        "seconds": SECONDS,
        "threshold": THRESHOLD,
        "ours": ours or {},
        "mend": options.pop("mend", []),
        "options": options,
    }


def here(one):
    """Return what our simulator counts in a case."""
    ours = dict(one["ours"])
    discipline = {"drop-tail": "fifo"}.get(one["discipline"], one["discipline"])
    settings = {name[6:]: ours.pop(name) for name in list(ours) if name.startswith("queue:")}
    if discipline == "step-marking":
        settings.setdefault("packets", one["threshold"] - 1)  # ns-3 marks from the threshold on
    if settings:
        discipline = queues.discipline(discipline)(**settings)
    net = sim.Network().link(
        "a", "b", rate=f"{RATE} Mbit/s", delay=DELAY / 1e3, buffer=one["buffer"], discipline=discipline
    )
    net.link("b", "a", rate=f"{RATE} Mbit/s", delay=DELAY / 1e3)
    named = ours.pop("scheme", one["scheme"])
    scheme = sim.schemes.scheme(ns3_rules.NAMED.get(named, named))
    parameters = {name: value for name, value in {**SENDER, **ours}.items() if name in scheme.parameters}
    for start in one["starts"]:
        net.flow(scheme, path=["a", "b"], start=start, packet=PACKET, ack=42, parameters=parameters)
    run = sim.Simulation(net, rng=one["run"])
    run.prepare()
    run.advance(one["warm_up"])
    before = results.snapshot(run)
    run.advance(one["seconds"])
    found = results.measure(run, before, results.snapshot(run))
    return {
        "received": float(found["delivered"].sum()),
        "arrived": float(found["arrived"][0]),
        "dropped": float(found["link_dropped"][0]),
        "marked": float(found["link_marked"][0]),
        "queue": float(found["mean_queue"][0]),
        "wall_time": run.wall_time,
    }


def there(cases):
    """Return what ns-3 counts in these cases."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "cases.json"), Path(folder, "results.json")
        source.write_text(json.dumps(cases))
        done = subprocess.run(
            [NS3, str(HERE / "ns3_today.py"), str(source), str(target)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-2000:])
        return json.loads(target.read_text())


def quantities(result, seconds):
    """Return goodput [share of the rate], loss and marks [share of arrivals], and mean backlog [packets]."""
    return {
        "goodput": result["received"] * PACKET * 8 / (RATE * 1e6 * seconds),
        "loss": result["dropped"] / result["arrived"],
        "queue": result["queue"],
        "marks": result["marked"] / result["arrived"],
    }


def interval(values):
    """Return mean and half-width of the 95 % confidence interval."""
    return float(np.mean(values)), float(half_width(np.asarray(values), 0.95))


#: Comparisons: scheme, discipline, shares of the bandwidth-delay product, parameters here, attributes of ns-3, remark.
#: The first six have the rules alike that docs/peers.md lists first; in the others more rules are switched, or fewer.
SAME = "same rules"
ALL = (0.25, 1, 4)
EVERY_PACKET = {"TcpSocket::DelAckCount": "1"}
EVERY_PACKET_HERE = {"delayed_ack": 1.0}
FOUND = {**EVERY_PACKET, "mend": ["found"]}
#: BBR also with time stamps, which give a round-trip time in recovery, and without its addition to the window.
PLAIN = {
    **EVERY_PACKET,
    "mend": ["found", "plain"],
    "TcpSocketBase::Timestamp": "true",
    "TcpSocket::SegmentSize": "1446",
}
#: Rules of ns-3's BBR here: see `ns3_rules`. A handshake takes 40 ms, and 46 us for two packets of 58 bytes.
PARTIAL = {**EVERY_PACKET_HERE, "scheme": "bbr1-ns3", "partial": 1.0}
BBR_RULES = {
    "pacing margin": {"pacing_margin": 0.01},
    "probing segments": {"probing_segments": 1.0},
    "short conservation": {"new_round": 0.0},
    "handshake": {"handshake_rtt": 0.040046},
}
EVERY_RULE = {name: value for one in BBR_RULES.values() for name, value in one.items()}
PHASES = ["plain", "phases"]
SHORT_TIMEOUT = {"TcpSocketBase::MinRto": "200ms"}
COMPARISONS = (
    ("dctcp", "step-marking", ALL, {}, {}, SAME),
    ("bbr1", "drop-tail", ALL, {}, {}, SAME),
    ("cubic", "pie", ALL, {}, {}, SAME),
    ("cubic", "drop-tail", ALL, {}, {}, SAME),
    ("cubic", "fq-codel", ALL, {}, {}, SAME),
    ("cubic", "codel", ALL, {}, {}, SAME),
    ("dctcp", "step-marking", ALL, {"scheme": "dctcp-holding"}, {}, "window held after a mark"),
    ("bbr1", "drop-tail", (0.25, 1), {"min_rto": 0.2}, SHORT_TIMEOUT, "least timeout of 0.2 s in both"),
    ("bbr1", "drop-tail", (0.25, 1), EVERY_PACKET_HERE, FOUND, "lost retransmissions found"),
    (
        "bbr1", "drop-tail", (0.25, 1), PARTIAL, PLAIN,
        "found, plain BBR, partial acknowledgments",
    ),
    *(
        ("bbr1", "drop-tail", (1,), {**PARTIAL, **ours}, PLAIN, f"found, plain BBR, partial acknowledgments, {rule}")
        for rule, ours in BBR_RULES.items()
    ),
    ("bbr1", "drop-tail", (0.25, 1), {**PARTIAL, **EVERY_RULE}, PLAIN, "found, plain BBR, all rules"),
    (
        "bbr1", "drop-tail", (0.25, 1), {**PARTIAL, **EVERY_RULE, "partial": 0.0}, PLAIN,
        "found, plain BBR, all rules but partial acknowledgments",
    ),
    (
        "bbr1", "drop-tail", (1,), {**PARTIAL, **EVERY_RULE, "partial": 0.0}, {**PLAIN, "mend": ["found", *PHASES]},
        "found, plain BBR, all rules but partial acknowledgments, phases",
    ),
    ("bbr1", "drop-tail", (4,), {}, {"mend": ["plain"]}, "plain BBR"),
    *(
        ("bbr1", "drop-tail", (4,), {"scheme": "bbr1-ns3", **ours}, {"mend": ["plain"]}, f"plain BBR, {rule}")
        for rule, ours in {**BBR_RULES, "all rules": EVERY_RULE}.items() if rule != "short conservation"
    ),
    (
        "bbr1", "drop-tail", (4,), {"scheme": "bbr1-ns3", **EVERY_RULE}, {"mend": PHASES},
        "plain BBR, all rules, phases",
    ),
    ("cubic", "drop-tail", ALL, {"scheme": "cubic-whole"}, {}, "whole packets, growth at the end of recovery"),
    ("cubic", "fq-codel", ALL, {"scheme": "cubic-whole"}, {}, "whole packets, growth at the end of recovery"),
    ("cubic", "codel", ALL, {"scheme": "cubic-whole"}, {}, "whole packets, growth at the end of recovery"),
    ("cubic", "codel", (0.25,), {"scheme": "cubic-whole", "exit_growth": 0.0}, {}, "whole packets"),
    (
        "cubic", "drop-tail", (1,), {"prr": 1.0}, {"TcpL4Protocol::RecoveryType": "ns3::TcpPrrRecovery"},
        "each with its proportional rate reduction",
    ),
    ("cubic", "drop-tail", (1,), {"full_reno": 1.0}, {}, "Reno-friendly growth of RFC 9438 here, RFC 8312 there"),
)  # fmt: skip
STORED = HERE.parent / "data" / "peers.csv"
COLUMNS = ("scheme", "discipline", "rules", "share", "replication", "simulator", *QUANTITIES)


@functools.cache
def there_once(text):
    """Return what ns-3 counts in cases given as JSON, which several comparisons may have in common."""
    return there(json.loads(text))


def compare(scheme, discipline, shares, ours, options, remark, kept=None):
    """Return the rows of one comparison, of both simulators; `kept` are those of ns-3 if it is not to run."""
    cases = [case(scheme, discipline, s, r, ours, options) for s in shares for r in range(REPLICATIONS)]
    made = _rows("here", [here(one) for one in cases], cases, remark)
    if kept is not None:
        return made + kept
    by_share = (cases[k : k + REPLICATIONS] for k in range(0, len(cases), REPLICATIONS))
    theirs = [result for some in by_share for result in there_once(json.dumps([{**one, "ours": {}} for one in some]))]
    return made + _rows("ns-3", theirs, cases, remark)


def _rows(simulator, found, cases, remark):
    """Return the rows of what a simulator counted."""
    return [
        {"scheme": one["scheme"], "discipline": one["discipline"], "rules": remark, "share": one["share"]}
        | {"simulator": simulator, "replication": one["run"]}
        | {key: f"{value:.6g}" for key, value in quantities(result, one["seconds"] - WARM_UP).items()}
        for one, result in zip(cases, found, strict=True)
    ]


def stored():
    """Return the rows that are stored, by scheme, discipline and rules."""
    rows = {}
    if STORED.exists():
        with STORED.open(newline="") as file:
            for row in csv.DictReader(file):
                rows.setdefault((row["scheme"], row["discipline"], row["rules"]), []).append(row)
    return rows


def main():
    """Run the comparisons that are asked for, and store the rows of each when it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int)
    parser.add_argument("--here", action="store_true")
    given = parser.parse_args()
    for comparison in [COMPARISONS[k] for k in given.numbers] or COMPARISONS:
        rows, name = stored(), (*comparison[:2], comparison[-1])
        kept = [row for row in rows.get(name, ()) if row["simulator"] == "ns-3"] if given.here else None
        rows[name] = compare(*comparison, kept)
        with STORED.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for one in COMPARISONS:
                writer.writerows(rows.get((*one[:2], one[-1]), ()))
        print(*comparison, flush=True)


if __name__ == "__main__":
    main()
