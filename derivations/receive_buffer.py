"""Receive buffers smaller than the window: ours, for the rules of WUCS-92-38, section 4.3.1.

Assumptions: those of section 4.2; a window so wide that the sender always has something to send; hard and soft
acknowledgment as in section 4.3.1, what was discarded being asked for at once; repetitions of single packets take no
time beside segments. So time can be counted in slots of one segment each. A request that a slot gives rise to is
served M slots later, M = ceil(w_a) + 1: the answer comes w_a after the slot's end, and the sender ends the segment it
is at. A slot gives rise to at most one request, for what it brought or for what was thrown out by it, so requests
never queue: slot k carries what slot k - M asked for, or else a new segment.
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
    """M: the segment after k + w_a + 1 slots is the first to begin when the answer to slot k is there."""
    slots = sp.ceiling(w) + 1
    for value in (sp.Rational(47, 2), sp.Integer(23), sp.Rational(1, 100), sp.Integer(0)):
        waited = slots.subs(w, value) - 1  # whole slots after the one that is answered
        require(bool(waited >= value and (waited - 1 < value)), "the first slot that begins after the answer")
    return slots


def slots(trip: int, buffer: int, soft: bool, length: int) -> tuple[int, list[int]]:
    """One damaged segment, number 0 in slot 0, and no loss after it: discards, and segments consumed after each slot.

    The repetition of the damaged segment's packets takes no time, at the beginning of slot `trip`.
    """
    held, requests, edge, new, discards, consumed = {0}, {}, 0, 1, 0, [0]
    complete = False  # the damaged segment
    for k in range(1, length):
        if k == trip:
            complete = True
            while edge in held:
                held.remove(edge)
                edge += 1
        number = requests.pop(k, None)
        if number is None:
            number, new = new, new + 1
        refused = None
        if soft and len(held) == buffer:
            refused = max(*held, number)
        elif not soft and number >= edge + buffer:
            refused = number
        held.add(number)
        if refused is not None:
            held.remove(refused)
            requests[k + trip] = refused
            discards += 1
        while complete and edge in held:
            held.remove(edge)
            edge += 1
        consumed.append(edge)
    return discards, consumed


@once
def discards() -> Expr:
    """D = max(0, min(M, 2 (M - B))) under hard acknowledgment, after one damaged segment n.

    First wave: until n comes again in the beginning of slot n + M, segments n + 1 .. n + M - 1 are sent, and those
    from n + B on are discarded: M - B. Then n .. n + B - 1 are consumed. n + B comes again B slots later; until
    then n + M .. n + M + B - 1 are sent, and the second wave is what lies beyond n + 2 B - 1. Then n + B .. n +
    M - 1 come one a slot, each consumed at once; and where 2 B > M, new segments up to n + 3 B - 1, which are
    kept, before the second wave comes. Nothing more is discarded.
    """
    number = sp.Symbol("n", integer=True)
    first = (number + M - 1) - (number + B) + 1
    require_zero(first - (M - B), "first wave, B < M")
    second_all = (number + M + B - 1) - (number + M) + 1
    require_zero(second_all - B, "second wave, if n + M lies beyond n + 2 B - 1: 2 B <= M")
    second_part = (number + M + B - 1) - (number + 2 * B) + 1
    require_zero(second_part - (M - B), "second wave, 2 B > M")
    more = (number + 3 * B - 1) - (number + M + B) + 1  # new ones up to the end of the third window
    require_zero(more - (2 * B - M), "as many slots as lie between the repetitions of the waves")
    count = sp.Max(0, sp.Min(M, 2 * (M - B)))
    for trip in range(2, 15):
        for buffer in range(1, trip + 3):
            seen, consumed = slots(trip, buffer, soft=False, length=12 * trip)
            require(bool(count.subs({M: trip, B: buffer}) == seen), "slot by slot")
            require(consumed[-1] - consumed[-2] == 1, "it ends: a segment a slot is consumed again")
    return count.subs(M, round_trip())


def starts() -> Expr:
    """r = g/(1 + g (B - 1)): the next isolated loss is the first damaged segment after the B - 1 kept behind the last.

    These lie in the buffer; when one of them is damaged it is repeated in the wake of the first, and costs no more
    discards of the first wave.
    """
    between = (B - 1) + 1 + geometric_mean(1 - G)
    rate = G / (1 + G * (B - 1))
    require_zero(1 / rate - between, "segments from one to the next")
    require_zero(rate.subs(B, 1) - G, "nothing is kept behind the damaged one")
    return rate.subs(G, 1 - (1 - p) ** s)


def hard_ack_efficiency() -> Expr:
    """E = 1/(1/(1 - p) + r D): a segment takes 1/(1 - p) to send, and each isolated loss D segments more."""
    law = 1 / (mean_transmissions() + starts() * discards())
    require_zero(law.subs(B, round_trip()) - (1 - p), "a buffer of M segments")
    require_zero(law.subs(p, 0) - 1, "no loss")
    require_zero(law - (1 - p) / (1 + (1 - p) * starts() * discards()), "as it is computed")
    return law


def hard_ack_buffer() -> Expr:
    """The inverse: r D = X, X = 1/e - 1/(1 - p), in both forms of D; they meet where 2 B = M."""
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
    """B/M, soft acknowledgment, after one loss: the state repeats itself every M slots.

    Let the buffer be full when the first missing segment r arrives, B < M. (1) Every segment under way comes once in M
    slots, and the buffer has kept the smallest of what came since it was empty: so it holds r + 1 .. r + B. (2) r
    throws out the largest of them, r + B, which is asked for, and r .. r + B - 1 are consumed: the buffer is empty.
    (3) The first missing segment is now r + B, and it comes M slots later. In the M - 1 >= B slots before it the
    buffer fills, because each of them brings a segment that is neither consumed nor, before the buffer is full,
    discarded. So r + B finds the buffer full, and all is as before, B further on.
    """
    rate = sp.Min(1, B / M)
    for trip in range(2, 15):
        for buffer in range(1, trip + 2):
            length = 60 * trip
            consumed = slots(trip, buffer, soft=True, length=length)[1]
            late = sp.Rational(consumed[-1] - consumed[-1 - 20 * trip], 20 * trip)
            require(bool(late == rate.subs({M: trip, B: buffer})), "slot by slot, after one loss")
    require_zero(rate.subs(B, M) - 1, "a buffer of M segments is never full before the first missing one comes")
    return rate.subs(M, round_trip())
