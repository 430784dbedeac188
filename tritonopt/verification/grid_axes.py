"""Along which axes of its grid a kernel has more than one program, by what its launches say."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence

from tritonopt import facts, source
from tritonopt.facts.algebra.turns import is_at_most


def axes_of_many(
    module: source.Module, kernel: source.Kernel, launchers: Container[ast.AST]
) -> dict[int, int]:
    """Axes along which the kernel asks where it stands, with the line where it first does.

    By the launches in these functions. Not those of which a launch does not say how many programs
    there are, nor those with a program for every tile of which the text shows that there is never
    a second one: such a tile grows with what it holds.
    """
    launches = [
        x for x in module.launches if x.kernel.name == kernel.name and x.launcher in launchers
    ]
    launches += module.uses_elsewhere(kernel).launches
    found: dict[int, int] = {}
    for axis, line in _asked(kernel):
        counts = [_count(x, axis) for x in launches]
        plain = any(count is not None and _is_plain(count) for count in counts)
        tiles = any(count is not None and _is_of_tiles(count) for count in counts)
        if plain or _several_tiles(kernel, launches, axis) or (tiles and not _known(kernel)):
            found.setdefault(axis, line)
    return found


def _several_tiles(kernel: source.Kernel, launches: Sequence[source.Launch], axis: int) -> bool:
    """Whether it is known how many programs some launch has, and not that there is only one."""
    known = facts.of(kernel)
    counts = [
        binding.grid[axis]
        for binding in known.launches.bindings
        if binding.launch in launches and axis < len(binding.grid)
    ]
    return any(count is not None and not is_at_most(known, count, 1) for count in counts)


def _known(kernel: source.Kernel) -> bool:
    """Whether it can be read what the kernel is launched with."""
    return bool(facts.of(kernel).launches.bindings)


def _is_of_tiles(count: ast.expr) -> bool:
    """Whether it is a number of tiles as long as a tuner says: `cdiv(n, META["BLOCK"])`."""
    length: ast.expr | None = None
    if isinstance(count, ast.Call) and len(count.args) == 2:
        length = count.args[1]
    elif isinstance(count, ast.BinOp) and isinstance(count.op, ast.FloorDiv):
        length = count.right
    return isinstance(length, ast.Subscript) and isinstance(length.slice, ast.Constant)


def _asked(kernel: source.Kernel) -> Iterator[tuple[int, int]]:
    for node in ast.walk(kernel.node):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("program_id"):
            continue
        places = [*node.args, *(k.value for k in node.keywords if k.arg == "axis")]
        if places and isinstance(places[0], ast.Constant) and type(places[0].value) is int:
            yield places[0].value, node.lineno


def _count(launch: source.Launch, axis: int) -> ast.expr | None:
    """How many programs there are along an axis, with names replaced by what they stand for."""
    names = {} if launch.launcher is None else _bound_once(launch.launcher)
    grid = _resolved(launch.grid, names)
    if isinstance(grid, ast.Lambda):
        grid = _resolved(grid.body, names)
    if not isinstance(grid, ast.Tuple):
        return None
    return _resolved(grid.elts[axis], names) if axis < len(grid.elts) else None


def _bound_once(launcher: ast.AST) -> dict[str, ast.expr]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(launcher):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _resolved(node: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    seen: set[str] = set()
    while isinstance(node, ast.Name) and node.id in names and node.id not in seen:
        seen.add(node.id)
        node = names[node.id]
    return node


def _is_plain(count: ast.expr) -> bool:
    """Whether it is a number of things: a size, a product of sizes, `x.numel() // n`."""
    if isinstance(count, ast.Constant):
        return type(count.value) is int and count.value > 1
    if isinstance(count, ast.BinOp):
        plain = _is_plain(count.left) or isinstance(count.left, ast.Constant)
        if isinstance(count.op, ast.FloorDiv):
            return plain and not isinstance(count.left, (ast.BinOp, ast.Constant))
        return plain and isinstance(count.op, ast.Mult)
    if isinstance(count, ast.Call):
        called = count.func.attr if isinstance(count.func, ast.Attribute) else ""
        return called in ("numel", "size")
    return isinstance(count, (ast.Name, ast.Subscript))
