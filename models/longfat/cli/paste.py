"""Lines to paste into a shell or a program, with the reason for them and the command that checks them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

from longfat.base.layers import header_bytes, layer_sizes

#: Text on the reason for marking thresholds above that of the law: the law neglects that hosts send bursts, which have
#: 30 packets or more at 10 Gbit/s. Linux's documentation of DCTCP (networking/dctcp) names thresholds of 20 packets at
#: 1 Gbit/s and 65 at 10 Gbit/s.
BURSTS = "bursts of hosts (TSO; Linux's documentation of DCTCP: 65 at 10 Gbit/s)"

LONGEST_OMITTED, LONGEST = 600, 86400  # s: largest -O and -t of iperf3 (MAX_OMIT_TIME and MAX_TIME of its iperf.h)
MOST_STREAMS = 128  # iperf3's largest -P (MAX_STREAMS of its iperf.h)
LARGEST_OF_IPERF3 = 512 << 20  # bytes: iperf3's largest -w (MAX_TCP_BUFFER of its iperf.h)
LEAST_MSS = 88  # bytes: Linux's smallest TCP_MAXSEG (include/net/tcp.h, TCP_MIN_MSS)
TIME_STAMPS = 12  # bytes of each TCP header for the option of time stamps (RFC 7323, appendix A)
USUAL = layer_sizes(1500)  # bytes at each layer of a packet that hosts on Ethernet send unless told otherwise
USUAL_DATA = int(USUAL["data"])
DATA_HEADERS = int(header_bytes("IP"))  # bytes of the headers of IPv4 and TCP in a packet
MOST_DATA = 65535 - DATA_HEADERS  # bytes of data in the largest packet of IPv4 (RFC 791, total length)
CHECK = 60  # s: duration of a check, our choice


@dataclass(frozen=True)
class Line:
    """Lines to paste into a shell, with the reason for them.

    ``check`` is the command that shows whether the lines work, and ``expect`` its expected output. ``brief`` is False
    for lines that a short answer leaves out.
    """

    reason: str
    lines: tuple[str, ...] = ()
    check: str = ""
    expect: str = ""
    brief: bool = True


def shown(lines: Iterable[Line], *, brief: bool = False, apart: bool = True) -> list[str]:
    """Return records as lines that can all be pasted: text that is not a command becomes a shell comment.

    A short answer (``brief``) leaves out records that are not for short answers, checks, and the expected output of
    checks. ``apart`` puts an empty line between two records of a long answer.

    >>> two = [Line("Raise it.", ("sysctl -w a=2",), "sysctl a", "a = 2"), Line("Or.", ("tc",), brief=False)]
    >>> for line in shown(two):
    ...     print(line)
    # Raise it.
    sysctl -w a=2
    # Check with:  sysctl a
    # Expect:  a = 2
    <BLANKLINE>
    # Or.
    tc
    >>> shown(two, brief=True)
    ['# Raise it.', 'sysctl -w a=2']
    """
    width, following = (116, "#   ") if brief else (110, "# ")
    made: list[str] = []
    for one in lines:
        if brief and not one.brief:
            continue
        made += [""] if made and apart and not brief else []
        made += wrap(one.reason, width, initial_indent="# ", subsequent_indent=following)
        made += one.lines
        if one.check and brief:
            continue
        made += [f"# Check with:  {one.check}"] if one.check else []
        if one.expect:
            made += wrap(one.expect, width, initial_indent="# Expect:  ", subsequent_indent="#   ")
    return made


def raised(name: str, value: int) -> str:
    """Return a shell command that raises a sysctl setting of one number to a value, unless the setting is larger."""
    return f'[ "$(sysctl -n {name})" -ge {value} ] || sysctl -w {name}={value}'


def raised_third(name: str, value: int) -> str:
    """Return a shell command that raises the third number of a sysctl setting and leaves the other two unchanged.

    >>> print(raised_third("net.ipv4.tcp_rmem", 8388608))
    set -- $(sysctl -n net.ipv4.tcp_rmem); [ "$3" -ge 8388608 ] || sysctl -w net.ipv4.tcp_rmem="$1 $2 8388608"
    """
    return f'set -- $(sysctl -n {name}); [ "$3" -ge {value} ] || sysctl -w {name}="$1 $2 {value}"'


def sendable(data: int) -> bool:
    """Return whether iperf3 on Linux can send packets with ``data`` bytes of data and with time stamps.

    >>> sendable(75), sendable(76), sendable(65483), sendable(65484)
    (False, True, True, False)
    """
    return LEAST_MSS - TIME_STAMPS <= data <= MOST_DATA


def one_iperf3(flows: int, data: int) -> tuple[int, str, str]:
    """Return the number of streams of one call of iperf3, further options of the call, and a remark.

    Packets have ``data`` bytes of data; iperf3 -M sets TCP_MAXSEG, which also counts the time stamps.

    >>> one_iperf3(1, 1448), one_iperf3(128, 500)
    ((1, '', ''), (128, ' -M 512', ''))
    >>> one_iperf3(300, 1448)
    (100, ' -p PORT', '3 of these at once, whose rates are added, each with a server on a PORT of its own')
    >>> one_iperf3(1, 8948)
    (1, '', 'both hosts and the whole path need an MTU of 9000 bytes')
    """
    options, remarks, calls = "", [], math.ceil(flows / MOST_STREAMS)
    if not sendable(data):
        remarks.append(f"iperf3 cannot send packets with {data} bytes of data")
    elif data < USUAL_DATA:
        options += f" -M {data + TIME_STAMPS}"
    elif data > USUAL_DATA:
        remarks.append(f"both hosts and the whole path need an MTU of {data + DATA_HEADERS} bytes")
    if calls > 1:
        options += " -p PORT"
        remarks.append(f"{calls} of these at once, whose rates are added, each with a server on a PORT of its own")
    return math.ceil(flows / calls), options, "; ".join(remarks)


def format_of(high: float) -> tuple[str, str]:
    """Return iperf3's option -f for rates up to ``high`` [bytes/s], and its unit: iperf3 prints two decimals or fewer.

    >>> format_of(1.2e3), format_of(1.2e6)
    (('-f k', 'kbit/s'), ('-f m', 'Mbit/s'))
    """
    return ("-f k", "kbit/s") if 8 * high < 1e6 else ("-f m", "Mbit/s")


def rates(low: float, high: float, unit: str = "Mbit/s") -> str:
    """Format an interval of rates [bytes/s] in Mbit/s, kbit/s, MB/s or kB/s, rounded outwards to three digits.

    >>> rates(11.68e6, 12.07e6), rates(1.236e8, 1.241e8), rates(0.0, 12345.0)
    ('93.4 to 96.6 Mbit/s', '988 to 993 Mbit/s', '0 to 0.0988 Mbit/s')
    >>> rates(11.68e6, 12.07e6, "MB/s")
    '11.6 to 12.1 MB/s'
    """
    scale = {"Mbit/s": 8e-6, "kbit/s": 8e-3, "MB/s": 1e-6, "kB/s": 1e-3}[unit]
    return f"{_rounded(scale * low, math.floor):g} to {_rounded(scale * high, math.ceil):g} {unit}"


def at_least(low: float) -> str:
    """Format a lower bound of a rate [bytes/s] in Mbit/s, rounded down to three digits."""
    return f"{_rounded(8e-6 * low, math.floor):g} Mbit/s or more"


def _rounded(value: float, to_integer: object) -> float:
    if value <= 0:
        return 0.0
    scale = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(to_integer(value / scale)) * scale  # type: ignore[operator]
