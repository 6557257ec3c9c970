"""Compiled core of the packet simulator; its entry points are `loop.run` and `link.count`.

From the ground up: `records` and `memory` have the rows of a run; `events` the two heaps; `recovery` finds and keeps
lost transmissions; `queueing` has the transmitter and the backlog of a link, and its queues; `receiver` acknowledges;
`link` lets packets in; `source` and `sender` make them; `acknowledgment` calls the scheme; `loop` takes event after
event. Beside them, `jit`, `views` and `callbacks` compile plug-ins and call them, and `trace_rows` writes traces.
"""
