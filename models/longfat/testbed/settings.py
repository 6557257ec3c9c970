"""Functions that apply and record the settings of both hosts; settings outside of the namespaces never change."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from longfat.testbed.network_namespaces import DEVICE, SYSCTL, Host, connect
from longfat.testbed.plan import RECEIVERS, SENDERS, Connection

#: Socket options (socket(7)) that the argument `settings` may contain. They apply to all connections, as if the
#: application had set them.
SOCKET_OPTIONS = ("SO_SNDBUF", "SO_RCVBUF", "SO_RCVLOWAT")
#: Settings of every run. Our choice: metrics that one connection has learned must not affect the next one, and the time
#: between the handshake and the start of a connection must not count as idle. The settings of `buffers` are added, so
#: that a result does not depend on when the machine schedules writers and readers.
BASE: dict[str, object] = {
    "ipv4/tcp_no_metrics_save": 1,
    "ipv4/tcp_slow_start_after_idle": 0,
    "ipv4/conf/all/rp_filter": 0,
    "ipv4/conf/default/rp_filter": 0,
}
#: Settings below /proc/sys/net/ipv4 in the senders' namespace that are recorded with each run.
RECORDED = (
    "tcp_adv_win_scale", "tcp_app_win", "tcp_autocorking", "tcp_available_congestion_control", "tcp_backlog_ack_defer",
    "tcp_comp_sack_delay_ns", "tcp_comp_sack_nr", "tcp_comp_sack_slack_ns", "tcp_dsack", "tcp_early_retrans", "tcp_ecn",
    "tcp_ecn_fallback", "tcp_frto", "tcp_limit_output_bytes", "tcp_max_reordering", "tcp_min_rtt_wlen",
    "tcp_min_tso_segs", "tcp_moderate_rcvbuf", "tcp_mtu_probing", "tcp_no_metrics_save", "tcp_no_ssthresh_metrics_save",
    "tcp_notsent_lowat", "tcp_pacing_ca_ratio", "tcp_pacing_ss_ratio", "tcp_recovery", "tcp_reordering", "tcp_rmem",
    "tcp_rto_max_ms", "tcp_rto_min_us", "tcp_sack", "tcp_shrink_window", "tcp_slow_start_after_idle",
    "tcp_thin_linear_timeouts", "tcp_timestamps", "tcp_tso_rtt_log", "tcp_tso_win_divisor", "tcp_window_scaling",
    "tcp_wmem",
)  # fmt: skip
MODULES = Path("/sys/module")


def as_path(name: str) -> str:
    """Return the path of a setting below /proc/sys/net, such as "ipv4/tcp_sack" for "tcp_sack".

    >>> as_path("tcp_sack"), as_path("net.ipv4.tcp_sack"), as_path("ipv4/tcp_sack")
    ('ipv4/tcp_sack', 'ipv4/tcp_sack', 'ipv4/tcp_sack')
    """
    path = name.replace(".", "/").removeprefix("net/")
    return path if "/" in path else f"ipv4/{path}"


def of_hosts(given: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of hosts among the given settings, by path.

    >>> of_hosts({"tcp_recovery": 0, "SO_RCVBUF": 100_000})
    {'ipv4/tcp_recovery': 0}
    """
    return {as_path(name): value for name, value in given.items() if name not in SOCKET_OPTIONS}


def socket_options(given: Mapping[str, object]) -> dict[str, int]:
    """Return the socket options among the given settings.

    >>> socket_options({"tcp_recovery": 0, "SO_RCVBUF": 100_000})
    {'SO_RCVBUF': 100000}
    """
    return {name: int(str(value)) for name, value in given.items() if name in SOCKET_OPTIONS}


def buffers(bytes_in_flight: float, connections: int, memory: float = 8e9) -> dict[str, object]:
    """Return the settings of socket buffers for a flow's data in flight [bytes] and a number of connections.

    The buffers are several times the data in flight, because a packet in a buffer may take more than twice its size,
    and because a buffer is filled while it is emptied. All send buffers together have at most an eighth of ``memory``,
    the memory of TCP [bytes], because several runs may share the machine; so have all receive buffers. But each buffer
    has 1 MB or more.
    """
    room = int(min(max(16 * bytes_in_flight, 16e6), max(memory / 8 / connections, 1e6), 1e9))
    return {"ipv4/tcp_wmem": f"4096 {room} {room}", "ipv4/tcp_rmem": f"4096 {room} {room}"}


def memory() -> float:
    """Return the memory [bytes] that TCP may use on this machine before Linux reduces buffers; 8e9 if it is unknown.

    In a container the setting may be missing. With 8 GB and few connections the data in flight determine the buffers.
    """
    place = SYSCTL / "ipv4/tcp_mem"  # low, pressure and high, in pages (kernel documentation, networking/ip-sysctl)
    return float(place.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if place.exists() else 8e9


def metrics(connection: Connection, sender: bool) -> str:
    """Return the route metrics of a connection at its sender or its receiver, as arguments of ``ip route``."""
    made = f"mtu {connection.packet}"
    if not sender:
        return made + (" quickack 1" if connection.quick else "")
    made += f" initcwnd {connection.initial_window} rto_min {1000 * connection.least_timeout:.0f}ms"
    return made + (" features ecn" if connection.congestion_marks and connection.control != "dctcp" else "")


def apply(
    hosts: Sequence[Host], connections: Sequence[Connection], settings: dict[str, object], given: Mapping[str, object]
) -> None:
    """Apply settings to both hosts, and add a route for every connection at both hosts."""
    mtu = max(one.packet for one in connections)
    for host, own, other, sender in zip(hosts, (SENDERS, RECEIVERS), (RECEIVERS, SENDERS), (True, False), strict=True):
        routes = [f"link set {DEVICE} gso_max_segs 1"]  # no segmentation offload: every segment is a packet
        routes += [
            f"route add {one.address(other)}/32 dev {DEVICE} src {one.address(own)} {metrics(one, sender)}"
            for one in connections
        ]
        connect(host, own, mtu=mtu, routes=routes, settings=BASE | settings | of_hosts(given))


def recorded(host: Host) -> dict[str, str]:
    """Return the kernel version and the settings on which results depend, by name."""
    made = {"kernel": os.uname().release, "hz": _ticks()}
    made |= {name: value for name in RECORDED if (value := host.read(f"ipv4/{name}")) is not None}
    scheduler = SYSCTL / "core/default_qdisc"  # a setting of the whole machine is only read
    made |= {"default_qdisc": scheduler.read_text().strip()} if scheduler.exists() else {}
    for file in sorted(MODULES.glob("tcp_*/parameters/*")):  # settings of the whole machine are only read
        made[f"{file.parts[-3]}.{file.name}"] = file.read_text().strip()
    return made


def _ticks() -> str:
    """Return the frequency of Linux's timer tick [1/s] as text; "unknown" if the configuration cannot be read."""
    places = (Path("/proc/config.gz"), Path(f"/boot/config-{os.uname().release}"))
    for place in places:
        try:
            text = gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()
        except OSError:
            continue
        for line in text.decode(errors="replace").splitlines():
            if line.startswith("CONFIG_HZ="):
                return line.removeprefix("CONFIG_HZ=")
    return "unknown"
