// Files that the browser writes of what a view shows: picture as SVG or PNG, numbers as CSV, call in Python.

import { escaped } from "./quantities.js";

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin"];
const HEAD = 26, LINE = 20, WIDE = 7;  // height of a line of text, width of a letter [px]

// Copy computed styles to the elements, because a saved file does not contain the style sheet of the page.
function styled(source, copy) {
  const style = getComputedStyle(source);
  if (source.tagName !== "g" && source.tagName !== "svg") for (const name of KEPT) copy.style.setProperty(name, style.getPropertyValue(name));
  copy.removeAttribute("class");
  for (let k = 0; k < source.children.length; k++) styled(source.children[k], copy.children[k]);
}

// The picture with labels and legend, as the text of an SVG file.
export function pictured(view) {
  const { box } = view.shown, entries = [...view.legend.children], ink = getComputedStyle(view.root);
  const copy = view.picture.cloneNode(true);
  styled(view.picture, copy);
  const text = (x, y, words, more = "") => `<text x="${x}" y="${y}" fill="${ink.color}"${more}>${escaped(words)}</text>`;
  const parts = [text(8, 18, view.yLabel.textContent), `<g transform="translate(0 ${HEAD})">${copy.innerHTML}</g>`];
  let y = HEAD + box.height + 14, x = box.left;
  parts.push(text((box.left + box.right) / 2, y, view.labels.x, ' text-anchor="middle"'));
  y += LINE + 4;
  for (const entry of entries) {
    const line = entry.querySelector("svg").cloneNode(true), words = entry.textContent, width = 52 + WIDE * words.length;
    styled(entry.querySelector("svg"), line);
    if (x > box.left && x + width > box.width) { x = box.left; y += LINE; }
    parts.push(`<g transform="translate(${x} ${y - 10})">${line.innerHTML}</g>${text(x + 36, y, words)}`);
    x += width;
  }
  if (entries.length) y += LINE;
  parts.push(text(box.left, y, `${view.record.id}: ${view.labels.at}`, ' font-size="11"'));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${y + 12}" viewBox="0 0 ${box.width} ${y + 12}" ` +
    `font-family="sans-serif" font-size="13"><title>${escaped(view.picture.getAttribute("aria-label"))}</title>` +
    `<rect width="100%" height="100%" fill="${ink.backgroundColor}"/>${parts.join("")}</svg>`;
}

// The picture as PNG, at twice its size.
export async function painted(view) {
  const image = new Image(), text = pictured(view);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

// The numbers as CSV: a row for each point of each curve, then one for each simulated point, with all parameters.
export function tabled(view) {
  const { letters, across, family, record, law } = view, name = record.id.split(".").pop();
  const head = (name, unit) => unit === "1" ? name : `${name} [${unit}]`, own = (name) => head(name, record.unit);
  const columns = [...letters.map((one) => head(one.name, one.unit)), own(name), ...(law.printed ? [own("as_printed")] : []),
    ...(law.valid ? ["valid"] : []), ...["simulated", "simulated_lower", "simulated_upper"].map(own)];
  const rows = [];
  for (const { xs, value, kind } of view.curves) {
    if (kind === "printed") continue;
    for (const x of xs) {
      const at = view.values.slice();
      at[across] = x;
      if (value !== undefined) at[family.index] = value;
      rows.push([...at, law.formula(...at), ...(law.printed ? [law.printed(...at)] : []), ...(law.valid ? [law.valid(...at)] : []), "", "", ""]);
    }
  }
  for (const one of view.barsShown().sort((a, b) => a.x - b.x)) {
    const at = view.values.slice();
    at[across] = one.x;
    rows.push([...at, "", ...(law.printed ? [""] : []), ...(law.valid ? [""] : []), one.mean, one.low, one.high]);
  }
  const shown = (x) => Number.isNaN(x) ? "" : x === Infinity ? "inf" : x === -Infinity ? "-inf" : String(x);
  return [columns, ...rows].map((row) => row.map(shown).join(",")).join("\n") + "\n";
}

// The operating point as a call in Python.
export function called(view) {
  const text = (x) => Number.isFinite(x) ? String(x) : `float("${x > 0 ? "inf" : "-inf"}")`;
  const given = view.letters.map((one, k) => `${one.name}=${text(view.values[k])}`).join(", ");
  return `import longfat as lf\n\nprint(lf.laws.${view.record.id}(${given}))\n`;
}

export const FILES = {
  SVG: ["svg", async (view) => new Blob([pictured(view)], { type: "image/svg+xml" })],
  PNG: ["png", painted],
  CSV: ["csv", async (view) => new Blob([tabled(view)], { type: "text/csv" })],
  Python: ["py", async (view) => new Blob([called(view)], { type: "text/x-python" })],
};

export async function save(view, kind) {
  const [ending, made] = FILES[kind], link = document.createElement("a");
  link.href = URL.createObjectURL(await made(view));
  link.download = `${view.record.id.split(".").pop()}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
