"""The files that were given as one program: what a name that one imports from another stands for.

What a kernel reads is decided at run time, through the globals of its module. So a name is followed
only where every step is sure: bound once, in a file that was given, and put in place of by no other
file (`module.name = ...`). Files are parsed when they are first asked about.
"""

from __future__ import annotations

import ast
import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tritonopt.source.elsewhere import find_elsewhere
from tritonopt.source.errors import SourceError
from tritonopt.source.files import read_file
from tritonopt.source.kernels import Kernel
from tritonopt.source.launches import Elsewhere
from tritonopt.source.layout import Layout, place_of
from tritonopt.source.meanings import Defined, Meaning, Missing, Outside, Part, Target
from tritonopt.source.mentions import Mentions
from tritonopt.source.module import Module, read
from tritonopt.source.names import LANGUAGE, TRITON, Binding, Scope, canonical, is_none
from tritonopt.source.trees import walk

PARSED_AT_ONCE = 200
"""Syntax trees are a hundred times as large as the text."""


_NOTHING = Meaning()
_Seen = frozenset[tuple[str | Scope, str]]
"""Names that are being followed, by file: a cycle of imports adds nothing."""

_TARGETS_ONLY = ("", "")
"""Among those that are seen: whether other files replace something is not asked."""

_BRANCHES = ("", "branches")
"""Among those that are seen: a name that each branch of one statement binds is surely defined."""


class Program:
    """Files as one program; the same for every process that is given the same files."""

    def __init__(self, paths: Iterable[Path], *, keep: bool = False) -> None:
        """With `keep` the files are as they are now, whatever is written to them later."""
        self._kept: dict[str, str] = {}
        self._shown = {os.path.realpath(path): str(path) for path in paths}
        self._layout = Layout(self._shown)
        self.mentions = Mentions(self._texts(keep), self._text)
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self._globals: dict[tuple[str, str], Meaning | None] = {}
        self._targets: dict[tuple[str, str], Meaning | None] = {}
        """The same, as far as only the targets count."""
        self._branches: dict[tuple[str, str], Meaning | None] = {}
        """The same, where it does not matter which branch of a statement binds a name."""
        self._cycles = 0
        self._replaced: dict[tuple[str, str], bool] = {}
        self._handed_on: dict[str, str] = {}

    def __getstate__(self) -> dict[str, object]:
        # For another process: what it parses, it parses itself.
        modules: OrderedDict[str, Module | None] = OrderedDict()
        known: dict[str, object] = {"_globals": {}, "_targets": {}, "_branches": {}}
        return {**self.__dict__, "_modules": modules, **known}

    def _texts(self, keep: bool) -> Iterator[tuple[str, str]]:
        for path in sorted(self._shown):
            try:
                text = read_file(Path(path)).text
            except SourceError:
                continue  # it is reported when its turn comes
            if keep:
                self._kept[path] = text
            yield path, text

    def _text(self, path: str) -> str:
        """The text of a file, as it was given."""
        return self._kept.get(path) or read_file(Path(path)).text

    def module(self, path: str) -> Module | None:
        """The file at a real path, as it was given; None where it does not parse."""
        if path not in self._modules:
            try:
                self._modules[path] = read(self._text(path), self._shown[path], self)
            except SourceError:
                self._modules[path] = None
            if len(self._modules) > PARSED_AT_ONCE:
                self._modules.popitem(last=False)
        self._modules.move_to_end(path)
        return self._modules[path]

    # What is asked of it

    def uses_elsewhere(self, kernel: Kernel) -> Elsewhere:
        """What the files do with a kernel other than in its own."""
        return find_elsewhere(kernel, self)

    def outside(self, expression: ast.expr, module: Module) -> str:
        """The dotted name of what an expression surely stands for in triton; or "".

        `exp` of `from .shim import exp` is "triton.language.exp" where the shim says so.
        """
        # Whether something is replaced is costly to find out, and matters for the language alone.
        possible = self._of_expression(expression, module, frozenset({_TARGETS_ONLY})).targets
        if not any(isinstance(t, Outside) and t.dotted.startswith(TRITON) for t in possible):
            return ""
        target = self.meaning(expression, module).only
        return target.dotted if isinstance(target, Outside) else ""

    def definition(self, expression: ast.expr, module: Module) -> tuple[Module, Binding] | None:
        """Where another file binds what an expression stands for, if surely there and nowhere else.

        The file, and what it binds: a definition, or the value of an assignment.
        """
        target = self.meaning(expression, module).only
        if not isinstance(target, Defined) or target.path == module.real_path:
            return None
        home = self.module(target.path)
        bindings = home.names.module.bindings.get(target.name, []) if home is not None else []
        bindings = [binding for binding in bindings if not is_none(binding)]
        return (home, bindings[0]) if home is not None and len(bindings) == 1 else None

    def alternatives(
        self, expression: ast.expr, module: Module
    ) -> tuple[Module, Sequence[Binding]] | None:
        """The file that surely binds what an expression stands for, in branches of one statement.

        With what each of the branches binds; it may be the file that asks.
        """
        target = self._of_expression(expression, module, frozenset({_BRANCHES})).only
        if not isinstance(target, Defined):
            return None
        home = module if target.path == module.real_path else self.module(target.path)
        bindings = home.names.alternatives(target.name) if home is not None else ()
        return (home, bindings) if home is not None and bindings else None

    def imported(self, name: str, path: str) -> set[Target] | None:
        """What a file may get that it imports as `name`, by its text alone; None where unknown."""
        modules = self.mentions.modules_behind(name, path)
        if "" in modules or self.mentions.has_star(path):
            return None
        found: set[Target] = set()
        for module in modules:
            dotted = f"{module}{'' if module.endswith('.') else '.'}{name}"
            found.update(self._walk(dotted, path, frozenset({_TARGETS_ONLY})).targets)
        return found

    def meaning(self, expression: ast.expr, module: Module) -> Meaning:
        """What `name` or `name.attribute` may stand for where a file reads it."""
        return self._of_expression(expression, module, frozenset())

    def is_replaced(self, module: Module, name: str) -> bool:
        """Whether another file may give a global of a module another value."""
        path = module.real_path
        return path in self._shown and self._is_replaced(path, name)

    def is_stored(self, module: Module, name: str) -> bool:
        """Whether another file assigns to a global of a module, as `module.name`."""
        path = module.real_path
        return path in self._shown and self._is_stored(path, name)

    def is_in_package_of(self, missing: Missing, path: str) -> bool:
        """Whether a file has the outermost package of what is missing."""
        return self._layout.top(os.path.join(missing.place, "_")) == self._layout.top(path)

    # Following names

    def _of_expression(self, expression: ast.expr, module: Module, seen: _Seen) -> Meaning:
        tail: list[str] = []
        while isinstance(expression, ast.Attribute):
            tail.append(expression.attr)
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return _NOTHING
        names = module.names
        home = names.scope_of.get(expression, names.module).find(expression.id)
        if home is None or home is names.module:
            found = self._global(module, expression.id, seen)
            if found is None:
                dotted = names.resolve_name(expression.id, names.module)
                found = Meaning((Outside(dotted),), True) if dotted else _NOTHING
        elif (home, expression.id) in seen:
            self._cycles += 1
            found = _NOTHING
        else:
            found = self._bound(home, expression.id, module, seen | {(home, expression.id)})
        for name in reversed(tail):
            found = self._attribute(found, name, seen)
        return found

    def _global(self, module: Module, name: str, seen: _Seen) -> Meaning | None:
        """What a module's global stands for; None where nothing binds it."""
        key = (module.real_path, name)
        if key in seen:
            self._cycles += 1
            return _NOTHING
        known = self._targets if _TARGETS_ONLY in seen else self._globals
        known = self._branches if _BRANCHES in seen else known
        if key not in known:
            cycles = self._cycles
            found = self._of_global(module, name, seen | {key})
            if self._cycles > cycles and seen - {_TARGETS_ONLY, _BRANCHES}:
                return found  # cut short where it came back to what is being followed
            known[key] = found
        return known[key]

    def _of_global(self, module: Module, name: str, seen: _Seen) -> Meaning | None:
        found = self._from_stars(module, name, seen)
        if name in module.names.module.bindings:
            own = self._bound(module.names.module, name, module, seen)
            # Which of them comes last is not followed.
            found = own if found is None else Meaning((*own.targets, *found.targets))
        certain = found is not None and found.sure and _TARGETS_ONLY not in seen
        if found is not None and certain and self.is_replaced(module, name):
            return Meaning(found.targets)
        return found

    def _bound(self, scope: Scope, name: str, module: Module, seen: _Seen) -> Meaning:
        """What the bindings of a name in one scope come to."""
        is_global = scope is module.names.module
        if _BRANCHES in seen and is_global and module.names.alternatives(name):
            return Meaning((Defined(module.real_path, name),), True)
        found: list[Meaning] = []
        bindings = scope.bindings[name]
        for binding in bindings:
            if is_none(binding):
                continue  # in place of it where something is not installed
            if isinstance(binding, str):
                found.append(self._walk(binding, module.real_path, seen))
            elif isinstance(binding, (ast.Name, ast.Attribute)):
                found.append(self._of_expression(binding, module, seen))
            elif binding is None or not is_global:
                found.append(_NOTHING)
            else:
                # Defined twice, it is one of two things.
                once = sum(isinstance(b, ast.AST) and not is_none(b) for b in bindings) == 1
                found.append(Meaning((Defined(module.real_path, name),), once))
        return _one_of(found)

    def _walk(self, dotted: str, path: str, seen: _Seen) -> Meaning:
        """A dotted name as a file imports it, from its first module on."""
        rest = dotted.lstrip(".")
        level = len(dotted) - len(rest)
        parts = rest.split(".") if rest else []
        if not level and parts[0] == TRITON:
            return Meaning((Outside(dotted),), True)
        if level:
            found = Meaning((Part(self._layout.relative(level, path)),), True)
        else:
            places, sure = self._layout.absolute(parts.pop(0), path)
            if not places:
                return Meaning((Outside(dotted),), True)
            found = Meaning(tuple(map(Part, places)), sure)
        for number, part in enumerate(parts, 1):
            inner = self._below(found, part)
            # Of `from a.b import c`, all before the last are modules.
            found = inner if inner and number < len(parts) else self._attribute(found, part, seen)
        return found

    def _below(self, of: Meaning, name: str) -> Meaning | None:
        """The module of a name in a package."""
        package = of.only
        if not isinstance(package, Part):
            return None
        place = os.path.join(package.place, name)
        return Meaning((Part(place),), True) if self._layout.holds(place) else None

    def _attribute(self, of: Meaning, name: str, seen: _Seen) -> Meaning:
        found: list[Meaning] = []
        for target in of.targets:
            match target:
                case Part(place):
                    found.append(self._of_module(place, name, seen))
                case Outside(dotted):
                    found.append(Meaning((Outside(canonical(f"{dotted}.{name}")),), True))
                case Defined(path, outer):
                    found.append(Meaning((Defined(path, f"{outer}.{name}"),)))
                case Missing(place):
                    found.append(Meaning((Missing(place, name),)))
        whole = _one_of(found)
        return whole if of.sure else Meaning(whole.targets)

    def _of_module(self, place: str, name: str, seen: _Seen) -> Meaning:
        """`place.name`: a global of the module, or a module in the package."""
        below = os.path.join(place, name)
        inner = Meaning((Part(below),), True) if self._layout.holds(below) else None
        path = self._layout.file(place)
        module = self.module(path) if path is not None else None
        found = self._global(module, name, seen) if module is not None else None
        if found is None:
            return inner or Meaning((Missing(place, name),))
        assert module is not None
        if inner is not None and not self._comes_from(module, name, below):
            # Whichever came later: a binding, or the import of what is below.
            return Meaning((*found.targets, *inner.targets))
        return found

    def _comes_from(self, module: Module, name: str, below: str) -> bool:
        """Whether a package gets a name from its own module of that name, which is then behind it.

        `from .add import add`: the module was set first, and the function takes its place.
        """
        package = os.path.basename(os.path.dirname(below))
        ways = (f".{name}.", f"{package}.{name}.")
        bindings = module.names.module.bindings.get(name, [])
        return bool(bindings) and all(
            isinstance(b, str) and (b.startswith(ways[0]) or f".{b}".find(f".{ways[1]}") >= 0)
            for b in bindings
        )

    def _from_stars(self, module: Module, name: str, seen: _Seen) -> Meaning | None:
        """What `from ... import *` of given files may bind to a name; None where nothing."""
        found: list[Meaning] = []
        unknown = False
        for star in module.names.stars:
            for target in self._walk(star, module.real_path, seen).targets:
                path = self._layout.file(target.place) if isinstance(target, Part) else None
                source = self.module(path) if path is not None else None
                if source is None:
                    unknown = unknown or not isinstance(target, Outside)
                    continue
                exported = _exports(source, name)
                meaning = self._global(source, name, seen) if exported is not False else None
                if meaning is not None:
                    sure = meaning.sure and exported is True
                    found.append(Meaning(meaning.targets, sure))
        if not found:
            return None
        whole = _one_of(found)
        others = len(module.names.stars) - len(found)
        return Meaning(whole.targets) if unknown or others else whole

    # Names that other files replace

    def _is_replaced(self, path: str, name: str) -> bool:
        return self.hands_on(path) != "" or self._is_stored(path, name)

    def _is_stored(self, path: str, name: str) -> bool:
        """Whether another file assigns to `module.name`."""
        key = (path, name)
        if key not in self._replaced:
            stem = os.path.basename(place_of(path))
            others = [other for other in self.mentions.stored(name) if other != path]
            if others:
                near: set[str] = set()
                for known in self.mentions.names_of(stem):
                    near.update(self.mentions.imported(known), self.mentions.attribute(known))
                others = [other for other in others if other in near]
            self._replaced[key] = self.mentions.is_patched(stem, name) or any(
                self._stores(other, path, name) for other in others
            )
        return self._replaced[key]

    def _stores(self, other: str, path: str, name: str) -> bool:
        module = self.module(other)
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
            offered = self._of_module(package, stem, frozenset({_TARGETS_ONLY})).targets
            if Part(place_of(path)) not in offered:
                # The package has something else by that name, which every import of it gets.
                self._handed_on[path] = ""
                return ""
            places = (
                self._hands_on(other, path, name)
                for name in self.mentions.names_of(stem)
                for other in self.mentions.having(name)
                if other != path
                and self._may_have(other, name, path)
                and self.mentions.is_value(name, other)
            )
            self._handed_on[path] = next(filter(None, places), "")
        return self._handed_on[path]

    def _may_have(self, other: str, name: str, path: str) -> bool:
        """Whether a file may have a module by a name, as far as its imports show it."""
        imported = self.imported(name, other)
        if imported is None or Part(place_of(path)) in imported:
            return True
        # As an attribute of the package around it.
        package = os.path.basename(os.path.dirname(place_of(path)))
        return other in self.mentions.attribute(name) and any(
            self.mentions.modules_behind(known, other) for known in self.mentions.names_of(package)
        )

    def _hands_on(self, other: str, path: str, stem: str) -> str:
        module = self.module(other)
        for name in sorted({stem, *module.imported_as(stem)}) if module is not None else ():
            assert module is not None
            for node in module.mentioning(name):
                around = module.names.parents.get(node)
                if isinstance(around, ast.Attribute) and around.value is node:
                    continue  # something of it
                if isinstance(around, ast.Call) and around.func is node:
                    continue  # no module then
                if self._may_be(node, module, path):
                    return f"line {node.lineno} of {module.path}"
        return ""

    def _may_be(self, expression: ast.expr, module: Module, path: str) -> bool:
        """Whether an expression may be the module that a file is."""
        if isinstance(expression, (ast.Call, ast.Subscript)):
            # `sys.modules["package.module"]`, `import_module("package.module")`
            stem = os.path.basename(place_of(path))
            return any(
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and node.value.rpartition(".")[2] == stem
                for node in walk(expression)
            )
        found = self._of_expression(expression, module, frozenset({_TARGETS_ONLY}))
        return Part(place_of(path)) in found.targets


def _one_of(found: Sequence[Meaning]) -> Meaning:
    """What one of several is."""
    targets = tuple(dict.fromkeys(target for meaning in found for target in meaning.targets))
    outside = [target.dotted for target in targets if isinstance(target, Outside)]
    for module in (TRITON, LANGUAGE, f"{TRITON}.jit"):
        # Whatever stands in for it where triton is not installed, nothing is compiled there.
        if module in outside:
            return Meaning((Outside(module),), True)
    sure = bool(found) and all(meaning.sure for meaning in found)
    if sure and len(outside) == len(targets):
        # One function that versions of triton offer in different places.
        own = all(name.startswith(f"{LANGUAGE}.") for name in outside)
        if own and len({name.rpartition(".")[2] for name in outside}) == 1:
            return Meaning(targets[:1], True)
    return Meaning(targets, sure and len(targets) == 1)


def _exports(module: Module, name: str) -> bool | None:
    """Whether `from module import *` binds a name; None where that is computed."""
    if "__all__" not in module.names.module.bindings:
        return not name.startswith("_")
    bindings = module.names.module.bindings["__all__"]
    # `__all__ += [...]` binds it again; what reads it may append.
    match bindings:
        case [ast.List(elts=elements) | ast.Tuple(elts=elements)] if not module.mentioning(
            "__all__"
        ):
            listed = [e.value for e in elements if isinstance(e, ast.Constant)]
            return name in listed if len(listed) == len(elements) else None
    return None
