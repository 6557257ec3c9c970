"""Which schemes and disciplines run in the simulators that judge laws, and the laws that each of them is judged by."""

from __future__ import annotations

from collections.abc import Mapping

from longfat.handbook import law_records
from longfat.law import Law

#: The plug-ins of each simulator in ``longfat.verify.simulators.SIMULATORS``; a test demands a line for each simulator.
PLUG_INS: Mapping[str, tuple[str, ...]] = {
    "mm1_number": ("fifo",),
    "mm1_wait": ("fifo",),
    "mm1_response": ("fifo",),
    "mm1_loss": ("fifo",),
    "md1_number": ("fifo",),
    "md1_wait": ("fifo",),
    "md1_loss": ("fifo",),
    "mg1_wait": ("fifo",),
    "mg1_power": ("fifo",),
    "processor_sharing": ("fair",),
    "sawtooth": ("sack", "fifo"),
    "sawtooth_queue": ("sack", "fifo"),
    "parallel_utilisation": ("gaimd",),
    "parallel_share": ("sack", "fifo"),
    "shaped_utilisation": ("leaky-bucket",),
    "round_trip_unfairness": ("cubic",),
    "rap_rate_at_loss": ("rap",),
    "gaimd_rate_at_loss": ("gaimd",),
    "reno_file": ("reno", "fifo"),
    "blt_file": ("blt", "priority-discard"),
    "pie_loss": ("sack", "pie"),
    "bbr_queue": ("bbr1", "fifo"),
    "bbr_utilisation": ("bbr1",),
    "copa_queue": ("copa", "fifo"),
    "copa_share": ("copa",),
    "ledbat_delay": ("ledbat-plus-plus", "fifo"),
    "ledbat_slowdown": ("ledbat-plus-plus",),
    "ledbat_utilisation": ("ledbat-plus-plus",),
    "dctcp_queue": ("dctcp", "step-marking"),
    "window_at_random_marks": ("dctcp",),
    "window_at_spaced_marks": ("dctcp",),
    "cubic_window": ("cubic",),
    "cubic_mean_window": ("cubic",),
    "cubic_window_at_loss": ("cubic",),
    "cubic_window_at_random_loss": ("cubic",),
    "cubic_utilisation": ("cubic", "fifo"),
    "cubic_utilisation_general": ("cubic", "fifo"),
    "cubic_queue": ("cubic", "fifo"),
    "credit_throughput": ("credit",),
    "guaranteed_delay": ("bit-round", "leaky-bucket"),
    "fluid_delay": ("bit-round", "leaky-bucket"),
    "sstp_throughput": ("sstp",),
    "codel_drop_time": ("codel",),
    "cadpc_rate": ("cadpc",),
    "cadpc_traffic": ("cadpc",),
    "parking_lot_long": ("cadpc",),
    "parking_lot_short": ("cadpc",),
    "loss_load_loss": ("loss-load",),
    "loss_load_load": ("loss-load",),
    "loss_load_loss_at_capacity": ("loss-load",),
    "segment_efficiency": (),
    "segment_hard_ack": (),
    "segment_mean_delay": (),
}


def address(law: Law) -> str:
    """Return the permanent name of a law's page.

    >>> from longfat.laws.selective_repeat import throughput_efficiency
    >>> address(throughput_efficiency)
    'laws/selective_repeat/throughput_efficiency/index'
    """
    return f"{law_records.address(law)}index"


def listed(found: list[Law]) -> str:
    """Return laws as a list of links."""
    return "".join(f"- [{law.public_name}](/{address(law)}.md): {law.summary}\n" for law in found)


def judging(name: str) -> list[Law]:
    """Return the laws that simulations with a plug-in are compared with.

    >>> [law.public_name for law in judging("codel")]
    ['aqm.codel_drop_time']
    """
    return [law for law in law_records.laws() if law.simulated and name in PLUG_INS.get(law.simulated.simulator, ())]
