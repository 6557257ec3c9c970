"""Which fields schemes and disciplines may set, and that nothing else can be."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation, hooks, jit, memory, queues, records, schemes
from longfat.sim.queues import ADMIT
from longfat.sim.settable import LABELS, PARAMETERS, SETTABLE

ROOT = Path(__file__).resolve().parents[2]
ROWS = {"flow": records.FLOW, "event": records.EVENT, "link": records.LINK, "packet": records.PACKET,
        "header": records.HEADER, "note": records.NOTE, "queue": records.QUEUE}  # fmt: skip


def first_hop(flow, event):
    flow.first_hop = 1_000_000
    return 1.0


def by_another_name(flow, event):
    mine = flow
    mine.una += 1
    return 1.0


def by_key(flow, event):
    flow["expect"] = 7
    return 1.0


def element(flow, event):
    flow.due[0] = 5
    return 1.0


def slice_of(flow, event):
    clocks = flow.due[1:]
    clocks[0] = 5
    return 1.0


def whole_array(flow, event):
    flow.due = flow.armed
    return 1.0


def inside_a_branch(flow, event):
    if event.now > 1e9:
        flow.packet_size = 0
    return 1.0


def tells_itself(flow, event):
    event.now = 3.0
    return 1.0


def helper(flow):
    flow.nodes_head = 7
    return 1.0


if jit.COMPILED:
    import numba

    helper = numba.njit(helper)


def by_a_helper(flow, event):
    return helper(flow)


def network(scheme="reno", discipline="fifo"):
    net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=5, duplex=True, discipline=discipline)
    return net.flow(scheme, path=["a", "b"])


FLOW = r"it sets flow\.{}, which may only be read; of flow it may set window, rate, .*, p, u( \(File .*)?$"
REFUSED = {
    first_hop: FLOW.format("first_hop"),
    by_another_name: FLOW.format("una"),
    by_key: FLOW.format("expect"),
    element: FLOW.format("due"),
    slice_of: "it sets an element of an array that may only be read$",
    whole_array: "numba cannot compile it$",
    inside_a_branch: FLOW.format("packet_size"),
    tells_itself: r"it sets event\.now, which may only be read; of event it may set restart_timer$",
    by_a_helper: FLOW.format("nodes_head"),
}


@pytest.mark.skipif(not jit.COMPILED, reason="refused when it is compiled")
@pytest.mark.parametrize("ack", REFUSED, ids=lambda one: one.__name__)
def test_refused_before_the_run(ack):
    with pytest.raises(ValueError, match="scheme 'mine': ack cannot be compiled: " + REFUSED[ack]) as caught:
        Simulation(network(Scheme("mine", ack=ack)), rng=1).prepare()
    assert "\n" not in str(caught.value)


def sets_arrival(link, packet, header, now, rng):
    packet.hop = 99
    return ADMIT


def sets_next(link, packet, header, now, rng):
    if link.waiting > 1:
        memory.behind(link, memory.first_waiting(link)).next = 7
    return ADMIT


def sets_rate(link, packet, header, now, rng):
    link.rate = 0
    return ADMIT


def moves_the_queue(link, packet, header, now, rng):
    memory.queue_at(link, 0).head = 9
    return ADMIT


def a_hop(link, packet, header, now, rng):
    memory.hop_at(link, packet.hop).link = 9
    return ADMIT


@pytest.mark.skipif(not jit.COMPILED, reason="refused when it is compiled")
@pytest.mark.parametrize(
    ("arrive", "said"),
    [
        (sets_arrival, r"packet\.hop, which may only be read; of packet it may set marks, colour, priority"),
        (sets_next, r"packet\.next, .* may set marks, colour, priority"),
        (sets_rate, r"link\.rate, .* may set average, hold, marked, note, notify, p, u"),
        (moves_the_queue, r"queue\.head, .* may set rate"),
        (a_hop, r"hop\.link, .* may set nothing"),
    ],
)
def test_disciplines_too(arrive, said):
    ours = Discipline("ours", arrive=arrive, service="departures")
    with pytest.raises(ValueError, match="discipline 'ours': arrive cannot be compiled: it sets " + said):
        Simulation(network(discipline=ours), rng=1).prepare()


def sets_everything(flow, event):
    flow.window, flow.rate, flow.inflation = 2.0, 1e5, 0.0
    flow.limited, flow.pool, flow.last_paced = 2.0, 1.0, 0
    flow.next, flow.resend, flow.backoff, flow.srtt = flow.next, -1, 1.0, 0.1
    flow.alarm, flow.request, flow.cwr, flow.red, flow.red_evenly = -1.0, 0, 0, 0.0, 0
    flow.ssthresh, flow.recover, flow.duplicates, flow.phase, flow.minimum_rtt = 2.0, 0, 0, 0, 0.1
    flow.header[0], flow.p[0], flow.u[31] = 1.0, 2.0, 3.0
    event.restart_timer = 1
    return 2.0


def sets_all(link, packet, header, now, rng):
    link.average, link.marked, link.notify, link.hold = 1.0, link.marked + 1, 0, 0
    link.note[0], link.p[0], link.u[15] = 1.0, 2.0, 3.0
    packet.marks, packet.colour, packet.priority = packet.marks, 0, 0
    header.x[3] = 1.0
    note = memory.note_at(link, packet.flow)
    note.key, note.next, note.previous = 1, 2, 3
    note.u[7] = 4.0
    return ADMIT


def test_what_is_listed_can_be_set():
    ours = Discipline("ours", arrive=sets_all, notes=True)
    one = Simulation(network(Scheme("mine", ack=sets_everything), ours), rng=1)
    one.advance(0.5)
    one.books()
    flow, link = one.world.flows[0], one.world.links[0]
    assert (flow.u[31], flow.p[0], link.u[15], link.average) == (3.0, 2.0, 3.0, 1.0)
    assert one.world.notes[0].u[7] == 4.0


def test_the_list_is_of_fields_and_documented():
    for row, names in SETTABLE.items():
        assert set(names) <= set(ROWS[row].names)
    assert set(LABELS) <= set(records.FLOW.names)
    said = re.findall(r"``(\w+)", Scheme.__doc__)
    assert set(SETTABLE["flow"]) | set(SETTABLE["event"]) <= set(said)
    said = re.findall(r"``(\w+)", Discipline.__doc__)
    for row in ("link", "packet", "header", "note", "queue"):
        assert set(SETTABLE[row]) <= set(said)
    assert set(PARAMETERS) <= set(re.findall(r"\w+", Parameter.__doc__))


def test_parameters_do_not_overwrite_the_kernel():
    for field in ("first_hop", "p[16]", "u[0]", "growth"):
        with pytest.raises(ValueError, match=re.escape(f"field = {field!r} of parameter 'a' of scheme 'mine'")):
            Scheme("mine", ack=sets_everything, parameters={"a": Parameter(1.0, field=field)})


@pytest.mark.skipif(not jit.COMPILED, reason="compiled types")
def test_what_ships_is_held_to_it():
    """All but BLT, whose labels are an exception by name, are compiled as anybody's are."""
    for name in schemes.names():
        for one in schemes.scheme(name).compiled():
            (signature,) = one.code.signatures
            allowed = set(signature[0].settable) - set(SETTABLE["flow"])
            assert allowed == (set(LABELS) if one.code.py_func.__module__.endswith(".blt") else set())
    assert hooks.HOOKS["arrive"].signature.args[0].settable == SETTABLE["link"]
    assert queues.NAMED


PLAIN = """
from tests.sim import test_settable as t
from longfat.sim import Simulation, Scheme, SchemeError, Discipline
for ack in (t.first_hop, t.by_another_name, t.element, t.slice_of, t.whole_array, t.tells_itself, t.by_a_helper):
    try:
        Simulation(t.network(Scheme("mine", ack=ack)), rng=1).advance(1.0)
    except SchemeError as error:
        print(ack.__name__, error)
for arrive in (t.sets_arrival, t.sets_next, t.sets_rate):
    try:
        Simulation(t.network("reno", Discipline("ours", arrive=arrive, service="departures")), rng=1).advance(1.0)
    except SchemeError as error:
        print(arrive.__name__, error)
t.test_what_is_listed_can_be_set()
"""


def test_the_same_without_jit():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert len(said) == 10
    assert "first_hop scheme 'mine', ack, flow 'mine-1' at 0.02104 s: AttributeError: it sets flow.first_hop" in said[0]
    assert all("it sets" in line or "read-only" in line for line in said)


def test_guards_show_the_row():
    """With jit off: what may be set reaches the row, what may not stays."""
    rows = np.zeros(1, records.EVENT)
    guard = memory.GUARDED_EVENT.guard(rows[0])
    guard.restart_timer = 1
    assert rows[0].restart_timer == 1
    assert math.isclose(guard.now, 0.0)
    with pytest.raises(AttributeError, match=r"it sets event\.now"):
        guard.now = 1.0
    with pytest.raises(ValueError, match="read-only"):
        guard.header[0] = 1.0
