"""The ten experiments of Kanakia, Keshav and Mishra (1992), section 4, as fluid networks; times in exact seconds.

Our assumptions: MB is 10^6 bytes; the slow S2-H2 of experiment 5; full load from time 0 in experiment 7; the second
round trip of experiment 4 and the sizes of experiment 10, from the printed results.
"""

from fractions import Fraction

from longfat.laws.fair_share import Flow, Load, Network, fill

MB, PACKET, ACK = 10**6, 500, Fraction(40, 500)
SLOW = Fraction(5_000_000)  # 40 Mbit/s
RTT = Fraction(44, 1000)


def exact_rates(usage, capacities, weights):
    """Return max-min fair rates in fractions."""
    links = [[(i, share) for i, share in enumerate(row) if share] for row in usage]
    return [w * x for w, x in zip(weights, fill(links, [Fraction(c) for c in capacities], weights), strict=True)]


def ms(value):
    return Fraction(str(value)) / 1000


def crossing(spacing=44, size=MB // 2, **more):
    """Ten cross streams from 100 ms on."""
    more = {"path": "S1-S2", "round_trip_time": RTT} | more
    return [Flow(size=size, start=ms(100 + spacing * j), **more) for j in range(10)]


def one_link(flows, loads=(), capacity=SLOW):
    return Network({"S1-S2": capacity}, flows, loads)


def experiment_1(spacing=44):
    return one_link([Flow("S1-S2", 2 * MB, round_trip_time=RTT), *crossing(spacing)])


def experiment_2():
    return experiment_1(4)


def experiment_3(packets):
    return one_link([Flow("S1-S2", packets * PACKET, round_trip_time=RTT)])


def experiment_4():
    return one_link([Flow("S1-S2", 2 * MB, round_trip_time=trip) for trip in (RTT, ms(82))] + crossing())


def experiment_5():
    flows = [
        Flow(("S1-S2", "S2-H2"), 2 * MB, round_trip_time=RTT),
        Flow("S1-S2", MB, start=ms(100)),
        *[Flow("S2-H2", MB // 4, start=ms(250)) for _ in range(2)],
    ]
    return Network({"S1-S2": SLOW, "S2-H2": SLOW}, flows)


def experiment_6(ack=ACK):
    ways = {"path": "S1-S2", "reverse_path": "S2-S1"}, {"path": "S2-S1", "reverse_path": "S1-S2"}
    primaries = [Flow(size=2 * MB, round_trip_time=RTT, ack=ack, **way) for way in ways]
    others = [flow for way in ways for flow in crossing(ack=ack, **way)]
    return Network({"S1-S2": SLOW, "S2-S1": SLOW}, primaries + others)


def experiment_7(load):
    sources = [Load("S1-S2", Fraction(load) * SLOW / 10)] * 10
    return one_link([Flow("S1-S2", 2 * MB, round_trip_time=RTT)], sources)


def experiment_9(scale=Fraction(1)):
    flows = [Flow("S1-S2", 2 * MB * scale, round_trip_time=ms(12)), *crossing(size=MB * scale / 2)]
    return one_link(flows, capacity=SLOW * Fraction("1.5") / 40)


def experiment_10():
    flows = [Flow("S1-S2", 2 * MB, round_trip_time=ms(trip)) for trip in ("0.2", "20.2")]
    return one_link(
        flows, [Load("S1-S2", SLOW / 4, times=[ms(on), ms(on) + ms("2.5")], period=ms(4)) for on in (1.5, 3)]
    )


NETWORKS = {
    (1, ""): experiment_1,
    (2, ""): experiment_2,
    (3, "4 packets"): lambda: experiment_3(4),
    (3, "20 packets"): lambda: experiment_3(20),
    (3, "200 packets"): lambda: experiment_3(200),
    (4, ""): experiment_4,
    (5, ""): experiment_5,
    (6, ""): experiment_6,
    **{(7, load): lambda load=load: experiment_7(load) for load in ("0.2", "0.4", "0.6", "0.8", "0.9")},
    (8, ""): experiment_1,
    (9, "as printed"): experiment_9,
    (9, "scaled"): lambda: experiment_9(Fraction("1.5") / 40),
    (10, ""): experiment_10,
}
