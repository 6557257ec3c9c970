"""Files that are no measurements, and measurements that were cut off: one clear line each."""

from __future__ import annotations

import json
import os
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import measured
from longfat.measured import fields
from tests.examples import examples

DATA = Path(__file__).parents[1] / "data"
FILES = [
    *sorted(path for path in (DATA / "measured").iterdir() if path.suffix not in (".md", ".toml")),
    DATA / "ping.txt",
]
GOOD = [path for path in FILES if path.name not in ("truth.json", "none.ping", "unreachable.ping", "tbf-before.tc")]


def said(path, *parts):
    """Assert that the file is refused by one line, which begins with its name and contains the parts; return it."""
    try:
        measured.read(path)
    except ValueError as error:
        message = str(error)
    else:
        message = f"{path}: "
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert all(part in message for part in parts), message
    return message.removeprefix(f"{path}: ")


def png():
    """Return a picture of one pixel."""
    raw = zlib.compress(b"\0\0")
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU\0\0\0\x0aIDAT" + raw


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is empty"),
        (b" \n\n", "the file is blank"),
        (png(), "binary"),
        (b"\xff\xfe\xfd", "neither UTF-8"),
        (b"hello, world\n", "is of no known kind: must be the output of iperf3 --json"),
        (b'{"a": 1}', "is JSON of no known kind: must be"),
        (b"[]", "is JSON of no known kind"),
        (b'{"start": {}, "end": {}}\n' * 2, "holds 2 runs, must hold one"),
        (b"[1, 2]", "is JSON of no known kind"),
        (b'{"a": 1', "is damaged JSON (line 1"),
        (b"[" * 100_000, "is damaged JSON"),
        (b"\x1f\x8b\x08\0", "is damaged (gzip): was it cut off?"),
        (b"Connecting to host 10.0.0.1, port 5201\n", "has no summary of iperf3, whose last line"),
        (b"qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p\n", "must be the output of tc -s qdisc"),
        (b"cwnd:10 rtt:1/1", "holds no socket"),
        ((DATA / "iperf3_tcp.json").read_bytes() * 2, "the file goes on after the end of its JSON (line "),
    ],
)
def test_foreign_files(refused, content, part):
    refused(content, part)


def test_directories_absent_files_and_pipes(tmp_path):
    said(tmp_path, "Is a directory")
    said(tmp_path / "absent", "No such file")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    said(pipe, "not a regular file")  # and does not wait for a writer
    with pytest.raises(ValueError, match="files is empty: must be one or more"):
        measured.read()
    run = DATA / "ping.txt"  # a second run would narrow the intervals
    with pytest.raises(ValueError, match=r"ping\.txt: the file is given 2 times, must be given once"):
        measured.read(run, run.parent / "measured" / ".." / "ping.txt")


def test_json_of_too_many_values(refused, monkeypatch):
    # each "{}" takes 72 bytes of memory: 198 MB of them took 4.8 GB
    monkeypatch.setattr(fields, "MOST_VALUES", 1000)
    # 1 list, 600 objects, 599 commas
    refused(f"[{','.join(['{}'] * 600)}]", "has up to 1200 values", "must have at most 1000")
    refused("cwnd:1 rtt:1/1" + "\n" * 1001, "has 1001 lines, must have at most 1000")


@pytest.mark.parametrize("name", ["clean-1.json", "clean.ss", "idle.ping", "tbf.tc", "ndt7-client.jsonl"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_texts_that_other_programs_have_written_anew(tmp_path, name, encoding):
    """PowerShell marks UTF-8, and redirects output as UTF-16 with a mark and with the line ends of Windows."""
    text = (DATA / "measured" / name).read_text()
    path = tmp_path / name
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + text.replace("\n", "\r\n").encode(encoding))
    assert measured.read(path) == measured.read(DATA / "measured" / name)


@pytest.mark.parametrize(
    ("name", "old", "new", "part"),
    [
        ("clean-1.json", '"tcp_mss_default":\t1448', '"tcp_mss_default":1e308', "tcp_mss_default"),
        ("clean-1.json", '"tcp_mss_default":\t1448', '"tcp_mss_default":1e-300', "tcp_mss_default"),
        ("clean-1.json", '"retransmits":\t', '"retransmits":1e200, "x":', "retransmits"),
        ("clean.ss", "bytes_acked:", "bytes_acked:" + "9" * 400, "bytes_acked = inf is out of range"),
        ("tbf.tc", "(dropped ", "(dropped " + "9" * 400, "qdisc tbf"),
        ("tbf.tc", " pkt (dropped ", "9" * 400 + " pkt (dropped ", "qdisc tbf"),
        ("idle.ping", "min/avg/max/mdev = ", "min/avg/max/mdev = " + "9" * 400, "round-trip time = inf"),
    ],
)
def test_numbers_of_more_than_64_bits(refused, name, old, new, part):
    text = (DATA / "measured" / name).read_text()
    assert old in text
    refused(text.replace(old, new), part)


def test_a_line_of_colons_or_digits_is_searched_once(refused):
    for text in ("1 1 " + ":" * 200_000 + "\n\t cwnd:1 rtt:1/1\n", "PING " + "9" * 200_000):
        refused(text)


def test_a_huge_file(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    said(path, "binary")
    with path.open("r+b") as file:
        file.write(b'{"start": 1}' + b" " * 70_000)
    said(path, "must have at most")


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_cut_files(tmp_path, path):
    content = path.read_bytes()
    cut = tmp_path / path.name
    for share in (0.02, 0.3, 0.5, 0.9):
        cut.write_bytes(content[: int(share * len(content))])
        # Samples and packets that are whole still count, and a remark says so; JSON has no meaning in part.
        if not said(cut):
            assert path.suffix != ".json"
            assert path.suffix == ".tc" or any("cut off" in one for one in measured.read(cut).remarks)


NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
HOSTILE = [b"0", b"-1", b"9" * 20, b"9" * 400, b"9" * 5000, b"1e300", b"1e-300", b"1e999", b"null", b"{}", b'"x"', b"."]


@st.composite
def damaged(draw, content):
    """A file that is cut off, or with a few bytes, a number or a part of it replaced, removed or repeated."""
    at = draw(st.integers(0, len(content)))
    kind = draw(st.sampled_from(["cut", "bytes", "number", "removed", "repeated"]))
    if kind == "cut":
        return content[:at]
    if kind == "bytes":
        return content[:at] + draw(st.binary(max_size=4)) + content[at + draw(st.integers(0, 4)) :]
    if kind == "number":
        found = NUMBER.search(content, at) or NUMBER.search(content)
        return content[: found.start()] + draw(st.sampled_from(HOSTILE)) + content[found.end() :] if found else content
    part = content[at : at + draw(st.integers(1, 2000))]
    return content[:at] + (part + part if kind == "repeated" else b"") + content[at + len(part) :]


@examples(30, long=20_000)
@given(st.data())
def test_any_cut_or_damage_is_read_or_refused(tmp_path_factory, data):
    path = data.draw(st.sampled_from(GOOD))
    cut = tmp_path_factory.getbasetemp() / f"damaged-{path.name}"
    cut.write_bytes(data.draw(damaged(path.read_bytes())))
    said(cut)


def test_json_of_a_wrong_shape(refused):
    whole = json.loads((DATA / "measured" / "clean-1.json").read_text())
    for wrong in (7, [None], [{"streams": 3}], [{"streams": [{"end": "x"}]}], [{"streams": [{"end": 1}]}]):
        refused(whole | {"intervals": wrong}, "intervals")
