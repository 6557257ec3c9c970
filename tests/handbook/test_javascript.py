"""The laws in JavaScript against Python, in node; and recorded operations of the tracer against NumPy."""

import math
import re

import numpy as np
import pytest

from docs.handbook.records import function
from longfat.handbook import javascript
from longfat.handbook.javascript import body
from longfat.handbook.trace import traced
from longfat.law import Law, Symbol, registered
from longfat.laws.queues import mm1_wait
from longfat.laws.selective_repeat import throughput_efficiency
from longfat.verify.high_precision import beside, error, exact
from longfat.verify.points import everywhere
from tests.examples import is_long
from tests.handbook.engine import evaluated, needs_node

LAWS = {one.public_name: one for _, one in registered()}
TOLERANCE = 1e-11  # relative
RESERVED = frozenset((
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements",
    "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with",
    "yield",
))  # fmt: skip


def columns(law, points):
    return {name: np.array([one[name] for one in points]) for name in law.symbols}


def disagreements(law, points, values, face="formula"):
    """Return the points at which JavaScript and Python differ, with both values and the error.

    Where they differ mpmath decides. A value between those of the neighbouring points, at which one argument differs in
    its last places, is right: floats do not tell on which side of a jump they are.
    """
    record = law.as_printed if face == "printed" else law
    found = []
    for point, got, expected in zip(points, values, np.asarray(record(**columns(law, points))), strict=True):
        off = plainly(got, float(expected))
        if off <= TOLERANCE:
            continue
        off = min(off, error(got, exact(record, point)))
        if off > TOLERANCE:
            around = [float(exact(record, one)) for one in (point, *beside(record, point))]
            off = error(got, min(max(around), max(min(around), got)))
        if not off <= TOLERANCE:
            found.append((point, got, float(expected), off))
    return found


def plainly(got, expected):
    """Return the relative difference of two floats; infinite where only one of them is NaN, infinite or 0."""
    if got == expected or (math.isnan(got) and math.isnan(expected)):
        return 0.0
    return abs(got - expected) / abs(expected) if expected and math.isfinite(got - expected) else math.inf


@needs_node
def test_all_laws_agree_with_python():
    """At every corner and end of every parameter, and at points between; printed expressions and conditions, too."""
    whole = javascript.module()
    count = 1000 if is_long() else 4
    points = {name: everywhere(law, count, seed=1) for name, law in LAWS.items()}
    faces = [("formula", name) for name in LAWS]
    faces += [("printed", name) for name, law in LAWS.items() if law.has_printed]
    faces += [("valid", name) for name, law in LAWS.items() if law.validity]
    assert len(faces) > len(LAWS) > 140
    values = evaluated(*((whole, name, face, points[name]) for face, name in faces))
    for (face, name), found in zip(faces, values, strict=True):
        law = LAWS[name]
        if face == "valid":
            assert found == list(law.validity(**columns(law, points[name]))), name
        else:
            assert disagreements(law, points[name], found, face) == [], (name, face)


@needs_node
def test_the_comparison_finds_an_error_in_one_operator():
    points = {name: everywhere(LAWS[name], 4, seed=1) for name in ("queues.mm1_wait", "selective_repeat.mean_rounds")}
    right = javascript.module(LAWS[name] for name in points)
    sign = right.replace("load / (1 - load)", "load / (1 + load)")
    digits = right.replace("log1p, log2", "log2").replace("const mod", "const log1p = (x) => log(1 + x);\nconst mod")
    assert len({right, sign, digits}) == 3
    requests = [(text, name, "formula", points[name]) for text in (right, sign, digits) for name in points]
    wrong = [
        len(disagreements(LAWS[name], points[name], values))
        for (_, name, _, _), values in zip(requests, evaluated(*requests), strict=True)
    ]
    assert wrong[:2] == [0, 0]
    assert wrong[2] > 0  # the sign, in mm1_wait
    assert wrong[5] > 0  # log(1 + x) for log1p(x), in mean_rounds


def test_the_ends_of_a_domain():
    made = [
        javascript._parameter("x", Symbol("x", "1", domain, typical=(0.1, 0.9))) for domain in ("(0, 1]", "[0, inf)")
    ]
    assert made == ['["x", 0, 1, "(]", false]', '["x", 0, Infinity, "[)", false]']


@needs_node
def test_outside_the_domain_is_nan():
    outside = [{"load": x} for x in (-1e-9, 1.0, math.inf, math.nan)]
    window = {"window": 24.0, "loss": 1e-4, "segment_packets": 16.5, "ack_segments": 23.0}
    whole = javascript.module([mm1_wait, throughput_efficiency])
    single, several, inside = evaluated(
        (whole, "queues.mm1_wait", "formula", outside),
        (whole, "selective_repeat.throughput_efficiency", "formula", [window, window | {"segment_packets": 16.0}]),
        (whole, "queues.mm1_wait", "formula", [{"load": 0.0}, {"load": 0.5}]),
    )
    assert np.isnan(single).all()
    assert np.isnan(several).tolist() == [True, False]  # segments have an integer number of packets
    assert inside == [0.0, 1.0]


def remainder(x, y, *, xp):
    return x % (y - 4) + 10 * xp.round(x) + 100 * xp.floor(y)


def powers(x, y, *, xp):
    infinite = xp.where(x > 0, 1, xp.nan) ** xp.where(y > 5, xp.inf, y)
    return x**2 + x**0.5 + xp.power(x, y) + xp.log2(1 + 2**y) + infinite


def exponentials(x, y, *, xp):
    return xp.logaddexp(x, y) + xp.logaddexp(x, x) + xp.expm1(-x) + xp.tanh(y) + xp.sign(x - y) + abs(-x) - -y


def conditions(x, y, *, xp):
    inside = xp.logical_and(x > 1, xp.logical_not(y > 3)) | xp.not_equal(x, x)
    return xp.piecewise(
        lambda: x - y, (inside, lambda: xp.where(x > 2, x * y, xp.sqrt(x))), (x < y, lambda: xp.nan * x)
    )


def loops(x, y, *, xp):
    """Repeat a step that contains a loop, a case, and numbers that it does not change."""

    def step(i, total, factor, count):
        (inner,) = xp.repeat(3, lambda j, t: (t / 2 + i * j + xp.sqrt(factor),), total)
        return xp.where(i > 2, inner, total + factor * xp.exp(factor)), factor, count + 1

    total, factor, count = xp.repeat(5, step, x, y, 0 * x)
    return total + factor * count


def search(x, y, *, xp):
    def more(count, low, high, target):
        return (high - low > 1e-9) & (count < 90)

    def halve(count, low, high, target):
        middle = (low + high) / 2
        above = middle * middle > target
        return count + 1, xp.where(above, low, middle), xp.where(above, middle, high), target

    count, low, high, _ = xp.iterate(more, halve, 0 * x, 0 * x, 9 + 0 * x, xp.clip(x, 0.25, y + 2))
    return high + 1e-3 * count + xp.minimum(low, 0 * low)


def vectors(x, y, *, xp):
    places = xp.reshape(xp.arange(1, 8, dtype=x.dtype), (-1,) + (1,) * x.ndim)
    chances = xp.exp(-places * x) * xp.cumulative_prod(
        xp.concat([xp.ones_like(x)[None, ...], y / places[1:, ...]], axis=0), axis=0
    )
    tail = xp.flip(xp.cumulative_sum(xp.flip(chances, axis=0), axis=0), axis=0)
    moved = chances[1:, ...] * x
    rest = xp.concat([moved[2:, ...], xp.zeros_like(moved[:2, ...])], axis=0)
    kept = xp.where(places > y, tail, 0 * tail)
    return xp.sum(kept, axis=0) + tail[2, ...] * x + 3 * rest[4, ...] + xp.sum([moved[5, ...], y])


MADE = (remainder, powers, exponentials, conditions, loops, search, vectors)


@needs_node
def test_operations_of_laws_agree_with_numpy():
    x, y = Symbol("x", "1", "[0, 6]", (0, 6)), Symbol("y", "1", "[0, 6]", (0, 6))
    points = [{"x": a, "y": b} for a in (0.0, 0.5, 1.0, 1.5, 2.5, 3.25, 6.0) for b in (0.0, 0.5, 1.0, 2.0, 3.5, 6.0)]
    records = [Law(one, {"x": x, "y": y}, "1", "an example") for one in MADE]
    whole = javascript.module(records)
    values = evaluated(*((whole, one.public_name, "formula", points) for one in records))
    for record, found in zip(records, values, strict=True):
        assert disagreements(record, points, found) == [], record.name


def test_an_operation_is_computed_once():
    text = body(traced(conditions, ["x", "y"], xp=javascript.Tracing))
    assert text.count("x > 1") == 1


def test_constants_of_a_loop_are_computed_before_it():
    text = body(
        traced(lambda x, *, xp: xp.repeat(9, lambda i, t: (t + xp.sin(x) * i,), x)[0], ["x"], xp=javascript.Tracing)
    )
    assert text.index("sin(x)") < text.index("for (")


def test_conditions_are_no_python_conditions():
    with pytest.raises(TypeError, match=r"write xp.where"):
        traced(lambda x: 1 if x > 0 else 2, ["x"])
    with pytest.raises(AttributeError, match=r"xp.gamma does not exist"):
        traced(lambda x, *, xp: xp.gamma(x), ["x"], xp=javascript.Tracing)
    with pytest.raises(TypeError, match="computes with numbers"):
        traced(lambda x: x + "1", ["x"])


def test_the_module_is_written_the_same_every_time_and_is_small():
    written = javascript.module()
    assert written == javascript.module()
    assert 50_000 < len(written) < 150_000  # bytes; all characters are ASCII
    assert written.isascii()


def test_parameters_have_names_that_javascript_allows():
    assert not {name for law in LAWS.values() for name in (*law.symbols, law.name)} & RESERVED
    assert not {name for law in LAWS.values() for name in law.symbols if re.fullmatch(r"[ait]\d*", name)}


@needs_node
def test_copied_functions_need_nothing_else():
    """One for each helper that the module has and Math has not, and one without any."""
    copied = {name: function(law) for name, law in LAWS.items()}
    helpers = ("const power", "const logaddexp", "const round", "const { ")
    names = [next(name for name, text in copied.items() if helper in text) for helper in helpers]
    entries = ",\n".join(f'"{name}": {{ formula: {copied[name]} }}' for name in names)
    evaluate = "const evaluate = (law, values) => law.formula(...values);\nexport { laws, evaluate };\n"
    points = {name: everywhere(LAWS[name], 4, seed=2) for name in names}
    whole = f"const laws = {{\n{entries},\n}};\n{evaluate}"
    for name, values in zip(names, evaluated(*((whole, name, "formula", points[name]) for name in names)), strict=True):
        assert disagreements(LAWS[name], points[name], values) == [], name
