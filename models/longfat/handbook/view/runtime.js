const { abs, acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, exp, expm1, floor, log, log10, log1p, log2, max,
  min, sign, sin, sinh, sqrt, tan, tanh } = Math;
const power = (x, y) => x === 1 ? 1 : Math.pow(x, y);  // in JavaScript 1 to the power of infinity is NaN
const logaddexp = (x, y) => x === y ? x + Math.LN2 : max(x, y) + log1p(exp(-abs(x - y)));
const mod = (x, y) => { const rest = x % y; return rest !== 0 && (rest < 0) !== (y < 0) ? rest + y : rest; };
const round = (x) => { const up = Math.round(x); return up - x === 0.5 && up % 2 !== 0 ? up - 1 : up; };
function contains([, low, high, brackets, integer], x) {
  return (brackets[0] === "[" ? x >= low : x > low) && (brackets[1] === "]" ? x <= high : x < high) &&
    (!integer || x === floor(x));
}
function evaluate(law, values, face = "formula") {  // NaN outside the domain
  return law.parameters.every((one, k) => contains(one, values[k])) ? law[face](...values) : NaN;
}
