"""Readers take linear time: four times the data take about four times as long, not 16 times."""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path

import pytest

from longfat import measured
from longfat.measured.flow_figures import Transmission, policer
from tests.measured.test_capture import data_in, handshake, packet, written
from tests.measured.test_qlog_and_ndt7 import event, header

DATA = Path(__file__).parents[1] / "data" / "measured"


def acknowledgments(sent, numbers):
    """Return acknowledgments that come when all packets have been sent."""
    begin = 20_000 + 100 * sent
    return [packet(begin + 10 * i, True, 100, 5000 + 1000 * n) for i, n in enumerate(numbers)]


def a_large_window(folder, n):
    """All packets are in flight when the first acknowledgment comes."""
    return written(folder, [*handshake(5000), *data_in(range(n)), *acknowledgments(n, range(2, n + 1, 2))])


def many_gaps(folder, n):
    """Every second packet comes late, the last one first."""
    order = [*range(0, n, 2), *range(n - 1, 0, -2)]
    return written(folder, [*handshake(5000), *data_in(order), *acknowledgments(n, [n])])


def iperf3(folder, n):
    run = json.loads((DATA / "clean-1.json").read_text())
    one = run["intervals"][0]
    run["intervals"] = []
    for i in range(n):
        run["intervals"].append(copy.deepcopy(one))
        run["intervals"][-1]["streams"][0]["end"] = 0.1 * (i + 1)
    path = folder / "run.json"
    path.write_text(json.dumps(run))
    return path


def qlog(folder, n):
    """Each acknowledgment repeats the range from the first packet on, and all packets are outstanding at first."""
    events = [event(i, "transport:packet_sent", header=header(i), raw={"length": 1200}) for i in range(n)]
    for i in range(1, n, 2):
        frames = [{"frame_type": "ack", "acked_ranges": [[0, i]]}]
        events.append(event(n + i, "transport:packet_received", header=header(i), frames=frames))
    path = folder / "trace.json"
    path.write_text(json.dumps({"qlog_version": "0.3", "traces": [{"events": events}]}))
    return path


def growth(call, few, many):
    """Return how many times the processor time of a call grows, by the least of three times."""
    least = []
    for one in (few, many):
        found = []
        for _ in range(3):
            begin = time.process_time()
            call(one)
            found.append(time.process_time() - begin)
        least.append(min(found))
    return least[1] / least[0]


@pytest.mark.parametrize(("make", "n"), [(a_large_window, 2000), (many_gaps, 4000), (iperf3, 1000), (qlog, 1000)])
def test_files(tmp_path, make, n):
    for size in (n, 4 * n):
        (tmp_path / str(size)).mkdir()
    few, many = (make(tmp_path / str(size), size) for size in (n, 4 * n))
    assert growth(measured.read, few, many) < 8


def test_the_test_for_a_policer():
    few, many = (
        [Transmission(1e-3 * i, 1000.0 * i, 1000, i % 2 == 1, 0.02 + 1e-3 * (i * 7919 % 101)) for i in range(n)]
        for n in (2000, 8000)
    )
    assert growth(policer, few, many) < 8
