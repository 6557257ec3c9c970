"""Linux's counters of a connection: struct tcp_info of linux/tcp.h, as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LENGTH = 256  # bytes; Linux fills in the fields of its version, and the rest stays 0

#: The fields in their order, with their types in the letters of NumPy: linux/tcp.h, struct tcp_info. Two bytes of bit
#: fields are "wscale" (of the sender and the receiver) and "limits" (delivery_rate_app_limited and fastopen's).
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
    """Return the record of one sample: time since the start of the run [ns], connection, and Linux's fields."""
    import numpy as np

    fields = [("time", "<i8"), ("connection", "<i4"), ("length", "<i4")]
    fields += [(name, f"<{kind.strip()}") for kind, names in FIELDS.items() for name in names.split()]
    rest = 16 + LENGTH - np.dtype(fields).itemsize
    return np.dtype([*fields, ("rest", f"V{rest}")])


def table(rows: bytes) -> np.ndarray:
    """Return samples as an array of `record`, from the bytes that `longfat.testbed.hosts` collects.

    Times in it are microseconds, those of `last_data_sent` and the three like it milliseconds; rates are bytes/s,
    windows packets.
    """
    import numpy as np

    return np.frombuffer(rows, record())
