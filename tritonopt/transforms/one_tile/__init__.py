"""Sweeps over a row that one tile holds, written as straight-line code that loads the row once.

The loops go first, which changes nothing: each ran once. What the code then says twice goes next.
"""
