"""What the names of a program's files stand for: imports followed from file to file.

A name may stand for one of several things, or for what nobody sees here; both are said rather than
guessed. Cycles of imports add nothing.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tritonopt.source.module import Module
from tritonopt.source.names import LANGUAGE, TRITON, Scope, canonical, is_none
from tritonopt.source.project.meanings import Defined, Meaning, Missing, Outside, Part, Target

if TYPE_CHECKING:
    from tritonopt.source.project.program import Program

_NOTHING = Meaning()
_Seen = frozenset[tuple[str | Scope, str]]
"""Names that are being followed, by file: a cycle of imports adds nothing."""

_TARGETS_ONLY = ("", "")
"""Among those that are seen: whether other files replace something is not asked."""

_BRANCHES = ("", "branches")
"""Among those that are seen: a name that each branch of one statement binds is surely defined."""


class Following:
    """What names stand for; each global of a file is followed once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._globals: dict[tuple[str, str], Meaning | None] = {}
        self._targets: dict[tuple[str, str], Meaning | None] = {}
        """The same, as far as only the targets count."""
        self._branches: dict[tuple[str, str], Meaning | None] = {}
        """The same, where it does not matter which branch of a statement binds a name."""
        self._cycles = 0

    def meaning(self, expression: ast.expr, module: Module) -> Meaning:
        """What `name` or `name.attribute` may stand for where a file reads it."""
        return self._of_expression(expression, module, frozenset())

    def targets(self, expression: ast.expr, module: Module) -> Sequence[Target]:
        """The same, where it does not matter what is sure: it costs much to find that out."""
        return self._of_expression(expression, module, frozenset({_TARGETS_ONLY})).targets

    def any_branch(self, expression: ast.expr, module: Module) -> Meaning:
        """The same, where a name that each branch of one statement binds is surely defined."""
        return self._of_expression(expression, module, frozenset({_BRANCHES}))

    def imported(self, dotted: str, path: str) -> Sequence[Target]:
        """What a file may get that imports a dotted name."""
        return self._walk(dotted, path, frozenset({_TARGETS_ONLY})).targets

    def offered(self, place: str, name: str) -> Sequence[Target]:
        """What `place.name` may be to those who import the module or package of that place."""
        return self._of_module(place, name, frozenset({_TARGETS_ONLY})).targets

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
        if found is None or not certain:
            return found
        is_replaced = module.replaces(name) or self._program.is_replaced(module, name)
        return Meaning(found.targets) if is_replaced else found

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
            found = Meaning((Part(self._program.layout.relative(level, path)),), True)
        else:
            places, sure = self._program.layout.absolute(parts.pop(0), path)
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
        return Meaning((Part(place),), True) if self._program.layout.holds(place) else None

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
        inner = Meaning((Part(below),), True) if self._program.layout.holds(below) else None
        path = self._program.layout.file(place)
        module = self._program.module(path) if path is not None else None
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
                path = self._program.layout.file(target.place) if isinstance(target, Part) else None
                source = self._program.module(path) if path is not None else None
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
