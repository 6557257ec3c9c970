"""Sources of the handbook, written once without computed results."""

import pytest

from docs.handbook import sources


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handbook") / "source"
    return folder, sources.write(folder, computed=False)
