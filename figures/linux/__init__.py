"""Linux's TCP beside the network simulator."""
