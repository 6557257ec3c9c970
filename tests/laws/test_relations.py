"""Relations between laws, and of laws with their parameters: inverses in 50 digits, and in which way laws grow."""

import mpmath
import numpy as np
import pytest

from longfat.law import registered
from longfat.verify.points import between, typical

LAWS = {one.public_name: one for _, one in registered()}

#: Inverse, law, the law's parameter that the inverse returns, the inverse's parameter that is the law's value, and the
#: ranges in which the law is no constant, where these are not the typical ones.
INVERSES = [
    ("blt.burst_for_buffer", "blt.buffer_for_burst", "packets", "buffer", {"packets": (20, 2000)}),
    ("cubic.loss_of_window", "cubic.average_window", "loss", "window", {}),
    ("dctcp.window_at_threshold_marks", "dctcp.marked_share", "window", "marking", {}),
    (
        "selective_repeat.buffer_for_efficiency_hard_ack",
        "selective_repeat.throughput_efficiency_hard_ack",
        "receive_buffer",
        "efficiency",
        {"receive_buffer": (2, 24), "loss": (1e-4, 1e-2), "segment_packets": 16, "ack_segments": 24.0},
    ),
    (
        "selective_repeat.window_for_efficiency",
        "selective_repeat.throughput_efficiency",
        "window",
        "efficiency",
        {"window": (2.0, 20.0), "loss": (1e-4, 1e-2), "ack_segments": 23.0},
    ),
    ("tcp.buffer_for_utilisation", "tcp.aimd_utilisation", "buffer", "utilisation", {"buffer": (1e-12, 0.99)}),
]

#: The parameters with which a law rises (+) and falls (-), everywhere in their typical ranges; it may be flat there.
MONOTONE = {
    "aqm.codel_drop_rate": "+time",
    "aqm.equilibrium_loss": "+flows -capacity_packets -round_trip_time -target",
    "bbr.probe_rtt_utilisation": "+low_gain +interval",
    "bbr.shallow_buffer_loss": "+flows +probe_gain",
    "bbr.share": "-buffer +flows +cwnd_gain",
    "blt.buffer_for_burst": "+packets -rate_ratio",
    "blt.power_advantage": "+bandwidth_delay_product",
    "buffers.buffer_for_desynchronised": "-flows -probability -decrease",
    "buffers.burst_for_shaped_rate": "+packet_size +token_rate +lateness",
    "buffers.policed_utilisation": "+burst -bandwidth_delay_product",
    "cadpc.equilibrium_traffic": "+flows",
    "cadpc.trajectory": "+updates -flows",
    "credits.throughput": "+window -round_trip_time",
    "cubic.average_window": "-loss +c",
    "cubic.utilisation": "+buffer +beta",
    "cubic.utilisation_general": "+buffer",
    "dctcp.marked_share": "-window",
    "loss_load.loss_probability": "+rate +excess -spread",
    "power.greatest_power": "+capacity -round_trip_time -variation",
    "queues.md1k_loss": "+load -capacity",
    "queues.md1k_wait": "+load +capacity",
    "queues.mg1_wait": "+load +variation",
    "queues.mm1k_loss": "+load -capacity",
    "queues.mm1k_wait": "+load +capacity",
    "selective_repeat.buffer_for_efficiency_hard_ack": "+efficiency",
    "selective_repeat.max_rounds": "+loss +segment_packets +segments",
    "selective_repeat.mean_rounds": "+loss +segment_packets",
    "selective_repeat.mean_rounds_tolerant": "+loss +segment_packets -tolerance",
    "selective_repeat.rounds_cdf": "+rounds -loss -segment_packets",
    "selective_repeat.rounds_quantile": "+probability +loss +segment_packets",
    "selective_repeat.throughput_efficiency_many_rounds": "+window -loss",
    "tcp.aimd_mean_queue": "+buffer +decrease",
    "tcp.aimd_utilisation_general": "+buffer +decrease",
    "tcp.parallel_utilisation": "+flows +decrease",
    "tcp.pftk_rate": "-loss -round_trip_time -timeout",
    "tcp.slow_start_rounds": "+packets -initial_window",
    "tcp.slow_start_transfer_time": "+packets +round_trip_time +packet_time -initial_window",
}


@pytest.mark.parametrize(("inverse", "law", "returned", "given", "ranges"), INVERSES, ids=[row[0] for row in INVERSES])
def test_inverses(inverse, law, returned, given, ranges):
    for point in typical(LAWS[law], 6, 1, ranges):
        with mpmath.workdps(50):
            exact = {name: mpmath.mpf(value) for name, value in point.items()}
            value = LAWS[law](**exact)
            others = {name: x for name, x in exact.items() if name != returned}
            back = LAWS[inverse](**{given: value}, **others)
            assert abs(back - exact[returned]) < mpmath.mpf(10) ** -35 * exact[returned], point


@pytest.mark.parametrize("name", MONOTONE)
def test_monotonicity(name):
    law = LAWS[name]
    for sign, parameter in ((word[0], word[1:]) for word in MONOTONE[name].split()):
        symbol, rises = law.symbols[parameter], False
        for point in typical(law, 4, 1):
            varied = np.unique([between(symbol, symbol.typical, share) for share in np.linspace(0, 1, 25)])
            values = law(**(point | {parameter: varied})) * (1 if sign == "+" else -1)
            steps = np.diff(values[np.isfinite(values)])
            assert (steps >= -1e-12 * np.nanmax(np.abs(values[np.isfinite(values)]))).all(), (parameter, point)
            rises |= bool((steps > 0).any())
        assert rises, parameter


def test_slowdowns_of_ledbat_cost_a_tenth_at_most():
    utilisation = LAWS["delay_based.ledbat_utilisation"]
    found = utilisation([[100.0], [1e4], [1e6]], [0.001, 0.02, 0.05, 0.2, 1.0])
    assert ((found >= 0.9) & (found <= 1)).all()
