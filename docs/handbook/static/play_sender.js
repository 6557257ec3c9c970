// The reader as congestion control: a slider sets the window of a sender over the link of drop_tail.js, in real time.
"use strict";

(() => {
  const SAMPLE = 0.1; // s between points of the curves
  const HEIGHT = 130, LEFT = 44, RIGHT = 10, TOP = 22, BOTTOM = 22; // px, of a chart
  const COLOURS = ["you", "first", "second"];

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const digits = (value, count) => (Number.isFinite(value) ? value.toFixed(count) : "–");

  // A chart of curves, each { name, colour, points: [[x, y], ...], dots }, and of dashed lines across.
  function chart(width, title, xs, ys, curves, unit) {
    const x = (value) => LEFT + ((width - LEFT - RIGHT) * value) / xs.high;
    const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.min(value, ys.high)) / ys.high;
    const at = ([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`;
    const parts = [`<text class="head" x="${LEFT}" y="${TOP - 8}">${title}</text>`];
    for (const value of ys.ticks) {
      parts.push(`<path class="grid" d="M${LEFT} ${y(value)}H${width - RIGHT}"/>`,
        `<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`);
    }
    for (const value of xs.ticks) {
      const label = value === xs.ticks[xs.ticks.length - 1] ? `${value} ${unit}` : value;
      parts.push(`<text x="${x(value)}" y="${HEIGHT - 6}" text-anchor="${value ? "end" : "start"}">${label}</text>`);
    }
    for (const { colour, points, dots } of curves) {
      if (dots) parts.push(...points.map(([a, b]) => `<circle class="${colour}" cx="${x(a)}" cy="${y(b)}" r="${dots}"/>`));
      else if (points.length) parts.push(`<path class="curve ${colour}" d="M${points.map(at).join("L")}"/>`);
    }
    return `<svg viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img" aria-label="${title}">${parts.join("")}</svg>`;
  }

  class Game {
    constructor(root) {
      this.root = root;
      this.setting = JSON.parse(root.dataset.setting);
      this.slider = element("input", { type: "range", min: 1, max: this.setting.limit, value: 10, id: "play-window" });
      this.shown = element("output");
      this.button = element("button", { type: "button", textContent: "Start" });
      this.charts = element("div", { className: "charts" });
      this.table = element("table", { className: "table" });
      this.said = element("p", { className: "said" });
      this.said.setAttribute("role", "status");
      const change = (label, name, value) => {
        const made = element("button", { type: "button", textContent: label });
        made.setAttribute("aria-label", name);
        made.addEventListener("click", () => { this.slider.value = value(Number(this.slider.value)); this.steer(); });
        return made;
      };
      root.append(
        element("div", { className: "controls" },
          element("label", { htmlFor: "play-window", textContent: "Window " }), this.slider, this.shown,
          element("span", {}, change("− 10", "Ten packets less", (w) => w - 10), change("+ 10", "Ten packets more", (w) => w + 10),
            change("÷ 2", "Half of the window", (w) => Math.round(w / 2)), this.button)),
        element("p", { className: "keys", textContent: "Keys: arrows change the window by 1, page up and down by more; h halves it, space starts and pauses." }),
        this.charts, element("div", { className: "pst-scrollable-table-container" }, this.table), this.said);
      this.slider.addEventListener("input", () => this.steer());
      this.button.addEventListener("click", () => this.toggle());
      root.addEventListener("keydown", (event) => this.press(event));
      new ResizeObserver(() => this.draw()).observe(this.charts);
      this.reset();
    }

    reset() {
      this.link = new DropTail(this.setting.link);
      this.running = this.over = false;
      this.course = { window: [], queue: [], losses: [] };
      this.recent = []; // [time, delivered, window]
      this.delays = this.seen = 0; // sum of round trips, acknowledgments
      this.said.textContent = "";
      this.steer();
      this.draw();
    }

    steer() {
      this.link.window = Number(this.slider.value);
      this.shown.textContent = `${this.slider.value} packets`;
    }

    press(event) {
      if (event.key === "h") this.slider.value = Math.round(this.slider.value / 2);
      else if (event.key !== " " || event.target.tagName === "BUTTON") return;
      else this.toggle();
      event.preventDefault();
      this.steer();
    }

    toggle() {
      if (this.over) this.reset();
      this.running = !this.running;
      this.button.textContent = this.running ? "Pause" : "Go on";
      this.before = undefined;
      this.slider.focus();
      if (this.running) requestAnimationFrame((time) => this.frame(time));
    }

    // Let as much time pass as has passed for the reader; a page in the background stands still.
    frame(time) {
      if (!this.running) return;
      this.pass(Math.min(0.1, (time - (this.before ?? time)) / 1000));
      this.before = time;
      this.draw();
      if (this.over) this.end();
      else requestAnimationFrame((next) => this.frame(next));
    }

    pass(seconds) {
      const { link, setting, course } = this, { rate, roundTrip } = setting.link;
      const until = Math.min(setting.duration, link.now + seconds);
      while (link.now < until - 1e-9) {
        const known = link.known, delivered = link.delivered;
        link.advance(Math.min(until, (Math.floor(link.now / SAMPLE + 1e-6) + 1) * SAMPLE));
        this.delays += (link.delivered - delivered) * link.delay;
        course.window.push([link.now, link.window]);
        // What the last acknowledgment tells: the queue that its packet met, a round trip ago.
        course.queue.push([link.now, Math.max(0, (link.delay - roundTrip) * rate - 1)]);
        if (link.known > known) course.losses.push([link.now, setting.link.buffer * 1.1]);
        this.recent.push([link.now, link.delivered, link.window]);
      }
      this.over = link.now >= setting.duration - 1e-9;
    }

    // Carried share of the free capacity, mean round trip, loss and power of the reader so far.
    score() {
      const { link, setting } = this;
      const carried = link.delivered / (setting.free * (link.now / setting.duration));
      return { name: "you", carried, delay: this.delays / link.delivered, loss: link.known / link.sent };
    }

    end() {
      this.running = false;
      this.button.textContent = "Again";
      const [mine, ...others] = [this.score(), ...this.setting.runs].map((one) => this.power(one));
      const beaten = this.setting.runs.filter((_, k) => mine > others[k]).map((one) => one.name);
      this.said.textContent = `Your power is ${digits(mine, 2)}: ` +
        (beaten.length ? `more than that of ${beaten.join(" and ")}.` : "less than that of both schemes.") +
        " From 20 to 40 s other traffic took half of the link.";
    }

    power({ carried, delay }) {
      const { rate, roundTrip } = this.setting.link;
      return (carried * (roundTrip + 1 / rate)) / delay;
    }

    draw() {
      const width = this.charts.clientWidth;
      if (!width) return;
      const { setting, link, course } = this, { rate, roundTrip, buffer } = setting.link;
      const others = this.over ? setting.runs : []; // not before the reader has tried
      const run = (name) => others.map((one, k) => (
        { colour: COLOURS[k + 1], points: one[name].map((value, j) => [j * setting.step, value]) }));
      const time = { high: setting.duration, ticks: [0, 20, 40, 60] };
      const windows = { high: setting.limit, ticks: [0, 50, 100, 150] };
      const half = width < 560 ? width : Math.floor(width / 2);
      const law = Array.from({ length: setting.limit }, (_, k) => k + 1);
      const shortest = roundTrip + 1 / rate, full = shortest + buffer / rate;
      // A window shows its effect a round trip later, so the point has the window of then.
      const back = this.recent.filter(([at]) => at <= link.now - link.delay).pop();
      const from = this.recent.filter(([at]) => at <= link.now - roundTrip).pop();
      const point = (value) => ({ colour: "you", dots: 5, points: back && from ? [[back[2], value]] : [] });
      const through = from ? (link.delivered - from[1]) / (link.now - from[0]) : 0;
      this.charts.innerHTML =
        chart(width, "Window [packets]", time, windows, [...run("window"), { colour: "you", points: course.window }], "s") +
        chart(width, "Queue [packets], late; dots: losses", time, { high: buffer * 1.15, ticks: [0, 25, 50] },
          [...run("queue"), { colour: "you", points: course.queue }, { colour: "you", dots: 3, points: course.losses }], "s") +
        chart(half, "Throughput [packets/s]", windows, { high: rate * 1.15, ticks: [0, 50, 100] },
          [{ colour: "law", points: law.map((w) => [w, Math.min(w / shortest, rate)]) }, point(through)], "packets") +
        chart(half, "Round trip [s]", windows, { high: full * 1.1, ticks: [0, 0.5, 1] },
          [{ colour: "law", points: law.map((w) => [w, Math.min(Math.max(shortest, w / rate), full)]) }, point(link.delay)], "packets");
      const rows = [this.score(), ...others].map((one, k) => `<tr><th scope="row" class="${COLOURS[k]}">${one.name}</th>` +
        `<td>${digits(100 * one.carried, 0)}</td><td>${digits(one.delay, 2)}</td><td>${digits(100 * one.loss, 1)}</td>` +
        `<td>${digits(this.power(one), 2)}</td></tr>`);
      this.table.innerHTML = "<thead><tr><th></th><th>carried [%]</th><th>mean round trip [s]</th><th>loss [%]</th>" +
        `<th>power [1]</th></tr></thead><tbody>${rows.join("")}</tbody>`;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const one of document.querySelectorAll("div.play")) one.game = new Game(one);
  });
})();
