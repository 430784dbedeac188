"""One forward abstract interpretation over a kernel's structured control flow.

The parts share one state and nothing else. Helper jit functions, of the same file or
of another one that was given with it, are interpreted where they are called.
"""

from tritonopt.facts.interpreting.interpreter import interpret

__all__ = ["interpret"]
