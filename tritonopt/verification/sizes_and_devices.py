"""Whether a test of a launcher asks for sizes, flags or the device alone, and not what tensors are.

Of other sizes, or on another device, a kernel is the same function of what it is given. What only
tensors of another layout or type lead to has to be seen with such tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from math import prod

from tritonopt.source.single_numbers import named_numbers
from tritonopt.source.trees import walk
from tritonopt.verification.coverage.text_differences import Body, Comparison, Version

_OF_SIZES = ("shape",)
_COUNTING = ("size", "numel")
_PLAIN = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Tuple, ast.Slice,
    ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip
_DEEP = 12


def asks_no_tensor(version: Version, body: Body, test: ast.expr) -> bool:
    """Whether all that a test is made of are sizes, numbers, flags, and what the device is."""
    return _Asked(version).plain(body, test)


class _Asked:
    def __init__(self, version: Version) -> None:
        self.version = version
        self.open: set[tuple[str, str]] = set()
        """Names that are being followed: what is computed from itself is what it began with."""

    def plain(self, body: Body, node: ast.AST, *, passed: bool = False, depth: int = 0) -> bool:
        """`passed` to a function, a parameter may be a tensor."""
        if depth > _DEEP:
            return False

        def inside(part: ast.AST, passed: bool = passed) -> bool:
            return self.plain(body, part, passed=passed, depth=depth + 1)

        match node:
            case ast.Constant():
                return node.value is not None
            case ast.Name(id=name):
                return self._name(body, name, passed, depth)
            case ast.Attribute(attr=attr) if attr in _OF_SIZES:
                return True
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in _parameters(body):
                return self._kept(body, name, attr, depth)
            case ast.Attribute(value=value):
                return inside(value)
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _COUNTING:
                return True
            case ast.Call(func=function, args=arguments, keywords=keywords):
                given = [*arguments, *(k.value for k in keywords)]
                return inside(function) and all(inside(a, passed=True) for a in given)
            case ast.Compare(ops=ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                return False
        parts = isinstance(node, _PLAIN)
        return parts and all(inside(part) for part in ast.iter_child_nodes(node))

    def _name(self, body: Body, name: str, passed: bool, depth: int) -> bool:
        """A local name by all that it is bound to; a parameter by what callers pass for it."""
        if (body.name, name) in self.open:
            return True
        self.open.add((body.name, name))
        try:
            for value in _bound_to(body, name):
                where, part = self._returned(body, name, value)
                if part is None or not self.plain(where, part, passed=passed, depth=depth + 1):
                    return False
            return name not in _parameters(body) or self._parameter(body, name, passed, depth)
        finally:
            self.open.discard((body.name, name))

    def _returned(
        self, body: Body, name: str, value: ast.Assign | ast.expr | None
    ) -> tuple[Body, ast.expr | None]:
        """What a name is bound to; of `a, b = f(x)` what `f` returns there, if that can be told."""
        if not isinstance(value, ast.Assign):
            return body, value
        callees = []
        if isinstance(value.value, ast.Call):
            callees = self.version.called.get(_called(value.value), [])
        target = value.targets[0]
        places = [ast.unparse(t) for t in target.elts] if isinstance(target, ast.Tuple) else []
        for callee in callees if len(callees) == 1 else ():
            nodes = [s.node for s in callee.statements if isinstance(s.node, ast.Return)]
            result = nodes[0].value if len(nodes) == 1 else None
            if isinstance(result, ast.Tuple) and len(result.elts) == len(places):
                return callee, result.elts[places.index(name)]
        return body, value.value

    def _parameter(self, body: Body, name: str, passed: bool, depth: int) -> bool:
        """Of what nobody in the file calls, users say: flags and numbers, if they are asked."""
        callers = [
            (caller, call)
            for caller in self.version.bodies.values()
            for statement in caller.statements
            for part in statement.head
            for call in ast.walk(part)
            if isinstance(call, ast.Call) and body in self.version.called.get(_called(call), ())
        ]
        if not callers:
            return not passed
        order = [a.arg for a in body.node.args.args]
        for caller, call in callers:
            named = {k.arg: k.value for k in call.keywords}
            value = named.get(name)
            if value is None and name in order and order.index(name) < len(call.args):
                value = call.args[order.index(name)]
            if value is None:
                continue  # its default
            if not self.plain(caller, value, passed=passed, depth=depth + 1):
                return False
        return True

    def _kept(self, body: Body, owner: str, attribute: str, depth: int) -> bool:
        """`ctx.BLOCK`, by what functions of the same class put there."""
        home = body.name.rpartition(".")[0]
        found = [
            (other, value)
            for other in self.version.bodies.values()
            if home and other.name.rpartition(".")[0] == home
            for value in _stored(other, owner, attribute)
        ]
        return bool(found) and all(self.plain(o, v, depth=depth + 1) for o, v in found)


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func)


def _parameters(body: Body) -> set[str]:
    arguments = body.node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {a.arg for a in every}


def _bound_to(body: Body, name: str) -> Iterator[ast.Assign | ast.expr | None]:
    """What a function binds a name to, or where; None where that cannot be told."""
    for statement in body.statements:
        if name not in statement.binds():
            continue
        node = statement.node
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=False)
                own = [v for t, v in pairs if isinstance(t, ast.Name) and t.id == name]
                yield from own if len(target.elts) == len(value.elts) and own else [None]
            else:
                yield node
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value is not None:
            yield node.value
        else:
            yield None


def _stored(body: Body, owner: str, attribute: str) -> Iterator[ast.expr]:
    for statement in body.statements:
        if isinstance(statement.node, ast.Assign):
            for target in statement.node.targets:
                if ast.unparse(target) == f"{owner}.{attribute}":
                    yield statement.node.value


# Numbers that one version alone has, and that small calls do not come to: `n % 262144`.
#
# A kernel that only sizes beyond such a number lead to is run with small ones where a test of its
# launcher is taken to hold: there `n % 262144` is `n`, and in practice it never is.

SMALL = 4096
"""Calls have sizes up to this: numbers in what differs are tried as sizes."""
_MOST_BITS = 64
_PARTS = (ast.FloorDiv, ast.Div, ast.Mod)
_SHIFTS = (ast.LShift, ast.RShift)


def large_numbers(compared: Comparison, names: Collection[str]) -> set[int]:
    """Numbers above `SMALL` in what differs of these functions, and in one version only.

    A number by itself that is named or passed by name is the length of a tile.
    """
    ours, theirs = (set(_of(v, names)) for v in (compared.old, compared.new))
    return {n for n in ours ^ theirs if n > SMALL}


def _of(version: Version, names: Collection[str]) -> Iterator[int]:
    named = named_numbers(version.module.tree)
    for name, body in version.bodies.items():
        if name.partition("#")[0] in names:
            yield from _of_body(body, named)


def _of_body(body: Body, named: Mapping[str, int]) -> Iterator[int]:
    for statement in body.statements:
        if not statement.differs:
            continue
        alone = {id(k.value) for part in statement.head for k in walk(part)
                 if isinstance(k, ast.keyword)}  # fmt: skip
        if isinstance(statement.node, (ast.Assign, ast.AnnAssign)) and statement.node.value:
            alone.add(id(statement.node.value))
        for part in statement.head:
            for node in walk(part):
                if isinstance(node, ast.BinOp):
                    yield prod(_divisors(node, named))
                if isinstance(node, ast.expr) and id(node) not in alone:
                    yield abs(_value(node, named) or 0)


def _divisors(node: ast.AST, named: Mapping[str, int]) -> Iterator[int]:
    """What something is divided by, one after the other: `n // 512 // 512`, `n >> 18`."""
    for part in walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, (*_PARTS, *_SHIFTS)):
            value = abs(_value(part.right, named) or 0)
            if isinstance(part.op, _SHIFTS):
                value = 1 << min(value, _MOST_BITS)
            yield max(value, 1)


def _value(node: ast.AST, named: Mapping[str, int]) -> int | None:
    """The whole number that a piece of code is; None where it is more than that."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            return named.get(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _value(operand, named)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, named), _value(right, named)
            return None if one is None or other is None else _computed(one, op, other)
    return None


def _computed(one: int, op: ast.operator, other: int) -> int | None:
    match op:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case ast.LShift() if 0 <= other <= _MOST_BITS:
            return one << other
        case ast.Pow() if 0 <= other <= _MOST_BITS and abs(one) <= SMALL:
            return int(one**other)
    return None
