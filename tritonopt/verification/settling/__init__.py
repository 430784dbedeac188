"""Finding a call that works.

Where the code of a launcher leaves its arguments open, the original is called with what is
plausible, most plausible first.
"""
