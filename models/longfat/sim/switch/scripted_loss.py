"""Scripted losses of listed packets, of listed transmissions, and of packets that arrive in listed time intervals.

Our addition, because published test cases name the packets that are lost, and random losses cannot reproduce them;
examples are in RFC 6675, RFC 8985 and draft-ietf-ccwg-bbr-06, appendix A.

>>> scripted_loss(packets=[[0, 20, 1]]).values["packets"]
((0.0, 20.0, 1.0),)
"""

from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline
from longfat.sim.plugin.parameters import Table

ROWS = Table.MOST
COUNT = "[0, 9e15]"


# The format of the script is our choice, and so is this: each row of `packets` and of `times` has a counter of the
# packets that have matched the row so far.
def lose(link, packet, now):
    """Drop the packet if the script lists the packet, its transmission or its arrival time."""
    lost = False
    if packet.kind == DATA:
        for k in range(ROWS):
            if link.packets[3 * k] < 0.0:
                break
            if link.packets[3 * k] == packet.flow and link.packets[3 * k + 1] == packet.number:
                lost = lost or link.packets_lost[k] < link.packets[3 * k + 2]
                link.packets_lost[k] += 1
        for k in range(ROWS):
            if link.transmissions[2 * k] < 0.0:
                break
            if link.transmissions[2 * k] == packet.flow and link.transmissions[2 * k + 1] == packet.transmission:
                lost = True
    for k in range(ROWS):
        if link.times[3 * k] < 0.0:
            break
        if link.times[3 * k] <= now < link.times[3 * k + 1]:
            link.times_seen[k] += 1
            if link.times_seen[k] % int(link.times[3 * k + 2]) == 0:
                lost = True
    return DROP if lost else ENQUEUE


scripted_loss = Discipline(
    "scripted-loss",
    enqueue=lose,
    parameters={
        "packets": Table(
            columns=(("flow", "1", COUNT), ("number", "packets", COUNT), ("count", "packets", "[1, 1e9]")),
            about="Data packets by flow (0 is the first) and number; the first `count` transmissions of each are lost",
        ),
        "transmissions": Table(
            columns=(("flow", "1", COUNT), ("transmission", "packets", COUNT)),
            about="Transmissions that are lost: flow, and number among the flow's transmissions, from 0 on",
        ),
        "times": Table(
            columns=(("begin", "s", "[0, 1e9]"), ("end", "s", "[0, 1e9]"), ("every", "packets", "[1, 1e9]")),
            about="Intervals [begin, end) in which every n-th arriving packet is lost; 1: all are lost",
        ),
    },
    state={"packets_lost": [0] * ROWS, "times_seen": [0] * ROWS},
    source="Ours, because test cases in RFCs name lost packets, and no publication defines a discipline for them",
)
