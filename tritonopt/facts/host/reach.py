"""Which tensors of a launcher code that is not known gets hold of, and from which line on.

Such code may put other memory behind a tensor (`set_`, `.data = ...`) or give it other sizes
(`t_()`). It gets what is passed to it, and what was put where it can find it: in a container, in
an attribute, in an inner function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.source.module import Module
from tritonopt.source.trees import children, walk

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


# Of one file after the other: each launcher is asked about once for every launch in it.
@lru_cache(maxsize=32)
def reach_of(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Reach:
    return Reach(module, function)


class Reach:
    """What is out of sight in one function."""

    def __init__(self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._module = module
        self._effects = effects_of(module)
        self._since: dict[str, int] = {}
        self._stored: dict[str, int] = {}
        self._unknown: list[int] = []
        """Lines from which on code that is not known may run again and again."""
        for statement in function.body:
            self._visit(statement, 0)
        self._alike = list(self._aliases(function))
        self.reshaped = self._reshaped_by_another_name(function)
        """Tensors that get other sizes by a name of theirs that is not this one."""
        for name, line in self._stored.items():
            after = [unknown for unknown in self._unknown if unknown >= line]
            if after:
                self._note(self._since, name, min(after))
        self._spread()

    def is_reached(self, name: str, line: int) -> bool:
        """Whether code that is not known may have got hold of it before a line is done."""
        return name in self._since and self._since[name] <= line

    def _visit(self, node: ast.AST, loop: int) -> None:
        """`loop` is the line of the outermost loop around, which goes through all of it again."""
        line = loop or getattr(node, "lineno", 0)
        if isinstance(node, _LOOPS) and not loop:
            loop = node.lineno
        match node:
            case ast.Call() if self._effects.may_change_tensors(node):
                self._unknown.append(line)
                for part in children(node):
                    for name in self._tensors(part):
                        self._note(self._since, name, line)
            case ast.Call(func=ast.Attribute(attr="append" | "extend"), args=arguments):
                self._store(arguments, line)
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in targets):
                    self._store([value], line)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._store([node], line)
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                self._unknown.append(line)
                self._store([node], line)
            case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp():
                self._store([node], line)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                if self._effects.changes([ast.With(items=items, body=[])]).anything:
                    self._unknown.append(line)
        if not isinstance(node, _INNER):
            for child in children(node):
                self._visit(child, loop)

    def _store(self, nodes: Sequence[ast.AST], line: int) -> None:
        for node in nodes:
            for name in self._tensors(node):
                self._note(self._stored, name, line)

    @staticmethod
    def _note(where: dict[str, int], name: str, line: int) -> None:
        where[name] = min(line, where.get(name, line))

    def _tensors(self, node: ast.AST) -> Iterator[str]:
        """The names in an expression, but for those that it only asks for sizes and the like."""
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Attribute(attr=attribute) if attribute in torch_api.PROPERTIES:
                pass
            case ast.BinOp() | ast.Compare():
                pass  # a number, or a new tensor
            case ast.Call(func=ast.Attribute(attr=method)) if method in torch_api.ALLOCATING:
                pass
            case ast.Call(func=called) if torch_api.is_plain_function(
                self._module.resolve(called)
            ) or self._module.builtin(called) in ("int", "len", "str", "float", "bool"):
                pass
            case _:
                for child in children(node):
                    yield from self._tensors(child)

    def _aliases(self, function: ast.AST) -> Iterator[tuple[str, str]]:
        """Pairs of names of which one may be the tensor that the other is."""
        for node in walk(function):
            match node:
                case ast.Assign(targets=targets, value=value):
                    names = [n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)]
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    names = [name]
                case ast.NamedExpr(target=ast.Name(id=name), value=value):
                    names = [name]
                case ast.For(target=target, iter=value):
                    names = [n.id for n in walk(target) if isinstance(n, ast.Name)]
                case _:
                    continue
            yield from ((name, other) for name in names for other in self._tensors(value))

    def _reshaped_by_another_name(self, function: ast.AST) -> frozenset[str]:
        found: set[str] = set()
        for node in walk(function):
            if isinstance(node, ast.Attribute) and (
                node.attr in torch_api.RESHAPING
                or (node.attr == "data" and isinstance(node.ctx, ast.Store))
            ):
                names = set(self._tensors(node.value))
                for one, other in self._alike:
                    found |= {other} if one in names else set()
                    found |= {one} if other in names else set()
        return frozenset(found)

    def _spread(self) -> None:
        before = -1
        while before != sum(self._since.values()) + len(self._since):
            before = sum(self._since.values()) + len(self._since)
            for one, other in self._alike:
                for mine, theirs in ((one, other), (other, one)):
                    if mine in self._since:
                        self._note(self._since, theirs, self._since[mine])
