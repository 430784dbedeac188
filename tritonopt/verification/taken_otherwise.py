"""Kernels that no call comes to here, because of what a launcher asks: of the device, of sizes.

    if is_blackwell() and n >= 16384:
        tiled_kernel[grid](x, y, n, BLOCK=1024)

Where both versions ask the same, and nothing that differs has a part in it, both are run once more
with the outcome that leads to the launch, whatever the answer would be. What runs then is the same
kernel with arguments that the same code forms, of smaller sizes, or on another device, than in
practice. That says as much of two kernels as other small calls do, where they agree. Where they do
not, it says nothing: one of them may rest on what was asked. Nor does it where what differs names
a number that no small call comes to.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from tritonopt import source
from tritonopt.source.single_numbers import computed, named_numbers
from tritonopt.source.trees import blocks_of, is_text, walk
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.text_differences import Body, Comparison, Version

_MOST_RUNS = 2
"""Kernels that cannot be launched together are in runs of their own, but in no more."""


@dataclass(frozen=True)
class Taken:
    """A test of a launcher, and the outcome that leads to a launch."""

    test: ast.expr
    holds: bool

    @property
    def key(self) -> tuple[str, bool]:
        return ast.dump(self.test), self.holds

    def __str__(self) -> str:
        outcome = "holds" if self.holds else "does not hold"
        return f"`{ast.unparse(self.test)}` (line {self.test.lineno}) {outcome}"


@dataclass(frozen=True)
class Otherwise:
    """Both versions with some tests taken to come out as they never did."""

    old: source.Module
    new: source.Module
    kernels: tuple[str, ...]
    """Which are launched then, and else not."""
    launches: tuple[source.Launch, ...]
    """Of kernels that are launched elsewhere too, the launches to which this leads."""
    taken: tuple[Taken, ...]
    """The tests of the original."""

    def asks(self, demand: Demand) -> bool:
        """Whether it is something of these kernels, or of a call of theirs, that has to run."""
        return demand.kind != "programs" or demand.text in self.kernels

    def __str__(self) -> str:
        tests = ", ".join(map(str, self.taken))
        what = [f"`{name}`" for name in self.kernels]
        what += [f"the launch of `{n.kernel.name}` in {n.where}" for n in self.launches]
        return (
            f"no call reaches {', '.join(what)} here: compared in calls in which both "
            f"versions assume that {tests}"
        )


@dataclass
class _Together:
    """Kernels that are launched together, and the outcomes of tests in either version."""

    kernels: dict[str, None] = field(default_factory=dict)
    launches: list[source.Launch] = field(default_factory=list)
    old: dict[ast.expr, bool] = field(default_factory=dict)
    new: dict[ast.expr, bool] = field(default_factory=dict)

    def takes(self, way: Iterable[Taken]) -> bool:
        """Whether it asks no test for another outcome."""
        return all(self.old.get(t.test, t.holds) == t.holds for t in way)


def launched_otherwise(compared: Comparison, unmet: Collection[Demand]) -> list[Otherwise]:
    """How to come to the kernels of which nothing has run, and to launches that did not."""
    found: list[_Together] = []
    kernels = [k for k in compared.old.module.kernels if _never_ran(k, unmet)]
    places = _launches_to_reach(compared.old, unmet)
    targets = [(k.name, None) for k in kernels if all(n.kernel is not k for n in places)]
    for name, launch in (*targets, *((n.kernel.name, n) for n in places)):
        way = next(_both_ways(compared, name, launch), None)
        if way is None:
            continue
        ours, theirs = way
        group = next((g for g in found if g.takes(ours)), None)
        if group is None:
            group = _Together()
            found.append(group)
        if launch is None or any(k.name == name for k in kernels):
            group.kernels[name] = None
        else:
            group.launches.append(launch)
        group.old |= {t.test: t.holds for t in ours}
        group.new |= {t.test: t.holds for t in theirs}
    return [
        Otherwise(
            _with_outcomes(compared.old.module, group.old),
            _with_outcomes(compared.new.module, group.new),
            tuple(group.kernels),
            tuple(group.launches),
            tuple(Taken(test, holds) for test, holds in group.old.items()),
        )
        for group in found[:_MOST_RUNS]
    ]


def _launches_to_reach(version: Version, unmet: Collection[Demand]) -> list[source.Launch]:
    """The launches of the original that have to run, and did not."""
    asked = {d.line for d in unmet if d.title == "original" and d.kind == "line"}
    return [
        launch
        for launch in version.module.launches
        if not launch.is_elsewhere
        and any(
            statement.line in asked and any(node is launch.call for node in _own(statement.node))
            for body in version.bodies.values()
            for statement in body.statements
        )
    ]


def _never_ran(kernel: source.Kernel, unmet: Collection[Demand]) -> bool:
    """Whether something of a kernel of the original has to run, and one line is the first."""
    node = kernel.node
    asked = [d for d in unmet if d.title == "original" and d.kind == "line"]
    lines = {d.line for d in asked if d.within and d.within.start == node.lineno}
    body = [s for s in node.body if not is_text(s)]
    return bool(lines) and bool(body) and min(lines) <= body[0].lineno + _FEW_LINES


_FEW_LINES = 3
"""Within so many lines of the first one what differs may begin, in a kernel that never ran."""


def _both_ways(
    compared: Comparison, kernel: str, launch: source.Launch | None
) -> Iterator[tuple[list[Taken], list[Taken]]]:
    """The tests before a launch of a kernel that both versions have, in each of them."""
    theirs = list(_ways(compared.new, kernel))
    called = next((k.called for k in compared.old.module.kernels if k.name == kernel), ())
    for where, way in _ways(compared.old, kernel, launch):
        keys = [taken.key for taken in way]
        alike = next((w for at, w in theirs if at == where and [t.key for t in w] == keys), None)
        if alike is not None and not large_numbers(compared, {where, kernel, *called}):
            yield way, alike


def _ways(
    version: Version, kernel: str, only: source.Launch | None = None
) -> Iterator[tuple[str, list[Taken]]]:
    """By the function around a launch, the tests on which it depends there; none that differs."""
    for launch in version.module.launches:
        if launch.kernel.name != kernel or launch.is_elsewhere or only not in (None, launch):
            continue
        for name, body in version.bodies.items():
            inside = any(node is launch.call for s in body.statements for node in _own(s.node))
            concerned = {s.node for s in body.statements if s.concerned}
            way = list(_tests_before(body.node.body, launch.call, version)) if inside else []
            # What only tensors of another layout or type lead to has to be seen with such tensors.
            plain = all(asks_no_tensor(version, body, branch.test) for branch, _ in way)
            if way and plain and not concerned & {branch for branch, _ in way}:
                yield name, [Taken(node.test, holds) for node, holds in way]


def _own(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that are in no statement inside it."""
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += [n for n in ast.iter_child_nodes(part) if not isinstance(n, ast.stmt)]


def _tests_before(
    block: Sequence[ast.stmt], call: ast.Call, version: Version
) -> Iterator[tuple[ast.If, bool]]:
    """The branches around a call, and those before it that launch something else and return."""
    for statement in block:
        if any(node is call for node in ast.walk(statement)):
            if isinstance(statement, ast.If) and not any(n is call for n in _own(statement)):
                yield statement, any(n is call for s in statement.body for n in ast.walk(s))
            for inner in blocks_of(statement):
                yield from _tests_before(inner, call, version)
            return
        yield from _leaving(statement, version)


def _leaving(statement: ast.stmt, version: Version) -> Iterator[tuple[ast.If, bool]]:
    """A branch that launches a kernel and ends the function, and those that follow it."""
    if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], ast.Return):
        return
    calls = {id(launch.call) for launch in version.module.launches}
    if any(id(node) in calls for s in statement.body for node in ast.walk(s)):
        yield statement, False
        if len(statement.orelse) == 1:
            yield from _leaving(statement.orelse[0], version)


def _with_outcomes(module: source.Module, outcomes: Mapping[ast.expr, bool]) -> source.Module:
    """The file with some tests replaced by their outcomes; every line stays where it was."""
    text = module.text
    spans = ((*module.lines.span(test), holds) for test, holds in outcomes.items())
    for begin, end, holds in sorted(spans, reverse=True):
        kept = "\n" * text[begin:end].count("\n")
        text = f"{text[:begin]}({holds}{kept}){text[end:]}"
    return source.read(text, module.path)


# Whether a test of a launcher asks for sizes, flags or the device alone, and not what tensors are.
#
# Of other sizes, or on another device, a kernel is the same function of what it is given. What only
# tensors of another layout or type lead to has to be seen with such tensors.

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
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in body.parameters:
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
            return name not in body.parameters or self._parameter(body, name, passed, depth)
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
            for call in statement.nodes
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


def _bound_to(body: Body, name: str) -> Iterator[ast.Assign | ast.expr | None]:
    """What a function binds a name to, or where; None where that cannot be told."""
    for statement in body.statements:
        if name not in statement.binds:
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
_MOST = 2**62
"""Numbers beyond that are computed no further."""
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
                    yield abs(_value(node, named))


def _divisors(node: ast.AST, named: Mapping[str, int]) -> Iterator[int]:
    """What something is divided by, one after the other: `n // 512 // 512`, `n >> 18`."""
    for part in walk(node):
        if isinstance(part, ast.BinOp) and isinstance(part.op, (*_PARTS, *_SHIFTS)):
            value = abs(_value(part.right, named))
            if isinstance(part.op, _SHIFTS):
                value = 1 << min(value, _MOST_BITS)
            yield max(value, 1)


def _value(node: ast.AST, named: Mapping[str, int]) -> int:
    """The whole number that a piece of code is; 0 where it is more than that."""
    numbers = {name: (number,) for name, number in named.items()}
    return next(computed(node, numbers, _MOST), 0)
