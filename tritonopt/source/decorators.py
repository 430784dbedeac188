"""What stands above a function, and what of the function is still as it is written.

A decorator may put anything in the place of what it decorates: a function that is called twice, a
launcher with other arguments, another text. One whose effect is not known takes away

- above `triton.jit`, or around the class that holds the kernel: what the launches of the kernel
  pass, and how many programs they start;
- above a jit function that a kernel calls: what that call does;
- below `triton.jit`: the text that is compiled, so that it is no kernel to us;
- above the function that is a grid: the grid.

Above a launcher it takes away nothing: the body runs as it is written, and nobody rests anything
on what the launcher is called with.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module
    from tritonopt.source.names import Binding

JIT = "triton.jit"
AUTOTUNE = "triton.autotune"
HEURISTICS = "triton.heuristics"

_OTHER_JITS = frozenset({"triton_dist.jit", "triton_dist.jit.jit"})
"""Decorators of other packages that do what `triton.jit` does: compile the text below them, and
launch it as it is asked to."""

JIT_VARIABLE = "TRITONOPT_JIT_DECORATORS"
"""An environment variable with more of them, so that every process that we start knows them."""

CACHING_BY_VALUE = frozenset({"flag_gems.utils.libentry", "flag_gems.utils.libentry.libentry"})
"""Decorators that keep what was compiled, by all arguments that the kernel takes: for another
value of an argument that is specialized they compile anew, and so for one more argument."""

# Read in the source of these projects: each launches the kernel below it with the arguments and the
# grid that it was given, some after they have chosen further arguments, as `triton.autotune` does.
_LAUNCHING_AS_GIVEN = CACHING_BY_VALUE | frozenset(
    {
        "flag_gems.utils.libtuner",
        "flag_gems.utils.libentry.libtuner",
        "fla.ops.utils.cache.fla_cache_autotune",
        "sglang.srt.utils.cached_triton_kernel",
    }
)
_KNOWN_ABOVE_JIT = _LAUNCHING_AS_GIVEN | {AUTOTUNE, HEURISTICS, JIT}
CHOOSING = _KNOWN_ABOVE_JIT - {JIT}
"""What may launch a kernel with further arguments, or others."""
_CLASS_DECORATORS = frozenset({"dataclasses.dataclass", "typing.final", "typing_extensions.final"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def canonical_decorator(name: str) -> str:
    """`triton.jit` for what does the same, else the name."""
    if name in _OTHER_JITS or (name and name in os.environ.get(JIT_VARIABLE, "").split(",")):
        return JIT
    return name


def take_for_jit(names: Iterable[str]) -> None:
    """Decorators that do what `triton.jit` does, by their dotted names."""
    known = list(filter(None, os.environ.get(JIT_VARIABLE, "").split(",")))
    more = [name for name in names if name not in known]
    if more:
        os.environ[JIT_VARIABLE] = ",".join([*known, *more])


def unknown_at_launch(kernel: Kernel) -> ast.expr | None:
    """What stands above a kernel and may launch it in another way than it is asked to."""
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name not in _KNOWN_ABOVE_JIT and not _is_harmless(kernel.module, decorator):
            return decorator
    return next(_around_class(kernel), None)


def _around_class(kernel: Kernel) -> Iterator[ast.expr]:
    """What decorates the classes that hold the kernel, and may do anything with their members."""
    names = kernel.module.names
    scope = next(scope for node, scope in names.functions if node is kernel.node)
    while isinstance(scope.node, ast.ClassDef) and scope.parent is not None:
        for holder in _derived(kernel.module, scope.node):
            for decorator in holder.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                known = names.resolve(called) in _CLASS_DECORATORS
                if not known and not is_identity(kernel.module, decorator):
                    yield decorator
            yield from (keyword.value for keyword in holder.keywords)  # a metaclass, or for a base
        scope = scope.parent


def _derived(module: Module, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """A class and those of the file that have its members too."""
    classes = [node for node in module.names.scopes if isinstance(node, ast.ClassDef)]
    found = [owner]
    for above in found:  # it grows meanwhile
        for node in classes:
            names = (base for base in node.bases if isinstance(base, ast.Name))
            if node not in found and any(above in _bindings(module, name) for name in names):
                found.append(node)
    return found


def _bindings(module: Module, name: ast.Name) -> Sequence[Binding]:
    home = module.names.scope_of.get(name, module.names.module).find(name.id)
    return home.bindings[name.id] if home is not None else ()


def is_called_as_written(kernel: Kernel) -> bool:
    """Whether a call from jit code runs the text of this function, and nothing put in its place."""
    pairs = zip(kernel.node.decorator_list, kernel.decorators, strict=True)
    if not all(name == JIT or _is_harmless(kernel.module, node) for node, name in pairs):
        return False
    return not any(
        _may_replace(kernel, use) for use in kernel.module.escapes.get(kernel.qualname, ())
    )


def _may_replace(kernel: Kernel, use: ast.expr) -> bool:
    """Whether a use of a jit function may put another in its place, or give it another text."""
    if isinstance(use, (ast.Constant, ast.Attribute, ast.Call)):
        return True  # by its name in a text, or as something that an object holds
    around = kernel.module.names.parents[use]
    if not isinstance(around, ast.Attribute) or around.value is not use:
        return False
    return not isinstance(around.ctx, ast.Load) or around.attr == "_unsafe_update_src"


def unknown_below_jit(module: Module, between: Sequence[ast.expr]) -> ast.expr | None:
    """What stands between a function and `triton.jit` above it and may give it another text."""
    return next((d for d in between if not is_identity(module, d)), None)


def _is_harmless(module: Module, decorator: ast.expr) -> bool:
    return module.builtin(decorator) == "staticmethod" or is_identity(module, decorator)


def is_identity(module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator of this file gives back the function that it gets, and keeps it nowhere.

    `def register(function): ...; return function`, or a function that returns such a one.
    """
    if isinstance(decorator, ast.Call):
        factory = _definition(module, decorator.func)
        if not isinstance(factory, ast.FunctionDef) or factory.decorator_list:
            return False
        ends = _returned(factory)
        return bool(ends) and all(_is_identity_function(_function(module, end)) for end in ends)
    return _is_identity_function(_definition(module, decorator))


def _function(module: Module, expression: ast.expr) -> _Function | None:
    return expression if isinstance(expression, ast.Lambda) else _definition(module, expression)


def _definition(module: Module, expression: ast.expr) -> _Function | None:
    """The function that a name stands for, if it is bound to nothing else."""
    if not isinstance(expression, ast.Name):
        return None
    bindings = _bindings(module, expression)
    only = bindings[0] if len(bindings) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.Lambda)) else None


def _is_identity_function(function: _Function | None) -> bool:
    if function is None or isinstance(function, ast.AsyncFunctionDef):
        return False
    if isinstance(function, ast.FunctionDef) and function.decorator_list:
        return False
    taken = [*function.args.posonlyargs, *function.args.args]
    if len(taken) != 1 or function.args.vararg or function.args.kwonlyargs or function.args.kwarg:
        return False
    ends = _returned(function)
    mine = {end for end in ends if isinstance(end, ast.Name) and end.id == taken[0].arg}
    reads = {n for n in walk(function) if isinstance(n, ast.Name) and n.id == taken[0].arg}
    # Read anywhere else, it may be kept, changed or called.
    return bool(ends) and mine == set(ends) and reads == mine


def _returned(function: _Function) -> list[ast.expr]:
    """What a function returns, in every place; empty where it may also return nothing, or yield."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    inner = {n for d in walk(function) if _is_definition(d, function) for n in walk(d)}
    own = [node for node in walk(function) if node not in inner]
    returns = [node for node in own if isinstance(node, ast.Return)]
    last = function.body[-1]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own) or last not in returns:
        return []
    values = [node.value for node in returns if node.value is not None]
    return values if len(values) == len(returns) else []


def _is_definition(node: ast.AST, function: _Function) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return isinstance(node, kinds) and node is not function
