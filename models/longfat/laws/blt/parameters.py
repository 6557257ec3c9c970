"""The letters of the BLT laws, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

KIM_FARBER = "Kim & Farber, MS-CIS-94-55 (1994)"

WINDOW = Symbol("k", "1", "[0, inf)", (0, 15), "number of the window, from 0", integer=True)
WINDOWS = Symbol("m", "1", "[0, 1e9)", (0, 16), "how many windows, the first ones", integer=True)
GROWTH = Symbol(r"\gamma", "1", "[1, inf)", (1.1, 4.0), "size of a window over that of the one before")
STEP = Symbol(r"\alpha", "packets", "[0, inf)", (0.1, 10.0), "packets that a window has more than the one before")
PACKET = Symbol("s", "packets", "[0, 9007199254740992)", (0, 65535), "packet of the burst, from 0", integer=True)
BITS = Symbol(r"\pi", "bits", "[0, 30)", (0, 5), "bits that encode the priority", integer=True)

PACKETS = Symbol("n", "packets", "[1, inf)", (1, 2000), "packets of the file", integer=True)
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 0.3), "propagation round trip")
ACCESS_TIME = Symbol("t_a", "s", "[0, inf)", (1e-6, 1e-3), "time to send a packet on the access line")
BOTTLENECK_TIME = Symbol("t_b", "s", "(0, inf)", (1e-6, 1e-3), "time to send a packet between the switches")
LAST_TIME = Symbol("t_d", "s", "[0, inf)", (1e-6, 1e-3), "time to send a packet on the last line")
RATIO = Symbol("r", "1", "[0, 1]", (0.1, 0.95), "rate between the switches over that of the access line")
RATIO_BELOW = Symbol("r", "1", "[0, 1)", (0.1, 0.95), "rate between the switches over that of the access line")
PLACES = Symbol("K", "packets", "[0, inf)", (1, 2500), "packets that may wait, the one being sent not counted")

CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "rate of the bottleneck")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "size of the files")
UNLOADED = Symbol("T_0", "s", "(0, inf)", (1e-3, 10.0), "transfer time in the empty network, F/C included")
BDP = Symbol("x", "1", "[0, inf)", (0.01, 100.0), "bandwidth-delay product C D over the file size F")
