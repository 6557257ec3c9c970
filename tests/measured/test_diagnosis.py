"""The diagnosis: the limit of a flow comes first, and the advice concerns that limit."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from longfat import cli, measured
from longfat.measured import PathFigures
from longfat.measured.diagnosis import _ADVICE, Diagnosis, diagnosis
from tests.measured import questions

DATA = Path(__file__).parents[1] / "data" / "measured"
TEMPLATE = json.loads((DATA / "clean-1.json").read_text())


def asked(tmp_path, capsys, text, *options, command="window"):
    """Return what a command says of a file; an answer of `window` fits on a screen."""
    path = tmp_path / "run.json"
    path.write_text(text)
    law = ["--no-simulation"] if command == "window" else []
    assert cli.main([command, str(path), *options, *law]) == 0
    out = capsys.readouterr().out
    if command == "window":
        assert len(out.splitlines()) <= 20
        assert max(map(len, out.splitlines())) <= 116
    return out


def kind_of(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return diagnosis(measured.read(path)).kind


@pytest.mark.parametrize("command", ["window", "measured"])
@pytest.mark.parametrize(
    ("question", "line"),
    [
        # 21 MB in 80 ms are 262.5 MB/s
        ("receive_window", "limit     receiver window of 21 MB: 2.1 Gbit/s at 80 ms"),
        ("processor", "limit     sender's processor, busy for 99.6% of the time: 2.1 Gbit/s"),
        # 906 of 181,284.5 segments in each second are 0.4998 %
        (
            "policer",
            "limit     policer suspected, or a short buffer: 2.1 Gbit/s of data passed, a share of 0.005 was lost "
            "without a queue",
        ),
    ],
)
def test_why_two_of_ten_gigabits(tmp_path, capsys, command, question, line):
    options = ["--rate", "10Gbit/s"] if command == "window" else []
    out = asked(tmp_path, capsys, getattr(questions, question)(), *options, command=command)
    assert out.splitlines()[0] == line
    assert out.count("next:") == 1
    assert "loss estimate decides" not in out


@pytest.mark.parametrize("command", ["window", "measured"])
def test_why_two_of_ten_gigabits_if_packets_are_lost(tmp_path, capsys, command):
    text = questions.losses()
    sums = json.loads(text)["end"]["sum_sent"]
    lost, sent = sums["retransmits"], sums["bytes"] / 1448
    assert 2e-7 < lost / sent < 3e-7
    out = asked(tmp_path, capsys, text, *(["--rate", "10Gbit/s"] if command == "window" else []), command=command)
    head = f"limit     loss of {lost / sent:.3g} ({lost} of {sent / 1e8:.3g}e8 packets) without a queue: "
    tail = f" Gbit/s by the law of CUBIC at 80 ms, measured {8e-9 * sums['bytes'] / 600:.3g} Gbit/s"
    first = " ".join(out.split("next:")[0].split()).replace("limit loss", "limit     loss")
    assert first.startswith(head)
    assert first.endswith(tail)
    if command == "window":
        assert "\ncheck     iperf3 -c HOST -C cubic\n" in out
    # The Monte Carlo of `questions` has 2.30 Gbit/s at 2.5e-7 in 20,000 s, and W grows as p^(-3/4) (RFC 9438, 5.1).
    law = 2.30 * (2.5e-7 * sent / lost) ** 0.75
    assert float(first.removeprefix(head).removesuffix(tail)) == pytest.approx(law, rel=0.03)
    assert out.count("next:") == 1
    assert "sysctl" not in out


def test_a_minute_is_enough_to_recognise_random_losses(tmp_path):
    """Two to six losses: their number is uncertain by a factor, which must not make a policer of them."""
    assert {kind_of(tmp_path, questions.losses(seed, 60)) for seed in range(12)} == {"losses"}


@pytest.mark.parametrize("question", ["processor", "application", "policer", "a policer of 5 Mbit/s"])
def test_no_window_where_none_helps(tmp_path, capsys, question):
    known = {"processor": questions.processor, "policer": questions.policer}
    known["application"] = (DATA / "application.json").read_text
    # 412 packets of 1448 bytes in a second, of which two are lost: sqrt(1.5/0.00485) = 17.6 packets in 80 ms by the law
    slow = questions.run([597e3] * 10, resent=[2] * 10, mean_rtt=questions.TRIP + 41e-6)
    options = ["--rate", "10Gbit/s", "--output", str(tmp_path / "out")]
    out = asked(tmp_path, capsys, known[question]() if question in known else slow, *options)
    assert "sysctl" not in out
    assert "BDP" not in out  # no buffer of the bottleneck is assumed
    assert not list((tmp_path / "out").iterdir())
    assert ("tcpdump -s 96" in out) == ("policer" in question)


@pytest.mark.parametrize("options", [["--scheme", "bbr1"], ["--loss", "0"]])
def test_windows_for_another_sender_or_without_the_losses(tmp_path, capsys, options):
    assert "sysctl" in asked(tmp_path, capsys, questions.losses(4, 60), "--rate", "10Gbit/s", *options)


def test_a_receive_window_is_advised_for_the_link_without_losses(tmp_path, capsys):
    """None of 1.09e7 packets: the bound on the loss would allow 2.7 Gbit/s only, and says nothing here."""
    out = asked(tmp_path, capsys, questions.receive_window(), "--rate", "10Gbit/s")
    # 262.5 MB/s for 60 s are 10,877,072 packets; 3.689 events are the upper end for none (Garwood)
    assert "losses    none in 1.09e7 packets: at most 3.39e-07 (95% confidence), 0 is assumed" in out
    assert "sysctl -w net.ipv4.tcp_rmem" in out
    table = asked(tmp_path, capsys, questions.receive_window(), command="measured")
    assert "none in 1.09e7 packets: at most 3.39e-07 (95% confidence)" in table


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("clean-1.json", "bottleneck"),
        ("clean-2.json", "bottleneck"),
        ("clean.ss", "bottleneck"),
        ("clean.pcap", "bottleneck"),
        # Nothing shows that the smallest round trip contains a queue of its own; a ping does.
        ("clean-3.json", "own losses"),
        ("parallel.json", "own losses"),
        ("parallel.json idle.ping", "bottleneck"),
        ("bbr.json", "own losses"),
        ("lossy.json", "losses or policer"),
        ("policed.json", "suspected policer"),
        ("policed.pcap", "policer"),
        ("receiver.json", "receiver window"),
        ("receiver.ss", "receiver window"),
        ("receiver.pcap", "receiver window"),
        ("application.json", "application"),
        ("application.ss", "sender"),  # Linux's clocks do not tell why the sender waits
        ("send-buffer.json", "sender"),
        ("send-buffer.ss", "send buffer"),
        ("reverse.json", "unknown"),
        ("overload-udp.json", "unknown"),
        ("idle.ping", "unknown"),
    ],
)
def test_files_of_known_paths(name, kind):
    figures = measured.read(*(DATA / one for one in name.split()))
    assert diagnosis(figures).kind == kind
    known = {"receiver window": kind, "send buffer": kind, "application": "sender", "sender": "sender", "unknown": None}
    assert figures.limited_by == known.get(kind, "network")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["policed.json", "policed.ss"], "suspected policer"),
        (["policed.json", "policed.ss", "idle.ping"], "suspected policer"),
        (["lossy.json", "lossy.ss"], "losses or policer"),
        (["policed.json", "policed.pcap"], "policer"),
        (["lossy.json", "lossy.pcap"], "bottleneck"),  # the capture shows a queue
    ],
)
def test_a_policer_stays_suspected_until_a_queue_or_a_capture(capsys, names, kind):
    files = [str(DATA / name) for name in names]
    runs = measured.read_each(*files)
    assert diagnosis(measured.path_of(runs), runs=runs).kind == kind
    assert cli.main(["window", *files, "--rate", "20Mbit/s", "--no-simulation"]) == 0
    assert ("sysctl" in capsys.readouterr().out) == (kind == "bottleneck")
    assert cli.main(["measured", *files]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("policer "))
    words = {"suspected policer": "suspected", "losses or policer": "possible", "policer": "suspected"}
    assert row.split()[1] == words.get(kind, "not")  # the capture: not seen


def test_the_send_buffer_is_named_with_its_share_and_its_setting(capsys):
    files = [str(DATA / "send-buffer.json"), str(DATA / "send-buffer.ss")]
    said = []
    for more in (
        ["window", *files, "--rate", "100Mbit/s", "--no-simulation"],
        ["measured", *files],
    ):
        assert cli.main(more) == 0
        said.append(capsys.readouterr().out)
        assert said[-1].startswith("limit     send buffer, for 69% of the time with data outstanding: 20.2 Mbit/s\n")
        assert "SO_SNDBUF" in said[-1]
        assert "SO_RCVBUF" not in said[-1]
        assert "app_limited" not in said[-1]
    assert "net.ipv4.tcp_wmem of the sender" in said[1]


def test_the_option_rtt_is_the_base(tmp_path, capsys):
    """Half a gigabit per second at 112 ms over a path of 80 ms: 32 ms are the queue."""
    text = questions.run([500e6 / 8] * 60, rtt=0.112, mean_rtt=0.112)
    for options, words in (
        (["--rtt", "80ms"], "bottleneck that was full, with a queue of 32 ms"),
        (["--rtt", "60..80ms"], "bottleneck that was full, with a queue of 32 ms"),
        (["--rtt", "80..112ms"], "congestion window, still growing"),
        ([], "congestion window, still growing"),
    ):
        out = asked(tmp_path, capsys, text, "--rate", "10Gbit/s", *options)
        assert out.startswith(f"limit     {words}")


@pytest.mark.parametrize("rates", [[941e6 / 8] * 60, [20e6] * 5 + [941.3e6 / 8] * 9])
def test_a_hop_of_gigabit_ethernet(tmp_path, capsys, rates):
    """1448 of 1538 bytes of 1 Gbit/s are 941.5 Mbit/s; the mean of the second flow shows that it had time to grow."""
    text = questions.run(rates, rtt=0.112, mean_rtt=0.112)
    out = asked(tmp_path, capsys, text, "--rate", "10Gbit/s", "--rtt", "80ms")
    assert out.startswith("limit     hop of 1 Gbit/s: 941 Mbit/s of data is all that Gigabit Ethernet carries\n")
    assert "sysctl" not in out
    assert "Gbit/s by law" not in out
    assert ", all that Gigabit Ethernet carries\n" in asked(tmp_path, capsys, text, command="measured")
    same = asked(tmp_path, capsys, text, "--rate", "1Gbit/s", "--rtt", "80ms")
    assert "hop of" not in same
    other = questions.run([0.99 * one for one in rates])
    assert "hop of" not in asked(tmp_path, capsys, other, "--rate", "10Gbit/s")


MEASURED = {
    "rate": 2.5e6,
    "round_trip_time": 0.02,
    "queueing_delay": 0.001,
    "packet": 1448.0,
    "transport": "TCP",
    "limited_by": "network",
    "packets_sent": 1e5,
}


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"loss": 0.0}, "growth"),
        # CUBIC as Reno: sqrt(1.5/1e-4) x 1448 / 0.02 = 8.87 MB/s, far more than 2.5
        ({"loss": 1e-4}, "growth"),
        # sqrt(1.5/1e-3) x 72,400 = 2.80 MB/s
        ({"loss": 0.9e-3}, "losses"),
        ({"loss": 1e-3}, "losses or policer"),
        # A policer of 5 Mbit/s: 20 of 4124 packets in ten intervals, 17.6 packets in 20 ms by the law, 8.3 measured
        ({"loss": 20 / 4124, "packets_sent": 4124, "rate": 0.6e6, "loss_events": 10}, "losses or policer"),
        ({"loss": 121 / 25000, "packets_sent": 25000, "rate": 0.4e6, "loss_events": 60}, "losses or policer"),
        ({"loss": 1e-3, "queueing_delay": 0.004}, "own losses"),
        ({"loss": 1e-3, "queueing_delay": 0.007}, "bottleneck"),
        # sqrt(1.5/5e-3) x 72,400 = 1.25 MB/s, half of what the flow had
        ({"loss": 5e-3}, "suspected policer"),
        ({"loss": 5e-3, "loss_events": 2}, "growth"),
        ({"loss": 0.9e-3, "control": "bbr"}, "unknown"),
        ({"loss": 5e-3, "control": "bbr"}, "losses or policer"),  # which alone does not slow it down
        ({"loss": 5e-3, "control": "bbr", "queueing_delay": 0.004}, "own losses"),
        ({"loss": 5e-3, "flows": 4}, "losses or policer"),
        ({"loss": 5e-3, "limited_by": None}, "unknown"),
    ],
)
def test_loss_queue_and_rate_together(more, kind):
    assert diagnosis(PathFigures(**MEASURED | more)).kind == kind


@pytest.mark.parametrize(
    ("host", "remote", "change", "limit"),
    [
        (99.6, 40.0, {}, "sender's processor"),
        (40.0, 99.6, {}, "receiver's processor"),
        (99.6, 99.6, {}, "receiver's processor"),  # which closes the window
        (89.0, 89.0, {}, "network"),
        (99.6, 40.0, {"reverse": 1}, "receiver's processor"),
        (99.6, 40.0, {"version": "iperf 3.17.1", "streams": 2}, "network"),  # two threads, half used each
        (190.0, 40.0, {"version": "iperf 3.17.1", "streams": 2}, "sender's processor"),
        (99.6, 40.0, {"streams": 2}, "sender's processor"),  # one thread for both
    ],
)
def test_processors(tmp_path, host, remote, change, limit):
    run = copy.deepcopy(TEMPLATE)
    run["end"]["cpu_utilization_percent"] |= {"host_total": host, "remote_total": remote}
    run["end"]["streams"] *= change.get("streams", 1)
    run["start"]["version"] = change.get("version", "iperf 3.12")
    run["start"]["test_start"]["reverse"] = change.get("reverse", 0)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    figures = measured.read(path)
    assert figures.limited_by == limit
    assert figures.processor == (None if limit == "network" else max(host, remote) / 100)
    # Linux's clocks see that the sender waits for its program, but not why.
    assert measured.read(path, DATA / "application.ss").limited_by == ("sender" if limit == "network" else limit)


def test_a_processor_must_be_a_number(tmp_path):
    run = copy.deepcopy(TEMPLATE)
    run["end"]["cpu_utilization_percent"]["host_total"] = "99.6"
    with pytest.raises(ValueError, match=r"end.cpu_utilization_percent.host_total holds '99.6', must hold a number"):
        kind_of(tmp_path, run)


def test_windows_of_parallel_flows_add(tmp_path):
    run = json.loads((DATA / "receiver.json").read_text())
    single = kind_of(tmp_path, run), measured.read(tmp_path / "run.json").receive_window
    for one in run["intervals"]:
        one["streams"] *= 2
    run["end"]["streams"] *= 2
    assert kind_of(tmp_path, run) == "receiver window"
    assert (single[0], measured.read(tmp_path / "run.json").receive_window) == ("receiver window", 2 * single[1])


def test_advice_is_short():
    for kind, (steps, measurement) in _ADVICE.items():
        assert len(steps) <= 3
        assert max(map(len, steps), default=0) <= 106  # a line of 116 characters, less the label
        assert measurement
        assert len(Diagnosis(kind, "cause").lines()) <= 6
        assert ",;" not in Diagnosis(kind, "cause").advice


def test_losses_are_shares(tmp_path, capsys):
    """As --loss reads them: 6 of 5147 segments."""
    out = asked(tmp_path, capsys, json.dumps(TEMPLATE), command="measured")
    line = next(one for one in out.splitlines() if one.startswith("loss"))
    assert float(line.removeprefix("loss, share of packets").split()[0]) == pytest.approx(6 / 5147, rel=1e-3)
    assert "%" not in line


def test_the_diagnosis_as_json(tmp_path, capsys):
    said = json.loads(asked(tmp_path, capsys, questions.receive_window(), "--json", command="measured"))["diagnosis"]
    assert said["limit"] == "receiver window of 21 MB: 2.1 Gbit/s at 80 ms"
    assert "tcp_rmem" in said["steps"][0]


def test_bbr_through_a_policer_gets_the_capture_and_no_window(tmp_path, capsys):
    """Its losses do not slow it down, so that its rate says nothing; only a capture does."""
    content = json.loads(questions.policer())
    content["end"]["sender_tcp_congestion"] = "bbr"
    out = asked(tmp_path, capsys, json.dumps(content), "--rate", "10Gbit/s")
    assert "policer (neither slows down BBR): 2.1 Gbit/s of data" in " ".join(out.split())
    assert "tcpdump -s 96" in out
    assert "sysctl" not in out
    assert "BDP" not in out
