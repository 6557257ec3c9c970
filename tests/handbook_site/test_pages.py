"""Every page of the repository, law, plug-in, fluid model, experiment and paper is in the handbook, and has content.

All tests that need the sources are in this file, because each process that runs one of them writes the sources.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs.handbook import __main__ as command
from docs.handbook import (
    api,
    experiments,
    finding,
    fluid_models,
    formulas,
    front,
    judged,
    law_pages,
    live,
    papers,
    plug_ins,
    proofs,
    questions,
    rules,
    simulated,
    sources,
    staging,
    traces,
)
from figures.claims import PAPERS
from longfat import benchmark, fluid
from longfat.handbook import law_records
from longfat.law import registered
from longfat.laws import queues as queue_laws
from longfat.sim import queues, schemes
from longfat.sim.services import SERVICES
from longfat.verify import simulators

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names(written):
    return set(written[1])


def below(names, folder):
    """Return the names between a folder and ``/index``."""
    found = (re.fullmatch(rf"{folder}/(.+)/index", name) for name in names)
    return {one[1] for one in found if one}


def test_a_page_for_each_law(names):
    laws = [law for _, law in registered()]
    found = {name for name in below(names, "laws") if "/" in name}
    assert found == {law.public_name.replace(".", "/") for law in laws}
    assert len(found) == len(laws) > 140


def test_a_page_for_each_plug_in(names):
    assert below(names, "schemes") == {*schemes.names()}
    assert below(names, "disciplines") == {one.name for one in queues.NAMED.values()}
    assert below(names, "services") == {one.name for one in SERVICES.values() if one is not None}


def test_a_page_for_each_model_experiment_and_paper(names):
    assert below(names, "fluid") == {name for name in fluid.__all__ if name in dir(fluid.systems)}
    assert below(names, "experiments") == {str(one.experiment) for one in benchmark.VARIANTS.values()}
    assert below(names, "papers") == {*PAPERS}


def test_every_simulator_names_its_plug_ins():
    known = {*schemes.names(), *queues.NAMED}
    assert set(judged.PLUG_INS) == set(simulators.SIMULATORS)
    assert {name for names in judged.PLUG_INS.values() for name in names} <= known


@pytest.mark.parametrize("kind", plug_ins.FOLDERS)
def test_every_plug_in_has_rules(kind):
    assert [name for name in plug_ins.records(kind) if not rules.about(kind, name)] == []


def test_a_law_page(written):
    folder, _ = written
    text = (folder / "laws" / "selective_repeat" / "throughput_efficiency" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Letters", "Where it holds"]
    folded = re.findall(r"<summary>([A-Z][^<]*)</summary>", text)
    assert {"As printed in its source", "Proof", "Simulator", "Neighbours"} <= {*folded}
    assert 'data-law="selective_repeat.throughput_efficiency"' in text


def test_a_scheme_page(written):
    folder, _ = written
    text = (folder / "schemes" / "cubic" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Parameters that matter"]
    shown = re.findall(r"^\| `(\w+)` \|", text.partition("<details")[0], re.MULTILINE)
    assert {"c", "beta"} <= {*shown}  # RFC 9438, section 5: C and beta_cubic
    assert not {"min_rto", "ack_delay"} & {*shown}


def test_a_question_is_one_screen(written):
    folder, _ = written
    for name, one in questions.stored().items():
        text = (folder / "questions" / f"{name}.md").read_text(encoding="utf-8")
        plain = re.sub(r"\(/[^)]*\)", "", one["text"])  # without addresses
        assert len(re.split(r"(?<=[.?]) +(?=[A-Z])", plain)) == 3, name
        assert len(one["text"].split()) < 110, name
        for part in ("Predict first.", "data-law=", "**Law:**", "**Notebook:**", "$ longfat "):
            assert part in text, (name, part)
        law = next(law for law in law_records.laws() if law.public_name == one["law"])
        at = dict(part.split("=") for part in one["at"].split("&") if part)
        assert {*at} <= {*law.symbols}, name
        assert all(law.symbols[key].interval.contains(float(value)) for key, value in at.items()), name


def test_the_numbers_of_the_questions():
    """Each is computed here as the laws' sources state them, not by the laws."""
    answers = {name: f"{one['text']} {one['answer']}" for name, one in questions.stored().items()}
    backlog = [7 / 9 * (1 + buffer) - 1 for buffer in (1, 4)]  # of the sawtooth, from one product on
    assert all(f"{one:.2f}" in answers["bigger-buffer"] for one in backlog)
    assert [round(40 * one) for one in backlog] == [22, 116]  # ms
    sent = (1.25**2 - 0.625**2) / 2  # while the window grows from half of 1 + B to 1 + B, for B = 1/4
    assert f"{sent / ((1 - 0.625) + (1.25**2 - 1) / 2):.3f}" in answers["how-much-buffer"]  # over the time it takes
    assert "375" in answers["which-window"]
    assert 150e6 * 0.020 / 8 / 1000 == 375
    assert "1/6" in answers["one-number"]


def test_the_first_page_shows_where_law_and_misprint_differ():
    name, at = front.SHOWN
    law = next(law for law in law_records.laws() if law.public_name == name)
    point = {key: float(value) for key, value in (part.split("=") for part in at.split("&"))}
    assert law(**point) - law.as_printed(**point) > 0.05


#: Sentences and their formulas by hand.
SENTENCES = {
    "It holds for w_a >= 3 s / 8.": "It holds for {w_{a} \\ge 3\\,s/8}.",
    "A drop in every I/sqrt(n) seconds": "A drop in every {I/\\sqrt{n}} seconds",
    "a rate of r^(1/4) and/or x-axis": "a rate of {r^{1/4}} and/or {x}-axis",
    "An M/D/1 queue [bytes/s^2]; `a <= b`": "An M/D/1 queue [bytes/s^2]; `a <= b`",
    "gains of 2 to 16 flows, 5-10 ms": "gains of 2 to 16 flows, 5-10 ms",
    "a share 2^-53 of rho*": "a share {2^{-53}} of {\\rho^*}",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_formulas_in_sentences(text):
    assert formulas.typeset(text, "xn", "{{{}}}".format) == SENTENCES[text]


def test_the_search_knows_kinds_and_words():
    assert finding.kind("docs/fairness") == "guide"
    assert ("rtt", "round-trip time") in finding.synonyms()
    words = [word for one in questions.stored().values() for word in one["also"]]
    assert len({*words}) == len(words)


@pytest.mark.parametrize("kind", plug_ins.FOLDERS)
def test_every_plug_in_has_a_setting_for_its_trace(kind, monkeypatch):
    """A tenth of a second tells whoever adds a plug-in that it needs more than the others."""
    monkeypatch.setattr(traces, "DURATION", 0.1)
    monkeypatch.setattr(traces, "svg", lambda time, panels, title, about: title)  # pictures take longer than runs
    draw = getattr(traces, f"of_{kind}")
    assert all(name in draw(name) for name in plug_ins.records(kind))


def test_values_and_slopes():
    """M/M/1: L = rho/(1 - rho) is 1 at 0.5, and its elasticity 1/(1 - rho) is 2 there."""
    text = law_pages.values(queue_laws.mm1_mean_number)
    assert "0.5: 1," in text
    assert text.rstrip().endswith("| 2.000 |")


def test_stored_points_are_those_of_laws():
    assert simulated.STORED.stat().st_size < 300_000
    assert {*simulated.stored()} <= {law.public_name for law in law_records.laws() if law.simulated}
    for name, rows in simulated.stored().items():
        places = [simulated.point_of(row)[row["across"]] for row in rows]
        assert len({*places}) == len(rows) >= 2, name
        assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows), name


def test_points_count_for_their_expression_alone(monkeypatch):
    law = queue_laws.mm1_wait
    assert simulated.points(law)["across"] == "load"
    assert "| load | law [service times] | simulated |" in simulated.of(law)
    changed = [row | {"digest": "0123456789"} for row in simulated.stored()[law.public_name]]
    monkeypatch.setattr(simulated, "stored", lambda: {law.public_name: changed})
    assert simulated.points(law) is None
    assert simulated.of(law) == ""


def test_verdicts_of_points_by_hand():
    """M/M/1: W = 1 at 1/2, and the record allows 5 %, that is 0.95 to 1.05."""
    row = {"at": "load=0.5", "mean": "1", "low": "0.96", "high": "1.04"}
    assert simulated.verdict(queue_laws.mm1_wait, row) == "within"
    assert simulated.verdict(queue_laws.mm1_wait, row | {"low": "0.94"}) == "undecided"
    assert simulated.verdict(queue_laws.mm1_wait, row | {"low": "1.06", "high": "1.1"}) == "outside"


@pytest.mark.long
def test_every_simulated_law_has_points_of_its_present_expression():
    """``python -m docs.handbook.simulated LAW`` stores new ones."""
    simulators = [law for law in law_records.laws() if law.simulated]
    assert [law.public_name for law in simulators if not simulated.rows_of(law)] == []


@pytest.mark.long
def test_stored_points_without_randomness_are_those_of_the_present_simulators():
    """Otherwise: ``python -m docs.handbook.simulated LAW``. The point with the fewest packets of each law is run."""
    stale = []
    for law in law_records.laws():
        simulator, rows = simulators.simulator_of(law), simulated.stored().get(law.public_name)
        if not simulator or not rows:
            continue
        single = {row["replications"] for row in rows} == {"1"}
        row = min(rows, key=lambda row: int(row["packets"]))
        if single is not simulator.deterministic or (single and row["mean"] != _simulated(simulator, row)):
            stale.append(law.public_name)
    assert stale == []


def _simulated(simulator, row):
    return f"{simulator(simulated.SEED, **simulated.point_of(row))[0]:.6g}"


def test_files_of_live_plots(tmp_path):
    """Sphinx's builder "dummy", of the test of all pages below, does not ask for them."""
    live._write(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html")))
    assert {path.name for path in tmp_path.iterdir()} == {"laws.mjs", "_static"}
    assert ".lf-view" in (tmp_path / "_static" / live.STYLES).read_text(encoding="utf-8")


def test_the_claims_of_a_proof():
    """`geometric_sums` has two checks in its text, and nothing below it."""
    assert len(proofs.step(proofs.start("queues.geometric_sums")).claims) == 2
    text = proofs.unfolding("queues.mm1k_wait")
    assert "no buffer, no wait" in text
    assert text.count("<details") == text.count("</details>")


def test_claims_are_those_of_the_scoreboard():
    """457 rows in all, as figures/scoreboard.md counts them."""
    assert sum(len(papers.claims(paper)) - 1 for paper in PAPERS) == 457
    assert papers.counts("000")["reproduced"] == 14


def test_results_of_an_experiment_are_complete():
    for number in experiments.numbers():
        for page in experiments.PAGES:
            assert "| scheme |" in experiments.results(page, number), (number, page)


def test_fluid_models_have_settings():
    assert set(fluid_models.SHOWN) == {*fluid_models.names()}


def test_packages_of_the_interface_exist():
    assert len({*api.PACKAGES}) == len(api.PACKAGES)
    assert len(sources.SECTIONS) == 6  # the head of a page has one line


def listed(folder):
    """Return the names in all tables of contents."""
    pages = (path.read_text(encoding="utf-8") for path in folder.rglob("*.md"))
    tables = (table for page in pages for table in re.findall(r"^```\{toctree\}\n(.*?)^```", page, re.S | re.M))
    return [line.lstrip("/") for table in tables for line in table.splitlines() if line.startswith("/")]


def test_every_page_of_the_repository_is_in_a_table_of_contents(written):
    folder, names = written
    assert sorted(listed(folder)) == sorted({*names} - {"index"})  # each once: a page has one place


def test_the_pages_are_those_of_the_repository():
    top = {path.name for path in ROOT.glob("*.md")}
    assert top <= {path.name for path in staging.pages()}
    assert set((ROOT / "docs").rglob("*.md")) <= {*staging.pages()}


def test_files_behind_links_come_along(written):
    folder, _ = written
    assert (folder / "docs" / "glossary.md").is_file()
    assert (folder / "tests" / "plugins" / "aimd.py").is_file()
    assert (folder / "figures" / "today" / "today_buffer.png").is_file()


def test_tables_of_contents_name_pages():
    groups = [*front.LOOKED_UP.values(), *(one["read"] for one in questions.stored().values())]
    own = ("api/", "reference/")  # generated
    assert all((ROOT / f"{name}.md").is_file() for names in groups for name in names if not name.startswith(own))


@pytest.mark.long  # half a minute for 700 pages; `make handbook` reads them, too
@pytest.mark.filterwarnings("ignore")  # of Sphinx and its extensions; what is wrong with a page fails the build
def test_sphinx_reads_all_pages_without_a_warning(written, tmp_path):
    """The builder "dummy" resolves all references and writes nothing; `make handbook` builds the site."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed: make venv")
    assert command.build(written[0], tmp_path / "site", tmp_path / "doctrees", "dummy") == 0
