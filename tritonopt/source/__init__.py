"""Text in, text out: modules, kernels, launch sites, edits.

Nothing above this room touches the text of a file itself. The names below are imported when they
are first used: a run over files without kernels needs only those that find and read files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritonopt.source.editing.changes import AddArgument as AddArgument
    from tritonopt.source.editing.changes import AddDecorator as AddDecorator
    from tritonopt.source.editing.changes import AddParameter as AddParameter
    from tritonopt.source.editing.changes import Change as Change
    from tritonopt.source.editing.changes import Enclose as Enclose
    from tritonopt.source.editing.changes import InsertAfter as InsertAfter
    from tritonopt.source.editing.changes import InsertBefore as InsertBefore
    from tritonopt.source.editing.changes import Remove as Remove
    from tritonopt.source.editing.changes import Replace as Replace
    from tritonopt.source.editing.changes import ReplaceArgument as ReplaceArgument
    from tritonopt.source.editing.changes import ReplaceExpression as ReplaceExpression
    from tritonopt.source.editing.changes import ReplaceParameter as ReplaceParameter
    from tritonopt.source.editing.edits import Rewritten as Rewritten
    from tritonopt.source.editing.edits import applied as applied
    from tritonopt.source.editing.edits import apply as apply
    from tritonopt.source.editing.edits import replaced as replaced
    from tritonopt.source.editing.edits import rewritten as rewritten
    from tritonopt.source.errors import EditConflict as EditConflict
    from tritonopt.source.errors import SourceError as SourceError
    from tritonopt.source.files import SourceFile as SourceFile
    from tritonopt.source.files import decoded as decoded
    from tritonopt.source.files import find_python_files as find_python_files
    from tritonopt.source.files import read_file as read_file
    from tritonopt.source.files import write_file as write_file
    from tritonopt.source.kernels import Kernel as Kernel
    from tritonopt.source.kernels import Parameter as Parameter
    from tritonopt.source.launches import Launch as Launch
    from tritonopt.source.module import Module as Module
    from tritonopt.source.module import has_kernels as has_kernels
    from tritonopt.source.module import read as read
    from tritonopt.source.project.program import Program as Program

_HOMES = {
    "editing.changes": (
        *("AddArgument", "AddDecorator", "AddParameter", "Change", "Enclose", "InsertAfter"),
        *("InsertBefore", "Remove", "Replace", "ReplaceArgument", "ReplaceExpression"),
        "ReplaceParameter",
    ),
    "editing.edits": ("Rewritten", "applied", "apply", "replaced", "rewritten"),
    "errors": ("EditConflict", "SourceError"),
    "files": ("SourceFile", "decoded", "find_python_files", "read_file", "write_file"),
    "kernels": ("Kernel", "Parameter"),
    "launches": ("Launch",),
    "module": ("Module", "has_kernels", "read"),
    "project.program": ("Program",),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in _HOMES.values() for name in names)})
