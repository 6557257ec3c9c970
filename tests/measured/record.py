"""Record tests/data/measured anew: the real programs over paths whose rate, delay and loss are known.

Two hosts (`longfat.testbed.network_namespaces`) are joined by the relay below, which reads no more of a packet than its
length. Run as root, with iperf3, iproute2, iputils and tcpdump: ``python -m tests.measured.record [NAME ...]``.
"""

from __future__ import annotations

import heapq
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from longfat.testbed.network_namespaces import DEVICE, connect, create_hosts

DATA = Path(__file__).parents[1] / "data" / "measured"
NEAR, FAR = "10.64.0.1", "10.128.0.1"


@dataclass(frozen=True)
class Link:
    """The forward link; the reverse link has the same delay and nothing else."""

    rate: float = 2.5e6  # bytes/s, IP headers included
    delay: float = 0.01  # s, of each way
    buffer: float = 75_000  # bytes
    loss: float = 0.0
    duplicates: float = 0.0
    policer: tuple[float, float] | None = None  # rate [bytes/s] and bucket [bytes]


class Relay(threading.Thread):
    """Carries packets between two devices."""

    def __init__(self, link: Link, there: int, back: int) -> None:
        super().__init__(daemon=True)
        self.link, self.there, self.back = link, there, back
        self.random = random.Random(1)
        self.free = self.filled = time.monotonic()  # when the link is free; when the bucket was filled
        self.tokens = link.policer[1] if link.policer else 0.0
        self.counts = {"packets": 0, "overflows": 0, "random losses": 0, "policed": 0}
        self.heap: list[tuple[float, int, int, bytes]] = []

    def run(self) -> None:
        """Carry packets until the process ends."""
        poll = select.poll()
        for device in (self.there, self.back):
            poll.register(device, select.POLLIN)
        number = 0
        while True:
            wait = max(0.0, self.heap[0][0] - time.monotonic()) if self.heap else 1.0
            ready = poll.poll(1000 * wait) if wait > 2e-4 else poll.poll(0)
            now = time.monotonic()
            for device, _ in ready:
                for _ in range(64):
                    try:
                        packet = os.read(device, 65536)
                    except BlockingIOError:
                        break
                    due = self.forward(now, packet) if device == self.there else [now + self.link.delay]
                    for at in due:
                        number += 1
                        heapq.heappush(
                            self.heap, (at, number, self.back if device == self.there else self.there, packet)
                        )
            while self.heap and self.heap[0][0] <= time.monotonic():
                _, _, device, packet = heapq.heappop(self.heap)
                os.write(device, packet)

    def forward(self, now: float, packet: bytes) -> list[float]:
        """Return when copies of a packet arrive."""
        link, size = self.link, len(packet)
        self.counts["packets"] += 1
        if self.random.random() < link.loss:
            self.counts["random losses"] += 1
            return []
        if link.policer:
            rate, bucket = link.policer
            self.tokens = min(bucket, self.tokens + rate * (now - self.filled))
            self.filled = now
            if self.tokens < size:
                self.counts["policed"] += 1
                return []
            self.tokens -= size
        if (self.free - now) * link.rate + size > link.buffer:
            self.counts["overflows"] += 1
            return []
        self.free = max(self.free, now) + size / link.rate
        copies = 2 if self.random.random() < link.duplicates else 1
        return [self.free + link.delay] * copies


class Hosts:
    """Two hosts and the relay between them."""

    def __init__(self, link: Link, settings: dict[str, object] | None = None) -> None:
        self.hosts = create_hosts(2)
        ways = ((f"{NEAR}/32", FAR), (f"{FAR}/32", NEAR))
        for host, (own, other) in zip(self.hosts, ways, strict=True):
            routes = [f"route add {other}/32 dev {DEVICE} src {own[:-3]}"]
            base = {"ipv4/tcp_no_metrics_save": 1}
            connect(
                host,
                own,
                mtu=1500,
                routes=[f"address add {own} dev {DEVICE}", *routes],
                settings=base | (settings or {}),
            )
        self.truth: dict[str, dict[str, object]] = {}  # what the relay counted during each recording
        self.capture = ""
        self.relay = Relay(link, self.hosts[0].device, self.hosts[1].device)
        self.relay.start()

    def start(self, command: str, host: int = 0, file: str | None = None) -> subprocess.Popen[bytes]:
        """Start a command on a host."""
        out = (DATA / file).open("wb") if file else subprocess.DEVNULL
        return subprocess.Popen(command, shell=True, stdout=out, stderr=subprocess.STDOUT if file else None,
                                preexec_fn=self.hosts[host].enter)  # fmt: skip

    def run(self, command: str, host: int = 0, file: str | None = None) -> None:
        """Run a command on a host to its end."""
        self.start(command, host, file).wait()

    def iperf3(self, options: str, file: str | None, server: str | None = None) -> None:
        """Run iperf3 between the hosts."""
        listening = self.start("iperf3 -s -1" + (" -J" if server else ""), 1, server)
        time.sleep(0.3)
        before = dict(self.relay.counts)
        self.run(f"iperf3 -c {FAR} {options} --json", file=file)
        listening.wait()
        if file or self.capture:
            counts = {name: count - before[name] for name, count in self.relay.counts.items()}
            self.truth[file or self.capture] = {"options": options, **counts}


def sampled(hosts: Hosts, file: str, every: float = 0.25) -> subprocess.Popen[bytes]:
    """Start to take samples of the sockets to the far host."""
    return hosts.start(
        f"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep {every}; ss -tin dst {FAR} dport = 5201; done", file=file
    )


@contextmanager
def captured(hosts: Hosts, file: str, options: str = f"-i {DEVICE}", host: int = 0) -> Iterator[None]:
    """Run tcpdump at the sender, or at the receiver, and keep what it has written."""
    hosts.capture = file
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "x.pcap")
        process = hosts.start(f"exec tcpdump -q -n -s 96 --immediate-mode -w {temporary} {options} tcp port 5201", host)
        time.sleep(0.6)
        yield
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.wait()
        hosts.capture = ""
        shutil.copyfile(temporary, DATA / file)


def clean() -> Hosts:
    """Record a flow that the network limits: 20 Mbit/s, 20 ms, a buffer of 30 ms."""
    hosts = Hosts(Link())
    for i in (1, 2, 3):
        hosts.iperf3("-t 3 -i 0.5 -C cubic", f"clean-{i}.json")
    with sampled(hosts, "clean.ss"), hosts.start(f"ping -D -i 0.2 -c 12 {FAR}", file="loaded.ping"):
        hosts.iperf3("-t 3 -i 1 -C cubic", None)
    hosts.run(f"ping -c 10 -i 0.2 {FAR}", file="idle.ping")
    hosts.iperf3("-t 3 -P 4 -C cubic", "parallel.json")
    hosts.iperf3("-t 3 -R -C cubic", "reverse.json", server="reverse-server.json")
    hosts.iperf3("-t 3 -C bbr -i 0.5", "bbr.json")
    with captured(hosts, "clean.pcap", f"-i {DEVICE} --time-stamp-precision=nano"):
        hosts.iperf3("-n 700K -C cubic", None)
    return hosts


def lossy() -> Hosts:
    """Record random loss: 20 Mbit/s, 20 ms, one packet in a hundred."""
    hosts = Hosts(Link(loss=0.01))
    hosts.iperf3("-t 4 -C cubic", "lossy.json")
    with sampled(hosts, "lossy.ss"):
        hosts.iperf3("-t 3 -C cubic", None)
    with captured(hosts, "lossy.pcap"):
        hosts.iperf3("-n 700K -C cubic", None)
    with captured(hosts, "lossy-receiver.pcap", host=1):
        hosts.iperf3("-n 700K -C cubic", None)
    hosts.run(f"tshark -r {DATA}/lossy.pcap -F pcapng -w {DATA}/lossy.pcapng")
    hosts.iperf3("-u -b 10M -l 1400 -t 4", "lossy-udp.json")
    return hosts


def overload() -> Hosts:
    """Record UDP at one and a half times the rate of the link."""
    hosts = Hosts(Link())
    hosts.iperf3("-u -b 30M -l 1400 -t 3 --get-server-output", "overload-udp.json")
    return hosts


def policed() -> Hosts:
    """Record a policer: 5 Mbit/s and a bucket of 30 kB, on a link of 100 Mbit/s."""
    hosts = Hosts(Link(rate=12.5e6, buffer=1e6, policer=(625e3, 30e3)))
    with sampled(hosts, "policed.ss", 0.4):
        hosts.iperf3("-t 5 -i 0.5 -C cubic", "policed.json")
    with captured(hosts, "policed.pcap"):
        hosts.iperf3("-n 700K -C cubic", None)
    return hosts


def receiver() -> Hosts:
    """Record a flow that the receiver's window limits: its buffer has at most 64 kB."""
    hosts = Hosts(Link(rate=12.5e6, buffer=1e6))
    hosts.hosts[1].write("ipv4/tcp_rmem", "4096 32768 65536")
    with sampled(hosts, "receiver.ss"):
        hosts.iperf3("-t 3 -i 0.5 -C cubic", "receiver.json")
    with captured(hosts, "receiver.pcap"):
        hosts.iperf3("-n 700K -C cubic", None)
    return hosts


def sender() -> Hosts:
    """Record flows that the sender limits: by its buffer of at most 32 kB, and by its application."""
    hosts = Hosts(Link(rate=12.5e6, buffer=1e6))
    hosts.iperf3("-t 3 -i 0.5 -b 4M -l 16K -C cubic", "application.json")
    with sampled(hosts, "application.ss"):
        hosts.iperf3("-t 3 -i 0.5 -b 4M -l 16K -C cubic", None)
    hosts.hosts[0].write("ipv4/tcp_wmem", "4096 16384 32768")
    with sampled(hosts, "send-buffer.ss"):
        hosts.iperf3("-t 3 -i 0.5 -C cubic", "send-buffer.json")
    return hosts


def pings() -> Hosts:
    """Record pings of a path that loses a tenth and doubles a tenth."""
    hosts = Hosts(Link(loss=0.1, duplicates=0.1))
    hosts.run(f"ping -O -c 40 -i 0.05 {FAR}", file="lossy.ping")
    hosts.run(f"ping -O -c 40 -i 0.05 {NEAR.replace('.1', '.9')}", file="none.ping")
    return hosts


def neighbour() -> Hosts:
    """Record pings to a neighbour that does not exist, a flow over Ethernet, and queues of Linux."""
    hosts = Hosts(Link())
    far = hosts.hosts[1].namespace
    hosts.hosts[0].ip([
        "link add near0 type veth peer name far0", f"link set far0 netns /proc/{os.getpid()}/fd/{far}",
        "address add 192.0.2.1/24 dev near0", "link set near0 up",
    ])  # fmt: skip
    hosts.hosts[1].ip(["address add 192.0.2.2/24 dev far0", "link set far0 up"])
    hosts.run("ping -c 4 -i 1 192.0.2.77", file="unreachable.ping")
    hosts.run("tc qdisc add dev near0 root handle 1: tbf rate 10mbit burst 5kb limit 30kb")
    hosts.run(f"tc qdisc replace dev {DEVICE} root handle 2: htb default 10")
    hosts.run(f"tc class add dev {DEVICE} parent 2: classid 2:10 htb rate 10mbit")
    hosts.run(f"tc qdisc add dev {DEVICE} parent 2:10 handle 10: pfifo limit 20")
    hosts.run("tc -s qdisc show dev near0", file="tbf-before.tc")
    server = hosts.start("exec iperf3 -s", 1)
    time.sleep(0.3)
    with captured(hosts, "ethernet.pcap", "-i near0"):
        hosts.run("iperf3 -c 192.0.2.2 -n 500K -C cubic -M 1000")
    with captured(hosts, "cooked.pcap", "-i any"):
        hosts.run("iperf3 -c 192.0.2.2 -n 300K -C cubic")
    hosts.run("iperf3 -c 192.0.2.2 -t 3 -C cubic")
    hosts.run(f"iperf3 -c {FAR} -t 2 -C cubic")
    hosts.run("tc -s qdisc", file="several.tc")
    hosts.run("tc -s qdisc show dev near0", file="tbf.tc")
    server.terminate()
    return hosts


RECORDED = (clean, lossy, overload, policed, receiver, sender, pings, neighbour)


def main(names: list[str]) -> None:
    """Record in one process for each path."""
    DATA.mkdir(parents=True, exist_ok=True)
    for record in RECORDED:
        if not names or record.__name__ in names:
            child = os.fork()
            if child == 0:
                hosts = record()
                file = DATA / "truth.json"
                known = json.loads(file.read_text()) if file.exists() else {}
                file.write_text(json.dumps(known | hosts.truth, indent=1, sort_keys=True) + "\n")
                print(record.__name__, hosts.relay.counts, flush=True)
                os._exit(0)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
