"""Where a law holds, as a picture: the region of two parameters in which its validity is stated."""

from __future__ import annotations

import itertools
from html import escape

from longfat.law import Law
from longfat.law.symbols import Symbol
from longfat.verify.points import between, typical

CELLS, SIDE, LEFT, TOP = 36, 8, 60, 12
SAMPLE = 256  # points among which one inside the validity is looked for


def region(law: Law) -> tuple[tuple[str, str], dict[str, float], list[list[bool]]] | None:
    """Return two parameters, the values of all others, and where the law is valid, row by row from below.

    The others are at a point inside the validity, so that there is something to be seen; of all pairs the one is taken
    whose plane is divided most evenly.

    >>> from longfat.laws.queues import mm1_wait
    >>> region(mm1_wait) is None  # its record states no validity
    True
    """
    validity = law.validity
    if validity is None:
        return None
    inside = next((one for one in typical(law, SAMPLE, 0) if validity(**one)), None)
    if inside is None:
        return None
    planes = {}
    for x, y in itertools.combinations(law.symbols, 2):
        columns, rows = (_places(law.symbols[name]) for name in (x, y))
        planes[x, y] = [[bool(validity(**inside | {x: one, y: other})) for one in columns] for other in rows]
    even = min(planes, key=lambda pair: abs(sum(map(sum, planes[pair])) / CELLS**2 - 0.5))
    return even, {name: value for name, value in inside.items() if name not in even}, planes[even]


def _places(symbol: Symbol) -> list[float]:
    """Return the values in the middle of the cells of an axis."""
    return [between(symbol, symbol.typical, (k + 0.5) / CELLS, symbol.logarithmic) for k in range(CELLS)]


def svg(law: Law) -> str:
    """Return the region of a law as SVG; nothing if its record states none."""
    found = region(law)
    if found is None:
        return ""
    (x, y), _, cells = found
    size, share = CELLS * SIDE, sum(map(sum, cells)) / CELLS**2
    bottom = TOP + size
    path = "".join(
        f"M{LEFT + i * SIDE} {bottom - (k + 1) * SIDE}h{SIDE}v{SIDE}h-{SIDE}z"
        for k, row in enumerate(cells)
        for i, valid in enumerate(row)
        if valid
    )
    ends = {name: [float(one) for one in law.symbols[name].typical] for name in (x, y)}
    about = f"{law.public_name} is valid in {share:.0%} of the plane of {x} and {y}, shaded"
    texts = [
        (LEFT, bottom + 16, "start", f"{ends[x][0]:g}"),
        (LEFT + size, bottom + 16, "end", f"{ends[x][1]:g}"),
        (LEFT + size / 2, bottom + 32, "middle", _named(law, x)),
        (LEFT - 6, bottom, "end", f"{ends[y][0]:g}"),
        (LEFT - 6, TOP + 10, "end", f"{ends[y][1]:g}"),
        (LEFT - 6, bottom - size / 2, "end", y if len(y) < 8 else law.symbols[y].letter.strip("\\")),
    ]
    words = "".join(
        f'<text x="{a:.0f}" y="{b:.0f}" text-anchor="{anchor}">{escape(text)}</text>' for a, b, anchor, text in texts
    )
    return (
        f'<svg class="trace region" viewBox="0 0 {LEFT + size + 12} {bottom + 40}" role="img" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(about)}</title><path class="valid" d="{path}"/>'
        f'<path class="grid" d="M{LEFT} {TOP}h{size}v{size}h-{size}z"/>{words}</svg>'
    )


def _named(law: Law, name: str) -> str:
    """Return a parameter with its unit and scale."""
    symbol = law.symbols[name]
    return f"{name} [{symbol.unit}]{', logarithmic' if symbol.logarithmic else ''}"


def of(law: Law) -> str:
    """Return the region with a sentence that names the values of the other parameters; nothing if there is none."""
    found = region(law)
    if found is None:
        return ""
    (x, y), others, _ = found
    fixed = ", ".join(f"`{name}` = {value:.4g}" for name, value in others.items())
    at = f", at {fixed}" if fixed else ""
    return f"Shaded: where this holds for `{x}` and `{y}` over their typical ranges{at}.\n\n"
