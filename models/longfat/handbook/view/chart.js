// The chart: scales, curves and the picture as SVG text, which is written again for each change in a few milliseconds.

import { contains, power, PREFIXED, quantity, shown } from "./quantities.js";

const PER_DECADE = 24, LINEAR = 200;  // positions of sliders

// Range of a parameter on a slider or an axis, extended if needed to include a value.
export function scaleOf(letter, value = NaN) {
  const fits = Number.isFinite(value) && !(letter.logarithmic && value <= 0);
  return { low: fits ? Math.min(letter.low, value) : letter.low, high: fits ? Math.max(letter.high, value) : letter.high,
    logarithmic: Boolean(letter.logarithmic) };
}

export function spaced(scale, count) {
  const { low, high, logarithmic } = scale, found = [];
  for (let k = 0; k <= count; k++) {
    found.push(logarithmic ? low * (high / low) ** (k / count) : low + (high - low) * k / count);
  }
  found[count] = high;
  return found;
}

// Values of the positions of a slider: both ends, and round values between them.
export function positions(letter, scale) {
  const { low, high, logarithmic } = scale;
  const steps = logarithmic ? Math.ceil(PER_DECADE * Math.log10(high / low))
    : letter.integer ? Math.max(1, Math.min(LINEAR, Math.floor(high - low))) : LINEAR;
  const round = (x) => letter.integer ? Math.round(x) : Number(x.toPrecision(logarithmic ? 3 : 10));
  const inner = spaced(scale, steps).slice(1, -1).map(round).filter((x) => x > low && x < high);
  return [...new Set([low, ...inner, high])].filter((x) => contains(letter, x)).sort((a, b) => a - b);
}

// Values for a curve from end to end.
export function dense(letter, scale, count) {
  const found = spaced(scale, count).map((x) => letter.integer ? Math.round(x) : x);
  return [...new Set(found)].filter((x) => contains(letter, x));
}

export function nearest(values, value, logarithmic) {
  const far = (x) => logarithmic && x > 0 && value > 0 ? Math.abs(Math.log(x / value)) : Math.abs(x - value);
  let best = value > values[0] ? values.length - 1 : 0;  // also for infinity
  for (let k = 0; k < values.length; k++) if (far(values[k]) < far(values[best])) best = k;
  return best;
}

// Round values between two ends: in round steps, or powers of ten.
export function ticks({ low, high, logarithmic }, most) {
  if (logarithmic) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / most)), powers = [];
    for (let k = first; k <= last; k += every) powers.push(Number(`1e${k}`));
    if (powers.length >= 3 || high / low > 1e3) return powers;
    const fine = [];
    for (let k = first - 1; k <= last; k++) for (const m of [1, 2, 5]) fine.push(Number(`${m}e${k}`));
    const inside = fine.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9));
    if (inside.length >= 2) return inside;
  }
  const raw = (high - low) / Math.max(1, most - 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((one) => one >= raw * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// Scale of the y axis: logarithmic if the values span decades and all are positive, else linear, from 0 if 0 is near.
export function valueScale(values, wanted) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return { low: 0, high: 1, logarithmic: false };
  let low = Math.min(...finite), high = Math.max(...finite);
  const possible = low > 0 && high > low;
  const logarithmic = possible && (wanted === "logarithmic" || (wanted === "automatic" && high > 200 * low));
  if (logarithmic) return { low: low / (high / low) ** 0.03, high: high * (high / low) ** 0.03, logarithmic };
  if (low > 0 && low < 0.6 * high) low = 0;
  if (low === high) return { low: low - (Math.abs(low) || 1) / 2, high: high + (Math.abs(high) || 1) / 2, logarithmic };
  return { low, high: high + 0.04 * (high - low), logarithmic };
}

export function place({ low, high, logarithmic }, x) {
  return logarithmic ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
}

// Value at a share of the length of an axis.
export function valueAt({ low, high, logarithmic }, share) {
  return logarithmic ? low * (high / low) ** share : low + share * (high - low);
}

// SVG paths of the valid (solid) and the invalid (dotted) parts of a curve, interrupted where the curve has no value.
export function paths(xs, ys, valid, toX, toY) {
  const found = { solid: "", dotted: "" };
  let pen = "";
  for (let k = 0; k < xs.length; k++) {
    if (!Number.isFinite(ys[k])) { pen = ""; continue; }
    const kind = !valid || (valid[k] && (k === 0 || valid[k - 1] || pen === "")) ? "solid" : "dotted";
    const x = toX(xs[k]).toFixed(1), y = Math.max(-1e4, Math.min(1e4, toY(ys[k]))).toFixed(1);
    if (pen !== kind) {
      const last = k > 0 && pen !== "" ? `${toX(xs[k - 1]).toFixed(1)} ${toY(ys[k - 1]).toFixed(1)}` : `${x} ${y}`;
      found[kind] += `M${last}`;
      pen = kind;
    }
    found[kind] += `L${x} ${y}`;
  }
  return found;
}

const LEFT = 70, RIGHT = 14, TOP = 10, BOTTOM = 26;

export function frame(width) {
  const height = Math.round(Math.max(200, Math.min(440, width * 0.6)));
  return { width, height, left: LEFT, right: width - RIGHT, top: TOP, bottom: height - BOTTOM };
}


// Ticks with their labels. Ticks of rates are round values in bit/s, the unit of their labels. If all ticks are powers
// of ten and some are very small or large, all are written as powers.
function labelled(scale, unit, most) {
  const factor = unit === "bytes/s" ? 8 : 1, { low, high, logarithmic } = scale;
  const found = ticks({ low: low * factor, high: high * factor, logarithmic }, most);
  const round = logarithmic && found.every((one) => /^1e/.test(one.toExponential()));
  const powers = round && !PREFIXED.has(unit) && found.some((one) => one < 1e-4 || one >= 1e6);
  return found.map((one) => [one / factor, PREFIXED.has(unit) ? quantity(one / factor, unit) : powers ? power(one) : shown(one)]);
}

// The picture: `curves` have xs, ys, valid and a class; `bars` have x, mean, low, high; `mark` is the operating point.
export function drawn({ id, box, x, y, curves, bars, mark, xUnit, yUnit }) {
  const toX = (value) => box.left + (box.right - box.left) * place(x, value);
  const toY = (value) => box.bottom - (box.bottom - box.top) * place(y, value);
  const parts = [];
  for (const [one, label] of labelled(y, yUnit, 6)) {
    const at = toY(one).toFixed(1);
    if (at > box.bottom + 0.5 || at < box.top - 0.5) continue;
    parts.push(`<path class="grid" d="M${box.left} ${at}H${box.right}"/><text x="${box.left - 7}" y="${at}" dy="0.35em" ` +
      `text-anchor="end">${label}</text>`);
  }
  let end = -Infinity;
  for (const [one, label] of labelled(x, xUnit, Math.max(2, Math.floor(box.width / 85)))) {
    const at = toX(one), half = 4 * label.length;
    parts.push(`<path class="grid" d="M${at.toFixed(1)} ${box.top}V${box.bottom}"/>`);
    if (at - half < end) continue;  // no label over another one
    end = at + half + 4;
    const anchor = at + half > box.width ? "end" : "middle";
    parts.push(`<text x="${anchor === "end" ? box.width - 2 : at.toFixed(1)}" y="${box.bottom + 17}" text-anchor="${anchor}">${label}</text>`);
  }
  parts.push(`<path class="axis" d="M${box.left} ${box.top}V${box.bottom}H${box.right}"/>`);
  parts.push(`<clipPath id="${id}-inside"><rect x="${box.left - 5}" y="${box.top - 4}" width="${box.right - box.left + 10}" ` +
    `height="${box.bottom - box.top + 8}"/></clipPath><g clip-path="url(#${id}-inside)">`);
  const seen = Number.isFinite(toX(mark.x));  // 0 and infinity have no place on a logarithmic axis
  if (seen) {
    parts.push(`<path class="here" d="M${toX(mark.x).toFixed(1)} ${box.top}V${box.bottom}"/>`);
  }
  for (const { xs, ys, valid, kind } of curves) {
    const { solid, dotted } = paths(xs, ys, valid, toX, toY);
    if (solid) parts.push(`<path class="curve ${kind}" d="${solid}"/>`);
    if (dotted) parts.push(`<path class="curve ${kind} outside" d="${dotted}"/>`);
  }
  for (const one of bars) {
    const at = toX(one.x).toFixed(1);
    parts.push(`<path class="bar" d="M${at} ${toY(one.low).toFixed(1)}V${toY(one.high).toFixed(1)}"/>` +
      `<circle class="bar" cx="${at}" cy="${toY(one.mean).toFixed(1)}" r="3.5"/>`);
  }
  parts.push("</g>");
  if (seen && Number.isFinite(toY(mark.y))) {
    const at = toY(mark.y);
    if (at >= box.top - 5 && at <= box.bottom + 5) {
      parts.push(`<circle class="mark" cx="${toX(mark.x).toFixed(1)}" cy="${at.toFixed(1)}" r="5.5"/>`);
    }
  }
  return parts.join("");
}
