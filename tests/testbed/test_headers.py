"""Headers of packets, checksums, and the accounts of connections, from packets made by hand."""

import copy
import random

import pytest

from longfat.base.headers import SYN, codepoint, complete_segment, difference, mark
from longfat.sim.kernel.records import NEVER
from longfat.testbed.emulator import Delivery
from longfat.testbed.ledger import Account

ACK, FIN = 16, 1


def tcp(sequence=0, payload=0, acknowledgment=0, flags=ACK, options=12, field=0, ports=(4000, 5000)):
    """Packet with an IPv4 and a TCP header."""
    length = 40 + options + payload
    ip = bytearray(20)
    ip[0], ip[1], ip[8], ip[9] = 0x45, field, 64, 6
    ip[2:4], ip[4:6] = length.to_bytes(2, "big"), (sequence % 65_536).to_bytes(2, "big")
    ip[12:20] = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    ip[10:12] = checksum(ip).to_bytes(2, "big")
    made = b"".join(port.to_bytes(2, "big") for port in ports)
    made += (sequence % 2**32).to_bytes(4, "big") + (acknowledgment % 2**32).to_bytes(4, "big")
    made += bytes([(20 + options) // 4 << 4, flags]) + bytes(6 + options + payload)
    return bytes(ip) + made


def checksum(header):
    """The complement of the sum of 16-bit words in ones' complement, with the field itself as 0 (RFC 791, 3.1)."""
    total = sum(int.from_bytes(header[k : k + 2], "big") for k in range(0, 20, 2) if k != 10)
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@pytest.mark.parametrize("field", [0x00, 0x01, 0x02, 0x03, 0xB9, 0xFE])
def test_marks_keep_the_checksum_right(field):
    """RFC 1624's update gives what a new sum gives; DSCP bits stay, and what is not capable stays unmarked."""
    draw = random.Random(field)
    for _ in range(200):
        packet = tcp(sequence=draw.getrandbits(32), payload=draw.randrange(1400), field=field)
        marked = mark(packet)
        assert codepoint(marked) == (3 if field & 3 else 0)
        assert marked[1] == (field | 3 if field & 3 else field)
        assert int.from_bytes(marked[10:12], "big") == checksum(marked[:20])
        assert marked[2:10] + marked[12:] == packet[2:10] + packet[12:]


def test_checksum_by_hand():
    """RFC 1624, section 3, equation 3, by hand for the first word 0x4501, which becomes 0x4503.

    HC' = ~(~HC + ~m + m') = ~(~0x0001 + 2) = ~(0xFFFE + 2) = ~0x0001 = 0xFFFE, in ones' complement.
    """
    packet = bytearray(20)
    packet[0], packet[1], packet[11] = 0x45, 1, 1
    assert mark(bytes(packet))[10:12] == b"\xff\xfe"


def test_segments():
    found = complete_segment(tcp(7, 100, 9, FIN, ports=(80, 443)))
    assert (found.source, found.target) == ((b"\x0a\0\0\1", 80), (b"\x0a\0\0\2", 443))
    assert (*found[2:5], found.payload, found.begin) == (7, 9, FIN, 100, 52)
    assert complete_segment(b"\x60" + bytes(60)) is None  # IPv6
    assert complete_segment(tcp()[:30]) is None
    assert codepoint(b"") == 0


def test_differences_of_sequence_numbers():
    """The nearest of the values modulo 2**32."""
    assert difference(2**31 - 1, 0) == 2**31 - 1
    assert difference(2**31, 0) == -(2**31)


def test_received_bytes_against_a_set():
    """Random overlapping ranges: new bytes and the first missing one, as a set of bytes has them."""
    for seed in range(20):
        draw, account, have = random.Random(seed), Account(), set()
        for _ in range(60):
            begin = draw.randrange(300)
            new = set(range(begin, begin + draw.randrange(1, 40)))
            assert account.insert(min(new), max(new) + 1) == len(new - have)
            have |= new
            expected = next(k for k in range(400) if k not in have)
            assert account.in_order == expected
            assert sum(high - low for low, high in account.blocks) == len({k for k in have if k > expected})


def test_accounts_of_a_connection():
    """A transfer of five packets of 100 bytes; the second is lost and sent again. Sequence numbers wrap around."""
    start = 2**32 - 250
    account = Account(goal=500)
    assert account.count_sent(False, tcp(start - 1, flags=SYN)) is None
    assert account.count_sent(True, tcp(7777, flags=SYN | ACK)) is None  # the receiver numbers its own bytes
    packets = [tcp(start + 100 * k, 100) for k in range(5)]
    assert [account.count_sent(False, one) for one in packets] == [0, 1, 2, 3, 4]
    for k in (0, 2, 3, 4):
        account.count_received(Delivery(1000 + k, 0, False, packets[k]))
        answer = tcp(acknowledgment=start + 100)
        assert account.count_sent(True, answer) is None
        account.count_received(Delivery(2000 + k, 0, True, answer))
    before = copy.deepcopy(account)
    assert (account.in_order, account.received, account.received_bytes) == (100, 4, 4 * 152)
    assert account.count_sent(False, packets[1]) == 1
    account.count_received(Delivery(3000, 0, False, packets[1]))
    answer = tcp(acknowledgment=start + 500)
    assert account.finish_ns == NEVER
    account.count_received(Delivery(4000, 0, True, answer))
    assert (account.sent, account.retransmitted, account.received_bytes) == (6, 1, 5 * 152)
    assert (account.in_order, account.finish_ns) == (500, 4000)
    assert (before.in_order, before.blocks) == (100, [(200, 500)])
    account.count_received(Delivery(5000, 0, False, packets[1]))  # a duplicate brings nothing new
    account.count_received(Delivery(6000, 0, True, answer))
    assert (account.received, account.received_bytes, account.finish_ns) == (6, 5 * 152, 4000)
