"""Segment simulator: a window of segments over a channel with packet loss (Gong & Parulkar, WUCS-92-38, figure 13).

The sender transmits packets back to back at the connection's rate. A segment is a group of packets. For every group an
acknowledgment arrives at the sender, ``ack_segments`` segment times after the group's last packet was sent; it requests
the missing packets of the group. Requested packets are sent before new segments, as a group of their own. A new segment
is sent only inside a window counted from the oldest segment not acknowledged. Acknowledgments are never lost and take
no bandwidth (section 4.2). Where the paper is silent, we decided that the transmission of a group is not interrupted
and that requests are processed in the order of arrival.

A receive buffer smaller than the window (section 4.3) stores complete and partial segments until all segments before
them are complete; the application consumes segments in order immediately. Under *hard* acknowledgment the receiver
keeps only the ``receive_buffer`` segments from the first missing one on, and discards others. Under *soft*
acknowledgment it keeps any segment that finds a free slot; if none is free, a segment with a smaller number displaces
the one with the largest number. A discarded segment is requested in the acknowledgment of the group that carried or
displaced it, or optionally when the buffer has a slot for it. If requested packets of a displaced segment are in
flight, their acknowledgment requests the segment's other packets, because each group has one acknowledgment, which
follows its last packet (section 4.2).
"""

from longfat.segments.simulating import QUANTITIES, AskAgain, ListedLosses, Strategy, simulate, trace

__all__ = ["QUANTITIES", "AskAgain", "ListedLosses", "Strategy", "simulate", "trace"]
