"""Offsets that one version computes in 64 bits, and the other no longer does.

Where they go wrong takes more than 2**31 elements, which few calls can have: what cannot be run
is read here. An offset is what the address of a load or a store is computed from, by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt import source
from tritonopt.verification.coverage.text_differences import Body, Comparison, Statement

_ACCESSES = tuple(
    f"triton.language.{name}"
    for name in ("load", "store", "make_block_ptr", "make_tensor_descriptor")
)
_ATOMIC = "triton.language.atomic_"
_WIDE = ("triton.language.int64", "triton.language.uint64")


def narrowed_offsets(compared: Comparison) -> list[int]:
    """Lines of the original in which an offset becomes 64 bits long, and no longer does.

    By kernel: a conversion may be written elsewhere, so as many of them are as good.
    """
    found = []
    kernels = {k.node for k in compared.old.module.kernels}
    for name, ours in compared.old.bodies.items():
        theirs = compared.new.bodies.get(name)
        if ours.node not in kernels or theirs is None:
            continue
        lines = [s.line for s in _widening(compared.old.module, ours) if s.differs]
        if len(lines) > sum(s.differs for s in _widening(compared.new.module, theirs)):
            found += lines
    return found


def _widening(module: source.Module, body: Body) -> Iterator[Statement]:
    """The statements that convert part of an offset to 64 bits, once for each conversion."""
    needed = _offsets(module, body)
    for statement in body.statements:
        calls = [n for part in statement.head for n in ast.walk(part) if isinstance(n, ast.Call)]
        of_offset = statement.binds() & needed or any(_pointer(module, c) for c in calls)
        yield from (statement for call in calls if of_offset and _is_wide(module, call))


def _offsets(module: source.Module, body: Body) -> set[str]:
    """Names that addresses are computed from."""
    pointers = (
        _pointer(module, node)
        for statement in body.statements
        for part in statement.head
        for node in ast.walk(part)
    )
    return body.computed_from(
        {n.id for p in pointers if p is not None for n in ast.walk(p) if isinstance(n, ast.Name)}
    )


def _pointer(module: source.Module, node: ast.AST) -> ast.expr | None:
    """What an access is given for its address."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = module.resolve(node.func)
    return node.args[0] if name in _ACCESSES or name.startswith(_ATOMIC) else None


def _is_wide(module: source.Module, call: ast.Call) -> bool:
    """Whether it is `x.to(tl.int64)`, or `tl.cast(x, tl.int64)`."""
    converts = isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cast")
    given = [*call.args, *(k.value for k in call.keywords)]
    return converts and any(module.resolve(value) in _WIDE for value in given)
