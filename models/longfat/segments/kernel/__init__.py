"""Compiled kernel of the segment simulator, whose time grows with losses and discards if the window never closes.

`losses` draws the next lost packet, `holes` stores the segments that lack packets and the acknowledgments in transit,
`segment_receiver` keeps or discards arriving groups, and `segment_sender` is the event loop.
"""
