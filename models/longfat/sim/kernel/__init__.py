"""The compiled heart of the packet simulator; `loop.run` is its one entry."""
