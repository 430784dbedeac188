"""Compilation ahead of a launch, which says of each parameter by name what it is.

`ASTSource(fn=k, signature={...})`, `triton.compile(k, ...)`, `k.warmup(...)`, `k.preload(...)`,
`inspect.signature(k)`, `k.arg_names`: a parameter more, though it has a default, is missing there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tritonopt.source.decorators import CHOOSING, JIT

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module

_COMPILERS = ("triton.compile", "triton.compiler.", "triton.tools.")
_NAMES = frozenset({"ASTSource", "AttrsDescriptor", "preload", "warmup"})
_SAYING_TYPES = frozenset({"signature", "constexprs", "constants"})


def asks_for_signature(kernel: Kernel) -> ast.expr | None:
    """What in the file may rest on the parameters that a kernel has now."""
    module = kernel.module
    for launch in module.launches:
        if launch.kernel is kernel and isinstance(launch.call.func, ast.Attribute):
            return launch.call
    uses = module.escapes.get(kernel.qualname, ())
    for use in uses:
        around = module.names.parents[use]
        if isinstance(around, ast.keyword):
            around = module.names.parents[around]
        if isinstance(around, ast.Attribute):
            return around
        if isinstance(around, ast.Call) and use is not around.func and _asks(module, around):
            return around
    # A function of the file may compile whatever kernel it gets.
    return next(_compilers(module), None) if uses else None


def _asks(module: Module, call: ast.Call) -> bool:
    if any(keyword.arg in _SAYING_TYPES for keyword in call.keywords):
        return True
    name = module.resolve(call.func)
    package = name.partition(".")[0]
    return package in ("triton", "inspect") and name not in CHOOSING and name != JIT


def _compilers(module: Module) -> Iterator[ast.expr]:
    """Where the file names what compiles ahead, or a program that does."""
    for node in module.names.parents:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if "triton.tools" in node.value or "triton/tools" in node.value:
                yield node
        elif isinstance(node, ast.Name | ast.Attribute):
            last = node.id if isinstance(node, ast.Name) else node.attr
            if last in _NAMES or module.resolve(node).startswith(_COMPILERS):
                yield node
