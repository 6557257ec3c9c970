"""`conformance`: plug-ins that keep the rules pass; others fail with a message that names the fault."""

import dataclasses
import importlib.util
import math
import pickle
import time

import numpy as np
import pytest

from longfat import sim, testing
from longfat.sim import (
    DROP,
    NOTHING,
    PASSES,
    SEND,
    Discipline,
    Scheme,
    Service,
    append,
    conforming,
    inline,
    number_of,
    queue,
    schemes,
    take_first,
    take_last,
)  # fmt: skip
from longfat.sim.conforming.trials import Runs, observe, portable, subject_of, trials_for
from longfat.sim.runs import engine
from tests.plugins import small_first
from tests.plugins.aimd import AIMD
from tests.plugins.nth import EVERY_NTH

#: One more scheme is checked as an example of the documentation: docs/handbook/tutorials/write-a-scheme.md.
OURS = [
    small_first.SMALL_FIRST, EVERY_NTH, "red", "copa", "ledbat-plus-plus", "cubic-search",
    schemes.scheme("cubic-resume")(saved_window=100),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile the simulator, so that no test's time includes it."""
    engine.kernel()


def check(plug_in):
    begun = time.process_time()
    report = sim.conformance(plug_in, progress=False)
    assert report.passed, str(report)
    made = [one.name for one in report.checks if one.verdict == "passed"]
    assert len(made) == (5 if report.plug_in.startswith("scheme") else 8)
    assert time.process_time() - begun < 15


@pytest.mark.long  # the next test is of one that cannot be imported in the other process
@pytest.mark.parametrize("plug_in", OURS, ids=lambda one: getattr(one, "name", one))
def test_these_pass(plug_in):
    check(plug_in)


def test_a_file_that_cannot_be_imported_by_name():
    """Functions of a file without an importable name, such as a notebook's cell, are sent to the other process."""
    spec = importlib.util.spec_from_file_location("my_plug_in", small_first.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check(module.SMALL_FIRST)


# Schemes and disciplines that break the rules.


@pytest.fixture
def quick(monkeypatch):
    """Replace the process without compilation by shorter runs in this process."""

    def here(subject, seed, timeout):
        try:
            return [observe(trial, subject, seed, slow=True) for trial in trials_for(subject)]
        except ValueError as error:  # it does not compile
            raise conforming.Interpreted(str(error)) from None

    monkeypatch.setattr(conforming, "observe_interpreted", here)


def failures(plug_in, **options):
    """Return the message of each failed check."""
    report = sim.conformance(plug_in, progress=False, **options)
    return {one.name: one.message for one in report.failed}


def ack(flow, event):
    return flow.window + event.acked / flow.window


def put(link, packet, now):
    append(link, queue(link, 0), packet)
    return 0


def first(link, now):
    return take_first(link, queue(link, 0))


def stop(flow, event):
    flow.stopped = True
    return 0.0


def go(flow, event):
    return 0.0 if flow.stopped else 2e5


def drop(link, packet, now):
    return DROP


def forget(link, packet, now):
    if packet.number % 10 != 9:
        append(link, queue(link, 0), packet)
    return 0


def count_packets(link, packet, now):
    return PASSES if link.backlog < link.limit_packets else NOTHING


def lose(link, now):
    number = take_first(link, queue(link, 0))
    return number if number % 10 != 9 else take_first(link, queue(link, 0))


def refuse(link, packet, now):
    link.refused = number_of(link, packet)
    return NOTHING


def send_refused(link, now):
    refused = int(link.refused)
    link.refused = -1.0
    return refused if refused >= 0 else take_first(link, queue(link, 0))


def elsewhere(flow, event):
    """Random numbers from elsewhere differ between runs with the same seed, and in plain Python."""
    return 3.0 + 4.0 * np.random.random()  # noqa: NPY002


STOPS = {"ack": go, "start": go, "loss": stop, "timeout": stop, "controls": "rate", "state": {"stopped": False}}
#: Plug-ins, each check that fails alone or beside others, and words of its message.
BROKEN = [
    (Scheme("broken", ack=ack, loss=lambda flow, event: math.nan), ["return values"],
     ["nan is no window [packets]", "network 'lossy'", " at 0."]),
    (Scheme("broken", ack=ack, loss=lambda flow, event: math.inf), ["return values"], ["has window inf "]),
    (Scheme("broken", ack=elsewhere), ["determinism", "compilation"],
     ["network 'alone': packet ", "s in another with the same seed"]),
    (Scheme("broken", **STOPS), ["completion"],
     ["network 'lossy': flow 'x' made no progress: packet ", "rate 0 bytes/s", "the last progress was at "]),
    (Discipline("broken", enqueue=drop), ["completion"],
     ["network 'files': flow 'file0' made no progress: packet 0 of 100", "at 60 s", "sent 0 "]),
    (Service("broken", enqueue=forget, dequeue=first), ["return values"],
     ["service 'broken', enqueue, link 'a-b'", "enqueue of the service did not queue the packet"]),
    (Service("broken", enqueue=put, dequeue=lose), ["conservation", ...],
     ["network 'files': the packet counts do not balance"]),
    (Service("broken", enqueue=put, dequeue=lambda link, now: take_last(link, queue(link, 0))), ["order"],
     ["behind transmission"]),
    (Service("broken", enqueue=put, dequeue=first, evict=lambda link, packet, now: PASSES), ["buffer"],
     ["network 'files': link a-b had a backlog of ", " packets, but a buffer of 10"]),
    (Service("broken", enqueue=put, dequeue=first, evict=count_packets), ["buffer"],
     ["network 'overload': link a-b had a backlog of ", " bytes, but a buffer of 10000"]),
    *(
        (plug_in, ["return values", ...], [words])
        for plug_in, words in (
            (Discipline("broken", dequeue=lambda link, packet, now: 7), "dequeue returned neither SEND nor DROP"),
            (Service("broken", enqueue=put, dequeue=send_refused, evict=refuse, state={"refused": -1.0}),
             "a packet that is not waiting at this link"),
            (Scheme("broken", ack=lambda flow, event: "wide"), ": must return a number"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("plug_in", "checks", "words"), BROKEN)
def test_broken_plug_ins(quick, plug_in, checks, words):
    """The first of these checks says what is wrong; `...` stands for others that fail with it."""
    messages = failures(plug_in)
    assert set(checks) <= {*messages, ...}
    assert ... in checks or len(messages) == len(checks)
    assert all(one in messages[checks[0]] for one in words), messages


def test_arithmetic_that_compilation_changes():
    """x**3 is two products in compiled code and a library call in Python, which sometimes differ."""

    def cube(flow, event):
        return 1.0 + 4.0 * (flow.window + event.now) ** 3 / (1.0 + flow.window) ** 3

    messages = failures(Scheme("broken", ack=cube))
    assert list(messages) == ["compilation"]
    assert "window is " in messages["compilation"]
    assert "x*x*x" in messages["compilation"]


def test_a_link_that_idles(quick):
    """A link that pauses 2 ms every 10 ms with a backlog fails; the buffer's limit holds all the same."""

    def lazy(link, now):
        return NOTHING if now % 0.01 < 0.002 else take_first(link, queue(link, 0))

    messages = failures(Service("broken", enqueue=put, dequeue=lazy))
    assert "work conservation" in messages
    assert "buffer" not in messages
    assert "network 'files': link a-b was idle from " in messages["work conservation"]
    subject = subject_of(Service("honest", enqueue=put, dequeue=lazy, work_conserving=False), None)
    runs = [Runs(observe(trials_for(subject)[1], subject, 1))]
    assert verdict("buffer", subject, runs)[0] == "passed"
    assert verdict("work conservation", subject, runs)[0] == "not applicable"


def endless(link, packet, now):
    count = 0
    while now >= 0.0:
        count += 1
    return SEND


def test_an_endless_loop(monkeypatch):
    monkeypatch.setattr(conforming, "TIME_LIMIT", 1.0)
    report = sim.conformance(Discipline("broken", dequeue=endless), progress=False)
    assert [one.name for one in report.failed] == ["return values"]
    assert report.failed[0].message.startswith("the runs without compilation did not end in 1 s: perhaps")
    assert {one.verdict for one in report.checks[1:]} == {"not applicable"}


# Records changed by hand: each check can fail.


@pytest.fixture(scope="module")
def seen():
    """Return RED, and the records of its first trial but that of the other process."""
    subject = subject_of("red", None)
    trial = trials_for(subject)[0]
    first, again, other = (observe(trial, subject, seed) for seed in (1, 1, 2))
    slow = observe(trial, subject, 1, slow=True)
    return subject, Runs(first, again, other, slow, dataclasses.replace(slow))


def changed(runs, kind="first", **fields):
    """Return a copy of the runs of a trial with other fields of one record."""
    return dataclasses.replace(runs, **{kind: dataclasses.replace(getattr(runs, kind), **fields)})


def verdict(name, subject, runs):
    made = conforming.checked(name, subject, runs, {})
    return made.verdict, made.message


def test_unchanged_records_pass(seen):
    subject, runs = seen
    assert {verdict(name, subject, [runs])[0] for name in conforming.CHECKS} == {"passed"}


def test_each_check_can_fail(seen):
    subject, runs = seen
    one = runs.first
    left, k = one.left, 40
    swapped = [*left[:k], left[k + 1], left[k], *left[k + 2 :]]
    late = [*left[:k], *((line[0] + 1000, *line[1:]) for line in left[k:])]
    other = one.state | {"flow 'file0': srtt": 0.5}
    assert one.link["largest_backlog"] > 5
    for name, kind, fields, words in (
        ("conservation", "first", {"unbalanced": "3 packets"}, "do not balance"),
        ("order", "first", {"left": swapped}, "which had entered after it"),
        ("buffer", "first", {"link": one.link | {"limit_packets": 5}}, "packets, but a buffer of 5"),
        ("work conservation", "first", {"left": late}, "although it had a backlog"),
        ("completion", "first", {"done": False, "samples": stuck(one)}, "made no progress: packet 50 of 100"),
        ("determinism", "first", {"state": other}, "flow 'file0': srtt is 0.5 in one run, and"),
        ("determinism", "first", {"error": "no"}, "in one run: no; in another with the same seed: no error"),
        ("determinism", "other", {"state": other}, "although the plug-in draws no random number by longfat.sim.random"),
        ("return values", "first", {"error": "no"}, "network 'files': no"),
        ("compilation", "interpreted", {"left": []}, "packets left link a-b compiled, and 0 in plain Python"),
    ):
        found, message = verdict(name, subject, [changed(runs, kind, **fields)])
        assert found == "failed", name
        assert words in message, message


def stuck(one):
    """Return samples in which the last flow does not get beyond packet 50."""
    samples = []
    for now, flows in one.samples:
        last = flows["file2"]
        samples.append((now, flows | {"file2": last | {"una": min(50, last["una"])}}))
    return samples


def test_windows_and_rates_can_fail():
    subject = subject_of("reno", None)
    runs = Runs(observe(trials_for(subject)[0], subject, 1))
    assert verdict("return values", subject, [runs])[0] == "passed"
    *before, (now, flows) = runs.first.samples
    for name, value, words in (
        ("window", math.nan, "has window nan packets"),
        ("rate", -1.0, "rate -1 bytes/s"),
        ("inflation", -2.0, "inflation -2 packets"),
        ("window", math.inf, "nothing limits it"),
    ):
        wrong = flows | {"x": flows["x"] | {name: value}}
        found, message = verdict("return values", subject, [changed(runs, samples=[*before, (now, wrong)])])
        assert found == "failed"
        assert words in message


# The report, and what may be given.


def test_the_report(quick):
    report = sim.conformance(AIMD, rng=3, progress=False)
    lines = str(report).splitlines()
    assert lines[0] == "scheme 'aimd': 5 of 5 checks passed"
    assert repr(report) == str(report)
    for one in report.checks:
        assert any(line.startswith(one.name) and one.verdict in line for line in lines)
        assert bool(one.networks) == (one.verdict != "not applicable")
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.seed = 4
    assert sim.conformance(AIMD, rng=3, progress=False) == report
    assert sim.conformance(AIMD, rng=4, progress=False).seed != report.seed


def test_a_plug_in_becomes_a_test_of_pytest(quick):
    testing.conforms(AIMD)()
    with pytest.raises(AssertionError, match=r"scheme 'mine': .* checks passed"):
        testing.conforms(Scheme("mine", ack=lambda flow, event: -1.0))()


def test_parameters_and_disciplines(quick):
    """A scheme with a value of its parameter, and CoDel at the bottleneck."""
    capped = Scheme("capped", ack=lambda flow, event: min(flow.most, flow.window + 1.0), parameters={"most": 2.0})
    assert sim.conformance(capped(most=3.0), beside="codel", progress=False).passed
    assert sim.conformance(sim.queues.codel(target="20 ms"), beside=AIMD, progress=False).passed


def test_functions_that_cannot_be_sent_are_named():
    """A closure over an open file neither compiles nor can be sent; the report names it."""
    with open(__file__) as file:

        def loss(flow, event):
            return 1.0 if file else 2.0

        report = sim.conformance(Scheme("broken", ack=ack, loss=loss), progress=False)
    assert not report.passed
    assert "cannot be compiled" in report.failed[0].message or "cannot be sent" in report.failed[-1].message


def test_parts_are_sent_as_plain_functions():
    """Compiled functions are sent as plain ones; Numba would compile them for rows that do not exist there."""

    @inline
    def twice(value):
        return 2 * value

    sent = portable((subject_of(Scheme("mine", ack=lambda flow, event: float(twice(2))), None), 1))
    subject, _ = pickle.loads(sent)
    assert subject.plug_in.ack(None, None) == 4.0
    assert not hasattr(subject.plug_in.ack.__closure__[0].cell_contents, "py_func")
