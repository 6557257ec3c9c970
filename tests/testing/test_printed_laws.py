"""Laws as their sources print them, held against the simulators that check the corrected laws: they differ."""

import pytest

import longfat as lf
from longfat.laws import cubic, selective_repeat
from longfat.segments import simulate
from longfat.simulators import simulator_of

PRINTED = selective_repeat.throughput_efficiency.as_printed
SEGMENTS = {"window": (10, 200), "loss": (1e-5, 0.01), "segment_packets": (4, 64), "ack_segments": (10, 90)}
WINDOWS = {"loss": (1e-5, 1e-2), "round_trip_time": (0.01, 0.1), "c": 0.4, "beta": 0.7}


def efficiency(rng, **point):
    """Return the mean throughput efficiency of two runs of 2000 segments."""
    run = simulate(**point, segments=2000, replications=2, rng=rng, progress=False)
    return float(run.throughput_efficiency), 4000 * point["segment_packets"]


def valid(**point):
    return bool(selective_repeat.throughput_efficiency.validity(**point))


def window(rng, **point):
    """Return the mean window of a CUBIC flow that loses every 1/p-th packet."""
    return simulator_of(cubic.average_window)(rng, **point)


def failure_of(formula, simulator, **options):
    @lf.testing.holds(formula, simulator, **options)
    def test():
        pass

    with pytest.raises(lf.testing.Disagreement) as failure:
        test()
    print(failure.value)
    return str(failure.value)


@pytest.mark.long
def test_the_printed_efficiency_differs():
    """In its third case only, a quarter of this domain: 40 points find it. The corrected law agrees."""
    text = failure_of(PRINTED, efficiency, over=SEGMENTS, within=0.05, where=valid, points=40)
    assert "Simplest point" in text

    @lf.testing.holds(selective_repeat.throughput_efficiency, efficiency, over=SEGMENTS, within=0.05, points=12)
    def test():
        pass

    test()


@pytest.mark.long
def test_the_printed_window_differs():
    """By 2 % in the Reno-friendly region, without random numbers."""
    options = {"over": WINDOWS, "within": "1 %", "deterministic": True}
    text = failure_of(cubic.average_window.as_printed, window, **options)
    assert "Simplest point" in text
