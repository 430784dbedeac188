"""Arguments of a call behind `*` and `**`: of a tuple, list or dict that is seen to be written."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tritonopt.source.trees import blocks_of, walk

if TYPE_CHECKING:
    from tritonopt.source.module import Module
    from tritonopt.source.names import Scope

_NUMBERS = frozenset({"triton.next_power_of_2", "triton.cdiv", "min", "max", "len", "int"})
_SIZES = frozenset({"stride", "size"})


@dataclass
class Displays:
    """What a call passes by its place and by its name, as far as it is written.

    A display may have a name that is bound once, in the block of the call, and read by it alone.
    Nothing in between may change what stands in it: sizes, numbers, and names bound once. One of
    the file's own block has constants, and is only ever passed so.
    """

    module: Module
    call: ast.Call
    apart: dict[ast.expr, str] = field(default_factory=dict)
    """What stands in a display that has a name, with code that reads it."""

    @cached_property
    def positional(self) -> tuple[list[ast.expr], bool]:
        """The arguments, up to the first that is not seen; whether there is one."""
        found: list[ast.expr] = []
        for argument in self.call.args:
            if not isinstance(argument, ast.Starred):
                found.append(argument)
                continue
            match self._display(argument.value):
                case ast.Tuple(elts=parts) | ast.List(elts=parts) if not any(
                    isinstance(part, ast.Starred) for part in parts
                ):
                    found += parts
                    self._note(argument.value, {str(n): part for n, part in enumerate(parts)})
                case _:
                    return found, True
        return found, False

    @cached_property
    def named(self) -> Mapping[str, ast.expr] | None:
        """What is behind `**`, by its names; None where that is not seen."""
        found: dict[str, ast.expr] = {}
        for keyword in self.call.keywords:
            if keyword.arg is not None:
                continue
            items = self._items(self._display(keyword.value))
            if items is None or not found.keys().isdisjoint(items):
                return None
            found |= items
            self._note(keyword.value, {f'"{name}"': value for name, value in items.items()})
        return found

    def _items(self, display: ast.expr | None) -> dict[str, ast.expr] | None:
        match display:
            case ast.Dict(keys=keys, values=values):
                names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
                pairs = list(zip(names, values, strict=True))
            case ast.Call(args=[], keywords=keywords) if (
                self.module.builtin(display.func) == "dict"
            ):
                pairs = [(keyword.arg, keyword.value) for keyword in keywords]
            case _:
                return None
        found = {name: value for name, value in pairs if isinstance(name, str)}
        return found if len(found) == len(pairs) else None

    def _note(self, passed: ast.expr, parts: Mapping[str, ast.expr]) -> None:
        if isinstance(passed, ast.Name):
            self.apart |= {part: f"{passed.id}[{place}]" for place, part in parts.items()}

    def _display(self, passed: ast.expr) -> ast.expr | None:
        """The display that an expression is, or that its name is bound to."""
        if not isinstance(passed, ast.Name):
            return passed
        names = self.module.names
        home = names.scope_of[passed].find(passed.id)
        bound = home.bindings[passed.id] if home is not None else []
        if home is None or home not in (names.scope_of[passed], names.module) or len(bound) != 1:
            return None
        display = bound[0]
        here = ((n, s.find(n.id)) for n, s in names.scope_of.items() if n.id == passed.id)
        read = [n for n, scope in here if scope is home and isinstance(n.ctx, ast.Load)]
        if not isinstance(display, ast.expr):
            return None
        if home.parent is None:
            given = all(isinstance(names.parents[n], (ast.keyword, ast.Starred)) for n in read)
            values = (self._items(display) or {"": passed}).values()
            return display if given and all(isinstance(v, ast.Constant) for v in values) else None
        if read != [passed]:
            return None
        match names.parents[display]:
            case ast.Assign(targets=[ast.Name()]) as statement:
                between = self._between(statement, home)
                stays = between is not None and self._stays(display, _bound(between))
                return display if stays else None
        return None

    def _between(self, statement: ast.stmt, home: Scope) -> list[ast.stmt] | None:
        """The statements before the call in its block, none of which changes sizes of tensors."""
        blocks = (block for node in walk(home.node) for block in blocks_of(node))
        block = next((block for block in blocks if statement in block), [])
        found: list[ast.stmt] = []
        for later in block[block.index(statement) + 1 :] if block else ():
            match later:
                case ast.Expr(value=value) if value is self.call:
                    return found
                case (
                    ast.FunctionDef() | ast.Pass() | ast.Expr(value=ast.Call(func=ast.Subscript()))
                ):
                    pass
                case ast.Assign(value=ast.Lambda()):
                    pass
                case ast.Assign() | ast.AnnAssign() | ast.Assert():
                    calls = (node for node in walk(later) if isinstance(node, ast.Call))
                    if not all(map(self._is_quiet, calls)):
                        return None
                case _:
                    return None
            found.append(later)
        return None

    def _is_quiet(self, call: ast.Call) -> bool:
        called = {self.module.resolve(call.func), self.module.builtin(call.func)}
        by_name = isinstance(call.func, ast.Attribute) and call.func.attr in _SIZES
        # A function of torch changes a tensor in place only where its name ends with `_`.
        of_torch = any(n and n.startswith("torch.") and not n.endswith("_") for n in called)
        return by_name or of_torch or bool(called & _NUMBERS)

    def _stays(self, node: ast.expr, bound: Set[str]) -> bool:
        """Whether what stands there comes to the same at the call, where some names are others."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name not in bound
            case ast.Attribute(value=ast.Name() as tensor, attr="shape" | "dtype" | "device"):
                return self._stays(tensor, bound)
            case ast.Attribute():
                return bool(self.module.resolve(node))
            case ast.Call(func=ast.Attribute(value=ast.Name() as tensor, attr=attr)) if (
                attr in _SIZES
            ):
                parts = [tensor, *node.args]
            case ast.Call(args=arguments):
                called = {self.module.resolve(node.func), self.module.builtin(node.func)}
                if self._items(node) is None and (node.keywords or not called & _NUMBERS):
                    return False
                parts = [*arguments, *(k.value for k in node.keywords)]
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                pass
            case ast.BinOp() | ast.UnaryOp() | ast.Subscript() | ast.IfExp() | ast.Compare():
                parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            case _:
                return False
        return all(self._stays(part, bound) for part in parts)


def _bound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """What statements bind, in blocks of theirs and in functions too."""
    inside = (node for statement in statements for node in walk(statement))
    return frozenset(
        node.name if isinstance(node, ast.FunctionDef) else node.id
        for node in inside
        if isinstance(node, ast.FunctionDef)
        or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    )
