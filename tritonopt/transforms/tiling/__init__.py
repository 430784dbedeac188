"""One program handles several tiles, in a loop around what it did for one.

What of a kernel is per tile, how many programs its launches start, and the code of the loop.
"""
