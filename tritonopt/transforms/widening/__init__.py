"""Offsets computed in 64 bits, where they may leave 32."""
