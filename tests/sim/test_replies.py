"""Receivers that their scheme controls: the packets they see, the times of their replies, and packets without data."""

import math

import pytest

from longfat.sim import NO_DATA, Network, Scheme, Simulation
from tests.sim.own import of_flow
from tests.sim.spy import Spy


def open_window(flow, event):
    return 4.0


def count_replies(flow, event):
    flow.replies += 1
    flow.told = event.header[2]
    flow.reply_at = event.now
    if flow.replies == 1:
        flow.resend = NO_DATA
    return 4.0


def take(receiver, packet):
    """Accept packets in order; answer 3 ms after the second one that has no answer yet."""
    receiver.empty += packet.number == NO_DATA
    new = packet.number == receiver.next
    if new:
        receiver.next += 1
        if receiver.next % 2 == 0:
            receiver.alarm = min(receiver.alarm, receiver.now + 0.003)
    return 1 if new else 0


def answer(receiver, packet):
    packet.header[2] = 10.0 * receiver.received
    return 1


def scheme(**changed):
    given = {
        "start": open_window, "ack": count_replies, "timeout": open_window, "receive": take, "reply": answer,
        "recovery": "own", "state": {"replies": 0, "told": 0.0, "reply_at": 0.0}, "receiver_state": {"empty": 0},
    }  # fmt: skip
    return Scheme("second", **{**given, **changed})


def simulation(file, **changed):
    spy = Spy()
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=spy.discipline)
    net.link("b", "a", rate=math.inf, delay=0.01)
    return Simulation(net.flow(scheme(**changed), path=["a", "b"], packet=1000, file=file, name="x"), rng=1), spy


def test_replies_by_hand():
    """A window of 4: packets arrive at 11, 12, 13, 14 ms; the reply leaves at 15 ms, for all four, and arrives at 25.

    A packet without data, 40 bytes, leaves before packets 4 to 7; so these arrive at 36.04, ..., 39.04 ms, the second
    reply leaves at 40.04 ms and ends the transfer at 50.04 ms.
    """
    one, spy = simulation(8000)
    one.advance(0.0245)
    assert of_flow(one).replies == 0
    one.advance(0.0255)
    own = of_flow(one)
    assert (own.replies, own.told, own.empty) == (1, 40.0, 0)  # four packets had arrived when it left
    assert own.reply_at == pytest.approx(0.025, abs=1e-9)
    one.advance(1.0)
    own = of_flow(one)
    assert (own.replies, own.told, own.empty) == (2, 90.0, 1)
    assert [packet.number for packet in spy.data] == [0, 1, 2, 3, NO_DATA, 4, 5, 6, 7]
    counts = one.packet_counts()
    assert (counts["sent"], counts["received"], counts["acks_sent"], counts["acks_received"]) == (9, 9, 2, 2)
    assert one.state.receivers["received_bytes"][0] == 8000
    assert one.state.tallies["finish"][0] == 50_040_000
    assert one.state.tallies["retransmitted"][0] == 0


def silent(receiver, packet):
    """Return 0: no reply leaves."""
    receiver.alarm = receiver.now + 0.5
    return 0


def test_a_callback_may_send_no_reply():
    """A callback that returns 0 sends nothing, and its row is used again."""
    one, _ = simulation(8000, reply=silent)
    one.advance(3.0)
    assert of_flow(one).replies == 0
    assert one.packet_counts()["acks_sent"] == 0


def sees_the_sender(receiver, packet):
    return 1 if receiver.replies > 0 else 0


def sees_the_receiver(flow, event):
    return 1.0 + flow.empty


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"receive": sees_the_sender}, "receive.*receiver has no field 'replies'"),
        ({"ack": sees_the_receiver}, "ack.*flow has no field 'empty'"),
    ],
)
def test_the_two_ends_share_no_state(changed, message):
    with pytest.raises(ValueError, match=message):
        simulation(8000, **changed)[0].advance(0.1)
