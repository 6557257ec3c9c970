// Numbers and quantities as text: parsing of what a reader types into a field, and formatting of what the page shows.
// The units and spellings are those of longfat.quantities, which says why some are refused ("1 mb/s", "16K").

const NUMBER = "[+-]?(?:[0-9]{1,40}(?:\\.[0-9]{0,40})?|\\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?";
const TEXT = new RegExp(`^(${NUMBER})\\s*(.*)$`);
const DECIMAL = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12, p: 1e15 };
const BINARY = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const SECONDS = { s: 1, sec: 1, second: 1, ms: 1e-3, msec: 1e-3, us: 1e-6, usec: 1e-6, "µs": 1e-6, "μs": 1e-6, ns: 1e-9,
  nsec: 1e-9, min: 60, minute: 60, h: 3600, hour: 3600, day: 86400 };
const SHARES = { "%": 1e-2, percent: 1e-2, permille: 1e-3, ppm: 1e-6 };
export const PREFIXED = new Set(["s", "bytes/s", "bytes"]);  // units that are shown with prefixes
const EXAMPLES = { "bytes/s": "1 Gbit/s or 125 MB/s", s: "100 ms", bytes: "16 KiB or 16 kB", probability: "0.1%" };

function bytes(unit) {  // in one unit of data
  const found = unit.match(/^(?:([kKMGTP])|([KMGT]i))?(?:B|[Bb]ytes?|octets?)$/);
  if (found) return found[2] ? BINARY[found[2]] : DECIMAL[(found[1] || "").toLowerCase()];
  const bits = unit.match(/^([kmgt])?bits?$/i) || unit.match(/^([kKMGTP])?b$/);
  return bits ? DECIMAL[(bits[1] || "").toLowerCase()] / 8 : undefined;
}

function factor(unit, wanted) {  // of the wanted unit in one of the given unit; undefined if it is none
  if (wanted === "s") return SECONDS[unit];
  if (wanted === "bytes") return bytes(unit);
  if (wanted === "bytes/s") {
    const short = unit.match(/^([kmgtKMGT])?(?:bps|[Bb][Ii][Tt][Ss]?|Bps)?$/);  // 1 gbps, 10gbit, 10G
    if (short && unit !== "") return DECIMAL[(short[1] || "").toLowerCase()] / (unit.endsWith("Bps") ? 1 : 8);
    const [size, ...per] = unit.split(/\s*\/\s*|\s+per\s+/);
    return per.length === 1 && SECONDS[per[0]] === 1 ? bytes(size) : undefined;
  }
  if (wanted === "1" || wanted === "probability") return SHARES[unit];
  return unit === wanted || unit + "s" === wanted ? 1 : undefined;
}

export function interval(domain) {
  const [, left, low, high, right] = domain.match(/^([[(])\s*(\S+)\s*,\s*(\S+)\s*([\])])$/);
  const end = (text) => text.endsWith("inf") ? (text[0] === "-" ? -Infinity : Infinity) : Number(text);
  return { low: end(low), high: end(high), closed: [left === "[", right === "]"] };
}

export function contains(letter, x) {
  const { low, high, closed } = interval(letter.domain);
  return (closed[0] ? x >= low : x > low) && (closed[1] ? x <= high : x < high) &&
    (!letter.integer || x === Math.floor(x));
}

// Return a parameter's value from a text; the message of the error for an invalid text is a sentence for the reader.
export function parsed(text, letter) {
  const { name, unit } = letter;
  const given = text.trim(), units = unit === "1" || unit === "probability" ? "" : ` ${unit}`;
  const allowed = `${letter.integer ? "an integer in " : "in "}${letter.domain}${letter.integer ? "" : units}`;
  const example = EXAMPLES[unit] ? `write e.g. ${EXAMPLES[unit]}` : `write a number${units && ` of${units}`}`;
  const refuse = (why) => new Error(`${name} = ${given || "nothing"} ${why}: ${example}; it must be ${allowed}.`);
  let value;
  if (/^[+-]?(inf|infinity|∞)$/i.test(given)) value = given[0] === "-" ? -Infinity : Infinity;
  else {
    const found = given.match(TEXT);
    if (!found) throw refuse("cannot be read");
    if (found[2] === "" && EXAMPLES[unit] && unit !== "probability") throw refuse("has no unit");
    if (unit === "bytes" && /^[kmgt]$/i.test(found[2])) throw refuse("has an ambiguous unit");
    const scale = found[2] === "" ? 1 : factor(found[2], unit);
    if (scale === undefined) throw refuse("has an unknown unit");
    // Dividing by the inverse of a small unit rounds once: 35 ms is 35/1000, the float nearest to 0.035.
    value = scale < 1 ? Number(found[1]) / Math.round(1 / scale) : Number(found[1]) * scale;
  }
  if (!contains(letter, value)) throw new Error(`${name} = ${given} is out of range: it must be ${allowed}.`);
  return value;
}

// Return a number with six digits in a form that can be typed: 0.001, 3e-7.
export function plain(value, digits = 6) {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value), rounded = Number(value.toPrecision(digits));
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return rounded.toExponential().replace("e+", "e");
  return String(rounded);
}

// Return a number in a form for reading: 3×10⁻⁷, ∞.
export function shown(value, digits = 6) {
  const text = plain(value, digits), [mantissa, exponent] = text.split("e");
  if (text.endsWith("inf")) return text.replace("inf", "∞");
  if (exponent === undefined || text === "undefined") return text.replace("-", "−");
  return mantissa === "1" ? power(value) : `${mantissa.replace("-", "−")}×${power(value)}`;
}

// Return the power of ten of a number: 10⁻⁷.
export function power(value) {
  const exponent = value.toExponential().split("e")[1].replace("+", "");
  return "10" + [...exponent].map((one) => one === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[one]).join("");
}

function prefixed(value, unit, prefixes) {
  value = Number(value.toPrecision(6));
  const [scale, prefix] = prefixes.find((one) => Math.abs(value) >= one[0]) || prefixes[prefixes.length - 1];
  if (value === 0) return `0 ${unit}`;
  return `${plain(value / scale)} ${prefix}${unit}`;
}

const LARGE = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
const SMALL = [[1, ""], [1e-3, "m"], [1e-6, "u"], [1e-9, "n"]];

// Return a quantity with an engineering prefix, which can be typed in again; "1" and counts are numbers.
export function quantity(value, unit) {
  if (!Number.isFinite(value)) return plain(value);
  if (unit === "bytes/s") return prefixed(8 * value, "bit/s", LARGE);
  if (unit === "s") return prefixed(value, "s", SMALL);
  if (unit !== "bytes") return plain(value);
  const decimal = prefixed(value, "B", LARGE);
  for (const [prefix, scale] of Object.entries(BINARY).reverse()) {
    if (value && value % scale === 0 && value < 1e4 * scale) {
      const binary = `${value / scale} ${prefix}B`, exact = Number(value.toPrecision(6)) === value;
      return exact && decimal.length < binary.length ? decimal : binary;
    }
  }
  return decimal;
}

// Return a value with its unit, for reading.
export function withUnit(value, unit) {
  if (PREFIXED.has(unit)) return quantity(value, unit).replace("inf", "∞");
  return unit === "1" || unit === "probability" ? shown(value) : `${shown(value)} ${unit}`;
}

const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Return a text for HTML.
export function escaped(text) {
  return text.replace(/[&<>"]/g, (one) => MARKUP[one]);
}
