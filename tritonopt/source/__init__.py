"""Text in, text out: modules, kernels, launch sites, edits.

Nothing above this room touches the text of a file itself.
"""

from tritonopt.source.changes import (
    AddArgument,
    AddParameter,
    Change,
    Enclose,
    InsertAfter,
    InsertBefore,
    Remove,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.edits import apply
from tritonopt.source.errors import EditConflict, SourceError
from tritonopt.source.files import SourceFile, find_python_files, read_file, write_file
from tritonopt.source.kernels import Kernel, Parameter
from tritonopt.source.launches import Launch
from tritonopt.source.module import Module, has_kernels, read

__all__ = [
    "AddArgument",
    "AddParameter",
    "Change",
    "EditConflict",
    "Enclose",
    "InsertAfter",
    "InsertBefore",
    "Kernel",
    "Launch",
    "Module",
    "Parameter",
    "Remove",
    "Replace",
    "ReplaceExpression",
    "SourceError",
    "SourceFile",
    "apply",
    "find_python_files",
    "has_kernels",
    "read",
    "read_file",
    "write_file",
]
