"""Compiled kernel of the segment simulator, whose running time grows with losses and discards, not with packets.

`losses` draws the next lost packet, `holes` stores the segments that lack packets and the acknowledgments in transit,
`segment_receiver` keeps or discards arriving groups, and `segment_sender` is the event loop.
"""
