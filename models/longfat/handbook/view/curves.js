// The curves of a view, evaluated at as many points as time allows, and at all points when nothing changes.

import { dense } from "./chart.js";

const POINTS = 240, STEPS = [16, 8, 4, 2, 1];  // of a curve: first every 16th point, then every 8th, ...
const SLOW = 9, CALM = 250, SLICE = 5;  // time for the curves of a picture; without a change before the others; for some of them [ms]

// Whether a point is one of every `step` points; both ends always are.
const stands = (k, step, xs) => k % step === 0 || k === xs.length - 1;

function thinned(curve, step) {
  const keep = (values) => values && values.filter((_, k) => stands(k, step, curve.xs));
  return step === 1 ? curve : { ...curve, xs: keep(curve.xs), ys: keep(curve.ys), valid: keep(curve.valid) };
}

export class Curves {
  constructor(view) {
    Object.assign(this, { view, key: "", kept: [], calm: 0 });
  }

  // The curves of the picture, whose values are not computed yet.
  planned() {
    const { view } = this, { index, values } = view.family, letter = view.letters[view.across];
    const xs = dense(letter, view.controls[view.across].scale, POINTS), others = index < 0 ? [] : values.filter((one) => one !== view.values[index]);
    const curves = [undefined, ...others].map((value, k) => ({ xs, ys: [], valid: view.law.valid && [], face: "formula",
      kind: `c${k}`, fixed: value, value: index < 0 ? undefined : k ? value : view.values[index] }));
    if (view.law.printed) curves.push({ xs, ys: [], face: "printed", kind: "printed" });
    return curves;
  }

  // Evaluate curves at every `step`-th point; yield after each evaluation.
  * filled(curves, step) {
    for (const one of curves) {
      for (let k = 0; k < one.xs.length; k++) {
        if (one.ys[k] !== undefined || !stands(k, step, one.xs)) continue;
        one.ys[k] = this.view.at(one.xs[k], one.fixed, one.face);
        if (one.valid) one.valid[k] = this.view.law.valid(...this.view.placed(one.xs[k], one.fixed));
        yield;
      }
    }
  }

  // The curves with as many points as time allows; the other points follow when nothing changes. If only the operating
  // point moves along the curves, they are not computed again.
  now() {
    const { view } = this, { low, high } = view.controls[view.across].scale, { index, values } = view.family;
    const key = [view.across, low, high, index, ...values, "", ...view.values.map((one, k) => k === view.across ? "" : one)].join();
    if (key === this.key) return this.kept;
    const begun = performance.now(), curves = this.planned();
    let last;
    for (const step of STEPS) {
      for (const _ of this.filled(curves, step));
      last = step;
      if (2 * (performance.now() - begun) > SLOW) break;  // the next step takes as long as all before it
    }
    clearTimeout(this.calm);
    if (last > 1) this.calm = setTimeout(() => this.refine(curves), CALM);
    this.key = key;
    this.kept = curves.map((one) => thinned(one, last));
    return this.kept;
  }

  // Evaluate the other points in slices of time, between which events of keys and pointers are handled, and draw them.
  refine(curves) {
    const work = this.filled(curves, 1);
    const slice = () => {
      const end = performance.now() + SLICE;
      while (performance.now() < end) if (work.next().done) { this.kept = curves; this.view.draw(); return; }
      this.calm = setTimeout(slice);
    };
    slice();
  }

  end() {
    clearTimeout(this.calm);
  }
}
