"""The functions of the page: quantities as in Python, scales, ticks and paths, in node."""

import json
import math
from importlib.resources import files

import pytest

from longfat.base import quantities
from longfat.handbook.pages import EXPORT, IMPORT, MODULES
from tests.handbook import engine

pytestmark = engine.needs_node
FOLDER = files("longfat.handbook").joinpath("view")
DOMAIN = "[0, inf)"
READ = {
    "bytes/s": [
        "1 Gbit/s", "1Gbps", "150 Mb/s", "12.5MB/s", "10G", "10gbit", "10 gbps", "125000000 B/s", "3 KiB/s",
        "1 mb/s", "100", "5 ms", "1,5 Gbit/s", "10 Gbit", "", "fast", "-1 Mbit/s", "1 Mbit per second", "2 MBps",
    ],
    "s": ["100 ms", "0.1 s", "20us", "35 ms", "2 min", "1 h", "7 ns", "0.1", "100 MS", "1 kg", "-1 s", "80 msec"],
    "bytes": ["16 KiB", "16 kB", "16 KB", "12 Mbit", "16K", "1 GiB", "1500 B", "1500", "9000 bytes", "1 mb", "8 b"],
    "1": ["0.1%", "1e-4", "5 ppm", "0.5", "1 permille", "50 percent", "1 s", ".5", "1e999", "--1"],
}  # fmt: skip


def run(code):
    """Run code that sees the functions of the page's modules; return what it gives to ``show``."""
    texts = [IMPORT.sub("", FOLDER.joinpath(name).read_text(encoding="utf-8")) for name in MODULES]
    return engine.run("\n".join([*(EXPORT.sub("", text) for text in texts), code]))


def in_python(text, unit):
    try:
        return quantities.read("x", text, "probability" if unit == "1" else unit, DOMAIN)
    except ValueError:
        return None


def test_fields_read_what_python_reads():
    asked = [[text, unit] for unit, texts in READ.items() for text in texts]
    found = run(f"""
    const domain = "{DOMAIN}";
    show({json.dumps(asked)}.map(([text, unit]) => {{
      try {{ return parsed(text, {{ name: "x", unit, domain }}); }} catch (error) {{ return error.message; }}
    }}));""")
    for (text, unit), got in zip(asked, found, strict=True):
        expected = in_python(text, unit)
        if expected is None:
            assert isinstance(got, str), (text, unit, got)
            assert got.startswith("x = ")
            assert got.endswith(".")
        else:
            assert got == expected, (text, unit)  # to the last bit


def test_the_page_writes_what_python_writes():
    values = [0.1, 35e-3, 2.1, 1e-9, 0.0, 0.9999999, 31.25e6, 1.25e8, 16384.0, 1e10, 3.0, 123456.0, 2.0**21, 1e-4 / 3]
    asked = [[value, unit] for value in values for unit in ("bytes/s", "s", "bytes")]
    found = run(f"show({json.dumps(asked)}.map(([value, unit]) => quantity(value, unit)));")
    same = [quantities.text(*one) for one in asked]
    assert [float_text(one) for one in found] == [float_text(one) for one in same]


def float_text(text):
    """Return a quantity as number and unit, because 1e-05 and 1e-5 are the same."""
    number, _, unit = text.partition(" ")
    return float(number), unit


def test_nonsense_gets_a_sentence():
    letter = json.dumps({"name": "window", "unit": "segments", "domain": "[1, inf)", "integer": True})
    code = "show(['', 'abc', '1.5', '0', '3 packets', '1e400'].map((text) => {\n"
    code += f"try {{ return parsed(text, {letter}); }} catch (error) {{ return error.message; }} }}));"
    assert run(code) == [
        "window = nothing cannot be read: write a number of segments; it must be an integer in [1, inf).",
        "window = abc cannot be read: write a number of segments; it must be an integer in [1, inf).",
        "window = 1.5 is out of range: it must be an integer in [1, inf).",
        "window = 0 is out of range: it must be an integer in [1, inf).",
        "window = 3 packets has an unknown unit: write a number of segments; it must be an integer in [1, inf).",
        "window = 1e400 is out of range: it must be an integer in [1, inf).",
    ]


def test_numbers_are_written_for_reading():
    found = run("show([3e-7, 0.9626123, 4000, -0.5, 1e9, 0, Infinity, NaN].map((x) => shown(x)));")
    assert found == ["3×10⁻⁷", "0.962612", "4000", "−0.5", "10⁹", "0", "∞", "undefined"]  # noqa: RUF001


def test_scales_of_sliders():
    letter = {"name": "w", "unit": "1", "domain": "[1, inf)", "low": 1, "high": 4000, "logarithmic": True}
    code = f"const w = {json.dumps(letter)}; const at = positions(w, scaleOf(w));"
    code += "show([at.length, at[0], at[at.length - 1], at[nearest(at, 24, true)], scaleOf(w, 9000).high]);"
    assert run(code) == [88, 1, 4000, 23.2, 9000]  # as longfat.base.quantity, whose doctest has 88 and 23.2
    count = {"name": "n", "unit": "1", "domain": "[1, inf)", "low": 1, "high": 8, "integer": True}
    assert run(f"const n = {json.dumps(count)}; show(positions(n, scaleOf(n)));") == [1, 2, 3, 4, 5, 6, 7, 8]


def test_ticks_are_round():
    code = "show([[0, 1, false], [1e-6, 0.1, true], [3, 40, true], [1, 1e6, true]]"
    code += ".map(([low, high, logarithmic]) => ticks({ low, high, logarithmic }, 6)));"
    linear, decades, short, many = run(code)
    assert linear == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert decades == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1])
    assert short == [5, 10, 20]
    assert all(math.log10(x) % 1 == 0 for x in many)


def test_a_path_is_dotted_outside_the_validity_and_has_gaps():
    code = "const same = (x) => x;\n"
    code += "show([paths([0, 1, 2, 3], [5, 5, 5, 5], [true, true, false, false], same, same),\n"
    code += "paths([0, 1, 2, 3, 4], [5, 5, NaN, 5, 5], undefined, same, same)]);"
    partly, gap = run(code)
    assert partly["solid"] == "M0.0 5.0L0.0 5.0L1.0 5.0"
    assert partly["dotted"].startswith("M1.0 5.0L2.0 5.0")
    assert gap["solid"].count("M") == 2
    assert "2.0" not in gap["solid"]
    assert gap["dotted"] == ""


CURVES = """
const letter = { name: "x", unit: "1", domain: "[0, 1]", low: 0, high: 1 };
const scale = scaleOf(letter);
let evaluated = 0;
const view = {
  letters: [letter, letter], across: 0, values: [0.5, 0.5], family: { index: -1, values: [] }, law: {},
  controls: [{ scale }, { scale }], draw() { show([...first, counts(), evaluated]); },
  at(x) { evaluated += 1; for (const end = performance.now() + 1; performance.now() < end;); return x; } };
const curves = new Curves(view);
const counts = () => { const [one] = curves.now(); return [one.xs.length, one.ys.length, one.xs.at(-1)]; };
const first = [counts()];
view.values[0] = 0.25;
first.push(counts(), evaluated);
"""


def test_a_slow_law_has_few_points_until_nothing_moves():
    """At 1 ms for a value a picture has every 16th of 241 points, then all; another place on the x axis costs none."""
    assert run(CURVES) == [[16, 16, 1], [16, 16, 1], 16, [241, 241, 1], 241]
