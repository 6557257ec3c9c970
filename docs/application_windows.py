"""Table of credit windows of a real HTTP/2 pair: ``python -m docs.application_windows`` runs it and writes it as CSV.

Node's server sends without end to Node's client, over an emulated link of 200 Mbit/s between two hosts of
`longfat.testbed`. The client's stream has a window of the given size, its connection one of sixteen times that size.
The rate is that of TCP's data which arrive between START and END; 9 of 16,393 of these bytes are headers of frames.
It needs Linux, the right to create network namespaces, and ``node``.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longfat.testbed.network_namespaces import Host

TABLE = Path(__file__).resolve().parent / "data" / "application_windows.csv"
CONTROLS = ("cubic", "bbr")
WINDOWS, ROUND_TRIPS = (65_535, 262_144, 1_048_576), (0.02, 0.1)  # bytes, s
RATE, PAYLOAD_RATE = 25e6, 25e6 * 1448 / 1500  # of IP and of TCP's data [bytes/s]
START, END, SECOND = 4, 10, 1_000_000_000  # s, s, ns
MOST_LATE, ATTEMPTS = 0.01, 5  # ours: largest share of packets later than 2 ms, and number of attempts at a run
HEAD = (
    "congestion control,window [bytes],round-trip time [s],least by law [bytes/s],measured [bytes/s],"
    "most by law [bytes/s]\n"
)
SERVER = """
const http2 = require('http2'), block = Buffer.alloc(1 << 20)
http2.createServer().on('stream', stream => {
  const write = () => { while (stream.write(block)); }
  stream.on('error', () => {}).on('drain', write).respond({':status': 200})
  write()
}).listen(PORT, () => console.log('listening'))
"""
CLIENT = """
const http2 = require('http2')
const session = http2.connect('http://ADDRESS:PORT', {settings: {initialWindowSize: WINDOW}})
session.on('connect', () => {
  session.setLocalWindowSize(16 * WINDOW)
  session.request({':path': '/'}).on('data', () => {}).end()
})
"""


def program(text: str, **values: object) -> list[str]:
    """Return the command of a JavaScript program with values in place of names."""
    for name, value in values.items():
        text = text.replace(name, str(value))
    return ["node", "-e", text]


def is_tcp(packet: bytes) -> int:
    """Return 0, the number of the only connection, for a packet of TCP over IPv4, else -1."""
    return 0 if len(packet) >= 40 and packet[0] >> 4 == 4 and packet[9] == 6 else -1


def run(pipe: Pipe, control: str, window: int, round_trip: float) -> None:
    """Enter the hosts in a process of its own, and write rate [bytes/s] and share of late packets to a pipe."""
    # The simulator's libraries start threads, and are therefore imported after the hosts exist.
    from longfat.testbed import settings
    from longfat.testbed.network_namespaces import DEVICE, create_hosts
    from longfat.testbed.plan import RECEIVERS, SENDERS, Connection

    hosts = create_hosts()
    one = Connection(0, "http2", control=control, packet=1500, payload=1448)
    settings.apply(hosts, [one], settings.buffers(2 * RATE * round_trip, 1), {})
    # A namespace may not choose every congestion control as its default, but a route may name any.
    route = f"route change {one.address(RECEIVERS)}/32 dev {DEVICE} src {one.address(SENDERS)}"
    hosts[0].ip([f"{route} {settings.metrics(one, True)} congctl {control}"])
    hosts[0].enter()
    with subprocess.Popen(program(SERVER, PORT=one.port), stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        hosts[1].enter()
        command = program(CLIENT, ADDRESS=one.address(SENDERS), PORT=one.port, WINDOW=window)
        with subprocess.Popen(command) as client:
            pipe.send(carry(hosts, round_trip))
            client.kill()
        server.kill()


def carry(hosts: Sequence[Host], round_trip: float) -> tuple[float, float]:
    """Return the rate of the data that arrive between START and END [bytes/s], and the share of late packets."""
    from longfat.sim import Network
    from longfat.testbed.emulator import Emulator
    from longfat.testbed.ledger import Account
    from longfat.testbed.pump import Pump

    net = Network().link("a", "b", rate=RATE, delay=round_trip / 2).link("b", "a", rate=RATE, delay=round_trip / 2)
    net.flow("cubic", path=["a", "b"], packet=1500, ack=52)
    account, arrived = Account(), list[int]()

    def measure() -> None:
        arrived.append(account.in_order)

    pump = Pump(Emulator(net, duration=END + 1.0), (hosts[0].device, hosts[1].device), is_tcp, accounts=[account])
    pump.run(END * SECOND, [(START * SECOND, measure), (END * SECOND, measure)])
    return (arrived[1] - arrived[0]) / (END - START), pump.late


def measured(control: str, window: int, round_trip: float) -> float:
    """Return the rate of one pair [bytes/s] of the first attempt at which the machine was punctual."""
    for _ in range(ATTEMPTS):
        mine, other = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=run, args=(other, control, window, round_trip))
        process.start()
        other.close()
        try:
            rate, late = map(float, mine.recv())
        except EOFError:
            raise SystemExit("a run has failed; its reason stands above") from None
        process.join()
        print(
            f"{control}, {window} bytes, {round_trip:g} s: {rate:.4g} bytes/s, {late:.2%} of packets late",
            file=sys.stderr,
        )
        if late <= MOST_LATE:
            return rate
    raise SystemExit(
        f"more than {MOST_LATE:.0%} of the packets were late in {ATTEMPTS} attempts: run it on an idle machine"
    )


def main() -> None:
    """Write the table."""
    from longfat.design.application_windows import HTTP2

    if shutil.which("node") is None or os.geteuid() != 0:
        raise SystemExit("the table needs node, and the right to create network namespaces")
    made = HEAD
    for control, window, round_trip in itertools.product(CONTROLS, WINDOWS, ROUND_TRIPS):
        least, most = HTTP2.rates(window, (PAYLOAD_RATE,) * 2, (round_trip,) * 2)
        found = measured(control, window, round_trip)
        made += f"{control},{window},{round_trip:g},{least:.4g},{found:.4g},{most:.4g}\n"
    TABLE.write_text(made)


if __name__ == "__main__":
    main()
