"""Rules that the paced schemes share: losses inferred from acknowledgments, missing feedback, and departures.

Their rates follow from round-trip times and losses alone. The simulator retransmits lost packets; every acknowledgment
restarts its retransmission timer, which thus expires only when no acknowledgment arrives at all, not while a packet is
missing. The rules count transmissions, not packets: a retransmission is a new packet, as in protocols that retransmit
nothing (RAP, TFRC, TEAR).
"""

from longfat.sim.kernel.jit import inline

SLACK = 1e-9  # s; the clock of the simulator counts nanoseconds


@inline
def holes(flow, event):
    """Return the number of outstanding transmissions that were made before the transmission just acknowledged."""
    return max(0, flow.in_flight - (flow.transmission - 1 - event.transmission))


@inline
def silence(flow, rate):
    """Return the time [s] without an acknowledgment after which feedback counts as missing."""
    # RFC 5348, section 4.3: the no-feedback timer is set to max(4 R, 2 s/X).
    return max(4.0 * flow.rtt, 2.0 * flow.packet_size / rate)


@inline
def next_departure(flow, now, interval):
    """Return the departure time of the next packet [s]: `interval` after the last one, but not before now."""
    return max(now, flow.last_sent + interval)
