"""Files that are no measurements, and measurements that were cut off: one clear line each."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import measured
from tests.examples import examples

DATA = Path(__file__).parents[1] / "data"
FILES = [
    *sorted(path for path in (DATA / "measured").iterdir() if path.suffix not in (".md", ".toml")),
    DATA / "ping.txt",
]
GOOD = [path for path in FILES if path.name not in ("truth.json", "none.ping", "unreachable.ping", "tbf-before.tc")]


def refused(path, *parts):
    message = said(path)
    assert message.startswith(f"{path}: ")
    for part in parts:
        assert part in message


def said(path):
    """Return the message if the file is refused, which is one line that begins with its name."""
    try:
        measured.read(path)
    except ValueError as error:
        message = str(error)
    else:
        return ""
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def png():
    """Return a picture of one pixel."""
    raw = zlib.compress(b"\0\0")
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU\0\0\0\x0aIDAT" + raw


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_whole_files_are_read(path):
    assert measured.read(path).remarks


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is empty"),
        (b" \n\n", "nothing but blanks"),
        (png(), "binary"),
        (b"\xff\xfe\xfd", "not UTF-8"),
        (b"hello, world\n", "is of no known kind: must be the output of iperf3 --json"),
        (b'{"a": 1}', "is JSON of no known kind: must be"),
        (b"[]", "is JSON of no known kind"),
        (b"[1, 2]", "is JSON of no known kind"),
        (b'{"a": 1', "is damaged JSON (line 1"),
        (b"[" * 100_000, "is damaged JSON"),
        (b"\x1f\x8b\x08\0", "is compressed (gzip): decompress it first"),
        (b"Connecting to host 10.0.0.1, port 5201\n", "has no summary of iperf3, whose last line"),
        (b"qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p\n", "must be the output of tc -s qdisc"),
        (b"cwnd:10 rtt:1/1", "holds no socket"),
        ((DATA / "iperf3_tcp.json").read_bytes() * 2, "is damaged JSON"),
    ],
)
def test_foreign_files(tmp_path, content, part):
    path = tmp_path / "file"
    path.write_bytes(content)
    refused(path, part)


def test_what_is_no_file(tmp_path):
    refused(tmp_path, "Is a directory")
    refused(tmp_path / "absent", "No such file")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(pipe, "not a regular file")  # and does not wait for a writer
    with pytest.raises(ValueError, match="no file was given"):
        measured.read()


def test_a_huge_file(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    refused(path, "binary")
    with path.open("r+b") as file:
        file.write(b'{"start": 1}' + b" " * 70_000)
    refused(path, "must have at most")


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_cut_files(tmp_path, path):
    content = path.read_bytes()
    cut = tmp_path / path.name
    for share in (0.02, 0.3, 0.5, 0.9):
        cut.write_bytes(content[: int(share * len(content))])
        # Samples and packets that are whole still count; JSON has no meaning in part.
        assert said(cut) or path.suffix != ".json"


@examples(60)
@given(st.data())
def test_any_cut_or_damage_is_read_or_refused(tmp_path_factory, data):
    path = data.draw(st.sampled_from(GOOD))
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content)))
    damaged = content[:at] + data.draw(st.binary(max_size=4)) + content[at + data.draw(st.integers(0, 4)) :]
    if data.draw(st.booleans()):
        damaged = content[:at]
    cut = tmp_path_factory.mktemp("damaged") / path.name
    cut.write_bytes(damaged)
    said(cut)


def test_json_of_a_wrong_shape(tmp_path):
    whole = json.loads((DATA / "measured" / "clean-1.json").read_text())
    path = tmp_path / "run.json"
    for wrong in (7, [None], [{"streams": 3}], [{"streams": [{"end": "x"}]}], [{"streams": [{"end": 1}]}]):
        path.write_text(json.dumps(whole | {"intervals": wrong}))
        refused(path, "intervals")
