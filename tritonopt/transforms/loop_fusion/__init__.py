"""Two sweeps over the same data become one.

`legality` shows that they may and says what it rests on; the other modules write the merged sweep.
"""
