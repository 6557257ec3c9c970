// Rules of BBR and of loss recovery that ns-3 3.44 cannot switch by attributes, for tests/benchmarks/ns3_today.py, which
// compiles this file at run time with cppyy. The members are private or protected: only an explicit instantiation may
// name them, and the function that it defines hands them out.
#include "ns3/core-module.h"
#include "ns3/internet-module.h"

#include <algorithm>
#include <vector>

using namespace ns3;

template <int Key>
struct Member
{
};

template <int Key, auto Pointer>
struct Access
{
    friend auto Of(Member<Key>) { return Pointer; }
};

auto Of(Member<0>);
auto Of(Member<1>);
auto Of(Member<2>);
auto Of(Member<3>);
auto Of(Member<4>);
auto Of(Member<5>);
auto Of(Member<6>);
auto Of(Member<7>);
template struct Access<0, &TcpTxBuffer::m_sentList>;
template struct Access<1, &TcpTxBuffer::m_retrans>;
template struct Access<2, &TcpTxItem::m_lost>;
template struct Access<3, &TcpTxItem::m_sacked>;
template struct Access<4, &TcpTxItem::m_lastSent>;
template struct Access<5, &TcpSocketBase::m_txBuffer>;
template struct Access<6, &TcpSocketBase::m_congestionControl>;
template struct Access<7, &TcpBbr::m_extraAckedGain>;

// A retransmission is lost when three packets sent after it have been reported by SACK, as here. ns-3 waits for the
// timer: TcpTxBuffer::NextSeg() takes no packet that has been retransmitted. This runs before an acknowledgment is
// processed, so that the packet leaves with the acknowledgment after the one that shows its loss.
void
FindLostRetransmissions(Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase> socket)
{
    TcpTxBuffer& buffer = *PeekPointer((*socket).*Of(Member<5>{}));
    std::vector<Time> reported;
    for (TcpTxItem* item : buffer.*Of(Member<0>{}))
    {
        if (item->*Of(Member<3>{}))
        {
            reported.push_back(item->*Of(Member<4>{}));
        }
    }
    if (reported.size() < 3)
    {
        return;
    }
    std::nth_element(reported.begin(), reported.end() - 3, reported.end());
    const Time third = reported[reported.size() - 3];
    for (TcpTxItem* item : buffer.*Of(Member<0>{}))
    {
        if (item->*Of(Member<2>{}) && item->m_retrans && item->*Of(Member<4>{}) < third)
        {
            item->m_retrans = false;
            buffer.*Of(Member<1>{}) -= item->GetSeqSize();
        }
    }
}

// Mend all TCP senders of a node. TcpBbr adds to its window for aggregated acknowledgments, unless the gain is 0. Its
// attribute Stream gives all flows the same random numbers, so that their cycles begin in the same phase.
void
MendSenders(bool found, bool plain, bool phases)
{
    auto all = Config::LookupMatches("/NodeList/0/$ns3::TcpL4Protocol/SocketList/*");
    for (uint32_t i = 0; i < all.GetN(); i++)
    {
        auto socket = DynamicCast<TcpSocketBase>(all.Get(i));
        auto bbr = dynamic_cast<TcpBbr*>(PeekPointer((*socket).*Of(Member<6>{})));
        if (plain && bbr)
        {
            bbr->*Of(Member<7>{}) = 0;
        }
        if (phases && bbr)
        {
            bbr->SetStream(100 + i);
        }
        if (found)
        {
            socket->TraceConnectWithoutContext("Rx", MakeCallback(&FindLostRetransmissions));
        }
    }
}

void
ScheduleMending(double time, bool found, bool plain, bool phases)
{
    Simulator::Schedule(Seconds(time), &MendSenders, found, plain, phases);
}
