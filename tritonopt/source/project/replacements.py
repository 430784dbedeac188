"""Names that other files of a program replace, or may: what they do with a module from outside."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tritonopt.source.module import Module
from tritonopt.source.names import words_of
from tritonopt.source.project.indirect import Ways, find_ways
from tritonopt.source.project.layout import place_of
from tritonopt.source.project.meanings import Part
from tritonopt.source.project.mentions import WHOLE, in_string
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.project.program import Program

_FINDING = frozenset({"sys.modules", "importlib.import_module"})
_TAKING = ("getattr", "vars", "dir", "getmembers", "__dict__", "__getattribute__")
_PATCHING = frozenset({"patch", "setattr", "delattr", "setitem", "delitem"})


class Replacing:
    """What of a file others may replace; each name and each file is asked about once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._mentions = program.mentions
        self._replaced: dict[tuple[str, str], bool] = {}
        self._exchanged: dict[tuple[str, str], bool] = {}
        self._reached: dict[tuple[str, str], str] = {}
        self._changed: dict[str, frozenset[str]] = {}
        self._handed_on: dict[str, str] = {}
        self._patched: dict[str, frozenset[str]] = {}
        self._strings: dict[str, frozenset[tuple[str, str]]] = {}
        # A file that is read again has other nodes.
        self._texts: WeakKeyDictionary[Module, dict[str, list[ast.AST]]] = WeakKeyDictionary()
        self._ways: dict[str, Ways] = {}

    def __getstate__(self) -> dict[str, object]:
        """Weak references do not go to another process, which reads the files itself."""
        return {name: value for name, value in self.__dict__.items() if name != "_texts"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._texts = WeakKeyDictionary()

    def is_replaced(self, path: str, name: str) -> bool:
        """Whether another file may give a global of a file another value."""
        handed_on = self.hands_on(path) != ""
        return handed_on or self.is_stored(path, name) or self.reached_in(path, name) != ""

    def reached_in(self, path: str, name: str) -> str:
        """Where another file may replace a global, or change what it holds, by no plain name.

        "" where none does.
        """
        key = (path, name)
        if key not in self._reached:
            self._reached[key] = next(
                chain(self._replacing_indirectly(path, name), self._changing(path, name)), ""
            )
        return self._reached[key]

    def _replacing_indirectly(self, path: str, name: str) -> Iterator[str]:
        stem = os.path.basename(place_of(path))
        for other in self._mentions.replacing_indirectly(name):
            if other != path and name in self._ways_of(other).names:
                yield self._program.shown(other)
        for other in self._mentions.replacing_indirectly(stem):
            if other != path and self._mentions.uses_module(stem, other):
                yield from [self._program.shown(other)] * self._ways_of(other).any

    def _ways_of(self, path: str) -> Ways:
        if path not in self._ways:
            module = self._program.module(path)
            self._ways[path] = Ways() if module is None else find_ways(module)
        return self._ways[path]

    def is_exchanged(self, path: str, name: str) -> bool:
        """Whether another file gives some module's global another value by its name in a text."""
        key = (path, name)
        if key not in self._exchanged:
            files = self._mentions.replacing_indirectly(name)
            self._exchanged[key] = any(
                name in self._ways_of(other).names for other in files if other != path
            )
        return self._exchanged[key]

    def is_patched(self, dotted: str) -> bool:
        """Whether a file replaces a function of triton: `tl.exp = ...`."""
        module, _, name = dotted.rpartition(".")
        if self._is_named_in_a_string(module.rpartition(".")[2], name):
            return True
        files = {*self._mentions.stored(name), *self._mentions.setting_by_text(name)}
        # Only they can have it.
        files.intersection_update(chain(*map(self._mentions.having, words_of(dotted))))
        return any(dotted in self._patched_in(path) for path in sorted(files))

    def _is_named_in_a_string(self, stem: str, name: str) -> bool:
        """Whether a file that replaces things has `module.name` in a string that is used.

        Comments, and strings that only document, replace nothing.
        """
        return any(
            (stem, name) in self._strings_of(path) for path in self._mentions.patching(stem, name)
        )

    def _strings_of(self, path: str) -> frozenset[tuple[str, str]]:
        if path not in self._strings:
            module = self._program.module(path)
            parents = {} if module is None else module.names.parents
            self._strings[path] = frozenset(
                names
                for node, around in parents.items()
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                if not isinstance(around, ast.Expr)
                for names in in_string(f'{node.value}"')
            )
        return self._strings[path]

    def _patched_in(self, path: str) -> frozenset[str]:
        if path not in self._patched:
            module = self._program.module(path)
            self._patched[path] = frozenset() if module is None else module.patched
        return self._patched[path]

    def _changing(self, path: str, name: str) -> Iterator[str]:
        names = self._mentions.all_names_of(name)
        for known in names:
            for other in self._mentions.changing(known):
                if other != path and not self._changed_in(other).isdisjoint(names):
                    yield self._program.shown(other)

    def _changed_in(self, path: str) -> frozenset[str]:
        if path not in self._changed:
            module = self._program.module(path)
            self._changed[path] = frozenset() if module is None else module.changed_names
        return self._changed[path]

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
            self._replaced[key] = self._is_named_in_a_string(stem, name) or any(
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

    def takes_all(self, path: str) -> str:
        """Where a file takes all that is in something which may be the module; "" if none does.

        `vars(module)`, `getattr(module, name)`, `module.__dict__`; whoever was handed the module
        may do so in any of the files.
        """
        for other in sorted({o for word in _TAKING for o in self._mentions.having(word)}):
            module = self._program.module(other)
            for node in module.names.parents if module is not None else ():
                assert module is not None
                owner = _taken_whole(node, module)
                if owner is not None and self._may_be_handed(owner, module, path):
                    return f"line {getattr(node, 'lineno', 1)} of {module.path}"
        return ""

    def _may_be_handed(self, owner: ast.expr, module: Module, path: str) -> bool:
        if isinstance(owner, ast.Name) and owner.id in ("self", "cls"):
            return False
        return not module.names.resolve(owner) or self._may_be(owner, module, path)

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
        """Where a file finds a module by its name in a text, for more than to import it."""
        module = self._program.module(other)
        if module is None:
            return ""
        if module not in self._texts:
            self._texts[module] = _by_module_named(module)
        for node in self._texts[module].get(stem, ()):
            user, way = _outermost(node, module)
            is_for_nothing = isinstance(user, ast.Expr) and self._only_imports(way, module)
            if not is_for_nothing and any(_is_way(part, module) for part in walk(way)):
                return f"line {way.lineno} of {module.path}"
        return ""

    def _only_imports(self, statement: ast.expr, module: Module) -> bool:
        return isinstance(statement, ast.Call) and (
            module.names.resolve(statement.func) == "importlib.import_module"
            or module.builtin(statement.func) == "__import__"
        )

    def _may_be(self, expression: ast.expr, module: Module, path: str) -> bool:
        """Whether an expression may be the module that a file is."""
        if isinstance(expression, (ast.Call, ast.Subscript)):
            # `sys.modules["package.module"]`, `import_module("package.module")`
            stem = os.path.basename(place_of(path))
            return any(_module_named(node) == stem for node in walk(expression))
        return Part(place_of(path)) in self._program.following.targets(expression, module)


def _taken_whole(node: ast.AST, module: Module) -> ast.expr | None:
    """What an expression reads all of, or something by a name that is computed."""
    match node:
        case ast.Attribute(attr="__dict__" | "__getattribute__", value=owner):
            return owner
        case ast.Call(func=called, args=[owner, *others]):
            name = module.builtin(called) or module.names.resolve(called)
            if name == "getattr":
                is_known = bool(others) and isinstance(others[0], ast.Constant)
                return None if is_known else owner
            return owner if name in ("vars", "dir", "inspect.getmembers") else None
    return None


def _module_named(node: ast.AST) -> str | None:
    """The module, in a package or not, that a text or a keyword has the name of, if it is one."""
    match node:
        case ast.Constant(value=str(text)):
            return text.removesuffix(".__dict__").rpartition(".")[2]
        case ast.keyword(arg=name):
            return name
    return None


def _by_module_named(module: Module) -> dict[str, list[ast.AST]]:
    """The texts and keywords of a file, in order, by the module that they would name."""
    found: dict[str, list[ast.AST]] = {}
    for node in module.names.parents:
        name = _module_named(node)
        if name is not None:
            found.setdefault(name, []).append(node)
    return found


def _outermost(node: ast.AST, module: Module) -> tuple[ast.AST, ast.expr]:
    """The whole expression that a text is part of, and what that is part of in turn."""
    found = node
    around = module.names.parents[node]
    while isinstance(around, (ast.expr, ast.keyword)) and not isinstance(around, ast.Compare):
        found, around = around, module.names.parents[around]
    return around, found if isinstance(found, ast.expr) else ast.Constant("")


def _is_way(node: ast.AST, module: Module) -> bool:
    """Whether it finds modules, or replaces what a text names."""
    match node:
        case ast.Constant(value="sys.modules"):
            return True
        case ast.Attribute(attr=name) | ast.Name(id="patch" as name) if name in _PATCHING:
            return True
        case ast.Name() | ast.Attribute():
            return module.names.resolve(node) in _FINDING or module.builtin(node) == "__import__"
    return False
