"""Random networks, and plain inspection of a run between its events, as reference for the kernel's shortcuts."""

import hashlib
import itertools

import numpy as np

from longfat.sim import Network, Parameter, Scheme, Simulation, queues, schemes
from longfat.sim.kernel import records
from longfat.sim.network import traffic


def aimd_ack(flow, event):
    return flow.window + event.acked / flow.window


def aimd_loss(flow, event):
    return max(1.0, flow.window / 2)


def paced_start(flow, event):
    flow.alarm = event.now + 0.05
    return 20_000.0


def paced_ack(flow, event):
    return flow.rate * 1.001


def paced_alarm(flow, event):
    flow.alarm = event.now + 0.05
    return max(1_000.0, flow.rate * 0.97)


def keep(flow, event):
    return flow.rate


AIMD = Scheme("aimd", ack=aimd_ack, loss=aimd_loss)
EAGER = Scheme("eager", ack=aimd_ack, loss=aimd_loss, reorder=3, every_loss=True)
PACED = Scheme("paced", start=paced_start, ack=paced_ack, alarm=paced_alarm, controls="rate", echo="once")
OWN = (AIMD, EAGER, PACED)
FIXED = Scheme(
    "fixed", ack=keep, timeout=keep, controls="rate",
    parameters={"rate": Parameter(1e5, "bytes/s", "(0, 1e9]", "rate"), "ecn": Parameter(0.0, "1", "{0, 1}", "ect")},
)  # fmt: skip
GIVEN = {
    "mark-above": {"threshold": 5.0},
    "leaky-bucket": {"rate": 30_000.0, "queue": 20},
    "policer": {"rate": 100_000.0},
    "aggregation": {"interval": 0.004},
    "fq-codel": {"queues": 4.0},
    "virtual-leaky-bucket": {"rate": 30_000.0},
    "step-marking": {"packets": 0.0, "sojourn": 0.02},
    "loss-load": {"k": 3.0, "v": 0.9},
}
DISCIPLINES = [
    queues.discipline(name, **GIVEN.get(name, {})) for name in sorted({one.name for one in queues.NAMED.values()})
]


def build(seed, *, disciplines=None, known=None, jitter=True, lossy=True):
    """Return a chain, dumbbell or parking lot with a mix of flows, all determined by the seed.

    Disciplines and schemes are drawn from those given. Times are no round numbers, so that no two events coincide.
    """
    rng = np.random.default_rng(seed)
    net = Network(f"random {seed}")
    if disciplines is None:
        disciplines = DISCIPLINES
    else:
        disciplines = [queues.discipline(name, **GIVEN.get(name, {})) for name in disciplines]
    shape = rng.choice(["chain", "dumbbell", "parking lot"])
    hops = int(rng.integers(1, 4))
    backbone = [f"n{k}" for k in range(hops + 1)]

    def line(tail, head, scale=1.0):
        for a, b in ((tail, head), (head, tail)):
            discipline = disciplines[int(rng.integers(len(disciplines)))]
            packets = bool(rng.integers(2)) or discipline.name.startswith("priority-discard")
            size = int(rng.integers(1, 30))
            in_order = discipline.service == "fifo"
            net.link(
                a, b, rate=scale * float(rng.uniform(5e4, 1e6)), delay=float(rng.uniform(1e-4, 0.03)),
                buffer=size if packets else f"{size * 700} B", discipline=discipline,
                loss=float(rng.choice([0.0, 0.0, 0.01, 0.1])) if lossy else 0.0,
                jitter=float(rng.choice([0.0, 0.0, 0.002])) if jitter and in_order else 0.0,
            )  # fmt: skip

    for a, b in itertools.pairwise(backbone):
        line(a, b)
    known = [*schemes.names(), *OWN] if known is None else known
    transfers = [one for one in known if schemes.scheme(one).acknowledged] or [AIMD]  # the others can carry no files
    for k in range(int(rng.integers(1, 6))):
        first, last = 0, hops
        if shape == "parking lot":
            first, last = sorted(rng.choice(hops + 1, 2, replace=False).tolist())
        path = backbone[first : last + 1]
        if shape == "dumbbell":
            line(f"s{k}", path[0], 3.0)
            line(path[-1], f"d{k}", 3.0)
            path = [f"s{k}", *path, f"d{k}"]
        rate = float(rng.uniform(1e4, 3e5))
        kind = rng.integers(12)
        what = known[int(rng.integers(len(known)))]
        if kind >= 8:
            what = (
                traffic.constant(rate),
                traffic.poisson(rate, exponential_sizes=bool(rng.integers(2))),
                traffic.on_off(rate, 0.05, 0.05, shape_on=1.0, shape_off=1.5),
                traffic.arrivals(20.0, transfers[int(rng.integers(len(transfers)))]),
            )[int(kind) - 8]
        options = {}
        endless = what in ("blt", "blt-rate", "bully-tyrant")  # without a file
        if what in transfers and (rng.integers(2) or endless):
            options["file"] = float(rng.integers(1, 200_000))
        if isinstance(what, traffic.Traffic) and what.kind == records.ARRIVALS:
            options["file"] = float(rng.integers(1, 20_000))
        if rng.integers(4) == 0:
            options["access_rate"] = float(rng.uniform(1e5, 2e6))
        if jitter and rng.integers(4) == 0:
            options["send_jitter"] = float(rng.uniform(1e-5, 1e-3))
        net.flow(
            what, path=path, name=f"f{k}", start=float(rng.uniform(0, 0.2)), stagger=0.0123456,
            count=int(rng.integers(1, 3)), packet=int(rng.integers(100, 1500)), ack=int(rng.integers(20, 80)),
            ack_path=str(rng.choice(["reverse", "ideal"])), **options,
        )  # fmt: skip
    return net


def state(run):
    """Every number of a run but the addresses, and the events that it took, as text."""
    state = run.state
    flows, links = (
        {name: table[name].tolist() for name in table.dtype.names if name not in ROWS}
        for table in (state.flows, state.links)
    )
    log = state.connections[: state.row.connections].tolist()
    own = [getattr(state, name).tolist() for name in KEPT]
    return str((int(state.row.now), flows, links, own, log))


#: Records of schemes, disciplines and services.
KEPT = ("flow_own", "link_own", "service_own", "queue_own", "flow_state")
#: Fields that are row numbers, or depend on how often the run was inspected.
ROWS = {
    "outstanding_head", "outstanding_tail", "lost_head", "lost_tail", "blocks_head", "blocks_tail", "head", "tail",
    "transmitting", "first_row", "last_row", "next_row", "last_stamps", "next_start", "backlog", "backlog_bytes",
    "recover", "packet", "waiting", "deferred", "has_arrival_event", "circular_base", "circular_mask", "circular_head",
}  # fmt: skip


def digest(seeds, until, most):
    """Hash of the state of each network after a time or a number of events, to compare two processes."""
    lines = []
    for seed in seeds:
        run = Simulation(build(seed), rng=seed)
        while (status := run._chunk(round(until * records.SECOND), most)) not in (records.DONE, records.PAUSED):
            run._make_room(status)
        lines.append(hashlib.sha256(state(run).encode()).hexdigest() + f" {run.state.row.events}")
    return "\n".join(lines)


def steps(run, until):
    """Continue a run one event at a time; yield the time before each."""
    goal = round(until * records.SECOND)
    while run.state.row.now < goal or run.state.row.sending_flow != records.NONE:
        before = int(run.state.row.now)
        status = one_event(run, goal)
        yield before
        if status == records.DONE:
            return
        if status != records.PAUSED:
            run._make_room(status)


def one_event(run, goal):
    """Process one event, with no later one computed in advance; return the kernel's result."""
    state = run.state
    heaps = (state.arrivals, state.row.arrivals), (state.clocks, state.row.clocks)
    following = min((int(heap["time"][0]) for heap, count in heaps if count), default=goal)
    return run._chunk(min(following, goal), 1)


class Look:
    """Packets of a run on the links and in the queues, as plain numbers, between two events."""

    def __init__(self, run):
        packets = run.state.packets
        self.now, self.links = int(run.state.row.now), run.state.links
        self.column = {
            name: packets[name].tolist() for name in ("next", "flow", "arrival", "length", "kind", "transmission")
        }
        self.link = {name: self.links[name].tolist() for name in ("head", "service", "delay")}
        self.lines = [
            run.state.backlog_entries[
                int(link.circular_base)
                + (np.arange(link.circular_head, link.circular_head + link.backlog) & link.circular_mask)
            ]
            for link in self.links
        ]
        self.queues = [
            run.state.queues["head"][first : first + count].tolist()
            for first, count in zip(self.links["first_queue"].tolist(), self.links["queue_count"].tolist(), strict=True)
        ]

    def rows(self, first):
        """Rows of a list of packets, from its first row."""
        rows = []
        while first != records.NONE:
            rows.append(first)
            first = self.column["next"][first]
        return rows

    def waiting(self, k):
        """Backlog of link k: for each packet its bytes, and when its transmission begins, if that is known."""
        length = self.column["length"]
        if self.link["service"][k] == records.NONE:
            # Packets on the link behind one that has not left the transmitter; the circular buffer has the same.
            rows = self.rows(self.link["head"][k])
            ends = [self.column["arrival"][row] - self.link["delay"][k] for row in rows]
            behind = [(length[row], end) for end, row in zip(ends, rows[1:], strict=False) if end > self.now]
            assert behind == [(int(one.length), int(one.start)) for one in self.lines[k] if one.start > self.now]
            return behind
        return [(length[row], None) for first in self.of(k)[1:] for row in self.rows(first)]

    def of(self, k):
        """Return the first packets of the lists of link k: on the link, in its queues."""
        return [self.link["head"][k], *self.queues[k]]
