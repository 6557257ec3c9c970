// Behaviour of the handbook's pages, without libraries: copy buttons, tables that are sorted and filtered, long names and
// formulas, search.
"use strict";

// What a reader wants of a block: the commands after its prompts, without what they print; the whole if it has no prompts.
function commands(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  for (const prompt of [/^(>>>|\.\.\.)( |$)/, /^\$ /]) {
    const found = lines.filter((line) => prompt.test(line));
    if (found.length) return found.map((line) => line.replace(prompt, "")).join("\n");
  }
  return lines.join("\n");
}

// Pages from the file system may have no clipboard; the old way needs a field.
function copyBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

// A button beside each block of code.
function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = commands(block.querySelector("pre").innerText);
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyBySelection(text);
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}

// The number at the beginning of a cell, for columns of numbers; NaN for words.
function leading(text) {
  return Number.parseFloat(text.replace(/^[^\d+\-.]*/, ""));
}

function compare(a, b) {
  const [x, y] = [leading(a), leading(b)];
  const numbers = !Number.isNaN(x) && !Number.isNaN(y) && /^[\d+\-.]/.test(a) && /^[\d+\-.]/.test(b);
  return numbers ? x - y : a.localeCompare(b, "en", { numeric: true });
}

// Sort a table by a column: up, then down.
function sortBy(table, column, head) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => (up ? 1 : -1) * compare(a.cells[column].textContent.trim(), b.cells[column].textContent.trim()));
  table.tBodies[0].append(...rows);
}

// Show the rows that contain every word.
function filter(table, words, counted) {
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  counted.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
  });
}

function addFilter(table) {
  const row = document.createElement("p");
  row.className = "filter";
  const label = document.createElement("label");
  label.textContent = "Filter ";
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "words in any column";
  const counted = document.createElement("output");
  label.append(field);
  row.append(label, " ", counted);
  (table.closest(".pst-scrollable-table-container") || table).before(row);
  field.addEventListener("input", () => filter(table, field.value.toLowerCase().split(/\s+/).filter(Boolean), counted));
  filter(table, [], counted);
}

// Long names in a text may go on in the next line after each of their words.
function allowBreaks(code) {
  const words = code.textContent.split(/(?<=[_.:/])(?=\w)/);
  if (words.length > 1) code.replaceChildren(...words.flatMap((word) => [document.createElement("wbr"), word]).slice(1));
}

// A formula that is wider than the page goes on in the next line before a relation or a term; what is still too wide is
// set smaller.
const BREAK = /^[=≤≥<>≈∝+−]$/;

function pieces(formula) {
  const found = [[]];
  let depth = 0;
  for (const one of [...formula.children]) {
    const text = one.localName === "mo" ? one.textContent : "", last = found[found.length - 1];
    if (BREAK.test(text) && depth === 0 && last.length) {
      one.setAttribute("form", "infix");
      found.push([one]);
    } else last.push(one);
    depth += /^[(\[{]$/.test(text) - /^[)\]}]$/.test(text);
    if (one.localName === "mspace" && depth === 0) found.push([]);  // the next equation
  }
  return found.filter((part) => part.length);
}

function fit(box) {
  if (!box.clientWidth) return;  // in what is folded
  box.style.fontSize = "";
  if (box.scrollWidth <= box.clientWidth) return;
  for (const formula of box.querySelectorAll(":scope > math")) {
    const parts = pieces(formula);
    if (parts.length < 2) continue;
    formula.replaceWith(...parts.flatMap((part) => {
      const made = formula.cloneNode(false), ended = part[part.length - 1].localName === "mspace";
      made.setAttribute("display", "inline");
      made.setAttribute("displaystyle", "true");
      made.append(...part.slice(0, part.length - ended));
      return ended ? [made, document.createElement("hr")] : [made];
    }));
  }
  for (let size = 0.95; size > 0.3 && box.scrollWidth > box.clientWidth; size -= 0.05) box.style.fontSize = `${size}em`;
}

// Search: the pages that Sphinx's index has, the questions and their guides first, each with its beginning. A page is
// found by its title, and by other words for its subject, if they have all words of the query; `longfatPages` has these.
const KINDS = { question: 60, guide: 30, notebook: 20, law: 8, scheme: 8, discipline: 8 };
const FILLERS = new Set("a an and are at be by can do does for from has have how i in is it much my need of on one or should than the to what when which who why with".split(" "));

function wordsOf(text) {
  const stemmer = new Stemmer();
  const all = text.toLowerCase().split(/[^\p{Letter}\p{Number}_]+/u).filter(Boolean);
  const kept = all.filter((word) => !FILLERS.has(word));
  return (kept.length ? kept : all).map((word) => stemmer.stemWord(word));
}

// What a query asks for: itself, and with each abbreviation of the glossary written out.
function askedFor(query) {
  const asked = [query.toLowerCase()];
  for (const [short, long] of longfatPages.synonyms) {
    const found = asked[0].replace(new RegExp(`(?<![\\w-])${short}(?![\\w-])`), long);
    if (found !== asked[0]) asked.push(found);
  }
  return asked.map(wordsOf);
}

// How well the names of a page answer: the part of its best name that the query has, if that name has the whole query.
function named(names, asked) {
  let best = 0;
  for (const name of names) {
    const words = wordsOf(name);
    for (const query of asked) {
      const whole = query.every((word) => words.some((one) => one.startsWith(word)));
      if (whole) best = Math.max(best, Math.min(1, query.length / words.length));
    }
  }
  return best;
}

function ranked(query, results) {
  const { docnames, titles } = Search._index, asked = askedFor(query), best = new Map();
  const add = (score, docname, title, anchor) => {
    const { kind = "", about = "" } = longfatPages.pages[docname] || {};
    const found = { score: score + (KINDS[kind] || 0), docname, title, anchor, kind, about };
    if (!best.has(docname) || best.get(docname).score < found.score) best.set(docname, found);
  };
  for (const [docname, title, anchor, , score] of results) add(score, docname, title, anchor);
  docnames.forEach((docname, k) => {
    const { also = [] } = longfatPages.pages[docname] || {}, share = named([titles[k], ...also], asked);
    if (share) add(60 + 60 * share, docname, titles[k], "");
  });
  const terms = longfatPages.terms.filter(({ names }) => named(names, asked) > 0.6);
  const words = terms.map(({ names, about, anchor }) => ({ score: 126, docname: "docs/glossary", title: names.join(", "), anchor, kind: "glossary", about }));
  return [...best.values(), ...words].sort((a, b) => b.score - a.score || a.title.localeCompare(b.title, "en"));
}

function showFound(query) {
  const parsed = Search._parseQuery(query), found = ranked(query, Search._performSearch(...parsed));
  for (const { docname, title, anchor, kind, about } of found.slice(0, 100)) {
    const row = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
    link.href = `${document.documentElement.dataset.content_root}${docname}${DOCUMENTATION_OPTIONS.LINK_SUFFIX}${anchor}`;
    link.textContent = title;
    text.textContent = about;
    row.append(link, kind ? ` ${kind}` : "", text);
    Search.output.append(row);
  }
  _finishSearch(found.length);
}

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search !== "undefined" && typeof longfatPages !== "undefined") Search.query = showFound;
  const sizes = new ResizeObserver((all) => all.forEach((one) => fit(one.target)));
  document.querySelectorAll("article div.math").forEach((one) => sizes.observe(one));
  document.querySelectorAll("article code > .pre, article summary > code").forEach(allowBreaks);
  document.querySelectorAll("article div.highlight").forEach(addCopyButton);
  for (const table of document.querySelectorAll("article table")) {
    if (!table.tHead || !table.tBodies.length || table.tBodies[0].rows.length < 8) continue;
    makeSortable(table);
    if (table.tBodies[0].rows.length >= 20) addFilter(table);
  }
});
