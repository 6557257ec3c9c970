"""`longfat vectors`: NewReno and CUBIC against arithmetic by the equations of RFCs 5681, 6582, 9002 and 9438."""

import csv
import io
import json
import math

import mpmath
import pytest

from longfat.benchmark.vectors import read, tolerance, vector
from longfat.cli import main

PACKET = 1200


def windows(name, **options):
    """Return the rows, and the places of the acknowledgments that find a loss and end the first recovery.

    The lost packet is sent again by that acknowledgment; everything sent before had arrived when it does.
    """
    rows = vector(name, 0.04, **options).rows
    lost = [k for k, row in enumerate(rows) if row.lost]
    again = str(10 + sum(row.sent for row in rows[: lost[0]]))
    return rows, lost, next(k for k in range(lost[0], len(rows)) if rows[k].acked == again)


def packets(row):
    """Return the number of packets of a row without gaps."""
    first, _, last = row.acked.partition("-")
    return int(last or first) - int(first) + 1


def test_newreno_by_hand():
    """RFC 5681, equation 2: one packet for each acknowledgment; equation 4: half of FlightSize; equation 3 after that.

    Ten packets make five acknowledgments, so 15 packets in the second round, the transmissions 10 to 24. Those make
    eight: 23 in the third, 25 to 47. Three acknowledgments precede that of 33, the third one behind the lost 30: the
    window is 26 when it is halved.
    """
    rows, [at], end = windows("newreno", duration=0.25)
    by_time = {round(row.time, 5): row.window / PACKET for row in rows if not row.lost}
    assert by_time[0.04] == 15
    assert by_time[0.08] == 23
    assert (rows[at].acked, rows[at].lost, rows[at - 1].window, rows[at].window) == ("33", "30", 26 * 1200, 13 * 1200)
    # RFC 6582, section 3.2, step 3: the window is ssthresh until all that was sent before is acknowledged: 48 to 57 by
    # the acknowledgments of 25 to 32, and 30 again as 58. Then equation 3.
    assert rows[end].acked == "58"
    assert {row.window for row in rows[at : end + 1]} == {13 * 1200}
    window = mpmath.mpf(13)
    for row in rows[end + 1 :]:
        window += 1 / window
        assert row.window == pytest.approx(float(PACKET * window), abs=0.5 + 1e-6)
    assert len(rows) - end > 10


def test_newreno_of_quic_by_hand():
    """RFC 9002, appendix B.5: slow start by the bytes acknowledged; then max_datagram_size * acked / window."""
    rows, [at], end = windows("newreno-quic", duration=0.25)
    assert {round(row.time, 5): row.window / PACKET for row in rows[:at] if row.time < 0.1} == {0.04: 20, 0.08: 40}
    assert rows[at].window == rows[at - 1].window / 2 == 20 * 1200
    window = mpmath.mpf(20)
    for row in rows[end + 1 :]:
        window += packets(row) / window
        assert row.window == pytest.approx(float(PACKET * window), abs=0.5 + 1e-6)


def test_cubic_by_hand():
    """RFC 9438, equations 1, 2 and 4 and sections 4.3 to 4.7, in 50 digits, from the first loss to behind the second.

    Both losses: ssthresh is 0.7 of the window, and so is the window. The second comes at a larger window than W_max,
    so that there is no fast convergence.
    """
    with mpmath.workdps(50):
        mp = mpmath.mpf
        rows, [at, again], end = windows("cubic", duration=1.4)
        assert rows[at - 1].window == 110 * 1200
        prior = w_max = mp(110)
        window = estimate = mp("0.7") * prior
        k = mpmath.cbrt((w_max - window) / mp("0.4"))  # equation 2
        assert float(k) == pytest.approx(4.353, abs=1e-3)  # cbrt(82.5)
        assert {row.window for row in rows[at : end + 1]} == {77 * 1200}  # t_epoch: the first one after the recovery
        begin, behind, smooth = mp(str(rows[end + 1].time)), rows[end + 1 : again], mp("0.04")
        behind = behind[: next(i for i, row in enumerate(behind) if ";" in row.acked)]  # up to the second loss
        for row in behind:
            acked = packets(row)
            estimate += (mp(9) / 17 if estimate < prior else 1) * acked / window  # equation 4: 3 (1 - b)/(1 + b)
            t = mp(str(row.time)) - begin
            if mp("0.4") * (t - k) ** 3 + w_max < estimate:  # section 4.3
                window = max(window, estimate)
            else:  # sections 4.4 and 4.5
                target = mp("0.4") * (t + smooth - k) ** 3 + w_max
                window += acked * (min(max(target, window), 1.5 * window) - window) / window
            assert row.window == pytest.approx(float(PACKET * window), abs=1.0), row
        assert len(behind) > 1000
        assert rows[again].window == pytest.approx(0.7 * rows[again - 1].window, abs=1.0)


def test_rules_broken_on_purpose_are_beyond_the_tolerance():
    """A factor of 0.72 in place of 0.7, and growth by packets in place of acknowledgments."""
    made = vector("cubic", 0.04, duration=0.5).rows
    [at] = [k for k, row in enumerate(made) if row.lost]
    assert abs(0.72 / 0.7 - 1) * made[at].window > made[at].tolerance
    one, other = (vector(name, 0.04, duration=0.1).rows[-1] for name in ("newreno", "newreno-quic"))
    assert abs(one.window - other.window) > one.tolerance + other.tolerance


@pytest.mark.parametrize("name", ["cubic", "bbr"])
def test_the_forms_agree_and_repeat(name, capsys):
    answers = {}
    for form in ("--csv", "--json", "--csv"):
        assert main(["vectors", name, "--rtt", "40ms", "--acks", "2", "--duration", "0.4s", form]) == 0
        answers.setdefault(form, []).append(capsys.readouterr().out)
    assert answers["--csv"][0] == answers["--csv"][1]
    lines = answers["--csv"][0].splitlines()
    heads, *table = csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#"))))
    found = json.loads(answers["--json"][0])
    assert found["columns"] == heads
    assert [["" if x is None else str(x) for x in row] for row in found["rows"]] == table
    assert "# packets per acknowledgment: 2" in lines
    assert found["scenario"]["random numbers"] == "none"  # another stack sees the same scenario


def test_the_scenario_is_one_of_simulate(tmp_path, capsys):
    """The network of the JSON is a scenario file, with the same packets."""
    assert main(["vectors", "prr", "--rtt", "30ms", "--losses", "20,25", "--duration", "0.4s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (tmp_path / "net.toml").write_text(found["scenario"]["network"])
    assert main(["simulate", str(tmp_path / "net.toml"), "--duration", "0.4s", "--json"]) == 0
    flow = json.loads(capsys.readouterr().out)["flows"][0]
    sent = 10 + sum(row[-1] for row in found["rows"])
    assert flow["dropped"] == 2
    assert flow["sent"] == sent


def test_text_names_what_is_left_out(capsys):
    assert main(["vectors", "bbr", "--rtt", "40ms"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "sender: bbr"
    assert said[-1].endswith("all: --csv or --json")
    assert max(map(len, said)) <= 120


def test_tolerances():
    assert tolerance("prr", 1e5, math.nan, 0, PACKET) == PACKET
    # 3 C K^2 at ssthresh 77: C K^3 = 33, so 3 * 0.4 * 82.5^(2/3) = 22.74 packets/s, 27.3 bytes in a millisecond
    assert tolerance("cubic", 92400, 92400, 0, PACKET) == 29


def trace(tmp_path, windows, head="time [s],window [bytes]"):
    """Write a trace of pairs of a time and a window; return its path."""
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([head, *(f"{time},{window}" for time, window in windows)]) + "\n")
    return str(path)


CHECK = ["vectors", "newreno", "--rtt", "40ms", "--duration", "0.09s", "--check"]
#: RFC 5681, equation 2: a packet for each of the five acknowledgments of ten packets, which come at 40 ms.
BY_HAND = [(0.04, 1200 * k) for k in range(11, 16)]


def test_a_trace_that_agrees(tmp_path, capsys):
    """The numbers by hand, in order; and in ms and packets. The vector's own CSV is accepted, too.

    The trace ends after the first round trip of 40 ms, the vector after the second.
    """
    path = trace(tmp_path, BY_HAND)
    assert main([*CHECK, path, "--jitter", "0s"]) == 0
    until = "until 0.040000 s, where the trace ends; the vector ends at 0.08"
    said = capsys.readouterr().out
    assert said.startswith(f"agrees {until}")
    assert f": 5 of 5 windows of {path}" in said
    path = trace(tmp_path, [(1e3 * time, window / 1200) for time, window in BY_HAND], "time [ms],window [packets]")
    assert main([*CHECK, path]) == 0
    capsys.readouterr()
    assert main([*CHECK[:-1], "--csv"]) == 0
    own = tmp_path / "own.csv"
    own.write_text(capsys.readouterr().out)
    assert main([*CHECK, str(own), "--jitter", "0s"]) == 0
    assert capsys.readouterr().out.startswith("agrees: ")


@pytest.mark.parametrize(("unit", "window"), [("kB", 12_000), ("KiB", 12_288), ("packets", 14_400), ("bytes", 12)])
def test_units_of_a_trace(unit, window):
    assert read(f"time [us],window [{unit}]\n40000,12\n", 1200) == [(2, pytest.approx(0.04), window)]


def test_a_trace_that_differs(tmp_path, capsys):
    """A stack that adds a packet too late twice; within a jitter only a window that falls is wrong."""
    late = [*BY_HAND[:2], *BY_HAND[1:3], BY_HAND[4]]
    path = trace(tmp_path, late)
    assert main([*CHECK, path, "--jitter", "0s"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("differs: 5 of 5 windows")
    assert "first in line 4, at 0.040000 s: window 14400 bytes, expected 15599 to 15601" in said
    assert main([*CHECK, path, "--jitter", "0s", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["agrees"], found["first line"], found["largest excess [bytes]"]) == (False, 4, 1199)
    path = trace(tmp_path, [(0.06, 15 * 1200), (0.07, 14 * 1200)])
    assert main([*CHECK, path]) == 1
    assert "first in line 3" in capsys.readouterr().out


def test_a_jitter_allows_windows_around_a_time(tmp_path):
    """At 0.0795 s the window is 15 packets, and 16 at 0.08 s, half a millisecond later."""
    path = trace(tmp_path, [(0.0795, 16 * 1200)])
    assert main([*CHECK, path, "--jitter", "1ms"]) == 0
    assert main([*CHECK, path, "--jitter", "0.1ms"]) == 1
    assert main([*CHECK, path]) == 1


def test_windows_of_slow_start_are_compared_in_order(tmp_path, capsys):
    """At 0.08 s the window grows from 20 to 40 packets; 24 in place of 22 is inside that, and wrong by 2400 bytes."""
    path = trace(tmp_path, [(0.08, 20 * 1200 + 2400 * k) for k in (1, 2)])
    assert main(["vectors", "newreno-quic", "--rtt", "40ms", "--check", path]) == 0
    path = trace(tmp_path, [(0.08, 20 * 1200 + 2400 * k) for k in (2, 2)])
    assert main(["vectors", "newreno-quic", "--rtt", "40ms", "--check", path]) == 1
    assert "window 28800 bytes, expected 26399 to 26401" in capsys.readouterr().out


def test_quic_may_grow_between_a_loss_and_its_detection():
    """RFC 9002, appendix B.5: two packets after the lost one are acknowledged first, and half of that is left."""
    rows = vector("newreno-quic", 0.04, duration=0.125).rows
    late = [row for row in rows if row.acked in ("31", "32", "33")]
    assert [(row.window, row.tolerance) for row in late] == [(48000, 1201), (48000, 2401), (24000, 1201)]
