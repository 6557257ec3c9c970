"""Flow-control windows of application protocols: default windows, the settings that change them, and their throughput.

A receiver of HTTP/2, gRPC, QUIC or SSH grants a window of credit and renews it in batches. The law of the throughput is
in `longfat.laws.credits`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from longfat.laws.credits import throughput, window_for_rate

KIB, MIB = 2**10, 2**20
#: Share by which a program's rate may be below the law. Ours, because Node's HTTP/2 client and server, with windows of
#: 64 KiB to 1 MiB and round trips of 20 and 100 ms by their own ping, were 1 to 5 % below W/R on a busy machine.
BELOW = 0.05


@dataclass(frozen=True)
class Default:
    """Default window of a receiver [bytes], and the source of its size.

    ``windows`` is the number of equal windows that limit a stream: 2 if the connection has a window that is no larger
    than the stream's and whose updates follow different bytes.
    """

    name: str
    window: int
    source: str
    windows: int = 1


@dataclass(frozen=True)
class Application:
    """Application protocol whose receivers limit the amount of data in flight.

    Parameters
    ----------
    title : str
        Name of the protocol.
    defaults : tuple of Default
        Default windows, the smallest first.
    update : callable
        Function of the window [bytes]: most bytes that a receiver reads before it sends an update [bytes].
    largest : int
        Largest window that the protocol allows [bytes].
    settings : tuple of str
        Lines that set the window; ``{window}`` is replaced by its size [bytes].
    about : str
        At which end the lines apply, and what memory a window may take.
    check : str
        Command that measures the rate.
    parallel : str
        Plural of the object that has a window of its own, so that several of them carry more.
    source : str
        Implementations that send their updates as late as ``update`` says.
    over_tcp : bool
        Whether the protocol runs over TCP, whose own window limits the rate, too.
    how : str
        What provides the larger window, in the step of the answer that advises one.
    """

    title: str
    defaults: tuple[Default, ...]
    update: Callable[[int], int]
    largest: int
    settings: tuple[str, ...]
    about: str
    check: str
    parallel: str
    source: str
    over_tcp: bool = True
    how: str = "a window"

    def rates(
        self, window: int, capacity: tuple[float, float], round_trip_time: tuple[float, float], windows: int = 1
    ) -> tuple[float, float]:
        """Return the lowest and the highest throughput under a window, or under several equal ones [bytes/s].

        The lowest is that of the latest update, the smallest capacity and the longest round trip, reduced by `BELOW`;
        the highest is that of an update after each byte, the largest capacity and the shortest round trip.
        """
        low = throughput(window, self.update(window), capacity[0], round_trip_time[1], windows)
        return (1 - BELOW) * float(low), float(throughput(window, 1, capacity[1], round_trip_time[0]))

    def window_for(self, rate: float, round_trip_time: float) -> int:
        """Return the window that allows a rate with the latest update [bytes], rounded up to MiB, or KiB below 1 MiB.

        >>> APPLICATIONS["http2"].window_for(12.5e6, 0.1) / MIB, APPLICATIONS["ssh"].window_for(12.5e6, 0.1) / MIB
        (3.0, 2.0)
        """
        size, unit = 1.0, KIB
        for _ in range(60):  # the update may depend on the window; with u = W/2 each step halves the error
            size = float(window_for_rate(max(1, self.update(math.ceil(size))), rate, round_trip_time))
        unit = MIB if size > MIB else KIB
        return min(math.ceil(size / unit) * unit, self.largest)


def half(window: int) -> int:
    """Return half of a window, rounded down [bytes]: an update one byte later would halve the throughput."""
    return max(1, window // 2)


#: HTTP/2, RFC 9113: section 6.9.2 sets the initial window, section 6.9.1 the largest. The RFC has no rule for updates;
#: nghttp2 (`nghttp2_should_send_window_update`) and Netty (`DEFAULT_WINDOW_UPDATE_RATIO`) send one after half of the
#: window.
HTTP2 = Application(
    "HTTP/2",
    (Default("by RFC 9113", 65535, "RFC 9113, section 6.9.2"),),
    half,
    2**31 - 1,
    (
        "tune.h2.fe.initial-window-size {window}       # HAProxy, section global: uploads",
        "http2.Server{{MaxUploadBufferPerStream: {window}, MaxUploadBufferPerConnection: {window}}}  // Go: uploads",
        "http2.createServer({{settings: {{initialWindowSize: {window}}}}})  // Node, and session.setLocalWindowSize",
        "initial_stream_window_size: {window}          # Envoy, and initial_connection_window_size",
    ),
    "Where the data are received, for streams and connection; each stream may take that much memory.",
    "curl --http2 -T FILE -o /dev/null -w '%{speed_upload}' https://HOST/ (bytes/s; a FILE of 10 s or more)",
    "connections (not streams of one, which share its window)",
    "nghttp2, Netty",
)

#: gRPC over HTTP/2. grpc-go estimates a window up to `bdpLimit` (internal/transport/bdp_estimator.go) and sends an
#: update after a quarter of the window (flowcontrol.go); grpc-java sends it after half of the window (Netty).
GRPC = Application(
    "gRPC",
    (
        Default("at first", 65535, "RFC 9113, section 6.9.2"),
        Default("by grpc-go's estimate", 16 * MIB, "grpc-go, bdp_estimator.go, bdpLimit", windows=2),
    ),
    half,
    2**31 - 1,
    (
        "grpc.WithInitialWindowSize({window}), grpc.WithInitialConnWindowSize({window})  // Go, client receives",
        "grpc.InitialWindowSize({window}), grpc.InitialConnWindowSize({window})          // Go, server receives",
        ".flowControlWindow({window})               // Java: NettyChannelBuilder, NettyServerBuilder",
        '("grpc.http2.lookahead_bytes", {window})   # Python, C++: argument of channel and server',
    ),
    "Where the data are received, in as much memory for each stream; a fixed window ends the estimates of Go and Java.",
    "bytes of a streaming call over its seconds, for 10 s or more",
    "channels, each with a connection of its own",
    "grpc-go, Netty",
)

#: QUIC: the protocol has no default window (RFC 9000, section 4.1). quinn assumes 12.5 MB/s and 100 ms (quinn-proto,
#: config/transport.rs); quic-go has DefaultMaxReceiveStreamFlowControlWindow (internal/protocol/params.go) and sends
#: updates after a quarter of the window; quiche has MAX_STREAM_WINDOW.
QUIC = Application(
    "QUIC",
    (
        Default("quinn", 1_250_000, "quinn-proto, config/transport.rs, STREAM_RWND"),
        Default("quic-go", 6 * MIB, "quic-go, internal/protocol/params.go"),
        Default("quiche", 16 * MIB, "quiche, set_max_stream_window", windows=2),
    ),
    half,
    2**62 - 1,
    (
        "config.stream_receive_window({window}u32.into()).receive_window({window}u32.into());  // quinn, receiver",
        "config.send_window({window});                                            // quinn, sender",
        "quic.Config{{MaxStreamReceiveWindow: {window}, MaxConnectionReceiveWindow: {window}}}  // quic-go",
        "config.set_max_stream_window({window}); config.set_max_connection_window({window});  // quiche",
    ),
    "Where the data are received, for stream and connection, in as much memory for each.",
    "bytes of one stream over its seconds, for 10 s or more",
    "connections (or streams, where the connection's window is larger)",
    "quic-go, quiche",
    over_tcp=False,
)

#: SSH, RFC 4254, section 5.2. OpenSSH's window is CHAN_SES_WINDOW_DEFAULT = 64 packets of 32 KiB (channels.h); it sends
#: an update once more than three packets have been read (`channel_check_window`): 112 KiB in the log of
#: rapier1/hpn-ssh#58. A larger window is assumed to be AsyncSSH's, which sends an update when less than half of the
#: window is left, that is after half of it and a packet. A window that is too small for the path then carries about
#: half of W/R (4.9 MB/s with 1 MiB at 100 ms).
SSH = Application(
    "SSH",
    (Default("of an OpenSSH channel", 2 * MIB, "OpenSSH, channels.h, CHAN_SES_WINDOW_DEFAULT"),),
    lambda window: min(half(window), 112 * KIB) if window <= 2 * MIB else half(window) + 32 * KIB,
    2**32 - 1,
    (
        "connection.create_process(..., window={window})                 # AsyncSSH",
        "paramiko.Transport((HOST, 22), default_window_size={window})    # Paramiko",
    ),
    "Where the data are received, in as much memory for each channel; OpenSSH has no such setting.",
    "dd if=/dev/zero bs=1M count=500 | ssh -o Compression=no HOST 'cat > /dev/null'",
    "sessions or channels",
    "AsyncSSH",
    how="hpn-ssh at the receiving side, or a library's window",
)

APPLICATIONS = {"http2": HTTP2, "grpc": GRPC, "quic": QUIC, "ssh": SSH}
