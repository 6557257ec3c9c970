"""Files of measurements made by tests, and a check of the line that refuses one."""

import json
import re

import pytest

from longfat import measured


@pytest.fixture
def written(tmp_path):
    """Return a function that writes text, bytes or JSON to a file, and returns its path."""

    def write(content, name="file"):
        path = tmp_path / name
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def read(written):
    """Return a function that gives the figures of text, bytes or JSON."""
    return lambda content: measured.read(written(content))


@pytest.fixture
def refused(written):
    """Return a function that checks that a content is refused by one line, with the file's name and some words."""

    def check(content, *words):
        path = written(content)
        with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: ") as caught:
            measured.read(path)
        assert type(caught.value) is ValueError
        message = str(caught.value)
        assert "\n" not in message
        assert all(one in message for one in words), message

    return check
