"""Hosts on one machine: each is an anonymous network namespace with a TUN device.

Neither namespaces nor devices have a name in the file system. Linux removes a namespace when its last process and
socket are gone, and a device when the file descriptor that created it is closed, however a process ends.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CannotRun", "Host", "call", "create_hosts", "die_with_parent", "missing"]

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # linux/sched.h
PR_SET_PDEATHSIG = 1  # linux/prctl.h
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000  # linux/if_tun.h
TUN = "/dev/net/tun"
DEVICE = "longfat"
SYSCTL = Path("/proc/sys/net")
#: Length of a device's queue [packets]. Our choice: it is longer than the longest burst of all flows, so that only
#: emulated links drop packets.
QUEUE_PACKETS = 100_000
#: Time limits [s] of one call of `ip`, which takes milliseconds, and of the test of whether the testbed can run (our
#: choice).
PATIENCE, PROBE_PATIENCE = 20.0, 60.0


class CannotRun(RuntimeError):
    """Error: the testbed cannot run on this machine; the message names the missing part in one line."""


def call(name: str, *arguments: Any) -> None:
    """Call a function of the C library; raise an OSError if it fails."""
    libc: Any = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def die_with_parent(parent: int) -> None:
    """Make Linux kill this process when the thread that started it ends; exit if process ``parent`` has already ended.

    A change of credentials, such as entering a new user namespace, clears the setting (prctl(2)).
    """
    call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


@dataclass
class Host:
    """Network namespace with a TUN device, which transfers one packet per read and write."""

    namespace: int  # file descriptor of the network namespace
    device: int  # file descriptor of the TUN device

    def enter(self) -> None:
        """Move the calling thread into the namespace, so that it uses the devices and settings of the emulated host."""
        call("setns", self.namespace, CLONE_NEWNET)

    def ip(self, commands: Iterable[str]) -> None:
        """Run commands of `ip` (iproute2) on this host; raise a `CannotRun` if one fails."""
        self.enter()
        try:
            done = subprocess.run(
                ["ip", "-batch", "-"],
                input="\n".join(commands) + "\n",
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
                preexec_fn=functools.partial(die_with_parent, os.getpid()),  # else a surviving `ip` keeps the namespace
            )
        except subprocess.TimeoutExpired:
            raise CannotRun(f"the command ip (iproute2) did not end within {PATIENCE:g} s") from None
        if done.returncode != 0:
            raise CannotRun(f"the command ip (iproute2) failed: {' '.join(done.stderr.split())}")

    def read(self, setting: str) -> str | None:
        """Return the value of a setting below /proc/sys/net, such as "ipv4/tcp_sack"; None if it does not exist."""
        self.enter()
        try:
            return " ".join((SYSCTL / setting).read_text().split())
        except OSError:
            return None

    def write(self, setting: str, value: object) -> None:
        """Change a setting below /proc/sys/net on this host only."""
        self.enter()
        try:
            (SYSCTL / setting).write_text(f"{value}\n")
        except OSError as error:
            raise CannotRun(f"{SYSCTL / setting} cannot be set to {value}: {error.strerror}") from None

    def drops(self) -> int:
        """Return the number of packets that the TUN device has dropped in both directions."""
        self.enter()
        rows = Path("/proc/thread-self/net/dev").read_text().splitlines()
        fields = next(row.split(":")[1].split() for row in rows if row.strip().startswith(f"{DEVICE}:"))
        return int(fields[3]) + int(fields[11])  # "drop" of receive and transmit


def create_hosts(count: int = 2) -> list[Host]:
    """Create hosts and return them; leave the calling thread in the namespace of the last one.

    Call it in a separate process with a single thread: it cannot return to its original namespace. Without the right to
    create network namespaces, the process enters a new user namespace first, which gives it that right.
    """
    if not sys.platform.startswith("linux"):
        raise CannotRun(f"the testbed needs Linux, and this is {sys.platform}")
    if shutil.which("ip") is None:
        raise CannotRun("the command ip is missing: install iproute2")
    device = _open_tun()  # without the right to the device it fails here, before the process enters a user namespace
    os.close(device)
    try:
        call("unshare", CLONE_NEWNET)
    except PermissionError:
        _become_root_of_a_user_namespace()
        call("unshare", CLONE_NEWNET)
    except OSError as error:
        raise CannotRun(f"no network namespace can be created: {error.strerror}") from None
    made = [_host()]
    for _ in range(1, count):
        call("unshare", CLONE_NEWNET)
        made.append(_host())
    return made


def _become_root_of_a_user_namespace() -> None:
    """Enter a new user namespace in which this process is root."""
    user, group = os.geteuid(), os.getegid()
    try:
        call("unshare", CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    except OSError as error:
        raise CannotRun(
            f"no right to create network namespaces ({error.strerror}): run as root, or allow user namespaces "
            "(sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, kernel.apparmor_restrict_"
            "unprivileged_userns; in a container: CAP_SYS_ADMIN and CAP_NET_ADMIN)"
        ) from None


def _open_tun() -> int:
    try:
        return os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    except FileNotFoundError:
        raise CannotRun(f"{TUN} does not exist: load the module tun, or give the container --device {TUN}") from None
    except OSError as error:
        raise CannotRun(f"{TUN} cannot be opened ({error.strerror}): run as root, or get access rights") from None


def _host() -> Host:
    """Create a TUN device in the calling thread's namespace, and return the host."""
    device = _open_tun()
    try:
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
    except OSError as error:
        raise CannotRun(f"no TUN device can be created: {error.strerror}") from None
    return Host(os.open("/proc/thread-self/ns/net", os.O_RDONLY), device)


def connect(host: Host, own: str, *, mtu: int, routes: Sequence[str], settings: dict[str, object]) -> None:
    """Apply settings to a host, give it all addresses of the prefix ``own``, and add routes over its device."""
    for setting in ("ipv6/conf/all/disable_ipv6", "ipv6/conf/default/disable_ipv6"):
        if host.read(setting) is not None:  # IPv6 would send packets of its own, such as router solicitations
            host.write(setting, 1)
    for setting, value in settings.items():
        host.write(setting, value)
    host.ip([
        "link set lo up",
        f"link set {DEVICE} mtu {mtu} txqueuelen {QUEUE_PACKETS} up",
        f"route add local {own} dev lo",
        *routes,
    ])  # fmt: skip


def probe(controls: Sequence[str]) -> list[str]:
    """Try to create a host; return what is missing, one line for each part. Call it in a separate process."""
    try:
        (host,) = create_hosts(1)
        connect(host, "10.64.0.0/16", mtu=1500, routes=[], settings={"ipv4/tcp_no_metrics_save": 1})
    except CannotRun as error:
        return [str(error)]
    except OSError as error:
        return [f"no host can be created: {error.strerror}"]
    available = (host.read("ipv4/tcp_available_congestion_control") or "").split()
    lacking = [name for name in dict.fromkeys(controls) if name not in available]
    return [
        f"congestion control {name!r} is not available in Linux {os.uname().release}, which has "
        f"{', '.join(sorted(available))}: load the module tcp_{name}"
        for name in lacking
    ]


def missing(controls: Sequence[str] = ()) -> list[str]:
    """Return what the testbed lacks on this machine, one line for each part; empty if the testbed can run.

    A separate process tries to create a host, so that this process does not change.

    Parameters
    ----------
    controls : sequence of str
        Names of Linux's congestion controls that are needed.
    """
    if not sys.platform.startswith("linux"):
        return [f"the testbed needs Linux, and this is {sys.platform}"]
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from longfat.testbed import network_namespaces; "
        f"print('\\n'.join(network_namespaces.probe({list(controls)!r})))"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=PROBE_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return [f"the testbed cannot be tried: creating a host did not end within {PROBE_PATIENCE:g} s"]
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()
        return [f"the testbed cannot be tried: {last[-1] if last else f'exit status {done.returncode}'}"]
    return [line for line in done.stdout.splitlines() if line]
