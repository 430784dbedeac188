"""Whether the functions that prune a tuner's configurations take one more argument of a launch.

Triton calls `early_config_prune(configs, named_arguments, **keywords_of_the_launch)`, and
`perf_model(**arguments)` with all that the kernel takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt.facts.configurations import bound
from tritonopt.rewriting.checklist import unknown
from tritonopt.source import Module
from tritonopt.source.trees import walk

_CLAIM = "parameter-can-be-added"
_WITHOUT_ARGUMENTS = "top_k"
_PLACE = 3
"""Of `prune_configs_by` among the arguments of `triton.autotune`."""
_ALL_NAMES = ("locals", "vars", "eval", "exec")


def check_pruning(module: Module, decorator: ast.expr) -> None:
    """Raises Declined where one more argument of a launch may be seen by such a function."""
    for name, value in _keywords(module, decorator):
        if name != "prune_configs_by":
            continue
        functions = bound(module, value)
        known = not isinstance(value, ast.Name) or _is_only_given(module, value.id, name)
        if not known or not isinstance(functions, ast.Dict):
            detail = "what prunes the configurations is not known"
            raise unknown(_CLAIM, "pruned-configurations", detail)
        for key, function in zip(functions.keys, functions.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == _WITHOUT_ARGUMENTS:
                continue
            if not _takes_any_name(module, function):
                detail = f"what prunes the configurations in line {function.lineno}"
                raise unknown(
                    _CLAIM,
                    "pruned-configurations",
                    f"{detail} may not take, or may look at, every argument of a launch",
                )


def _keywords(module: Module, decorator: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """What a decorator is given by name, also through a dict of the file's own."""
    if not isinstance(decorator, ast.Call):
        return
    places = decorator.args[:_PLACE]
    if any(isinstance(argument, ast.Starred) for argument in places):
        detail = f"line {decorator.lineno} gives it arguments that are not known"
        raise unknown(_CLAIM, "unknown-decorator", f"{detail}: they may prune configurations")
    yield from (("prune_configs_by", argument) for argument in decorator.args[_PLACE - 1 : _PLACE])
    for keyword in decorator.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value
            continue
        items = _items(module, keyword.value)
        if items is None:
            detail = f"line {keyword.value.lineno} gives it arguments that are not known"
            raise unknown(_CLAIM, "unknown-decorator", f"{detail}: they may prune configurations")
        yield from items


def _items(module: Module, given: ast.expr) -> list[tuple[str, ast.expr]] | None:
    """The items of a dict, or of one of two, that nothing in the file changes."""
    if isinstance(given, ast.Name) and not _is_only_given(module, given.id, None):
        return None
    match bound(module, given):
        case ast.IfExp(body=body, orelse=orelse):
            sides = [_items(module, side) for side in (body, orelse)]
            known = [side for side in sides if side is not None]
            return [item for side in known for item in side] if len(known) == len(sides) else None
        case ast.Dict(keys=keys, values=values):
            named = [
                (key.value, value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
            return named if len(named) == len(keys) else None
    return None


def _is_only_given(module: Module, name: str, keyword: str | None) -> bool:
    """Whether a name is bound once, and is only ever given as a keyword, or as `**name`."""
    uses = [n for n in walk(module.tree) if isinstance(n, ast.Name) and n.id == name]
    read = [use for use in uses if isinstance(use.ctx, ast.Load)]
    around = [module.names.parents.get(use) for use in read]
    alone = all(isinstance(node, ast.keyword) and node.arg == keyword for node in around)
    return alone and len(uses) == len(read) + 1


def _takes_any_name(module: Module, function: ast.expr) -> bool:
    """Whether it takes every keyword, and reads nothing but what it names of its arguments."""
    definition: object = function
    if isinstance(function, ast.Name):
        bindings = module.names.module.bindings.get(function.id, [])
        definition = bindings[0] if len(bindings) == 1 else function
    if not isinstance(definition, ast.FunctionDef | ast.Lambda):
        return False
    if isinstance(definition, ast.FunctionDef) and definition.decorator_list:
        return False
    arguments = definition.args
    if arguments.kwarg is None:
        return False
    watched = {arguments.kwarg.arg, *_ALL_NAMES}
    names = [n for n in walk(definition) if isinstance(n, ast.Name) and n.id in watched]
    return all(_is_looked_up(module, name) for name in names)


def _is_looked_up(module: Module, name: ast.Name) -> bool:
    """Whether it is `arguments["N"]`, `arguments.get("N", ...)` or `"N" in arguments`."""
    around = module.names.parents.get(name)
    match around:
        case ast.Subscript(value=value, slice=ast.Constant(), ctx=ast.Load()):
            return value is name
        case ast.Attribute(value=value, attr="get"):
            match module.names.parents.get(around):
                case ast.Call(func=called, args=[ast.Constant(), *_]):
                    return called is around and value is name
        case ast.Compare(ops=[ast.In() | ast.NotIn()], left=ast.Constant(), comparators=[right]):
            return right is name
    return False
