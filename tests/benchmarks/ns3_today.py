"""The TCP and the queue disciplines of today in ns-3, for the comparison in tests/test_peers_today.py.

Several flows from one node to another over one link. Packets have 1500 bytes on the link: 1458 of
data, 40 of TCP and IP headers, 2 of the link layer. There are no time stamps, which ns-3 rounds to milliseconds. The
queue discipline holds the backlog, but for one packet in the queue of the device below it, which counts here.

Usage: python ns3_today.py CASES.json RESULTS.json. A case is a dictionary: `scheme`, `discipline`, `starts` (of the
flows [s]), `buffer` [packets], `rate` [Mbit/s], `delay` (one way [ms]), `warm_up` and `seconds` [s]; `options` are
further attributes of ns-3 by name, and `mend` names rules that ns3_mended.cc changes: "found" (lost retransmissions are
found without the timer), "plain" (TcpBbr adds nothing to its window for aggregated acknowledgments) and "phases" (each
flow of TcpBbr has random numbers of its own). A result has
packets received by the applications [packets], packets that arrived at the queue, were dropped and were marked there,
all after the warm-up, and the mean backlog [packets].
"""

import functools
import json
import sys
import time
from pathlib import Path

import cppyy
from ns import ns

DATA = 1458
SLICE = 0.005  # s
SCHEMES = {"cubic": "TcpCubic", "newreno": "TcpNewReno", "dctcp": "TcpDctcp", "bbr1": "TcpBbr"}
DISCIPLINES = {
    "drop-tail": "FifoQueueDisc",
    "codel": "CoDelQueueDisc",
    "fq-codel": "FqCoDelQueueDisc",
    "pie": "PieQueueDisc",
    "step-marking": "RedQueueDisc",
}
#: Attributes of every case, which its options may change.
BASE = {
    "ns3::TcpL4Protocol::RecoveryType": "ns3::TcpClassicRecovery",
    "ns3::TcpSocketBase::Sack": "true",
    "ns3::TcpSocketBase::Timestamp": "false",
    "ns3::TcpSocketBase::MinRto": "1s",
    "ns3::TcpSocketBase::UseEcn": "Off",
    "ns3::TcpSocket::DelAckCount": "2",
    "ns3::TcpSocket::DelAckTimeout": "40ms",
    "ns3::TcpSocket::SegmentSize": str(DATA),
    "ns3::TcpSocket::InitialCwnd": "10",
    "ns3::TcpSocket::SndBufSize": "8000000",
    "ns3::TcpSocket::RcvBufSize": "8000000",
    "ns3::TcpCubic::HyStart": "false",
    "ns3::TcpCubic::FastConvergence": "true",
    "ns3::TcpCubic::TcpFriendliness": "true",
    "ns3::PieQueueDisc::UseCapDropAdjustment": "false",
    # The disciplines do not see the wait in the queue of the device, which is one packet of 0.6 ms.
    "ns3::CoDelQueueDisc::Target": "4.4ms",
    "ns3::FqCoDelQueueDisc::Target": "4.4ms",
    "ns3::PieQueueDisc::QueueDelayReference": "14.4ms",
    "ns3::DropTailQueue<Packet>::MaxSize": "1p",
}


def text(name, value):
    ns.Config.SetDefault(name, ns.StringValue(str(value)))


def configure(case):
    """Set the attributes of a case."""
    for name, value in {**BASE, "ns3::TcpL4Protocol::SocketType": "ns3::" + SCHEMES[case["scheme"]]}.items():
        text(name, value)
    room = case["buffer"] - 1  # the device has the other packet
    disc = DISCIPLINES[case["discipline"]]
    text(f"ns3::{disc}::MaxSize", f"{room}p")
    if case["discipline"] == "step-marking":
        # RED whose average is the backlog and whose thresholds are equal, as in ns-3's examples of DCTCP.
        threshold = case["threshold"] - 1
        for name, value in {
            "MinTh": threshold,
            "MaxTh": threshold,
            "QW": 1,
            "UseEcn": "true",
            "UseHardDrop": "false",
            "Gentle": "false",
            "MeanPktSize": DATA + 40,
        }.items():
            text(f"ns3::{disc}::{name}", value)
        text("ns3::TcpSocketBase::UseEcn", "On")
    for name, value in case.get("options", {}).items():
        text("ns3::" + name, value)
    return disc


@functools.cache
def mended():
    """Compile ns3_mended.cc, and return its names."""
    cppyy.cppdef(Path(__file__).with_name("ns3_mended.cc").read_text())
    return cppyy.gbl


def mend(names):
    """Change rules for which ns-3 has no attribute, when all flows have begun."""
    if names:
        mended().ScheduleMending(1.2, "found" in names, "plain" in names, "phases" in names)


def build(case):
    """Return the queue discipline, the queue of the device, and the receivers."""
    disc = configure(case)
    nodes = ns.NodeContainer()
    nodes.Create(2)
    line = ns.PointToPointHelper()
    line.SetDeviceAttribute("DataRate", ns.StringValue(f"{case['rate']}Mbps"))
    line.SetChannelAttribute("Delay", ns.StringValue(f"{case['delay']}ms"))
    devices = line.Install(nodes)
    ns.InternetStackHelper().Install(nodes)
    helper = ns.TrafficControlHelper()
    helper.SetRootQueueDisc("ns3::" + disc)
    sender = devices.Get(0)
    discs = helper.Install(ns.NetDeviceContainer(sender))
    back = ns.TrafficControlHelper()
    back.SetRootQueueDisc("ns3::PfifoFastQueueDisc")
    back.Install(ns.NetDeviceContainer(devices.Get(1)))
    address = ns.Ipv4AddressHelper()
    address.SetBase(ns.Ipv4Address("10.1.1.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = address.Assign(devices)
    sinks = []
    for k, start in enumerate(case["starts"]):
        to = ns.InetSocketAddress(interfaces.GetAddress(1), 5000 + k).ConvertTo()
        source = ns.BulkSendHelper("ns3::TcpSocketFactory", to)
        source.SetAttribute("MaxBytes", ns.UintegerValue(0))
        source.SetAttribute("SendSize", ns.UintegerValue(DATA))
        source.Install(nodes.Get(0)).Start(ns.Seconds(start))
        sinks.append(ns.PacketSinkHelper("ns3::TcpSocketFactory", to).Install(nodes.Get(1)))
    return discs.Get(0), sender.GetObject[ns.PointToPointNetDevice]().GetQueue(), sinks


def counts(disc, sinks, data):
    """Return the counters now; packets carry `data` bytes."""
    stats = disc.GetStats()
    received = sum(sink.Get(0).GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks) / data
    return {
        "received": received,
        "arrived": int(stats.nTotalReceivedPackets),
        "dropped": int(stats.nTotalDroppedPackets),
        "marked": int(stats.nTotalMarkedPackets),
    }


def run(case):
    """Run one case."""
    ns.RngSeedManager.SetRun(case.get("run", 1))
    disc, queue, sinks = build(case)
    mend(case.get("mend", ()))
    data = int(case.get("options", {}).get("TcpSocket::SegmentSize", DATA))
    begun, before, waiting, samples = time.perf_counter(), None, 0, 0
    for _ in range(round(case["seconds"] / SLICE)):
        if before is None and ns.Simulator.Now().GetSeconds() >= case["warm_up"]:
            before = counts(disc, sinks, data)
        ns.Simulator.Stop(ns.Seconds(SLICE))
        ns.Simulator.Run()
        if before is not None:
            waiting += int(disc.GetNPackets()) + int(queue.GetNPackets())
            samples += 1
    after = counts(disc, sinks, data)
    result = {name: after[name] - before[name] for name in after}
    ns.Simulator.Destroy()
    return {**result, "queue": waiting / samples, "wall_time": time.perf_counter() - begun}


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        cases = json.load(file)
    results = []
    for case in cases:
        results.append(run(case))
        print(case["scheme"], case["discipline"], case["buffer"], results[-1], file=sys.stderr, flush=True)
        with open(sys.argv[2], "w") as file:
            json.dump(results, file)
