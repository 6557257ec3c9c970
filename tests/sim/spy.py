"""A link that records every packet that enters it, and changes nothing: for traces by hand."""

from longfat.sim import queues
from longfat.sim.kernel import records
from tests.sim.logbook import Logbook


class Spy(Logbook):
    """Record of entering packets; ``spy.data`` and ``spy.acks`` are those seen so far."""

    def __init__(self):
        super().__init__(queues.FIFO)

    @property
    def data(self):
        return self.of_kind(records.DATA)

    @property
    def acks(self):
        return self.of_kind(records.ACK)

    def of_kind(self, kind):
        return [one for one in self.calls if one.kind == kind]
