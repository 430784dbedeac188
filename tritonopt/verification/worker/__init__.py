"""All that runs inside a worker process, and nothing else.

The launcher is run in guarded memory, each launch is watched, Triton's interpreter is corrected,
and compiled programs are measured. Everything that touches torch or triton is in this room, but for
what runs inside a user's own command.
"""
