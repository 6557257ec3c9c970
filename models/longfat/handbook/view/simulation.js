// Simulated points beside a law. `source(request, tell)` begins a simulation and returns a function that ends it; `tell`
// is called with {kind: "point", x, mean, low, high, runs, done, of}, {kind: "end", why, packets, refused} and
// {kind: "error", why}.

import { element } from "./elements.js";
import { shown } from "./quantities.js";

const PAUSE = 300;  // without a change before a simulation begins [ms]

export class Simulation {
  constructor(view, source, place) {
    Object.assign(this, { view, source, on: false, key: "", stop: null });
    const id = `${view.id}-runs`;
    this.button = element("button", { type: "button", "aria-pressed": "false" }, "Simulate");
    this.field = element("input", { type: "text", id, inputmode: "numeric", autocomplete: "off", value: "10", "aria-describedby": `${id}-error` });
    this.error = element("p", { id: `${id}-error`, class: "lf-error", role: "alert" });
    this.status = element("span", { class: "lf-status", role: "status" });
    this.button.addEventListener("click", () => this.turn(!this.on));
    this.field.addEventListener("change", () => { this.key = ""; this.follow(); });
    place.append(element("div", { class: "lf-simulate" }, this.button, element("label", {}, this.field, " replications"), this.status, this.error));
  }

  turn(on) {
    this.on = on;
    this.key = "";
    this.button.setAttribute("aria-pressed", String(on));
    if (on) this.follow(); else { this.end(); this.status.textContent = "stopped"; }
  }

  end() {
    clearTimeout(this.begun);
    if (this.stop) this.stop();
    this.stop = null;
  }

  // Simulate again if a setting has changed, except for the operating point's x value, which matters only if it extends
  // the axis.
  follow() {
    if (!this.on) return;
    const { view } = this, across = view.letters[view.across].name, { low, high } = view.controls[view.across].scale;
    const values = Object.fromEntries(view.letters.map((one, k) => [one.name, String(view.values[k])]));
    const key = JSON.stringify([across, low, high, { ...values, [across]: "" }]);
    if (key === this.key) return;
    this.key = key;
    this.end();
    const replications = Number(this.field.value);
    const fits = Number.isInteger(replications) && replications >= 2 && replications <= 1000;
    view.complain(this.field, this.error, fits ? "" : `replications = ${this.field.value || "nothing"} is out of range: it must be an integer in [2, 1000].`);
    if (!fits) return;
    view.bars = { across, values, points: [] };
    this.status.textContent = "starting …";
    this.begun = setTimeout(() => { this.stop = this.source({ law: view.record.id, across, values, replications }, (one) => this.told(key, one)); }, PAUSE);
  }

  told(key, one) {
    if (key !== this.key) return;
    const { bars } = this.view;
    if (one.kind === "point") {
      bars.points = [...bars.points.filter((other) => other.x !== one.x), one];
      this.view.later();
    }
    if (one.kind === "point") this.status.textContent = `${one.done} of ${one.of} points, ${one.runs} replications`;
    if (one.kind === "end" || one.kind === "error") {
      this.stop = null;
      const refused = one.refused ? `; ${one.refused} cannot be simulated` : "";
      this.status.textContent = one.why || `done: ${bars.points.length} points, 95 % intervals, ${shown(one.packets, 3)} packets${refused}`;
    }
  }
}

// Source of simulated points on a server: one request, whose answer has one line of data for each event.
export function served(address) {
  return (request, tell) => {
    const control = new AbortController();
    (async () => {
      const answer = await fetch(address, { method: "POST", signal: control.signal, body: JSON.stringify(request), headers: { "Content-Type": "application/json" } });
      if (!answer.ok) { tell({ kind: "error", why: (await answer.text()).trim() }); return; }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (text + value).split("\n\n");
        text = lines.pop();
        for (const line of lines) tell(JSON.parse(line.slice("data: ".length)));
      }
    })().catch((error) => {
      if (error.name !== "AbortError") tell({ kind: "error", why: "The server does not answer: start `longfat explore` again." });
    });
    return () => control.abort();
  };
}
