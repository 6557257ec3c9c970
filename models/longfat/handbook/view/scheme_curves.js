// Design curves: a panel for each quantity, schemes by colour and marker, numbers of flows by the style of lines.
// mountCurves(root, sets) fills an element; each set is made by longfat.handbook.curves_page from one Dataset.

import { drawn, place, valueScale } from "./chart.js";
import { escaped, withUnit } from "./quantities.js";

const MARKERS = [  // paths around 0, 0
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M-3.6 -3.6H3.6V3.6H-3.6Z", "M0 -5L5 0L0 5L-5 0Z", "M0 -5L4.6 3.6H-4.6Z",
  "M0 5L4.6 -3.6H-4.6Z", "M-1.6 -4.6H1.6V-1.6H4.6V1.6H1.6V4.6H-1.6V1.6H-4.6V-1.6H-1.6Z", "M-5 0L3.6 -4.6V4.6Z",
];
const HEIGHT = 0.66, SMALLEST = 230, LARGEST = 330;  // of a panel, over its width and in pixels

function made(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}

// Later schemes have smaller markers, so that equal values are seen.
const marker = (i, j, x, y, size = 1) =>
  `<path class="point ${i < 0 ? "" : `c${i % 7}`} ${j % 2 ? "open" : "full"}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size})" d="${MARKERS[Math.max(i, 0) % MARKERS.length]}"/>`;
const counted = (n) => `${n} flow${n === 1 ? "" : "s"}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

class Curves {
  constructor(root, sets) {
    Object.assign(this, { root, sets, set: sets[0], unit: 0, linear: false, hidden: new Set() });
    root.classList.add("lf-view", "lf-curves");
    this.panels = made("div", { class: "lf-panels" });
    this.table = made("details", { class: "lf-table" }, made("summary", {}, "All values"), made("div", { class: "scroll" }));
    this.table.addEventListener("toggle", () => this.tabulate());
    this.controls = made("div", { class: "lf-switches" });
    root.replaceChildren(this.controls, this.panels, this.table);
    this.build();
    new ResizeObserver(() => this.draw()).observe(this.panels);
  }

  // The switches: axis, its unit and scale, schemes, numbers of flows.
  build() {
    const chosen = (label, title, options, change) => {
      const select = made("select", { "aria-label": title }, ...options.map((text, k) => made("option", { value: k }, text)));
      select.addEventListener("change", () => change(Number(select.value)));
      return made("label", {}, made("span", {}, label), select);
    };
    const boxes = (title, names, key) => {
      const field = made("fieldset", {}, made("legend", {}, title));
      names.forEach((name, k) => {
        const box = made("input", { type: "checkbox" });
        box.checked = true;
        box.addEventListener("change", () => { this.hidden[box.checked ? "delete" : "add"](`${key}${k}`); this.draw(); });
        const sign = key === "s" ? `<svg viewBox="-8 -8 16 16" aria-hidden="true">${marker(k, 0, 0, 0)}</svg>`
          : `<svg class="wide" viewBox="-18 -8 36 16" aria-hidden="true"><path class="curve plain n${k % 4}" d="M-18 0H18"/>${marker(-1, k, 0, 0)}</svg>`;
        const label = made("label", {}, box);
        label.insertAdjacentHTML("beforeend", `${sign}${escaped(name)}`);
        field.append(label);
      });
      return field;
    };
    const parts = [boxes("Schemes", this.set.schemes, "s"), boxes("Flows", this.set.flows.map(counted), "f")];
    const axes = made("div", { class: "lf-axes" });
    if (this.sets.length > 1) {
      axes.append(chosen("over", "x axis", this.sets.map((one) => one.axis), (k) => { this.set = this.sets[k]; this.fill(); }));
    }
    axes.append(chosen("in", "unit of the x axis", this.set.units.map((one) => one.title), (k) => { this.unit = k; this.draw(); }));
    axes.append(chosen("scale", "scale of the x axis", ["logarithmic", "linear"], (k) => { this.linear = k === 1; this.draw(); }));
    this.controls.replaceChildren(...parts, axes);
    this.fill();
  }

  // A panel for each quantity of the set.
  fill() {
    this.drawings = this.set.panels.map((panel) => {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      for (const [name, value] of Object.entries({ class: "lf-chart", role: "img", tabindex: 0 })) svg.setAttribute(name, value);
      const tip = made("div", { class: "lf-tip", role: "status" });
      tip.hidden = true;
      const part = { panel, svg, tip, at: -1 };
      svg.addEventListener("pointermove", (event) => this.point(part, event));
      svg.addEventListener("pointerdown", (event) => this.point(part, event));
      svg.addEventListener("pointerleave", () => this.show(part, -1));
      svg.addEventListener("blur", () => this.show(part, -1));
      svg.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.show(part, Math.max(0, Math.min(this.set.values.length - 1, part.at + step)));
      });
      part.box = made("figure", {}, made("figcaption", {}, capital(panel.title)), svg, tip);
      return part;
    });
    this.panels.replaceChildren(...this.drawings.map((one) => one.box));
    this.draw();
  }

  // The scheme and the number of flows of each curve that is shown.
  get shown() {
    const found = [];
    this.set.schemes.forEach((scheme, i) => this.set.flows.forEach((flows, j) => {
      if (!this.hidden.has(`s${i}`) && !this.hidden.has(`f${j}`)) found.push({ i, j, name: `${scheme}, ${counted(flows)}` });
    }));
    return found;
  }

  get factor() { return this.set.units[this.unit].factor; }

  draw() {
    for (const part of this.drawings) this.picture(part);
    if (this.table.open) this.tabulate();
  }

  picture(part) {
    const { panel, svg } = part, { set, factor } = this, id = `curves-${panel.name}`;
    const xs = set.values.map((one) => one * factor), dense = set.dense.map((one) => one * factor);
    const margin = this.linear ? 0.02 * (xs[xs.length - 1] - xs[0]) : 0;
    const x = { low: this.linear ? 0 : xs[0] / 1.12, high: this.linear ? xs[xs.length - 1] + margin : xs[xs.length - 1] * 1.12, logarithmic: !this.linear };
    const curves = [], ys = [];
    for (const { i, j } of this.shown) {
      const mean = panel.mean[i][j], law = panel.law && panel.law[i][j], known = law && law.some((one) => one !== null);
      const drawable = (one) => one === null || (panel.logarithmic && one <= 0) ? NaN : one;
      curves.push({ xs: known ? dense : xs, ys: (known ? law : mean).map(drawable), kind: `c${i % 7} n${j % 4} ${known ? "law" : "joined"}` });
      ys.push(...curves[curves.length - 1].ys, ...mean.map(drawable), ...panel.upper[i][j]);
    }
    for (const one of panel.grey) {
      curves.push({ xs: dense, ys: one.ys, kind: `grey ${one.kind}` });
      ys.push(...one.ys);
    }
    const positive = panel.logarithmic ? ys.filter((one) => one > 0) : ys;
    const y = valueScale(positive, panel.logarithmic ? "logarithmic" : "linear");
    if (!panel.logarithmic) y.high = Math.min(y.high, 1.02);
    if (!panel.logarithmic && ys.length) y.low = Math.max(0, Math.min(...ys.filter(Number.isFinite)) - 0.05);
    const width = Math.max(250, Math.round(part.box.clientWidth)), height = Math.max(SMALLEST, Math.min(LARGEST, Math.round(HEIGHT * width)));
    const box = { width, height, left: 66, right: width - 10, top: 8, bottom: height - 42 };
    part.toX = (one) => box.left + (box.right - box.left) * place(x, one);
    part.frame = box;
    const toY = (one) => box.bottom - (box.bottom - box.top) * Math.max(-0.02, Math.min(1.02, place(y, Math.max(one, panel.logarithmic ? 1e-300 : -1e300))));
    const points = this.shown.map(({ i, j }) => xs.map((one, k) => this.pointOf(panel, i, j, k, part.toX(one), toY)).join("")).join("");
    const title = `${set.axis}${set.units[this.unit].symbol ? ` [${set.units[this.unit].symbol}]` : ""}`;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${panel.title} over ${title}: arrow keys show the values`);
    svg.innerHTML = drawn({ id, box, x, y, curves, bars: [], mark: { x: NaN, y: NaN }, xUnit: set.units[this.unit].unit, yUnit: panel.unit }) +
      `<g>${points}</g><text x="${(box.left + box.right) / 2}" y="${height - 6}" text-anchor="middle">${escaped(title)}</text><path class="here" d=""/>`;
    this.show(part, part.at);
  }

  // A simulated point with its interval; on a logarithmic axis there is no place for 0.
  pointOf(panel, i, j, k, x, toY) {
    const mean = panel.mean[i][j][k];
    if (mean === null || (panel.logarithmic && mean <= 0)) return "";
    const bar = `<path class="interval c${i % 7}" d="M${x.toFixed(1)} ${toY(panel.lower[i][j][k]).toFixed(1)}V${toY(panel.upper[i][j][k]).toFixed(1)}"/>`;
    return bar + marker(i, j, x, toY(mean), Math.max(0.6, 1.2 - 0.2 * i));
  }

  point(part, event) {
    const bounds = part.svg.getBoundingClientRect(), at = (event.clientX - bounds.left) * part.frame.width / bounds.width;
    const far = this.set.values.map((one) => Math.abs(part.toX(one * this.factor) - at));
    this.show(part, far.indexOf(Math.min(...far)));
  }

  // Show the values at a point of the axis beside it; -1: none.
  show(part, k) {
    const { panel, tip, svg, frame } = part, { set } = this;
    part.at = k;
    const line = svg.querySelector(".here:last-child");
    tip.hidden = k < 0 || !this.shown.length;
    if (line) line.setAttribute("d", k < 0 ? "" : `M${part.toX(set.values[k] * this.factor).toFixed(1)} ${frame.top}V${frame.bottom}`);
    if (tip.hidden) return;
    const rows = this.shown.map(({ i, j, name }) => `<tr><td><svg viewBox="-8 -8 16 16">${marker(i, j, 0, 0)}</svg>${escaped(name)}</td><td>${this.said(panel, i, j, k)}</td></tr>`);
    tip.innerHTML = `<b>${escaped(this.across(k))}</b><table><tbody>${rows.join("")}</tbody></table>`;
    const right = part.toX(set.values[k] * this.factor) > frame.width / 2;
    tip.style.left = right ? "0" : "auto";
    tip.style.right = right ? "auto" : "0";
  }

  across(k) {
    const { set, unit } = this;
    const value = Number((set.values[k] * this.factor).toPrecision(4));
    const own = withUnit(value, set.units[unit].unit);
    return `${own}${set.units[unit].symbol ? ` ${set.units[unit].symbol}` : ""}, ${set.packets[k]} packets`;
  }

  said(panel, i, j, k) {
    const digits = (value) => withUnit(Number(value.toPrecision(3)), panel.unit);
    const mean = panel.mean[i][j][k];
    if (mean === null) return "nothing seen";
    const low = panel.lower[i][j][k], high = panel.upper[i][j][k];
    return `${digits(mean)} <span>(${digits(low)} to ${digits(high)})</span>`;
  }

  tabulate() {
    if (!this.table.open) return;
    const { set } = this, head = set.panels.map((one) => `<th>${escaped(one.title)}</th>`).join("");
    const rows = this.shown.flatMap(({ i, j, name }) => set.values.map((_, k) =>
      `<tr><td>${escaped(name)}</td><td>${escaped(this.across(k))}</td>${set.panels.map((one) => `<td>${this.said(one, i, j, k)}</td>`).join("")}</tr>`));
    this.table.querySelector("div").innerHTML = `<table><thead><tr><th>flows</th><th>${escaped(set.axis)}</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  }
}

export function mountCurves(root, sets) {
  return new Curves(root, sets);
}
