"""The names of one function of host code: where each is bound, to what, and by whom else.

A function is walked once; whoever asks about the launcher of a kernel asks the same answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from tritonopt.facts.host import torch_api
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BOUND, _RESHAPED = "_tritonopt_bound_names", "_tritonopt_reshaped_names"


# Of one file after the other: its launchers are asked about once for every kernel.
@lru_cache(maxsize=32)
def names_of(function: Function) -> LocalNames:
    return LocalNames(function)


class LocalNames:
    """The names of one function, and the blocks that its statements stand in."""

    def __init__(self, function: Function) -> None:
        self._function = function
        arguments = function.args
        self.arguments = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        packed = (a for a in (arguments.vararg, arguments.kwarg) if a is not None)
        self.parameters = {argument.arg for argument in self.arguments}
        self.packed = {argument.arg for argument in packed}
        """`*args` and `**kwargs`."""
        self.home: dict[ast.stmt, tuple[ast.AST, list[ast.stmt], int]] = {}
        """What a statement stands in: the node around it, the block, and the place in this."""
        self.assigned: dict[str, list[ast.expr]] = {}
        """What the plain assignments, `name = value`, give to a name."""
        self.lines: dict[str, list[int]] = {}
        """The lines in which a name is bound, plainly or not."""
        self.bound_otherwise: set[str] = set()
        """Names that are bound in any way but a plain assignment."""
        self.declared: set[str] = set()
        """Names that are not the function's own: `global` and `nonlocal`, its inner ones too."""
        self.of_inner: set[str] = set()
        """Names that inner functions, lambdas and classes bind, as their parameters or not."""
        self.matched: set[str] = set()
        """Names that comprehensions and patterns bind."""
        self.stored_by_inner: set[str] = set()
        """Names that inner functions assign to."""
        self.attributes: set[str] = set()
        """All that is read or written behind a dot."""
        self.has_loops = False
        self.stores_data = False
        """Whether `.data = ...` puts other memory behind a tensor."""
        self._read()

    def _read(self) -> None:
        plain: set[ast.AST] = set()
        for node in walk(self._function):
            match node:
                case (
                    ast.Assign(targets=[ast.Name() as target], value=value)
                    | ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
                ):
                    self.assigned.setdefault(target.id, []).append(value)
                    plain.add(target)
                case ast.For() | ast.AsyncFor() | ast.While():
                    self.has_loops = True
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                    self._read_inner(node)
                case ast.comprehension(target=target):
                    self.matched |= {n.id for n in walk(target) if isinstance(n, ast.Name)}
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    self.declared |= set(names)
                case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                    self.matched.add(name)
                case ast.Attribute(attr=attribute, ctx=context):
                    self.attributes.add(attribute)
                    self.stores_data |= attribute == "data" and isinstance(context, ast.Store)
            if not isinstance(node, ast.expr):
                self._read_blocks(node)
        for node in walk(self._function):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.lines.setdefault(node.id, []).append(node.lineno)
                if node not in plain:
                    self.bound_otherwise.add(node.id)

    def _read_inner(self, node: ast.AST) -> None:
        if node is self._function:
            return
        stored = {
            n.id for n in walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        self.of_inner |= stored | {n.arg for n in walk(node) if isinstance(n, ast.arg)}
        if isinstance(node, Function):
            self.stored_by_inner |= stored

    def _read_blocks(self, node: ast.AST) -> None:
        for _, block in ast.iter_fields(node):
            if isinstance(block, list):
                for index, item in enumerate(block):
                    if isinstance(item, ast.stmt):
                        self.home[item] = (node, block, index)

    @cached_property
    def hidden(self) -> set[str]:
        """Names that mean another thing somewhere in the function."""
        return self.of_inner | self.matched | self.declared

    def statement_of(self, module: Module, node: ast.AST | None) -> ast.stmt | None:
        """The statement of the function that a piece of it stands in."""
        while node is not None and node not in self.home:
            node = module.names.parents.get(node)
        return node if isinstance(node, ast.stmt) else None

    def way_to(
        self, place: ast.AST | None
    ) -> Iterator[tuple[ast.AST, list[ast.stmt], list[ast.stmt]]]:
        """What is around a statement, from the inside out: the node, its block, and what stands
        before in the block."""
        while isinstance(place, ast.stmt) and place in self.home:
            around, block, index = self.home[place]
            yield around, block, block[:index]
            place = around

    @property
    def replaces_memory(self) -> bool:
        """Whether some tensor of the function may get other memory."""
        return self.stores_data or not torch_api.REPLACING.isdisjoint(self.attributes)

    @property
    def reshapes(self) -> bool:
        """Whether some tensor of the function may get other sizes, or other memory."""
        return not torch_api.RESHAPING.isdisjoint(self.attributes)


Saved = tuple[ast.FunctionDef, ast.Call, ast.expr, ast.stmt]
"""A `forward`, where it saves, a tensor that it saves, and where its `backward` takes that."""


@lru_cache(maxsize=32)
def saved_for(module: Module, function: Function) -> Mapping[str, Saved]:
    """By name, what a `backward` takes from the one `forward` of its class."""
    owners = {each: scope.node for each, scope in module.names.functions}
    owner = owners[function] if isinstance(owners.get(function), ast.ClassDef) else None
    forward = [f for f, each in owners.items() if owner and each is owner and f.name == "forward"]
    calls = [c for f in forward for c in walk(f) if _is_about(c, "func", "save_for_backward")]
    takes = [n for n in walk(function) if _is_about(n, "value", "saved_tensors")]
    match forward, calls, takes:
        case [ast.FunctionDef() as own], [ast.Call(args=given) as call], [
            ast.Assign(targets=[ast.Tuple(elts=names)]) as taken
        ] if len(names) == len(given) and own is not function:
            pairs = zip(names, given, strict=True)
            return {n.id: (own, call, g, taken) for n, g in pairs if isinstance(n, ast.Name)}
    return {}


def _is_about(node: ast.AST, part: str, attribute: str) -> bool:
    return getattr(getattr(node, part, None), "attr", "") == attribute


def names_bound_in(node: ast.AST) -> frozenset[str]:
    """The names that a piece of code may bind, however deep, or that get other memory by `.data`.

    Names of inner functions count too.
    """
    # Kept with the node: a launcher's statements are asked about once for every argument.
    known: frozenset[str] | None = getattr(node, _BOUND, None)
    if known is None:
        known = frozenset(_names_bound_in(node))
        setattr(node, _BOUND, known)
    return known


def names_reshaped_in(node: ast.AST) -> frozenset[str]:
    """The names of tensors that a piece of code may give other sizes in place."""
    known: frozenset[str] | None = getattr(node, _RESHAPED, None)
    if known is None:
        known = frozenset(
            inner.value.id
            for inner in walk(node)
            if isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Name)
            and inner.attr in torch_api.RESHAPING
        )
        setattr(node, _RESHAPED, known)
    return known


def _names_bound_in(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        match inner:
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()):
                yield bound
            case (
                ast.FunctionDef(name=bound)
                | ast.AsyncFunctionDef(name=bound)
                | ast.ClassDef(name=bound)
                | ast.ExceptHandler(name=str() as bound)
                | ast.MatchAs(name=str() as bound)
                | ast.MatchStar(name=str() as bound)
            ):
                yield bound
            case ast.Attribute(value=ast.Name(id=bound), attr="data", ctx=ast.Store()):
                yield bound
            case ast.alias(name=imported, asname=local):
                yield local or imported.partition(".")[0]


def leaves(block: list[ast.stmt]) -> bool:
    """Whether nothing after a block is reached from its end."""
    return bool(block) and isinstance(block[-1], _LEAVING)
