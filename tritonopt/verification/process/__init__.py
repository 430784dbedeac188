"""The processes that run kernels, seen from outside.

The client starts a worker, asks and notices its death; the fork server makes workers cheap;
messages are plain data. Nothing here needs torch or triton.
"""
