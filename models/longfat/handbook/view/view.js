// The view of a law: sliders, fields, chart and value. mount(root, record, law, home) fills an element. The options `home`
// are: `simulate`, a source of simulated points (simulation.js); `state`, the initial state; `changed`, a function that is
// called with the state after a change. Without `changed` the state is stored in the address of the page.

import { Curves } from "./curves.js";
import { dense, drawn, frame, nearest, positions, scaleOf, valueAt, valueScale } from "./chart.js";
import { bracketed, element, indexed, letters, raised, unnamed, words } from "./elements.js";
import { contains, escaped, parsed, quantity, withUnit } from "./quantities.js";
import { FILES, save } from "./saving.js";
import { Simulation } from "./simulation.js";

const CURVES = 6;  // of a family
const POINT = '<path class="bar" d="M15 0V10"/><circle class="bar" cx="15" cy="5" r="3.5"/>';  // in the legend
const AXES = ["automatic", "linear", "logarithmic"];

// A view and its state: values of the parameters, the parameter along the x axis, the parameter of a family of curves.
class View {
  constructor(root, record, law, home) {
    Object.assign(this, { root, record, law, home });
    this.id = record.id.replace(/\W/g, "-");
    this.letters = record.letters.map((one) => ({ ...one, start: Number(one.start), title: one.meaning || words(one.name) }));
    this.values = this.letters.map((one) => one.start);
    this.across = 0;
    this.family = { index: -1, values: [] };
    this.axis = "automatic";
    this.fresh = this.due = false;  // whether it was drawn in this frame, and has to be drawn again
    this.course = new Curves(this);
    this.bars = record.points || { across: "", points: [] };
    this.build();
    if (home.state) this.restore(home.state); else this.read(location.hash.includes("=") ? location.hash : `#${root.dataset.at || ""}`);
    this.draw();
    this.resized = new ResizeObserver(() => this.later());
    this.resized.observe(this.picture);
  }

  close() {
    this.course.end();
    this.resized.disconnect();
    if (this.simulation) this.simulation.turn(false);
  }

  // Values that another law of the same family keeps: those of parameters with the same name, letter and unit.
  carried(record) {
    if (record.id.split(".")[0] !== this.record.id.split(".")[0]) return {};
    const same = (one) => record.letters.some((other) => ["name", "letter", "unit"].every((key) => one[key] === other[key]));
    return Object.fromEntries(this.letters.flatMap((one, k) => same(one) ? [[one.name, String(this.values[k])]] : []));
  }

  // Take the values in an address such as #load=0.7&x=load; unknown names and invalid values are ignored.
  read(hash) {
    const found = Object.fromEntries(new URLSearchParams(hash.slice(1)));
    const { x, ...values } = found;
    this.restore({ values, x });
  }

  // Take a state in the form that `state` returns; unknown names and invalid values are ignored.
  restore({ values = {}, x = "", family = "", family_values = [], axis = "automatic" }) {
    const index = (name) => this.letters.findIndex((one) => one.name === name);
    this.letters.forEach((one, k) => {
      const value = values[one.name] === undefined ? NaN : Number(values[one.name]);
      if (contains(one, value)) this.values[k] = value;
    });
    this.across = Math.max(0, index(x));
    this.axis = AXES.includes(axis) ? axis : "automatic";
    this.axisChoice.value = this.axis;
    this.spread(index(family) === this.across ? -1 : index(family), false);
    const fit = family_values.map(Number).filter((one) => this.family.index >= 0 && contains(this.letters[this.family.index], one));
    if (fit.length && fit.length <= CURVES) this.family.values = fit;
    this.listFamily();
  }

  // The state as plain data; numbers are texts, because JSON has no infinity.
  state() {
    const { index, values } = this.family;
    return { values: Object.fromEntries(this.letters.map((one, k) => [one.name, String(this.values[k])])),
      x: this.letters[this.across].name, family: index < 0 ? "" : this.letters[index].name, family_values: values.map(String), axis: this.axis };
  }

  write() {
    if (this.home.changed) { this.home.changed(this.state()); return; }
    const changed = this.letters.flatMap((one, k) => this.values[k] === one.start ? [] : [`${one.name}=${this.values[k]}`]);
    if (this.across) changed.push(`x=${this.letters[this.across].name}`);
    try { history.replaceState(null, "", changed.length ? `#${changed.join("&")}` : "#"); } catch { /* not in this frame */ }
  }

  build() {
    const { record, id } = this;
    this.output = element("output", { class: "lf-value", "aria-live": "polite", for: this.letters.map((_, k) => `${id}-${k}`).join(" ") });
    this.picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.picture.setAttribute("class", "lf-chart");
    this.picture.setAttribute("role", "img");
    this.xLabel = element("p", { class: "lf-x", "aria-hidden": "true" });
    this.yLabel = element("p", { class: "lf-y", "aria-hidden": "true" });
    this.cursor = element("p", { class: "lf-cursor", "aria-hidden": "true" });
    this.legend = element("ul", { class: "lf-legend" });
    this.table = element("details", { class: "lf-table" }, element("summary", {}, "Values of the curve"));
    this.table.append(element("table"));
    this.table.addEventListener("toggle", () => this.tabulate());
    const left = element("div", { class: "lf-left" }, this.output, this.yLabel, this.picture, this.xLabel, this.cursor, this.legend);
    const below = element("div", { class: "lf-below" });  // what need not be in view with the sliders
    if (this.home.simulate) this.simulation = new Simulation(this, this.home.simulate, below);
    below.append(this.files(), this.table);
    const right = element("div", { class: "lf-right" });
    this.controls = this.letters.map((one, k) => this.control(one, k, right));
    right.append(this.choices());
    this.root.classList.add("lf-view");
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", `Plot of ${words(record.id.split(".").pop())}`);
    this.root.replaceChildren(left, right, below);
    this.picture.addEventListener("pointermove", (event) => this.point(event));
    this.picture.addEventListener("pointerleave", () => { this.cursor.textContent = ""; });
    this.picture.addEventListener("pointerdown", (event) => this.point(event, true));
  }

  control(letter, k, parent) {
    const id = `${this.id}-${k}`, scale = scaleOf(letter, this.values[k]);
    const control = { values: positions(letter, scale), scale };
    const title = element("label", { for: id });
    title.innerHTML = `${letter.mathml || escaped(letters(letter.letter))} <span>${escaped(letter.title)}</span>`;
    control.slider = element("input", { type: "range", id, min: 0, step: 1, "aria-label": letter.title });
    control.field = element("input", { type: "text", id: `${id}-field`, autocomplete: "off", spellcheck: "false", inputmode: "text",
      "aria-label": `${letter.title}, value`, "aria-describedby": `${id}-unit ${id}-error` });
    const counted = unnamed(letter.unit) ? "" : letter.unit;
    const unit = element("span", { id: `${id}-unit`, class: "lf-unit" }, raised(counted));
    control.error = element("p", { id: `${id}-error`, class: "lf-error", role: "alert" });
    control.slider.addEventListener("input", () => { control.editing = false; this.set(k, control.values[control.slider.value]); });
    control.slider.addEventListener("change", () => this.write());
    control.field.addEventListener("input", () => this.type(k, false));
    control.field.addEventListener("change", () => this.type(k, true));
    parent.append(element("div", { class: "lf-control" }, title, control.slider, element("span", { class: "lf-typed" }, control.field, unit), control.error));
    return control;
  }

  choices() {
    const option = (k) => element("option", { value: k }, this.letters[k].title);
    const all = this.letters.map((_, k) => k);
    this.acrossChoice = element("select", {}, ...all.map(option));
    this.familyChoice = element("select", {}, element("option", { value: -1 }, "none"), ...all.map(option));
    this.familyField = element("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${this.id}-family-error` });
    this.familyError = element("p", { id: `${this.id}-family-error`, class: "lf-error", role: "alert" });
    this.axisChoice = element("select", {}, ...AXES.map((one) => element("option", {}, one)));
    const reset = element("button", { type: "button" }, "Reset");
    this.acrossChoice.addEventListener("change", () => this.along(Number(this.acrossChoice.value)));
    this.familyChoice.addEventListener("change", () => this.spread(Number(this.familyChoice.value)));
    this.familyField.addEventListener("change", () => this.typeFamily());
    this.axisChoice.addEventListener("change", () => { this.axis = this.axisChoice.value; this.write(); this.later(); });
    reset.addEventListener("click", () => this.reset());
    this.familyRow = element("label", { hidden: "" }, element("span", {}, "its values"), this.familyField);
    const rows = [["x axis", this.acrossChoice], ["curves for", this.familyChoice]].map(([text, choice]) =>
      element("label", {}, element("span", {}, text), choice));
    const last = element("label", {}, element("span", {}, "y axis"), this.axisChoice);
    const made = element("div", { class: "lf-choices" }, ...this.networks(), ...rows, this.familyRow, this.familyError, last, reset);
    if (this.letters.length === 1) rows[0].hidden = rows[1].hidden = true;
    return made;
  }

  // The papers' networks, each of which sets the parameters that a network determines.
  networks() {
    const { presets = [] } = this.record;
    if (!presets.length) return [];
    this.presetChoice = element("select", {}, element("option", { value: -1 }, "choose …"),
      ...presets.map((one, k) => element("option", { value: k, title: one.source }, one.name)));
    this.presetSource = element("p", { class: "lf-note" });
    this.presetChoice.addEventListener("change", () => {
      const chosen = presets[this.presetChoice.value];
      if (chosen) { this.letters.forEach((one, k) => { if (one.name in chosen.values) this.set(k, Number(chosen.values[one.name])); }); this.write(); }
    });
    return [element("label", {}, element("span", {}, "network"), this.presetChoice), this.presetSource];
  }

  files() {
    const made = element("p", { class: "lf-files" }, "Save as ");
    for (const kind of Object.keys(FILES)) {
      const button = element("button", { type: "button" }, kind);
      button.addEventListener("click", () => save(this, kind));
      made.append(button);
    }
    return made;
  }

  // Set a parameter; the scale of its slider is extended if needed to include the value.
  set(k, value) {
    this.complain(this.controls[k].field, this.controls[k].error, "");
    this.values[k] = value;
    this.later();
  }

  // Take a typed value as soon as it is valid; an error message is shown only when the field is left.
  type(k, complete) {
    const control = this.controls[k];
    control.editing = !complete;
    try {
      this.set(k, parsed(control.field.value, this.letters[k]));
      if (complete) this.write();
    } catch (error) {
      if (complete || control.error.textContent) this.complain(control.field, control.error, error.message);
    }
  }

  complain(field, place, sentence) {
    place.textContent = sentence;
    if (sentence) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
  }

  along(k) {
    this.across = k;
    if (this.family.index === k) this.spread(-1, false);
    this.write();
    this.later();
  }

  // Draw a curve for each of several values: by default a quarter, half and three quarters of the range.
  spread(k, shown = true) {
    if (k === this.across && this.letters.length > 1) this.across = this.letters.findIndex((_, other) => other !== k);
    const values = k < 0 ? [] : this.controls[k].values;
    const chosen = k < 0 ? [] : [1, 2, 3].map((part) => values[Math.floor((values.length - 1) * part / 4)]);
    this.family = { index: k, values: [...new Set(chosen)] };
    this.listFamily();
    if (shown) { this.write(); this.later(); }
  }

  listFamily() {
    this.familyField.value = this.family.values.map((one) => quantity(one, (this.letters[this.family.index] || {}).unit)).join(", ");
    this.complain(this.familyField, this.familyError, "");
  }

  typeFamily() {
    const letter = this.letters[this.family.index];
    try {
      const values = [...new Set(this.familyField.value.split(",").map((one) => parsed(one, letter)))];
      if (values.length > CURVES) throw new Error(`${values.length} values are too many: give at most ${CURVES}.`);
      this.family.values = values.sort((a, b) => a - b);
      this.complain(this.familyField, this.familyError, "");
      this.write();
      this.later();
    } catch (error) {
      this.complain(this.familyField, this.familyError, error.message);
    }
  }

  reset() {
    this.values = this.letters.map((one) => one.start);
    this.across = 0;
    this.axis = this.axisChoice.value = "automatic";
    for (const one of this.controls) { one.editing = false; this.complain(one.field, one.error, ""); }
    this.spread(-1);
  }

  // Draw now, but at most once a frame: changes before the next frame are drawn in that frame.
  later() {
    this.due = this.fresh;
    if (this.fresh) return;
    this.fresh = true;
    this.draw();
    requestAnimationFrame(() => { this.fresh = false; if (this.due) this.later(); });
  }

  placed(x, value) {
    const values = this.values.slice();
    values[this.across] = x;
    if (this.family.index >= 0 && value !== undefined) values[this.family.index] = value;
    return values;
  }

  at(x, value, face = "formula") {
    return this.law[face](...this.placed(x, value));
  }

  // The simulated points, if all parameters but that of the x axis have the values of the simulation, by default the
  // initial values of the page.
  barsShown() {
    const { across, values = {}, points } = this.bars;
    const same = (one, k) => one.name === across || this.values[k] === (values[one.name] === undefined ? one.start : Number(values[one.name]));
    return this.letters[this.across].name === across && this.letters.every(same) ? points : [];
  }

  draw() {
    const letter = this.letters[this.across], unit = this.record.unit;
    this.settle();
    if (this.simulation) this.simulation.follow();
    const scale = this.controls[this.across].scale, curves = this.course.now(), bars = this.barsShown();
    const value = this.law.formula(...this.values);
    const ys = curves.flatMap((one) => one.ys).concat(value, bars.flatMap((one) => [one.low, one.high]));
    const y = valueScale(ys, this.axis), box = frame(Math.max(260, Math.round(this.picture.parentNode.clientWidth)));
    Object.assign(this, { curves, shown: { box, scale } });
    const name = letters(this.record.result || words(this.record.id.split(".").pop()));
    this.picture.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    this.picture.setAttribute("aria-label", this.described(letter, curves[0], name));
    this.picture.innerHTML = drawn({ id: this.id, box, x: scale, y, curves, bars, mark: { x: this.values[this.across], y: value },
      xUnit: letter.unit, yUnit: unit });
    this.labels = { x: bracketed(letter.title, letter.unit), at: this.letters.map((one, k) => `${one.name} = ${withUnit(this.values[k], one.unit)}`).join(", ") };
    this.xLabel.innerHTML = `${letter.mathml || escaped(letters(letter.letter))} ${escaped(bracketed(letter.title, letter.unit))}`;
    this.yLabel.innerHTML = bracketed(indexed(name), unit);
    this.output.dataset.value = value;
    const valid = this.law.valid ? this.law.valid(...this.values) : true;
    this.output.innerHTML = `${indexed(name)} = <b>${escaped(raised(withUnit(value, unit)))}</b>` +
      (valid ? "" : ' <span class="lf-outside">outside its validity</span>') +
      (this.law.printed ? ` <span class="lf-printed">as printed: ${escaped(withUnit(this.law.printed(...this.values), unit))}</span>` : "");
    this.explain(curves, bars);
    if (this.table.open) this.tabulate();
  }

  described(letter, { xs, ys }, name) {
    const at = (k) => `${withUnit(ys[k], this.record.unit)} at ${withUnit(xs[k], letter.unit)}`;
    return `${name} against ${letter.title}: ${xs.length ? `${at(0)}, ${at(xs.length - 1)}` : "no value"}`;
  }

  // Show the values in sliders, fields and choices.
  settle() {
    this.controls.forEach((control, k) => {
      const letter = this.letters[k], value = this.values[k], text = quantity(value, letter.unit);
      if (!(value >= control.scale.low && value <= control.scale.high)) {
        control.scale = scaleOf(letter, value);
        control.values = positions(letter, control.scale);
      }
      control.slider.max = control.values.length - 1;
      control.slider.value = nearest(control.values, value, control.scale.logarithmic);
      control.slider.setAttribute("aria-valuetext", withUnit(value, letter.unit));
      if (!control.editing && !control.error.textContent) control.field.value = text;
    });
    this.acrossChoice.value = this.across;
    this.familyChoice.value = this.family.index;
    this.familyRow.hidden = this.family.index < 0;
    if (this.presetChoice) this.settlePreset();
  }

  settlePreset() {
    const fits = ({ values }) => this.letters.every((one, k) => !(one.name in values) || Number(values[one.name]) === this.values[k]);
    const k = this.record.presets.findIndex(fits);
    this.presetChoice.value = k;
    this.presetSource.textContent = k < 0 ? "" : this.record.presets[k].source;
  }

  explain(curves, bars) {
    const letter = this.letters[this.family.index], entries = [];
    if (letter) {
      for (const one of curves) if (one.value !== undefined) entries.push([one.kind, `${letters(letter.letter)} = ${withUnit(one.value, letter.unit)}`]);
    }
    if (this.law.printed) entries.push(letter ? null : ["c0", "the law"], ["printed", "as printed in its source"]);
    if (curves.some((one) => one.valid && one.valid.includes(false))) entries.push(["c0 outside", "outside the law's validity"]);
    if (bars.length) entries.push(["bar", "simulated, with confidence intervals"]);
    this.legend.innerHTML = entries.filter(Boolean).map(([kind, text]) =>
      `<li><svg viewBox="0 0 30 10" aria-hidden="true">${kind === "bar" ? POINT : `<path class="curve ${kind}" d="M1 5H29"/>`}</svg>${escaped(text)}</li>`).join("");
  }

  point(event, chosen = false) {
    if (!this.shown) return;
    const bounds = this.picture.getBoundingClientRect(), { box, scale } = this.shown, letter = this.letters[this.across];
    const share = ((event.clientX - bounds.left) * box.width / bounds.width - box.left) / (box.right - box.left);
    if (share < 0 || share > 1) { this.cursor.textContent = ""; return; }
    const exact = valueAt(scale, share), x = letter.integer ? Math.round(exact) : Number(exact.toPrecision(3));
    if (!contains(letter, x)) return;
    if (chosen) { this.set(this.across, x); this.write(); }
    this.cursor.textContent = `${letters(letter.letter)} = ${withUnit(x, letter.unit)}: ${withUnit(this.at(x), this.record.unit)}`;
  }

  tabulate() {
    if (!this.table.open) return;
    const letter = this.letters[this.across], xs = dense(letter, this.controls[this.across].scale, 12);
    const rows = xs.map((x) => `<tr><td>${quantity(x, letter.unit)}</td><td>${quantity(this.at(x), this.record.unit)}</td></tr>`).join("");
    const head = `<tr><th>${escaped(bracketed(letter.title, letter.unit))}</th><th>${bracketed(indexed(this.record.result || "value"), this.record.unit)}</th></tr>`;
    this.table.querySelector("table").innerHTML = `<thead>${head}</thead><tbody>${rows}</tbody>`;
  }
}

export function mount(root, record, law, home = {}) {
  return new View(root, record, law, home);
}
