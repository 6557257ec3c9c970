"""The segment simulator once more, packet by packet and as plainly as possible: an independent referee.

It walks through packet times one at a time, keeps every segment and every packet, and knows no shortcut.
Losses are given as a set of serial numbers of transmissions, so that both simulators can meet the same ones.
"""

from collections import deque


class Receiver:
    """Receiver of Gong and Parulkar (WUCS-92-38, section 4.3.1), packet by packet.

    `held` has the packets of every segment in a slot of the buffer.
    """

    def __init__(self, segment, tolerance, buffer, soft, when_free):
        self.segment, self.tolerance = segment, tolerance
        self.buffer, self.soft, self.when_free = buffer, soft, when_free
        self.edge = 0  # everything before it is consumed
        self.held, self.finished = {}, {}
        self.asked = set()  # segments with a request or a group in flight
        self.waiting = set()  # discarded, to be asked for when there is room
        self.discarded, self.thrown_out = False, []  # in this group

    def complete(self, number):
        return self.segment - len(self.held.get(number, ())) <= self.tolerance

    def packet(self, number, index):
        if self.soft:
            room = number in self.held or len(self.held) < self.buffer
            if not room and number < max(self.held):
                largest = max(self.held)
                if self.complete(largest) and largest not in self.asked:
                    self.thrown_out.append(largest)
                del self.held[largest]
                room = True
        else:
            room = self.edge <= number < self.edge + self.buffer
        if room:
            self.held.setdefault(number, set()).add(index)
        else:
            self.discarded = True

    def outside(self, number):
        """Return whether a group is beyond the buffer: a hard receiver discards it, even if all of it was lost."""
        return not self.soft and number >= self.edge + self.buffer

    def group_ends(self, number, now):
        """Return the answers to be sent: segment and requested packets."""
        answers, before = [], self.edge
        discarded = self.discarded or self.outside(number)
        self.asked.discard(number)
        if self.complete(number):
            self.finished[number] = now
        while self.complete(self.edge):
            del self.held[self.edge]
            self.edge += 1
        for one, refused in [(number, discarded)] + [(other, True) for other in self.thrown_out]:
            if refused and self.when_free:
                self.waiting.add(one)
            else:
                answers.append(one)
        if self.edge > before:
            free = self.buffer - len(self.held)
            for one in sorted(self.waiting):
                if (free > 0) if self.soft else not self.outside(one):
                    self.waiting.remove(one)
                    answers.append(one)
                    free -= 1
        self.discarded, self.thrown_out = False, []
        for one in answers:
            there = self.held.get(one, set())
            done = one < self.edge or self.complete(one)
            missing = [] if done else [k for k in range(self.segment) if k not in there]
            if missing:
                self.asked.add(one)
            yield one, missing


def replay(window, segment, ack_delay, tolerance, warm_up, measured, is_lost, buffer=None, soft=False, when_free=False):
    """Return packet times between two first transmissions, delays, and packets sent and lost until the end."""
    receiver = Receiver(segment, tolerance, buffer or window, soft, when_free)
    left_edge = 0  # as the sender knows it
    next_new = 0
    answers = deque()  # (time, segment, missing packets, edge)
    requests = deque()  # groups to repeat, oldest request first
    first_sent = {}
    group = deque()  # packets still to be sent
    now = serial = lost = 0
    last = warm_up + measured
    while last not in first_sent or receiver.edge < last:
        # Answers first, then one packet.
        while answers and answers[0][0] <= now:
            _, number, missing, edge = answers.popleft()
            left_edge = max(left_edge, edge)
            if missing:
                requests.append((number, missing))
        if not group:  # a group once begun is not interrupted
            if requests:
                current, packets = requests.popleft()
            elif next_new < left_edge + window:
                current, packets = next_new, range(segment)
                first_sent[current] = now
                next_new += 1
            else:
                now += 1
                continue
            group.extend(packets)
        index = group.popleft()
        if is_lost(serial):
            lost += 1
        else:
            receiver.packet(current, index)
        serial += 1
        now += 1
        if not group:
            answers.extend((now + ack_delay, *one, receiver.edge) for one in receiver.group_ends(current, now))
    elapsed = first_sent[last] - first_sent[warm_up]
    delays = [receiver.finished[i] - first_sent[i] for i in range(warm_up, last)]
    return elapsed, sum(delays), max(delays), serial, lost
