"""CUBIC, DCTCP, BBR version 1, CoDel, FQ-CoDel and PIE here and in ns-3, with the same rules (docs/peers.md).

Goodput, loss and queue agree within 5 %, or the 95 % confidence interval of the difference reaches 5 %: with four runs
of 30 s of a few flows, losses have intervals of 5 to 10 %.
"""

import pytest

from docs import peers
from tests.benchmarks import today
from tests.test_peers import has_ns3


@pytest.mark.long
@pytest.mark.skipif(not has_ns3(), reason="ns-3's wheel, of the extra `peers`, is not installed")
@pytest.mark.parametrize(("scheme", "discipline"), [("cubic", "drop-tail"), ("dctcp", "step-marking")])
def test_one_product_of_buffer(capsys, scheme, discipline):
    """At a buffer of one bandwidth-delay product."""
    rows = today.compare(scheme, discipline, (1,), {}, {}, today.SAME)
    for quantity in ("goodput", "loss", "queue"):
        here, there = ([float(row[quantity]) for row in rows if row["simulator"] == name] for name in ("here", "ns-3"))
        if sum(there) == 0.0:
            assert sum(here) == 0.0
            continue
        *_, difference, width, verdict = peers.compared(here, there)
        with capsys.disabled():
            print(f"\n    {scheme}, {discipline}: {quantity} {100 * difference:+.1f} +- {100 * width:.1f} %", end="")
        assert verdict != "**differs**"


def test_verdicts():
    """Means 1 and 1.02 are within 5 %; 1.2 differs if the values are sharp, and is undecided if they are not."""
    assert peers.compared([1.0, 1.0], [1.02, 1.02])[-1] == "within"
    assert peers.compared([1.2, 1.2], [1.0, 1.0])[-1] == "**differs**"
    assert peers.compared([1.1, 1.3], [1.0, 1.0])[-1] == "undecided"  # half-width 12.7 * 0.1


def test_page_is_that_of_the_stored_numbers():
    """docs/peers.md is what `python -m docs.peers` writes."""
    assert (peers.HERE / "peers.md").read_text() == peers.page()
