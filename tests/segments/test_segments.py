"""The public interface of the segment simulator: results, refused arguments, and what results may depend on."""

import os
import threading
from decimal import Decimal

import numpy as np
import pytest

from longfat.segments import QUANTITIES, kernel, simulate, trace
from longfat.segments.simulating import ListedLosses, Rules, checked, parameters, run_one
from tests.segments.test_kernel import next_loss

BASE = {"window": 24, "loss": 1e-3, "segment_packets": 16, "ack_segments": 23.0625, "segments": 20_000, "rng": 1}


def run(**changes):
    return simulate(**(BASE | changes))


def traced(**changes):
    return trace(**({"window": 24, "loss": 0.1, "segment_packets": 16, "ack_segments": 369 / 16} | changes))


def test_variables_units_and_labels_of_the_result():
    data = run(window=[10, 24], loss=[1e-3, 1e-2])
    assert data.sizes == {"loss": 2, "window": 2}
    for name, (unit, _) in QUANTITIES.items():
        assert data[name].attrs["units"] == unit
        assert bool((data[name + "_lower"] <= data[name]).all())
        assert bool((data[name] <= data[name + "_upper"]).all())
    assert int(data.segments.sel(window=10)) == 20_000
    assert data.loss.values.tolist() == [1e-3, 1e-2]
    assert run(window=1, segments=25, replications=2).segments.item() == 26  # at least as many as asked for
    assert run().throughput_efficiency.ndim == 0
    assert run(window=[24]).throughput_efficiency.dims == ("window",)
    assert data.to_dataframe().shape[0] == 4


def test_netcdf_keeps_the_result(tmp_path):
    import xarray as xr

    data = run(window=[10, 24])
    data.to_netcdf(tmp_path / "run.nc")
    with xr.open_dataset(tmp_path / "run.nc") as back:
        xr.testing.assert_identical(back.load(), data)


def test_the_result_depends_on_the_seed_alone(monkeypatch):
    first = run(window=[10, 24])
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert run(window=[10, 24]).identical(first)
    assert run(window=[10, 24], rng=np.random.SeedSequence(1)).identical(first)
    assert not run(window=[10, 24], rng=2).throughput_efficiency.identical(first.throughput_efficiency)
    assert first.attrs["entropy"] == "1"


@pytest.mark.parametrize(
    ("window", "ack", "efficiency"),
    [
        (10, 369 / 16, 160 / 385),  # W = 10 < w_a + 1: ten segments every 369 + 16 packet times
        (24, 369 / 16, 384 / 385),
        (25, 369 / 16, 1.0),  # W = 25 >= w_a + 1: never idle
        (1000, 10000, 1000 / 10001),
        (7, 100, 7 / 101),
    ],
)
def test_without_loss_the_cycle_is_exact(window, ack, efficiency):
    """Whole windows are measured, however few are requested: W segments every w_a + 1 segment times, exactly."""
    data = run(window=window, loss=0.0, ack_segments=ack, segments=10)
    assert float(data.throughput_efficiency) == pytest.approx(efficiency, rel=1e-12)
    assert float(data.mean_delay) == float(data.max_delay) == 16.0  # a segment takes its 16 packet times
    assert int(data.segments) >= 10 * 10 * window
    assert int(data.sent_packets) == 10 * (5 + 10) * window * 16  # a warm-up of five windows, ten measured
    assert int(data.lost_packets) == 0


@pytest.mark.parametrize("loss", [0.0, 1e-12, 1e-6])
def test_packets_are_counted_to_the_end_of_the_measurement(loss):
    data = run(window=25, loss=loss, segments=100_000)
    # 10 replications of 10,000 segments and a warm-up of 1,000, 16 packets each
    assert int(data.sent_packets) == pytest.approx(10 * 11_000 * 16, rel=0.01)
    assert int(data.lost_packets) <= 20 * (loss > 1e-9)


def test_tolerance_arrives():
    """With 15 of 16 packets dispensable a segment is repeated with probability 0.01^16: never."""
    assert float(run(window=25, loss=0.01, tolerance=15).throughput_efficiency) == 1.0


def test_losses_are_independent_and_as_often_as_stated():
    """Fraction of packets lost, and of those after a lost one, among the 20,000 losses of a probability of 0.03."""
    rng, state, read = np.random.default_rng(5), np.zeros(1, np.int64), parameters(checked(Decimal("0.03")))
    gaps = np.array([next_loss(rng, read, state) for _ in range(20_000)])
    assert len(gaps) / (gaps + 1).sum() == pytest.approx(0.03, rel=0.05)
    assert (gaps == 0).mean() == pytest.approx(0.03, abs=4 * np.sqrt(0.03 / len(gaps)))


def test_a_run_can_be_stopped():
    """An endless run ends as soon as its stop flag is set."""
    stop, results = np.zeros(1, np.bool_), []
    arguments = (np.random.default_rng(1), 0.3, Rules(24, 16, 369 / 16), 0, 10**15, stop)
    thread = threading.Thread(target=lambda: results.append(run_one(*arguments)))
    thread.start()
    stop[0] = True
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert [one.status for one in results] == [kernel.STOPPED]


REFUSED = [
    (run, {"window": 0}, r"window = 0 segments is out of range: must be an integer in \[1, 1e\+08\]"),
    (run, {"window": []}, "window = "),
    (run, {"window": "24"}, r"window must be a number \[segments\], got the string '24'"),
    (run, {"loss": 1}, "loss = 1 is out of range"),
    (run, {"segment_packets": 0}, "segment_packets = 0 packets"),
    (run, {"ack_segments": -1}, "ack_segments = -1 segments"),
    (run, {"ack_segments": 23.08},
     r"ack_segments = 23\.08 segments does not fit segment_packets = 16: their product must"),
    (run, {"segments": 0}, "segments = 0 segments"),
    # 10^14 in each of ten runs take longer than fits into 64 bits
    (run, {"segments": 10**15, "ack_segments": 1e9}, r"segments = 1000000000000000 .* \[1, 6\.25e\+06\)"),
    (run, {"tolerance": 16}, r"tolerance = 16 packets is out of range: must be an integer in \[0, 15\]"),
    (run, {"replications": 1}, "replications = 1 runs"),
    (run, {"confidence": 1.0}, "confidence = 1 is out of range"),
    (run, {"rng": "seed"}, r"rng must be None, an integer, a numpy\.random\.SeedSequence or a"),
    (run, {"rng": -1}, "rng = -1 is out of range"),
    (run, {"receive_buffer": []},
     r"receive_buffer = \[\] is out of range: must be one value or more"),
    (run, {"receive_buffer": [6, 30]}, "receive_buffer = 30 segments"),
    (traced, {"receive_buffer": 25}, r"receive_buffer = 25 segments is out of range: .* an integer in \[1, 24\]"),
    (run, {"receive_buffer": 0}, "receive_buffer = 0 segments"),
    (run, {"receive_buffer": 0.5}, "receive_buffer = 0.5 segments"),
    (run, {"receive_buffer": "half"}, r"receive_buffer must be a number \[segments\], got the string 'half'"),
    (traced, {"ack": "firm"}, "ack 'firm' is unknown; available: hard, soft"),
    (traced, {"ask_again": 1}, "ask_again 1 is unknown; available: at once, when free"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "given", "words"), REFUSED)
def test_refusals(function, given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        function(**given)


def test_a_buffer_of_a_window_is_none():
    plain = run(window=40, loss=0.01)
    for ack in ("hard", "soft"):
        assert run(window=40, loss=0.01, receive_buffer=40, ack=ack).drop_vars("receive_buffer").equals(plain)


def test_each_replication_measures_ten_whole_windows_or_more():
    # 1000/3 segments are 48 windows of 7; ten windows of 100 are more than 1000/3 segments
    made = run(window=[7, 100], segments=1000, replications=3)
    assert made.segments.values.tolist() == [3 * 48 * 7, 3 * 1000]


def test_grid_with_buffers():
    grid = run(window=[30, 40], loss=[1e-3, 1e-2], receive_buffer=[10, 30], segments=20_000)
    assert dict(grid.sizes) == {"loss": 2, "window": 2, "receive_buffer": 2}
    assert bool((grid.throughput_efficiency.diff("receive_buffer") > 0).all())
    assert grid.attrs["ask_again"] == "at once"


def test_a_trace_is_the_run():
    """A trace has the packets of the run, its groups follow one another, and its edge never falls."""
    given = {"window": 30, "segment_packets": 16, "ack_segments": 370 / 16, "receive_buffer": 12, "ack": "soft"}
    seen = trace(loss=0.01, segments=3000, rng=4, **given)
    start, end = seen.start.values, seen.end.values
    assert (start[1:] >= end[:-1]).all()
    np.testing.assert_array_equal(end - start, seen.packets)
    assert (np.diff(seen.edge.values) >= 0).all()
    assert set(np.unique(seen.verdict.values)) <= {"kept", "lost", "discarded", "replaced"}
    first = seen.isel(group=seen["first"].values)
    np.testing.assert_array_equal(first.segment, np.arange(first.sizes["group"]))
    assert int(seen.edge[-1]) >= 3000


def test_a_trace_of_a_sender_that_waits_has_every_segment():
    """A trace has every segment of a sender that waits for its window."""
    seen = trace(window=2, loss=1e-3, segment_packets=4, ack_segments=10, segments=5000, rng=1)
    first = seen.isel(group=seen["first"].values)
    np.testing.assert_array_equal(first.segment[:5000], np.arange(5000))
    assert int(seen.edge[-1]) >= 5000


def test_listed_losses():
    # 0 and 1 are sent until 4, when the acknowledgment of 0 (sent until 2, t_a = 2) arrives. A packet of 0 is repeated.
    seen = trace(loss=ListedLosses([0]), window=2, segment_packets=2, ack_segments=1, segments=1)
    assert list(zip(seen.start.values[:3], seen.segment.values[:3], strict=True)) == [(0, 0), (2, 1), (4, 0)]
    assert list(seen.packets.values[:3]) == [2, 2, 1]
    for packets in ([3, 3], [5, 4], [-1], [0.5]):
        with pytest.raises(ValueError, match="packets = "):
            ListedLosses(packets)
