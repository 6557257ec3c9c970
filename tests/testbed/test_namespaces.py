"""Two hosts on one machine, and the messages where they cannot be created."""

import os
import subprocess
import sys

import pytest

from longfat.testbed import missing
from tests.testbed.test_cleanup import fields, outside, wait

#: Code of a separate process on two hosts: it prints the devices, routes and settings of each.
TWO_HOSTS = """
import os, sys
sys.path[:] = {path!r}
from longfat.testbed import settings
from longfat.testbed.plan import Connection
from longfat.testbed.network_namespaces import create_hosts
outside = os.readlink("/proc/self/ns/net")
hosts = create_hosts()
one = Connection(0, "one", "reno", 1000, 960, initial_window=3, quick=True)
settings.apply(hosts, [one], {{"ipv4/tcp_sack": 0}}, {{"tcp_recovery": 0}})
for host in hosts:
    host.enter()
    os.system("ip -d -o link show longfat; ip route show dev longfat")
    print(os.readlink("/proc/thread-self/ns/net") != outside, host.read("ipv4/tcp_sack"), host.drops())
print(hosts[0].read("ipv4/tcp_recovery"), hosts[0].read("ipv4/tcp_none"))
print(settings.recorded(hosts[0])["tcp_sack"])
"""


def run(code, **options):
    done = subprocess.run(
        [sys.executable, "-c", code.format(path=sys.path)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


#: Replaces `ip` by a command that does not end, and shortens the time that it is given.
HANGS = """
import sys
sys.path[:] = {path!r}
from longfat.testbed import network_namespaces
network_namespaces.PATIENCE = float(sys.argv[1])
print(network_namespaces.probe([]), flush=True)
"""


@pytest.mark.parametrize("kill", [False, True])
def test_an_ip_that_hangs(testbed, tmp_path, kill):
    """It is ended after a time limit, and with the calling process if that is killed: else it keeps the namespace."""
    (tmp_path / "ip").write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 1000\n")
    (tmp_path / "ip").chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", HANGS.format(path=sys.path), "100" if kill else "1"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert wait(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    number = (tmp_path / "pid").read_text().strip()
    if kill:
        process.kill()
        process.communicate()
    else:
        assert process.communicate(timeout=30)[0] == "['the command ip (iproute2) did not end within 1 s']\n"
    assert wait(lambda: fields(number) is None)


def test_an_ip_that_fails(testbed, tmp_path):
    (tmp_path / "ip").write_text("#!/bin/sh\necho 'Error: no such\ndevice' >&2\nexit 1\n")
    (tmp_path / "ip").chmod(0o755)
    code = HANGS.format(path=sys.path).replace("sys.argv[1]", "5")
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "['the command ip (iproute2) failed: Error: no such device']\n"


def test_two_hosts_have_devices_routes_and_settings_of_their_own(testbed):
    before = outside()
    printed = run(TWO_HOSTS)
    assert printed.count("mtu 1000 ") >= 2  # both devices; the routes say it, too
    assert printed.count("gso_max_segs 1 ") == 2  # every segment is a packet
    assert "10.128.0.1" in printed
    assert "initcwnd 3" in printed  # at the sender
    assert "quickack 1" in printed  # at the receiver
    assert printed.count("True 0 0") == 2  # another namespace, tcp_sack = 0, no drops
    assert "\n0 None\n" in printed
    assert printed.splitlines()[-1] == "0"
    assert outside() == before


WITHOUT = """
import sys
sys.path[:] = {path!r}
import shutil
from longfat.testbed import network_namespaces
shutil.which = lambda name: name
%s
print(network_namespaces.probe([]))
"""
REFUSE = """
def refuse(name, *arguments):
    raise PermissionError(1, "Operation not permitted")
network_namespaces.call = refuse
network_namespaces._open_tun = lambda: __import__("os").open("/dev/null", 0)
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("network_namespaces.TUN = '/dev/net/none'", "/dev/net/none does not exist: load the module tun"),
        ("network_namespaces.TUN = '/'", "/ cannot be opened (Is a directory)"),
        ("shutil.which = lambda name: None", "the command ip is missing: install iproute2"),
        (REFUSE, "no right to create network namespaces (Operation not permitted): run as root"),
        ("sys.platform = 'darwin'", "the testbed needs Linux, and this is darwin"),
    ],
)
def test_missing_devices_and_programs_are_named(change, words):
    if sys.platform.startswith("linux"):
        assert words in run(WITHOUT % change)


def test_another_system_is_not_tried(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert missing() == ["the testbed needs Linux, and this is win32"]


#: A user namespace of its own may have no network namespaces, see namespaces(7), /proc/sys/user.
NO_NAMESPACES = """
import os, sys
sys.path[:] = {path!r}
from pathlib import Path
from longfat.testbed import network_namespaces
network_namespaces._become_root_of_a_user_namespace()
Path("/proc/sys/user/max_net_namespaces").write_text("0")
print(network_namespaces.probe([]))
"""


def test_a_process_that_may_have_no_namespaces_says_so(testbed):
    """The C library's words for ENOSPC, which unshare(2) gives then."""
    assert run(NO_NAMESPACES) == "['no network namespace can be created: No space left on device']\n"
