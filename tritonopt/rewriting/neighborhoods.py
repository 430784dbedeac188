"""Which parts of a file the facts of a kernel rest on, and which parts its edits may change.

Kernels that have nothing to do with each other can be edited in the same round, after which the
file is read again once for all of them; and what was found of a kernel stays true as long as
nothing in its neighborhood changes. The parts are statements of the module: functions, classes,
assignments, and the heads of `if` and `try`.

The neighborhood of a kernel is what mentions it (its launchers, kernels that call it, a table that
it stands in), and all that these and the kernel mention, directly or not: helpers, grid functions,
constants. What a table holds beside the kernel is no neighbor: nothing is learned of one kernel
from another that stands in the same list.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.source import Kernel, Module, Rewritten

Units = frozenset[int]
"""Parts of a module, by their place in it."""


@dataclass(frozen=True)
class Neighborhood:
    """Of one kernel."""

    own: Units
    """The parts that an edit of the kernel may change: itself, and what mentions it."""
    all: Units
    """The parts that its facts rest on."""


class Neighborhoods:
    """Those of one module. Found when they are asked for."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._functions: set[int] = set()
        """The parts that are functions or classes, and not plain statements."""
        self._starts: list[int] = []
        for statement in _flat(module.tree.body):
            start = _first_line(statement)
            if not self._starts or start > self._starts[-1]:
                self._starts.append(start)
            if isinstance(statement, _DEFINITIONS):
                self._functions.add(len(self._starts) - 1)
        self._mentions: dict[int, set[int]] = {}
        self._mentioned: dict[int, set[int]] = {}
        self._connect()

    def of(self, kernel: Kernel) -> Neighborhood:
        """The neighborhood of a kernel of the module."""
        home = self.unit(kernel.node.lineno)
        around = self._above(home)
        down: set[int] = set()
        todo = [home, *(unit for unit in around if unit in self._functions)]
        while todo:
            unit = todo.pop()
            if unit not in down:
                down.add(unit)
                todo += self._mentions.get(unit, ())
        return Neighborhood(frozenset({home, *around}), frozenset(down | around))

    def unit(self, line: int) -> int:
        """The part that a line is in."""
        return max(bisect_right(self._starts, line) - 1, 0)

    def changed_by(self, parts: Iterable[Rewritten]) -> Units:
        """The parts of the module that are rewritten."""
        line = self._module.lines.line
        spans = [(self.unit(line(p.start)), self.unit(line(p.end - 1))) for p in parts]
        return frozenset(unit for first, last in spans for unit in range(first, last + 1))

    def _above(self, unit: int) -> set[int]:
        """What mentions a part; through another name for it, what mentions that."""
        found: set[int] = set()
        todo = [unit]
        while todo:
            for above in self._mentioned.get(todo.pop(), ()):
                if above not in found and above != unit:
                    found.add(above)
                    if above not in self._functions:
                        todo.append(above)
        return found

    def _connect(self) -> None:
        names = self._module.names
        defined: dict[str, set[int]] = {}
        for name, bindings in names.module.bindings.items():
            lines = [b.lineno for b in bindings if isinstance(b, (ast.stmt, ast.expr))]
            defined[name] = {self.unit(line) for line in lines}
        kernels: dict[str, set[int]] = {}
        for kernel in self._module.kernels:
            kernels.setdefault(kernel.name, set()).add(self.unit(kernel.node.lineno))
        for node in names.parents:
            units: Iterable[int] = ()
            match node:
                case ast.Name(id=name) if name in defined:
                    if names.scope_of[node].find(name) is names.module:
                        units = defined[name]
                # `self.kernel`, `sys.modules[__name__].kernel`, `getattr(module, "kernel")`
                case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
                    units = kernels.get(name, ())
            place = self.unit(getattr(node, "lineno", 0)) if units else 0
            for unit in units:
                if unit != place:
                    self._mentions.setdefault(place, set()).add(unit)
                    self._mentioned.setdefault(unit, set()).add(place)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.If, ast.Try, ast.With)


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, with those below `if`, `try` and `with` behind these."""
    for statement in body:
        yield statement
        if isinstance(statement, _BLOCKS):
            yield from _flat(statement.body)
            for handler in getattr(statement, "handlers", ()):
                yield from _flat(handler.body)
            yield from _flat(getattr(statement, "orelse", ()))
            yield from _flat(getattr(statement, "finalbody", ()))


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
