"""Users' schemes and disciplines: from a cell; and messages about faulty ones."""

import math
import signal
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest

from longfat.sim import (
    Discipline,
    Network,
    Parameter,
    Scheme,
    SchemeError,
    Service,
    Simulation,
    inline,
    mark,
    run,
    schemes,
)
from longfat.sim.kernel import jit
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import first_waiting, push_out, queue_of, waiting
from longfat.sim.queues import ENQUEUE, mark_above
from longfat.sim.switch.round_robin import ROUND_ROBIN
from tests.sim.lab import keep_window, simulated
from tests.sim.networks import AIMD
from tests.sim.own import of_flow

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


def test_a_scheme_from_a_cell():
    """Its window grows to 8 packets a round trip of 21.04 ms, after a start of 9 round trips or so below that."""
    names = {"__name__": "__main__"}
    exec(compile(SOURCE, "<cell>", "exec"), names)
    one = simulated(network(names["SCHEME"]), 10.0)
    assert one.state.flows[0].window == 8.0
    assert 0.98 * 8 * 10 / 0.02104 < one.state.flows[0].expect < 8 * 10 / 0.02104


# Faulty callbacks, and their messages with jit on and off.


def gives(value):
    return lambda flow, event: value


def answers(value):
    return lambda link, packet, now: value


def nothing(flow, event):
    flow.mine[0] = 1.0


def sometimes(flow, event):
    if event.now < 0.05:
        return 1.0


def raising(flow, event):
    if event.now > 0.05:
        raise ValueError("my own words")
    return 1.0


def other_nan(flow, event):
    flow.window = math.nan
    return 1000.0


def outside(flow, event):
    flow.mine[int(event.acked) * 32] = 1.0
    return 1.0


def now(flow, event):
    flow.alarm = event.now
    return 1.0


def unsupported(flow, event):
    with flow:
        return 1.0


def only_raises(flow, event):
    raise ValueError("my own words")


def helper(window):
    return window + 1.0


STEPS = [1.0, 2.0]
GAINS = {"slow": 1.0}


def undeclared(flow, event):
    flow.epoch = event.now
    return 1.0


def loses_a_fraction(flow, event):
    flow.next = event.rtt
    return 1.0


# Fields that must not be set.


def reads_only(flow, event):
    flow.una = 7
    return 1.0


def tells_itself(flow, event):
    event.now = 3.0
    return 1.0


def its_parameter(flow, event):
    flow.beta = 3.0
    return 1.0


@jit.inline
def sets_high(flow):
    flow.high = 7


def by_a_helper(flow, event):
    sets_high(flow)
    return 1.0


def element(flow, event):
    event.header[0] = 5.0
    return 1.0


def part_of_an_array(flow, event):
    some = event.header[1:]
    some[0] = 5.0
    return 1.0


def whole_array(flow, event):
    event.header = flow.header
    return 1.0


def sets_the_size(flow, packet):
    packet.size = 1
    return 0


HERE = r"scheme 'mine', ack, flow 'x0' at 0\.\d+ s: "
EARLY = "scheme 'mine': ack cannot be compiled: "
NOT_DECLARED = r".*no field 'epoch'; .*; declare a state of your own as state=\{'epoch': 0.0\}"
READ_ONLY = r"it sets {}\.{}, which may only be read; fields of {} that it may set: "
IN_PLAIN = "may only be read|read-only|has no field|not support item assignment"
SETS = {
    reads_only: READ_ONLY.format("flow", "una", "flow") + "alarm, allowance, .*header, .*mine, .*rate, .*window",
    tells_itself: READ_ONLY.format("event", "now", "event") + r"restart_timer( \(File .*)?$",
    its_parameter: READ_ONLY.format("flow", "beta", "flow"),
    by_a_helper: READ_ONLY.format("flow", "high", "flow"),
    element: r"it sets an element of event\.header, which may only be read",
    part_of_an_array: "it sets an element of .*, which may only be read",
    whole_array: READ_ONLY.format("event", "header", "event"),
}
WRONG = {
    **{one.__name__: ({"ack": one}, EARLY + words, IN_PLAIN) for one, words in SETS.items()},
    "sets the size": (
        {"ack": keep_window, "send": sets_the_size},
        "scheme 'mine': send cannot be compiled: "
        + READ_ONLY.format("packet", "size", "packet")
        + "colour, flags, header, priority",
        IN_PLAIN,
    ),
    "nothing": ({"ack": nothing}, EARLY + "it returns nothing", HERE + "it returns nothing on some path"),
    "sometimes": ({"ack": sometimes}, EARLY + "it returns nothing", HERE + "it returns nothing on some path"),
    "text": (
        {"ack": gives("wide")},
        EARLY + "it returns .*: must return a number",
        HERE + "ValueError: could not convert",
    ),
    "only raises": (
        {"ack": only_raises},
        EARLY + "it raises an exception, or loops forever, on every path; return a number",
        HERE + "ValueError: my own words",
    ),
    "fraction": (
        {"ack": loses_a_fraction},
        EARLY + r"it sets flow\.next, an integer, to a float: must be an integer",
        HERE + r"TypeError: it sets flow\.next, an integer, to a float",
    ),
    "raising": ({"ack": raising}, HERE + "ValueError: my own words", None),
    "division": (
        {"ack": lambda flow, event: 1.0 / (event.acked - 1)},
        HERE + "ZeroDivisionError: division by zero",
        HERE + "FloatingPointError: divide by",
    ),
    "nan": ({"ack": gives(math.nan)}, HERE + r"nan is no window \[packets\]: must be in \[0, inf\]", None),
    "negative rate": ({"ack": gives(-1.0), "controls": "rate"}, HERE + r"-1 is no rate \[bytes/s\]", None),
    "other": ({"ack": other_nan, "controls": "rate"}, HERE + "nan is no ", None),
    "no field": (
        {"ack": lambda flow, event: flow.windw},
        EARLY + r"flow has no field 'windw'; did you mean 'window'\?",
        HERE + r"AttributeError: flow has no field 'windw'; did you mean 'window'\?",
    ),
    "outside": ({"ack": outside}, HERE + "IndexError: ", None),
    "unsupported": ({"ack": unsupported}, EARLY, HERE + "(TypeError|AttributeError): "),
    "undefined": (
        {"ack": lambda flow, event: not_there},  # noqa: F821
        EARLY + "NameError: name 'not_there'",
        HERE + "NameError: name 'not_there'",
    ),
    "alarm": (
        {"ack": now, "start": now, "alarm": now},
        r"scheme 'mine', alarm, flow 'x0' at \S+ s: flow.alarm was set to a time that is not after now 1000 times",
        None,
    ),
    "undeclared": ({"ack": undeclared}, EARLY + NOT_DECLARED, HERE + NOT_DECLARED),
    "in start": (
        {"ack": gives("wide"), "start": gives(math.nan)},
        EARLY,
        r"scheme 'mine', start, flow 'x0' at 0 s: nan is no window",
    ),
}


@inline
def sets_count(flow, value):
    flow.counts[1] = value


@pytest.mark.parametrize(("value", "refused"), [(0.5, True), (2, False)])
def test_an_element_of_integers_and_a_helper(value, refused):
    """A helper function is checked like a callback, and each kind of its arguments separately."""

    def ack(flow, event):
        sets_count(flow, value)
        return 1.0

    scheme = Scheme("mine", ack=ack, state={"counts": [0, 0]})
    with pytest.raises(ValueError, match="an element of a state, an integer, to a float") if refused else nullcontext():
        Simulation(network(scheme), rng=1).prepare()


@pytest.mark.parametrize("what", ["ack", "loss", "timeout"])
def test_the_callback_is_named(what):
    """Whichever fails: a buffer of two and a window of fifty lose packets, all of them in the end."""
    callbacks = {"ack": lambda flow, event: 50.0, what: raising}
    net = Network().link("a", "b", rate=1e6, delay=0.03, buffer=2, loss=0.3, duplex=True)
    net.flow(Scheme("mine", start=lambda flow, event: 50.0, **callbacks), path=["a", "b"], name="x0")
    with pytest.raises(SchemeError, match=rf"scheme 'mine', {what}, flow 'x0' at \S+ s: ValueError: my own words"):
        run(net, duration=20.0, rng=1, progress=False)


def enqueues_nothing(link, packet, now):
    link.mine = 1.0


def undeclared_of_link(link, packet, now):
    link.epoch = now
    return ENQUEUE


def breaks(link, packet, now):
    if now > 0.05:
        raise RuntimeError("broken")
    return ENQUEUE


def of_a_packet(link, packet, now):
    packet.flow = 99
    return ENQUEUE


def of_one_that_waits(link, packet, now):
    if link.backlog > 1:
        waiting(link, first_waiting(link)).size = 7
    return ENQUEUE


def of_the_link(link, packet, now):
    link.rate = 0.0
    return ENQUEUE


def of_a_queue(link, packet, now):
    queue_of(link, packet).packets = 9
    return ENQUEUE


def its_own_parameter(link, packet, now):
    link.target = 9.0
    return ENQUEUE


LINK = r"discipline 'ours', \w+, link 'a-b' at \S+ s: "
PUSHED = LINK + "ValueError: enqueue pushed out a packet that is not waiting"
LESS = LINK + "ValueError: enqueue returned less than DROP"
NEITHER = LINK + "ValueError: dequeue returned neither SEND nor DROP"
EARLY_LINK = "discipline 'ours': enqueue cannot be compiled: "
SETS_LINKS = {
    of_a_packet: READ_ONLY.format("packet", "flow", "packet") + "colour, flags, header, priority",
    of_one_that_waits: READ_ONLY.format("packet", "size", "packet"),
    of_the_link: READ_ONLY.format("link", "rate", "link") + "feedback, hold_until, marked, mine, send_feedback",
    of_a_queue: READ_ONLY.format("queue", "packets", "queue") + "rate",
    its_own_parameter: READ_ONLY.format("link", "target", "link"),
}
SERVICES = {of_one_that_waits: "departures", of_a_queue: "rate-controlled"}
WRONG_LINKS = {
    **{
        one.__name__: ({"enqueue": one, "service": SERVICES.get(one, "fifo")}, EARLY_LINK + words, IN_PLAIN)
        for one, words in SETS_LINKS.items()
    },
    "nothing": ({"enqueue": enqueues_nothing}, EARLY_LINK + "it returns nothing", LINK + "it returns nothing"),
    "breaks": ({"enqueue": breaks}, LINK + "RuntimeError: broken", None),
    "nobody": ({"enqueue": answers(5)}, PUSHED, None),
    "nobody, later": ({"enqueue": answers(5), "service": "departures"}, PUSHED, None),
    "nobody, fair": ({"enqueue": answers(5), "service": "self-clocked"}, PUSHED, None),
    "itself, later": ({"enqueue": lambda link, packet, now: push_out(10**6), "service": "departures"}, PUSHED, None),
    "less": ({"enqueue": answers(-7)}, LESS, None),
    "no field": (
        {"enqueue": lambda link, packet, now: link.wating},
        EARLY_LINK + "link has no field 'wating'; its fields are",
        LINK + "AttributeError: link has no field 'wating'; its fields are",
    ),
    "undeclared": ({"enqueue": undeclared_of_link}, EARLY_LINK + NOT_DECLARED, LINK + NOT_DECLARED),
    "dequeue": ({"dequeue": answers(3)}, NEITHER, None),
    "dequeue, text": (
        {"dequeue": answers("SEND")},
        "discipline 'ours': dequeue cannot be compiled: it returns .*: must return a number",
        LINK,
    ),
    "tick": (
        {"tick": lambda link, now: now},
        LINK + "ValueError: tick returned a time that is not after now 1000 times in a row",
        None,
    ),
    "tick nan": ({"tick": lambda link, now: math.nan}, LINK + "ValueError: tick returned a negative time or NaN", None),
}


WRONG_OF_BOTH = [(kind, name) for kind, rows in (("scheme", WRONG), ("discipline", WRONG_LINKS)) for name in rows]


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(("kind", "name"), WRONG_OF_BOTH)
def test_a_wrong_plug_in(kind, name):
    """As plain Python, too: a run reports faults that compilation would have found, in other words, and none hangs."""
    options, compiled, plain = (WRONG if kind == "scheme" else WRONG_LINKS)[name]
    words = compiled if jit.COMPILED or plain is None else plain
    if kind == "scheme":
        net = network(Scheme("mine", parameters={"beta": 0.5}, state={"mine": [0.0] * 32}, **options))
    else:
        net = network(AIMD, discipline=Discipline("ours", parameters={"target": 1.0}, state={"mine": 0.0}, **options))
    with pytest.raises(ValueError, match=words) as caught:
        Simulation(net, rng=1).advance(1.0)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 300 or "its fields are" in said or "fields of" in said
    assert isinstance(caught.value, SchemeError) or "cannot be compiled" in words


#: A run in which a function of a plug-in does not return; the process prints a line when it begins.
ENDLESS = """
from longfat.sim import Discipline, Network, Scheme, Simulation
from longfat.sim.runs import engine

engine.ENDLESS = 0.5  # s

def endless({arguments}):
    while one.{field} >= 0:
        pass
    return 1.0

net = Network().link("a", "b", rate=1e6, delay=0.01, duplex=True, discipline={discipline})
run = Simulation(net.flow({scheme}, path=["a", "b"], name="x"), rng=1)
run.prepare()
print("begins", flush=True)
try:
    run.advance(60.0)
except KeyboardInterrupt as error:
    print(error)
    run.advance(60.0)
"""
NEVER_RETURNS = {
    "ack": (("one, event", "window", "'fifo'", "Scheme('mine', ack=endless)"), "scheme 'mine', ack, flow 'x' at 0.021"),
    "dequeue": (
        ("one, packet, now", "backlog", "Discipline('ours', dequeue=endless)", "'reno'"),
        "discipline 'ours', dequeue, link 'a-b' at 0 s",
    ),
    "tick": (
        ("one, now", "backlog", "Discipline('ours', tick=endless)", "'reno'"),
        "discipline 'ours', tick, link 'a-b' at 0 s",
    ),
}


# Each is a process that compiles: functions of links are interrupted like those of flows.
@pytest.mark.parametrize("name", ["ack", *(pytest.param(one, marks=pytest.mark.long) for one in ("dequeue", "tick"))])
def test_ctrl_c_while_a_plug_in_does_not_return(name):
    """The process ends, and names the running function; packets of 1000 bytes take 1 ms and 10 ms each way."""
    fields, words = NEVER_RETURNS[name]
    code = ENDLESS.format(**dict(zip(("arguments", "field", "discipline", "scheme"), fields, strict=True)))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n", process.communicate()
    time.sleep(0.2)  # into the loop
    process.send_signal(signal.SIGINT)
    interrupted, said = process.communicate(timeout=60)
    first, *_, last = said.splitlines()
    assert first.startswith(f"longfat: {words}")
    assert first.endswith(" has not returned since Ctrl-C")
    assert interrupted.startswith("stopped at 0")
    assert last.endswith("has not returned, so that the run cannot be continued")


def test_feedback_on_both_directions_reaches_senders_of_data():
    """A hook reports every packet in both directions: only senders of data receive feedback, through their scheme."""

    def enqueue(link, packet, now):
        link.feedback[0] = 7.0
        link.send_feedback = 1
        return ENQUEUE

    def ack(flow, event):
        if event.acked == 0 and event.header[0] == 7.0:
            flow.told += 1
        return 2.0

    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=Discipline("loud", enqueue=enqueue), duplex=True)
    one = simulated(net.flow(Scheme("told", ack=ack, state={"told": 0}), path=["a", "b"], file="20 kB"), 5.0)
    assert one.state.row.feedback_sent == one.state.row.feedback_received == 20
    assert 0 < of_flow(one).told <= 20


# Python's own objects, which compiled code cannot use; with jit off they work.


UNCOMPILED = {
    "helper": (
        lambda flow, event: helper(flow.window),
        "it calls helper, which is not compiled: decorate it with longfat.sim.inline",
    ),
    "list": (
        lambda flow, event: STEPS[0],
        r"it uses the list STEPS: make it a tuple if it is constant, else .* state=\{'STEPS': \[...\]\}",
    ),
    "dictionary": (
        lambda flow, event: GAINS["slow"],
        "it uses GAINS, a dict: compiled code may use numbers, tuples, NumPy arrays",
    ),
}


@pytest.mark.skipif(not jit.COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("name", UNCOMPILED)
def test_objects_that_are_not_compiled(name):
    callback, words = UNCOMPILED[name]
    with pytest.raises(ValueError, match=EARLY + words):
        Simulation(network(Scheme("mine", ack=callback)), rng=1).advance(0.1)


def limited(flow, event):
    return min(flow.most, flow.window + flow.step)


LIMITED = Scheme(
    "limited", ack=limited, parameters={"most": Parameter(8.0, "packets", "[1, 100]"), "step": Parameter(1.0)}
)


@pytest.mark.parametrize(
    ("scheme", "window"),
    [(LIMITED, 8), (LIMITED(most=4), 4), (LIMITED(3.0, step=0.5), 3), (LIMITED(most=4)(step=0.5), 4)],
)
def test_a_scheme_called_with_its_parameters(scheme, window):
    one = simulated(network(scheme), 2.0)
    assert one.state.flows[0].window == window


def test_values_of_a_called_scheme():
    """The flow has them, so that scenario files hold them; those of the flow override them; text has its unit."""
    net = network()
    for scheme, values in ((LIMITED(most=4), {}), (LIMITED(most=4), {"most": 5}), ("sack", {})):
        net.flow(scheme, path=["a", "b"], parameters=values)
    net.flow(schemes.scheme("sack")(min_rto="300 ms"), path=["a", "b"])
    net.flow(traffic.arrivals(5, LIMITED(most=2)), path=["a", "b"], file="10 kB")
    assert [flow.parameters.get("most", flow.parameters.get("min_rto")) for flow in net.flows] == [4, 5, None, 0.3, 2]
    assert net.flows[3].scheme == schemes.scheme("sack")
    text = net.to_toml()
    assert 'min_rto = "300 ms"' in text
    assert "# a user's own" not in text.partition('scheme = "sack"')[2].partition("arrivals")[0]
    assert Service("mine", queues="classes", enqueue=answers(0), dequeue=lambda link, now: 0,
                   parameters={"classes": Parameter(2.0, integer=True)},
                   )(classes=3).queue_count({"classes": 3}) == 3  # fmt: skip


def test_a_service_called_with_its_parameters():
    """The value is the default of a discipline with the service: 500 bytes of quantum, which it may override."""
    assert Discipline("fair", service=ROUND_ROBIN(quantum=500)).values["quantum"] == 500
    assert Discipline("fair", service=ROUND_ROBIN(500))(quantum=700).values["quantum"] == 700
    with pytest.raises(ValueError, match="quantum = 0"):
        ROUND_ROBIN(quantum=0)


@pytest.mark.parametrize("plug_in", [LIMITED, Discipline("limited", parameters=LIMITED.parameters)])
@pytest.mark.parametrize(
    ("given", "named", "words"),
    [
        ((), {"mst": 3}, "limited': parameter 'mst' is unknown; did you mean 'most'"),
        ((), {"most": 0.5}, r"most = 0.5 packets is out of range: must be in \[1, 100\] packets"),
        ((1, 2, 3), {}, "limited' takes at most 2 values, got 3"),
        ((2,), {"most": 3}, "limited': 'most' is given twice"),
    ],
)
def test_calls_with_wrong_parameters(plug_in, given, named, words):
    with pytest.raises(ValueError, match=words):
        plug_in(*given, **named)


def marks_all(link, packet, now):
    mark(link, packet)
    return ENQUEUE


@pytest.mark.parametrize(
    ("discipline", "ecn", "remarks"),
    [
        (Discipline("ours", enqueue=marks_all), 0, True),
        (Discipline("ours", enqueue=marks_all), 1, False),
        (mark_above(2), 0, True),
        ("red", 0, False),
        ("fifo", 0, False),
    ],
)
def test_marks_that_nobody_can_carry(discipline, ecn, remarks):
    net = network(discipline=discipline).flow("sack", path=["a", "b"], parameters={"ecn": ecn})
    data = run(net, duration=2.0, rng=1, progress=False)
    assert ("remark" in data.attrs) == remarks
    assert (float(data.link_marked[0]) > 0) == bool(ecn)
    if remarks:
        name = net.links["a", "b"].discipline.name
        assert f"marked by discipline '{name}' of link 'a-b': no flow is ECN-capable (ecn = 1" in data.remark


@pytest.mark.parametrize(
    ("packet", "rate", "error"),
    [(1000, 1e12, ""), (64, 50e9, "1.28 ns, by 22 %"), (64, 12.5e9, "5.12 ns, by 2.3 %"), (1490, 12.5e9, "")],
)  # 1 ns; 0.28/1.28 = 0.219 and 0.12/5.12 = 0.0234 are lost; 119.2 ns: 0.2/119.2 = 0.0017 is too little for a remark
def test_transmission_times_that_the_clock_rounds(packet, rate, error):
    net = Network().link("a", "b", rate=rate).flow(traffic.constant(1e6), path=["a", "b"], packet=packet)
    remark = run(net, duration=1e-3, rng=1, progress=False).attrs.get("remark", "")
    assert bool(remark) == bool(error)
    assert f"{packet} bytes, {error}: the clock" in remark or not error


@pytest.mark.parametrize(
    ("scheme", "discipline", "remarks"), [("xcp", "fifo", 1), ("xcp", "xcp", 0), ("reno", "xcp", 0)]
)
def test_schemes_without_the_feedback_of_their_discipline(scheme, discipline, remarks):
    net = network(discipline=discipline).flow(scheme, path=["a", "b"], count=2).flow(scheme, path=["a", "b"])
    remark = run(net, duration=0.1, rng=1, progress=False).attrs.get("remark", "")
    words = "scheme 'xcp' of flow 'xcp-1-1' gets no feedback: no link of its path has discipline 'xcp'"
    assert remark.count(words) == remarks
    assert bool(remark) == bool(remarks)
