"""Rate control by explicit forward congestion indication (EFCI), with one bit of feedback, as in ABR sources of ATM.

Switches mark cells (disciplines "mark-above", "step-marking", "red" and others: the CE mark stands for EFCI). Each
`nrm`-th cell counts as a resource management (RM) cell, whose acknowledgment brings back whether the last cell was
marked. Without a mark the rate grows by a fraction of the peak rate; with a mark it falls by a fraction of itself
(additive increase, multiplicative decrease). The rules with their sources: docs/rules/explicit-feedback.md.
"""

from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate


def start(flow, event):
    """Return the initial cell rate [bytes/s]."""
    return min(flow.initial_rate, flow.peak_rate)


def ack(flow, event):
    """Return the rate [bytes/s] after an acknowledgment; only the acknowledgment of an RM cell changes the rate."""
    if event.number < 0 or event.transmission < 0 or event.transmission % int(flow.nrm) != 0:
        return flow.rate
    flow.unanswered = 0
    # ATM Forum, af-tm-0056.000 (1996), section 5.10.5, destination behaviour 2: the destination returns each RM cell,
    # and its CI bit has the EFCI state of the last data cell. Section 5.10.4, source behaviour 8: a backward
    # RM cell with CI = 1 reduces the rate; one with CI = 0 and NI = 0 increases it (NI is always 0 here).
    if event.marked:
        return max(flow.least_rate, flow.rate - flow.decrease * flow.rate)
    return min(flow.peak_rate, flow.rate + flow.increase * flow.peak_rate)


def send(flow, packet):
    """Reduce the rate before an RM cell after a long pause or after too many RM cells without an answer; return 0."""
    if packet.transmission % int(flow.nrm) != 0:
        return 0
    # ATM Forum, af-tm-0056.000 (1996), section 5.10.4, source behaviour 5: if no RM cell was sent for the time ADTF,
    # the rate falls to the initial cell rate.
    if flow.rm_sent_at >= 0.0 and packet.sent - flow.rm_sent_at > flow.pause:
        flow.rate = min(flow.rate, flow.initial_rate)
    flow.rm_sent_at = packet.sent
    # ATM Forum, af-tm-0056.000 (1996), section 5.10.4, source behaviour 6: if at least Crm RM cells have been sent
    # since an RM cell last came back, each further RM cell reduces the rate.
    if flow.unanswered >= flow.missing:
        flow.rate = max(flow.least_rate, flow.rate - flow.cutoff * flow.rate)
    flow.unanswered += 1
    return 0


EFCI = Scheme(
    "efci",
    start=start,
    ack=ack,
    timeout=keep_rate,  # our choice, because ATM does not retransmit cells: a timeout leaves the rate unchanged
    send=send,
    controls="rate",
    echo="once",
    parameters={
        "peak_rate": Parameter(5e6, "bytes/s", "(0, 1e15]", about="Peak cell rate PCR"),
        "initial_rate": Parameter(5e5, "bytes/s", "(0, 1e15]", about="Initial cell rate ICR"),
        "least_rate": Parameter(530.0, "bytes/s", "(0, 1e15]", about="Minimum cell rate MCR; ten cells of 53 bytes"),
        "increase": Parameter(0.0625, "1", "(0, 1]", about="Rate increase factor RIF: share of the peak rate"),
        "decrease": Parameter(0.0625, "1", "(0, 1]", about="Rate decrease factor RDF: share of the rate"),
        "cutoff": Parameter(0.0625, "1", "[0, 1]", about="Cutoff decrease factor CDF, for RM cells without an answer"),
        "nrm": Parameter(32.0, "packets", "[1, 1e6]", about="Cells per RM cell, Nrm", integer=True),
        "missing": Parameter(
            32.0, "1", "[1, 1e9]", about="Number of unanswered RM cells from which on the rate falls, Crm", integer=True
        ),
        "pause": Parameter(0.5, "s", "(0, 1e6]", about="Time without RM cells that resets the rate to ICR, ADTF"),
        "ecn": Parameter(1.0, "1", "{0, 1}", "ect", about="1: switches may mark cells; 0: they may not"),
        **timers.PARAMETERS,
    },
    state={"unanswered": 0, "rm_sent_at": -1.0},  # RM cells since the last answer; time of the last RM cell [s]
    source=(
        "ATM Forum, Traffic Management Specification, version 4.0, af-tm-0056.000, 1996, sections 5.10.4 and 5.10.5 "
        "(source behaviours 5, 6 and 8 as quoted in S. Kalyanaraman, Traffic Management for the Available Bit Rate "
        "(ABR) Service in ATM Networks, Ohio State University, 1997, appendix A; initial rate and Crm are ours)"
    ),
)
