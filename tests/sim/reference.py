"""The segment simulator once more, packet by packet and as plainly as possible: an independent referee.

It walks through packet times one at a time, keeps every segment and every packet, and knows no shortcut.
Losses are given as a set of serial numbers of transmissions, so that both simulators can meet the same ones.
"""

from collections import deque


def replay(window, segment, ack_delay, tolerance, warm_up, measured, is_lost):
    """Packet times between two first transmissions, delays in between, packets sent and lost until all are there."""
    accepted = set()  # as the sender knows it
    left_edge = 0
    next_new = 0
    answers = deque()  # (time, segment, missing packets)
    requests = deque()  # groups to repeat, oldest request first
    first_sent, delays = {}, {}
    missing_now = None  # packets lost so far of the group being sent
    now = serial = lost = 0
    last = warm_up + measured
    while last not in first_sent or any(i not in delays for i in range(warm_up, last)):
        # Answers first, then one packet.
        while answers and answers[0][0] <= now:
            _, number, missing = answers.popleft()
            if missing > tolerance:
                requests.append((number, missing))
            else:
                accepted.add(number)
        while left_edge in accepted:
            left_edge += 1
        if missing_now is None:  # a group once begun is not interrupted
            if requests:
                current, left = requests.popleft()
            elif next_new < left_edge + window:
                current, left = next_new, segment
                first_sent[current] = now
                next_new += 1
            else:
                now += 1
                continue
            missing_now = 0
        missing_now += is_lost(serial)
        lost += is_lost(serial)
        serial += 1
        left -= 1
        now += 1
        if left == 0:
            answers.append((now + ack_delay, current, missing_now))
            if missing_now <= tolerance:
                delays[current] = now - first_sent[current]
            missing_now = None
    elapsed = first_sent[last] - first_sent[warm_up]
    chosen = [delays[i] for i in range(warm_up, last)]
    return elapsed, sum(chosen), max(chosen), serial, lost
