"""CUBIC's window as a plug-in: RFC 9438, sections 4.1 to 4.8. Times in seconds, windows in packets.

Section and equation numbers below are those of RFC 9438. As in Linux, ssthresh is beta times the window and not the
data in flight (section 4.6 allows both): a greedy flow fills its window. State: ssthresh; W_max, K, t_epoch, W_est and
cwnd_prior of the RFC.
"""

from longfat.sim import Parameter, Scheme, part


@part
def begin_stage(flow, now, w_max):  # section 4.2, equation 2: after K the window is back at W_max
    flow.epoch_start, flow.w_max, flow.w_est = now, w_max, flow.window
    flow.k = (max(0.0, w_max - flow.window) / flow.c) ** (1 / 3)


def ack(flow, event):
    if flow.window < flow.ssthresh:  # section 4.10: slow start (RFC 5681, section 3.1)
        return flow.window + min(event.acked, 1)
    if flow.epoch_start < 0.0:  # sections 4.8 and 4.10: the first stage has K = 0
        begin_stage(flow, event.now, flow.window)
    alpha = 3 * (1 - flow.beta) / (1 + flow.beta) if flow.w_est < flow.cwnd_prior else 1.0
    flow.w_est += alpha * event.acked / flow.window  # section 4.3, equation 4: fair to Reno
    x = event.now - flow.epoch_start - flow.k
    if flow.c * x * x * x + flow.w_max < flow.w_est:  # equation 1
        return max(flow.window, flow.w_est)
    x += flow.srtt
    target = flow.c * x * x * x + flow.w_max  # sections 4.4 and 4.5: W_cubic after a round trip
    return flow.window + min(event.acked, 1) * (min(max(target / flow.window, 1.0), 1.5) - 1.0)


def loss(flow, event):  # section 4.6: by beta, at least two packets; section 4.7: fast convergence
    flow.cwnd_prior = flow.window
    w_max = flow.window * (1 + flow.beta) / 2 if flow.window < flow.fast_convergence * flow.w_max else flow.window
    flow.window = flow.ssthresh = max(2.0, flow.beta * flow.window)
    begin_stage(flow, event.now, w_max)
    return flow.window


def timeout(flow, event):  # section 4.8: as Reno, but ssthresh by beta
    flow.cwnd_prior, flow.ssthresh, flow.epoch_start = flow.window, max(2.0, flow.beta * flow.window), -1.0
    return 1.0


OWN = dict.fromkeys(("w_max", "k", "w_est", "cwnd_prior"), 0.0) | {"ssthresh": 1e300, "epoch_start": -1.0}
GIVEN = {"c": Parameter(0.4, "packets/s^3"), "beta": Parameter(0.7), "fast_convergence": Parameter(1.0, "1", "{0, 1}")}
CUBIC = Scheme("cubic", ack=ack, loss=loss, timeout=timeout, reorder=3, parameters=GIVEN, state=OWN)
