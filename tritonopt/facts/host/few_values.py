"""Which few plain values a launcher's expression may have: `0` to `3`, by what a helper returns.

A kernel mostly learns of a type or a mode by a number that a function of the file, or a dictionary
in it, chooses. What it does for any other number is run by no launch of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tritonopt.facts.host.local_names import Function, names_of
from tritonopt.source import Launch, Module

Plain = str | int | float | bool | None
"""What is compared in a kernel while it is compiled."""

_DEPTH = 8
"""So many names and calls one after the other are followed."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BOOLEAN = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_ANSWERING = ("isinstance", "bool")
"""Functions of Python that answer yes or no."""
READING = ("get", "keys", "items", "values")
"""What a dictionary is asked for without being changed."""


def passed(launch: Launch, parameter: str) -> frozenset[Plain] | None:
    """The values that a launch may pass for a parameter; None where they are not known."""
    if launch.launcher is None or not launch.complete:
        return None
    given = launch.arguments.get(parameter)
    if given is None:
        return _default(launch, parameter)
    return _Scope(launch.module, launch.launcher).of(given, _DEPTH)


def values_of(module: Module, function: Function, node: ast.expr) -> frozenset[Plain] | None:
    """The values that an expression of a function may have; None where they are not known."""
    return _Scope(module, function).of(node, _DEPTH)


def _default(launch: Launch, parameter: str) -> frozenset[Plain] | None:
    """Of what a launch leaves out: what stands at the kernel's parameter."""
    match {p.name: p.default for p in launch.kernel.parameters}.get(parameter):
        case ast.Constant(value=value) if isinstance(value, Plain):
            return frozenset({value})
    return None


@dataclass(frozen=True)
class _Scope:
    """The expressions of one function."""

    module: Module
    function: Function

    def of(self, node: ast.expr, depth: int) -> frozenset[Plain] | None:
        if not depth:
            return None
        match node:
            case ast.Constant(value=value) if isinstance(value, Plain):
                return frozenset({value})
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return frozenset({-value})
            case ast.UnaryOp(op=ast.Not()):
                return frozenset({False, True})
            case ast.Call(func=function) if self.module.builtin(function) in _ANSWERING:
                return frozenset({False, True})
            case ast.Compare(ops=ops) if all(isinstance(op, _BOOLEAN) for op in ops):
                return frozenset({False, True})
            case ast.IfExp(body=one, orelse=other):
                return self._any_of((one, other), depth)
            case ast.Name(id=name):
                values = self._assigned(name) or self._of_module(name)
                return None if values is None else self._any_of(values, depth)
            case ast.Subscript(value=table):
                return self._entries(table, (), depth)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key, *other]) if (
                not isinstance(key, ast.Starred)
            ):
                # Without a second argument it is None that is found.
                return self._entries(table, other or [ast.Constant(None)], depth)
            case ast.Call(func=ast.Name(id=name)):
                return self._returned(name, depth)
        return None

    def _any_of(self, nodes: Iterable[ast.expr], depth: int) -> frozenset[Plain] | None:
        found: frozenset[Plain] = frozenset()
        for node in nodes:
            values = self.of(node, depth - 1)
            if values is None:
                return None
            found |= values
        return found

    def _assigned(self, name: str) -> list[ast.expr] | None:
        """All that a name of the function may stand for; None where more than that binds it."""
        names = names_of(self.function)
        hidden = names.bound_otherwise | names.hidden | names.parameters | names.packed
        values = None if name in hidden else names.assigned.get(name)
        # An import, a definition and `except ... as` bind a name too.
        bound = self.module.names.scopes[self.function].bindings.get(name, ())
        return values if values is not None and len(bound) == len(values) else None

    @property
    def _is_inner(self) -> bool:
        """Whether it stands in another function, whose names come before those of the file."""
        own = self.function
        functions = (n for n in ast.walk(self.module.tree) if isinstance(n, _FUNCTIONS))
        return any(own is not f and any(n is own for n in ast.walk(f)) for f in functions)

    def _of_module(self, name: str) -> list[ast.expr] | None:
        """The number, or text, that the file gives to a name once and for all."""
        names = names_of(self.function)
        if (
            self._is_inner
            or name in names.hidden | names.parameters | names.packed
            or name in names.lines
        ):
            return None
        bound = [
            n.value
            for n in self.module.tree.body
            if isinstance(n, ast.Assign) and [name] == [ast.unparse(t) for t in n.targets]
        ]
        plain = len(bound) == 1 and isinstance(bound[0], ast.Constant)
        return bound if plain and self.module.is_bound_once(name) else None

    def _entries(
        self, table: ast.expr, others: Iterable[ast.expr], depth: int
    ) -> frozenset[Plain] | None:
        """What a dictionary holds that is written out here, and that nothing changes."""
        if isinstance(table, ast.Name):
            values = self._assigned(table.id)
            if values is None or len(values) != 1 or not self._is_only_read(table.id):
                return None
            table = values[0]
        if not isinstance(table, ast.Dict) or None in table.keys:
            return None
        return self._any_of((*table.values, *others), depth)

    def _is_only_read(self, name: str) -> bool:
        """Whether a name stands only where what it holds is looked up."""
        for node in ast.walk(self.function):
            if not isinstance(node, ast.Name) or node.id != name or isinstance(node.ctx, ast.Store):
                continue
            match self.module.names.parents.get(node):
                case ast.Subscript(ctx=ast.Load()) | ast.Compare():
                    continue
                case ast.Attribute(attr=attribute) if attribute in READING:
                    continue
            return False
        return True

    def _returned(self, name: str, depth: int) -> frozenset[Plain] | None:
        """What a function at the top of the file may return."""
        names = names_of(self.function)
        if self._is_inner or name in names.lines or name in names.hidden | names.parameters:
            return None
        body = self.module.tree.body
        found = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == name]
        if len(found) != 1 or found[0].decorator_list or not self.module.is_bound_once(name):
            return None
        inside = list(_own(found[0].body))
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inside):
            return None
        returns = [n for n in inside if isinstance(n, ast.Return)]
        values = [ast.Constant(None) if r.value is None else r.value for r in returns]
        if not _ends(found[0].body):
            values.append(ast.Constant(None))
        return _Scope(self.module, found[0])._any_of(values, depth)


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What belongs to a function itself, and not to one inside of it."""
    for node in nodes:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            yield from _own(ast.iter_child_nodes(node))


def _ends(block: list[ast.stmt]) -> bool:
    """Whether a block is left by a `return` or an error, and not at its end."""
    match block[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=body, orelse=orelse):
            return _ends(body) and bool(orelse) and _ends(orelse)
    return False
