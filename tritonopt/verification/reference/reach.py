"""What a candidate that nobody trusts may name: a kernel and its launcher need little of Python.

Its process holds what watches it. Text that reaches for the interpreter's own insides (modules by
their names, frames, classes of everything, memory by its address) is not run at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt import source


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODULES = _words(
    "__future__ abc collections contextlib copy dataclasses enum functools itertools math numbers "
    "numpy operator torch triton typing typing_extensions warnings"
)
_NEVER = _words(
    "_C _dynamo _getframe _inductor _python_dispatch ForwardRef Library TorchDispatchMode "
    "TorchFunctionMode ag_frame attrgetter builtins cpp_extension cr_frame ctypes ctypeslib "
    "delattr distributed eval exec f_back f_builtins f_globals f_locals fx gc get_type_hints "
    "gi_frame globals hub impl importlib inspect io linecache load_inline load_library locals "
    "make_dataclass methodcaller modules multiprocessing os overrides package pickle "
    "serialization setattr shutil socket subprocess sys tb_frame tb_next tempfile threading vars "
    "weakref"
)
"""Names and attributes that lead out of what a module is given."""
_CALLS = _words("__import__ breakpoint compile getattr input open")
"""Functions that are not called; of a module they may be attributes (`torch.compile`)."""
_OF_MODULES = _words("DataLoader load save from_file fromfile memmap tofile loadtxt open_memmap")
"""Attributes of torch and numpy that read and write files."""
_SPECIAL = _words(
    "__init__ __name__ __class__ __version__ __call__ __enter__ __exit__ __len__ __repr__ "
    "__post_init__ __doc__ __all__ __main__ __getitem__ __iter__ __eq__ __hash__"
)


def out_of_bounds(module: source.Module) -> str:
    """Where the text reaches for what it is not given, and what that is; nothing where it does not.

    It is no proof: docs/verification.md says what is left.
    """
    found = next(_reaching(module.tree), None)
    if found is None:
        return ""
    node, what = found
    place = f"{module.path}:{node.lineno}:{node.col_offset + 1}"
    return (
        f"{place}: {what}. With --untrusted a candidate is one file of kernels and functions that "
        f"imports {', '.join(sorted(_MODULES - {'__future__'}))} at most: leave it out"
    )


def _reaching(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    of_modules = {"torch", "numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            inside = f"{'.' * node.level}{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                first, *parts = f"{inside}{alias.name}".split(".")
                files: frozenset[str] = frozenset() if first == "triton" else _OF_MODULES
                if first not in _MODULES or {*parts} & (_NEVER | files):
                    yield node, f"`{ast.unparse(node)}`"
                if first != "triton":
                    of_modules.add(alias.asname or alias.name)
        elif isinstance(node, ast.Name) and (
            node.id in _CALLS or node.id in _NEVER or _is_special(node.id)
        ):
            yield node, f"`{node.id}`"
        elif isinstance(node, ast.Attribute):
            own = _root(node) in of_modules
            if node.attr in _NEVER or _is_special(node.attr) or (own and node.attr in _OF_MODULES):
                yield node, f"`{ast.unparse(node)}`"
            elif isinstance(node.ctx, ast.Store | ast.Del) and not _is_own(node):
                yield node, f"`{ast.unparse(node)}` is changed"
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and _is_special(node.name):
            yield node, f"`{node.name}` is defined"


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _SPECIAL


def _is_own(node: ast.Attribute) -> bool:
    """Whether it is an attribute of an object of the file's: of `self`, or of a context."""
    return _root(node) in ("self", "ctx")


def _root(node: ast.expr) -> str:
    """The name that a chain of attributes begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
