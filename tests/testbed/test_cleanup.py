"""Nothing is left behind: no namespace, no device, no process, no setting, however a run ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("testbed")]

PATIENCE = 20.0  # s
#: A process that runs a scenario for longer than a test takes, and says when Linux has begun.
RUN = """
import sys
sys.path[:] = {path!r}
from longfat.sim import Network
from longfat.testbed import runs as module
net = Network().link("a", "b", rate="10 Mbit/s", delay="10 ms", buffer=20, duplex=True)
net = net.flow("sack", path=["a", "b"])
attempt = module.attempt
module.attempt = lambda job, tell: attempt(job, lambda seconds: print("running", flush=True))
module.outcomes(net, duration=60, settings={settings!r}, progress=False)
"""


def start(settings=None):
    """Return a process that runs the testbed, once Linux has begun; or at its end, if it fails before."""
    code = RUN.format(path=sys.path, settings=settings)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.first = process.stdout.readline()
    return process


def fields(pid):
    """Return the state and the parent of a process; None if it is gone."""
    try:
        after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if after[0] == "Z" else (after[0], int(after[1]))


def below(pid):
    """Return the process numbers of all descendants of a process."""
    parents = {int(path.name): fields(path.name) for path in Path("/proc").glob("[0-9]*")}
    found = [pid]
    for one in found:
        found += [child for child, known in parents.items() if known and known[1] == one]
    return found[1:]


def namespaces(pids=None):
    """Return the network namespaces of processes, by default of all, and of what they have open."""
    found = set()
    for path in [Path(f"/proc/{pid}") for pid in pids] if pids else Path("/proc").glob("[0-9]*"):
        try:
            links = [*path.glob("task/*/ns/net"), *path.glob("fd/*")]
        except OSError:
            continue
        for link in links:
            try:
                target = os.readlink(link)
            except OSError:
                continue
            if target.startswith("net:"):
                found.add(target)
    return found


def orphans():
    """Return the number of connections that Linux keeps, with their namespaces, although no process has them."""
    line = next(one for one in Path("/proc/net/sockstat").read_text().splitlines() if one.startswith("TCP:"))
    return int(line.split()[line.split().index("orphan") + 1])


def settings():
    """Return every setting of the network outside; counters that change by themselves are left out."""
    made = {}
    for path in Path("/proc/sys/net").rglob("*"):
        if path.is_file() and path.name not in ("nf_conntrack_count", "tcp_fastopen_key"):
            try:
                made[str(path)] = path.read_text()
            except (OSError, UnicodeDecodeError):
                continue
    return made


def outside():
    """Return the namespace, devices and settings of the network, which must not change."""
    devices = [line.split(":")[0] for line in Path("/proc/net/dev").read_text().splitlines()]
    return os.readlink("/proc/self/ns/net"), devices, settings()


def wait(condition):
    """Wait until a condition holds; return whether it does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_the_checks_see_a_process_and_its_namespaces():
    """They can fail: during a run there are another process, and two more namespaces."""
    process = start()
    try:
        assert process.first == "running\n", process.stderr.read()
        found = below(process.pid)
        assert len(found) == 1
        assert len(namespaces(found) - namespaces([os.getpid()])) == 2
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("which", ["parent", "driver"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_after_a_kill(which, how):
    before, mine, left = outside(), namespaces([os.getpid()]), orphans()
    process = start()
    children = below(process.pid)
    created = namespaces(children) - mine
    assert len(created) == 2
    victim = {"parent": process.pid, "driver": children[0]}[which]
    os.kill(victim, how)
    _, said = process.communicate(timeout=PATIENCE)
    if which != "parent":
        assert process.returncode == 1
        assert "the process of the run ended" in said
    assert wait(lambda: not any(map(fields, children)))
    assert not created & namespaces()
    assert wait(lambda: orphans() <= left)
    assert outside() == before


def test_no_connection_is_left_after_a_run():
    """Linux would retry data that are unsent when the run ends for minutes, in the sender's namespace."""
    before = orphans()
    code = RUN.replace("duration=60", "duration=1").format(path=sys.path, settings=None)
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert orphans() <= before


def test_nothing_is_left_after_ctrl_c():
    before, mine = outside(), namespaces([os.getpid()])
    process = start()
    children = below(process.pid)
    created = namespaces(children) - mine
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert said.splitlines()[-1] == "KeyboardInterrupt: 0 of 1 runs were complete; the results are lost"
    assert wait(lambda: not any(map(fields, children)))
    assert len(created) == 2
    assert not created & namespaces()
    assert outside() == before


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tcp_congestion_control": "no-such"}, "tcp_congestion_control cannot be set to no-such"),
        ({"tcp_no_such_setting": 1}, "setting 'tcp_no_such_setting' is unknown to this Linux"),
    ],
)
def test_nothing_is_left_after_a_failed_start(wrong, words):
    before, there = outside(), namespaces()
    process = start(wrong)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert words in said.splitlines()[-1]
    assert namespaces() <= there
    assert outside() == before
