"""ECN codepoints and echoes: which packets are marked, and the marks that a sender sees."""

import math

import pytest

from longfat.sim import ENQUEUE, Discipline, Scheme, mark, queues, schemes
from longfat.sim.kernel.records import CE, DATA, ECT, ECT1
from longfat.sim.queues import step_marking
from tests.sim.lab import keep_window, one_link, simulated
from tests.sim.logbook import Logbook
from tests.sim.own import of_flow
from tests.sim.schemes.losses import drop_acks, drop_numbers

CODEPOINTS = {0: 0, 1: ECT, 2: ECT | ECT1}  # bits of a packet


@pytest.mark.parametrize("ect", [0, 1, 2])
def test_codepoints(ect):
    """Data packets carry the codepoint of their flow, marked or not; acknowledgments are Not-ECT (RFC 3168, 6.1.4)."""
    forth, back = Logbook(Discipline("all", enqueue=mark_all)), Logbook(queues.FIFO)
    link = {"rate": 1e6, "discipline": forth.discipline, "back": {"rate": math.inf, "discipline": back.discipline}}
    given = {"ect": ect, "delayed_ack": 1}
    simulated(one_link("dctcp", **link, file=20_000, packet=1000, parameters=given), 5.0)
    assert {c.marks & (ECT | ECT1 | CE) for c in forth.calls} == {CODEPOINTS[ect]}
    assert {c.marks_after & (ECT | ECT1 | CE) for c in forth.calls} == {CODEPOINTS[ect] | (CE if ect else 0)}
    assert {c.marks & (ECT | ECT1 | CE) for c in back.calls} == {0}
    assert len(back.calls) == 20


def mark_all(link, packet, now):
    mark(link, packet)
    return ENQUEUE


def count_ack(flow, event):
    flow.marks += event.marks
    flow.echoes += event.marked
    return flow.window


def counting(echo):
    """Return a scheme with a window of four packets that counts what its receiver reports."""
    parameters = {"ecn": schemes.scheme("dctcp").parameters["ect"]}
    state = {"marks": 0, "echoes": 0}
    return Scheme(
        "counting", ack=count_ack, start=lambda flow, event: 4.0, loss=keep_window, echo=echo, reorder=3,
        parameters=parameters, state=state,
    )  # fmt: skip


def reports(echo, marked, lost=()):
    """Return marks and acknowledgments with ECN-Echo that a sender of 40 packets sees; it never sends CWR."""
    link = {"rate": 1e6, "delay": 0.05, "discipline": drop_numbers(mark=marked)}
    back = {"rate": math.inf, "discipline": drop_acks(*lost)}
    own = of_flow(simulated(one_link(counting(echo), **link, back=back, file=40_000, packet=1000), 10.0))
    return int(own.marks), int(own.echoes)


@pytest.mark.parametrize(
    ("echo", "expected"), [("latched", (34, 34)), ("once", (2, 2)), ("state", (2, 2)), ("accurate", (2, 2))]
)
def test_echoes(echo, expected):
    """6 and 20 of 0..39 are marked. RFC 3168, section 6.1.3: all from 6 on; RFC 8257, section 3.2: the two of them."""
    assert reports(echo, (6, 20)) == expected


@pytest.mark.parametrize(("echo", "marks"), [("state", 1), ("accurate", 2)])
def test_echoes_with_acknowledgments_lost(echo, marks):
    """The acknowledgment of 6 is lost: a count reports its mark with the next one, the state of the last packet not.

    RFC 8257, section 6: an acknowledgment that covers marked and unmarked packets makes the estimate less accurate.
    Here that of 7, unmarked, covers both. That of 20 covers one packet.
    """
    assert reports(echo, (6, 20), lost=(6,))[0] == marks


def test_a_count_that_is_overtaken():
    """With a mark on 38 and all acknowledgments behind it lost but the last, the count arrives with that one."""
    assert reports("accurate", (37, 38), lost=(37, 38))[0] == 2


def test_only_data_is_marked_by_steps():
    """Acknowledgments above a threshold are neither marked nor dropped."""
    book = Logbook(step_marking(packets=0, drop=1))
    back = {"rate": 2e4, "discipline": book.discipline}
    simulated(one_link("dctcp", rate=1e6, back=back, file=50_000, packet=1000, parameters={"delayed_ack": 1}), 5.0)
    assert len(book.calls) == 50
    assert {c.kind for c in book.calls} != {DATA}
    assert {c.verdict for c in book.calls} == {ENQUEUE}
