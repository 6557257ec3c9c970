"""Figures of the emulated link in real time, as JSON: ``python -m tests.testbed.real_time sockets|tun MBIT/S PACKETS``.

Pings of 1000 bytes cross a path of 2 x 5 ms one by one. Then packets are offered at 1.2 times the rate of the link,
whose buffer holds 50. Each is compared with an ideal FIFO, packet by packet, given when it entered the network.

"sockets": a process plays both hosts. "tun": Linux does, with ICMP and UDP; this needs the rights of the testbed.
With a fourth argument, "store", the figures are kept in tests/data/linux_link.json, for docs/linux.md.
"""

import contextlib
import json
import os
import socket
import struct
import sys
import time
from pathlib import Path

PINGS, GAP, SIZE, DELAY, ROOM = 200, 15_000_000, 1000, 5_000_000, 50
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35  # asm-generic/socket.h
STORED = Path(__file__).parents[1] / "data" / "linux_link.json"
PORT, PAUSE = 4000, 1.0  # s, between both parts


class Sockets:
    """Two hosts in one process; what they send is no IP."""

    headers = answer = 0

    def __init__(self):
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)]
        for one in sum(pairs, ()):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self.near, self.far = zip(*pairs, strict=True)
        self.devices = [one.fileno() for one in self.near]

    def ping(self):
        begin = time.monotonic_ns()
        self.far[0].send(bytes(SIZE))
        self.far[1].send(receive(self.far[1], DELAY)[0])
        receive(self.far[0], DELAY)
        return time.monotonic_ns() - begin

    def begin(self, side):
        for one in self.near:
            one.close()
        if side:
            self.far[1].settimeout(2.0)
            prefer()

    def offer(self, packet):
        self.far[0].send(packet)

    def take(self):
        self.far[1].recv(4096)
        return time.monotonic_ns()


class Tun:
    """Two hosts of Linux."""

    headers = 28  # IPv4 and UDP or ICMP

    def __init__(self):
        from longfat.testbed.network_namespaces import DEVICE, connect, create_hosts

        self.hosts = create_hosts()
        own = "10.64.0.1", "10.65.0.1"
        for k, host in enumerate(self.hosts):
            route = f"route add {own[1 - k]}/32 dev {DEVICE} src {own[k]}"
            connect(host, f"{own[k]}/32", mtu=1500, routes=[route], settings={})
        self.devices = [one.device for one in self.hosts]
        self.address = own[1]

    def begin(self, side):
        self.hosts[side].enter()
        if side:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            self.socket.bind((self.address, PORT))
            self.socket.settimeout(2.0)
        else:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
            self.echo.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            self.echo.connect((self.address, 0))

    def ping(self):
        packet = bytearray(SIZE - 20)
        packet[0] = 8  # echo request (RFC 792); the payload of zeros adds nothing to the checksum
        packet[2:4] = struct.pack(">H", ~0x0800 & 0xFFFF)
        begin = time.time_ns()
        self.echo.send(packet)
        return stamped(receive(self.echo, 2 * DELAY)) - begin

    def offer(self, packet):
        self.socket.sendto(packet[self.headers :], (self.address, PORT))

    def take(self):
        return stamped(self.socket.recvmsg(4096, 64))


def stamped(received):
    """Return when Linux has received a packet [ns]: on a busy machine the process takes it later."""
    ((_, _, stamp),) = received[1]
    seconds, rest = struct.unpack("qq", stamp)
    return seconds * 10**9 + rest


def receive(host, delay):
    """Receive a packet that takes longer than a delay [ns], at the end without sleeping.

    So the time that the process takes to wake up is not measured. A process that never
    sleeps would be stopped for 50 ms in each second (sched_rt_runtime_us).
    """
    time.sleep((delay - 10**6) / 1e9)
    begin = time.monotonic()
    while time.monotonic() < begin + 1:
        try:
            return host.recvmsg(4096, 64, socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
    raise TimeoutError("a ping is lost")


def prefer():
    """Let other work wait for this process, where that is allowed, and this process for the emulator."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def send(hosts, rate, count, listener):
    """Play the first host: return the times of pings [ns]; then offer packets that end with their number."""
    times, due = [], time.monotonic_ns()
    prefer()
    for _ in range(PINGS):
        due += GAP
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        times.append(hosts.ping())
    os.write(listener, b"x")
    time.sleep(PAUSE)
    due = time.monotonic_ns()
    for k in range(count):
        due += round(8 * SIZE * 10**9 / rate / 1.2)
        if k % 8 == 7:  # in batches, so that several arrive within the transmission of one
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        hosts.offer(bytes(SIZE - 4) + k.to_bytes(4, "big"))
    return times


def listen(hosts):
    """Play the second host: return when packets of the second part have come [ns]."""
    times = []
    try:
        while True:
            times.append(hosts.take())
    except TimeoutError:
        return times


def play(hosts, side, role, *given):
    """Start a process that plays a host once something is written to it; return where to write and to read."""
    begin, result = os.pipe(), os.pipe()
    if os.fork() == 0:
        hosts.begin(side)
        os.read(begin[0], 1)
        os.write(result[1], json.dumps(role(hosts, *given)).encode())
        os._exit(0)
    os.close(result[1])
    return begin[1], os.fdopen(result[0])


class Log:
    """Packets as they enter the network, and as they are due."""

    def __init__(self, emulator):
        self.emulator, self.arrivals, self.due = emulator, [], []

    def count_sent(self, back, packet):
        if not back:
            self.arrivals.append((self.emulator.now, len(packet), bytes(packet[-4:])))

    def count_received(self, delivery):
        if not delivery.back:
            self.due.append((delivery.time_ns, delivery.packet[-4:]))


def main(kind, mbit, count, store=""):
    """Measure, and print or store the figures."""
    rate = int(mbit) * 10**6
    hosts = {"sockets": Sockets, "tun": Tun}[kind]()
    listener, arrivals = play(hosts, 1, listen)
    sender, trips = play(hosts, 0, send, rate, int(count), listener)
    if kind == "sockets":
        for one in hosts.far:
            one.close()
    import numpy as np

    from longfat.sim import Network
    from longfat.testbed.emulator import Emulator
    from longfat.testbed.pump import STANDSTILL_NS, Pump
    from tests.testbed.test_emulator import ideal_fifo

    net = Network().link("a", "b", rate=rate / 8, delay=DELAY / 1e9, buffer=ROOM, duplex=True)
    emulator = Emulator(net.flow("sack", path=["a", "b"]))
    log = Log(emulator)
    pump = Pump(emulator, tuple(hosts.devices), lambda packet: 0, accounts=[log])
    pump.run(60 * 10**9, [(0, lambda: os.write(sender, b"x"))], arrivals.fileno())
    trips = np.array(json.load(trips)) - (2 * DELAY + 2 * 8 * 10**9 * SIZE // rate)
    expected = ideal_fifo([one[:2] for one in log.arrivals], rate, ROOM, DELAY)
    verdicts = [(due, name) for (_, _, name), due in zip(log.arrivals, expected, strict=True) if due is not None]
    made = {
        "packets": len(expected),
        "dropped": expected.count(None),
        "unlike the ideal FIFO": len(set(verdicts) ^ set(log.due)),
        "round trip beyond the ideal [us]": quantiles(trips),
        "lateness [us]": quantiles(pump.lateness),
        "late": pump.late,
        "refused": pump.refused,
        "real time": pump.real_time,
    }
    arrived = np.array(json.load(arrivals))
    if len(arrived) > 1000:
        first = 2 * PINGS + 100  # the queue has begun to be full
        arrived, lateness = arrived[100:], np.array(pump.lateness)[first:]
        stood = lateness[lateness > STANDSTILL_NS].sum()
        # By the times at which they were due, each the ideal FIFO's: where the sender was late, the link fell idle.
        ideal = log.due[-1][0] - log.due[-len(arrived)][0]
        made["stood still [us]"] = float(stood / 1e3)
        made["rate error by the clock"] = ideal / (arrived[-1] - arrived[0]) - 1
        made["rate error"] = ideal / (arrived[-1] - arrived[0] - stood) - 1
    if store:
        kept = json.loads(STORED.read_text()) if STORED.exists() else {}
        kept[f"{kind} {mbit}"] = made
        STORED.write_text(json.dumps(kept, indent=1) + "\n")
    else:
        print(json.dumps(made, indent=1))


def quantiles(values):
    """Return the median and the tail of times, in microseconds."""
    import numpy as np

    shares = (0.05, 0.5, 0.95, 0.99, 1.0)
    return dict(zip(map(str, shares), np.round(np.quantile(values, shares) / 1e3, 1).tolist(), strict=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
