"""Whether tensors of any size come to a launch, or something may keep the large ones away.

What a launcher checks of sizes is known where it is arithmetic (`LaunchBinding`). A check that is
about no size keeps none away: `x.is_cuda`, `mode in NAMES`, `weight is None`. A function that
calls the launcher passes on what it is given, or a part of it, which is smaller.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.callers import calls_of
from tritonopt.facts.host.conditions import checked, conjuncts
from tritonopt.facts.host.local_names import Function, LocalNames, leaves, names_of
from tritonopt.facts.host.tensor_expressions import viewed
from tritonopt.source import Launch, Module
from tritonopt.source.trees import walk

_OF_NO_SIZE = frozenset(
    {"is_contiguous", "is_complex", "is_floating_point", "is_cuda", "get_device", "dim"}
)
_LOOKING = frozenset(
    {"isinstance", "len", "torch.is_floating_point", "torch.is_complex", "torch.is_tensor"}
)
_MOVED = torch_api.VIEWS | torch_api.SAME_SHAPE | {"contiguous"}


@lru_cache(maxsize=64)
def may_be_large(launch: Launch, tensor: str) -> bool:
    """Whether a parameter of the launcher may be a tensor of any size, where the launch runs."""
    launcher = launch.launcher
    if launcher is None or names_of(launcher).reshapes:
        return False
    reader = _Reader(launch.module, launcher)
    return reader.reads_all_tests(launch.call) and _is_handed_on(launch, launcher, tensor)


class _Reader:
    """What the tests of one function say of sizes."""

    def __init__(self, module: Module, function: Function) -> None:
        self._module = module
        self._names: LocalNames = names_of(function)

    def reads_all_tests(self, call: ast.AST) -> bool:
        """Whether each test on the way to a call is about no size, or is arithmetic."""
        return all(self._is_read(test, holds) for test, holds in self._tests(call))

    def _tests(self, call: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
        home, parents = self._names.home, self._module.names.parents
        place: ast.AST | None = call
        while place is not None and place not in home:
            place = parents.get(place)
        while isinstance(place, ast.stmt) and place in home:
            around, block, index = home[place]
            for statement in block[:index]:
                known = checked(self._module, statement)
                if known is not None:
                    yield known
                elif isinstance(statement, ast.If) and leaves(statement.body):
                    yield statement.test, False
            if isinstance(around, ast.If):
                yield around.test, block is around.body
            place = around if isinstance(around, ast.stmt) else None

    def _is_read(self, test: ast.expr, holds: bool) -> bool:
        if not self._asks_for_sizes(test):
            return True
        parts = list(conjuncts(test, holds))
        return bool(parts) and all(
            isinstance(part, ast.Compare) or not self._asks_for_sizes(part) for part, _ in parts
        )

    def _asks_for_sizes(self, node: ast.AST, depth: int = 0) -> bool:
        match node:
            case ast.Attribute(attr=attribute) if attribute in torch_api.SIZES - {"ndim"}:
                return True
            case ast.Name(id=name) if name in self._names.lines:
                given = self._names.assigned.get(name, [])
                hidden = name in self._names.bound_otherwise or depth > 5
                return hidden or any(self._asks_for_sizes(each, depth + 1) for each in given)
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[], keywords=[]) if (
                method in _OF_NO_SIZE
            ):
                return not isinstance(owner, ast.Name) and self._asks_for_sizes(owner, depth)
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                own = self._names.parameters | self._names.lines.keys()
                given_away = any(isinstance(n, ast.Name) and n.id in own for n in walk(node))
                return name not in _LOOKING and given_away
        return any(self._asks_for_sizes(child, depth) for child in ast.iter_child_nodes(node))


# Who calls the launcher


def _is_handed_on(launch: Launch, launcher: Function, tensor: str) -> bool:
    """Whether nobody in the file calls the launcher, or somebody who passes on what he is given."""
    calls = [(caller, call) for caller, call in calls_of(launch, launcher.name)]
    return not calls or any(
        call is not None and _passes_on(launch.module, launcher, tensor, caller, call)
        for caller, call in calls
    )


def _passes_on(
    module: Module, launcher: Function, tensor: str, caller: Function, call: ast.Call
) -> bool:
    argument = _argument(launcher, tensor, call)
    names = names_of(caller)
    reader = _Reader(module, caller)
    while argument is not None and (inside := viewed(argument, _MOVED)) is not None:
        argument = inside
    if not isinstance(argument, ast.Name) or not reader.reads_all_tests(call):
        return False
    name = argument.id
    if name not in names.lines:
        return name in names.parameters
    if name in names.bound_otherwise:
        return _is_saved(caller, name)
    return all(_is_moved(value, name) for value in names.assigned[name])


def _argument(launcher: Function, tensor: str, call: ast.Call) -> ast.expr | None:
    """What a call passes for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == tensor:
            return keyword.value
    if any(isinstance(given, ast.Starred) for given in call.args):
        return None
    names = [a.arg for a in (*launcher.args.posonlyargs, *launcher.args.args)]
    return dict(zip(names, call.args, strict=False)).get(tensor)


def _is_moved(value: ast.expr, name: str) -> bool:
    """Whether it is the tensor itself, whole, in another place or another shape."""
    while (inside := viewed(value, _MOVED)) is not None:
        value = inside
    return isinstance(value, ast.Name) and value.id == name


def _is_saved(caller: Function, name: str) -> bool:
    """`x, w = ctx.saved_tensors`, and nothing else binds it."""
    bindings = [
        node
        for node in walk(caller)
        if isinstance(node, ast.Assign)
        and any(isinstance(n, ast.Name) and n.id == name for t in node.targets for n in walk(t))
    ]
    return all(
        isinstance(node.value, ast.Attribute) and node.value.attr == "saved_tensors"
        for node in bindings
    )
