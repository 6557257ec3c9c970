"""Drawing of `docs/engine.md`: the path of a data packet and of its acknowledgment through the engine, as SVG.

Each box names its modules. A disc with a letter marks an event of the loop; the panels below say in which of the two
heaps it is. Blue and vermilion are those of Okabe and Ito, which colour-blind people can distinguish; a word or letter
says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 1180, 868
FRAMED, CORE, PLUG_IN, QUIET = "#ffffff", "#dceaf5", "#fdf0d0", "#f4f4f4"
LINE, ARROW, ARRIVALS, CLOCKS = "#444444", "#0072b2", "#0072b2", "#b34700"
LETTER = 0.56  # of the font size: more than the mean width of a letter of a sans-serif font

#: The events: letter, name, heap, what happens.
EVENTS = {
    "A": ("ARRIVAL", "arrivals", "the first packet on a link reaches the far end; one entry per link"),
    "D": ("DEPARTURE", "arrivals", "a transmission ends; only on links with a service"),
    "R": ("CLOCK + RTO", "clocks", "a retransmission timer expires"),
    "P": ("CLOCK + PACE", "clocks", "flow start; next packet of a rate or generator; access link idle"),
    "L": ("CLOCK + ALARM", "clocks", "the alarm that a scheme set expires"),
    "T": ("SWITCH_CLOCK", "clocks", "a discipline's tick is due"),
    "W": ("WAKE", "clocks", "wake-up of a service for a queue"),
    "S": ("SAMPLING", "clocks", "a sample of the traces is due"),
}


@dataclass(frozen=True)
class Box:
    """Box with a title, the files that do the work, and a few words."""

    x: int
    y: int
    width: int
    height: int
    title: str
    files: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    fill: str = CORE
    dashed: bool = False

    @property
    def lines(self) -> list[tuple[str, str, int]]:
        """Text, class and height above the next line, from the top."""
        return [
            (self.title, "title", 17),
            *((one, "file", 15) for one in self.files),
            *((one, "word", 15) for one in self.words),
        ]


SENDER = Box(
    30, 130, 190, 120, "Sender", ("kernel/sender.py", "kernel/memory.py"),
    ("next packet, if window,", "rate, recovery allow it"),
)  # fmt: skip
ACCESS = Box(
    282, 130, 160, 120, "Access line", ("kernel/sender.py",),
    ("holds one packet,", "where access_rate", "is given"), dashed=True,
)  # fmt: skip
LINK = Box(494, 60, 444, 330, "Link: admission", ("kernel/link.py  admit",), (), fill=FRAMED)
DISCIPLINE = Box(
    514, 104, 404, 62, "Discipline: enqueue", ("switch/*.py, by kernel/callbacks.py",),
    ("ENQUEUE, DROP or push_out; may mark",),
    fill=PLUG_IN, dashed=True,
)  # fmt: skip
FAST = Box(
    514, 180, 404, 78, "No service: in order of arrival", ("kernel/link.py  transmit_in_order",),
    ("departure and arrival are known now; the far end", "follows in advance where no packet interferes",),
)  # fmt: skip
QUEUE = Box(
    514, 290, 186, 84, "Service: enqueue", ("switch/*.py",),
    ("the packet waits;", "buffer full: evict"), fill=PLUG_IN,
)  # fmt: skip
TRANSMIT = Box(
    732, 290, 186, 84, "Service: dequeue", ("switch/*.py",), ("discipline: dequeue,", "then transmission"),
    fill=PLUG_IN,
)  # fmt: skip
FAR_END = Box(990, 130, 160, 120, "Far end", ("kernel/loop.py",), ("switch, receiver", "or sender"))
RECEIVER = Box(
    990, 450, 160, 130, "Receiver", ("kernel/receiver.py",),
    ("the packet's row", "becomes the", "acknowledgment"),
)  # fmt: skip
BACK = Box(
    494, 450, 444, 130, "Links of the way back", ("kernel/link.py",),
    ("admission, far end and next hop as above,", "or one link of pure delay (ack_path=\"ideal\")"),
)  # fmt: skip
ACKNOWLEDGED = Box(
    256, 450, 204, 130, "Acknowledgment", ("kernel/acknowledgment.py", "kernel/sender.py", "kernel/recovery.py"),
    ("round trip, timer, losses",),
)  # fmt: skip
SCHEME = Box(
    30, 450, 190, 130, "Scheme: loss, ack", ("schemes/*.py", "kernel/callbacks.py"),
    ("called by address", "with views of rows,", "returns window or rate"), fill=PLUG_IN,
)  # fmt: skip
HEAP_ARRIVALS = Box(30, 640, 550, 106, "Heap of arrivals", ("kernel/events.py",), fill=QUIET)
LOOP = Box(
    30, 762, 550, 86, "The loop takes the earliest event of both", ("kernel/loop.py",),
    ("At equal times: first D, then P of an access line, then the event that", "was scheduled first."),
)  # fmt: skip
HEAP_CLOCKS = Box(600, 640, 550, 208, "Heap of clocks", ("kernel/events.py",), fill=QUIET)

BOXES = (
    SENDER, ACCESS, LINK, DISCIPLINE, FAST, QUEUE, TRANSMIT, FAR_END, RECEIVER, BACK, ACKNOWLEDGED, SCHEME,
    HEAP_ARRIVALS, LOOP, HEAP_CLOCKS,
)  # fmt: skip

#: Corners of the arrows.
ARROWS = (
    ((220, 190), (278, 190)),
    ((442, 190), (490, 190)),
    ((716, 166), (716, 176)),  # discipline to the fast path
    ((514, 135), (503, 135), (503, 332), (510, 332)),  # or to the service
    ((700, 332), (728, 332)),
    ((918, 220), (986, 220)),
    ((918, 332), (956, 332), (956, 224)),
    ((1070, 130), (1070, 36), (716, 36), (716, 56)),  # next hop
    ((1070, 250), (1070, 446)),
    ((990, 515), (942, 515)),
    ((494, 515), (464, 515)),
    ((256, 515), (224, 515)),
    ((125, 450), (125, 254)),
)
#: Words beside arrows: x, y, anchor, text.
WORDS = (
    (893, 29, "middle", "next hop: the same at the next link"),
    (1062, 340, "end", "last hop"),
    (135, 345, "start", "window, rate, inflation, resend"),
    (135, 362, "start", "the next packets leave"),
    (110, 609, "start", "timeout, alarm"),
    (714, 277, "middle", "or, where the link has a service:"),
    (30, 30, "start", "Data packet: from left to right. Acknowledgment: below, from right to left."),
    (30, 48, "start", "Blue boxes: core. Yellow boxes: plug-ins, called by address. Dashed: optional."),
    (30, 66, "start", "Discs with a letter: events of the loop, listed below."),
)
#: Where events happen: letter, x, y.
DISCS = (
    ("P", 130, 108), ("P", 362, 108), ("T", 900, 86), ("W", 716, 356), ("D", 972, 300), ("A", 970, 200),
    ("A", 476, 490), ("R", 60, 604), ("L", 92, 604),
)  # fmt: skip
RADIUS = 10


def width_of(text: str, kind: str) -> float:
    """Return an upper bound of the width of a line of text [px]."""
    size, letter = {"title": (15, 0.6), "file": (12, 0.61), "word": (13, LETTER)}[kind]
    return len(text) * size * letter


def svg() -> str:
    """Return the drawing as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="title description">',
        '<title id="title">The path of a packet through the engine</title>',
        '<desc id="description">Sender, access line, admission to a link, by the fast path or by a service, far end, '
        "receiver, acknowledgment, callbacks of the scheme, next packet; and the two heaps of events.</desc>",
        "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#111}.title{font-size:15px;font-weight:bold}"
        ".file{font-size:12px;font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace}.word{font-size:13px}"
        ".disc{font-size:13px;font-weight:bold;fill:#fff;text-anchor:middle}</style>",
        f'<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{ARROW}"/></marker>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for box in BOXES:
        parts += _box(box)
    for corners in ARROWS:
        path = "L".join(f"{x} {y}" for x, y in corners)
        parts.append(f'<path d="M{path}" fill="none" stroke="{ARROW}" stroke-width="2" marker-end="url(#head)"/>')
    for x, y, anchor, text in WORDS:
        parts.append(f'<text class="word" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')
    for letter, x, y in DISCS:
        parts += _disc(letter, x, y)
    for letter, x, y, text in listed():
        parts += [*_disc(letter, x, y), f'<text class="word" x="{x + 18}" y="{y + 4}">{escape(text)}</text>']
    return "\n".join([*parts, "</svg>", ""])


def listed() -> list[tuple[str, int, int, str]]:
    """Return letter, place and text of the events in the panels of the heaps."""
    made = []
    for heap, box in (("arrivals", HEAP_ARRIVALS), ("clocks", HEAP_CLOCKS)):
        letters = [letter for letter, (_, where, _) in EVENTS.items() if where == heap]
        for k, letter in enumerate(letters):
            made.append((letter, box.x + 22, box.y + 58 + 25 * k, EVENTS[letter][2]))
    return made


def _box(box: Box) -> list[str]:
    """Return the SVG elements of a box and its text."""
    dashes = ' stroke-dasharray="6 4"' if box.dashed else ""
    made = [
        f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="6" fill="{box.fill}" '
        f'stroke="{LINE}"{dashes}/>'
    ]
    y = box.y + 5
    for text, kind, height in box.lines:
        y += height
        made.append(f'<text class="{kind}" x="{box.x + 10}" y="{y}" xml:space="preserve">{escape(text)}</text>')
    return made


def _disc(letter: str, x: int, y: int) -> list[str]:
    """Return the SVG elements of a disc with a letter."""
    colour = ARRIVALS if EVENTS[letter][1] == "arrivals" else CLOCKS
    return [
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}"/>',
        f'<text class="disc" x="{x}" y="{y + 5}">{letter}</text>',
    ]
