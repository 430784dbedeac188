"""The sweep for a maximum and the sweep for the exponentials below it become one.

`online_legality` shows that they may, and `online_sweep` writes the one sweep.
"""
