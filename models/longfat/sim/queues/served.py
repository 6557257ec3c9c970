"""What a fair queue knows of a flow: how much of it waits, and how fast it is served."""

from longfat.sim.jit import part
from longfat.sim.memory import hop_at, queue_at
from longfat.sim.queues.line import capacity

# u of a note: the estimated rate [bytes/s], 0 for none; when the last packet's transmission began [s]; its bytes,
# negative if nothing of the flow waited then.
SERVICE, BEFORE, LENGTH = 2, 3, 4
GAIN = 0.25  # of the estimate


@part
def queue_of(link, packet):
    """The queue of a packet's flow, or of the flow that a note is about."""
    return queue_at(link, hop_at(link, packet.hop).queue)


@part
def take_departure(note, queue, packet, now):
    """A packet begins its transmission: how long that took since the last one, if the flow waited all the time."""
    if note.u[LENGTH] > 0.0 and now > note.u[BEFORE]:
        sample = note.u[LENGTH] / (now - note.u[BEFORE])
        note.u[SERVICE] += GAIN * (sample - note.u[SERVICE]) if note.u[SERVICE] > 0.0 else sample
    note.u[BEFORE] = now
    note.u[LENGTH] = packet.length if queue.packets > 0 else -packet.length


@part
def service_rate(link, note, queue):
    """Bytes/s: the estimate where the flow waits, else a share of the line, with those that do."""
    if queue.packets > 0 and note.u[SERVICE] > 0.0:
        return note.u[SERVICE]
    others = link.active - (1 if queue.packets > 0 else 0)
    return capacity(link) / (max(0, others) + 1.0)
