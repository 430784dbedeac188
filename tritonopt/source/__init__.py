"""Text in, text out: modules, kernels, launch sites, edits.

Nothing above this room touches the text of a file itself.
"""

from tritonopt.source.errors import SourceError
from tritonopt.source.kernels import Kernel, Parameter
from tritonopt.source.launches import Launch
from tritonopt.source.module import Module, has_kernels, read

__all__ = [
    "Kernel",
    "Launch",
    "Module",
    "Parameter",
    "SourceError",
    "has_kernels",
    "read",
]
