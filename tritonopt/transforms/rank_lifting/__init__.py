"""One program handles several rows at once: what it had of one row gets one more axis, in front.

What each expression and each statement becomes, what must hold for that, and what becomes of the
launches.
"""
