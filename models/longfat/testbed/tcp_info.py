"""Samples of TCP_INFO, Linux's record of a connection (struct tcp_info of linux/tcp.h), as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LENGTH = 256  # bytes; Linux fills in the fields that its version has, and all others stay 0

#: NumPy type -> names of the fields of struct tcp_info (linux/tcp.h), in order. Spaces follow a type that occurs again,
#: because keys must differ. Two fields are bytes of bit fields: "wscale" has the window scales of sender and
#: receiver; "limits" has delivery_rate_app_limited and the reason for which TCP Fast Open failed.
FIELDS = {
    "u1": "state ca_state retransmits probes backoff options wscale limits",
    "u4": (
        "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv "
        "last_ack_recv pmtu rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering rcv_rtt rcv_space "
        "total_retrans"
    ),
    "u8": "pacing_rate max_pacing_rate bytes_acked bytes_received",
    "u4 ": "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out",
    "u8 ": "delivery_rate busy_time rwnd_limited sndbuf_limited",
    "u4  ": "delivered delivered_ce",
    "u8  ": "bytes_sent bytes_retrans",
    "u4   ": "dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash",
    "u2": "total_rto total_rto_recoveries",
    "u4    ": "total_rto_time",
}


def record() -> np.dtype:
    """Return the NumPy type of a sample: time since the start of the run [ns], connection, length [bytes], fields."""
    import numpy as np

    fields = [("time", "<i8"), ("connection", "<i4"), ("length", "<i4")]
    fields += [(name, f"<{kind.strip()}") for kind, names in FIELDS.items() for name in names.split()]
    rest = 16 + LENGTH - np.dtype(fields).itemsize
    return np.dtype([*fields, ("rest", f"V{rest}")])


def table(rows: bytes) -> np.ndarray:
    """Return samples as an array of the type `record`, from the bytes that `longfat.testbed.hosts` collects.

    Times are in microseconds, except for `last_data_sent` and the other fields `last_...`, which are in milliseconds;
    rates are in bytes/s, windows in packets.
    """
    import numpy as np

    return np.frombuffer(rows, record())
