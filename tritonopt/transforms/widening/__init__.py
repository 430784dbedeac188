"""Offsets computed in 64 bits, where they do not fit 32."""
