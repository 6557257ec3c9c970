"""Values of laws by hand and as printed: a row each, with its arithmetic or its source."""

import math

import pytest

from longfat.law import registered

LAWS = {one.public_name: one for _, one in registered()}
ROOT_2 = math.sqrt(2)
LN_2 = math.log(2)


def at(*given, **named):
    """Return arguments as they are written in a call."""
    return given, named


#: Law, arguments and value; of a printed value the text, with its digits.
VALUES = [
    # Active queue management. CoDel: 1 % of 10 000 packets/s are 100 a second, 10 in an interval: the count is 100.
    ("aqm.codel_count", at(0.01, 10_000), 100),
    ("aqm.codel_control_time", at(1e-3, 100), 0),  # 0.1 packets/s: the first drops are more
    # PIE, RFC 8033, section 4.2, for half the interval: cut alpha by half and increase beta by alpha/4.
    ("aqm.rescaled_integral_gain", at(0.125, 0.5), 0.125 / 2),
    ("aqm.rescaled_proportional_gain", at(0.125, 1.25, 0.5), 1.25 + 0.125 / 4),
    # 10 flows share 1000 packets/s times 0.1 s: windows of 10 packets, 3/2/100
    ("aqm.equilibrium_loss", at(10, 1000, 0.08, 0.02), 0.015),
    # RFC 9332, appendix C.2: p_Cmax = 1/k^2; k* = 1.64 with 1.22 for sqrt(3/2), 1.633 without; equations (9) and (10),
    # of which the RFC prints 1.23 (1 + 15/25) = 1.97 and 1.39 (1 + 15/25) = 2.22.
    ("aqm.classic_probability", at(1.0), 1 / 4),
    ("aqm.coupled_rate_ratio", at(1, 1, 1), 2 / math.sqrt(1.5)),
    ("aqm.coupled_rate_ratio", at(1, 1, 1), "1.63"),
    ("aqm.coupled_rate_ratio", at(0.04, 0.025), 0.04 / (math.sqrt(1.5) * 0.025)),
    ("aqm.coupling_factor", at(0.025), "1.96"),
    ("aqm.coupling_factor", at(0.025, decrease=0.7), "2.22"),
    # What tc prints of CAKE's tins of 10 Mbit/s, diffserv3 (1/16, all and 1/4 of it), in dtaht/sch_cake #147; frames of
    # 1514 bytes. And of 18 Mbit/s in munin-monitoring/contrib #941: 1125 kbit/s.
    ("aqm.cake_target", at(625e3 / 8), "0.0291"),
    ("aqm.cake_interval", at(625e3 / 8), "0.1241"),
    ("aqm.cake_target", at(2.5e6 / 8), "0.0073"),
    ("aqm.cake_interval", at(2.5e6 / 8), "0.1023"),
    ("aqm.cake_target", at(1e7 / 8), "0.0050"),
    ("aqm.cake_interval", at(1e7 / 8), "0.1000"),
    ("aqm.cake_target", at(1.125e6 / 8), "0.0161"),
    ("aqm.cake_interval", at(1.125e6 / 8), "0.1111"),
    # At 100 kbit/s: 1.5 x 1514 x 8/1e5 = 0.18168 s, twice that is more than 0.1 + 0.17668.
    ("aqm.cake_target", at(12_500), 0.18168),
    ("aqm.cake_interval", at(12_500), 0.36336),
    # rtt 10ms: target 0.5 ms; at 10 Mbit/s 1.8168 ms and 10 + 1.3168 ms
    ("aqm.cake_interval", at(1.25e6, 1514, 0.0005, 0.01), 0.0113168),
    # BBR. draft-ietf-ccwg-bbr-06, section 2.5: 4 ln 2 = 2.77 doubles; a gain of 1/2 drains in one round trip.
    ("bbr.startup_pacing_gain", at(2), 4 * LN_2),
    ("bbr.startup_pacing_gain", at(2), "2.77"),
    ("bbr.drain_time", at(0.1, 2, 0.5), 0.2),  # 0.1 s and as much queue
    ("bbr.inflight_cap", at(50), 100),
    ("bbr.inflight_cap", at(1.5), 4),  # MinPipeCwnd, draft-ietf-ccwg-bbr-06, section 2.8
    ("bbr.standing_queue", at(50), 50),
    ("bbr.standing_queue", at(50, 3), 100),
    ("bbr.standing_queue", at(50, 1), 0),
    # 0.2 s of 10.2 s with nearly nothing in flight, half of 0.2 s of 5.2 s; 10 ms more of round trip.
    ("bbr.probe_rtt_utilisation", at(0.01, 0), 1 - 0.21 / 10.21),
    ("bbr.probe_rtt_utilisation", at(0.01, 0.5, interval=5), 1 - 0.105 / 5.205),
    ("bbr.probe_rtt_utilisation", at(0.01, 1), 1),
    # 0.2 s are 2.5 round trips of 80 ms, so three with 4 packets, but 2.5 with half of them: the burst goes on.
    # 0.99 of (3 + 1) 80 ms in 10 s, 0.99 of 80 ms, and three times 80 ms
    ("bbr.probe_rtt_utilisation", at(0.08, 0.01), 1 - 0.99 * 0.32 / (10 + 0.0792 + 0.24)),
    ("bbr.probe_rtt_utilisation", at(0.08, 0.52), 1 - 0.48 * 0.24 / (10 + 0.0384 + 0.2)),
    # One round trip at least: T = 0, and R = 0.5 s.
    ("bbr.probe_rtt_utilisation", at(0.1, 0, 10, 0), 1 - 0.2 / 10.2),
    ("bbr.probe_rtt_utilisation", at(0.5, 0), 1 - 1 / 11),
    # I = 0.1 s, R = 1 s: the link is idle for 2 s of 2.1 s, and never for more than all of the time.
    ("bbr.probe_rtt_utilisation", at(1, 0, 0.1), 0.1 / 2.1),
    ("bbr.probe_rtt_utilisation", at(1e20, 0, 0.1), 0.05e-20),
    # (1 - 1/g)(1 - 1/N): (N - 1)/(5 N) for the gain 5/4.
    *(("bbr.shallow_buffer_loss", at(n), (n - 1) / (5 * n)) for n in (1, 2, 5, 20)),
    *(("bbr.shallow_buffer_loss", at(n, 1.5), (n - 1) / (3 * n)) for n in (1, 2, 5, 20)),
    ("bbr.largest_loss", at(), 0.2),
    # p = 1/2 - 1/(2 B) - 4 N/q of the paper: B = 16, C R = 100, N = 1 give 1/2 - 1/32 - 1/400.
    ("bbr.share", at(16, 100), 1 - (1 / 2 - 1 / 32 - 1 / 400)),
    ("bbr.share", at(16, 100, 10), 1 - (1 / 2 - 1 / 32 - 1 / 40)),
    ("bbr.share", at(1, 100), 1),  # 1/2 - 1/2 - ... is negative: everything
    ("bbr.share", at(1e9, 100), 1 / 2 + 5e-10 + 4e-11),
    ("bbr.share", at(1e9, 100, cwnd_gain=4), 3 / 4 + 7.5e-10 + 4e-11),  # (1 - 1/4)(1 + 1/B) + 4 N/q
    # ten seconds: 16 * 40 ms of full queue, 0.2 s and 40 ms are 0.88 s
    ("bbr.share_with_probes", at(16, 100, 0.04), (1 / 2 + 1 / 32 + 1 / 400) * 0.912),
    ("bbr.share_with_probes", at(1000, 100, 0.04), 0),
    ("bbr.share_refined", at(0.99, 100), 1),  # a buffer that the cap exceeds
    ("bbr.share_refined", at(1.01, 100), 0.5 + 4 / 201),
    ("bbr.share_refined", at(2.5, 100, cwnd_gain=4), 1),
    # BLT. 30 ms and 200 packets of 4 us, and 4 us more for a line more: 1 Gbit/s, 500 bytes.
    ("blt.unloaded_transfer_time", at(200, 30e-3, 0, 4e-6), 30.8e-3),
    ("blt.unloaded_transfer_time", at(200, 30e-3, 4e-6, 4e-6, 4e-6), 30.808e-3),
    # 30 ms + 80/3 us + 20 * 400/3 us = 32.69333 ms
    ("blt.unloaded_transfer_time", at(20, 30e-3, 80e-6 / 3, 400e-6 / 3), 98.08e-3 / 3),
    ("blt.unloaded_transfer_time", at(3, 0, 5.0, 1.0, 2.0), 5 + 1 + 2 + 2 * 5),  # the slowest line is the first
    ("blt.additive_window_size", at(2, 3), 7),  # 1, 4, 7
    # Buffers. "Sizing Router Buffers" (SIGCOMM 2004), section 3: sigma = 1/(3 sqrt 3) of the mean of one window, over
    # sqrt(n).
    ("buffers.deviation_of_total_window", at(25), 1 / (15 * math.sqrt(3))),
    ("buffers.buffer_for_synchronised", at(0.5), 1),
    ("buffers.buffer_for_synchronised", at(0.7), 3 / 7),
    # q = exp(-2): sqrt(2 ln(1/q)) = 2; beta = 1/2: a = 2/3; n = 16: (4/3)/(4 - 2/3) = 2/5
    ("buffers.buffer_for_desynchronised", at(16, math.exp(-2)), 0.4),
    ("buffers.buffer_for_desynchronised", at(1, 0.01, 0.1), math.inf),  # a = (0.9/1.1) 3.03 > 1
    # N = 90: (1/3)^2 90^2/2 = 450 packets for Reno; 3/4 (1 + 2/90) = 23/30 with two, the middle with a quarter.
    ("buffers.burst_for_policed_rate", at(90), 450),
    ("buffers.policed_utilisation", at(2, 90), 23 / 30),
    ("buffers.policed_utilisation", at(450 / 4, 90), 0.875),
    ("buffers.policed_utilisation", at(450, 90), 1),
    ("buffers.policed_utilisation", at(900, 90), 1),
    ("buffers.policed_utilisation", at(4, 90, 0.5, 2), 47 / 60),  # 3/4 (1 + sqrt(16)/90)
    # 10 kB of tokens at 1 MB/s for 5 s.
    ("buffers.shaped_rate", at(1e6, 1e4, 5.0), 1.002e6),
    # Packets of 1 kB through 3.5 kB, at 1 MB/s with a timer 4 ms late: three leave, 0.5 kB stay: 0.5 ms later there are
    # tokens for one, and 4 ms later the timer expires. 3 kB in 4.5 ms. A bucket of 1 + 4 kB holds all tokens of that
    # time; of a byte less four leave, in 4.001 ms.
    ("buffers.shaped_utilisation", at(3500, 1000, 1e6, 0.004), 3 / 4.5),
    ("buffers.burst_for_shaped_rate", at(1000, 1e6, 0.004), 5000),
    ("buffers.shaped_utilisation", at(5000, 1000, 1e6, 0.004), 1),
    ("buffers.shaped_utilisation", at(4999, 1000, 1e6, 0.004), 4 / 4.001),
    ("buffers.shaped_utilisation", at(999, 1000, 1e6, 0.004), 0),  # no packet fits
    # CADPC. Equation (1): x (2 - x - L) = 1/4 (2 - 1/4 - 1/2); half smoothed: half of the change.
    ("cadpc.step", at(0.25, 0.5), 0.25 * 1.25),
    ("cadpc.step", at(0.25, 0.5, smoothing=0.5), 0.25 * 1.125),
    # Overloaded: x + L = 9/4 > 1 + 1/a, 1/4 (2 - 1/4 - 2) < 0.
    ("cadpc.step", at(0.25, 2), -0.0625),
    ("cadpc.weighted_step", at(0.375, 0.5, 3), 3 * 0.125 * 1.375),  # three flows of 1/8 are one of weight 3 and 3/8
    # Equation (3); "very close to the bottleneck capacity for 10 or more users".
    ("cadpc.equilibrium_traffic", at(1), "0.5"),
    ("cadpc.equilibrium_traffic", at(2), "0.667"),
    ("cadpc.equilibrium_traffic", at(10), "0.909"),
    ("cadpc.equilibrium_traffic", at(50), "0.980"),
    ("cadpc.equilibrium_traffic", at(100), "0.990"),
    ("cadpc.equilibrium_rate", at(10), 1 / 11),
    ("cadpc.weighted_equilibrium_rate", at(2, 11), 2 / 12),
    # 1 - 5/10 = 1/2, squared twice 1/16 = 1 - 15/16; from 3/2 of it, too; at the equilibrium and near it none
    ("cadpc.updates_to_fraction", at(0.1, 4, 15 / 16), 2),
    ("cadpc.updates_to_fraction", at(0.3, 4, 15 / 16), 2),
    ("cadpc.updates_to_fraction", at(0.25, 3, 0.999), 0),
    ("cadpc.updates_to_fraction", at(0.24, 3, 0.5), 0),
    ("cadpc.update_time", at(5, 0.3), 6),  # 5 updates, 4 round trips of 0.3 s each
    ("cadpc.update_time", at(5, 0.3, round_trips=8), 12),
    # ln 100 = 4.60517, -ln(1 - 1/202) = 0.00496279: table I of the paper has 100 flows and a = 0.5.
    ("cadpc.updates_to_fairness", at(100, 0.01, 0.5), "927.94"),
    ("cadpc.newcomer_growth", at(9, 0.5), 1.05),  # nine flows at equilibrium use 9/10: a small rate grows by 1 + a/10
    # x/(1 - L) = 1/3: 4 - 3/3 = 3; growth 1 + 0.5 * 3 * 0.5 = 1.75; at most 1.5 if told so
    ("cadpc.startup_multiplicity", at(0.25, 0.25, 4), 3),
    ("cadpc.startup_step", at(0.25, 0.25, 4, 2, 0.5), 0.25 * 1.75),
    ("cadpc.startup_step", at(0.25, 0.25, 4, 1.5, 0.5), 0.25 * 1.5),
    # Nothing left to grow into: one flow, x (2 - x - L).
    ("cadpc.startup_multiplicity", at(0.3, 0.7, 4), 1),
    ("cadpc.startup_multiplicity", at(0.4, 0.7, 4), 1),
    ("cadpc.startup_multiplicity", at(0.1, 3.0, 4), 1),
    ("cadpc.startup_step", at(0.4, 0.7, 4), 0.4 * 0.9),
    ("cadpc.startup_step", at(0.1, 1.0, 4), 0.1 * 0.9),
    ("cadpc.startup_step", at(0.1, 3.0, 4), -0.1 * 1.1),
    ("cadpc.startup_step", at(0.1, 0.3, 1, 10, 0.5), 0.1 * 1.3),
    # 9 short flows and 1: 1/11 on the first link, (1 - 1/11)/2 = 5/11 on the second; 9/10 would be max-min fair.
    ("cadpc.parking_lot_long_rate", at(9, 1), 1 / 11),
    ("cadpc.parking_lot_short_rate", at(1, 9), 5 / 11),
    # Credits. 15 cells in 20 + 5 cell times; of 17 cells, 15 in 20 + 5 - 2; of 4, none but 3 in 8 + 3 - 1.
    ("credits.throughput", at(15, 5, 1.0, 20.0), 15 / 25),
    ("credits.throughput", at(17, 5, 1.0, 20.0), 15 / 23),
    ("credits.throughput", at(4, 3, 1.0, 8.0), 3 / 10),
    ("credits.throughput", at(65535, 65536, 125e6, 0.1, 1), 0),  # no update ever comes
    ("credits.throughput", at(65535, 65536, 125e6, 0.1, 2), 0),
    ("credits.adaptive_allocation", at(3, 2.0), 15),  # 1, 1 + 2, 1 + 2 x 3, 1 + 2 x 7
    ("credits.adaptive_allocation", at(2, 1.5), 4.75),  # 1 + 1.5, 1 + 1.5 x 2.5
    # CUBIC. W_max = 800/3, beta = 0.7: K = (80/0.4)^(1/3) = 200^(1/3); with C = 10 it is 2.
    ("cubic.recovery_time", at(800 / 3, 10, 0.7), 2),
    ("cubic.window", at(0, 800 / 3, 10, 0.7), 560 / 3),
    ("cubic.window", at(1, 800 / 3, 10, 0.7), 800 / 3 - 10),
    ("cubic.window", at(2, 800 / 3, 10, 0.7), 800 / 3),
    ("cubic.window", at(3, 800 / 3, 10, 0.7), 800 / 3 + 10),
    ("cubic.window", at(5, 800 / 3, 10, 0.7), 800 / 3 + 270),
    # All three regions. K = (300 * 0.3/0.4)^(1/3) = 6.08 s; the estimate climbs in 300 R 1.7/3 = 170 R: it rules below
    # R = K/510. (3 + 0.7)/4 and (1 + 0.7)/2 of 300.
    ("cubic.mean_window", at(300, 0.036), 277.5),
    ("cubic.mean_window", at(300, 0.0119), 255),
    # Between, theta = 4/7: s = (3 - 2)/2 = 1/2; with beta = 1/2, W = 1 the two parts are 49/128 and 31/448.
    # theta = W R (1 + beta)/(3 K) = R/(2 K) with K = (1/(2 C))^(1/3) = 1 for C = 1/2: R = 8/7
    ("cubic.mean_window", at(1, 8 / 7, 0.5, 0.5), (49 / 128 + 31 / 448) * 7 / 4),
    ("cubic.reno_friendly_loss", at(0.1), 148 / 270_000),  # A = 0.4 * 3.7/1.2 = 37/30: (4/9)(37/30)/1000
    ("cubic.reno_friendly_window", at(0.1), math.sqrt(8.1 / 0.0019652)),  # 27 * 0.3/(0.4 * 0.17^3)
    # One flow at a link. beta = 1/2, x = 1/8: B = (1 + B)/16 = 1/15; U = 1 - (16/15)/8 (1 - 1/2 + 3/16) = 1 - 11/120,
    # Q = 3/4 (16/15)(1/2)(1/16) = 1/40.
    ("cubic.utilisation", at(1 / 15, 0.5), 109 / 120),
    ("cubic.mean_queue", at(1 / 15, 0.5), 1 / 40),
    ("cubic.utilisation", at(0, 0.7), 3.7 / 4),
    ("cubic.utilisation", at(3 / 7, 0.7), 1),
    ("cubic.utilisation", at(1.0, 0.7), 1),
    ("cubic.mean_queue", at(1.0, 0.7), 1 - 2 * 0.3 / 4),  # B - (1 + B)(1 - beta)/4
    # DCTCP. N = 2, C R = 100, K = 28: sqrt(2 * 128/2) = 8 sqrt(2); 28 + 2 - 8 sqrt(2); sqrt(128/4) half seconds.
    ("dctcp.queue_amplitude", at(2, 100, 28), 8 * ROOT_2),
    ("dctcp.smallest_queue", at(2, 100, 28), 30 - 8 * ROOT_2),
    ("dctcp.oscillation_period", at(2, 100, 28, 0.5), math.sqrt(8)),
    ("dctcp.largest_queue", at(2, 28), 30),
    ("dctcp.smallest_queue", at(2, 100, 0), 0),  # 2 - 10: the link idles
    ("dctcp.window_at_spaced_marks", at(0.04), 50),  # 2/p
    ("dctcp.window_at_random_marks", at(0.02), (1 + math.sqrt(3)) / 0.02),
    ("dctcp.window_at_threshold_marks", at(1), 1),
    # Copa: two flows of delta 0.5 and 0.25 on 1000 packets/s: S = 2 + 4 = 6, d_q = 6 ms; 1/3 and 2/3 of the link.
    ("delay_based.copa_queueing_delay", at(6, 1000), 0.006),
    ("delay_based.copa_share", at(0.5, 6), 1 / 3),
    ("delay_based.copa_share", at(0.25, 6), 2 / 3),
    ("delay_based.copa_largest_queue", at(3, 0.5), 15),  # 2.5 * 3/0.5
    ("delay_based.copa_mean_queue", at(3, 0.5), 7.5),
    # LEDBAT++: 1/min(16, ceil(0.12/R)): 0.12, 1, 1.008, 2, 3, 14.8 and 17.1.
    ("delay_based.ledbat_gain", at(1), 1),
    ("delay_based.ledbat_gain", at(0.12), 1),
    ("delay_based.ledbat_gain", at(0.119), 1 / 2),
    ("delay_based.ledbat_gain", at(0.06), 1 / 2),
    ("delay_based.ledbat_gain", at(0.04), 1 / 3),
    ("delay_based.ledbat_gain", at(0.0081), 1 / 15),
    ("delay_based.ledbat_gain", at(0.007), 1 / 16),
    # G = W (q/T - 1): at R = T = 60 ms and G = 1/2, C T ((q/T)^2 - 1) = 1/2, with C T = 6 and 6e7 packets.
    ("delay_based.ledbat_queueing_delay", at(1, 100, 0.06), 0.06 * math.sqrt(13 / 12)),
    ("delay_based.ledbat_queueing_delay", at(1, 1e9, 0.06), 0.06 * math.sqrt(1 + 0.5 / 6e7)),
    # 2 (R + T), the round trips in which the window grows by 1 + G to the product, and the rest of R + T over G.
    ("delay_based.ledbat_slowdown_time", at(40, 0.2), 0.98),  # G = 1, 8 packets: 0.52 s, 2 trips from 2 to 8, 0.06 s
    # G = 1/4, 2 x 1.25^2 packets: 0.18 s, 2 round trips, and four times 0.06 s
    ("delay_based.ledbat_slowdown_time", at(3.125 / 0.03, 0.03), 0.48),
    # G = 1/8, two packets fill the link: 0.15 s, and eight times 0.075 - 0.02 s
    ("delay_based.ledbat_slowdown_time", at(100, 0.015), 0.59),
    ("delay_based.ledbat_slowdown_time", at(10, 0.03), 0.18),  # they take 0.2 s, more than R + T: no growth
    # The first of them: of 26.4 packets in 0.66 s, 2 in each round trip of 0.26 s and 8 - 2 make 8.6: 17.8 of 392.
    ("delay_based.ledbat_utilisation", at(40, 0.2), 1 - 17.8 / 392),
    ("delay_based.ledbat_utilisation", at(1000, 0.002), 1),  # two packets fill the link
    # Guarantees. 10 kB at 1 MB/s: 10 ms. Three links: 2 kB more at 1 MB/s, and three packets of 1500 bytes at 10 MB/s.
    ("guarantees.fluid_delay_bound", at(10_000, 1e6), 0.010),
    ("guarantees.delay_bound", at(10_000, 1e6, 1000, 1500, 1e7), 0.01015),
    ("guarantees.delay_bound", at(10_000, 1e6, 1000, 1500, 1e7, hops=3), 0.01245),
    # A flow alone on a link with bursts of one packet waits for one packet at most.
    ("guarantees.delay_bound", at(1500, 1e6, 1500, 1500, 1e6), 2 * 0.0015),
    # Loss-load. L = 3/2; L = 27/25, 1 - 25/27; L = 1 for v = k/(k + 1), and below it nothing is lost.
    ("loss_load.virtual_capacity", at(5e6, 0.9), 4.5e6),
    ("loss_load.equilibrium_load", at(2, 0.5), 0.75),
    ("loss_load.equilibrium_loss", at(2, 1), 1 / 3),
    ("loss_load.equilibrium_loss", at(5, 0.9), 2 / 27),
    ("loss_load.lossless_virtual_factor", at(2), 2 / 3),
    ("loss_load.lossless_virtual_factor", at(20), 20 / 21),
    ("loss_load.equilibrium_loss", at(2, 0.666), 0),
    ("loss_load.bounded_loss", at(2), 1 / 3),
    ("loss_load.response_time", at(0.5, -0.5, 0.25, 1, 1000, 0.1, 1000), 2.1),  # no loss: 1000/(0.5 * 1000) + 0.1
    # P = 1/3, t = 1/2: 729/(0.5 * 100) + (1 + ln 729/ln 3) 0.1 = 14.58 + 0.7
    ("loss_load.response_time", at(0.75, -0.25, 0.5625, 1, 729, 0.1, 100), 15.28),
    # one packet needs one round on average, says ln 1 = 0, and 1/(1 - P) transmissions
    ("loss_load.response_time", at(0.75, -0.25, 0.5625, 1, 1, 0.1, 100), 0.12),
    ("loss_load.response_time", at(2, 1, 1, 2, 10, 0.1, 100), math.inf),
    # Power. Knees: M/M/1 alpha/(1 + alpha); M/D/1 2 - sqrt(2); D = 3 S under sharing 2/3; M/G/1 with C_b^2 = 7 1/3.
    ("power.network_power", at(100.0, 0.5, 2), 20_000),
    ("power.network_power", at(100.0, 0.5, 0.5), 20),
    ("power.network_power", at(0.0, 1.0), 0),
    *(("power.knee_load", at(0, 1, alpha), alpha / (1 + alpha)) for alpha in (0.01, 0.5, 1.0, 2.0, 50.0)),
    *(("power.knee_number", at(0, 1, alpha), alpha) for alpha in (0.01, 0.5, 1.0, 2.0, 50.0)),
    ("power.knee_load", at(0, 0), 2 - ROOT_2),
    ("power.knee_load", at(3), 2 / 3),
    ("power.knee_load", at(0, 7), 1 / 3),
    # C^2/F = 100, D/S = 3: q = 2, 100/9; D/S = 1: q = 2, 2 * 100/9; D = 0: 25, and 8/(1 + sqrt(2))^2 of it
    ("power.power_ceiling", at(10.0, 1.0, 0.3), 100 / 9),
    ("power.first_come_ceiling", at(10.0, 1.0, 0.1), 200 / 9),
    ("power.power_ceiling", at(10.0, 1.0, 0.0), 25),
    ("power.first_come_ceiling", at(10.0, 1.0, 0.0), 25 * 8 / (1 + ROOT_2) ** 2),
    ("power.power_ceiling_exponent", at(10.0, 1.0, 0.3), 1.5),
    # Queues. 0.8/0.2; 0.8/(2 * 0.2); 0.8 * 5/(2 * 0.2).
    ("queues.mm1_mean_number", at(0.8), 4),
    ("queues.mm1_wait", at(0.8), 4),
    ("queues.mm1_response", at(0.8), 5),
    ("queues.md1_wait", at(0.8), 2),
    ("queues.mg1_wait", at(0.8, 4), 10),
    ("queues.mg1ps_response", at(0.8), 5),
    # rho = 2, K = 2: weights 1, 2, 4; p = 1/7, 2/7, 4/7; L = 10/7; accepted find 0 or 1 with weights 1, 2
    ("queues.mm1k_loss", at(2.0, 2), 4 / 7),
    ("queues.mm1k_mean_number", at(2.0, 2), 10 / 7),
    ("queues.mm1k_wait", at(2.0, 2), 2 / 3),
    # rho = 1, K = 3: 1/4, 3/2, and 0, 1, 2 are found equally often
    ("queues.mm1k_loss", at(1.0, 3), 1 / 4),
    ("queues.mm1k_mean_number", at(1.0, 3), 3 / 2),
    ("queues.mm1k_wait", at(1.0, 3), 1),
    # K = 2: b_0 = 1, b_1 = e^rho. rho = ln 2: b_1 = 2, P = 1 - 2/(1 + 2 ln 2), L = 2 - 3/(1 + 2 ln 2),
    # W_q = 1 - (3 - 2)/(2 ln 2)
    ("queues.md1k_loss", at(LN_2, 2), 1 - 2 / (1 + 2 * LN_2)),
    ("queues.md1k_mean_number", at(LN_2, 2), 2 - 3 / (1 + 2 * LN_2)),
    ("queues.md1k_wait", at(LN_2, 2), 1 - 1 / (2 * LN_2)),
    # To first order K packets have to come together: rho^K in M/M/1/K, rho^K/K! within one constant service.
    ("queues.mm1k_loss", at(1e-300, 1), 1e-300),
    ("queues.mm1k_loss", at(1e-20, 5), 1e-100),
    ("queues.md1k_loss", at(1e-20, 5), 1e-100 / 120),
    ("queues.md1k_wait", at(1e-300, 5), 5e-301),
    ("queues.mm1k_wait", at(1e-300, 5), 1e-300),
    # K u = 1000 > 0: the buffer is always full but for 1/rho of the rate; K u = -1000: exp(-1000) = 0
    ("queues.mm1k_loss", at(1 + 2.0**-20, 2**30), 2.0**-20 / (1 + 2.0**-20)),
    ("queues.mm1k_loss", at(1 - 1e-6, 10**9), 0),
    # At rho = 1 the poles merge: b_n = 2 n + 2/3, so P = 1/(2 n + 5/3), and W_q = (n^2/2 - 1/36)/(n + 1/3).
    ("queues.md1k_loss", at(1.0, 10**9), 1 / (2 * (10**9 - 1) + 5 / 3)),
    ("queues.md1k_wait", at(1.0, 101), (100**2 / 2 - 1 / 36) / (100 + 1 / 3)),
    # Selective repeat. RTD + 3 t_p = 20 ms + 3 * 54.6133 us (1024 B at 150 Mbit/s); w_a = t_a/(16 t_p).
    ("selective_repeat.ack_delay", at(20e-3, 8192 / 150e6), 20.16384e-3),
    ("selective_repeat.ack_segments", at(20.16384e-3, 8192 / 150e6, 16), 20.16384 / 0.873813333333333333),
    ("selective_repeat.initial_window", at(23.0), 24),
    ("selective_repeat.adjusted_window", at(60, 100, 80), 48),
    # t_s = 16 ms, T = 20 ms, (16 + 160)/4 = 44 ms per segment; with 16 segments 11 ms
    ("selective_repeat.processing_throughput", at(4, 0.016, 0.16, 0.02), 1 / 0.044),
    ("selective_repeat.processing_throughput", at(16, 0.016, 0.16, 0.02), 50),
    ("selective_repeat.processing_throughput", at(16, 0.016, 0.16, 0.0), 62.5),
    # Gong and Parulkar, table 1: 30 and 26 Mbit/s of packets of 8192 bits, cut to whole Mbit/s; the delay alone binds.
    ("selective_repeat.processing_throughput", at(1000, 1e-9, 0, 273e-6), 1 / 273e-6),
    ("selective_repeat.processing_throughput", at(1000, 1e-9, 0, 310e-6), 1 / 310e-6),
    ("selective_repeat.burst_packets", at(0.2, 16), 20),  # 16 packets and 16 * 0.2/0.8 = 4 retransmissions
    ("selective_repeat.average_rate", at(100, 20, 1000), 2e6),
    ("selective_repeat.largest_burst_rate", at(2e6, 20, 1000), 100),
    # p = 1/2, s = 2: S = 2/(1/2) - 1/(3/4) = 8/3; D_s = 2 * 1 * 2 + 3 * 8/3
    ("selective_repeat.mean_delay_sender", at(0.5, 2, 1.0, 3.0), 12),
    # RTD = 4, t_p = 1: t_a = 7; D_r = 4 + 7 * 8/3 - 2 - 3; without loss t_s + RTD/2: Gong and Parulkar, section 4.1
    ("selective_repeat.mean_delay_receiver", at(0.5, 2, 1.0, 4.0), 4 + 56 / 3 - 5),
    ("selective_repeat.mean_delay_receiver", at(0.0, 16, 1e-3, 0.1), 0.066),
    ("selective_repeat.mean_rounds", at(0.5, 1), 2),  # geometric: 1/(1 - p)
    ("selective_repeat.mean_rounds", at(0.5, 2), 8 / 3),  # 2/(1 - p) - 1/(1 - p^2) = 4 - 4/3
    ("selective_repeat.mean_rounds", at(0.0, 16), 1),
    ("selective_repeat.mean_rounds", at(1e-300, 7), 1),
    # w_a = 1.5: M = 3 slots. B = 1: 1 and 2 after the lost one, and the new one before 1 comes again.
    ("selective_repeat.discards_after_loss", at(1, 1.5), 3),
    ("selective_repeat.discards_after_loss", at(2, 1.5), 2),
    ("selective_repeat.discards_after_loss", at(3, 1.5), 0),
    # TCP: the sawtooth, with halving in both laws.
    *(
        (law, arguments, value)
        for buffer, value in (
            (0, 3 / 4),
            (0.1, 3 * 1.21 / (4 * 1.11)),  # 3 * 1.1^2/(4 (1 + 0.1 + 0.01)) = 0.818
            (0.25, 75 / 84),  # 3 * 25/16/(4 * 21/16)
            (0.5, 27 / 28),  # 3 * 9/4/(4 * 7/4)
            (1, 1),
            (1e308, 1),
        )
        for law, arguments in (
            ("tcp.aimd_utilisation", at(buffer)),
            ("tcp.aimd_utilisation_general", at(buffer, 0.5)),
        )
    ),
    ("tcp.aimd_utilisation_general", at(0, 7 / 8), 15 / 16),  # (1 + 7/8)/2
    ("tcp.aimd_utilisation_general", at(1 / 7, 7 / 8), 1),  # 7/8 (1 + 1/7) = 1
    # With halving and B = 1 the window climbs from 1 to 2: 5/6 over 3/2. With B = 3 from 2 to 4: 38/3 over 6.
    # The integrals of (w - 1) w are 7/3 - 3/2 and 56/3 - 6, those of w 3/2 and 6.
    ("tcp.aimd_mean_queue", at(1, 0.5), 5 / 9),
    ("tcp.aimd_mean_queue", at(3, 0.5), 38 / 18),
    # With B < 1: (B^2/2 + B^3/3)/((1 + B + B^2)/2).
    ("tcp.aimd_mean_queue", at(1e-9, 0.5), 1e-18 * (1 + 2e-9 / 3) / (1 + 1e-9)),
    ("tcp.aimd_mean_queue", at(1e308, 0.5), 7 / 9 * 1e308),
    ("tcp.buffer_for_utilisation", at(0.1), 0),
    ("tcp.buffer_for_utilisation", at(0.75), 0),
    ("tcp.buffer_for_utilisation", at(1), 1),
    ("tcp.buffer_for_utilisation", at(27 / 28), 0.5),
    # Parallel flows: the mean of 1/2 and 1; 1 - 1/(1 + 3 x 3), Altman and others, abstract: 3 connections yield 90 %,
    # and 95 % is almost achieved by 6; 1 - 1/(1 + 2 x 1.7/0.3).
    ("tcp.parallel_utilisation", at(1, 0.5), 3 / 4),
    ("tcp.parallel_utilisation", at(3, 0.5), 9 / 10),
    ("tcp.parallel_utilisation", at(6, 0.5), 18 / 19),
    ("tcp.parallel_utilisation", at(2, 0.7), 34 / 37),
    ("tcp.parallel_utilisation", at(1, 0.7), 0.85),
    ("tcp.parallel_share", at(8, 1), 8 / 9),
    ("tcp.parallel_share", at(1, 3), 0.25),
    ("tcp.parallel_share", at(5, 0), 1),
    # p = 0.06, b = 1: sqrt(3/0.12) = 5; b = 4: 5/2
    ("tcp.square_root_rate", at(0.06, 0.5), 10),
    ("tcp.square_root_rate", at(0.06, 0.5, acked=4), 5),
    ("tcp.square_root_rate", at(1e-300, 1), math.sqrt(1.5) * 1e150),
    ("tcp.gaimd_rate", at(1e-4, 0.1, 0.31, 7 / 8), math.sqrt(0.31 * 7.5e4) * 10),  # sqrt(0.31 (15/8)/(2/8 p))/R
    # 50 + 51 + ... + 100 = 51 * 75 = 3825 packets a cycle; the fluid cycle has 3 * 100^2/8 = 3750
    ("tcp.loss_of_window", at(100), 1 / 3750),
    # p = 0.06, b = 1: sqrt(2p/3) = 0.2, 3 sqrt(3p/8) = 0.45, 1 + 32 p^2 = 1.1152
    ("tcp.pftk_rate", at(0.06, 1, 1), 1 / (0.2 + 0.45 * 0.06 * 1.1152)),
    # p = 0.54: sqrt(2p/3) = 0.6, 3 sqrt(3p/8) = 1.35 and so 1, 1 + 32 p^2 = 10.3312
    ("tcp.pftk_rate", at(0.54, 1, 2), 1 / (0.6 + 2 * 0.54 * 10.3312)),
    # Ratios of round-trip times. Reno in step: 16^2; with equal probabilities: 16^(2/2); CUBIC in step; with equal
    # probabilities: 16^(1/4); (2^4)^(2/1.5); (2^5)^(1/2.5). The flow with the longer round trip sees the inverse.
    *(
        ("tcp.round_trip_unfairness", at(ratio**sign, *powers), value**sign)
        for ratio, powers, value in (
            (16, (0, 1, 1), 256),
            (16, (1, 1, 1), 16),
            (16, (0, 3, 0), 16),
            (16, (1, 3, 0), 2),
            (16, (0.5, 1, 1), 2 ** (16 / 3)),
            (32, (0.5, 3, 0), 4),
            (1, (0.3, 3, 0), 1),
        )
        for sign in (1, -1)
    ),
    # Slow start: 1 + 2 + 1, 1 + 2 + 4 + 8 + 5, 1 + ... + 64 + 73 packets.
    ("tcp.slow_start_rounds", at(4), 3),
    ("tcp.slow_start_rounds", at(20), 5),
    ("tcp.slow_start_rounds", at(200), 8),
    # A pipe of 401 packets is filled by round 9 of 512, which follows 511: 40 + 9 * 40.1 + 489 * 0.1 ms; from there on
    # a packet costs its packet time.
    ("tcp.slow_start_transfer_time", at(1000, 40e-3, 0.1e-3), 449.8e-3),
    ("tcp.slow_start_transfer_time", at(5000, 40e-3, 0.1e-3), 849.8e-3),
    # 8 rounds of 30 ms + 3 * 4 us, and the 73 packets of the last one, less one, 4 us apart
    ("tcp.unloaded_transfer_time", at(200, 30e-3, 4e-6, 4e-6, 4e-6), 8 * 30.012e-3 + 72 * 4e-6),
    # RFC 6349, sections 4.1.2, 4.3.1 and 4.2.1, where 100,000/102,000 = 50/51 is printed as 98.03 %, not rounded
    ("tcp.transfer_time_ratio", at(12, 8), 1.5),
    ("tcp.buffer_delay", at(32e-3, 25e-3), "0.28"),
    ("tcp.tcp_efficiency", at(100_000, 2_000), 50 / 51),
]  # fmt: skip


@pytest.mark.parametrize("family", sorted({law.partition(".")[0] for law, _, _ in VALUES}))
def test_values(family):
    """All values of a family agree, to 2e-13 or with each printed digit."""
    wrong = []
    for law, (given, named), expected in VALUES:
        if law.startswith(f"{family}."):
            found = LAWS[law](*given, **named)
            if isinstance(expected, str):
                found = f"{found:.{len(expected.partition('.')[2])}f}"
            if found != (expected if isinstance(expected, str) else pytest.approx(expected, rel=2e-13, abs=0)):
                wrong.append((law, given, named, found, expected))
    assert not wrong
