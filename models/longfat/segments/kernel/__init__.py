"""The compiled heart of the segment simulator: cost follows losses and discards, not packets.

`losses` says which packet is lost next, `holes` keeps the segments that lack packets and what is on its way back about
them, `receiver` keeps or discards what arrives, and `sender` is the loop.
"""
