"""Whether `longfat measured` finds policers: ``python -m tests.benchmarks.policing WHAT``.

WHAT is "policed", "losses" or "buffers", simulated transfers with which the test was built; "judged" or "rates",
simulated transfers that it was not built with; or "linux", Linux's own over an emulated path (as root). A row also has
the diagnosis without the times of packets, as from iperf3 alone. "shares" instead prints the share of the rate that one
flow gets through policers, with its loss. Transfers are drawn from the seed of their kind, so that counts are always of
the same ones. docs/measured.md has the counts.
"""

import argparse
import os
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from longfat import measured, sim
from longfat.measured.diagnosis import diagnosis
from longfat.sim.queues import policer
from tests.measured import record

#: Seed and number of transfers. The first three were looked at while the test was written, the next two were not. All
#: simulated ones of these were looked at when rates were called least ones, and the last ones judge that.
DRAWN = {
    "policed": (5, 24), "losses": (6, 36), "buffers": (7, 36), "judged": (30, 8), "linux": (31, 8), "rates": (33, 24),
}  # fmt: skip
SENDERS = {"sack": "reno", "cubic": "cubic", "bbr1": "bbr"}
PACKET, DATA = 1500, 1448  # bytes
LASTS, BYTES = 20.0, 4e6  # s and bytes at most


def drawn(what):
    """Return sender, round-trip time [s], rate [bytes/s], and bucket [bytes], loss or buffer [packets], of each."""
    seed, count = DRAWN[what]
    random, made = np.random.default_rng(seed), []
    for k in range(count):
        trip, rate = 0.01 * 8 ** random.random(), 2.5e5 * 10 ** random.random()  # 10 to 80 ms, 2 to 20 Mbit/s
        if what == "losses":
            size = 0.003 * 10 ** random.random()
        elif what == "buffers":
            size = int(random.integers(2, 30))
        else:
            size = 1e4 * 20 ** random.random()  # 10 to 200 kB
        made.append((tuple(SENDERS)[k % 3], trip, rate, size))
    return made


def simulated(what, number, sender, trip, rate, size):
    """Return the figures of the path of a simulated transfer, from its qlog."""
    if what == "losses":
        link = {"rate": rate, "loss": size, "buffer": round(1 + 2 * rate * trip / PACKET)}
    elif what == "buffers":
        link = {"rate": rate, "buffer": size}
    else:
        link = {"rate": 1.25e7, "discipline": policer(rate=rate, burst=size), "buffer": 2000}
    net = sim.Network().link("here", "there", delay=trip / 2, **link)
    parameters = dict(sim.schemes.linux(sender))
    net.flow(sender, path=["here", "there"], packet=PACKET, ack=52, ack_path="ideal", parameters=parameters)
    with tempfile.TemporaryDirectory() as folder:
        sim.run(net, duration=min(LASTS, BYTES / rate), qlog=folder, rng=number, progress=False)
        return measured.read(next(Path(folder).iterdir()))


def on_linux(what, number, sender, trip, rate, size):
    """Return the figures of the path of a transfer of Linux, from a capture at the sender."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            record.DATA = Path(folder)
            hosts = record.Hosts(record.Link(rate=1.25e7, delay=trip / 2, buffer=3e6, policer=(rate, size)))
            capture = record.Capture(hosts, "sent.pcap")
            hosts.iperf3(f"-n {BYTES:.0f} -C {SENDERS[sender]}", None)
            capture.end()
            os._exit(0)
        os.waitpid(child, 0)
        return measured.read(f"{folder}/sent.pcap")


def shares():
    """Print the share of a policer's rate that one flow gets, and its loss, by bucket [packets], means of two runs."""
    rate, trip = 2.5e6, 0.1
    for bucket in (20, 100, 400, 2000):
        row = []
        for sender in ("sack", "cubic", "bbr1", "bbr"):
            one = policer(rate=rate, burst=bucket * PACKET)
            net = sim.Network().link("here", "there", delay=trip / 2, rate=10 * rate, discipline=one, buffer=20_000)
            parameters = dict(sim.schemes.linux(sender))
            net.flow(sender, path=["here", "there"], packet=PACKET, ack=52, ack_path="ideal", parameters=parameters)
            runs = [sim.run(net, duration=100.0, warm_up=25.0, rng=k, progress=False) for k in range(2)]
            share, loss = (np.mean([data[name].item() for data in runs]) for name in ("goodput", "loss"))
            row.append(f"{sender} {share / rate:.3f}, loss {loss:.2g}")
        print(f"{bucket} packets", *row, sep="; ", flush=True)


def alone(path):
    """Return the diagnosis without the times of packets."""
    return diagnosis(replace(path, policed=None, limited_by="network")).kind


def main():
    """Print a row for each transfer, and how many are suspected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=(*DRAWN, "shares"))
    given = parser.parse_args()
    if given.what == "shares":
        shares()
        return
    transfer = on_linux if given.what == "linux" else simulated
    found, kinds = 0, Counter()
    for number, (sender, trip, rate, size) in enumerate(drawn(given.what)):
        path = transfer(given.what, number, sender, trip, rate, size)
        path = replace(path, control=SENDERS[sender])
        found += path.policed is True
        kinds[alone(path)] += 1
        said = [one for one in path.remarks if one.startswith("policed")]
        truth = (
            f"{8e-6 * rate:.3g} Mbit/s ({8e-6 * rate * DATA / PACKET:.3g} of data), {1000 * trip:.3g} ms, {size:.3g}"
        )
        print(
            f"{SENDERS[sender]}, {truth}: loss {path.loss:.3g}, {path.policed}, alone {alone(path)}",
            *said,
            sep="; ",
            flush=True,
        )
    print(f"{found} of {DRAWN[given.what][1]} suspected; alone: {dict(kinds)}")


if __name__ == "__main__":
    main()
