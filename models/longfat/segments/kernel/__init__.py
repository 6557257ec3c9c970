"""Compiled kernel of the segment simulator, whose cost follows losses and discards, not packets.

`losses` draws the next lost packet, `holes` stores the segments that lack packets and the acknowledgments in transit,
`receiver` keeps or discards arriving groups, and `sender` is the event loop.
"""
