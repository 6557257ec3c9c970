"""Reno flows over one bottleneck in SimPy, as fast as possible, for the comparison in test_network.py.

One process is the transmitter of the bottleneck, every propagation delay is one event with a callback, and the timer is
checked when it may have expired.

Usage: python simpy_dumbbell.py FLOWS SECONDS MBIT_PER_S; prints delivered packets and event-loop time [s].
"""

import sys
import time
from collections import deque
from heapq import heappop, heappush

import simpy

PACKET, ROUND_TRIP, LEAST_TIMEOUT = 500, 0.044, 0.2


class Bottleneck:
    def __init__(self, env, rate, room):
        self.env, self.time, self.room, self.queue, self.wake = env, PACKET / rate, room, deque(), None
        env.process(self.serve())

    def take(self, packet):
        if len(self.queue) < self.room:
            self.queue.append(packet)
            if self.wake is not None:
                self.wake.succeed()
                self.wake = None

    def serve(self):
        env, queue = self.env, self.queue
        while True:
            if not queue:
                self.wake = env.event()
                yield self.wake
            yield env.timeout(self.time)
            env.timeout(ROUND_TRIP / 2, queue.popleft()).callbacks.append(arrived)


class Sender:
    def __init__(self, env, link, ssthresh, start):
        self.env, self.link, self.window, self.ssthresh = env, link, 1.0, ssthresh
        self.una = self.next = self.duplicates = self.expect = 0
        self.recovering, self.beyond = False, []
        self.srtt = self.variation = 0.0
        self.timeout, self.due = 1.0, None
        env.timeout(start).callbacks.append(lambda event: self.send())
        env.process(self.watch(start))

    def send(self):
        while self.next < self.una + int(self.window):
            self.emit(self.next)
            self.next += 1

    def emit(self, number):
        if self.due is None:
            self.due = self.env.now + self.timeout
        self.link.take((self, number, self.env.now))

    def watch(self, start):
        yield self.env.timeout(start)
        while True:
            if self.due is None:
                yield self.env.timeout(LEAST_TIMEOUT)
            elif self.due > self.env.now:
                yield self.env.timeout(self.due - self.env.now)
            else:
                self.ssthresh, self.window = max(2.0, (self.next - self.una) / 2), 1.0
                self.recovering, self.duplicates, self.due = False, 0, None
                self.timeout, self.next = 2 * self.timeout, self.una
                self.send()

    def receive(self, number, sent):
        if number == self.expect:
            self.expect += 1
            while self.beyond and self.beyond[0] <= self.expect:
                self.expect = max(self.expect, heappop(self.beyond) + 1)
        elif number > self.expect:
            heappush(self.beyond, number)
        self.env.timeout(ROUND_TRIP / 2, (self, self.expect, sent)).callbacks.append(acknowledged)

    def acknowledge(self, expected, sent):
        now = self.env.now
        if expected > self.una:
            sample = now - sent
            if self.srtt == 0.0:
                self.srtt, self.variation = sample, sample / 2
            else:
                self.variation += (abs(self.srtt - sample) - self.variation) / 4
                self.srtt += (sample - self.srtt) / 8
            self.timeout = max(LEAST_TIMEOUT, self.srtt + 4 * self.variation)
            self.una = expected
            self.next = max(self.next, expected)
            self.duplicates = 0
            self.due = now + self.timeout if self.next > expected else None
            if self.recovering:
                self.recovering, self.window = False, self.ssthresh
            elif self.window < self.ssthresh:
                self.window += 1
            else:
                self.window += 1 / self.window
            self.send()
        elif self.next > self.una:
            self.duplicates += 1
            if self.recovering:
                self.window += 1
                self.send()
            elif self.duplicates == 3:
                self.ssthresh = max(2.0, (self.next - self.una) // 2)
                self.window, self.recovering = self.ssthresh + 3, True
                self.emit(self.una)


def arrived(event):
    sender, number, sent = event._value
    sender.receive(number, sent)


def acknowledged(event):
    sender, expected, sent = event._value
    sender.acknowledge(expected, sent)


def run(flows, seconds, mbit):
    """Return delivered packets and the duration of the event loop [s]."""
    rate = mbit * 1e6 / 8
    bdp = int(rate * ROUND_TRIP / PACKET)
    env = simpy.Environment()
    link = Bottleneck(env, rate, bdp)
    senders = [Sender(env, link, bdp // flows, 0.2 * k / flows) for k in range(flows)]
    begin = time.perf_counter()
    env.run(until=seconds)
    return sum(sender.expect for sender in senders), time.perf_counter() - begin


if __name__ == "__main__":
    delivered, spent = run(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
    print(f"{delivered} packets, {delivered / spent:.0f} a second")
