"""Schemes and disciplines of one's own: from a cell, a file, a closure; and what is said when they are wrong."""

import importlib.util
import math
import os
import subprocess
import sys

import pytest

from longfat.sim import Discipline, Network, Scheme, SchemeError, Simulation, jit, run
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.networks import AIMD
from tests.sim.own import arrived, of_flow, of_link

SOURCE = """
import math
from longfat.sim import Scheme

def start(flow, event):
    return 2.0

def ack(flow, event):
    return min(flow.most, flow.window + math.sqrt(event.acked) / flow.window)

SCHEME = Scheme("of my own", start=start, ack=ack, parameters={"most": 8.0})
"""


def network(*given, **link):
    net = Network().link("a", "b", rate="8 Mbit/s", delay="10 ms", buffer=20, **link)
    net.link("b", "a", rate="8 Mbit/s", delay="10 ms")
    for k, scheme in enumerate(given):
        net.flow(scheme, path=["a", "b"], name=f"x{k}")
    return net


def from_a_cell():
    names = {"__name__": "__main__"}
    exec(compile(SOURCE, "<cell>", "exec"), names)
    return names["SCHEME"]


def from_a_file(folder):
    path = folder / "my_schemes.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("my_schemes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SCHEME


def test_wherever_it_is_defined(tmp_path):
    """A cell, a file, a nested function and a lambda: the same rules, the same run. Window 8 of 21.04 ms by hand."""
    step = 0.5

    def nested(flow, event):
        return min(8.0, flow.window + 2 * step * math.sqrt(event.acked) / flow.window)

    schemes = [
        from_a_cell(),
        from_a_file(tmp_path),
        Scheme("nested", start=lambda flow, event: 2.0, ack=nested),
        Scheme("lambda", start=lambda f, e: 2.0, ack=lambda f, e: min(8.0, f.window + math.sqrt(e.acked) / f.window)),
    ]
    received = []
    for scheme in schemes:
        one = Simulation(network(scheme), rng=1)
        one.advance(10.0)
        assert one.state.flows[0].window == 8.0
        received.append(int(one.state.flows[0].expect))
    assert len(set(received)) == 1
    # 8 packets a round trip of 21.04 ms, less a start of 9 round trips or so below that
    assert received[0] == pytest.approx(8 * 10 / 0.02104, rel=0.02)
    assert received[0] < 8 * 10 / 0.02104


def test_schemes_mix():
    one = Simulation(network(from_a_cell(), "reno", AIMD, Scheme("one", ack=lambda flow, event: 1.0)), rng=1)
    one.advance(2.0)
    one.packet_counts()
    assert len(one.assembly.schemes) == 4
    assert (one.state.flows["expect"] > 20).all()
    assert one.state.flows[0].window <= 8.0
    assert one.state.flows[3].window == 1.0


def test_a_discipline_of_ones_own():
    """Every third packet is dropped, counted by the flow, the link and the discipline alike."""

    def enqueue(link, packet, now):
        link.count += 1
        return DROP if link.count % 3 == 0 else ENQUEUE

    one = Simulation(network(AIMD, discipline=Discipline("third", enqueue=enqueue, state={"count": 0})), rng=1)
    one.advance(2.0)
    one.packet_counts()
    link = one.state.links[0]
    assert link.dropped == of_link(one).count // 3 == one.state.flows[0].dropped == arrived(one)[0] // 3 > 20


# What may be wrong: the callback, and what is said with jit on and off.


def nothing(flow, event):
    flow.mine[0] = 1.0


def sometimes(flow, event):
    if event.now < 0.05:
        return 1.0


def text(flow, event):
    return "wide"


def raising(flow, event):
    if event.now > 0.05:
        raise ValueError("my own words")
    return 1.0


def division(flow, event):
    return 1.0 / (event.acked - 1)


def nan(flow, event):
    return math.nan


def negative(flow, event):
    return -1.0


def other_nan(flow, event):
    flow.window = math.nan
    return 1000.0


def no_field(flow, event):
    return flow.windw


def outside(flow, event):
    flow.mine[int(event.acked) * 32] = 1.0
    return 1.0


def now(flow, event):
    flow.alarm = event.now
    return 1.0


def unsupported(flow, event):
    with flow:
        return 1.0


def undefined(flow, event):
    return not_there  # noqa: F821


HERE = r"scheme 'mine', ack, flow 'x0' at 0\.\d+ s: "
EARLY = "scheme 'mine': ack cannot be compiled: "
WRONG = {
    "nothing": ({"ack": nothing}, EARLY + "it returns nothing", HERE + "it returns nothing on some path"),
    "sometimes": ({"ack": sometimes}, EARLY + "it returns nothing", HERE + "it returns nothing on some path"),
    "text": ({"ack": text}, EARLY + "it returns no number but", HERE + "ValueError: could not convert"),
    "raising": ({"ack": raising}, HERE + "ValueError: my own words", None),
    "division": (
        {"ack": division},
        HERE + "ZeroDivisionError: division by zero",
        HERE + "FloatingPointError: divide by",
    ),
    "nan": ({"ack": nan}, HERE + r"nan is no window \[packets\]: must be in \[0, inf\]", None),
    "negative": ({"ack": negative}, HERE + r"-1 is no window \[packets\]", None),
    "nan rate": ({"ack": nan, "controls": "rate"}, HERE + r"nan is no rate \[bytes/s\]", None),
    "negative rate": ({"ack": negative, "controls": "rate"}, HERE + r"-1 is no rate \[bytes/s\]", None),
    "other": ({"ack": other_nan, "controls": "rate"}, HERE + "nan is no ", None),
    "no field": (
        {"ack": no_field},
        EARLY + r"flow has no field 'windw'; did you mean 'window'\?",
        HERE + r"AttributeError: flow has no field 'windw'; did you mean 'window'\?",
    ),
    "outside": ({"ack": outside}, HERE + "IndexError: ", None),
    "unsupported": ({"ack": unsupported}, EARLY, HERE + "(TypeError|AttributeError): "),
    "undefined": ({"ack": undefined}, EARLY + "NameError: name 'not_there'", HERE + "NameError: name 'not_there'"),
    "alarm": (
        {"ack": now, "start": now, "alarm": now},
        r"scheme 'mine', alarm, flow 'x0' at \S+ s: 1000 times in a row flow.alarm was set to no later than now",
        None,
    ),
    "in start": ({"ack": text, "start": nan}, EARLY, r"scheme 'mine', start, flow 'x0' at 0 s: nan is no window"),
}


def check_wrong(name):
    options, compiled, plain = WRONG[name]
    words = compiled if jit.COMPILED or plain is None else plain
    with pytest.raises(ValueError, match=words) as caught:
        Simulation(network(Scheme("mine", state={"mine": [0.0] * 32}, **options)), rng=1).advance(1.0)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 300
    if not words.startswith(EARLY):
        assert isinstance(caught.value, SchemeError)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_scheme(name):
    check_wrong(name)


@pytest.mark.parametrize("what", ["ack", "loss", "timeout"])
def test_the_callback_is_named(what):
    """Whichever fails: a buffer of two and a window of fifty lose packets, all of them in the end."""
    callbacks = {"ack": lambda flow, event: 50.0, what: raising}
    net = Network().link("a", "b", rate=1e6, delay=0.03, buffer=2, loss=0.3, duplex=True)
    net.flow(Scheme("mine", start=lambda flow, event: 50.0, **callbacks), path=["a", "b"], name="x0")
    with pytest.raises(SchemeError, match=rf"scheme 'mine', {what}, flow 'x0' at \S+ s: ValueError: my own words"):
        run(net, duration=20.0, rng=1, progress=False)


def test_wrong_from_the_start():
    with pytest.raises(TypeError, match=r"scheme 'mine': ack must take \(flow, event\), got ack\(flow\)"):
        Scheme("mine", ack=lambda flow: 1.0)
    with pytest.raises(TypeError, match=r"scheme 'mine': ack must be a function of .* got the int 3"):
        Scheme("mine", ack=3)
    with pytest.raises(
        TypeError, match=r"discipline 'ours': enqueue must take \(link, packet, now\), got enqueue\(link"
    ):
        Discipline("ours", enqueue=lambda link: 1)
    with pytest.raises(ValueError, match=r"discipline 'ours': arrive is called enqueue now, and takes \(link, packet"):
        Discipline("ours", arrive=lambda link, packet, header, now, rng: 1)
    with pytest.raises(TypeError, match=r"scheme 'mine': send must take \(flow, packet\), got send\(flow\)"):
        Scheme("mine", ack=negative, send=lambda flow: 0)


def enqueues_nothing(link, packet, now):
    link.mine = 1.0


def breaks(link, packet, now):
    if now > 0.05:
        raise RuntimeError("broken")
    return ENQUEUE


def pushes_out_nobody(link, packet, now):
    return 5


def less(link, packet, now):
    return -7


def no_link_field(link, packet, now):
    return link.wating


def sends_nonsense(link, packet, now):
    return 3


def tick_now(link, now):
    return now


def tick_nan(link, now):
    return math.nan


LINK = r"discipline 'ours' failed on link 'a-b' at \S+ s: "
PUSHED = LINK + "ValueError: enqueue pushed out a packet that is not waiting"
EARLY_LINK = "discipline 'ours': enqueue cannot be compiled: "
WRONG_LINKS = {
    "nothing": ({"enqueue": enqueues_nothing}, EARLY_LINK + "it returns nothing", LINK + "it returns nothing"),
    "breaks": ({"enqueue": breaks}, LINK + "RuntimeError: broken", None),
    "nobody": ({"enqueue": pushes_out_nobody}, PUSHED, None),
    "nobody, later": (
        {"enqueue": pushes_out_nobody, "service": "departures"},
        PUSHED,
        None,
    ),
    "less": ({"enqueue": less}, LINK + "ValueError: enqueue returned less than DROP", None),
    "no field": (
        {"enqueue": no_link_field},
        EARLY_LINK + "link has no field 'wating'; its fields are",
        LINK + "AttributeError: link has no field 'wating'; its fields are",
    ),
    "dequeue": ({"dequeue": sends_nonsense}, LINK + "ValueError: dequeue returned neither SEND nor DROP", None),
    "tick": ({"tick": tick_now}, LINK + "ValueError: tick asked 1000 times in a row", None),
    "tick nan": ({"tick": tick_nan}, LINK + "ValueError: tick returned no time", None),
}


def check_wrong_link(name):
    options, compiled, plain = WRONG_LINKS[name]
    words = compiled if jit.COMPILED or plain is None else plain
    with pytest.raises(ValueError, match=words) as caught:
        Simulation(network(AIMD, discipline=Discipline("ours", state={"mine": 0.0}, **options)), rng=1).advance(1.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", WRONG_LINKS)
def test_a_wrong_discipline(name):
    check_wrong_link(name)


def test_notes_about_packets_on_their_way_back():
    """A hook that reports everything, on both directions: only senders of data are told, by way of their scheme."""

    def enqueue(link, packet, now):
        link.feedback[0] = 7.0
        link.send_feedback = 1
        return ENQUEUE

    def ack(flow, event):
        if event.acked == 0 and event.header[0] == 7.0:
            flow.told += 1
        return 2.0

    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=Discipline("loud", enqueue=enqueue), duplex=True)
    one = Simulation(net.flow(Scheme("told", ack=ack, state={"told": 0}), path=["a", "b"], file="20 kB"), rng=1)
    one.advance(5.0)
    one.packet_counts()
    assert one.state.row.feedback_sent == one.state.row.feedback_received == 20
    assert 0 < of_flow(one).told <= 20


def test_the_same_without_jit():
    """All wrong schemes and disciplines once more as plain Python: other words where compilation said it, none hang."""
    code = (
        "from tests.sim import test_plugins as t\n"
        "[t.check_wrong(name) for name in t.WRONG]\n"
        "[t.check_wrong_link(name) for name in t.WRONG_LINKS]\n"
        "print(t.jit.COMPILED)\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "False\n", "")
