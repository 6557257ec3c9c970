"""Change the code, one line at a time, and see which test fails: ``python -m tests.mutations [WORD]``.

Each mutant is one exact text in one file, what it becomes, and the tests meant to notice. Nothing is changed in place:
the checkout is copied once to a temporary directory, in which the tests have to pass first; then every mutant is put
in, tested and taken out again. The table says which test killed it. Exit status 1 if one survives. With a WORD only the
mutants are tried that have it in path or text.

What stands in the kernel is run as plain Python (``NUMBA_DISABLE_JIT=1``): that is the same code, and nothing compiles.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CODE = "models/longfat/"
LIMIT = 300  # seconds; a mutant that makes the tests run on is noticed, too


class Mutant(NamedTuple):
    """An exact text in a file, its replacement, and the tests that are meant to notice."""

    path: str
    text: str
    replacement: str
    tests: str
    compiled: bool = True


def kernel(path: str, text: str, replacement: str, tests: str) -> Mutant:
    """Return a mutant of code that numba compiles, to be run without compilation."""
    return Mutant(f"{CODE}sim/{path}", text, replacement, tests, compiled=False)


MUTANTS = [
    # design
    Mutant(
        CODE + "design/windows.py",
        'if row["simulated_upper"] < goal:',
        'if row["simulated_lower"] < goal:',
        "tests/test_design.py::test_near_is_a_simulation_below_the_goal_with_confidence",
    ),
    Mutant(
        CODE + "design/search.py",
        "        found -= 1",
        "        break",
        "tests/test_design.py::test_the_inverse_at_efficiencies_of_whole_windows",
    ),
    Mutant(
        CODE + "design/search.py",
        "        found += 1",
        "        break",
        "tests/test_design.py::test_the_inverse_at_efficiencies_of_whole_windows",
    ),
    Mutant(
        CODE + "design/tcp.py",
        "(loss / SCALED_LOSS) ** (1 / power)",
        "loss / SCALED_LOSS",
        "tests/test_design_tcp.py::test_a_smaller_path_stands_for_a_larger_one",
    ),
    Mutant(
        CODE + "design/long_flows.py",
        "            if self.scale_free\n            else self.bandwidth_delay_product",
        "            if True\n            else self.bandwidth_delay_product",
        "tests/test_design_buffer.py::test_other_schemes_are_simulated_on_their_path",
    ),
    # laws: what all have in common
    Mutant(
        CODE + "law/declaring.py",
        "inside = inside & symbol.contains(array, xp.floor)",
        "inside = inside & symbol.interval.contains(array)",
        "tests/test_laws.py::test_parts_of_packets_while_tracing",
    ),
    Mutant(
        CODE + "law/declaring.py",
        "if not symbol.contains(value, lambda x: np.floor(float(x))):",
        "if not symbol.interval.contains(value):",
        "tests/test_laws.py::test_parts_of_packets",
    ),
    Mutant(
        CODE + "law/declaring.py",
        "and not (symbol.integer and float(value) % 1)",
        "and not (symbol.integer and value != value)",
        "tests/test_laws.py::test_parts_of_packets",
    ),
    Mutant(
        CODE + "law/declaring.py",
        "undefined |= symbol.array(",
        "undefined = symbol.array(",
        "tests/test_laws.py::test_nan_of_one_parameter_is_nan_of_the_law",
    ),
    Mutant(
        CODE + "law/declaring.py",
        "mask = functools.reduce(np.logical_or, masks)",
        "mask = masks[0]",
        "tests/test_laws.py::test_masks_by_hand",
    ),
    Mutant(
        CODE + "base/domains.py",
        "inside &= values == np.floor(values)",
        "inside &= values == values",
        "tests/test_laws.py::test_parts_of_packets_in_arrays",
    ),
    Mutant(
        CODE + "law/roots.py",
        "inside &= symbol.contains(array)",
        "inside &= symbol.interval.contains(array)",
        "tests/test_laws.py::test_integers_of_a_root",
    ),
    Mutant(
        CODE + "law/array_namespaces.py",
        "kind = xp.result_type(*kinds) if kinds",
        "kind = kinds[0] if kinds",
        "tests/test_laws.py::test_longdouble_and_half_precision",
    ),
    Mutant(
        CODE + "law/array_namespaces.py",
        "arrays = [None if isinstance(v, int | float) and not isinstance(v, np.generic) else",
        "arrays = [None if isinstance(v, int | float) else",
        "tests/test_laws.py::test_the_longest_float_decides_and_plain_numbers_do_not",
    ),
    Mutant(
        CODE + "law/array_namespaces.py",
        "return float(getattr(np, name)(x)) if type(x) in (int, float) else function(x)",
        "return function(x)",
        "tests/test_namespaces.py::test_functions_of_plain_numbers",
    ),
    Mutant(
        CODE + "law/exact_namespaces.py",
        "return not condition",
        "return ~condition",
        "tests/test_namespaces.py::test_every_name_in_every_arithmetic",
    ),
    Mutant(
        CODE + "law/exact_namespaces.py",
        'return self.nan if hasattr(result, "_mpc_") else result',
        "return result",
        "tests/test_namespaces.py::test_outside_its_domain_a_function_is_nan_in_mpmath_too",
    ),
    Mutant(
        CODE + "law/sums.py",
        "if total and before is not None and abs(total - before) <= mpmath.ldexp(abs(total), -prec):",
        "if total and before is not None:",
        "tests/test_sums.py::test_terms_that_cancel",
    ),
    # laws: their faces
    Mutant(
        CODE + "verify/verification.py",
        'FAILURES = ("differs", "undecided", "error")',
        'FAILURES = ("differs", "undecided")',
        "tests/test_verify.py::test_an_exception_is_an_error_on_every_face",
    ),
    Mutant(
        CODE + "verify/symbolic.py",
        "yield 0.0 if below * above < 0 else",
        "yield 0.0 if below * above < 1 else",
        "tests/test_verify_symbolic.py::test_equations_of_roots",
    ),
    Mutant(
        CODE + "verify/simulated.py",
        "error = (1 - confidence) / len(points)",
        "error = 1 - confidence",
        "tests/test_verify.py::test_the_confidence_is_that_of_all_points_together",
    ),
    Mutant(
        CODE + "verify/simulated.py",
        "if name in point or any_name or name in taken",
        "if name in point",
        "tests/test_verify.py::test_defaults_need_not_be_given",
    ),
    Mutant(
        CODE + "verify/simulated.py",
        "len(verdicts) > 0 and ",
        "",
        "tests/test_verify.py::test_outside_the_validity_nothing_is_judged",
    ),
    # laws
    Mutant(
        CODE + "laws/selective_repeat/efficiency.py",
        "(1 + window * g) / (in_flight + (ack_segments + 1) / window)",
        "(1 + window * g) / (in_flight + (ack_segments + 2) / window)",
        "tests/laws/test_selective_repeat.py::test_efficiency_by_hand",
    ),
    Mutant(
        CODE + "laws/selective_repeat/delay.py",
        "segment_packets * packet_time / (1 - loss) + ack_delay * rounds",
        "segment_packets * packet_time + ack_delay * rounds",
        "tests/laws/test_selective_repeat.py::test_delay_by_hand",
    ),
    Mutant(
        CODE + "laws/loss_load/loss.py",
        "xp.where(rate + excess > 0, xp.where(loss > 1, 1 + zero, loss), zero)",
        "xp.where(rate + excess > 0, loss, zero)",
        "tests/laws/test_loss_load.py::test_loss_by_hand",
    ),
    Mutant(
        CODE + "laws/loss_load/loss.py",
        "return (k + 1) * v / k\n",
        "return k * v / (k + 1)\n",
        "tests/laws/test_loss_load.py::test_virtual_capacity_by_hand",
    ),
    Mutant(
        CODE + "laws/cadpc/flow.py",
        "rate * (1 + smoothing * (1 - rate - traffic))",
        "rate * (1 + smoothing * (1 - traffic))",
        "tests/laws/test_cadpc.py::test_step_by_hand",
    ),
    Mutant(
        CODE + "laws/cadpc/network.py",
        "return (1 + flows - smoothing) / (1 + flows)",
        "return (1 + flows - smoothing) / (2 + flows)",
        "tests/laws/test_cadpc.py::test_spectrum_of_separate_flows",
    ),
    Mutant(
        CODE + "laws/tcp/rates.py",
        "timeout * share * loss * (1 + 32 * loss * loss)",
        "timeout * share * loss * (1 + 32 * loss)",
        "tests/laws/test_tcp.py::test_pftk_by_hand",
    ),
    Mutant(
        CODE + "laws/tcp/window.py",
        "return 3 / (3 + idle * idle)",
        "return 3 / (3 + idle)",
        "tests/laws/test_tcp.py::test_utilisation_by_hand",
    ),
    Mutant(
        CODE + "laws/tcp/window.py",
        "path * (full + least) / 2)",
        "path * full / 2)",
        "tests/laws/test_tcp.py::test_mean_queue_by_hand",
    ),
    Mutant(
        CODE + "laws/power.py",
        "(1 + variation) / 2, xp)",
        "1 + variation, xp)",
        "tests/laws/test_power.py::test_ceilings",
    ),
    Mutant(
        CODE + "laws/queues/unlimited.py",
        "return load / (2 * (1 - load))",
        "return load / (1 - load)",
        "tests/laws/test_queues.py::test_by_hand",
    ),
    Mutant(
        CODE + "laws/queues/constant.py",
        "one_by_one = _by_levels(load, xp.where(few, capacity, xp.ones_like(capacity)) - 1, xp)",
        "one_by_one = _by_levels(load, xp.where(few, capacity, xp.ones_like(capacity)), xp)",
        "tests/laws/test_queues.py::test_without_a_buffer",
    ),
    # units and files
    Mutant(
        CODE + "base/quantities.py",
        '"kibi": 2**10, "Ki": 2**10',
        '"kibi": 1000, "Ki": 1000',
        "tests/test_quantities.py::test_text_is_read",
    ),
    Mutant(
        CODE + "base/quantities.py",
        '("byte B Byte octet", 8, 1, 0)',
        '("byte B Byte octet", 10, 1, 0)',
        "tests/test_quantities.py::test_text_is_read",
    ),
    Mutant(
        CODE + "base/files.py",
        "if kind is None:\n                #",
        "if True:\n                #",
        "tests/test_files.py::test_an_interrupted_run_leaves_what_was_there",
    ),
    # the command line
    Mutant(
        CODE + "cli/__init__.py",
        "    return 2\n",
        "    return 1\n",
        "tests/test_cli_refusals.py::test_one_line_and_status_2",
    ),
    # a derivation
    Mutant(
        "derivations/constant_queues.py",
        "wait = queued / (rho * (1 - loss))\n",
        "wait = queued / rho\n",
        "tests/test_derivations_queues.py::test_constant_service",
    ),
    Mutant(
        "derivations/constant_queues.py",
        "loss = 1 - carried / rho\n",
        "loss = 1 - carried\n",
        "tests/test_derivations_queues.py::test_the_positive_form_and_the_poles",
    ),
    # dynamics
    Mutant(
        CODE + "fluid/integrate.py",
        "(1 / 6, 1 / 3, 1 / 3, 1 / 6)",
        "(1 / 4, 1 / 4, 1 / 4, 1 / 4)",
        "tests/fluid/test_integrate.py::test_logistic_growth_to_fourth_order",
    ),
    # the simulator: timers, links, receiver
    kernel(
        "kernel/sender.py",
        "timer.srtt += (seconds - timer.srtt) / 8",
        "timer.srtt += (seconds - timer.srtt) / 4",
        "tests/sim/test_timing.py::test_by_hand",
    ),
    kernel(
        "kernel/sender.py",
        "timer.rto = min(max(timeout, timer.min_rto), timer.max_rto)",
        "timer.rto = min(timeout, timer.max_rto)",
        "tests/sim/test_timing.py::test_limits",
    ),
    kernel(
        "kernel/queueing.py",
        "    if fresh:\n        link.carried_remainder = link.rate >> 1\n",
        "    if not fresh:\n        link.carried_remainder = link.rate >> 1\n",
        "tests/sim/test_receiver.py::test_a_burst_after_a_pause_by_hand",
    ),
    kernel(
        "kernel/memory.py",
        "return link.backlog >= link.limit_packets or",
        "return link.backlog > link.limit_packets or",
        "tests/sim/test_properties.py::test_a_buffer_by_hand",
    ),
    kernel(
        "kernel/receiver.py",
        "    receiver.received += 1\n",
        "    receiver.received += 2\n",
        "tests/sim/test_fair_by_hand.py::test_who_was_idle_is_owed_nothing",
    ),
    # schemes
    kernel(
        "schemes/reno.py",
        "flow.inflation += 1.0  # RFC 5681",
        "flow.inflation += 2.0  # RFC 5681",
        "tests/sim/schemes/test_reno.py::test_fast_recovery",
    ),
    kernel(
        "schemes/tcp.py",
        "return flow.window + 1.0 / flow.window",
        "return flow.window + 2.0 / flow.window",
        "tests/sim/schemes/test_reno.py::test_fast_recovery",
    ),
    kernel(
        "schemes/gaimd.py",
        "return max(flow.ssthresh_floor, flow.beta * packets)",
        "return max(flow.ssthresh_floor, (1.0 - flow.beta) * packets)",
        "tests/sim/schemes/test_gaimd.py::test_window_form_after_a_loss",
    ),
    kernel(
        "schemes/vegas.py",
        "return flow.next - flow.una + 1.0",
        "return flow.next - flow.una + 8.0",
        "tests/sim/schemes/test_vegas.py::test_timeout",
    ),
    # disciplines
    kernel(
        "switch/self_clocked.py",
        "queue.tag = max(queue.tag, link.tag) + packet.size",
        "queue.tag = queue.tag + packet.size",
        "tests/sim/test_fair_by_hand.py::test_who_was_idle_is_owed_nothing",
    ),
    kernel(
        "switch/red.py",
        "link.average += link.weight * (link.backlog - link.average)",
        "link.average = 0.0 + link.backlog",
        "tests/sim/test_red.py::test_the_same_decisions",
    ),
    kernel(
        "switch/marking.py",
        "if link.backlog >= link.threshold and",
        "if link.backlog > link.threshold and",
        "tests/sim/test_hooks.py::test_marks_above_a_threshold",
    ),
    kernel(
        "switch/push_out.py",
        "    if link.places == 0 or node(link, 1) <= bound:\n",
        "    if link.places == 0 or node(link, 1) < bound:\n",
        "tests/sim/test_priority_discard.py::test_an_equal_pushes_nothing_out_by_hand",
    ),
    # the simulator, second block: what the tests once let pass, and the like
    kernel(
        "kernel/queueing.py",
        "    if fresh:\n        link.carried_remainder = link.rate >> 1\n",
        "    if fresh:\n        link.carried_remainder = 0\n",
        "tests/sim/test_receiver.py::test_the_first_transmission_after_a_pause",
    ),
    kernel(
        "kernel/link.py",
        "    fresh = begin < now\n",
        "    fresh = begin <= now\n",
        "tests/sim/test_receiver.py::test_no_pause_between_two_packets",
    ),
    kernel(
        "kernel/queueing.py",
        "    fresh = link.free < state.now\n",
        "    fresh = link.free <= state.now\n",
        "tests/sim/test_receiver.py::test_no_pause_between_two_packets",
    ),
    kernel(
        "kernel/link.py",
        "    if free > HORIZON:",
        "    if False:",
        "tests/sim/test_engine.py::test_times_that_64_bits_cannot_hold",
    ),
    kernel(
        "kernel/queueing.py",
        "waited = state.now - since_at(state, i).x",
        "waited = state.now - packet_at(state, i).sent",
        "tests/sim/test_results.py::test_waits_behind_another_link_by_hand",
    ),
    kernel(
        "kernel/receiver.py",
        "    receiver.last_arrival = state.now\n",
        "    receiver.last_arrival = packet.sent\n",
        "tests/sim/test_results.py::test_a_burst_that_stops_has_no_more_goodput_than_its_link",
    ),
    kernel(
        "kernel/acknowledgment.py",
        "sender.allowance >= ANY and sender.access_link == 0",
        "sender.allowance >= ANY",
        "tests/sim/test_engine.py::test_nothing_limits_a_flow",
    ),
    kernel(
        "schemes/tfrc.py",
        "or open_interval <= 2.0 * mean:",
        "or open_interval <= 4.0 * mean:",
        "tests/sim/schemes/test_tfrc.py::test_discounting_by_hand",
    ),
    kernel(
        "schemes/cadpc.py",
        "least = flow.packet_size / (4.0 * flow.srtt)",
        "least = flow.packet_size / (8.0 * flow.srtt)",
        "tests/sim/schemes/test_cadpc.py::test_the_least_rate_by_hand",
    ),
    kernel(
        "switch/red.py",
        "(ns-2.35, red.cc)\n        link.count = 0\n",
        "(ns-2.35, red.cc)\n",
        "tests/sim/test_red.py::test_what_the_buffer_drops_counts_as_a_drop",
    ),
    Mutant(
        CODE + "cli/simulate.py",
        "balanced = all(",
        "balanced = any(",
        "tests/test_cli_simulate.py::test_books_that_do_not_balance_are_said",
    ),
    Mutant(
        CODE + "testbed/datasets.py",
        "last = max(one.stop, after.last_arrival_ns / SECOND)",
        "last = one.stop",
        "tests/testbed/test_results.py::test_every_variable_is_that_of_the_simulator",
    ),
    Mutant(
        CODE + "testbed/law_values.py",
        "rate * (1 - subject.loss)",
        "rate",
        "tests/testbed/test_law_values.py::test_random_loss_by_hand",
    ),
    Mutant(
        CODE + "sim/runs/results.py",
        'over(counted["dropped"], counted["dropped"] + counted["received"])',
        'over(counted["dropped"], counted["sent"])',
        "tests/sim/test_results.py::test_loss_of_packets_sent_before_the_warm_up",
    ),
    kernel(
        "kernel/link.py",
        "count.started_waiting_time -= entry.start - entry.arrival",
        "count.started_waiting_time -= entry.start - state.now",
        "tests/sim/test_results.py::test_waits_of_an_overload_by_hand",
    ),
    # runs side by side, scenarios
    Mutant(
        CODE + "replication/repeating.py",
        "        flag[0] = True\n",
        "        pass\n",
        "tests/replication/test_repeating.py::test_ctrl_c_ends_calls_inside_calls",
    ),
    Mutant(
        CODE + "replication/repeating.py",
        "found.append(results[len(found)])",
        "found.append(list(results.values())[len(found)])",
        "tests/replication/test_repeating.py::test_results_are_in_the_order_of_the_seeds",
    ),
    Mutant(
        CODE + "sim/network/scenario/writing.py",
        "key = (bool(duplex), id(link.discipline), *link_values(link))",
        "key = (bool(duplex), *link_values(link))",
        "tests/sim/test_scenario.py::test_links_that_differ_in_one_thing",
    ),
    Mutant(
        CODE + "sim/network/scenario/writing.py",
        "for one in links[k + 1 : k + 2] if _equal(one, link)]",
        "for one in links[k + 1 : k + 2]]",
        "tests/sim/test_scenario.py::test_round_trip",
    ),
    # statistics, sweeps
    Mutant(
        CODE + "replication/grid.py",
        "key = (*self.spawn_key, *positions, replication)",
        "key = (*self.spawn_key, *positions, 0)",
        "tests/replication/test_points.py::test_a_longer_axis_or_more_replications_leave_the_others_alone",
    ),
    Mutant(
        CODE + "replication/intervals.py",
        "ends = mean, mean - half, mean + half",
        "ends = mean, mean - half / 2, mean + half / 2",
        "tests/replication/test_intervals.py::test_by_hand_along_any_axis",
    ),
    # active queue management, compiled, because it takes many packets to tell these apart
    Mutant(
        CODE + "sim/switch/codel.py",
        "return time + interval / math.sqrt(count)",
        "return time + interval / count",
        "tests/sim/test_codel.py::test_drop_times_by_hand",
    ),
    Mutant(
        CODE + "sim/switch/codel.py",
        "one.count = delta if delta > 1 and now - one.drop_next < RECENT * link.interval else 1",
        "one.count = 1",
        "tests/sim/test_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/codel.py",
        " or link.backlog_bytes <= link.largest_packet:",
        ":",
        "tests/sim/test_codel.py::test_one_packet_behind_is_no_standing_queue",
    ),
    Mutant(
        CODE + "sim/switch/codel.py",
        "mark(link, packet):\n        one.drop_next = control_law(one.drop_next,",
        "mark(link, packet):\n        one.drop_next = control_law(now,",
        "tests/sim/test_codel.py::test_marks_are_made_at_the_times_of_drops",
    ),
    Mutant(
        CODE + "sim/switch/fq_codel.py",
        "spent = queue.credits <= 0",
        "spent = queue.credits < 0",
        "tests/sim/test_fq_codel.py::test_turns_by_hand",
    ),
    Mutant(
        CODE + "sim/switch/fq_codel.py",
        "if spent or which == NEW:",
        "if spent:",
        "tests/sim/test_fq_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/fq_codel.py",
        "(one.packets + arriving + 1) // 2",
        "(one.packets + arriving) // 2",
        "tests/sim/test_fq_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/fq_codel.py",
        "        empty_lists(link)\n    queue =",
        "        pass\n    queue =",
        "tests/sim/test_fq_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/fq_codel.py",
        "queue.credits += packet.size",
        "queue.credits += 0",
        "tests/sim/test_fq_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/kernel/queueing.py",
        "while more or (",
        "while (",
        "tests/sim/test_fq_codel.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/pie.py",
        " if link.backlog > 0 else 0.0",
        "",
        "tests/sim/test_pie.py::test_an_idle_link_forgets",
    ),
    Mutant(
        CODE + "sim/switch/pie.py",
        "link.burst_left > 0 or not is_drawn(link)",
        "not is_drawn(link)",
        "tests/sim/test_pie.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/pie.py",
        "link.ecn and link.probability < link.mark_below and",
        "link.ecn and",
        "tests/sim/test_pie.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/pie.py",
        "link.accumulated += link.probability",
        "link.accumulated += 1.0",
        "tests/sim/test_pie.py::test_it_is_the_pseudo_code",
    ),
    Mutant(
        CODE + "sim/switch/policer.py",
        "link.tokens = min(link.burst, link.tokens",
        "link.tokens = max(0.0, link.tokens",
        "tests/sim/test_policer.py::test_it_is_the_plain_bucket",
    ),
    Mutant(
        CODE + "sim/switch/strict_priority.py",
        "range(int(link.levels) - 1, level_of(link, packet), -1)",
        "range(level_of(link, packet) + 1, int(link.levels))",
        "tests/sim/test_strict_priority.py::test_it_is_the_plain_list",
    ),
]


def run(folder: Path, tests: list[str], compiled: bool) -> tuple[int, str]:
    """Return the exit status and the output of pytest; status 1 if it took too long."""
    environment = {
        "PYTHONPATH": os.pathsep.join([str(folder / "models"), str(folder)]),
        "PYTHONDONTWRITEBYTECODE": "1",  # a mutant of the same length in the same second would not be read again
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-rfE", "-p", "no:benchmark", "-p", "no:xdist"]
    try:
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *tests],
            cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=LIMIT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, f"FAILED {tests[0]} - longer than {LIMIT} s"
    return done.returncode, done.stdout + done.stderr


def killer(said: str) -> str:
    """Return the name of the test that failed."""
    found = re.search(r"^(?:FAILED|ERROR) (?:[\w.]+/)*(\S+)", said, re.MULTILINE)
    return found[1] if found else "?"


def copied(folder: Path) -> None:
    """Copy all files known to git, as they are now, to a folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def failing_without_mutants(folder: Path, mutants: list[Mutant]) -> str:
    """Return the output of tests that fail even without a mutant; empty if all pass."""
    for compiled in (True, False):
        tests = sorted({one.tests for one in mutants if one.compiled == compiled})
        if tests:
            status, said = run(folder, tests, compiled)
            if status:
                return said
    return ""


def main(word: str = "") -> int:
    """Try the mutants and print the table."""
    mutants = [one for one in MUTANTS if word in one.path + one.text]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copied(folder)
        wrong = failing_without_mutants(folder, mutants)
        if wrong:
            print(wrong)
            print("the tests fail on the code as it is", file=sys.stderr)
            return 1
        print(f"{'mutant':72} {'file':40} {'killed by':60} seconds", flush=True)
        for one in mutants:
            path = folder / one.path
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(one.text, one.replacement), encoding="utf-8")
            begun = time.perf_counter()
            status, said = run(folder, [one.tests], one.compiled)
            path.write_text(text, encoding="utf-8")
            survived = status not in (1, 2)  # 2: the module does not even load
            survivors += survived
            by = "SURVIVED" if survived else killer(said)
            what = " ".join(one.replacement.split())[:72]
            print(f"{what:72} {one.path.removeprefix(CODE):40} {by:60} {time.perf_counter() - begun:.1f}", flush=True)
    print(f"{len(mutants)} mutants, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2]))
