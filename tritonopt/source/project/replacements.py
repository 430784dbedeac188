"""Names that other files of a program replace, or may: what they do with a module from outside."""

from __future__ import annotations

import ast
import os
from itertools import chain
from typing import TYPE_CHECKING

from tritonopt.source.module import Module
from tritonopt.source.project.layout import place_of
from tritonopt.source.project.meanings import Part
from tritonopt.source.project.mentions import WHOLE
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.project.program import Program

_FINDING = frozenset({"sys.modules", "importlib.import_module"})


class Replacing:
    """What of a file others may replace; each name and each file is asked about once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._mentions = program.mentions
        self._replaced: dict[tuple[str, str], bool] = {}
        self._handed_on: dict[str, str] = {}

    def is_replaced(self, path: str, name: str) -> bool:
        """Whether another file may give a global of a file another value."""
        return self.hands_on(path) != "" or self.is_stored(path, name)

    def is_stored(self, path: str, name: str) -> bool:
        """Whether another file assigns to `module.name`."""
        key = (path, name)
        if key not in self._replaced:
            stem = os.path.basename(place_of(path))
            others = [other for other in self._mentions.stored(name) if other != path]
            if others:
                near: set[str] = set()
                for known in self._mentions.names_of(stem):
                    near.update(self._mentions.imported(known), self._mentions.attribute(known))
                others = [other for other in others if other in near]
            self._replaced[key] = self._mentions.is_patched(stem, name) or any(
                self._stores(other, path, name) for other in others
            )
        return self._replaced[key]

    def _stores(self, other: str, path: str, name: str) -> bool:
        module = self._program.module(other)
        return module is not None and any(
            isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and self._may_be(node.value, module, path)
            for node in module.mentioning(name)
        )

    def hands_on(self, path: str) -> str:
        """Where another file uses the module as a value; "" where none does.

        Whoever gets it may read and replace all that is in it: `setattr(module, ...)`.
        """
        if path not in self._handed_on:
            package, stem = os.path.split(place_of(path))
            offered = self._program.following.offered(package, stem)
            if Part(place_of(path)) not in offered:
                # The package has something else by that name, which every import of it gets.
                self._handed_on[path] = ""
                return ""
            places = (
                self._hands_on(other, path, name)
                for name in self._mentions.names_of(stem)
                for other in self._mentions.having(name)
                if other != path
                and self._may_have(other, name, path)
                and self._mentions.is_value(name, other)
            )
            found = (
                self._finds(other, stem)
                for other in self._mentions.found_by_text(stem)
                if other != path
            )
            self._handed_on[path] = next(filter(None, chain(places, found)), "")
        return self._handed_on[path]

    def _may_have(self, other: str, name: str, path: str) -> bool:
        """Whether a file may have a module by a name, as far as its imports show it."""
        imported = self._program.imported(name, other)
        if imported is None or Part(place_of(path)) in imported:
            return True
        # As an attribute of what it imports.
        return self._mentions.is_attribute_value(name, other)

    def _hands_on(self, other: str, path: str, stem: str) -> str:
        module = self._program.module(other)
        for name in sorted({stem, *module.imported_as(stem)}) if module is not None else ():
            assert module is not None
            for node in module.mentioning(name):
                around = module.names.parents.get(node)
                if (
                    isinstance(around, ast.Attribute)
                    and around.value is node
                    and around.attr not in WHOLE
                ):
                    continue  # something of it
                if isinstance(around, ast.Call) and around.func is node:
                    continue  # no module then
                if self._may_be(node, module, path):
                    return f"line {node.lineno} of {module.path}"
        return ""

    def _finds(self, other: str, stem: str) -> str:
        """Where a file finds a module by its name in a string, for more than to import it."""
        module = self._program.module(other)
        for node, around in module.names.parents.items() if module is not None else ():
            assert module is not None
            if not (_names_module(node, stem) and isinstance(around, (ast.Call, ast.Subscript))):
                continue
            way = around.func if isinstance(around, ast.Call) else around.value
            is_found = any(
                isinstance(part, (ast.Name, ast.Attribute))
                and (module.names.resolve(part) in _FINDING or module.builtin(part) == "__import__")
                for part in walk(way)
            )
            if is_found and not isinstance(module.names.parents.get(around), ast.Expr):
                return f"line {around.lineno} of {module.path}"
        return ""

    def _may_be(self, expression: ast.expr, module: Module, path: str) -> bool:
        """Whether an expression may be the module that a file is."""
        if isinstance(expression, (ast.Call, ast.Subscript)):
            # `sys.modules["package.module"]`, `import_module("package.module")`
            stem = os.path.basename(place_of(path))
            return any(_names_module(node, stem) for node in walk(expression))
        return Part(place_of(path)) in self._program.following.targets(expression, module)


def _names_module(node: ast.AST, stem: str) -> bool:
    """Whether it is a string with the name of a module, in a package or not."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.rpartition(".")[2] == stem
    )
