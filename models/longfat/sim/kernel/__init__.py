"""Compiled core of the packet simulator; its entry points are `loop.run`, `link.count` and `source.inject`.

Modules, from the lowest layer up: `jit` compiles code, and `views` gives plug-ins access to rows; `records` and
`memory` define and access the rows of a run; `callbacks` calls plug-ins; `events` has the event queue; `recovery`
tracks outstanding and lost transmissions; `receiver` acknowledges packets; `link` admits and transmits them; `source`
and `sender` create them; `acknowledgment` calls the scheme; `loop` handles the events. `trace_rows` writes traces.
"""
