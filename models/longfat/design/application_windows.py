"""Flow-control windows of application protocols: defaults, settings that change them, and throughput under a window.

A receiver of HTTP/2, gRPC, QUIC or SSH grants a window of credit and renews it in batches. The law of the throughput is
in `longfat.laws.credits`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from longfat.laws.credits import throughput, window_for_rate

KIB, MIB = 2**10, 2**20
#: Fraction by which a program's rate may be below the law `throughput` if its sender does not pace. Our choice: the
#: rate of Node's HTTP/2 client and server under CUBIC was 0 to 4 % below the law, with windows of 64 KiB to 1 MiB and
#: round trips of 20 and 100 ms (docs/application_windows.py). The fraction does not hold for BBR, which stays in
#: Startup while the application limits the rate, and paces the u bytes that an update permits at 2/ln 2 times its
#: estimate of the bandwidth. With a window W and a round trip R, BBR therefore carries (W - u ln 2/2)/R, which is 0.83
#: W/R for u = W/2, as measured.
BELOW = 0.05
#: Ratio of a connection's window to a stream's window, as in quic-go (`ConnectionFlowControlMultiplier`) and quiche
#: (`CONNECTION_WINDOW_FACTOR`). With equal windows, data would have to wait for the updates of both.
CONNECTION = 1.5


@dataclass(frozen=True)
class Default:
    """Default window of a receiver [bytes], the source of its size, and lines of settings that raise the window.

    ``windows`` is the number of equal windows that limit a stream: 2 if the connection also has a window, no larger
    than the stream's and updated at other times. ``connection`` is the default of the connection's window [bytes].
    Lines have the placeholders ``{window}`` and ``{connection}`` for the new windows of stream and connection; the new
    window of the connection is `CONNECTION` times that of the stream, or its default if that is larger.
    """

    name: str
    window: int
    source: str
    windows: int = 1
    connection: int = 0
    lines: tuple[str, ...] = ()

    def raised_to(self, window: int, largest: int) -> list[str]:
        """Return the lines that raise this default to a window, or no lines if the default is large enough.

        >>> Default("", 65535, "", lines=("w {window} {connection}",)).raised_to(100_000, 2**31 - 1)
        ['w 100000 150000']
        """
        connection = min(max(math.ceil(CONNECTION * window), self.connection), largest)
        lines = self.lines if window > self.window else ()
        return [line.format(window=window, connection=connection) for line in lines]


@dataclass(frozen=True)
class Application:
    """Application protocol whose receivers limit the amount of data in flight."""

    title: str  # name of the protocol
    defaults: tuple[Default, ...]  # default windows, the smallest first
    #: Function of the window [bytes]: largest number of bytes that a receiver reads before it sends an update.
    update: Callable[[int], int]
    largest: int  # largest window that the protocol allows [bytes]
    about: str  # beginning of the remark above the lines: host at which they apply, memory that a window may take
    check: str  # command that measures the rate; COUNT stands for the number of blocks to send, BLOCK for their size
    parallel: str  # objects with a window each, such as connections: several in parallel carry more than one
    source: str  # implementations that send their updates as late as ``update`` says
    over_tcp: bool = True  # whether the protocol runs over TCP, whose window is a further limit
    how: str = "a window"  # first words of the step that advises a larger window: the object that has it

    def rates(
        self, window: int, capacity: tuple[float, float], round_trip_time: tuple[float, float], windows: int = 1
    ) -> tuple[float, float]:
        """Return the lowest and the highest throughput [bytes/s] under a window, or under several equal windows.

        The lowest throughput is that with the latest update, the smallest capacity and the longest round trip, reduced
        by `BELOW`; the highest is that with an update after each byte, the largest capacity and the shortest round
        trip.
        """
        low = throughput(window, self.update(window), capacity[0], round_trip_time[1], windows)
        return (1 - BELOW) * float(low), float(throughput(window, 1, capacity[1], round_trip_time[0]))

    def rates_with(
        self, window: int, capacity: tuple[float, float], round_trip_time: tuple[float, float]
    ) -> tuple[float, float]:
        """Return `rates` under a stream's window W and a connection's of `CONNECTION` W, or W if that is too large."""
        return self.rates(window, capacity, round_trip_time, 1 if CONNECTION * window <= self.largest else 2)

    def window_for(self, rate: float, round_trip_time: float) -> int:
        """Return the window [bytes] for a rate with the latest updates, rounded up to MiB, or to KiB below 1 MiB.

        >>> APPLICATIONS["http2"].window_for(12.5e6, 0.1) / MIB, APPLICATIONS["ssh"].window_for(12.5e6, 0.1) / MIB
        (3.0, 2.0)
        """
        size = 1.0
        for _ in range(60):  # the update may depend on the window; with u = W/2 each step halves the error
            size = float(window_for_rate(max(1, self.update(math.ceil(size))), rate, round_trip_time))
        unit = MIB if size > MIB else KIB
        return min(math.ceil(size / unit) * unit, self.largest)


def half(window: int) -> int:
    """Return half of a window, rounded down [bytes]: an update one byte later would halve the throughput."""
    return max(1, window // 2)


#: HTTP/2, RFC 9113: section 6.9.2 has the initial window, 6.9.1 the largest. The RFC has no rule for updates: nghttp2
#: (`nghttp2_should_send_window_update`) and Netty (`DEFAULT_WINDOW_UPDATE_RATIO`) send an update at half of the window.
#: Node's default is 4 MiB, and 32 MiB for the connection, since nodejs/node#64623; before, it was the initial window of
#: the RFC. Go documents values below 4 MiB; Go 1.26 accepts larger values. HAProxy divides 7/8 of its buffer among
#: streams. Envoy's default was 256 MiB before 1.36.
HTTP2 = Application(
    "HTTP/2",
    (
        Default(
            "by RFC 9113", 65535, "RFC 9113, section 6.9.2", connection=32 * MIB,
            lines=(
                "http2.createServer({{settings: {{initialWindowSize: {window}}}}})"
                "  // Node, if getDefaultSettings() has less",
                "    .on('session', session => session.setLocalWindowSize({connection}))",
            ),
        ),
        Default(
            "of Go's server", MIB, "Go, net/http, http2Config", connection=MIB,
            lines=(
                "http.HTTP2Config{{MaxReceiveBufferPerStream: {window}, MaxReceiveBufferPerConnection: {connection}}}"
                "  // Go 1.24+",
            ),
        ),
        Default(
            "of HAProxy 3.1", 1600 * KIB, "HAProxy 3.1, configuration manual, tune.h2.fe.rxbuf",
            lines=("tune.h2.fe.rxbuf {connection}  # HAProxy 3.1 and later: uploads, for all streams of a connection",),
        ),
        Default(
            "of Envoy", 16 * MIB, "Envoy 1.36, version history", connection=24 * MIB,
            lines=(
                "initial_stream_window_size: {window}"
                "  # Envoy 1.36 and later (before: 256 MiB), http2_protocol_options",
                "initial_connection_window_size: {connection}",
            ),
        ),
    ),
    half,
    2**31 - 1,
    "Where the data are received; each stream may take that much memory.",
    "curl --http2 -T FILE -o /dev/null -w '%{speed_upload}' https://HOST/ (bytes/s; a FILE of 10 s or more)",
    "connections (not streams of one, which share its window)",
    "nghttp2, Netty",
)  # fmt: skip

#: gRPC over HTTP/2 estimates the bandwidth-delay product by default, and sets the windows of stream and connection to
#: the same value. Each default below is the upper limit of this estimate. grpc-go: `bdpLimit` in
#: internal/transport/bdp_estimator.go, an update after a quarter of the window (flowcontrol.go). grpc-java:
#: `FlowControlPinger.MAX_WINDOW_SIZE` of AbstractNettyHandler, an update after half of the window (Netty); the first
#: window is `DEFAULT_FLOW_CONTROL_WINDOW`. Whether grpc-go's `WithInitialWindowSize` ends the estimate depends on the
#: version (#9078, #9392); `WithStaticStreamWindowSize` and `WithStaticConnWindowSize` together always end it (#9096).
#: C++ and Python: no line is given, because `grpc.http2.lookahead_bytes` is overwritten while the estimate is on
#: (grpc/grpc#14252), and has been set back to 65,535 bytes while the estimate was off (grpc/grpc#39585).
GRPC = Application(
    "gRPC",
    (
        Default(
            "by grpc-java's estimate (first 1 MiB)", 8 * MIB, "grpc-java, AbstractNettyHandler", windows=2,
            lines=(".flowControlWindow({window})  // grpc-java: NettyChannelBuilder, NettyServerBuilder",),
        ),
        Default(
            "by grpc-go's (first 65,535 bytes)", 16 * MIB, "grpc-go, bdp_estimator.go, bdpLimit", windows=2,
            connection=16 * MIB,
            lines=(
                "grpc.WithStaticStreamWindowSize({window}), grpc.WithStaticConnWindowSize({connection})"
                "  // grpc-go's client",
                "grpc.StaticStreamWindowSize({window}), grpc.StaticConnWindowSize({connection})"
                "  // grpc-go's server",
            ),
        ),
    ),
    half,
    2**31 - 1,
    "Where the data are received, in as much memory for each stream; a fixed window ends the estimate.",
    "bytes of a streaming call over its seconds, for 10 s or more",
    "channels, each with a connection of its own",
    "Netty",
)  # fmt: skip

#: QUIC, RFC 9000, section 4.1: the protocol has no default. quinn-proto, config/transport.rs: the window of a stream
#: allows 12.5 MB/s over 100 ms, a connection has no limit, and the sender keeps at most eight such windows of
#: unacknowledged data. quic-go, internal/protocol/params.go: DefaultMaxReceiveStreamFlowControlWindow, updates at a
#: quarter of the window. quiche: MAX_STREAM_WINDOW.
QUIC = Application(
    "QUIC",
    (
        Default(
            "quinn", 1_250_000, "quinn-proto, config/transport.rs, stream_receive_window",
            lines=("config.stream_receive_window(VarInt::from_u64({window}).unwrap());  // quinn, receiver",),
        ),
        Default(
            "quic-go", 6 * MIB, "quic-go, internal/protocol/params.go", connection=15 * MIB,
            lines=(
                "quic.Config{{MaxStreamReceiveWindow: {window}, MaxConnectionReceiveWindow: {connection}}}"
                "  // quic-go",
            ),
        ),
        Default(
            "quinn's sender", 10_000_000, "quinn-proto, config/transport.rs, send_window",
            lines=("config.send_window({window});  // quinn, sender",),
        ),
        Default(
            "quiche", 16 * MIB, "quiche, set_max_stream_window", connection=24 * MIB,
            lines=(
                "config.set_max_stream_window({window}); config.set_max_connection_window({connection});"
                "  // quiche",
            ),
        ),
    ),
    half,
    2**62 - 1,
    "Where the data are received, for stream and connection, in as much memory for each.",
    "bytes of one stream over its seconds, for 10 s or more",
    "connections (or streams, where the connection's window is larger)",
    "quic-go, quiche",
    over_tcp=False,
)  # fmt: skip

#: SSH, RFC 4254, section 5.2: OpenSSH, channels.h, CHAN_SES_WINDOW_DEFAULT = 64 packets of 32 KiB. OpenSSH sends an
#: update once more than three packets have been read (`channel_check_window`): 112 KiB in the log of
#: rapier1/hpn-ssh#58. Windows above this default are assumed to be AsyncSSH's. AsyncSSH sends an update when
#: less than half of the window is left, that is, after half of the window and a packet. If such a window limits the
#: rate, half of its size is sent in a round trip (4.9 MB/s with 1 MiB at 100 ms). AsyncSSH (_DEFAULT_WINDOW) and
#: Paramiko (DEFAULT_WINDOW_SIZE) have the default of OpenSSH.
SSH = Application(
    "SSH",
    (
        Default(
            "of an OpenSSH channel", 2 * MIB, "OpenSSH, channels.h, CHAN_SES_WINDOW_DEFAULT",
            lines=(
                "connection.create_process(..., window={window})                 # AsyncSSH",
                "paramiko.Transport((HOST, 22), default_window_size={window})    # Paramiko",
            ),
        ),
    ),
    lambda window: min(half(window), 112 * KIB) if window <= 2 * MIB else half(window) + 32 * KIB,
    2**32 - 1,
    "Where the data are received, in as much memory for each channel; OpenSSH has no such setting.",
    # The receiver measures the time: the sender would count data in its buffers and in the window as transferred.
    "dd if=/dev/zero bs=BLOCK count=COUNT status=none | ssh -o Compression=no HOST 'dd of=/dev/null bs=BLOCK'",
    "sessions or channels",
    "AsyncSSH",
    how="hpn-ssh at the receiving side, or a library's window",
)  # fmt: skip

APPLICATIONS = {"http2": HTTP2, "grpc": GRPC, "quic": QUIC, "ssh": SSH}
