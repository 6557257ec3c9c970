"""Every law, plug-in, fluid model, experiment and paper has its page, and the pages have content."""

import re
from pathlib import Path

import pytest

from docs.handbook import (
    api,
    experiments,
    fluid_models,
    judged,
    law_pages,
    papers,
    plug_ins,
    proofs,
    ranking,
    rules,
    sources,
)
from longfat import benchmark, fluid, simulators
from longfat.handbook import records
from longfat.law import registered
from longfat.laws import queues as queue_laws
from longfat.sim import queues, schemes
from longfat.sim.services import SERVICES
from longfat.verify.published.claims_table import PAPERS

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


def test_every_law_is_in_the_python_interface(written):
    folder, _ = written
    text = "".join(path.read_text(encoding="utf-8") for path in (folder / "api").glob("longfat.laws.*.md"))
    listed = re.findall(r"\{py:function\} longfat\.laws\.([\w.]+)\(", text)
    assert sorted(listed) == sorted(law.public_name for _, law in registered())


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
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[:4] == ["Letters", "Where it holds", "As printed, which is wrong", "Source"]
    assert {"Proof", "Simulator", "Neighbours"} <= set(headings)
    assert 'data-law="selective_repeat.throughput_efficiency"' in text


def test_values_and_slopes():
    """M/M/1: L = rho/(1 - rho) is 1 at 0.5, and its elasticity 1/(1 - rho) is 2 there."""
    text = law_pages.values(queue_laws.mm1_mean_number)
    assert "0.5: 1," in text
    assert text.rstrip().endswith("| 2.000 |")


def test_neighbours_are_mutual():
    laws = records.laws()
    assert any(law_pages.used(law) for law in laws)
    efficiency = next(one for one in laws if one.name == "throughput_efficiency")
    assert efficiency not in law_pages.used(efficiency)


def test_the_claims_of_a_proof():
    """`geometric_sums` has two checks in its text, and nothing below it."""
    assert proofs.count("queues.geometric_sums") == 2
    text = proofs.unfolding("queues.mm1k_wait")
    assert "no buffer, no wait" in text
    assert text.count("<details") == text.count("</details>")


def test_rows_of_the_standard_experiments():
    """The first row of CUBIC in figures/today_tables.md: 766 ms, rank 1 of 7."""
    label, values, rank, page = ranking.rows()["cubic"][0]
    assert (label, values.split(";")[0], rank, page) == (
        "Experiment 1: slow changes in cross traffic", "transfer time 766", "1 of 7", "today_tables",
    )  # fmt: skip


def test_claims_are_those_of_the_scoreboard():
    """393 rows in all, as figures/scoreboard.md counts them."""
    assert sum(len(papers.claims(paper)) - 1 for paper in PAPERS) == 393
    assert papers.counts("000")["reproduced"] == 15


def test_results_of_an_experiment_are_complete():
    for number in experiments.numbers():
        for page in experiments.PAGES:
            assert "| scheme |" in experiments.results(page, number), (number, page)


def test_fluid_models_have_settings():
    assert set(fluid_models.SHOWN) == {*fluid_models.names()}


def test_packages_of_the_interface_exist():
    assert len({*api.PACKAGES}) == len(api.PACKAGES)
    assert len(sources.SECTIONS) == 7
