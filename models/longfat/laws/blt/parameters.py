"""Parameters of the BLT laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

WINDOW = Symbol("k", "1", "[0, inf)", (0, 15), "Number of the window, from 0", integer=True)
WINDOWS = Symbol("m", "1", "[0, 1e9)", (0, 16), "Number of windows, from the first on", integer=True)
GROWTH = Symbol(r"\gamma", "1", "[1, inf)", (1.1, 4.0), "Size of a window over the size of the previous window")
STEP = Symbol(r"\alpha", "packets", "[0, inf)", (0.1, 10.0), "Packets by which a window exceeds the previous window")
PACKET = Symbol(
    "s", "packets", "[0, 9007199254740992)", (0, 65535), "Number of the packet in its burst, from 0", integer=True
)
BITS = Symbol(r"\pi", "bits", "[0, 30)", (0, 5), "Bits that encode the priority", integer=True)

PACKETS = Symbol("n", "packets", "[1, inf)", (1, 2000), "Packets of the file", integer=True)
RATIO_BELOW = Symbol("r", "1", "[0, 1)", (0.1, 0.95), "Rate of the bottleneck link over the rate of the access link")
PLACES = Symbol("K", "packets", "[0, inf)", (1, 2500), "Buffer of the switch, without the packet in transmission")

CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "Rate of the bottleneck link")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "Size of the files")
UNLOADED = Symbol("T_0", "s", "(0, inf)", (1e-3, 10.0), "Transfer time in the empty network, F/C included")
BDP = Symbol("x", "1", "[0, inf)", (0.01, 100.0), "Bandwidth-delay product C D over the file size F")
