"""What is the same in every iteration of a loop, and what moves above the loop with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress

from tritonopt.emit.writing import NotExpressible, Writer, block_of, is_plain
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.effects import Effect, Guard
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.operations import Op
from tritonopt.source import Remove, Replace
from tritonopt.source.trees import parents_of, walk

_COUNTED = frozenset({"range", "tl.range", "tl.static_range"})


def is_invariant(
    facts: KernelFacts, value: Value, loop: Loop, loads: frozenset[int] = frozenset()
) -> bool:
    """Whether a value is the same in every iteration of a loop and of the loops inside it.

    `loads` are loads of the loop, by their order, that are taken to read the same element
    each time.
    """
    varying = facts.interpretation.variant_loops(value, loads)
    return not any(loop in facts.loops[identity].nest for identity in varying)


def may_divide_by_zero(facts: KernelFacts, value: Value, at: ast.stmt) -> bool:
    """Whether a value, computed right before a statement, may be the first to divide by zero.

    A divisor that every way to there has divided by was not zero, or all is lost already.
    """
    divisors = [part.right for part in value.walk() if _divides(part)]
    for divisor in divisors:
        form = facts.forms.of(divisor)
        number = form.constant_value
        if number == 0:
            return True
        if number is None and not facts.forms.is_positive(form):
            return not set(divisors) <= set(_divided_before(facts, at))
    return False


def _divides(value: Value) -> bool:
    return value.op in (Op.FLOORDIV, Op.MOD, Op.CDIV)


def _divided_before(facts: KernelFacts, at: ast.stmt) -> Iterator[Value]:
    """What the kernel has divided by, whichever way it came to a statement."""
    parents = parents_of(facts.kernel.node)
    inner = at
    ahead: list[ast.AST] = [at.iter] if isinstance(at, ast.For) else []
    while inner is not facts.kernel.node:
        outer = parents[inner]
        block = block_of(outer, inner)
        ahead += block[: block.index(inner)]
        if isinstance(outer, (ast.For, ast.If)):
            ahead.append(outer.iter if isinstance(outer, ast.For) else outer.test)
        inner = outer
    while ahead:
        node = ahead.pop()
        match node:
            case ast.For(iter=header):
                ahead.append(header)
            case ast.If(test=header) | ast.IfExp(test=header):
                ahead.append(header)
            case ast.BoolOp(values=[first, *_]):
                ahead.append(first)
            case ast.Lambda() | ast.While() | ast.With() | ast.Try() | ast.Match():
                pass
            case ast.FunctionDef() | ast.ClassDef():
                pass
            case _:
                ahead += ast.iter_child_nodes(node)
                value = facts.values.get(node) if isinstance(node, ast.expr) else None
                if value is not None and _divides(value):
                    yield value.right


class HoistedSlice:
    """The statements of a loop that move above it, so that something can be computed there.

    Only plain assignments move, of names that nothing else in the kernel binds: a name that is
    bound before a loop is carried by it, and must keep its type wherever it is bound again.
    """

    def __init__(
        self,
        writer: Writer,
        loop: Loop,
        moving: Collection[Effect] = (),
        path: Sequence[Guard] = (),
        known: Collection[Guard] = (),
        *,
        runs: bool,
    ) -> None:
        """`moving` are loads that may move, and `path` leads to them; what moves stands again
        under those conditions of it that are `known` to the compiler. Unless it is shown that the
        loop `runs` and comes to them, nothing moves that could divide by zero."""
        self.facts = facts = writer.facts
        self.loop = loop
        self.environment = facts.before[loop.node]
        self._loads = frozenset(effect.order for effect in moving)
        self._runs = runs
        self._locals = facts.kernel.module.names.scopes[facts.kernel.node].bindings
        self._parameters = frozenset(p.name for p in facts.kernel.parameters)
        self.guards = dict(_straight(facts, loop.node.body, path, known, ()))
        """The statements that may move, in order, and the conditions that each stands under."""
        self._known = tuple(guard for guard in path if guard in known)
        self._bound: dict[str, list[tuple[ast.Name, ast.stmt]]] = {}
        _note_names(facts.kernel.node, facts.kernel.node, self._bound)
        self._chosen: set[ast.stmt] = set()

    @property
    def statements(self) -> list[ast.stmt]:
        """What moves, in order."""
        return [s for s in self.guards if s in self._chosen]

    def need(self, node: ast.expr) -> None:
        """Whatever an expression reads moves too, so that it means the same above the loop.

        Raises NotExpressible where that cannot be, and then nothing more moves.
        """
        with self._undone_on_failure():
            if not self._runs and may_divide_by_zero(
                self.facts, self.facts.values[node], self.loop.node
            ):
                raise NotExpressible(f"line {node.lineno} may divide by zero")
            for name in _reads(node):
                self._need_name(name.id, self.facts.values.get(name), self._known)
            self._check()

    def add(self, statement: ast.stmt) -> None:
        """A statement moves, with whatever it reads. Raises NotExpressible where it cannot."""
        with self._undone_on_failure():
            self._add(statement)
            self._check()

    def add_derived(self) -> None:
        """Every statement that computes with what moves, and that can, moves too."""
        for statement in self.guards:
            target = _target(statement)
            value = None if target is None else self.facts.values.get(target)
            if statement in self._chosen or value is None:
                continue
            if any(p.op is Op.LOAD and p.number in self._loads for p in value.walk()):
                with suppress(NotExpressible):
                    self.add(statement)

    @contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        before = set(self._chosen)
        try:
            yield
        except NotExpressible:
            self._chosen = before
            raise

    def _need_name(self, name: str, value: Value | None, guards: Sequence[Guard]) -> None:
        if name not in self._locals:
            return
        if value is not None and self._under(guards, self.environment).get(name) is value:
            return
        for _, statement in self._bound.get(name, []):
            self._add(statement)

    def _add(self, statement: ast.stmt) -> None:
        if statement in self._chosen:
            return
        target = _target(statement)
        if target is None or statement not in self.guards:
            raise NotExpressible(f"line {statement.lineno} is not a plain assignment of the loop")
        facts = self.facts
        inside = set(walk(statement))
        if any(e.node in inside and e.order not in self._loads for e in facts.effects):
            raise NotExpressible(f"line {statement.lineno} does more than compute")
        if not is_plain(facts, statement) or target.id in self._parameters:
            raise NotExpressible(f"line {statement.lineno} binds {target.id} again")
        value = facts.values.get(target)
        if value is None or not is_invariant(facts, value, self.loop, self._loads):
            raise NotExpressible(f"{target.id} of line {statement.lineno} varies in the loop")
        if not self._runs and may_divide_by_zero(facts, value, self.loop.node):
            raise NotExpressible(f"line {statement.lineno} may divide by zero")
        self._chosen.add(statement)
        for _, other in self._bound[target.id]:
            if other not in self.guards:
                where = f"line {other.lineno}"
                raise NotExpressible(f"{target.id} is bound in {where} too")
            self._add(other)
        for name in _reads(statement):
            value = facts.before[statement].get(name.id)
            self._need_name(name.id, value, self.guards[statement])

    def _under(self, guards: Sequence[Guard], environment: Environment) -> Environment:
        """The names that are bound where what moves stands under these conditions again."""
        if not guards:
            return environment
        return self.facts.interpretation.refined(environment, guards)

    def _check(self) -> None:
        """Everything reads above the loop, and in what is left of it, the value that it read."""
        environment = dict(self.environment)
        moved: set[str] = set()
        for statement in self.statements:
            start = self.facts.before[statement]
            known = self._under(self.guards[statement], environment)
            for name in _reads(statement):
                here = known.get(name.id)
                if name.id in self._locals and (here is None or here is not start.get(name.id)):
                    raise NotExpressible(f"{name.id} in line {name.lineno} has another value there")
            target = _target(statement)
            assert target is not None
            environment[target.id] = self.facts.values[target]
            moved.add(target.id)
        gone = {node for statement in self._chosen for node in walk(statement)}
        for node in walk(self.loop.node):
            if not isinstance(node, ast.Name) or node.id not in moved or node in gone:
                continue
            if self.facts.values.get(node) is not environment[node.id]:
                raise NotExpressible(f"line {node.lineno} reads another {node.id}")


def _straight(
    facts: KernelFacts,
    body: list[ast.stmt],
    path: Sequence[Guard],
    known: Collection[Guard],
    taken: tuple[Guard, ...],
) -> Iterator[tuple[ast.stmt, tuple[Guard, ...]]]:
    """The statements that every iteration runs through, those of inner loops and on the path
    included, each with the conditions that are known and that it stands under."""
    branches = {guard.node: guard for guard in path}
    for statement in body:
        yield statement, taken
        inner = facts.loop_of(statement)
        if inner is not None and inner.kind in _COUNTED:
            yield from _straight(facts, inner.node.body, path, known, taken)
        if isinstance(statement, ast.If) and statement in branches:
            guard = branches[statement]
            block = statement.body if guard.holds else statement.orelse
            under = (*taken, guard) if guard in known else taken
            yield from _straight(facts, block, path, known, under)


def _note_names(
    node: ast.AST, home: ast.stmt, found: dict[str, list[tuple[ast.Name, ast.stmt]]]
) -> None:
    """Where names are bound, and in which statement."""
    if isinstance(node, ast.stmt):
        home = node
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        found.setdefault(node.id, []).append((node, home))
    for child in ast.iter_child_nodes(node):
        _note_names(child, home, found)


def _target(statement: ast.stmt) -> ast.Name | None:
    match statement:
        case (
            ast.Assign(targets=[ast.Name() as target])
            | ast.AugAssign(target=ast.Name() as target)
            | ast.AnnAssign(target=ast.Name() as target, value=ast.expr())
        ):
            return target
    return None


def _reads(node: ast.AST) -> list[ast.Name]:
    """Every name that is read; `x += 1` reads x."""
    names = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.append(node.target)
    return names


def removals(
    loop: ast.stmt, statements: Sequence[ast.stmt], only_holds: Callable[[ast.stmt], bool]
) -> Iterator[Replace | Remove]:
    """Takes statements out of a loop, with those around them that only hold the one block."""
    gone, parents = set(statements), parents_of(loop)
    for top in statements:
        while all(s in gone for s in block_of(loop, top)):
            outer = parents[top]
            if outer is loop or not only_holds(outer):
                break
            gone.add(outer)
            top = outer
    outer_gone = {inner for s in gone for inner in walk(s) if inner is not s}
    for node in sorted(gone - outer_gone, key=lambda statement: statement.lineno):
        block = block_of(loop, node)
        if block[0] is node and all(s in gone for s in block):
            # What is left must run, if only to count, or to ask for another branch.
            yield Replace(node, "pass")
        else:
            yield Remove(node, moved=True)
