"""`longfat simulate`: a table, JSON that programs can check, files; tests/test_cli_refusals.py has the mistakes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import xarray as xr

from longfat import cli, plot, sim
from longfat.cli.simulate import load, remarks, shown, summary
from longfat.sim.network import scenario
from tests.processes import files_of_at_most
from tests.sim.pcap_reader import read

pytestmark = pytest.mark.usefixtures("drawn_quickly")

EXAMPLES = sorted(scenario.SHIPPED.glob("*.toml"))

STEADY = """
name = "one steady flow"
link = [{from = "a", to = "b", rate = 200_000, delay = "20 ms", buffer = "5 packets"}]
flow = [{name = "steady", traffic = {kind = "constant", rate = 100_000}, path = ["a", "b"]}]
run = {duration = "10 s"}
"""
RENO = """
link = [{from = "a", to = "b", rate = "1 Mbit/s", delay = "10 ms", buffer = 10, duplex = true, loss = "1%"}]
flow = [{scheme = "reno", path = ["a", "b"], file = "50 kB", count = 2}]
"""


def simulate(capsys, folder, text, *arguments):
    """The standard output of a scenario that runs."""
    file = folder / "net.toml"
    file.write_text(text)
    assert cli.main(["simulate", str(file), *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_json_by_hand(tmp_path, capsys):
    """The JSON of a run that can be counted by hand, as in tests/sim/test_results.py.

    1001 packets are sent at 0, 10, ... ms, each with 5 ms of transmission and 20 ms of propagation: those sent until
    9.975 s have arrived, three are in flight.
    """
    answer = json.loads(simulate(capsys, tmp_path, STEADY, "--json"))
    assert set(answer) == {"flows", "links", "run"}
    assert answer["flows"] == [
        {
            "name": "steady", "scheme": None, "traffic": "constant", "transfer_time": None, "goodput": 99800,
            "delivered": 998, "dropped": 0, "sent": 1001,
        }
    ]  # fmt: skip
    assert answer["links"] == [
        {"name": "a-b", "utilisation": pytest.approx(0.5, rel=1e-12), "mean_queue": 0, "max_queue": 0, "dropped": 0}
    ]
    run = answer["run"]
    assert run["duration"] == 10
    assert run["replications"] == 1
    assert run["events"] == 1001  # one for each packet sent; arrivals are worked out at admission
    assert run["wall_time"] > 0
    assert run["seed"] == "0"
    assert run["conservation"] == {
        "balanced": True,
        "data": {"sent": 1001, "received": 998, "dropped": 0, "in_flight": 3},
        "acknowledgments": {"sent": 0, "received": 0, "dropped": 0, "in_flight": 0},
    }


def test_json_with_replications(tmp_path, capsys):
    """Means with intervals; packet counts are totals of all runs; the same seed gives the same answer."""
    arguments = ["--json", "--replications", "3", "--seed", "5"]
    answer = json.loads(simulate(capsys, tmp_path, RENO, *arguments))
    for rows, names in ((answer["flows"], ("goodput", "transfer_time", "sent", "delivered", "dropped")),
                        (answer["links"], ("utilisation", "mean_queue", "max_queue", "dropped"))):  # fmt: skip
        for row in rows:
            for name in names:
                assert row[f"{name}_lower"] <= row[name] <= row[f"{name}_upper"]
    net, _ = scenario.load(tmp_path / "net.toml")
    data = sim.run(net, rng=5, replications=3, progress=False)
    assert [flow["name"] for flow in answer["flows"]] == ["reno-1-1", "reno-1-2"]
    assert [flow["goodput_upper"] for flow in answer["flows"]] == data.goodput_upper.values.tolist()
    packet_counts = answer["run"]["conservation"]
    assert packet_counts["balanced"] is True
    assert packet_counts["data"]["sent"] == pytest.approx(3 * sum(flow["sent"] for flow in answer["flows"]))
    assert packet_counts["acknowledgments"]["sent"] == packet_counts["data"]["received"]
    again = json.loads(simulate(capsys, tmp_path, RENO, *arguments))
    for one in (answer, again):
        del one["run"]["wall_time"]
    assert answer == again


TWO_FLOWS = """
link = [{from = "a", to = "b", rate = "8 Mbit/s", delay = "10 ms", buffer = 30, duplex = true, discipline = DISCIPLINE}]
flow = [{scheme = "sack", path = ["a", "b"]}, {scheme = "sack", path = ["a", "b"], start = START}]
run = {duration = "9 s"}
"""
OWN_TIME = "remark: goodput: over each flow's own time, from its start to its end; goodputs do not add up\n"
IN_VAIN = "remark: no packet is marked by discipline 'mark-above' of link 'a-b': no flow is ECN-capable"


@pytest.mark.parametrize(
    ("start", "discipline", "own_time", "in_vain"),
    [
        ("0", "fifo", False, False),
        ("'5 s'", "fifo", True, False),
        ("0", "{name = 'mark-above', threshold = 5}", False, True),
    ],
)
def test_remarks(tmp_path, capsys, start, discipline, own_time, in_vain):
    text = discipline if "{" in discipline else f"'{discipline}'"
    out = simulate(capsys, tmp_path, TWO_FLOWS.replace("START", start).replace("DISCIPLINE", text))
    assert (OWN_TIME in out, IN_VAIN in out) == (own_time, in_vain)
    assert out.count("remark") == own_time + in_vain


def test_copies_that_all_start_before_the_warm_up_ends():
    """The second of two copies starts at 5 s."""
    net = sim.Network().link("a", "b", duplex=True, rate=1e6, delay=0.01)
    net = net.flow("reno", path=["a", "b"], count=2, stagger=5.0)
    said = [remarks(SimpleNamespace(attrs={"warm_up": begin, "duration": 9.0}), net) for begin in (4.9, 5.0)]
    assert said == [[OWN_TIME.strip()], []]


def test_half_of_a_clipped_interval():
    """From 70 to 110 %, which ends at 100 %."""
    assert shown({"share": 0.9, "share_lower": 0.7, "share_upper": 1.0}, "share", "%") == "90% ± 20%"


@pytest.mark.parametrize(("sampled", "labels"), [(True, ("window", "queue")), (False, ("goodput", "utilisation"))])
def test_figure(tmp_path, capsys, sampled, labels):
    every = ', sample_every = "0.1 s"' if sampled else ""
    text = RENO + f'run = {{duration = "2 s"{every}}}'
    out = simulate(capsys, tmp_path, text, "--figure", str(tmp_path / "run.svg"))
    assert out.startswith("net.toml: 2 s")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.toml", "run.svg"]
    drawn = (tmp_path / "run.svg").read_text()
    assert all(f"{label} [" in drawn for label in labels)


def test_table_and_files(tmp_path, capsys):
    text = RENO + 'run = {duration = "9 s", sample_every = "0.1 s", replications = 2, rng = 3}'
    out = simulate(capsys, tmp_path, text, "--output", str(tmp_path / "out"))
    assert out.startswith("net.toml: 9 s; 2 replications, mean ± half of the 95% interval\n")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "flows.csv", "links.csv", "run.nc", "traces.png", "traces.svg",
    ]  # fmt: skip
    net, options = scenario.load(tmp_path / "net.toml")
    expected = sim.run(net, **options, progress=False)
    with xr.open_dataset(tmp_path / "out" / "run.nc") as data:
        data.load()
        xr.testing.assert_equal(data, expected)
        assert data.attrs["packets_sent"] == expected.attrs["packets_sent"]
        assert scenario.parse(data.attrs["network"])[0] == net
    flows = pd.read_csv(tmp_path / "out" / "flows.csv", index_col="flow")
    links = pd.read_csv(tmp_path / "out" / "links.csv", index_col="link")
    assert flows.loc["reno-1-2", "goodput [bytes/s]"] == float(expected.goodput.sel(flow="reno-1-2"))
    assert links.loc["a-b", "link_dropped_upper [packets]"] == float(expected.link_dropped_upper.sel(link="a-b"))
    assert (tmp_path / "out" / "traces.svg").read_text().startswith("<?xml")
    # The table's figures are the Dataset's.
    line = next(line for line in out.splitlines() if line.startswith("a-b"))
    assert line.split()[1] == f"{100 * float(expected.utilisation.sel(link='a-b')):.4g}%"
    line = next(line for line in out.splitlines() if line.startswith("reno-1-2"))
    half = 1e3 * float((expected.transfer_time_upper - expected.transfer_time).sel(flow="reno-1-2"))
    assert f" ± {float(f'{half:.2g}'):g} ms " in line
    sent, received, dropped, in_flight = (
        int(expected.attrs[f"packets_{n}"]) for n in ("sent", "received", "dropped", "in_flight")
    )
    assert (
        f"in total, {sent} data packets sent = {received} received + {dropped} dropped + {in_flight} in flight" in out
    )


def test_packet_traces(tmp_path, capsys):
    """A line on the trace, and whole files beside those of --output, which may be in the same directory."""
    folder = str(tmp_path / "out")
    text = RENO + "run = {replications = 2, rng = 3}"
    out = simulate(capsys, tmp_path, text, "--output", folder, "--pcap", folder, "--qlog", folder)
    files = ["flows.csv", "links.csv", "receivers.pcap", "reno-1-1.sqlog", "reno-1-2.sqlog", "run.nc", "senders.pcap"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files
    sent = sum(bool(packet.payload) for packet in read(tmp_path / "out" / "senders.pcap"))
    assert out.splitlines()[-1].startswith("trace of the first run: ")
    run = json.loads(simulate(capsys, tmp_path, text, "--json", "--pcap", folder))["run"]
    assert run["trace"]["packets"] > sent > 100
    assert run["trace"]["end"] == ""
    assert "trace" not in json.loads(simulate(capsys, tmp_path, text, "--json"))["run"]


@pytest.mark.parametrize("most", [9, 1])  # the first packet leaves at 0 s: a trace of one packet is a trace, too
def test_a_trace_that_ends_early_is_reported(tmp_path, capsys, monkeypatch, most):
    """One line on stderr; the answer is complete, and the status is 0."""
    whole = json.loads(simulate(capsys, tmp_path, RENO, "--json"))
    net, options = load(str(tmp_path / "net.toml"), False, {})
    monkeypatch.setattr("longfat.cli.simulate.load", lambda *_: (net, options | {"trace_packets": most}))
    assert cli.main(["simulate", str(tmp_path / "net.toml"), "--json", "--pcap", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("longfat: the trace ends at 0")
    assert err.endswith(f" s, after {most} packets (trace_packets)\n")
    assert err.count("\n") == 1
    assert json.loads(out)["flows"] == whole["flows"]


def test_one_run_has_no_intervals(tmp_path, capsys):
    out = simulate(capsys, tmp_path, STEADY)
    assert out.startswith("one steady flow: 10 s\n")
    assert "±" not in out
    assert ["steady", "constant", "-", "798.4", "kbit/s", "1001", "998", "0"] in [
        line.split() for line in out.splitlines()
    ]
    assert ["a-b", "50%", "0", "0", "0"] in [line.split() for line in out.splitlines()]
    assert "1001 data packets sent = 998 received + 0 dropped + 3 in flight" in out


def test_replications_that_cannot_differ(tmp_path, capsys):
    """Nothing is random here: one run, no intervals, and it says so."""
    out = simulate(capsys, tmp_path, STEADY, "--replications", "3")
    assert out.startswith("one steady flow: 10 s; deterministic: 3 replications would be identical, one was run\n")
    assert "±" not in out
    assert "1001 data packets sent" in out  # once
    answer = json.loads(simulate(capsys, tmp_path, STEADY, "--replications", "3", "--json"))
    assert answer["run"]["deterministic"] is True
    assert (answer["run"]["replications"], answer["run"]["replications_asked"]) == (1, 3)
    assert answer["run"]["confidence"] is None
    assert not [key for row in (*answer["flows"], *answer["links"]) for key in row if key.endswith(("lower", "upper"))]
    assert json.loads(simulate(capsys, tmp_path, RENO, "--json"))["run"]["deterministic"] is False


@pytest.mark.parametrize("kind", ["", "acks_"])
def test_packet_counts_that_do_not_balance_are_reported(tmp_path, kind):
    """Counts of data and of acknowledgments are reported separately."""
    file = tmp_path / "net.toml"
    file.write_text(RENO)
    net, _ = scenario.load(file)
    data = sim.run(net, rng=5, progress=False)
    assert summary(data, net)["run"]["conservation"]["balanced"] is True
    data.attrs[f"packets_{kind}sent"] += 1
    assert summary(data, net)["run"]["conservation"]["balanced"] is False


def test_no_more_is_loaded_than_the_answer_needs(tmp_path):
    """Printing needs no xarray, and loading compiled code nothing of the compiler's registries, which take longer."""
    (tmp_path / "net.toml").write_text(STEADY)
    code = (
        "import sys; from longfat import cli; heavy = {'xarray', 'pandas', 'dask.array', 'matplotlib', 'jax', 'pint', "
        "'asyncio', 'longfat.sim.schemes.tfrc', 'numba.np.linalg'}\n"
        "for words in ('simulate net.toml --json', 'buffer --rate 1Mbit/s --rtt 12ms --replications 2', "
        "'window --rate 9M --rtt 9ms'):\n"
        "    cli.main(words.split()); print(heavy & {*sys.modules})"
    )
    for _ in range(2):  # compiles, unless that has been done, and loads what was compiled
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
        if done.stdout.splitlines().count("set()") == 3:
            return
    pytest.fail(done.stdout)


def test_flags_win(tmp_path, capsys):
    run = json.loads(simulate(capsys, tmp_path, STEADY, "--json", "--duration", "2s", "--seed", "9"))["run"]
    assert (run["duration"], run["seed"], run["warm_up"], run["confidence"]) == (2, "9", 0, None)
    text = STEADY.replace('"10 s"', '"10 s", warm_up = 4.002, rng = 8')
    answer = json.loads(simulate(capsys, tmp_path, text, "--json"))
    assert (answer["run"]["seed"], answer["run"]["warm_up"]) == ("8", 4.002)
    assert answer["flows"][0]["sent"] == 600  # by hand in tests/sim/test_results.py
    out = simulate(capsys, tmp_path, text)
    assert out.startswith("one steady flow: 10 s, counted from 4.002 s on\n")


SCHEMES = """
from longfat.sim import Scheme
from longfat.sim.queues import DROP, ENQUEUE, Discipline

def ack(flow, event):
    return 4.0

def enqueue(link, packet, now):
    link.seen += 1
    return DROP if link.seen == 3 else ENQUEUE

four = Scheme("four packets", ack=ack, start=ack)
third = Discipline("the third", enqueue=enqueue, state={"seen": 0})
"""


def test_schemes_of_ones_own(tmp_path, capsys):
    """By the variable's name and by the scheme's; beside the scenario, whatever the current directory."""
    (tmp_path / "schemes").mkdir()
    (tmp_path / "schemes" / "mine.py").write_text(SCHEMES)
    text = RENO.replace("reno", "schemes/mine.py:four").replace(
        "loss = ", 'discipline = "schemes/mine.py:the third", loss = 0 #'
    )
    text = text.replace('#"1%"}]', "}]")
    answer = json.loads(simulate(capsys, tmp_path, text, "--json"))
    assert [flow["scheme"] for flow in answer["flows"]] == ["four packets"] * 2
    assert [flow["delivered"] for flow in answer["flows"]] == [50, 50]
    assert (
        sum(link["dropped"] for link in answer["links"]) == 2
    )  # the third of each direction, data and acknowledgments
    assert [path.name for path in (tmp_path / "schemes").iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 128 + 15, "terminated")]
)
def test_signals(tmp_path, number, status, word):
    """In the middle of a run without end: one line, the status, no file and no temporary one."""
    (tmp_path / "net.toml").write_text(STEADY.replace('"10 s"', '"1000000000 s"'))
    program, out = Path(sys.executable).parent / "longfat", tmp_path / "out"
    arguments = [program, "simulate", tmp_path / "net.toml", "--pcap", out, "--output", out]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(out.glob(".senders*.part")) and time.monotonic() < end:
        time.sleep(0.1)
    assert process.poll() is None
    process.send_signal(number)
    lost = False
    try:
        told = process.communicate(timeout=15)
    except subprocess.TimeoutExpired:  # Python ignores an interrupt that falls into a callback of a weak reference
        process.send_signal(number)
        told, lost = process.communicate(timeout=15), True
    said = told[1].strip().splitlines()  # with Python's own words first if a signal was lost
    assert (process.returncode, told[0].strip(), said[-1]) == (status, "", f"longfat: {word}, no file was written")
    assert len(said) == 1 or lost
    assert not out.exists()


@pytest.mark.parametrize(
    ("stdout", "words"),
    [
        ("&-", "standard output is closed, so that nothing can be printed"),
        (" /dev/full", "standard output cannot be written to: No space left on device"),
    ],
)
def test_standard_output_that_cannot_be_written_to(tmp_path, stdout, words):
    """One line and status 2; the files of the answer are not written, either."""
    (tmp_path / "net.toml").write_text(STEADY)
    program = Path(sys.executable).parent / "longfat"
    command = f"{program} simulate net.toml --output out >{stdout}"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"longfat: {words}\n")
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


def test_closed_standard_error_and_a_byte_order_mark(tmp_path):
    """The answer is printed as if standard error were open; Windows' editors begin text in UTF-8 with a mark."""
    (tmp_path / "net.toml").write_text(STEADY, encoding="utf-8-sig")
    command = f"{Path(sys.executable).parent / 'longfat'} simulate net.toml 2>&-"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout[:20]) == (0, "one steady flow: 10 ")


def test_no_room_for_a_trace(tmp_path, capsys):
    """The answer is printed, one line says why there is no trace, and the status is 2."""
    (tmp_path / "net.toml").write_text(RENO)
    with files_of_at_most(10):
        status = cli.main(["simulate", str(tmp_path / "net.toml"), "--json", "--pcap", str(tmp_path / "out")])
    out, err = capsys.readouterr()
    assert (status, err) == (2, "longfat: the trace ends at 0 s: File too large\n")
    assert json.loads(out)["run"]["trace"]["packets"] == 0
    assert list((tmp_path / "out").iterdir()) == []


def test_as_a_program(tmp_path):
    """The installed command, from another directory, in a shell that knows only ASCII."""
    (tmp_path / "net.toml").write_text(RENO)
    command = [Path(sys.executable).parent / "longfat", "simulate", "net.toml", "--replications", "2"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=ascii_only, capture_output=True, check=True)
    assert done.stderr == b""
    assert b" +- " in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["net.toml"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, capsys):
    """They run, carry data, account for every packet, and are the same when written to a file and read again."""
    assert cli.main(["simulate", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert all(flow["goodput"] > 0 for flow in answer["flows"])
    assert answer["run"]["conservation"]["balanced"] is True
    net, options = scenario.load(path)
    own = {f"own:{flow.scheme.name}": flow.scheme for flow in net.flows if flow.scheme is not None}
    assert scenario.parse(net.to_toml(**options), own.get) == (net, options)


def test_names_of_shipped_scenarios(capsys):
    """Each has a line with its description; a bare name loads the same network as the path of its file."""
    assert cli.main(["simulate", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()[: len(EXAMPLES)]
    assert [line.split()[0] for line in lines] == [path.stem for path in EXAMPLES]
    assert [line.split()[0] for line in lines] == ["dumbbell", "hosts", "mixed", "parking_lot", "red"]
    assert lines[0].split(maxsplit=1)[1] == (
        "Two Reno flows over one bottleneck, the second ten seconds later: how soon do they share it?"
    )
    for path in EXAMPLES:
        assert scenario.load(path.stem)[0].name == scenario.load(path)[0].name


def test_a_bare_name_is_shipped_and_a_path_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("dumbbell", "dumbbell.toml", "mine"):
        Path(name).write_text(STEADY)
    assert scenario.load("dumbbell")[0].name == "two Reno flows, one bottleneck"
    for name in ("dumbbell.toml", "./dumbbell", "./mine", tmp_path / "mine"):
        assert scenario.load(name)[0].name == "one steady flow"


def test_traces():
    net = sim.Network.chain(1, rate="1 Mbit/s", delay="10 ms", buffer=10).flow("reno", path=["n0", "n1"], count=2)
    data = sim.run(net, duration=5, sample_every=0.1, rng=1, progress=False)
    import matplotlib.pyplot as plt

    windows, queues = plot.traces(data, plt.subplots(2)[1])
    assert [line.get_label() for line in windows.lines] == ["reno-1-1", "reno-1-2"]
    assert windows.lines[0].get_ydata().tolist() == data.window_trace.values[:, 0].tolist()
    assert [line.get_label() for line in queues.lines] == ["n0-n1"]  # nothing waits on the way back
    assert queues.lines[0].get_ydata().tolist() == data.queue_trace.values[:, 0].tolist()
    with pytest.raises(ValueError, match=r"call sim\.run with sample_every"):
        plot.traces(sim.run(net, duration=1, rng=1, progress=False), [])
