"""What the host code around the launches of a kernel shows.

A launcher's arithmetic and its checks, the buffers and their element types, what it may change or
hand on, and the configurations that a tuner chooses from.
"""
