"""Reno flows over one bottleneck in ns-3, for the comparison in tests/test_peers.py.

Reno of RFC 5681 (ns-3's TcpNewReno with its classic recovery) without SACK and without delayed acknowledgments, a
drop-tail queue of one bandwidth-delay product, and packets of 500 bytes on the link: 458 of data, 40 of TCP and IP
headers, 2 of the link layer.

Usage: python ns3_dumbbell.py FLOWS SECONDS MBIT_PER_S; prints packets delivered, packets dropped, packets offered, the
mean backlog, and the duration of the event loop [s].
"""

import sys
import time

from ns import ns

DATA, PACKET, ROUND_TRIP = 458, 500, 0.044
SLICE = 0.01  # s


def text(name, value):
    ns.Config.SetDefault(name, ns.StringValue(value))


def run(flows, seconds, mbit):
    bdp = int(mbit * 1e6 * ROUND_TRIP / 8 / PACKET)
    text("ns3::TcpL4Protocol::SocketType", "ns3::TcpNewReno")
    text("ns3::TcpL4Protocol::RecoveryType", "ns3::TcpClassicRecovery")
    text("ns3::TcpSocketBase::Sack", "false")
    text("ns3::TcpSocketBase::Timestamp", "false")
    text("ns3::TcpSocketBase::MinRto", "200ms")
    text("ns3::TcpSocket::DelAckCount", "1")
    text("ns3::TcpSocket::SegmentSize", str(DATA))
    text("ns3::TcpSocket::InitialCwnd", "1")
    text("ns3::TcpSocket::InitialSlowStartThreshold", str(DATA * (bdp // flows)))
    text("ns3::TcpSocket::SndBufSize", "4000000")
    text("ns3::TcpSocket::RcvBufSize", "4000000")
    text("ns3::DropTailQueue<Packet>::MaxSize", f"{bdp}p")
    nodes = ns.NodeContainer()
    nodes.Create(2)
    line = ns.PointToPointHelper()
    line.SetDeviceAttribute("DataRate", ns.StringValue(f"{mbit}Mbps"))
    line.SetChannelAttribute("Delay", ns.StringValue("22ms"))
    line.DisableFlowControl()  # otherwise packets are dropped above the queue, and not counted
    devices = line.Install(nodes)
    sender = devices.Get(0).GetObject[ns.PointToPointNetDevice]()
    queue = sender.GetQueue()  # the sending node's own queue is the bottleneck's
    ns.InternetStackHelper().Install(nodes)
    address = ns.Ipv4AddressHelper()
    address.SetBase(ns.Ipv4Address("10.1.1.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = address.Assign(devices)
    sinks = []
    for k in range(flows):
        to = ns.InetSocketAddress(interfaces.GetAddress(1), 5000 + k).ConvertTo()
        source = ns.BulkSendHelper("ns3::TcpSocketFactory", to)
        source.SetAttribute("MaxBytes", ns.UintegerValue(0))
        source.SetAttribute("SendSize", ns.UintegerValue(DATA))
        source.Install(nodes.Get(0)).Start(ns.Seconds(0.2 * k / flows))
        sinks.append(ns.PacketSinkHelper("ns3::TcpSocketFactory", to).Install(nodes.Get(1)))
    waiting, slices = 0, round(seconds / SLICE)
    begun = time.perf_counter()
    for _ in range(slices):  # a look at the queue after each; the packet in transmission has left it
        ns.Simulator.Stop(ns.Seconds(SLICE))
        ns.Simulator.Run()
        waiting += int(queue.GetNPackets())
    spent = time.perf_counter() - begun
    got = sum(sink.Get(0).GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks)
    dropped = int(queue.GetTotalDroppedPackets())
    return got / DATA, dropped, dropped + int(queue.GetTotalReceivedPackets()), waiting / slices, spent


if __name__ == "__main__":
    print(*run(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
