// Functions that create elements of the page and format texts in them.

import { escaped, PREFIXED } from "./quantities.js";

const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", lambda: "λ", mu: "μ", pi: "π", rho: "ρ", varphi: "φ",
  Theta: "Θ", tau: "τ", sigma: "σ", theta: "θ", phi: "φ", epsilon: "ε", eta: "η" };

export const letters = (latex) => latex.replace(/\\([A-Za-z]+)/g, (all, name) => GREEK[name] || name).replace(/[{}\\]/g, "");
export const words = (name) => name.replace(/_/g, " ");
export const raised = (text) => text.replace(/\^(\d)/g, (all, digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);  // units such as s^2
export const unnamed = (unit) => unit === "1" || unit === "probability" || PREFIXED.has(unit);  // the last have it at each value
export const bracketed = (text, unit) => unnamed(unit) ? text : `${text} [${raised(unit)}]`;
// A letter as HTML, from text such as W_max or x(t)^2.
export const indexed = (text) => escaped(text).replace(/\b[A-Za-z]+(?![A-Za-z])/g, (name) => GREEK[name] || name).replace(/_\{?(\w+)\}?/g, "<sub>$1</sub>").replace(/\^([\w*]+)/g, "<sup>$1</sup>");

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
