"""Figures and table II of the CADPC paper: stored numbers by hand, and the table against the scoreboard."""

import re

import numpy as np
import pytest
import xarray as xr

from figures.cadpc import drawing as cadpc_drawing
from figures.cadpc import networks, runs
from figures.cadpc import pictures as cadpc
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


@pytest.fixture(scope="module")
def kept():
    return cadpc.PART.kept()


def test_figure_1(kept):
    """Every CADPC flow carries 1/11 of the capacity at a constant rate; Reno's flows diverge."""
    data = kept["1"].received
    late = data.sel(time=160, method="nearest") - data.sel(time=80, method="nearest")
    for mbit in data.bottleneck.values:
        rates = late.sel(bottleneck=mbit) / 80 / (mbit * 125_000)
        np.testing.assert_allclose(rates.sel(scheme="CADPC"), 1 / 11, rtol=0.01)
        ratio = rates.max("flow") / rates.min("flow")
        assert float(ratio.sel(scheme="CADPC")) < 1.005 < 1.02 < float(ratio.sel(scheme="Reno"))
        total = data.isel(time=-1).sel(bottleneck=mbit).sum("flow")
        assert float(total.sel(scheme="CADPC")) > float(total.sel(scheme="Reno"))


def test_figure_2_left(kept):
    """The first flow is alone for 10 s and tends to 1/2; finally all have 1/11 of 1.25e6 bytes/s within 2 %."""
    data = kept["2"].staggered
    assert float(data.sel(flow=1).max()) > 4 * 1.25e6 / 11
    assert float(data.sel(flow=10).sel(time_staggered=slice(0, 90)).max()) == 0
    np.testing.assert_allclose(data.sel(time_staggered=slice(280, None)).mean("time_staggered"), 1.25e6 / 11, rtol=0.02)


def test_figure_2_right(kept):
    """Rates are unequal after 160 s, more so with staggered starts, and nearly equal after 800 s."""
    together, apart = (cadpc_drawing.spread(kept["2"][f"periods_{name}"]) for name in ("together", "apart"))
    at = {"time": 160, "method": "nearest"}
    assert float(together.sel(**at)) > 3
    assert float(apart.sel(**at)) > 2 * float(together.sel(**at))
    assert float(together[-1]) < float(apart[-1]) < 1.2


def test_figure_3(kept):
    """Throughput and queues at every bottleneck, and the loss at the smallest.

    50/51 = 0.980 less the start: rates double from 50 packets in 1.2 s, a sixtieth of 20 Mbit/s, in up to ten updates
    of 1.2 s, which are 0.075 of 160 s. The queue has four or five packets. At 1 Mbit/s each flow loses a packet at
    most, when all first ones arrive together: 50 of 0.95 x 125 x 160 = 19000 packets.
    """
    ours, sack = (kept["3"].sel(scheme=name) for name in ("CADPC", "SACK"))
    assert (ours.throughput < 50 / 51).all()
    assert (ours.throughput > 50 / 51 - 0.075).all()
    assert float(ours.loss.sel(bottleneck=1)) < 50 / 19000
    np.testing.assert_allclose(ours.mean_queue, 4.4, atol=1)
    assert (ours.mean_queue < sack.mean_queue).all()
    assert (ours.loss < sack.loss).all()


def test_figure_3_fairness_rests_on_equal_starts(kept):
    """Differences shrink by a/(n + 1) = 1/102 per update: by exp(-160/1.2/102) = 0.27 in 160 s."""
    jain = kept["3"].jain_index
    assert (jain.sel(scheme="CADPC") > 0.95).all()
    apart = kept["3"].jain_index_upper.sel(scheme="CADPC, starts 1 s apart")
    assert (apart < jain.sel(scheme="CADPC") - 0.03).all()
    assert float(apart.sel(bottleneck=20)) < 0.8


def test_delays(kept):
    """CADPC keeps its throughput within 3 % where SACK loses 5 % or more."""
    short, long = (kept["delay"].sel(delay=one) for one in (0.01, 0.05))
    fall = short.throughput - long.throughput
    assert abs(float(fall.sel(scheme="CADPC"))) < 0.03 < 0.05 < float(fall.sel(scheme="SACK"))


def test_snmp(kept):
    """Counters that are updated at intervals, with the time of the update and with that of the request.

    With the time of the update nothing is lost and the total is 10/11; a request that finds no new count gets no
    reply. With the time of the request an interval of 1.2 s has the bytes of one or two seconds. That is right on
    average, but the rate changes by factors, whose geometric mean is lower.
    """
    data = kept["snmp"]
    stamped = data.sel(clock="time of the refresh")
    np.testing.assert_allclose(stamped.throughput, 10 / 11, rtol=0.005)
    assert float(stamped.loss_upper.max()) < 1e-3
    upper = data.throughput_upper.sel(clock="time of the request")
    lower = data.throughput_lower.sel(clock="time of the request")
    assert float(upper.sel(refresh=1)) < 0.9 < float(lower.sel(refresh=0))
    assert float(upper.sel(refresh=2)) < float(lower.sel(refresh=1))


def test_changes(kept):
    """Rates by hand: 1/11, (1 - 0.5)/11 beside a load of 0.5; mixing groups; parking lot 1/5 and 2/5.

    The groups have 0.1/6 and a sixth of what that leaves, then 1/11.
    """
    data = kept["changes"]
    path = data.path_change.mean("flow_path_change")
    for begin, end, share in ((40, 58, 1 / 11), (100, 109, 0.5 / 11), (190, 210, 1 / 11)):
        seen = float(path.sel(time_path_change=slice(begin, end)).mean())
        assert seen == pytest.approx(share, rel=0.05)
    mixed = data.mixing
    for begin, end, first, second in ((130, 148, 0.1 / 6, (1 - 0.5 / 6) / 6), (370, 400, 1 / 11, 1 / 11)):
        seen = mixed.sel(time_mixing=slice(begin, end)).mean("time_mixing").values
        np.testing.assert_allclose(seen[:5], first, rtol=0.03)
        np.testing.assert_allclose(seen[5:], second, rtol=0.03)
    lot = data.parking_lot.sel(time_parking_lot=slice(120, None)).mean("time_parking_lot")
    np.testing.assert_allclose(lot, [0.2, 0.2, 0.2, 0.2, 0.4], rtol=0.02)


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
