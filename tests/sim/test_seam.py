"""Fields that plug-ins see and may set, and a plug-in's own parameters and state."""

import math

import numpy as np
import pytest

from longfat.sim import Discipline, Parameter, Scheme, Simulation
from longfat.sim.kernel import jit, records
from longfat.sim.plugin import functions
from longfat.sim.plugin.plug_in import names_used
from longfat.sim.plugin.view_fields import TABLE, documentation
from longfat.sim.queues import ENQUEUE
from tests.sim.lab import one_link, simulated
from tests.sim.own import arrived, of_flow, of_link


def network(scheme, **parameters):
    return one_link(scheme, rate=1e6, delay=0.01, buffer=5, duplex=True, packet=1000, parameters=parameters)


def run_of(scheme, until=0.5, **parameters):
    return simulated(network(scheme, **parameters), until)


# Fields that may be set.


def sets_all(link, packet, now):
    link.marked, link.send_feedback, link.hold_until, link.mine = link.marked + 1, 0, 0.0, 1.0
    link.feedback[0] = 1.0
    packet.flags, packet.colour, packet.priority = packet.flags, 0, 0
    packet.header[3] = 1.0
    functions.queue_of(link, packet).rate = math.inf
    functions.flow_state(link, packet.flow).seen += 1
    return ENQUEUE


@pytest.mark.usefixtures("both_ways")
def test_listed_fields_can_be_set_by_disciplines():
    ours = Discipline("ours", enqueue=sets_all, service="rate-controlled", state={"mine": 0.0}, flow_state={"seen": 0})
    one = simulated(one_link("reno", rate=1e6, delay=0.01, buffer=5, discipline=ours, back=1e6, packet=1000), 0.5)
    assert of_link(one).mine == 1.0
    assert one.state.links[0].marked == arrived(one)[0] > 10
    assert one.state.flow_state["x"].tolist() == [arrived(one)[0]]
    listed = {name for kind in ("link", "packet", "queue") for name, field in TABLE[kind].items() if field.settable}
    assert listed == {name for name in sets_all.__code__.co_names if name in listed}


def sets_everything(flow, event):
    flow.window, flow.rate, flow.inflation = 2.0, 1e5, 0.0
    flow.allowance, flow.pool, flow.last_sent = 2.0, 1.0, 0.0
    flow.next, flow.resend, flow.recover = flow.next, -1, 0
    flow.srtt, flow.backoff, flow.alarm = 0.1, 1.0, -1.0
    flow.ect, flow.cwr, flow.request, flow.app_limited_until = 0, 0, 0, 0
    flow.header[0], flow.mine = 1.0, 3.0
    event.restart_timer = 1
    return 2.0


@pytest.mark.usefixtures("both_ways")
def test_listed_fields_can_be_set():
    one = run_of(Scheme("mine", ack=sets_everything, state={"mine": 0.0}))
    flow = one.state.flows[0]
    assert (flow.window, flow.rate, flow.srtt, of_flow(one).mine) == (2.0, 1e5, 0.1, 3.0)
    assert flow.header.tolist() == [1.0, 0.0, 0.0, 0.0]
    listed = {name for kind in ("flow", "event") for name, field in TABLE[kind].items() if field.settable}
    assert listed == {name for name in sets_everything.__code__.co_names if name in listed}


def test_the_table_is_documented():
    """Each field but the header fields has a unit and a description; the page has a line for each."""
    lines = documentation().splitlines()
    for kind, fields in TABLE.items():
        assert f"### {kind}" in lines
        for name, field in fields.items():
            assert field.about
            assert field.unit or name in ("header", "feedback")
            assert sum(line.startswith(f"| `{name}` | {field.unit} |") for line in lines) >= 1


def tells_time(flow, event):
    """Times set in seconds are stored as the nearest nanosecond, at most 9e18."""
    flow.last_sent = flow.given
    flow.read = flow.last_sent
    return 1.0


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    ("given", "nanoseconds"),
    [(0.25, 250_000_000), (1.4e-9, 1), (1.6e-9, 2), (-1.6e-9, -2), (1e11, 9 * 10**18), (-1e11, -9 * 10**18)],
)
def test_times_are_nanoseconds_in_the_core(given, nanoseconds):
    scheme = Scheme("clock", ack=lambda flow, event: 1.0, start=tells_time, timeout=tells_time, controls="rate",
                    parameters={"given": Parameter(0.0, "s")}, state={"read": 0.0})  # fmt: skip
    one = simulated(network(scheme, given=given), 0.0)
    assert of_flow(one).read == pytest.approx(nanoseconds * 1e-9, rel=1e-12)


# Own parameters and state.


def keeps(flow, event):
    return 1.0


TAKES = {
    "plain": 7.0,
    "period": Parameter(0.02, "s", "(0, 1]"),
    "pace": Parameter(1e5, "bytes/s", "(0, 1e9]"),
    "room": Parameter(2000.0, "bytes", "[0, 1e9]"),
    "fast": Parameter(0.0, "1", "{0, 1}"),
}


NOT_A_NAME = "is no name of a parameter or state"
NEEDY = Scheme("mine", ack=keeps, parameters={"least": Parameter(None, "packets"), "most": Parameter(None), "a": 1.0})


def mine(state=None, parameters=None):
    return Scheme("mine", ack=keeps, parameters={"beta": 0.5} if parameters is None else parameters, state=state or {})


def given(**values):
    return network(Scheme("mine", ack=keeps, parameters=TAKES), **values)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: Scheme("a\0", ack=keeps),
            r"name of a scheme must be a string of printable .* got the string 'a\\x00'",
        ),
        (lambda: mine({"lambda": 0.0}), "scheme 'mine': 'lambda' is a keyword of Python"),
        (lambda: mine({"window": 0.0}), "scheme 'mine': 'window' is a field of the simulator already"),
        (lambda: mine({"beta": 0.0}), "scheme 'mine': 'beta' is the name of a parameter and of a state"),
        (lambda: mine({"w max": 0.0}), f"scheme 'mine': 'w max' {NOT_A_NAME}"),
        (lambda: mine({"_hidden": 0.0}), f"scheme 'mine': '_hidden' {NOT_A_NAME}"),
        (lambda: mine({3: 0.0}), f"scheme 'mine': 3 {NOT_A_NAME}"),
        (lambda: mine({"seen": None}), "state 'seen' must be a float, an integer, a boolean, or a sequence"),
        (lambda: mine({"seen": np.ones(2) * 1j}), "state 'seen' must be a float, .* got the ndarray"),
        (lambda: mine({"seen": []}), r"state 'seen' must be a float, .* got the list \[\]"),
        (lambda: mine({"seen": [[1.0], [2.0]]}), "state 'seen' must be a float, .* got the list"),
        (lambda: mine({"seen": [0.0] * 1001}), "state 'seen' must be a float, .* got the list"),
        (lambda: mine({"seen": "gamma"}), "state 'seen': parameter 'gamma' is unknown; available: beta"),
        (lambda: mine(parameters={"a-b": 1.0}), f"'a-b' {NOT_A_NAME}"),
        (
            lambda: mine(parameters={"a": Parameter(1.0, field="first_hop")}),
            "field of parameter 'a' of scheme 'mine': 'first_hop'",
        ),
        (lambda: mine(parameters={"a": "text"}), "a must be a number, got the string 'text'"),
        (lambda: given(period="2 s"), r"period = 2 s is out of range: must be in \(0, 1\]"),
        (lambda: given(fast=0.5), r"fast = 0\.5 is out of range: must be 0 or 1"),
        (lambda: given(fast="1"), "fast must be a number, got the string '1'"),
        (lambda: given(slow=1), "parameter 'slow' is unknown; available: fast, pace, period, plain, room"),
        (lambda: network(NEEDY), "scheme 'mine' needs least, most"),
    ],
)
def test_refused_parameters_and_state(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        call()


def test_parameters_without_a_default():
    assert of_flow(Simulation(network(NEEDY, least=2, most=3), rng=1)).tolist() == (2.0, 3.0, 1.0)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("period", None, 0.02),
        ("period", "50 ms", 0.05),
        ("pace", "8 Mbit/s", 1e6),
        ("room", "3 kB", 3000.0),
        ("fast", True, 1.0),
    ],
)
def test_values_of_parameters(name, given, value):
    parameters = {} if given is None else {name: given}
    one = Simulation(network(Scheme("mine", ack=keeps, parameters=TAKES), **parameters), rng=1)
    assert of_flow(one)[name] == pytest.approx(value, rel=1e-15)


STATE = {
    "number": 0.5,
    "integer": 3,
    "large": 2**53 + 1,  # not a float
    "flag": True,
    "first": "period",
    "numbers": [1.5, 2.5],
    "integers": (1, 2**60, 3),
    "flags": [True, False],
    "array": np.arange(4.0),
}


def uses_all(flow, event):
    flow.number += event.rtt
    flow.integer += 1
    flow.large += 2
    flow.flag = not flow.flag
    flow.first *= 0.5
    flow.numbers[flow.integer % 2] += flow.plain
    flow.integers[1] += 1
    flow.flags[1] = not flow.flags[1]
    flow.array[3] = flow.array[0] + 1.0 if flow.flag else -1.0
    return 1.0


@pytest.mark.usefixtures("both_ways")
def test_state_of_every_type():
    """A round trip takes 21.04 ms (20 ms propagation, 1 ms and 0.04 ms transmission): three ACKs in 70 ms."""
    own = of_flow(run_of(Scheme("all", ack=uses_all, parameters=TAKES, state=STATE), 0.07, period="80 ms"))
    found = {name: own[name].tolist() for name in own.dtype.names}
    assert found.pop("number") == pytest.approx(0.5 + 3 * 0.02104, abs=3e-9)
    assert found == {
        "plain": 7.0, "period": 0.08, "pace": 1e5, "room": 2000.0, "fast": 0.0,
        "integer": 6, "large": 2**53 + 7, "flag": False, "first": 0.01, "numbers": [15.5, 9.5],
        "integers": [1, 2**60 + 3, 3], "flags": [1, 1], "array": [0.0, 1.0, 2.0, -1.0],
    }  # fmt: skip


def test_flows_have_their_own():
    """Two flows of a scheme, and one of another whose record is longer."""
    longer = Scheme("longer", ack=keeps, state={"many": [5.0] * 40})
    net = network(Scheme("all", ack=uses_all, parameters=TAKES, state=STATE), period=0.5)
    net.flow(net.flows[0].scheme, path=["a", "b"], packet=1000, parameters={"period": 0.25}, start=0.2)
    net.flow(longer, path=["a", "b"])
    one = simulated(net, 0.1)
    assert (of_flow(one, 0).period, of_flow(one, 1).period) == (0.5, 0.25)
    assert of_flow(one, 0).integer > 3
    assert (of_flow(one, 1).integer, of_flow(one, 1).first) == (3, 0.25)
    assert of_flow(one, 2).many.tolist() == [5.0] * 40


def labels(flow, packet):
    """Set priority by the packet's number, and colour by how many packets this flow has sent."""
    packet.priority = packet.number % 3
    packet.colour = 1 if flow.sent_so_far % 2 else 0
    packet.header[2] = packet.transmission
    flow.sent_so_far += 1
    return 0


def reads_header(flow, event):
    flow.last_header = event.header[2]
    return 4.0


@pytest.mark.usefixtures("both_ways")
def test_send():
    """`send` is called once for each packet that leaves."""
    scheme = Scheme(
        "labels", ack=reads_header, send=labels, stamped=True, state={"sent_so_far": 0, "last_header": -1.0}
    )
    one = run_of(scheme, 0.09)  # four packets a round trip of 21.04 ms; the last ones have left at 84.16 ms
    own, flow = of_flow(one), one.state.flows[0]
    assert own.sent_so_far == flow.sent > 16
    assert own.last_header == flow.acks_received - 1
    sent = one.state.packets[(one.state.packets["kind"] == records.DATA) & (one.state.packets["sent"] > 50_000_000)]
    assert len(sent) > 0
    assert (sent["priority"] == sent["number"] % 3).all()
    assert (sent["colour"] == sent["transmission"] % 2).all()


def directly(flow, event):
    flow._sender.high = 5
    return flow.window


def by_a_constant(flow, event):
    getattr(flow, "_sender").high = 5  # noqa: B009
    return flow.window


@pytest.mark.parametrize(("ack", "words"), [(directly, ".*flow has no field '_sender'"), (by_a_constant, "")])
def test_rows_behind_the_views_are_refused(ack, words):
    with pytest.raises(ValueError, match=f"scheme 'sly'{words}"):
        Simulation(network(Scheme("sly", ack=ack))).advance(0.1)


@jit.inline
def count_down(n):
    return count_down(n - 1) if n > 0 else 0


def test_a_helper_that_calls_itself_is_looked_at_once():
    @jit.inline
    def factorial(n):
        return n * factorial(n - 1) if n > 1 else 1

    def ack(flow, event):
        return factorial(3) + 0.0

    assert names_used(ack) == set()  # a name of the function around it is none of its own
    assert names_used(count_down.py_func) == {"count_down"}
