"""The segment simulator: a window of segments over a black-box channel (Gong & Parulkar, figure 13).

The sender transmits packets back to back at the connection's rate. A segment is a group of packets; the
receiver answers every group, ``ack_segments`` segment times after its last packet was sent, with an
acknowledgment or with a request for the packets that are missing, which go ahead of new segments as a group
of their own. Segments are sent first only inside a window counted from the oldest one not acknowledged.
Answers are never lost and take no bandwidth (section 4.2); a group once begun is not interrupted, and
requests are served in the order in which they arrive (decisions where the paper is silent).

A receive buffer smaller than the window (section 4.3) holds segments that are complete or partly there, until
everything before them is there, too; the application consumes at once what is in order. Under *hard* acknowledgment
the receiver keeps a segment if it lies within one buffer from the first that is missing, and discards others. Under
*soft* acknowledgment it keeps any that finds a free slot, and when none is free throws out the largest number for a
smaller one. What was discarded is asked for in the answer to the group it was sent in or was thrown out by, or, on
request, when there is room for it.
"""

from longfat.segments.replications import AskAgain, Channel, Strategy
from longfat.segments.simulating import QUANTITIES, simulate
from longfat.segments.tracing import trace

__all__ = ["QUANTITIES", "AskAgain", "Channel", "Strategy", "simulate", "trace"]
