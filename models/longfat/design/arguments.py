"""Declarations of the arguments of the functions of `longfat.design`, from which the options of commands are made.

The order is that of the help. The module imports nothing that takes long, because the command line reads these records
before it knows which command it runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longfat.base.argument import Argument, Setting
from longfat.sim.network.options import RUN_OPTIONS

#: Names of the TCP senders in `longfat.design.senders`.
SENDERS = ("cubic", "reno", "bbr", "bbr1", "dctcp")

# Arguments of several functions.
RATE = Argument(unit="bytes/s", domain="(0, inf)", meaning="Rate of the bottleneck link, e.g. 1Gbit/s")
ROUND_TRIP_TIME = Argument(unit="s", domain="(0, inf)", meaning="Round-trip time without queueing")
SCHEME = Setting(
    default="cubic", registry="scheme", kind="str or Scheme",
    meaning="Congestion control",
    remark="cubic, reno, bbr, bbr1 and dctcp are senders as hosts run them (`longfat.sim.schemes.linux`); other names "
    "and objects are schemes of the simulator with their defaults.",
)  # fmt: skip
FLOWS = Argument(
    unit="flows", domain="[1, 10000]", integer=True, several=True, default=(1, 10), kind="int or sequence of int",
    meaning="Numbers of long-lived flows",
)  # fmt: skip
PACKET = Argument(unit="bytes", domain="[1, 1e6]", integer=True, default="1500B", meaning="Packet size [bytes]")
SPREAD = Argument(
    unit="probability", domain="[0, 0.9]", default="10%",
    meaning="Relative spread of the flows' round-trip times: R (1 - s) to R (1 + s)",
    remark="The times lie evenly between the ends. With 0 all flows lose at the same time.",
)  # fmt: skip
BUFFER_BDP = Argument(
    unit="bandwidth-delay products", domain="(0, 100]", default="1",
    meaning="Buffer of the bottleneck [bandwidth-delay products]",
)  # fmt: skip
LOSS = Argument(unit="probability", domain="[0, 1)", kind="float, str or sequence", meaning="Packet loss probabilities")
TARGET = Argument(unit="probability", domain="(0, 1)", default="0.95", meaning="Fraction of the link's rate to reach")
REPLICATIONS = Argument(unit="runs", domain="[2, 1e6]", integer=True, default=3, meaning="Simulations of each buffer")
CONFIDENCE = replace(RUN_OPTIONS["confidence"], default="0.95")
RNG = replace(
    RUN_OPTIONS["rng"], default=0,
    kind="None, int, numpy.random.SeedSequence or numpy.random.Generator",
    remark="The default gives the same answer every time.",
)  # fmt: skip

LOAD = Argument(
    unit="1", domain="(0, 1)", several=True, kind="float or sequence of float", otherwise="0.4,0.6,0.8,0.9,0.95",
    meaning="Offered loads, as fractions of the capacity, at which network power is simulated; only with ``file``",
)  # fmt: skip

BUFFER: dict[str, Any] = {
    "rate": RATE,
    "round_trip_time": replace(
        ROUND_TRIP_TIME, ranges=True, several=True, kind="float, str or sequence",
        meaning="Round-trip time: 100ms, 20..80ms, or a list",
        remark="The time does not include queueing. The flows take the times of a list in turn; then R is the mean, "
        "and ``spread`` has no effect. Only the command line accepts a range, which is given by ``spread`` in Python.",
    ),
    "flows": replace(
        FLOWS, default=None,
        otherwise="1, or one for each time",
        meaning="Numbers of flows", remark="They always have data to send. Excludes ``file``.",
    ),
    "file": Argument(
        unit="bytes", domain="[1, inf)", optional=True,
        meaning="Size of randomly arriving files; goal: network power",
    ),
    "scheme": SCHEME,
    "share": Argument(
        unit="probability", domain="(0, 1]", default="95%",
        meaning="Fraction of the attainable rate or power",
    ),
    "packet": PACKET,
    "discipline": Setting(
        registry="discipline", kind="str or Discipline", otherwise="fifo",
        meaning="Queue discipline", remark="For dctcp the default is step-marking.",
    ),
    "mark_above": Argument(
        unit="packets", domain="[1, 1e9]", integer=True, otherwise="BDP/7",
        meaning="Backlog above which to mark",
        remark="The default is the smallest threshold with which the law of DCTCP keeps the link busy, K > C R/7.",
    ),
    "find": Setting(
        default="buffer", names=("buffer", "threshold", "burst"),
        meaning="To find: buffer, threshold or burst",
        remark="The threshold is the backlog above which ``discipline`` codel, fq-codel, pie, dualpi2, red or "
        "step-marking signals congestion; divided by the rate, it is the target delay. The buffer of the queue is then "
        'larger than the threshold by four bandwidth-delay products, and "buffer" in the answer is the threshold. The '
        "burst is the bucket of a policer with which flows reach the fraction ``share`` of its rate. The policer lets "
        '``rate`` pass on a link that is ten times as fast, and "buffer" in the answer is its bucket.',
    ),
    "access_rate": replace(
        RATE, domain="(0, inf]", otherwise="unlimited",
        meaning="Rate of the access link of each source, e.g. 100Mbit/s",
    ),
    "spread": SPREAD,
    "parameters": Setting(
        kind="mapping", meaning="Parameter of the scheme, such as delayed_ack=2",
        remark="A mapping of names to values, which replace the values of hosts or the defaults; the option may be "
        "repeated.",
    ),
    "loads": LOAD,
    "bandwidth_delay_product": Argument(
        unit="packets", domain="[10, 1e7]", integer=True,
        otherwise="200, or 40 per flow if that is more; for CUBIC 500, or more for several flows",
        meaning="Largest bandwidth-delay product to simulate [packets]",
        remark="If scheme or discipline are not scale-free, the default is the path's. Excludes ``file``.",
    ),
    "points": Argument(
        unit="buffers", domain="[0, 1000]", integer=True, default=8,
        meaning="Number of buffers at which the curve is simulated",
        remark="With 0 there is no curve. The command simulates the curve only for JSON, CSV, ``--output`` and files.",
    ),
    "replications": replace(
        REPLICATIONS, remark="For long-lived flows it is the number of first samples of each buffer.",
    ),
    "confidence": CONFIDENCE,
    "rng": RNG,
}  # fmt: skip

TCP_WINDOW: dict[str, Any] = {
    "rate": replace(
        RATE, ranges=True, kind="float, str or pair",
        meaning="Rate of the bottleneck link, e.g. 1Gbit/s or 80..100Mbit/s",
        remark="A pair has both ends of a range.",
    ),
    "round_trip_time": replace(
        ROUND_TRIP_TIME, ranges=True, kind="float, str or pair",
        meaning="Round-trip time without queueing, e.g. 100ms or 20..30ms",
    ),
    "loss": replace(
        LOSS, ranges=True, several=True, default="0", kind="float, str, pair or list of these",
        meaning="Packet loss probabilities, e.g. 1e-4,1e-3 or 1e-4..3e-4",
        remark="Packets that the full buffer of the bottleneck drops are not counted.",
    ),
    "scheme": Setting(
        default="cubic", names=SENDERS,
        meaning="Congestion control; bbr1 is mainline Linux's bbr",
        remark='"bbr" is version 3, and "dctcp" is for data centers: the bottleneck marks packets above a seventh of '
        "the bandwidth-delay product.",
    ),
    "flows": replace(
        FLOWS, several=False, default=1, kind="",
        meaning="Number of parallel TCP streams, as iperf3 -P has them",
        remark="The rates are totals of all streams; the window and the socket buffers are those of each stream.",
    ),
    "target": TARGET,
    # Headers of IPv4 and TCP leave 65,495 of the 65,535 bytes of a packet (RFC 791; RFC 9293, section 3.1).
    "segment": Argument("bytes", "[1, 65495]", "1448B", "Data bytes in a packet", integer=True),
    "buffer": BUFFER_BDP,
    "replications": replace(
        REPLICATIONS, default=6, meaning="Simulations at each loss",
        remark="Of long transfers, and of checks: at least 2 of each.",
    ),
    "confidence": CONFIDENCE,
    "rng": RNG,
}  # fmt: skip

#: Option of `longfat window`; its names are the keys of `longfat.design.application_windows.APPLICATIONS`.
APPLICATION = {
    "application": Setting(
        default=None, names=("http2", "grpc", "quic", "ssh"),
        meaning="Answer for the window of http2, grpc, quic or ssh",
    ),
}  # fmt: skip

WINDOW: dict[str, Any] = {
    "rate": replace(RATE, meaning="Rate of the path"),
    "round_trip_time": ROUND_TRIP_TIME,
    "loss": LOSS,
    "target": replace(TARGET, meaning="Goal, as a fraction of the attainable efficiency 1 - p"),
    "segment": Argument(
        unit="bytes", domain="[1, inf)", meaning="Segment size [bytes]",
        remark="A segment is sent in the smallest number of equal packets that are no larger than ``packet``.",
    ),
    "packet": Argument(unit="bytes", domain="[1, inf)", meaning="Packet size"),
    "source": Setting(
        default="auto", names=("auto", "law", "simulator"), meaning="Source of the window",
        remark='"auto" uses the law where it is valid and the simulator elsewhere.',
    ),
    "points": Argument(
        unit="windows", domain="[0, 10000]", integer=True, default=24,
        meaning="Number of windows at which the curves are simulated", remark="With 0 there are no curves.",
    ),
    "confidence": CONFIDENCE,
    "rng": RNG,
}  # fmt: skip

CURVES: dict[str, Any] = {
    "rate": replace(RATE, default="100Mbit/s", meaning="Rate of the bottleneck"),
    "round_trip_time": replace(ROUND_TRIP_TIME, default="40ms"),
    "schemes": replace(SCHEME, default=("cubic", "reno", "bbr"), several=True, kind="str, Scheme or sequence of these"),
    "flows": FLOWS,
    "over": Setting(
        default="buffer", names=("buffer", "window"),
        meaning="What varies: the buffer of the bottleneck, the window of each flow",
        remark="The window is an upper bound of the congestion window.",
    ),
    "at": Argument(
        unit="1", domain="(0, 100]", several=True, kind="float or sequence of float",
        otherwise="0.05 to 4 for buffers, 0.02 to 4 for windows",
        meaning="Values of the buffer or window, in bandwidth-delay products",
    ),
    "buffer": replace(BUFFER_BDP, meaning="Buffer if the window varies, in bandwidth-delay products"),
    "file": Argument(
        unit="bytes", domain="[1, 1e12]", default="100kB", kind="float, str or None",
        meaning="Size of short transfers", remark="With None there are no short transfers.",
    ),
    "load": Argument(
        unit="probability", domain="(0, 0.5]", default="0.01",
        meaning="Rate of the short transfers over that of the link",
    ),
    "packet": PACKET,
    "spread": SPREAD,
    "replications": replace(REPLICATIONS, default=5, meaning="Simulations of each point"),
    "confidence": CONFIDENCE,
    "rng": RNG,
}  # fmt: skip

EXPONENT = Argument(
    unit="1", domain="[1, 50]", several=True, default=(2.0, 5.0, 10.0, 20.0),
    kind="float or sequence of float",
    meaning="Exponents k of the loss-load curve to choose from",
)  # fmt: skip

LOSS_LOAD: dict[str, Any] = {
    "rate": replace(RATE, meaning="Rate of the bottleneck link, e.g. 40Mbit/s"),
    "round_trip_time": replace(ROUND_TRIP_TIME, meaning="Round-trip time without queueing, e.g. 44ms"),
    "loss": Argument(unit="probability", domain="[0, 1)", meaning="Largest fraction of packets lost, e.g. 1%"),
    "sources": Argument(
        unit="1", domain="[1, 1000]", integer=True, meaning="Number of simultaneous transfers",
        remark="Each source maximises its throughput.",
    ),
    "file": Argument(unit="bytes", domain="[1, inf)", meaning="Size of each transfer, e.g. 2MB"),
    "packet": PACKET,
    "k": EXPONENT,
    "stagger": Argument(
        unit="s", domain="[0, 1e6]", otherwise="one round-trip time",
        meaning="Time between the starts of two transfers",
    ),
    "buffer": Argument(
        unit="packets", domain="[1, 1e9]", integer=True, otherwise="one bandwidth-delay product",
        meaning="Buffer of the switch [packets]", remark="The default is at least 10.",
    ),
    "points": Argument(
        unit="1", domain="[2, 1000]", integer=True, default=6, meaning="Number of virtual factors v to simulate",
        remark="They are between 0.5 and 1. Two more factors are added: in equilibrium one causes no loss, the other "
        "as much loss as allowed.",
    ),
    "replications": replace(REPLICATIONS, default=4, meaning="Simulations at each v"),
    "confidence": replace(CONFIDENCE, remark="The upper limit must stay below the ceiling."),
    "rng": RNG,
}  # fmt: skip
