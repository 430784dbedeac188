"""Where a launcher comes to new code, and where it could choose between that and the original's."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from tritonopt import source
from tritonopt.verification.signature.launchers import (
    Launchers,
    changed_definitions,
    differing_definitions,
)

_WITH_BLOCKS = (ast.With, ast.If, ast.Try)
_BLOCKS = ("body", "orelse", "finalbody")


class NoDispatch(Exception):
    """There can be no choice between the two texts; the message says why."""


@dataclass(frozen=True)
class Place:
    """Statements of a function of the original, and those that stand for them in the variant."""

    function: ast.FunctionDef
    old: tuple[ast.stmt, ...]
    new: tuple[ast.stmt, ...]
    names: frozenset[str]
    """What is surely bound there."""

    @property
    def lines(self) -> tuple[int, int]:
        """Of the first statement."""
        return self.old[0].lineno, self.old[0].end_lineno or self.old[0].lineno


@dataclass(frozen=True)
class Difference:
    """What of a file a variant changes, as far as one launcher runs it."""

    old: source.Module
    new: source.Module
    kernels: frozenset[str]
    """Jit functions that differ, or that the variant adds."""
    places: tuple[Place, ...]


def difference(old: source.Module, new: source.Module, launcher: str) -> Difference:
    """How the two differ. Raises NoDispatch."""
    changed = changed_definitions(old, new)
    if changed is None:
        raise NoDispatch("the file also differs outside its functions")
    launchers = Launchers.of(old)
    mine = launchers.reached(launchers.definition_of(launchers.named(launcher)))
    kernels = {k.name for module in (old, new) for k in module.kernels} & changed
    functions = {
        name: node for name, node in launchers.definitions.items() if name in mine - kernels
    }
    there = frozenset(kernels & set(launchers.definitions))
    places = tuple(_places(old, new, functions, there))
    if not places:
        raise NoDispatch("no launch of what differs is seen in it")
    return Difference(old, new, frozenset(kernels), places)


def shared(old: source.Module, new: source.Module, launcher: str) -> frozenset[str]:
    """The definitions that differ and that other launchers run as well."""
    launchers = Launchers.of(old)
    others: set[str] = set()
    for other in launchers.outermost():
        if other.name != launcher:
            others |= launchers.reached(launchers.definition_of(other))
    return frozenset(differing_definitions(old, new) & others)


def _places(
    old: source.Module,
    new: source.Module,
    functions: dict[str, ast.FunctionDef | ast.ClassDef],
    kernels: frozenset[str],
) -> Iterator[Place]:
    """In every function that differs, or launches one of the kernels."""
    others = Launchers.of(new).definitions
    for name, node in functions.items():
        counterpart = others.get(name)
        if counterpart is None:
            raise NoDispatch(f"`{name}` is gone")
        for mine, theirs in _pairs(node, counterpart):
            launches = {id(x.call) for x in old.launches if x.kernel.name in kernels}
            parameters = frozenset(a.arg for a in ast.walk(mine.args) if isinstance(a, ast.arg))
            body = _Block(tuple(mine.body), tuple(theirs.body), parameters)
            found = _narrowed(body, launches)
            if found is None:
                continue
            if any(isinstance(s, ast.FunctionDef) for s in found.old):
                raise NoDispatch(f"what differs of `{name}` is a function inside of it")
            yield Place(mine, found.old, found.new, found.names - frozenset(_no_numbers(mine)))


def _pairs(
    one: ast.FunctionDef | ast.ClassDef, other: ast.FunctionDef | ast.ClassDef
) -> Iterator[tuple[ast.FunctionDef, ast.FunctionDef]]:
    """A function with its counterpart; the methods of a class with theirs."""
    if isinstance(one, ast.FunctionDef) and isinstance(other, ast.FunctionDef):
        if ast.dump(one.args) != ast.dump(other.args):
            raise NoDispatch(f"`{one.name}` takes other parameters")
        yield one, other
    elif isinstance(one, ast.ClassDef) and isinstance(other, ast.ClassDef):
        named = {s.name: s for s in other.body if isinstance(s, ast.FunctionDef)}
        for method in one.body:
            if isinstance(method, ast.FunctionDef) and method.name in named:
                yield from _pairs(method, named[method.name])


@dataclass(frozen=True)
class _Block:
    """Statements that stand in one place, in both versions."""

    old: tuple[ast.stmt, ...]
    new: tuple[ast.stmt, ...]
    names: frozenset[str]
    """What is bound before them."""


def _narrowed(block: _Block, launches: set[int]) -> _Block | None:
    """The fewest statements in a row that hold all that differs, and these launches."""

    def same(one: ast.stmt, other: ast.stmt) -> bool:
        if any(id(inner) in launches for inner in ast.walk(one)):
            return False
        return ast.dump(one) == ast.dump(other)

    old, new = block.old, block.new
    most = min(len(old), len(new))
    first = next((i for i in range(most) if not same(old[i], new[i])), most)
    if first == len(old) == len(new):
        return None
    last = next((i for i in range(most - first) if not same(old[-1 - i], new[-1 - i])), None)
    last = most - first if last is None else last
    if first + last == min(len(old), len(new)) != max(len(old), len(new)):
        # Statements were only added, or only taken away: a neighbor goes along.
        first, last = (first, last - 1) if last else (first - 1, last)
    names = block.names | _bound(old[:first])
    found = _Block(old[first : len(old) - last], new[first : len(new) - last], names)
    if len(found.old) == len(found.new) == 1:
        inner = _inside(found.old[0], found.new[0], names, same)
        if inner is not None:
            return _narrowed(inner, launches)
    return found


def _inside(
    old: ast.stmt,
    new: ast.stmt,
    names: frozenset[str],
    same: Callable[[ast.stmt, ast.stmt], bool],
) -> _Block | None:
    """The one block of a statement that differs, where nothing else of it does."""
    if not isinstance(old, _WITH_BLOCKS) or type(old) is not type(new):
        return None
    differing = []
    for name in (*_BLOCKS, "handlers"):
        one, other = getattr(old, name, []), getattr(new, name, [])
        if len(one) != len(other) or not all(map(same, one, other)):
            differing.append(name)
    if len(differing) != 1 or differing[0] == "handlers" or _head(old) != _head(new):
        return None
    given = {n.id for item in getattr(old, "items", []) for n in _stored(item)}
    blocks = getattr(old, differing[0]), getattr(new, differing[0])
    return _Block(tuple(blocks[0]), tuple(blocks[1]), names | given)


def _head(statement: ast.stmt) -> str:
    """A statement without its blocks."""
    alone = copy(statement)
    for name in (*_BLOCKS, "handlers"):
        if hasattr(alone, name):
            setattr(alone, name, [])
    return ast.dump(alone)


def _bound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """The names that these bind, whatever happens in them.

    One that is bound within a value may stand in a part of it that is not evaluated.
    """
    targets = [t for s in statements if isinstance(s, ast.Assign) for t in s.targets]
    targets += [s.target for s in statements if isinstance(s, ast.AnnAssign) and s.value]
    return frozenset(name.id for target in targets for name in _stored(target))


def _no_numbers(function: ast.FunctionDef) -> Iterator[str]:
    """Names that are compared with None or have it, and others that may be no numbers.

    A call that was not seen may have it there, where a bound would raise an error.
    """
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = (
        *zip(reversed(positional), reversed(arguments.defaults), strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    )
    for parameter, default in defaults:
        if isinstance(default, ast.Constant) and not isinstance(default.value, (int, float)):
            yield parameter.arg
    for parameter in (*positional, *arguments.kwonlyargs):
        words = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
        if re.search(r"\b(None|Optional|str)\b", words):
            yield parameter.arg
    for node in ast.walk(function):
        match node:
            case ast.Compare(left=left, comparators=others):
                if any(map(_may_be_none, (left, *others))):
                    yield from (n.id for n in (left, *others) if isinstance(n, ast.Name))
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), *_]):
                yield name
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                if _may_be_none(value):
                    yield from (name.id for name in _stored(node))


def _may_be_none(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=None):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _may_be_none(one) or _may_be_none(other)
        case ast.BoolOp(values=values):
            return any(map(_may_be_none, values))
    return False


def _stored(node: ast.AST) -> Iterator[ast.Name]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner
