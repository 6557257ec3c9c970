"""Reader of crusader's result files (.crr): rates and round-trip times of a path.

The format is that of src/crusader-lib/src/file_format.rs, versions 1 and 2: a header of two numbers of 64 bits, little
endian, and a MessagePack map in Snappy's framing format (framing_format.txt and format_description.txt of
github.com/google/snappy). Checksums are not compared.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from longfat.measured.fields import LONGEST_TEXT, MOST_VALUES, Field, opened
from longfat.measured.figures import Measurement
from longfat.measured.loaded import measurement

KIND = "crusader"
MAGIC = struct.pack("<Q", 0x5372AB82AE7C59CB)  # protocol.rs, MAGIC
VERSIONS = (1, 2)
BLOCK = 65536  # bytes; largest uncompressed size of a chunk (Snappy's framing_format.txt)
STEP = 0.1  # s; our choice. Each stream has its own sampling times, so the sum is of values interpolated at this step
DAMAGED = "the file of crusader is damaged: was it cut off?"


def looks_like(head: bytes) -> bool:
    """Return whether the first bytes of a file are the magic number of crusader."""
    return head.startswith(MAGIC)


def read(path: str) -> Measurement:
    """Read the rates of the download, or of the upload if there is no download, and the test's round-trip times."""
    data = opened(path, LONGEST_TEXT).read_bytes()
    try:
        (version,) = struct.unpack_from("<Q", data, len(MAGIC))
        if version not in VERSIONS:
            raise ValueError(f"the file is of version {version} of crusader's format, must be 1 or 2")
        content = _MessagePack(unframed(data[16:])).value()
    except (IndexError, struct.error, RecursionError, UnicodeDecodeError, TypeError):
        raise ValueError(DAMAGED) from None
    file = Field(path, "", content)
    groups = file["stream_groups"].elements()
    one_way = {bool(one["download"].value): one for one in groups if not one["both"].value}
    group = one_way.get(True) or one_way.get(False)
    if group is None:
        raise ValueError("the file holds no test of one direction: run crusader test --download")
    direction = "download" if group["download"].value else "upload"
    trips = [
        (_seconds(one["sent"]), _seconds(one["latency"]["total"]))
        for one in file["pings"].elements()
        if one["latency"].value is not None and one["latency"]["total"].value is not None
    ]
    if not trips:
        raise ValueError("the file holds no round-trip time")
    return measurement(path, KIND, direction, _rates(group), trips, [])


def _seconds(field: Field) -> float:
    """Return a duration [s] that the file stores as a map or a list of seconds and nanoseconds."""
    listed = field.elements() if isinstance(field.value, list) else [field["secs"], field["nanos"]]
    if len(listed) != 2:
        raise ValueError(f"{field.path}: {field.name} holds {len(listed)} numbers, must hold seconds and nanoseconds")
    return listed[0].number("s", "[0, inf)") + listed[1].number("ns", "[0, 1e9)") * 1e-9


def _rates(group: Field) -> list[tuple[float, float]]:
    """Return times [s] and the total rate of all streams [bytes/s], from the bytes counted since each stream began."""
    streams = []
    for stream in group["streams"].elements():
        points = [
            (_seconds(one["time"]), one["bytes"].number("bytes", "[0, inf)")) for one in stream["data"].elements()
        ]
        streams.append(np.array(sorted(points)))
    begin, end = min(one[0, 0] for one in streams), max(one[-1, 0] for one in streams)
    if not (count := int((end - begin) / STEP)):
        return []
    if count > MOST_VALUES:
        raise ValueError(
            f"stream_groups has times from {begin:g} s to {end:g} s, must span at most {MOST_VALUES * STEP:g} s"
        )
    times = begin + STEP * np.arange(count + 1)
    total = sum(np.interp(times, one[:, 0], one[:, 1]) for one in streams)
    return list(zip((times[1:] - STEP / 2).tolist(), (np.diff(total) / STEP).clip(0.0).tolist(), strict=True))


def unframed(data: bytes) -> bytes:
    """Return the uncompressed data of a file in Snappy's framing format.

    >>> unframed(bytes.fromhex("ff060000734e61507059 01070000 00000000 616263"))
    b'abc'
    """
    made, at = bytearray(), 0
    while at < len(data):
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "little")
        chunk, at = data[at + 4 : at + 4 + size], at + 4 + size
        if len(chunk) < size or 0x02 <= kind <= 0x7F:
            raise ValueError(DAMAGED)
        if kind <= 0x01:  # the data follows a checksum of four bytes
            made += chunk[4:] if kind else uncompressed(chunk[4:])
        if len(made) > LONGEST_TEXT:
            raise ValueError(f"the uncompressed file must have at most {LONGEST_TEXT} bytes")
    return bytes(made)


def uncompressed(data: bytes) -> bytes:
    """Return the data of a block that Snappy has compressed.

    >>> uncompressed(bytes.fromhex("08 04 6162 1502"))  # two literal bytes, and a copy of nine of them: too many
    Traceback (most recent call last):
    ...
    ValueError: the file of crusader is damaged: was it cut off?
    """
    at = size = shift = 0
    more = 0x80
    while more & 0x80:
        more = data[at]
        size, at, shift = size | (more & 0x7F) << shift, at + 1, shift + 7
    made = bytearray()
    while at < len(data) and size <= BLOCK:
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                wide = length - 59
                length, at = int.from_bytes(data[at : at + wide], "little"), at + wide
            made += data[at : at + length + 1]
            at += length + 1
        else:
            wide = (1, 2, 4)[(tag & 3) - 1]
            offset, length = int.from_bytes(data[at : at + wide], "little"), 1 + (tag >> 2)
            if wide == 1:
                offset, length = offset | (tag >> 5) << 8, 4 + (tag >> 2 & 7)
            at += wide
            if not 0 < offset <= len(made):
                raise ValueError(DAMAGED)
            for _ in range(length):  # byte by byte, because a copy may overlap its own output
                made.append(made[-offset])
        if len(made) > size:
            break
    if len(made) != size:
        raise ValueError(DAMAGED)
    return bytes(made)


#: First byte of a MessagePack value -> struct format of the number that follows it (`NUMBERS`), or size [bytes] of the
#: length field of bytes, text, a list or a map (`LENGTHS`).
NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i",
    0xD3: ">q",
}  # fmt: skip
LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}


class _MessagePack:
    """Decoder of the MessagePack types that serde writes."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.values = data, 0, 0

    def value(self) -> Any:
        """Decode the value at the current position, and move the position to the end of the value."""
        self.values += 1
        if self.values > MOST_VALUES:
            raise ValueError(f"the file has more than {MOST_VALUES} values, the most allowed")
        kind = self.data[self.at]
        self.at += 1
        if kind <= 0x7F:
            return kind
        if kind >= 0xE0:
            return kind - 0x100
        if kind in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[kind]
        if kind in NUMBERS:
            (found,) = struct.unpack_from(NUMBERS[kind], self.data, self.at)
            self.at += struct.calcsize(NUMBERS[kind])
            return found
        if kind <= 0x8F:
            return self._map(kind & 0x0F)
        if kind <= 0x9F:
            return [self.value() for _ in range(kind & 0x0F)]
        if kind <= 0xBF:
            return self._taken(kind & 0x1F).decode()
        if kind not in LENGTHS:
            raise ValueError(DAMAGED)
        length = int.from_bytes(self._taken(LENGTHS[kind]), "big")
        if kind >= 0xDE:
            return self._map(length)
        if kind >= 0xDC:
            return [self.value() for _ in range(length)]
        return self._taken(length).decode() if kind >= 0xD9 else self._taken(length)

    def _map(self, length: int) -> dict[Any, Any]:
        return {self.value(): self.value() for _ in range(length)}

    def _taken(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        self.at += size
        if len(taken) < size:
            raise ValueError(DAMAGED)
        return taken
