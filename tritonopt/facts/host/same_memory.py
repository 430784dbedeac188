"""Which memory an argument of a launch may be: the names, attributes and items it comes from.

What is passed for two parameters may be one tensor under two names: `out = x`, `x.view(-1)`,
`x if inplace else torch.empty_like(x)`, `d["x"]`, `self.x`. Memory that the launcher allocates,
and what an unknown call returns, comes from nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from tritonopt.facts.host import torch_api
from tritonopt.facts.host.tensor_expressions import integer, viewed
from tritonopt.source import Launch
from tritonopt.source.names import Names, Scope
from tritonopt.source.trees import children, walk

_METHODS = (
    torch_api.MAY_BE_VIEWS
    | (torch_api.SAME_SHAPE - {"clone"})
    | {"ravel", "unflatten", "reshape_as", "type", "type_as", "unsafe_chunk", "unsafe_split"}
)
"""Methods, and functions of torch by their bare names, that may give the memory of a tensor."""
_ATTRIBUTES = torch_api.VIEW_ATTRIBUTES | {"data", "H", "mH"}


def may_be_one(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of a launch are seen to come from one tensor, on some way to it."""
    apart = are_apart(one, other)  # rows of one tensor, or items that may be one tensor
    mine, theirs = (frozenset(_Sources(launch, apart).of(each)) for each in (one, other))
    return not mine.isdisjoint(theirs)


class _Sources:
    """The parameters, names of the module, attributes and items that an argument may be part of.

    New memory is the place where it was allocated.
    """

    def __init__(self, launch: Launch, items_only: bool) -> None:
        self._items_only = items_only
        self._module = launch.module
        self._launcher = launch.launcher
        self._seen: set[ast.expr] = set()

    def of(self, argument: ast.expr) -> Iterator[str]:
        todo = [argument]
        while todo:
            expression = todo.pop()
            if expression in self._seen:
                continue
            self._seen.add(expression)
            more = list(self._behind(expression))
            todo += more
            match expression:
                case ast.Name(id=name) if not more or self._is_from_start(expression):
                    yield name
                case ast.Attribute() | ast.Subscript() if not more:
                    yield ast.unparse(expression)
                case ast.Call() if not more:
                    yield f"{ast.unparse(expression)} in line {expression.lineno}"

    def _behind(self, expression: ast.expr) -> Iterator[ast.expr]:
        """What an expression may be a part of, or the same as."""
        match expression:
            case ast.Name():
                yield from self._held(expression)
            case ast.IfExp(body=one, orelse=other):
                yield from (one, other)
            case ast.BoolOp(values=values):
                yield from values
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                yield value
            case ast.Attribute(value=tensor, attr=name) if name in _ATTRIBUTES:
                yield tensor
            case ast.Attribute():
                yield from self._stored(expression)
            case ast.Subscript(value=owner, slice=index):
                stored = [*self._stored(expression), *self._items(owner, index)]
                is_key = isinstance(index, ast.Constant) and isinstance(index.value, str)
                yield from stored if stored or is_key or self._items_only else (owner,)
            case ast.Call(func=ast.Attribute(value=tensor, attr=name), args=arguments):
                if self._module.resolve(expression.func):
                    yield from arguments[:1] if name in _METHODS else ()
                elif name in _METHODS or torch_api.is_in_place(name):
                    yield tensor

    def _held(self, name: ast.Name) -> Iterator[ast.expr]:
        held = self._reaching(name)
        yield from (b.value for b in held.bounds if b.value is not None) if held else ()

    def _is_from_start(self, name: ast.Name) -> bool:
        held = self._reaching(name)
        return held is None or held.from_start or any(b.value is None for b in held.bounds)

    def _reaching(self, name: ast.Name) -> Reaching | None:
        if self._launcher is None:
            return None
        return bindings_in(self._launcher).reaching(name.id, name)

    def _stored(self, place: ast.Attribute | ast.Subscript) -> Iterator[ast.expr]:
        """What the launcher puts into an attribute or an item: `self.y = x`, `d["y"] = x`."""
        text = ast.dump(place).replace("Store()", "Load()")
        for node in walk(self._launcher) if self._launcher is not None else ():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if ast.dump(target).replace("Store()", "Load()") == text:
                        yield node.value

    def _items(self, owner: ast.expr, index: ast.expr) -> Iterator[ast.expr]:
        """What stands in a list or a dict that the launcher writes down."""
        for made in self._held(owner) if isinstance(owner, ast.Name) else (owner,):
            match made:
                case ast.Dict(keys=keys, values=values):
                    key = ast.dump(index)
                    yield from (
                        value
                        for its_key, value in zip(keys, values, strict=True)
                        if its_key is None or ast.dump(its_key) == key
                    )
                case ast.List(elts=elements) | ast.Tuple(elts=elements):
                    match index:
                        case ast.Constant(value=int() as number) if (
                            -len(elements) <= number < len(elements)
                        ):
                            yield elements[number]
                        case _:
                            yield from elements
                case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                    yield from (
                        k.value
                        for k in keywords
                        if isinstance(index, ast.Constant) and k.arg in (None, index.value)
                    )


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
            (b.start for b in bounds if b.surely and self._always_before(b.statement, home)),
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

    def dominates(self, statement: ast.stmt, place: ast.stmt) -> bool:
        """Whether every way to a place comes from a statement, in the same iteration of a loop."""
        same = self._loops(statement) == self._loops(place)
        return same and self._always_before(statement, place)

    def are_apart(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two expressions stand in two branches of one `if` or `match`."""
        homes = [self._homes[node][0] for node in (one, other) if node in self._homes]
        return len(homes) == 2 and self._exclude(*homes)

    def _always_before(self, statement: ast.stmt, place: ast.stmt) -> bool:
        """Whether it stands in the same block as the place, or as a statement around this."""
        *around, (node, field, index) = self._paths[statement]
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


_VIEWS = torch_api.VIEWS | torch_api.PARTS

_Part = tuple[Scope | None, str]


def may_overlap(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments of a launch are seen to be parts of one tensor, and not the same one.

    Parts that share no element, as `x[0]` and `x[1]` or `x[:n]` and `x[n:]`, do not overlap.
    """
    if ast.dump(one) == ast.dump(other) or are_apart(one, other):
        return False
    names = launch.module.names
    mine, theirs = dict(_names(names, one)), dict(_names(names, other))
    common = mine.keys() & theirs.keys()
    return bool(common) and all(mine[part] or theirs[part] for part in common)


def may_be_part(launch: Launch, argument: ast.expr) -> bool:
    """Whether an argument of a launch is seen to be a part of a tensor, on some way to it."""
    return any(is_part for _, is_part in _names(launch.module.names, argument))


def surely_overlap(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments are seen to be one tensor, or parts of one that share some rows.

    As `x[1:]` and `x[:-1]` do: of a tensor with a few rows, that is.
    """
    parts = [_rows(launch, argument) or (argument, ast.Slice()) for argument in (one, other)]
    (mine, rows), (theirs, others) = parts
    if not isinstance(mine, ast.Name) or ast.dump(mine) != ast.dump(theirs):
        return False
    again = (n for n in ast.walk(launch.call) if isinstance(n, ast.NamedExpr))
    if any(n.target.id == mine.id for n in again):
        return False
    return all(s.upper is None or (integer(s.upper) or 0) < 0 for s in (rows, others))


def rows_from(launch: Launch, argument: ast.expr) -> tuple[ast.expr, int]:
    """The tensor that an argument is the rows of, from which row on: `x` and 1 of `x[1:]`.

    Of an argument that is no such part, it itself and 0.
    """
    found = _rows(launch, argument)
    if found is None:
        return argument, 0
    tensor, rows = found
    return tensor, 0 if rows.lower is None else integer(rows.lower) or 0


def _rows(launch: Launch, argument: ast.expr) -> tuple[ast.expr, ast.Slice] | None:
    """A tensor and some of its rows, from one whose number is known."""
    part = argument
    if isinstance(part, ast.Name):
        scope = launch.module.names.scope_of.get(part, launch.module.names.module).find(part.id)
        bound = scope.bindings[part.id] if scope is not None else []
        if len(bound) == 1 and isinstance(bound[0], ast.Subscript):
            part = bound[0]
    if not isinstance(part, ast.Subscript):
        return None
    first, *rest = _indices(part.slice)
    if any(not isinstance(i, ast.Slice) or i.lower or i.upper or i.step for i in rest):
        return None
    match first:
        case ast.Slice(lower=lower, step=None) if lower is None or (integer(lower) or 0) >= 0:
            known = lower is None or integer(lower) is not None
            return (part.value, first) if known else None
    return None


def _names(names: Names, argument: ast.expr) -> Iterator[tuple[_Part, bool]]:
    """The names that an argument may be a view of, and whether of a part only."""
    todo = [(argument, False)]
    seen: set[_Part] = set()
    while todo:
        expression, cut = todo.pop()
        match expression:
            case ast.Name(id=name):
                scope = names.scope_of.get(expression, names.module).find(name)
                if (scope, name) not in seen:
                    seen.add((scope, name))
                    yield (scope, name), cut
                    bound = scope.bindings[name] if scope is not None else []
                    todo += [(value, cut) for value in bound if isinstance(value, ast.expr)]
            case ast.Subscript(slice=index) if _key(index) is not None:
                yield (None, ast.unparse(expression)), cut  # all of a tensor in a dict
            case ast.Subscript(value=value):
                todo.append((value, True))
            case ast.Call() | ast.Attribute():
                tensor = viewed(expression, _VIEWS)
                if tensor is not None:
                    todo.append((tensor, cut or _is_part(expression)))
                elif isinstance(expression, ast.Attribute):
                    yield (None, ast.unparse(expression)), cut  # `self.cache`


def are_apart(one: ast.expr, other: ast.expr) -> bool:
    """Whether two subscripts of one expression share no element."""
    match one, other:
        case ast.Subscript(value=mine, slice=first), ast.Subscript(value=theirs, slice=second):
            if ast.dump(mine) != ast.dump(theirs) or any(
                isinstance(node, ast.Call) and viewed(node, _VIEWS) is None
                for node in ast.walk(mine)
            ):
                return False
            pairs = list(zip_longest(_indices(first), _indices(second)))
            # An index of another kind may stand for no dimension, or for several.
            plain = all(_is_plain(index) for pair in pairs for index in pair)
            dots = [tuple(map(_is_ellipsis, pair)) for pair in pairs]
            aligned = all(mine == theirs for mine, theirs in dots)
            return plain and aligned and any(_share_nothing(*pair) for pair in pairs)
    return False


def _is_part(view: ast.Call | ast.Attribute) -> bool:
    return viewed(view, torch_api.PARTS) is not None and isinstance(view, ast.Call)


def _indices(index: ast.expr) -> list[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]


def _is_plain(index: ast.expr | None) -> bool:
    known = integer(index) is not None or _key(index) is not None
    return known or isinstance(index, ast.Slice) or _is_ellipsis(index)


def _is_ellipsis(index: ast.expr | None) -> bool:
    return isinstance(index, ast.Constant) and index.value is ...


def _key(index: ast.expr | None) -> str | None:
    """The key of a tensor in a dict."""
    match index:
        case ast.Constant(value=str() as key):
            return key
    return None


def _share_nothing(one: ast.expr | None, other: ast.expr | None) -> bool:
    """Whether two indices of one dimension have no element in common."""
    first, second = integer(one), integer(other)
    if first is not None and second is not None:
        return first != second and (first < 0) == (second < 0)
    if _key(one) is not None and _key(other) is not None:
        return _key(one) != _key(other)
    match one, other:
        case (
            ast.Slice(lower=None, upper=ast.expr() as end, step=None),
            ast.Slice(lower=ast.expr() as start, upper=None, step=None),
        ) | (
            ast.Slice(lower=ast.expr() as start, upper=None, step=None),
            ast.Slice(lower=None, upper=ast.expr() as end, step=None),
        ):
            is_one = isinstance(end, ast.Name) or integer(end) is not None
            return is_one and ast.dump(end) == ast.dump(start)
    return False
