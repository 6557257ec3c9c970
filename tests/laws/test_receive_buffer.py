"""Laws of receive buffers against counting slots by hand, each other, and the segment simulator."""

import math

import numpy as np
import pytest

from longfat.laws import selective_repeat as laws
from longfat.segments import simulate, trace
from longfat.segments.simulating import ListedLosses

ACK = 370 / 16  # 150 Mbit/s, 20 ms, 16 packets of 1024 bytes: 369.2 packet times
LAW = laws.throughput_efficiency_hard_ack


def after_one_loss(buffer, ack, window, packets, ack_packets, segments=2000):
    """Return the segments discarded, and those consumed per segment time in the last third."""
    seen = trace(
        window=window,
        loss=ListedLosses([100 * packets + 1]),
        segment_packets=packets,
        ack_segments=ack_packets / packets,
        receive_buffer=buffer,
        ack=ack,
        segments=segments,
    )
    late = seen.isel(group=seen.start.values > 2 / 3 * float(seen.start[-1]))
    span = float(late.start[-1] - late.start[0]) / packets
    return int((seen.verdict == "discarded").sum()), float(late.edge[-1] - late.edge[0]) / span


@pytest.mark.parametrize(("packets", "ack_packets"), [(16, 370), (16, 383), (8, 84), (16, 37)])
def test_discards_after_one_loss(packets, ack_packets):
    ack_segments = ack_packets / packets
    window = math.ceil(2.5 * ack_segments) + 2
    for buffer in range(1, math.ceil(ack_segments) + 3):
        discarded, rate = after_one_loss(buffer, "hard", window, packets, ack_packets)
        assert discarded == laws.discards_after_loss(buffer, ack_segments)
        assert rate == pytest.approx(1, abs=0.01)  # hard acknowledgment recovers


@pytest.mark.parametrize(("packets", "ack_packets"), [(16, 370), (16, 383), (16, 37)])
def test_soft_acknowledgment_stays_locked(packets, ack_packets):
    """After one loss and no other the lock is permanent. The measured span is not an integer number of cycles."""
    ack_segments = ack_packets / packets
    for buffer in range(1, math.ceil(ack_segments) + 3):
        rate = after_one_loss(buffer, "soft", math.ceil(2.5 * ack_segments) + 2, packets, ack_packets, 4000)[1]
        expected = laws.locked_efficiency_soft_ack(buffer, ack_segments)
        assert rate == pytest.approx(expected, abs=0.02)
        assert rate > 0.99 or buffer <= math.ceil(ack_segments)


def test_a_tie_opens_the_lock():
    """With 369 packet times the acknowledgment arrives just when the sender becomes idle: 23 16 + 1 = 369."""
    assert after_one_loss(12, "soft", 58, 16, 369)[1] == pytest.approx(1, abs=0.01)
    assert after_one_loss(12, "soft", 58, 16, 370)[1] == pytest.approx(12 / 25, abs=0.02)


def test_a_loss_opens_the_lock_of_soft_acknowledgment():
    """Packet 1601 locks B = 18 at 18/25. In the lock packet 4881, of segment 268, the last in the buffer, is lost.

    It is requested at 4897; at 5089 segment 250 displaces its 15 others, which the packet's acknowledgment requests:
    it is sent at 5281, after the segment that is in transmission at 4897 + 370 = 5267, and they at 5666, after 5282 +
    370 = 5652. The segment is there with its packet meanwhile, so that 268 to 285 are consumed, and 286 finds room.
    """
    options = {"window": 58, "receive_buffer": 18, "ack": "soft", "segment_packets": 16, "ack_segments": 370 / 16}
    rates = []
    for losses in ([1601], [1601, 4881]):
        seen = trace(loss=ListedLosses(losses), segments=1500, **options)
        late = seen.isel(group=seen.start.values > 2 / 3 * float(seen.start[-1]))
        rates.append(16 * float(late.edge[-1] - late.edge[0]) / float(late.start[-1] - late.start[0]))
    assert rates == pytest.approx([18 / 25, 1], abs=0.02)
    groups = seen.isel(group=np.flatnonzero((seen.segment.values == 268) & ~seen["first"].values))
    assert groups.start.values.tolist() == [5281, 5666]
    assert groups.packets.values.tolist() == [1, 15]
    assert groups.edge.values.tolist() == [268, 286]


def test_two_losses_lock_hard_acknowledgment_for_segments_of_few_packets():
    """Packets 100 and 119 are lost, and no other. With one packet per segment, the repetitions stay out of order."""
    for losses, packets, low, high in (([100, 119], 1, 0.5, 0.55), ([100, 119], 16, 0.99, 1.01)):
        seen = trace(
            window=24,
            loss=ListedLosses([packets * one for one in losses]),
            segment_packets=packets,
            ack_segments=9,
            receive_buffer=2,
            segments=4000,
        )
        late = seen.isel(group=seen.start.values > 0.7 * float(seen.start[-1]))
        rate = float(late.edge[-1] - late.edge[0]) * packets / float(late.start[-1] - late.start[0])
        assert low < rate < high


def test_outside_its_validity_the_law_errs():
    run = simulate(window=58, loss=1e-2, segment_packets=16, ack_segments=ACK, receive_buffer=23, rng=1)
    assert not LAW.validity(receive_buffer=23, loss=1e-2, segment_packets=16, ack_segments=ACK)
    assert LAW(23, 1e-2, 16, ACK) > float(run.throughput_efficiency_upper) + 0.1


def test_the_inverse_where_there_is_none():
    """One segment suffices for little, and no buffer reaches more than the loss allows."""
    for loss in (1e-9, 1e-4, 1e-3, 1e-2):
        assert laws.buffer_for_efficiency_hard_ack(LAW(1, loss, 16, ACK) / 2, loss, 16, ACK) == 1
        assert math.isnan(laws.buffer_for_efficiency_hard_ack(1 - loss / 2, loss, 16, ACK))
