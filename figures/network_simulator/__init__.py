"""The network simulator compared with laws; credit flow control, and guaranteed delays."""
