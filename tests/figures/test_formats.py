"""Packets of SSTP in bytes: laid out by hand, given back by the decoder, and refused when damaged."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.gong_parulkar.formats import TYPES, Packet, bitmap, decode, encode, requested

#: Data packet of figure 5 by hand; the sum of its words is 0x041a, and the complement of that 0xfbe5.
DATA = Packet("data", 7, 9, segment=2, number=3, body=b"\x01\x02\x03")
HEX = "00000007000000000000000900020003010203000003fbe5"


def test_layout_of_a_data_packet():
    assert 7 + 9 + 2 + 3 + 0x0102 + 0x0300 + 3 == 0xFFFF - 0xFBE5
    assert encode(DATA).hex() == HEX
    assert decode(bytes.fromhex(HEX)) == DATA


packets = st.builds(
    lambda kind, limit, body, **more: Packet(
        kind, limit=limit if kind in TYPES[3:] else 0, body=body if kind in ("data", "snak") else b"", **more
    ),
    kind=st.sampled_from(TYPES), limit=st.integers(0, 2**32 - 1), body=st.binary(max_size=100),
    connection=st.integers(0, 2**32 - 1), sequence=st.integers(0, 2**32 - 1), segment=st.integers(0, 65535),
    number=st.integers(0, 65535),
)  # fmt: skip


@given(packets, st.data())
def test_packets_come_back_and_damaged_ones_do_not(packet, data):
    sent = encode(packet)
    assert decode(sent) == packet
    bit = data.draw(st.integers(0, 8 * len(sent) - 1))
    damaged = bytearray(sent)
    damaged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="the packet is damaged"):
        decode(bytes(damaged))
    with pytest.raises(ValueError, match=r"size of the packet|damaged|does not fit|needs the upper limit"):
        decode(sent[: data.draw(st.integers(0, len(sent) - 1))])


def with_checksum(text):
    """Return the bytes of words in hexadecimal, with the checksum that makes them pass."""
    data = bytes.fromhex(text)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return data + (0xFFFF - total).to_bytes(2, "big")


HEAD = "00000007 0000 0000 00000009 0002 0003"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("00000007 0005 0000 00000009 0002 0003 0000", r"type = 5 is out of range: must be .*\[0, 4\]"),
        ("00000007 0000 0001 00000009 0002 0003 0000", "reserved field = 1 is out of range"),
        ("00000007 0003 0000 00000009 0002 0003 0000", "a packet of type 3 needs the upper limit of the window"),
        (f"{HEAD} 01020300 0005", "size of data or bitmap = 5 bytes does not fit a packet of 24 bytes"),
        (f"{HEAD} 01020304 0003", "does not fit a packet of 24 bytes"),  # a byte that does not count is not 0
        ("00000007 0001 0000 00000009 0002 0003 01020304 0004", "kind 'keep-alive' has neither data nor a bitmap"),
    ],
)
def test_packets_that_pass_the_checksum_and_are_none(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        decode(with_checksum(text))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "nack"}, "kind 'nack' is unknown"),
        ({"segment": 65536}, r"segment = 65536 is out of range: must be .*\[0, 65535\]"),
        ({"sequence": -1}, "sequence = -1 is out of range"),
        ({"limit": 1}, "kind 'data' has no upper limit of the window"),
        ({"body": bytes(65536)}, "size of body = 65536 bytes is out of range"),
    ],
)
def test_refusals(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Packet(**{"kind": "data", "connection": 1, "sequence": 1} | change)


def test_bitmaps():
    """Packets 1 and 8 of ten: 1011 1111 01, filled up with zeros."""
    assert bitmap({1, 8}, 10) == bytes([0b10111111, 0b01000000])
    assert requested(bytes([0b10111111, 0b01000000]), 10) == {1, 8}
    assert requested(bitmap(set(range(16)), 16), 16) == set(range(16))
    with pytest.raises(ValueError, match=r"missing packet = 10 is out of range: must be .*\[0, 9\]"):
        bitmap({10}, 10)
    with pytest.raises(ValueError, match="a bitmap of 1 bytes does not fit a segment of 10 packets"):
        requested(b"\x00", 10)
