"""Which parameters a kernel reads and writes through, and what bounds them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tritonopt import source


def pointers(module: source.Module, kernel: source.Kernel) -> dict[str, str | None]:
    """Parameters that a kernel loads from or stores to, with what bounds them.

    The bound is known where every access is `pointer + lanes` under `lanes < BOUND`, a
    parameter, or `pointer + tl.program_id(0)`, which is called `program 0`.
    """
    names = {p.name for p in kernel.parameters}
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            assigned.setdefault(node.target.id, []).append(node.value)
    found: dict[str, str | None] = {}
    for node in ast.walk(kernel.node):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = module.resolve(node.func).removeprefix("triton.language.")
        if called not in ("load", "store") and not called.startswith("atomic_"):
            continue
        base = _base(node.args[0], assigned, names)
        if base is None:
            continue
        bound = None
        if base not in assigned:
            bound = _bound(node, called, assigned, names) or _program(module, node, assigned)
        found[base] = bound if found.get(base, bound) == bound else None
    return found


def _base(
    pointer: ast.expr, assigned: Mapping[str, list[ast.expr]], names: set[str], depth: int = 6
) -> str | None:
    while isinstance(pointer, ast.BinOp) and isinstance(pointer.op, (ast.Add, ast.Sub)):
        pointer = pointer.left
    if not isinstance(pointer, ast.Name) or depth == 0:
        return None
    if pointer.id in names:
        return pointer.id
    for value in assigned.get(pointer.id, []):
        found = _base(value, assigned, names, depth - 1)
        if found is not None:
            return found
    return None


def _bound(
    call: ast.Call, called: str, assigned: Mapping[str, list[ast.expr]], names: set[str]
) -> str | None:
    pointer = call.args[0]
    if not (isinstance(pointer, ast.BinOp) and isinstance(pointer.left, ast.Name)):
        return None
    place = 1 if called == "load" else 2
    mask = next((k.value for k in call.keywords if k.arg == "mask"), None)
    if mask is None and len(call.args) > place:
        mask = call.args[place]
    if isinstance(mask, ast.Name) and len(assigned.get(mask.id, [])) == 1:
        mask = assigned[mask.id][0]
    if not isinstance(mask, ast.Compare) or not isinstance(mask.ops[0], ast.Lt):
        return None
    bound = mask.comparators[0]
    same = ast.dump(mask.left) == ast.dump(pointer.right)
    return bound.id if same and isinstance(bound, ast.Name) and bound.id in names else None


def _program(
    module: source.Module, call: ast.Call, assigned: Mapping[str, list[ast.expr]]
) -> str | None:
    pointer = call.args[0]
    if not (isinstance(pointer, ast.BinOp) and isinstance(pointer.left, ast.Name)):
        return None
    index = pointer.right
    if isinstance(index, ast.Name) and len(assigned.get(index.id, [])) == 1:
        index = assigned[index.id][0]
    if not isinstance(index, ast.Call) or len(index.args) != 1:
        return None
    if module.resolve(index.func) != "triton.language.program_id":
        return None
    axis = _literal(index.args[0])
    return f"program {axis}" if isinstance(axis, int) else None


def _literal(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except ValueError:
        return None
    return value
