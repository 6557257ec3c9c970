"""Pages of laws, and texts and hashes made from their records: complete, the same every time, small."""

import re

import pytest

from docs.handbook import live, records
from docs.handbook.records import digest
from longfat.base import extras
from longfat.handbook import law_records, pages
from longfat.handbook.law_records import mathml
from longfat.law import Law
from longfat.laws.aqm import cake_target
from longfat.laws.loss_load import loss_probability, response_optimal_rate
from longfat.laws.queues import mm1_wait
from longfat.laws.selective_repeat import throughput_efficiency

pytestmark = pytest.mark.skipif(not extras.installed("docutils"), reason="docutils is not installed: make venv")
BUDGET = 400_000  # bytes


def test_values_that_json_lacks_are_texts():
    symbol = response_optimal_rate.symbols["access_rate"]
    assert law_records.parameter(response_optimal_rate, "access_rate", symbol)["start"] == "Infinity"
    assert 'access_rate=float("Infinity")' in records.python_call(response_optimal_rate)


def test_the_hash_follows_the_expression():
    assert digest(mm1_wait) == digest(mm1_wait)
    assert re.fullmatch("[0-9a-f]{10}", digest(mm1_wait))
    changed = Law(lambda load, *, xp: 2 * load / (1 - load), mm1_wait.symbols, "service times", "an example")
    assert digest(mm1_wait) != digest(changed)


def test_neighbours_name_each_other():
    near, inverse = records.neighbours(), "selective_repeat.window_for_efficiency"
    assert inverse in near["selective_repeat.throughput_efficiency"]
    assert "selective_repeat.throughput_efficiency" in near[inverse]


def test_bibtex_has_authors_title_and_year():
    text = records.bibtex(throughput_efficiency)
    assert "author = {F. Gong and G. Parulkar}" in text
    assert "title = {A Two-Level Flow Control Scheme for High Speed Networks}" in text
    assert "year = {1992}" in text
    assert all(text.count("{") == text.count("}") for text in map(records.bibtex, law_records.laws()))


def test_the_python_of_a_record_runs():
    scope = {}
    *lines, last = records.python_call(mm1_wait).splitlines()
    exec("\n".join(lines), scope)
    assert eval(last, scope) == 1.0  # rho/(1 - rho) at 1/2


def test_every_law_has_equations_that_can_be_typeset():
    for law in law_records.laws():
        assert law_records.equations(law), law.public_name
        for latex in law_records.equations(law):
            assert mathml(latex).startswith("<math")


def test_a_page_needs_nothing_else():
    text = pages.page(throughput_efficiency)
    assert text == pages.page(throughput_efficiency)
    assert len(text.encode()) < BUDGET / 4
    assert not re.findall(r'(?:src|href)="(?!data:|#|\.\./)[^"]*"', text)  # other pages are below the same folder
    assert not re.findall(r"url\((?!#)", text)
    assert not pages.IMPORT.search(text)


@pytest.mark.parametrize(
    ("law", "rows"),
    [
        (throughput_efficiency, [
            "<code>segment_packets</code></td><td>packets</td><td>integer, [1, inf)</td>",
            "<dt>Result</dt><dd>E [1]</dd>",
            '<dt>Source</dt><dd>F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme',
            "<dt>Accurate</dt><dd>within 0.03 where w_a s p^2 ≤ 0.02, w_a ≥ 20,",
            "<dt>As printed</dt><dd>the denominator of the third case has one term m more",
            'longfatView.served("../../../simulated")',
        ]),
        (loss_probability, [
            "<dt>Result</dt><dd>P [probability] never decreasing in f; 0 up to f = -a.",
            "<dt>Not simulated</dt><dd>the rule that the simulated switch computes itself</dd>",
        ]),
        (cake_target, ["<h2>What is known</h2>\n<p>Exact but for the rounding of Linux's integers. It exceeds 5 ms"]),
    ],
)  # fmt: skip
def test_a_page_says_what_is_known(law, rows):
    """Only a law with a simulator asks the server for points."""
    text = pages.texts([law], simulate="simulated")[f"{law_records.address(law)}index.html"]()
    assert [row for row in rows if row not in text] == []
    assert ("longfatView.served(" in text) == (law.simulated is not None)


def test_the_view_has_the_networks_of_the_papers():
    """150 Mbit/s, 20 ms: t_p = 54.61 us, t_a = 20 ms + 3 t_p, w_a = t_a/(16 t_p) = 23.08, W = 24 (w_a + 1, rounded)."""
    found = pages.for_view(throughput_efficiency)
    assert (found["unit"], found["result"], found["simulator"]) == ("1", "E", "segment_efficiency")
    first, other = (one["values"] for one in found["presets"])
    assert first == pytest.approx(
        {"window": 24, "loss": 1e-3, "segment_packets": 16, "ack_segments": 23.0757}, rel=1e-5
    )
    assert other["loss"] == 1e-4


def test_texts_are_escaped():
    law = Law(mm1_wait.function, mm1_wait.symbols, "</script>", "<script>alert(1)</script>")
    assert "<script>alert" not in pages.page(law)
    assert "</script>" not in pages.live(law).removesuffix("</script>\n").replace("</noscript>", "")


def test_one_script_for_a_site_is_within_the_budget_of_a_page():
    assert len(live.site_script(law_records.laws()).encode()) < 0.75 * BUDGET


@pytest.mark.long
def test_the_same_files_every_time(tmp_path):
    for name in ("one", "other"):
        pages.write(tmp_path / name)
    first, second = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("one", "other")
    )
    assert first == second
    assert len([path for path in first if path.name == "index.html"]) == len(law_records.laws()) + 1
    assert max(len(data) for path, data in first.items() if path.suffix == ".html") < BUDGET / 4
