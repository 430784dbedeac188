"""Whether a kernel that handles one tile can handle several in turn, and what of it is per tile.

The body of the kernel becomes the body of a loop over tiles. What does not depend on the tile
runs before the loop, once; the rest must not know in which program it runs, and must end for
each tile without ending the program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeGuard

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.emit.writing import names_bound
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect, Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds, returning_early
from tritonopt.source import Kernel
from tritonopt.source.trees import walk


def invariant_statements(
    facts: KernelFacts, body: Sequence[ast.stmt], varies: Callable[[ast.AST], bool]
) -> list[ast.stmt]:
    """Those of `body`, a block of the kernel that always runs, that may be moved before the rest.

    `varies` says of a node whether it is itself a source of what depends on the tile.
    """
    chosen = [
        statement
        for statement in body
        if _only_binds(statement)
        and not any(varies(node) for node in walk(statement))
        and _may_run_early(facts, statement)
    ]
    if not chosen:
        return []
    kernel_names = frozenset(facts.kernel.module.names.scopes[facts.kernel.node].bindings)
    uses = {statement: _Uses.of(statement, kernel_names) for statement in body}
    kept = _keeping_their_names(set(chosen), uses)
    return [statement for statement in chosen if statement in kept]


def _only_binds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[target]):
            return _is_name(target)
        case ast.AnnAssign(target=ast.Name(), value=ast.expr()) | ast.AugAssign(target=ast.Name()):
            return True
        case ast.If(body=then, orelse=other):
            return all(_only_binds(inner) for inner in (*then, *other))
    return False


def _is_name(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(_is_name(element) for element in target.elts)
    return isinstance(target, ast.Name)


def _may_run_early(facts: KernelFacts, statement: ast.stmt) -> bool:
    """Whether what stands before the statement in the kernel may come after it."""
    inside = set(walk(statement))
    effects = [effect for effect in facts.effects if effect.node in inside]
    for effect in effects:
        if effect.kind is not EffectKind.LOAD or effect.volatile:
            return False
        if any(other.writes and facts.may_alias(effect, other) for other in facts.effects):
            return False
        if any(e.kind is EffectKind.BARRIER and e.order < effect.order for e in facts.effects):
            return False
    leaves = any(
        effect.kind is EffectKind.EXIT and not effect.inlined and effect.line < statement.lineno
        for effect in facts.effects
    )
    # A program that has left does not load, nor divide by a number that it left for.
    expressions = [node for node in inside if isinstance(node, ast.expr)]
    values = [facts.values[node] for node in expressions if node in facts.values]
    divides = any(
        part.op in (Op.FLOORDIV, Op.MOD, Op.CDIV) for value in values for part in value.walk()
    )
    return not leaves or not (effects or divides)


@dataclass(frozen=True)
class _Uses:
    """Which names of the kernel a statement mentions, and which of these it binds."""

    mentioned: frozenset[str]
    bound: frozenset[str]

    @classmethod
    def of(cls, statement: ast.stmt, kernel_names: frozenset[str]) -> _Uses:
        names = [n for n in walk(statement) if isinstance(n, ast.Name) and n.id in kernel_names]
        bound = (name.id for name in names if not isinstance(name.ctx, ast.Load))
        return cls(frozenset(name.id for name in names), frozenset(bound))


def _keeping_their_names(
    chosen: set[ast.stmt], uses: Mapping[ast.stmt, _Uses]
) -> Collection[ast.stmt]:
    """The most of `chosen` whose names mean the same when all of these run first.

    What stays where it is keeps others from moving: all that mention a name which it binds, and
    where it reads a name before the last binding of it, all that bind that name.
    """
    last: dict[str, int] = {}
    binding: dict[str, list[ast.stmt]] = {}
    mentioning: dict[str, list[ast.stmt]] = {}
    for place, (statement, names) in enumerate(uses.items()):
        for name in names.bound:
            last[name] = place
            binding.setdefault(name, []).append(statement)
        for name in names.mentioned:
            mentioning.setdefault(name, []).append(statement)
    places = {statement: place for place, statement in enumerate(uses)}
    staying = [statement for statement in uses if statement not in chosen]
    while staying:
        statement = staying.pop()
        for name in uses[statement].mentioned:
            if name in uses[statement].bound:
                goes = mentioning.pop(name, [])
            elif places[statement] < last.get(name, 0):
                goes = binding.pop(name, [])
            else:
                continue
            staying += [other for other in goes if other in chosen]
            chosen.difference_update(goes)
    return chosen


PLAIN_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


@dataclass(frozen=True)
class TileBody:
    """The statements of a kernel: what runs once, what runs for each tile, and how it may leave."""

    facts: KernelFacts
    ids: ProgramIds
    hoisted: tuple[ast.stmt, ...]
    """What runs once, before all tiles."""
    looped: tuple[ast.stmt, ...]
    """What runs for each tile."""
    exits: tuple[Exit, ...]
    """How it may exit early."""
    last_return: ast.Return | None

    @classmethod
    def of(cls, facts: KernelFacts, ids: ProgramIds) -> TileBody:
        statements = facts.kernel.statements
        last = statements[-1]
        last_return = last if isinstance(last, ast.Return) and is_plain(last) else None
        if last_return is not None:
            del statements[-1]
        # How many tiles there are is known right before the loop, and not earlier.
        sources = {*ids.calls, *ids.counts}
        hoisted = invariant_statements(facts, statements, lambda node: node in sources)
        looped = [s for s in statements if s not in hoisted]
        exits = tuple(exits_of(facts, looped))
        return cls(facts, ids, tuple(hoisted), tuple(looped), exits, last_return)

    @property
    def kernel(self) -> Kernel:
        return self.facts.kernel

    @cached_property
    def bound(self) -> frozenset[str]:
        return frozenset(name for statement in self.looped for name in names_bound(statement))

    @cached_property
    def hoisted_loads(self) -> list[Effect]:
        inside = {node for statement in self.hoisted for node in walk(statement)}
        effects = self.facts.effects
        return [e for e in effects if e.kind is EffectKind.LOAD and e.node in inside]

    @property
    def rebound(self) -> list[str]:
        """Parameters that are bound for each tile, and so would go on from tile to tile."""
        return [p.name for p in self.kernel.parameters if p.name in self.bound]

    @property
    def copied(self) -> set[str]:
        """Those of them that each tile must begin with a copy of."""
        return {name for name in self.rebound if self.beginning(name)[1] is None}

    def beginning(self, parameter: str) -> tuple[ast.stmt, ast.expr | None]:
        """The first statement with a parameter, and the value if all it does is bind it anew."""
        first = next(s for s in self.looped if mentions(s, parameter))
        match first:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name == parameter:
                plain = type(op) in PLAIN_OPERATORS and not mentions(value, parameter)
                return first, value if plain else None
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == parameter:
                return first, value
        return first, None

    def region_of(self, parameter: str) -> int:
        """How many exits stand before all that a tile does with a parameter."""
        first = self.looped.index(self.beginning(parameter)[0])
        return sum(self.looped.index(found.statement) < first for found in self.exits)

    def depends_on_tile(self, node: ast.AST) -> bool:
        sources = {*self.ids.calls, *self.ids.counts}
        return any(
            n in sources or (isinstance(n, ast.Name) and n.id in self.bound) for n in walk(node)
        )

    def asks_for_tile(self, test: ast.expr) -> bool:
        """Whether it compares something of the tile's own, and is no switch for all of them."""
        if not isinstance(test, ast.Compare) or not self.depends_on_tile(test):
            return False
        # Where the number of tiles is asked for, what depends on it may be the same for all.
        parts = self.facts.values[test].walk()
        asked = (p.axis.constant for p in parts if p.op is Op.PROGRAM_ID)
        return not self.ids.counts or self.ids.axis in asked


def check_waits(body: TileBody, attempt: Attempt) -> None:
    """A program that waits for another's tile would wait forever for one of its own."""
    claim = "parts-are-independent"
    for loop in body.facts.loops:
        if _may_wait(body, loop):
            detail = f"the loop in line {loop.line} may wait for another program"
            raise refuted(claim, "waits-for-other-programs", detail)
    attempt.prove(claim, "no loop waits for memory")


def _may_wait(body: TileBody, loop: Loop) -> bool:
    if loop.kind != "while":
        return False
    writes = [e for e in body.facts.effects if e.writes]
    for effect in body.facts.effects:
        if loop not in effect.loops:
            continue
        if effect.kind is EffectKind.ATOMIC or effect.volatile:
            return True
        if effect.kind is EffectKind.LOAD:
            return any(body.facts.may_alias(effect, write) for write in writes)
    return False


def check_names(body: TileBody, attempt: Attempt) -> None:
    claim = "names-start-afresh"
    for parameter in body.kernel.parameters:
        if parameter.constexpr and parameter.name in body.bound:
            detail = f"the constexpr {parameter.name} is bound again: use another name"
            raise refuted(claim, "name-is-bound-elsewhere", detail)
    for statement in body.looped:
        for node in walk(statement):
            if isinstance(node, ast.AnnAssign) and "constexpr" in ast.unparse(node.annotation):
                detail = (
                    f"line {node.lineno} binds a constexpr, which a loop cannot bind "
                    "again: pass it as an argument"
                )
                raise refuted(claim, "name-is-bound-elsewhere", detail)
    renamed = ", ".join(body.rebound)
    detail = "no name bound for one tile is read for the next"
    attempt.prove(claim, f"{detail}: {renamed} under a new name" if renamed else detail)


def mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


@dataclass(frozen=True)
class Exit:
    """A branch of a tile's own block that ends in a `return`.

    Triton compiles no `return` in a loop, and has no `continue`. So what comes after such a branch
    becomes its `else`, or goes under the opposite condition. Triton asks for one type of a name
    that is bound before an `if` and again in it, and of one that both branches bind.
    """

    statement: ast.If
    """The statement of the block that it is, or that ends with it."""
    branch: ast.If

    @property
    def test(self) -> ast.expr:
        """What it is left for."""
        return self.branch.test

    @property
    def end(self) -> ast.Return:
        last = self.branch.body[-1]
        assert isinstance(last, ast.Return)
        return last

    @property
    def done(self) -> list[ast.stmt]:
        return self.branch.body[:-1]

    @property
    def is_switched(self) -> bool:
        """Whether the branch is the last thing under a condition that the compiler decides."""
        return self.statement is not self.branch

    @property
    def is_guard(self) -> bool:
        """Whether it is `if ...: return`, and nothing else."""
        return not self.is_switched and not self.done


def exits_of(facts: KernelFacts, statements: Iterable[ast.stmt]) -> list[Exit]:
    """Those that statements of one block are."""
    found = []
    for statement in statements:
        if _leaves(statement):
            found.append(Exit(statement, statement))
        elif isinstance(statement, ast.If) and not statement.orelse:
            last = statement.body[-1]
            if _leaves(last) and _is_decided(facts, statement.test):
                found.append(Exit(statement, last))
    return found


def is_plain(end: ast.Return) -> bool:
    return end.value is None or (isinstance(end.value, ast.Constant) and end.value.value is None)


def _leaves(statement: ast.stmt) -> TypeGuard[ast.If]:
    match statement:
        case ast.If(body=[*_, ast.Return() as end], orelse=[]):
            return is_plain(end)
    return False


def _is_decided(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the compiler knows a condition, and leaves out what it is false for."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[right]):
            # Of whatever the name is bound to.
            return isinstance(right, ast.Constant) and right.value is None
    return is_constexpr(facts, test)


# Whether a tile can leave before its end, and what names it must not share with its rest


def check_exits(body: TileBody, attempt: Attempt) -> None:
    """Whether a tile can end without ending the program. Raises Declined."""
    claim = "loops-are-plain"
    ends = {found.end for found in body.exits}
    for statement in body.looped:
        for node in walk(statement):
            if isinstance(node, ast.Return) and node not in ends:
                raise refuted(claim, "early-exit", _why_not(node, statement))
    for place, found in _placed(body):
        again = {name for s in body.looped[place + 1 :] for name in names_bound(s)}
        again |= {name for s in found.done for name in names_bound(s)}
        for name in sorted(again & _bound_before(body, place, found)):
            if not _keeps_its_type(body, name):
                line = found.end.lineno
                detail = f"{name} is bound before the return in line {line} and again after"
                way = (
                    "Triton requires one type, which is unknown here: give the second another name"
                )
                raise refuted(claim, "name-is-bound-elsewhere", f"{detail}; {way}")
    call = returning_early(body.kernel, body.looped)
    if call is not None:
        detail = f"what line {call.lineno} calls may return early, and does not compile in a loop"
        way = "let it return once, at its end"
        raise refuted(claim, "early-exit", f"{detail}: {way}")
    lines = ", ".join(str(found.statement.lineno) for found in body.exits)
    attempt.prove(
        claim,
        f"the return in line {lines} becomes an `if` around the rest" if lines else "no return",
    )


def _why_not(end: ast.Return, statement: ast.stmt) -> str:
    line = f"the return in line {end.lineno}"
    loops = [n for n in walk(statement) if isinstance(n, ast.For | ast.While)]
    if any(end in walk(loop) for loop in loops):
        return f"{line} leaves from inside a loop: end the loop by its condition"
    way = "put the code after it under an `else`"
    return f"{line} is not at the end of a plain `if` of the kernel's own block: {way}"


def _placed(body: TileBody) -> Iterator[tuple[int, Exit]]:
    for found in body.exits:
        yield body.looped.index(found.statement), found


def names_in_both(body: TileBody, found: Exit) -> list[str]:
    """Names that a branch and what comes after it bind, each for itself."""
    if found.is_switched:
        return []
    place = body.looped.index(found.statement)
    both = _visible(body, found.done) & _visible(body, body.looped[place + 1 :])
    return sorted(both - _bound_before(body, place, found))


def _bound_before(body: TileBody, place: int, found: Exit) -> set[str]:
    """The names that an exit sees, of those that are bound for each tile."""
    leaving = {other.statement: other for other in body.exits}
    before = [s for s in body.looped[:place] if s not in leaving]
    for other in body.exits:
        if other.is_switched and body.looped.index(other.statement) <= place:
            before += other.statement.body[:-1]
    copies = {p for p in body.copied if body.region_of(p) <= body.exits.index(found)}
    return _visible(body, before) | copies


def _visible(body: TileBody, statements: Sequence[ast.stmt]) -> set[str]:
    """The names that are bound there and known afterwards: not those of a loop alone.

    What the compiler unrolls is no loop for it.
    """
    unrolled = {loop.node for loop in body.facts.loops if loop.kind == "tl.static_range"}
    names: set[str] = set()
    for statement in statements:
        match statement:
            case ast.If(body=then, orelse=other):
                names |= _visible(body, [*then, *other])
            case ast.For() if statement in unrolled:
                names |= _visible(body, statement.body)
            case ast.For() | ast.While():
                pass
            case _:
                names |= names_bound(statement)
    return names


def _keeps_its_type(body: TileBody, name: str) -> bool:
    """Whether it is a pointer that is only ever moved by scalars, and so stays what it is."""
    if name not in body.facts.pointers:
        return False
    nodes = chain.from_iterable(map(walk, body.looped))
    simple = (n for n in nodes if isinstance(n, ast.stmt) and not isinstance(n, _COMPOUND))
    return all(_moves(body, n, name) for n in simple if name in names_bound(n))


_COMPOUND = (ast.If, ast.For, ast.While)


def _moves(body: TileBody, statement: ast.stmt, name: str) -> bool:
    """Whether it is `name += scalar`, or the same as an assignment."""
    match statement:
        case ast.AugAssign(target=ast.Name(), op=ast.Add() | ast.Sub(), value=step):
            pass
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(left=ast.Name(id=moved), op=ast.Add() | ast.Sub(), right=step),
        ) if moved == name:
            pass
        case _:
            return False
    added = body.facts.values.get(step)
    return added is not None and added.rank == 0
