"""Which bindings of a local name may be what it holds at some place of a function.

Statements run in the order of the text, but for loops: what stands after a place ran before it only
in an earlier iteration of a loop around both. A plain assignment ends what was bound before it for
all that follows it in its block.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from tritonopt.source.trees import children, walk

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Step = tuple[ast.AST, str, int]
"""A node, one of its blocks, and the number of a statement in it."""
_Position = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Bound:
    """One binding of a name."""

    statement: ast.stmt
    start: _Position
    value: ast.expr | None
    """What it gives to the name, as an assignment does; None where that is not an expression."""
    surely: bool = False
    """Whether the statement is an assignment, which binds the name whenever it is run."""


@dataclass(frozen=True)
class Reaching:
    """What a name may hold at a place."""

    bounds: tuple[Bound, ...]
    from_start: bool
    """Whether it may be what it was when the function started."""


# Of one file after the other: each launcher is asked about once for every launch in it.
@lru_cache(maxsize=32)
def bindings_in(function: _Function) -> ReachingBindings:
    return ReachingBindings(function)


class ReachingBindings:
    """The bindings of one function's own names; those of inner functions are none of them."""

    def __init__(self, function: _Function) -> None:
        self._paths: dict[ast.stmt, tuple[_Step, ...]] = {}
        self._bounds: dict[str, list[Bound]] = {}
        self._homes: dict[ast.AST, tuple[ast.stmt, _Position]] = {}
        """By expression, its statement, and the end of the largest expression around it."""
        self._read(function, ())

    def reaching(self, name: str, expression: ast.expr) -> Reaching | None:
        """What a name may hold where an expression is evaluated; None if it is not seen where."""
        if expression not in self._homes:
            return None
        home, end = self._homes[expression]
        bounds = self._bounds.get(name, [])
        last = max(
            (b.start for b in bounds if b.surely and self._always_before(b, home)),
            default=None,
        )
        found = [b for b in bounds if last is None or b.start >= last]
        return Reaching(
            tuple(b for b in found if self._may_come_first(b, home, end, last)), last is None
        )

    def is_before(self, bound: Bound, expression: ast.expr) -> bool:
        """Whether a binding runs only before an expression is evaluated for the first time."""
        home, _ = self._homes[expression]
        apart = self._loops(bound.statement).isdisjoint(self._loops(home))
        return apart and bound.start < _start(home)

    def _always_before(self, bound: Bound, place: ast.stmt) -> bool:
        """Whether it stands in the same block as the place, or as a statement around this."""
        *around, (node, field, index) = self._paths[bound.statement]
        path = self._paths[place]
        if path[: len(around)] != tuple(around) or len(path) <= len(around):
            return False
        other, its_field, its_index = path[len(around)]
        return other is node and its_field == field and index < its_index

    def _may_come_first(
        self, bound: Bound, place: ast.stmt, end: _Position, last: _Position | None
    ) -> bool:
        """Whether it may run before a place is left, and nothing before `last` counts."""
        follows = bound.statement is place and bound.surely  # it assigns afterwards
        if bound.start < end and not follows and not self._exclude(bound.statement, place):
            return True
        common = self._loops(bound.statement) & self._loops(place)
        return any(last is None or _start(loop) > last for loop in common)

    def _exclude(self, one: ast.stmt, other: ast.stmt) -> bool:
        """Whether two statements stand in different branches of one `if` or `match`."""
        for mine, theirs in zip(self._paths[one], self._paths[other], strict=False):
            if mine != theirs:
                node = mine[0]
                if isinstance(node, ast.Match):
                    return node is theirs[0]
                return isinstance(node, ast.If) and node is theirs[0] and mine[1] != theirs[1]
        return False

    def _loops(self, statement: ast.stmt) -> frozenset[ast.stmt]:
        """The loops around a statement, and itself, whose condition is evaluated again."""
        around = [node for node, _, _ in self._paths[statement]]
        return frozenset(node for node in (*around, statement) if isinstance(node, _LOOPS))

    def _read(self, node: ast.AST, path: tuple[_Step, ...]) -> None:
        for field, block in ast.iter_fields(node):
            for index, item in enumerate(block if isinstance(block, list) else ()):
                step = (*path, (node, field, index))
                if isinstance(item, ast.stmt):
                    self._read_statement(item, step)
                elif isinstance(item, ast.ExceptHandler | ast.match_case):
                    self._read(item, step)

    def _read_statement(self, statement: ast.stmt, path: tuple[_Step, ...]) -> None:
        self._paths[statement] = path
        for outermost in _expressions(statement):
            end = (outermost.end_lineno or 0, outermost.end_col_offset or 0)
            parts = walk(outermost)
            walrus = {p.target: p.value for p in parts if isinstance(p, ast.NamedExpr)}
            for part in parts:
                self._homes[part] = (statement, end)
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
                    value = _assigned(statement, part)
                    surely = value is not None
                    self._bounds.setdefault(part.id, []).append(
                        Bound(statement, _start(part), value or walrus.get(part), surely)
                    )
        if not isinstance(statement, _INNER):
            self._read(statement, path)


def _expressions(node: ast.AST) -> list[ast.expr]:
    """The largest expressions that a statement evaluates itself, outside of its blocks."""
    found: list[ast.expr] = []
    for child in children(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.stmt | ast.ExceptHandler):
            found += _expressions(child)
    return found


def _assigned(statement: ast.stmt, name: ast.Name) -> ast.expr | None:
    """What `name = value` gives to a name, and `name, other = value, more`."""
    match statement:
        case ast.AnnAssign(target=target, value=ast.expr() as value) if target is name:
            return value
        case ast.Assign(targets=targets, value=value):
            if name in targets:
                return value
            for several in targets:
                match several, value:
                    case ast.Tuple(elts=names), ast.Tuple(elts=parts) if len(names) == len(parts):
                        plain = not any(isinstance(p, ast.Starred) for p in (*names, *parts))
                        if plain and name in names:
                            return parts[names.index(name)]
    return None


def _start(node: ast.stmt | ast.expr) -> _Position:
    return node.lineno, node.col_offset
