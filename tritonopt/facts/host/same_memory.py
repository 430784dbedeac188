"""Which memory an argument of a launch may be: the names, attributes and items it comes from.

What is passed for two parameters may be one tensor under two names: `out = x`, `x.view(-1)`,
`x if inplace else torch.empty_like(x)`, `d["x"]`, `self.x`. Memory that the launcher allocates,
and what an unknown call returns, comes from nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.reaching_bindings import Reaching, bindings_in
from tritonopt.facts.host.slices import are_apart
from tritonopt.source import Launch
from tritonopt.source.trees import walk

_METHODS = (
    torch_api.MAY_BE_VIEWS
    | (torch_api.SAME_SHAPE - {"clone"})
    | {"ravel", "unflatten", "reshape_as", "type", "type_as", "unsafe_chunk", "unsafe_split"}
)
"""Methods, and functions of torch by their bare names, that may give the memory of a tensor."""
_ATTRIBUTES = torch_api.VIEW_ATTRIBUTES | {"data", "H", "mH"}


def may_be_one(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of a launch are seen to come from one tensor, on some way to it."""
    apart = are_apart(one, other)  # rows of one tensor, or items that may be one tensor
    mine, theirs = (frozenset(_Sources(launch, apart).of(each)) for each in (one, other))
    return not mine.isdisjoint(theirs)


class _Sources:
    """The parameters, names of the module, attributes and items that an argument may be part of.

    New memory is the place where it was allocated.
    """

    def __init__(self, launch: Launch, items_only: bool) -> None:
        self._items_only = items_only
        self._module = launch.module
        self._launcher = launch.launcher
        self._seen: set[ast.expr] = set()

    def of(self, argument: ast.expr) -> Iterator[str]:
        todo = [argument]
        while todo:
            expression = todo.pop()
            if expression in self._seen:
                continue
            self._seen.add(expression)
            more = list(self._behind(expression))
            todo += more
            match expression:
                case ast.Name(id=name) if not more or self._is_from_start(expression):
                    yield name
                case ast.Attribute() | ast.Subscript() if not more:
                    yield ast.unparse(expression)
                case ast.Call() if not more:
                    yield f"{ast.unparse(expression)} in line {expression.lineno}"

    def _behind(self, expression: ast.expr) -> Iterator[ast.expr]:
        """What an expression may be a part of, or the same as."""
        match expression:
            case ast.Name():
                yield from self._held(expression)
            case ast.IfExp(body=one, orelse=other):
                yield from (one, other)
            case ast.BoolOp(values=values):
                yield from values
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                yield value
            case ast.Attribute(value=tensor, attr=name) if name in _ATTRIBUTES:
                yield tensor
            case ast.Attribute():
                yield from self._stored(expression)
            case ast.Subscript(value=owner, slice=index):
                stored = [*self._stored(expression), *self._items(owner, index)]
                is_key = isinstance(index, ast.Constant) and isinstance(index.value, str)
                yield from stored if stored or is_key or self._items_only else (owner,)
            case ast.Call(func=ast.Attribute(value=tensor, attr=name), args=arguments):
                if self._module.resolve(expression.func):
                    yield from arguments[:1] if name in _METHODS else ()
                elif name in _METHODS or torch_api.is_in_place(name):
                    yield tensor

    def _held(self, name: ast.Name) -> Iterator[ast.expr]:
        held = self._reaching(name)
        yield from (b.value for b in held.bounds if b.value is not None) if held else ()

    def _is_from_start(self, name: ast.Name) -> bool:
        held = self._reaching(name)
        return held is None or held.from_start or any(b.value is None for b in held.bounds)

    def _reaching(self, name: ast.Name) -> Reaching | None:
        if self._launcher is None:
            return None
        return bindings_in(self._launcher).reaching(name.id, name)

    def _stored(self, place: ast.Attribute | ast.Subscript) -> Iterator[ast.expr]:
        """What the launcher puts into an attribute or an item: `self.y = x`, `d["y"] = x`."""
        text = ast.dump(place).replace("Store()", "Load()")
        for node in walk(self._launcher) if self._launcher is not None else ():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if ast.dump(target).replace("Store()", "Load()") == text:
                        yield node.value

    def _items(self, owner: ast.expr, index: ast.expr) -> Iterator[ast.expr]:
        """What stands in a list or a dict that the launcher writes down."""
        for made in self._held(owner) if isinstance(owner, ast.Name) else (owner,):
            match made:
                case ast.Dict(keys=keys, values=values):
                    key = ast.dump(index)
                    yield from (
                        value
                        for its_key, value in zip(keys, values, strict=True)
                        if its_key is None or ast.dump(its_key) == key
                    )
                case ast.List(elts=elements) | ast.Tuple(elts=elements):
                    match index:
                        case ast.Constant(value=int() as number) if (
                            -len(elements) <= number < len(elements)
                        ):
                            yield elements[number]
                        case _:
                            yield from elements
                case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                    yield from (
                        k.value
                        for k in keywords
                        if isinstance(index, ast.Constant) and k.arg in (None, index.value)
                    )
