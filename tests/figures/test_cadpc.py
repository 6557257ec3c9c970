"""Table II of the CADPC paper against the scoreboard, and the measures and scenarios of its figures."""

import re

import numpy as np
import pytest
import xarray as xr

from figures.cadpc import networks, runs
from figures.writing import HERE
from tests.figures.published_checks import SCOREBOARD, rows_of

WEB_MICE = '\'web mice\' bg traffic: XCP "works well", CADPC/PTP "does not work well"'
COMPARED = (
    WEB_MICE,
    "robust with RED, REM, AVQ; robust to path changes; unsatisfactory with web-like background",
    "XCP converges to capacity, CADPC to capacity*n/(n+1)",
    'Feedback: XCP "in payload packets", CADPC/PTP "extra signaling"',
    'Routers examine...: XCP "every packet", CADPC/PTP "1 packet every 4 RTTs"',
)


NUMBER = r"-?[\d.]+(?: \([^)]*\))?"  # with its interval


def compare(table, ours):
    """Assert that table II and the rows of the scoreboard, by claim, have the same numbers; return how many."""
    lines = rows_of(table)
    by_property = {line["property"]: line for line in lines if "property" in line}
    web = {line["mechanism"]: line for line in lines if line.get("load [capacities]") == "0.5"}
    pairs = []
    text = ours["XCP converges to capacity, CADPC to capacity*n/(n+1)"]
    for n, *found in re.findall(rf"n = (\d+): XCP ({NUMBER}), CADPC ({NUMBER})", text):
        if (line := by_property.get(f"utilisation, {n} users [1]")) is not None:
            pairs += zip(found, (line["XCP, large buffer"], line["CADPC, large buffer"]), strict=True)
    text = ours['Feedback: XCP "in payload packets", CADPC/PTP "extra signaling"']
    for label, signals, back in re.findall(rf"(\w+): ({NUMBER}) packets/s without .*?, ({NUMBER}) bytes", text):
        for one, name in (
            (signals, "packets without data, 10 users [packets/s]"),
            (back, "bytes to the senders, 10 users [bytes/s]"),
        ):
            pairs.append((one, by_property[name][f"{label}, large buffer"]))
    text = ours['Routers examine...: XCP "every packet", CADPC/PTP "1 packet every 4 RTTs"']
    for label, seen in re.findall(rf"(XCP|CADPC) ({NUMBER}) packets/s", text):
        line = by_property["packets that a router examines, 10 users [packets/s]"]
        pairs.append((seen, line[f"{label}, large buffer"]))
    large, small = ours[WEB_MICE].split("of 50 packets")
    for part, size in ((large, ", large buffer"), (small, "")):
        for label, carried, lost in re.findall(rf"(XCP|CADPC) ({NUMBER}) of the capacity, ({NUMBER}) % lost", part):
            line = web[label + size]
            pairs += [(carried, line["throughput [capacities]"]), (lost, line["loss [%]"])]
    for one, other in pairs:
        assert one == other
    text = ours["robust with RED, REM, AVQ; robust to path changes; unsatisfactory with web-like background"]
    for label in ("CADPC", "SACK"):
        lost = float(re.search(rf"{label} ([\d.]+) %", text)[1])
        assert lost == pytest.approx(float(web[label]["loss [%]"].split()[0]), abs=0.0551)  # one digit less
    return len(pairs)


def test_table_2():
    """The numbers of the page are those of the scoreboard, and by hand.

    CADPC n/(n + 1), XCP 1; one request of 32 bytes per flow and 1.2 s (8.33/s), against one ACK per packet.
    """
    ours = SCOREBOARD[SCOREBOARD.paper == "002"].set_index("claim").ours[[*COMPARED]]
    page = (HERE / "cadpc" / "cadpc_table_2.md").read_text(encoding="utf-8")
    assert compare(page, ours) == 6 + 4 + 2 + 8
    lines = {row["property"].partition(",")[0]: row for row in rows_of(page) if "10 users" in row.get("property", "")}
    found = [[float(row[name].split()[0]) for name in ("CADPC", "XCP, large buffer")] for row in lines.values()]
    by_hand = [[10 / 1.2, 0], [32 * 10 / 1.2, 40 * 1250], [10 / 1.2, 1250], [10 / 11, 1]]
    np.testing.assert_allclose(found, by_hand, rtol=0.02)


def test_measures():
    """Two flows of 10 and 30 bytes/s, the second from 2 s on: rates over 1 s, at the end of each second."""
    time = np.arange(0, 6.5, 0.5)
    received = np.stack([10 * time, np.maximum(0, 30 * (time - 2))])
    data = xr.Dataset({"received_trace": (("flow", "time"), received)}, coords={"time": time, "flow": ["a", "b"]})
    rates = runs.rates(data, 1.0)
    np.testing.assert_allclose(rates.time, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(rates, [[10] * 6, [0, 0, 30, 30, 30, 30]])
    # Of the mean, 5 and from 3 s on 20:
    assert runs.converged_after(data, 20.0, bin=1.0) == 3
    assert runs.converged_after(data, 40.0, bin=1.0) == np.inf
    # The second over 2 s and later: 0, 30, 30, 30, 30: deviation 12 of a mean of 24; the first: none.
    assert runs.unevenness(data, 2.0) == pytest.approx(0.25)
    np.testing.assert_allclose(runs.last_share(data, 2.0), [0.010, 0.030])


def test_scenarios():
    """Table I: 300 ms, 10 Mbit/s between links of 1000 Mbit/s; and a network for every competitor."""
    net = networks.dumbbell("SACK", 10)
    assert [(link.rate, link.delay) for link in net.route(net.flows[0])] == [
        (1.25e8, 0.05),
        (1.25e6, 0.05),
        (1.25e8, 0.05),
    ]
    assert net.flows[0].parameters["ecn"] == 1
    assert networks.competitors()[:4] == ["CADPC", "Reno", "SACK", "Vegas"]
    assert "XCP" not in networks.competitors()
