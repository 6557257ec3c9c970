"""Compiled kernel of the segment simulator, whose time grows with losses and discards if the window never closes.

`segment_receiver` keeps or discards arriving groups, and stores the segments that lack packets and the acknowledgments
in transit; `segment_sender` draws the next lost packet and is the event loop.
"""
