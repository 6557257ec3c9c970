"""Switch that sends congestion notifications back to the sources while its queue is long (BECN).

While the queue exceeds a threshold, each flow whose cells arrive gets a notification, at most one in a filter period.
Sources of the scheme "becn" react to the notifications. The rules are written from the abstract and from memory,
because the paper could not be read. Service is in order of arrival.
"""

from longfat.sim.plugin.discipline import ENQUEUE, Discipline, Parameter
from longfat.sim.plugin.feedback import OF_BECN, OWNER, belongs
from longfat.sim.plugin.functions import flow_state


# Newman (1993): the switch sends notifications while the queue exceeds a threshold; a filter limits them to one for
# each congestion event.
def enqueue(link, packet, now):
    """Send the packet's flow a notification if the queue is too long and the flow got none within the filter period."""
    if not belongs(packet, OF_BECN):
        return ENQUEUE
    flow = flow_state(link, packet.flow)
    if link.backlog > link.threshold and now >= flow.notified_at + link.filter:
        flow.notified_at = now
        link.feedback[OWNER] = OF_BECN
        link.send_feedback = 1
    return ENQUEUE


becn = Discipline(
    "becn",
    enqueue=enqueue,
    parameters={
        "threshold": Parameter(
            20.0, "packets", "[0, 1e9]", about="Backlog above which notifications are sent", integer=True
        ),
        "filter": Parameter(0.005, "s", "[0, 1e6]", about="Least time between two notifications of a flow"),
    },
    flow_state={"notified_at": -1e9},  # s
    source='P. Newman, "Backward Explicit Congestion Notification for ATM Local Area Networks", GLOBECOM 1993, '
    "doi:10.1109/GLOCOM.1993.318176 (abstract; the rest not checked against the original); threshold and filter "
    "are ours",
)
