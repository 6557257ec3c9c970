"""Gong and Parulkar (1992), selective repeat, receive buffers and SSTP: claims and figures."""
