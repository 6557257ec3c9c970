"""Every scheme, discipline, service and law names a source that a reader can look up."""

import re

import pytest

from longfat import law
from longfat.base import discovery
from longfat.sim import queues, schemes, services

RFC = r"\bRFC \d{3,4}\b"
#: A name, and a year somewhere after it.
AUTHOR_AND_YEAR = r"(?s)\b[A-Z][a-z]+.*\b(19[5-9]\d|20[0-4]\d)\b"
REPORT = r"\b[A-Z]{2,}(-[A-Z]{2,})*-\d{2}-\d+\b|\bReport \d{2}-\d+\b"
#: With a reason, or with the document whose assumptions are used.
OURS = r"^[Oo]urs\b[,:]? \w+( \S+){2,}"
#: Pages of the project explain rules; they are no source.
OWN_PAGE = r"\w\.(md|rst|txt)\b"


def can_be_looked_up(source: str) -> bool:
    """Return whether a source names an RFC, an author with a year or a report number, or says why it is ours."""
    named = any(re.search(pattern, source) for pattern in (RFC, AUTHOR_AND_YEAR, REPORT, OURS))
    return named and not re.search(OWN_PAGE, source)


def laws() -> dict[str, law.Law]:
    for package in list(discovery.modules("longfat.laws")):
        if hasattr(package, "__path__"):
            list(discovery.modules(package.__name__))
    return {name: one for name, one in law.registered() if name.startswith("longfat.laws.")}


def sources():
    """Return all schemes, disciplines, services and laws, by kind and name."""
    found = {f"scheme {name}": schemes.scheme(name) for name in schemes.names()}
    found |= {f"discipline {name}": one for name, one in queues.NAMED.items()}
    found |= {f"service {name}": one for name, one in services.SERVICES.items() if one is not None}
    return found | {f"law {name}": one for name, one in laws().items()}


def test_every_source_can_be_looked_up():
    found = {name: one.source for name, one in sources().items() if not can_be_looked_up(one.source)}
    assert not found, (
        f"these sources name no RFC, no author with a year and no report number: {found}. Give a full reference "
        "(authors, title, venue, year, section), or 'Ours, because ...'"
    )


def test_there_are_sources_of_every_kind():
    kinds = [name.split()[0] for name in sources()]
    assert all(kinds.count(kind) > 5 for kind in ("scheme", "discipline", "service", "law"))


@pytest.mark.parametrize(
    ("source", "good"),
    [
        ("RFC 5681 (2009), TCP Congestion Control, section 3.1", True),
        ("V. Jacobson, Congestion Avoidance and Control, Proc. ACM SIGCOMM 1988", True),
        ("Gong & Parulkar, WUCS-92-38, section 3.3", True),
        ("Kim & Farber, MS-CIS-94-55, section 3.3", True),
        ("Ours, because cross traffic does not react to congestion", True),
        ("Ours, for the network of Gong & Parulkar, figure 4", True),
        ("", False),
        ("ours", False),
        ("Prithviraj & Williamson, section 2.2", False),
        ("section 3 (1988)", False),
        ("rule 4", False),
        ("notes.md 11.1", False),
        ("V. Jacobson, SIGCOMM 1988; notes.md 1.3", False),
    ],
)
def test_the_check_can_fail(source, good):
    assert can_be_looked_up(source) is good
