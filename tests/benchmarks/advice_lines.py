"""The lines of `longfat buffer` given to the real tc: ``python -m tests.benchmarks.advice_lines [NAME]...``, as root.

For settings of `tests.benchmarks.advice` about buffers: the line with the token bucket runs at the sending host, whose
segmentation is unchanged, iperf3 sends through it, and a relay adds the delay. Stored beside the runs in
tests/data/advice.json, for docs/advice.md; with ``--without-room`` for the limit without room for joined packets.
"""

import argparse
import json
import os
import shlex
import subprocess
import time

import xarray as xr

from longfat.cli import buffer_lines
from longfat.cli.buffer_lines import CONTROLS, FRAME
from tests.benchmarks.advice import PACKET, read, write
from tests.measured.record import DEVICE, FAR, Hosts, Link

SKIPPED, LASTS = 3, 15  # s


def line(one, room=True):
    """Return the line that the command prints for a setting."""
    attrs = {"packet": PACKET, "rate": one["rate"], "share": one["share"], "scheme": one["scheme"]}
    advised = {"flows": one["flows"], "buffer_packets": one.get("today", one)["advice"]["buffer_packets"]}
    row = xr.Dataset(advised, attrs=attrs | {"discipline": "fifo", "find": "buffer"})
    packets = buffer_lines.in_lines(row) if room else int(row.buffer_packets)
    made = buffer_lines._fifo(row, packets)[1].lines[0]
    words = made.replace("DEV", DEVICE).split()
    return " ".join(words if room else [*words[:-1], str(packets * (PACKET + FRAME))])


def measured(one, command):
    """Return the rate of data [bytes/s] that iperf3 shows with the line; 0 if it could not even connect."""
    hosts = Hosts(Link(rate=1e9, delay=one["round_trip_time"] / 2, buffer=1e9))
    hosts.hosts[0].enter()
    subprocess.run(shlex.split(command), check=True)
    server = hosts.start("exec iperf3 -s -1", 1)
    time.sleep(0.3)
    hosts.hosts[0].enter()
    options = f"-C {CONTROLS[one['scheme']]} -P {one['flows']} -O {SKIPPED} -t {LASTS} -J"
    done = subprocess.run(["iperf3", "-c", FAR, *options.split()], capture_output=True, text=True, check=False)
    server.kill()
    print(one["name"], done.returncode, json.loads(done.stdout).get("error"), done.stderr, flush=True)
    return json.loads(done.stdout).get("end", {}).get("sum_received", {}).get("bits_per_second", 0.0) / 8


def main():
    """Measure in a process for each setting, and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--without-room", action="store_true")
    given = parser.parse_args()
    for one in read().values():
        if one["kind"] == "buffer" and (not given.names or one["name"] in given.names):
            child = os.fork()
            if child == 0:
                command = line(one, not given.without_room)
                rate = float(f"{measured(one, command):.4g}")
                found = read()
                key = "pasted_without_room" if given.without_room else "pasted_own"
                found[one["name"]][key] = {"line": command, "rate": rate}
                write(found)
                print(one["name"], command, rate / one["rate"] * PACKET / 1448, flush=True)
                os._exit(0)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main()
