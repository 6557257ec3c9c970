// A drop-tail link and a sender whose window is set from outside: packets of one size, times in seconds.
"use strict";

// Acknowledged later transmissions after which a packet counts as lost (RFC 6675), and the timer if none comes (RFC 6298).
const REORDER = 3, TIMEOUT = 1;

class DropTail {
  // rate [packets/s]; roundTrip, without queue and transmission [s]; buffer, without the packet that is being sent
  // [packets]; cross: other traffic, as a list of { from, to, rate } in order.
  constructor({ rate, roundTrip, buffer, cross = [] }) {
    Object.assign(this, { rate, roundTrip, buffer, cross });
    this.window = 1;
    this.now = 0;
    this.idle = 0; // when the link will have sent all that it has accepted
    this.others = cross.length ? cross[0].from : Infinity; // when the next packet of the other traffic arrives
    this.period = 0; // of the other traffic
    this.acknowledgments = []; // under way, in the order of their times
    this.lost = []; // how many acknowledgments show that each dropped packet is lost
    this.accepted = this.inFlight = 0;
    this.sent = this.delivered = this.known = 0; // packets of the sender; losses that it knows
    this.dropped = 0; // of the sender and of the other traffic
    this.delay = roundTrip + 1 / rate; // round trip of the last acknowledgment
    this.heard = 0; // when it came
  }

  // Packets that wait; departures precede arrivals at the same time.
  queue() {
    return Math.max(0, Math.ceil((this.idle - this.now) * this.rate - 1e-6) - 1);
  }

  // Accept a packet, or drop it where the buffer is full; return when the link has sent it.
  enter() {
    if (this.idle > this.now + 1e-9 && this.queue() >= this.buffer) {
      this.dropped += 1;
      return null;
    }
    this.idle = Math.max(this.idle, this.now) + 1 / this.rate;
    return this.idle;
  }

  // Send what the window allows.
  fill() {
    while (this.inFlight < Math.floor(this.window)) {
      this.inFlight += 1;
      this.sent += 1;
      const left = this.enter();
      if (left === null) this.lost.push(this.accepted + REORDER);
      else {
        this.accepted += 1;
        this.acknowledgments.push({ at: left + this.roundTrip, sent: this.now });
      }
    }
  }

  // Forget packets in flight that are known to be lost.
  forget(count) {
    this.lost.splice(0, count);
    this.known += count;
    this.inFlight -= count;
  }

  acknowledge() {
    const { at, sent } = this.acknowledgments.shift();
    this.delivered += 1;
    this.inFlight -= 1;
    this.delay = at - sent;
    this.heard = at;
    const first = this.lost.findIndex((enough) => enough > this.delivered);
    this.forget(first < 0 ? this.lost.length : first);
  }

  // A packet of the other traffic; when its period is over the next one begins.
  disturb() {
    this.enter();
    const { to, rate } = this.cross[this.period];
    this.others += 1 / rate;
    if (this.others > to) {
      this.period += 1;
      this.others = this.period < this.cross.length ? this.cross[this.period].from : Infinity;
    }
  }

  // Let time pass.
  advance(until) {
    this.fill();
    for (;;) {
      const ack = this.acknowledgments.length ? this.acknowledgments[0].at : Infinity;
      const timer = ack === Infinity && this.lost.length ? this.heard + TIMEOUT : Infinity;
      const next = Math.min(ack, timer, this.others);
      if (next > until + 1e-9) break;
      this.now = Math.max(this.now, next);
      if (next === this.others) this.disturb();
      else if (next === ack) this.acknowledge();
      else this.forget(this.lost.length);
      this.fill();
    }
    this.now = until;
  }
}

if (typeof module !== "undefined") module.exports = { DropTail };
