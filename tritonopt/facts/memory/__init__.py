"""Addresses, and what lies behind them.

Which buffer a pointer is in, how offsets run from lane to lane, what masked lanes hold, how large
the buffers are, and whether programs of one launch can race for an element.
"""
