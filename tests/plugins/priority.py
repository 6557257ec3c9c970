"""Strict priority as a plug-in: eight bands, the best first; a full buffer drops the last packet of a worse band.

Ours, because strict priority needs no source: push-out after Kim and Farber, MS-CIS-94-55 (1994), section 3.3.2.
"""

from longfat.sim import NOTHING, Discipline, Service, append, part, queue, take_first, take_last

BANDS = 8


@part
def band_of(packet):
    return min(max(packet.priority, 0), BANDS - 1)


def enqueue(link, packet, now):
    append(link, queue(link, band_of(packet)), packet)
    return 0


def dequeue(link, now):
    for band in range(BANDS):
        if queue(link, band).packets > 0:
            return take_first(link, queue(link, band))
    return NOTHING


def evict(link, packet, now):
    for band in range(BANDS - 1, band_of(packet), -1):
        if queue(link, band).packets > 0:
            return take_last(link, queue(link, band))
    return NOTHING


PRIORITY = Discipline("strict-priority", Service("bands", enqueue=enqueue, dequeue=dequeue, evict=evict, queues=BANDS))
