"""Compiled core of the packet simulator; its entry points are `loop.run`, `link.count` and `source.inject`.

Modules, from the lowest layer up: `records` and `memory` define and access the rows of a run; `events` has the
event queue; `recovery` tracks outstanding and lost transmissions; `queueing` has the transmitter, backlog and queues of
a link; `receiver` acknowledges packets; `link` admits them; `source` and `sender` create them; `acknowledgment` calls
the scheme; `loop` handles the events. `jit`, `views` and `callbacks` compile and call plug-ins; `trace_rows` writes
traces.
"""
