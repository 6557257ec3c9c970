"""Receive buffers smaller than the window: our own laws, for the rules of WUCS-92-38, section 4.3.1.

Assumptions: those of section 4.2; a window so wide that the sender always has a segment to send; hard and soft
acknowledgment as in section 4.3.1, with discarded segments requested at once; repetitions of single packets take no
time compared with segments. So time is counted in slots of one segment. A segment requested because of slot k is sent M
= ceil(w_a) + 1 slots later: the request arrives w_a after the end of the slot, and the sender completes the segment in
transmission. A slot causes at most one request, for the segment that it carried or for the one that this displaced. So
requests never queue: slot k carries the segment requested because of slot k - M, or else a new one.
"""

import sympy as sp
from sympy import Expr

from derivations.proof import once, require, require_zero
from derivations.segment_rounds import geometric_mean, mean_transmissions, p, s

M, B = sp.symbols("M B", integer=True, positive=True)
G = sp.Symbol("g", positive=True)
X = sp.Symbol("X", positive=True)
w = sp.Symbol("w_a", nonnegative=True)


def round_trip() -> Expr:
    """Derive M = ceil(w_a) + 1, the slots from a segment to the one that its request causes."""
    slots = sp.ceiling(w) + 1
    for value in (sp.Rational(47, 2), sp.Integer(23), sp.Rational(1, 100), sp.Integer(0)):
        waited = slots.subs(w, value) - 1  # slots after the one that is acknowledged
        require(bool(waited >= value and (waited - 1 < value)), "the first slot that begins after the acknowledgment")
    return slots


def slots(trip: int, buffer: int, soft: bool, length: int) -> tuple[int, list[int]]:
    """Simulate one damaged segment, number 0 in slot 0, and no other loss; return discards and segments consumed.

    Segments consumed are listed after each slot. The repetition of the damaged segment's packets takes no time, at the
    beginning of slot `trip`.
    """
    buffered, requests, edge, new, discards, consumed = {0}, {}, 0, 1, 0, [0]
    complete = False  # the damaged segment
    for k in range(1, length):
        if k == trip:
            complete = True
            while edge in buffered:
                buffered.remove(edge)
                edge += 1
        number = requests.pop(k, None)
        if number is None:
            number, new = new, new + 1
        refused = None
        if soft and len(buffered) == buffer:
            refused = max(*buffered, number)
        elif not soft and number >= edge + buffer:
            refused = number
        buffered.add(number)
        if refused is not None:
            buffered.remove(refused)
            requests[k + trip] = refused
            discards += 1
        while complete and edge in buffered:
            buffered.remove(edge)
            edge += 1
        consumed.append(edge)
    return discards, consumed


def runs(trip: Expr, buffer: Expr) -> Expr:
    """Follow hard acknowledgment after the loss of `slots`, for all M and B of a case at once; return the discards.

    A run is a number of consecutive slots that carry consecutive segments. Induction over its slots: in the next slot
    the segment is the next one, and either it is the first missing one, which moves as well, or the first missing one
    stays. So what happens to the first segment of a run happens to all, up to the one that the buffer cannot keep. M
    and B are sums of nonnegative symbols, so that the signs of all differences are decided; a sign that is not decided
    stops the proof.
    """
    slot, new, edge, discards = sp.Integer(1), sp.Integer(1), sp.Integer(0), sp.Integer(0)
    start, end = sp.Integer(0), sp.Integer(1)  # the buffer has start .. end - 1, here segment 0
    requests: list[tuple[Expr, Expr, Expr]] = []  # first slot, first segment, number
    repaired = False
    while True:
        if not repaired and slot == trip:  # the damaged segment is complete, and the buffer is consumed
            repaired, edge, start = True, end, end
        if requests and requests[0][0] == slot:
            _, first, count = requests.pop(0)
        elif repaired and not requests:  # nothing but new segments from here on: each is the first missing one
            require_zero(new - edge, "it ends: a segment a slot is consumed again")
            require_zero(end - start, "with an empty buffer")
            return discards
        else:
            first, count = new, sp.expand((requests[0][0] if repaired else trip) - slot)
            new = sp.expand(new + count)
        if repaired and first == edge:  # consumed, and with the last of them what the buffer has behind
            edge = sp.expand(first + count)
            if start == end:
                start = end = edge
            elif start == edge:
                start = edge = end
            else:
                require(at_least(start, edge), "no segment comes twice")
        else:
            room = sp.expand(edge + buffer - first)  # the segments from edge + B on are discarded
            kept = count if at_least(room, count) else room if at_least(room, 0) else sp.Integer(0)
            if kept != 0:
                start = first if start == end else start
                require(start == first or first == end, "the buffer has no gap")
                end = sp.expand(first + kept)
            if kept != count:
                refused = sp.expand(count - kept)
                requests.append((sp.expand(slot + kept + trip), sp.expand(first + kept), refused))
                discards = sp.expand(discards + refused)
        slot = sp.expand(slot + count)


def at_least(one: Expr, other: Expr | int) -> bool:
    """Return whether one sum of nonnegative symbols is at least another, for all values of the symbols."""
    gap = sp.expand(one - other)
    if gap.is_nonnegative:
        return True
    require(gap.is_nonpositive, f"the sign of {gap} is the same everywhere")
    return False


@once
def discards() -> Expr:
    """Derive the discards after one damaged segment under hard acknowledgment: D = max(0, min(M, 2 (M - B))).

    First wave: until the damaged segment n is repeated at the beginning of slot n + M, segments n + 1 .. n + M - 1 are
    sent, and those from n + B on are discarded: M - B. Then n .. n + B - 1 are consumed. n + B is repeated B slots
    later. Until then n + M .. n + M + B - 1 are sent, and the second wave is the part beyond n + 2 B - 1: all of them
    if 2 B <= M, else M - B. Then n + B .. n + M - 1 arrive one per slot, each consumed at once. Where 2 B > M, new
    segments up to n + 3 B - 1 arrive, and are kept, before the second wave is repeated. Nothing more is discarded.
    """
    count = sp.Max(0, sp.Min(M, 2 * (M - B)))
    a, b = sp.symbols("a b", integer=True, nonnegative=True)
    for name, trip, buffer, found in (
        ("B >= M", 1 + a, 1 + a + b, sp.Integer(0)),
        ("2 B <= M", 2 * (1 + b) + a, 1 + b, M),
        ("M < 2 B < 2 M", 3 + 2 * a + b, 2 + a + b, 2 * (M - B)),
    ):
        at = {M: trip, B: buffer}
        require_zero(runs(trip, buffer) - found.subs(at), f"{name}: run by run")
        require_zero(count.subs(at) - found.subs(at), f"{name}: the largest and the smallest")
    for trip in range(1, 6):  # the runs are those of the rules, which `slots` follows one by one
        for buffer in range(1, trip + 3):
            seen, consumed = slots(trip, buffer, soft=False, length=12 * trip + 12)
            require(bool(count.xreplace({M: sp.Integer(trip), B: sp.Integer(buffer)}) == seen), "slot by slot")
            require(consumed[-1] - consumed[-2] == 1, "slot by slot, it ends")
    return count.subs(M, round_trip())


def starts() -> Expr:
    """Derive the rate of isolated losses per segment: r = g/(1 + g (B - 1)).

    The next isolated loss is the first damaged segment after the B - 1 kept behind the last. These B - 1 segments are
    in the buffer: if one of them is damaged, it is repeated along with the first, and causes no more discards of the
    first wave.
    """
    between = (B - 1) + 1 + geometric_mean(1 - G)
    rate = G / (1 + G * (B - 1))
    require_zero(1 / rate - between, "segments from one to the next")
    require_zero(rate.subs(B, 1) - G, "nothing is kept behind the damaged one")
    return rate.subs(G, 1 - (1 - p) ** s)


def hard_ack_efficiency() -> Expr:
    """Derive the efficiency under hard acknowledgment: E = 1/(1/(1 - p) + r D).

    A segment takes 1/(1 - p) segment times to send, and each isolated loss D more.
    """
    law = 1 / (mean_transmissions() + starts() * discards())
    require_zero(law.subs(B, round_trip()) - (1 - p), "a buffer of M segments")
    require_zero(law.subs(p, 0) - 1, "no loss")
    require_zero(law - (1 - p) / (1 + (1 - p) * starts() * discards()), "as it is computed")
    return law


def hard_ack_buffer() -> Expr:
    """Derive the buffer for a given efficiency by inverting r D = X, X = 1/e - 1/(1 - p), in both forms of D.

    The two forms meet where 2 B = M.
    """
    rate = G / (1 + G * (B - 1))
    small, large = rate * M, rate * 2 * (M - B)
    narrow = 1 + (G * M - X) / (G * X)
    wide = (2 * G * M - (1 - G) * X) / (G * (2 + X))
    require_zero(small.subs(B, narrow) - X, "D = M")
    require_zero(large.subs(B, wide) - X, "D = 2 (M - B)")
    meet = small.subs(B, M / 2)
    require_zero(large.subs(B, M / 2) - meet, "at 2 B = M")
    require_zero(sp.simplify(narrow.subs(X, meet)) - M / 2, "there both give M/2")
    require_zero(sp.simplify(wide.subs(X, meet)) - M / 2, "there both give M/2")
    require_zero(narrow.subs(X, G * M) - 1, "one segment is enough for g M = X")
    require_zero(wide.subs(X, 0) - M, "everything that loss leaves: M segments")
    for form in (narrow, wide):  # more efficiency, less X, a larger buffer: the slopes are negative
        slope = sp.factor(sp.diff(form, X))
        sign = slope.subs({G: sp.Rational(1, 3), M: 7, X: sp.Rational(1, 2)})
        require(bool(sign < 0), "the buffer falls with X")
    e = sp.Symbol("e", positive=True)
    efficiency = 1 / (mean_transmissions() + X)
    require_zero(sp.simplify(efficiency.subs(X, 1 / e - 1 / (1 - p))) - e, "X")
    return wide


def locked_efficiency() -> Expr:
    """Derive the efficiency B/M under soft acknowledgment after one loss: the state repeats itself every M slots.

    Let the buffer be full when the first missing segment r arrives, B < M. (1) Every segment in flight arrives once in
    M slots, and the buffer has kept the smallest of those that arrived since it was empty: it holds r + 1 .. r + B. (2)
    r displaces the largest of them, r + B, which is requested again, and r .. r + B - 1 are consumed: the buffer is
    empty. (3) The first missing segment is now r + B, and it arrives M slots later. In the M - 1 >= B slots before it
    the buffer fills, because each of them brings a segment that is neither consumed nor, before the buffer is full,
    discarded. So r + B finds the buffer full, and the state is the same, B further on.
    """
    rate = sp.Min(1, B / M)
    for trip in range(2, 15):
        for buffer in range(1, trip + 2):
            length = 60 * trip
            consumed = slots(trip, buffer, soft=True, length=length)[1]
            late = sp.Rational(consumed[-1] - consumed[-1 - 20 * trip], 20 * trip)
            require(
                bool(late == rate.xreplace({M: sp.Integer(trip), B: sp.Integer(buffer)})),
                "slot by slot, after one loss",
            )
    require_zero(rate.subs(B, M) - 1, "a buffer of M segments is never full before the first missing one comes")
    return rate.subs(M, round_trip())
