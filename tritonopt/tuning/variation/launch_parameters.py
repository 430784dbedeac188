"""Other launch parameters: tile sizes, num_warps, num_stages, num_ctas, changed in the source.

They are changed where they stand: in a launch, in what the launcher computes a tile size of, in
the one configuration of a tuner. Where a tuner has several to choose from, they are its own. For a
constant of the module its number is put where the launcher reads it: others may read it as well.
Whether the kernel still computes the same with them is not asked here.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import zip_longest
from typing import TypeGuard

from tritonopt import source
from tritonopt.source.decorators import AUTOTUNE
from tritonopt.source.editing.changes import AddArgument, Change, ReplaceExpression
from tritonopt.source.editing.edits import apply
from tritonopt.source.errors import EditConflict

_VALUES = {
    "num_warps": (1, 2, 4, 8, 16, 32),
    "num_stages": (1, 2, 3, 4, 5),
    "num_ctas": (1, 2, 4, 8),
}
_USUAL = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
_FACTORS = (2, 0.5, 4, 0.25)
"""By which a tile size is multiplied; the nearest first."""
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: lambda one, other: one << min(other, 32),
    ast.Pow: lambda one, other: one ** min(other, 32),
}
_LEAST_TILE, _MOST_TILE = 16, 65536
_WITH_CLUSTERS = (3, 8)
"""The version of Triton from which on plain kernels work on several blocks of threads."""


@dataclass(frozen=True)
class Edit:
    """One parameter changed, at every launch of a kernel."""

    parameter: str
    what: str
    """In short: `num_warps 4 -> 8`."""
    text: str


def edits(text: str, path: str, kernels: frozenset[str]) -> Iterator[Edit]:
    """The file with one parameter of one of these kernels changed, in each way.

    First the nearest other value of each parameter, then the next ones.
    """
    module = source.read(text, path)
    launched = [k for k in module.kernels if k.name in kernels]
    ways: list[Iterator[Edit]] = []
    for kernel in launched:
        places = _places(module, kernel)
        if not places:
            continue
        several = f" of {kernel.name}" if len(launched) > 1 else ""
        for parameter in _VALUES:
            if _concerns(parameter, kernel):
                ways.append(_options(module, places, parameter, several))
        ways += _tiles(module, kernel, places)
    for row in zip_longest(*ways):
        yield from (edit for edit in row if edit is not None)


@dataclass(frozen=True)
class _Place:
    """A call whose keywords are options: a launch, or `triton.Config(...)`."""

    call: ast.Call
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    arguments: dict[str, ast.expr]
    """Of a launch, by the kernel's parameters; of a configuration, what it chooses."""
    grid: ast.expr | None = None


def _places(module: source.Module, kernel: source.Kernel) -> list[_Place]:
    """Where the parameters of a kernel stand; nothing where that is not seen."""
    if AUTOTUNE in kernel.decorators:
        return _only_configuration(module, kernel)
    if any(_has_configurations(decorator) for decorator in kernel.node.decorator_list):
        return []  # somebody's own tuner, which gives them at every launch
    launches = [launch for launch in module.launches if launch.kernel is kernel]
    if any(x.hides_options or x.chosen_by is not None for x in launches):
        return []
    return [
        _Place(x.call, _function(x.launcher), dict(x.arguments), x.grid)
        for x in launches
        if not x.is_elsewhere
    ]


def _has_configurations(decorator: ast.expr) -> bool:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    return any(keyword.arg == "configs" for keyword in keywords)


def _only_configuration(module: source.Module, kernel: source.Kernel) -> list[_Place]:
    tuner = kernel.node.decorator_list[kernel.decorators.index(AUTOTUNE)]
    calls = [n for n in ast.walk(tuner) if isinstance(n, ast.Call)]
    configurations = [c for c in calls if module.resolve(c.func) == "triton.Config"]
    listed = [
        part
        for call in calls
        for part in (*call.args[:1], *(k.value for k in call.keywords if k.arg == "configs"))
        if isinstance(part, ast.List)
    ]
    match configurations, listed:
        case [config], [ast.List(elts=[only])] if only is config and config.args:
            chosen = config.args[0]
            if isinstance(chosen, ast.Dict):
                pairs = zip(chosen.keys, chosen.values, strict=True)
                named = {k.value: v for k, v in pairs if isinstance(k, ast.Constant)}
                return [_Place(config, None, {str(k): v for k, v in named.items()})]
    return []


@dataclass(frozen=True)
class _Number:
    """A power of two that a tile size is made of, and everything that changes along with it."""

    value: int
    places: tuple[ast.expr, ...]
    name: str = ""
    """Of the constant of the module that stands there."""


def _function(node: ast.AST | None) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return node if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _concerns(parameter: str, kernel: source.Kernel) -> bool:
    """Whether a parameter can do anything for a kernel, and this Triton takes it."""
    if parameter == "num_stages":
        # Only loads of loops with a dot are pipelined by it.
        attributes = {n.attr for n in kernel.nodes if isinstance(n, ast.Attribute)}
        return "dot" in attributes and any(isinstance(n, ast.For) for n in kernel.nodes)
    if parameter == "num_ctas":
        try:
            version = metadata.version("triton")
        except metadata.PackageNotFoundError:
            return False
        return tuple(int(p) for p in version.split("+")[0].split(".")[:2]) >= _WITH_CLUSTERS
    return True


def _options(
    module: source.Module, places: Sequence[_Place], parameter: str, of: str
) -> Iterator[Edit]:
    given = [
        next((k.value for k in place.call.keywords if k.arg == parameter), None) for place in places
    ]
    now = {_constant(value) if value is not None else _USUAL[parameter] for value in given}
    one = next(iter(now)) if len(now) == 1 else None
    usual = one or _USUAL[parameter]
    # Of two that are as near the larger one first: with more warps there is less to compile.
    for number in sorted(_VALUES[parameter], key=lambda n: (abs(math.log(n / usual)), -n)):
        if number == one:
            continue
        changes: list[Change] = [
            AddArgument(place.call, f"{parameter}={number}")
            if value is None
            else ReplaceExpression(value, str(number))
            for place, value in zip(places, given, strict=True)
        ]
        what = f"{parameter}{of} {'' if one is None else f'{one} -> '}{number}"
        yield from _edit(module, changes, parameter + of, what)


def _constant(value: ast.expr) -> int | None:
    is_number = isinstance(value, ast.Constant) and type(value.value) is int
    return value.value if is_number else None  # type: ignore[attr-defined]


def _tiles(
    module: source.Module, kernel: source.Kernel, places: Sequence[_Place]
) -> Iterator[Iterator[Edit]]:
    """Each number of which a constant parameter is made, in each way that it can be changed."""
    done: set[ast.expr] = set()
    for parameter in kernel.parameters:
        if not parameter.constexpr:
            continue
        found: list[_Number] = []
        for place in places:
            value = place.arguments.get(parameter.name, parameter.default)
            if value is not None:
                found += _numbers_of(module, place, value)
        for number in found:
            if number.places[0] not in done:
                done.update(number.places)
                yield _multiplied(module, parameter.name, number)


def _multiplied(module: source.Module, parameter: str, number: _Number) -> Iterator[Edit]:
    for after in (int(number.value * factor) for factor in _FACTORS):
        if _LEAST_TILE <= after <= _MOST_TILE:
            changes = [ReplaceExpression(place, str(after)) for place in number.places]
            what = f"{number.name or parameter} {number.value} -> {after}"
            yield from _edit(module, changes, number.name or parameter, what)


def _numbers_of(module: source.Module, place: _Place, value: ast.expr) -> list[_Number]:
    """The powers of two in an expression, each with what has to change along with it."""
    if isinstance(value, ast.Name) and place.function is not None:
        bindings = [
            node.value
            for node in ast.walk(place.function)
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
        ]
        if len(bindings) > 1:
            return []
        if bindings:
            value = bindings[0]
    same: list[ast.expr] = []
    if place.grid is not None and isinstance(value, ast.Constant):
        # `kernel[(cdiv(n, 128),)](..., BLOCK=128)`: the grid has the same tile.
        same = [n for n in _powers(place.grid) if _constant(n) == value.value]
    found = [_Number(_constant(n) or 0, (n, *same)) for n in _powers(value)]
    return [*found, *_constants_of_the_module(module, place, value)]


def _constants_of_the_module(
    module: source.Module, place: _Place, value: ast.expr
) -> Iterator[_Number]:
    """Those that the expression reads, wherever the launcher does, and that no kernel reads."""
    in_kernels = {n.id for k in module.kernels for n in k.nodes if _is_of_the_module(n, module)}
    names = [n for n in ast.walk(place.function or value) if _is_of_the_module(n, module)]
    for name in dict.fromkeys(n.id for n in ast.walk(value) if n in names):
        bound = module.names.module.bindings[name]
        number = _folded(module, bound[0]) if len(bound) == 1 else None
        if number is None or name in in_kernels or module.is_replaced(name):
            continue
        if number >= _LEAST_TILE and not number & (number - 1):
            yield _Number(number, tuple(n for n in names if n.id == name), name)


def _is_of_the_module(node: ast.AST, module: source.Module) -> TypeGuard[ast.Name]:
    """Whether it reads what the module binds."""
    if not isinstance(node, ast.Name) or node not in module.names.scope_of:
        return False
    return module.names.scope_of[node].find(node.id) is module.names.module


def _folded(module: source.Module, value: object) -> int | None:
    """`65536 // 2`, `2**14`, `tl.constexpr(1024)`."""
    match value:
        case ast.Constant(value=int(number)):
            return number
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            one, other = _folded(module, left), _folded(module, right)
            if one is None or not other or not 0 < other <= _MOST_TILE:
                return None
            return _ARITHMETIC[type(op)](one, other)
        case ast.Call(func=function, args=[argument], keywords=[]):
            wrapped = module.resolve(function) == "triton.language.constexpr"
            return _folded(module, argument) if wrapped else None
    return None


def _powers(expression: ast.expr) -> list[ast.expr]:
    numbers = [n for n in ast.walk(expression) if isinstance(n, ast.expr)]
    return [n for n in numbers if (c := _constant(n)) and c >= _LEAST_TILE and not c & (c - 1)]


def _edit(
    module: source.Module, changes: Sequence[Change], parameter: str, what: str
) -> Iterator[Edit]:
    try:
        yield Edit(parameter, what, apply(module, changes))
    except EditConflict:
        return
