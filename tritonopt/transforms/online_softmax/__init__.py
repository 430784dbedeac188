"""The sweep for a maximum and the sweep for the exponentials below it become one.

`legality` shows that they may and says what it rests on; `online_sweep` writes the one sweep.
"""
