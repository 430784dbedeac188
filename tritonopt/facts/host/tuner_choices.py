"""What a tuner is given: its configurations, and how many there are at least."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import Atom
from tritonopt.facts.host.few_values import READING
from tritonopt.source import Kernel
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

_TUNER, _HEURISTICS = "triton.autotune", "triton.heuristics"
_MANY = 8
"""Of so many, a filter is taken to leave more than one."""
_SAME_NUMBER = frozenset({"list", "tuple", "sorted", "reversed"})
_MAX_DEPTH = 8


def least_number(module: Module, configs: ast.expr, depth: int = 0) -> int:
    """A number that there are not less of; 1 where that cannot be read."""
    if depth > _MAX_DEPTH:
        return 1
    configs = bound(module, configs) or configs
    match configs:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return sum(
                least_number(module, e.value, depth + 1) if isinstance(e, ast.Starred) else 1
                for e in elements
            )
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return sum(least_number(module, side, depth + 1) for side in (left, right))
        case ast.IfExp(body=body, orelse=orelse):
            return min(least_number(module, side, depth + 1) for side in (body, orelse))
        case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
            product = math.prod(least_number(module, g.iter, depth + 1) for g in generators)
            return _left(product, any(g.ifs for g in generators))
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _SAME_NUMBER:
            return least_number(module, inner, depth + 1)
        case ast.Call(func=ast.Name(id="range"), args=[*ends]):
            numbers = [e.value for e in ends if isinstance(e, ast.Constant)]
            whole = [number for number in numbers if isinstance(number, int)]
            return len(range(*whole)) if len(whole) == len(ends) else 1
        case ast.Call(func=called, args=[*lists]) if module.resolve(called) == "itertools.product":
            return math.prod(least_number(module, one, depth + 1) for one in lists)
        case ast.Call(func=ast.Name(id=name)):
            return _made_by(module, name, depth + 1)
    return 1


def settings_of(configs: ast.expr) -> tuple[Mapping[Atom, int], ...]:
    """By configuration, the whole numbers that it gives; empty where one cannot be read."""
    chosen = [_chosen_by(c) for c in getattr(configs, "elts", ())]
    if None in chosen:
        return ()
    given = (choice or {} for choice in chosen)
    return tuple({Param(n): k for n, k in g.items() if k is not None} for g in given)


def _chosen_by(config: ast.expr) -> dict[str, int | None] | None:
    """What a configuration gives to the parameters, None for what is no whole number."""
    if not isinstance(config, ast.Call):
        return None
    given = [k.value for k in config.keywords if k.arg == "kwargs"]
    match (*config.args[:1], *given)[:1]:
        case (ast.Dict(keys=keys, values=values),):
            chosen: dict[str, int | None] = {}
            for key, value in zip(keys, values, strict=True):
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    return None
                number = value.value if isinstance(value, ast.Constant) else None
                chosen[key.value] = int(number) if isinstance(number, int) else None
            return chosen
    return None


class Tuning:
    """What the decorators of a kernel choose for it."""

    def __init__(self, kernel: Kernel) -> None:
        self._module = kernel.module
        self.readable = True
        self.choices: list[dict[str, int | None] | None] = []
        """The configurations; None for one that is not known."""
        self.heuristics: dict[str, ast.expr] = {}
        unknown = False
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            if name == _TUNER and isinstance(decorator, ast.Call):
                self.choices += self._configurations(decorator)
            elif name == _HEURISTICS and isinstance(decorator, ast.Call):
                self._read_heuristics(decorator)
            elif name != kernel.jit:
                unknown = True
        if unknown:
            self.choices = [None]
        if not self.choices:
            self.choices = [{}]

    def _configurations(self, tuner: ast.Call) -> list[dict[str, int | None] | None]:
        given = [k.value for k in tuner.keywords if k.arg == "configs"]
        configurations = self._constant((*tuner.args[:1], *given)[:1])
        if not isinstance(configurations, (ast.List, ast.Tuple)) or not configurations.elts:
            return [None]
        found = [self._configuration(node) for node in configurations.elts]
        return [*found, None] if self._makes_more(tuner) else found

    def _makes_more(self, tuner: ast.Call) -> bool:
        """Whether what prunes the configurations may make one that is not among them."""
        given = [k.value for k in tuner.keywords if k.arg == "prune_configs_by"]
        defined = {f.name: f for f, _ in self._module.names.functions}
        parts: list[ast.AST] = [part for value in given for part in _pruners(value)]
        if not all(isinstance(p, ast.Lambda) or self._pruned_by(p) in defined for p in parts):
            return True  # a function of another file
        reached: set[str] = set()
        for part in parts:
            named = {n.id for n in walk(part) if isinstance(n, ast.Name)} & defined.keys()
            parts += [defined[name] for name in sorted(named - reached)]
            reached |= named
        return any(
            (isinstance(n, ast.Call) and self._module.resolve(n.func) == "triton.Config")
            or (isinstance(n, ast.Attribute) and n.attr == "kwargs" and self._is_changed(n))
            or (isinstance(n, ast.Name) and n.id in ("setattr", "vars"))
            for part in parts
            for n in walk(part)
        )

    def _pruned_by(self, part: ast.AST) -> str:
        """The name of the function that prunes, `functools.partial` of it included."""
        match part:
            case ast.Call(func=func, args=[first, *_]) if (
                self._module.resolve(func) == "functools.partial"
            ):
                return self._pruned_by(first)
            case ast.Call(func=ast.Name(id=name)) | ast.Name(id=name):
                return name
        return ""

    def _is_changed(self, attribute: ast.Attribute) -> bool:
        """Whether the dict is anything but looked into there."""
        match self._module.names.parents.get(attribute):
            case ast.Subscript(ctx=ast.Load()) | ast.Compare():
                return False
            case ast.Attribute(attr=asked):
                return asked not in READING
        return True

    def _configuration(self, node: ast.expr) -> dict[str, int | None] | None:
        is_one = isinstance(node, ast.Call) and self._module.resolve(node.func) == "triton.Config"
        return _chosen_by(node) if is_one else None

    def _read_heuristics(self, decorator: ast.Call) -> None:
        given = [k.value for k in decorator.keywords if k.arg == "values"]
        table = self._constant((*decorator.args[:1], *given)[:1])
        if not isinstance(table, ast.Dict):
            self.readable = False
            return
        for key, value in zip(table.keys, table.values, strict=True):
            if not isinstance(key, ast.Constant):
                self.readable = False
                return
            self.heuristics[str(key.value)] = value

    def _constant(self, expressions: Sequence[ast.expr]) -> ast.AST | None:
        """An expression, or what the module binds a name to that it binds just once.

        And only hands to the tuner: elsewhere a list may get more elements.
        """
        if not expressions or not isinstance(expressions[0], ast.Name):
            return expressions[0] if expressions else None
        name = expressions[0].id
        bindings = self._module.names.module.bindings.get(name, [])
        only = bindings[0] if len(bindings) == 1 else None
        loads = (n for n in self._module.names.scope_of if n.id == name)
        if not all(isinstance(n.ctx, ast.Store) or self._is_for_tuner(n) for n in loads):
            return None
        return only if isinstance(only, ast.AST) else None

    def _is_for_tuner(self, node: ast.AST) -> bool:
        """Whether an expression is an argument of `triton.autotune` or `triton.heuristics`."""
        call = self._module.names.parents.get(node)
        if isinstance(call, ast.keyword):
            call = self._module.names.parents.get(call)
        return isinstance(call, ast.Call) and self._module.resolve(call.func) in (
            _TUNER,
            _HEURISTICS,
        )


def _pruners(given: ast.expr) -> list[ast.expr]:
    """What makes the list of configurations anew: `perf_model` only puts them in order."""
    match given:
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return [
                v
                for k, v in pairs
                if isinstance(k, ast.Constant) and k.value == "early_config_prune"
            ]
        case ast.Constant(value=None):
            return []
    return [given]


def keywords_of(module: Module, given: ast.expr) -> dict[str, ast.expr] | None:
    """What `**given` passes, where that can be read: all of it, of either side of a choice."""
    match bound(module, given):
        case ast.Dict(keys=keys, values=values):
            names = [key.value for key in keys if isinstance(key, ast.Constant)]
            texts = [name for name in names if isinstance(name, str)]
            return dict(zip(texts, values, strict=True)) if len(texts) == len(values) else None
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            named = {k.arg: k.value for k in keywords if k.arg is not None}
            return named if len(named) == len(keywords) else None
        case ast.IfExp(body=body, orelse=orelse):
            sides = (keywords_of(module, body), keywords_of(module, orelse))
            if sides[0] is None or sides[1] is None or sides[0].keys() & sides[1].keys():
                return None
            return {**sides[0], **sides[1]}
    return None


def bound(module: Module, node: ast.expr | None) -> ast.expr | None:
    """An expression, or what the module binds its name to, if just once."""
    if isinstance(node, ast.Name):
        bindings = module.names.module.bindings.get(node.id, [])
        if len(bindings) == 1 and isinstance(bindings[0], ast.expr):
            return bindings[0]
    return node


def _left(product: int, filtered: bool) -> int:
    return product if not filtered else 2 if product >= _MANY else 1


def _made_by(module: Module, name: str, depth: int) -> int:
    """The least that a function of the file returns."""
    named = [f for f, _ in module.names.functions if isinstance(f, ast.FunctionDef)]
    found = [function for function in named if function.name == name]
    if len(found) != 1:
        return 1
    returned = [n.value for n in walk(found[0]) if isinstance(n, ast.Return)]
    numbers = []
    for value in returned:
        match value:
            case ast.Name(id=collected):
                numbers.append(_collected(module, found[0].body, collected, depth) or 1)
            case ast.expr():
                numbers.append(least_number(module, value, depth))
    return min(numbers, default=1)


def _collected(module: Module, body: Sequence[ast.stmt], name: str, depth: int) -> int:
    """How many are put into a list by plain code: bound, or appended in loops."""
    number = 0
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.List() as value):
                number = least_number(module, value, depth) if target == name else number
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"))
            ):
                number += owner == name
            case ast.For(iter=iterable, body=inner):
                times = least_number(module, iterable, depth)
                number += times * _collected(module, inner, name, depth)
            case ast.If():
                break  # what is left out is not known
    return number
