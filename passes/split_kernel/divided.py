"""Whether a kernel may be divided in two, and all that changes then."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.new_kernel import PartText, launch_text, named_in_launchers
from tritonopt.emit.writing import NotExpressible, names_bound, names_read
from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.host.launcher_code import evaluation_at
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.reading import all_parts
from tritonopt.facts.slot_reductions import reduces
from tritonopt.launches.launch_pairs import candidates
from tritonopt.launches.plan import LaunchPlan
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source import Change, InsertAfter, Launch, Replace, ReplaceExpression
from tritonopt.source.trees import blocks_of, is_text, walk


def prove_division(groups: WriteGroups, attempt: Attempt) -> tuple[Change, ...]:
    """Raises Declined where a kernel stays one."""
    facts = groups.facts
    kernel = facts.kernel
    LaunchPlan.of(facts, attempt)
    if len(kernel.decorators) > 1 or isinstance(kernel.node.decorator_list[0], ast.Call):
        text = f"what stands above {kernel.name} may be about parameters of one part alone"
        raise unknown("parts-are-independent", "unknown-decorator", text)
    groups.check_effects()
    attempt.prove("effects-are-known", "the kernel loads, computes and writes, to its end")
    parts = [
        needed_statements(facts, {effect.node for effect in writes})
        for writes in (groups.first, groups.second)
    ]
    groups.check_memory(parts)
    attempt.prove(CLAIM, "neither part accesses what the other one writes")
    found = _changes(facts, parts)
    attempt.assume_no_other_launches()
    attempt.prove("is-expressible", "the two kernels and their launches can be written")
    return found


def _changes(facts: KernelFacts, parts: Sequence[frozenset[ast.stmt]]) -> tuple[Change, ...]:
    kernel = facts.kernel
    if kernel.node not in kernel.module.tree.body:
        raise NotExpressible(f"{kernel.name} is no function of the file's own block")
    needed = named_in_launchers(facts)
    if kernel.signature_use is not None:
        needed |= {p.name for p in kernel.parameters}
    first = PartText(facts, parts[0], needed)
    second = PartText(facts, parts[1], needed, is_new=True)
    changes: list[Change] = [
        Replace(kernel.node, first.code),
        InsertAfter(kernel.node, f"\n\n{second.code}\n"),
    ]
    for launch in facts.launches.launches:
        changes += _two_launches(launch, first, second)
    return tuple(changes)


def _two_launches(launch: Launch, first: PartText, second: PartText) -> Iterator[Change]:
    """A launch of each part in the place of one. Raises NotExpressible."""
    statement = PlannedLaunch(launch).statement
    if not launch.module.has_own_lines(statement):
        raise NotExpressible(f"several statements share line {statement.lineno}")
    _check_twice(launch)
    if len(first.parameters) < len(first.facts.kernel.parameters):
        yield ReplaceExpression(launch.call, launch_text(launch, first))
    head, *lines = launch_text(launch, second).split("\n")
    margin = " " * statement.col_offset
    yield InsertAfter(statement, "\n".join([head, *(x.removeprefix(margin) for x in lines)]))


def _check_twice(launch: Launch) -> None:
    """Whether all that the launch evaluates comes to the same once more."""
    call, module = launch.call, launch.module
    where = f"the launch in line {call.lineno}"
    evaluation, effects = evaluation_at(launch), effects_of(module)
    assert launch.launcher is not None
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    grids = [launch.grid]
    if isinstance(launch.grid, ast.Name):
        grids = names_of(launch.launcher).assigned.get(launch.grid.id, [])
    for grid in grids:
        match grid:
            case ast.Lambda(body=body):
                if not effects.changes([body]).nothing:
                    raise NotExpressible(f"{where} has a grid that does more than to count")
            case ast.Tuple(elts=sizes) | ast.List(elts=sizes):
                parts += sizes
            case _:
                raise NotExpressible(f"{where} has a grid that is not read")
    if not grids or not all(map(evaluation.is_pure, parts)):
        raise NotExpressible(f"{where} evaluates what may be another thing the second time")


def needed_statements(facts: KernelFacts, writes: Set[ast.AST]) -> frozenset[ast.stmt]:
    """The statements that hold the writes, and all that bind a name that these may read.

    A name that is bound in several places is needed in all of them. Raises NotExpressible where a
    block would lose all that it has, and the statement around it stays.
    """
    body = facts.kernel.node.body
    found = {s for s in _all(body) if not list(blocks_of(s)) and not writes.isdisjoint(walk(s))}
    while True:
        names = set().union(*(_read(s, found) for s in _all(body) if _is_kept(s, found)))
        more = {
            s
            for s in _all(body)
            if s not in found and not list(blocks_of(s)) and _is_for(facts, s, names)
        }
        if not more:
            break
        found |= more
    kept = {s for s in _all(body) if _is_kept(s, found)}
    for statement in kept:
        for block in blocks_of(statement):
            if block and not any(s in kept for s in block):
                text = f"a branch of line {statement.lineno} would have nothing to do"
                raise NotExpressible(text)
    return frozenset(kept)


def _all(block: Collection[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from _all(inner)


def _is_kept(statement: ast.stmt, found: Collection[ast.stmt]) -> bool:
    """Whether a statement, or one inside of it, is needed."""
    return any(inner in found for inner in _all([statement]))


def _is_for(facts: KernelFacts, statement: ast.stmt, names: Collection[str]) -> bool:
    """Whether a statement binds one of the names; or does what nobody sees the use of."""
    if not names_bound(statement).isdisjoint(names):
        return True
    match statement:
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
            return False
        case ast.Expr():
            return not (is_text(statement) or not facts.effect_nodes.isdisjoint(walk(statement)))
    return True


def _read(statement: ast.stmt, found: Collection[ast.stmt]) -> set[str]:
    """The names that a kept statement reads, but for what is inside of it."""
    match statement:
        case ast.For(target=target, iter=header):
            return names_read(header) | names_bound(target)
        case ast.If(test=test):
            return names_read(test)
    return names_read(statement) if statement in found else set()


_WRITES = frozenset({EffectKind.STORE, EffectKind.ATOMIC})
CLAIM = "parts-are-independent"
_DONE = "effects-are-known"


@dataclass(frozen=True)
class WriteGroups:
    """The writes that stay, and those that go to a kernel of their own."""

    facts: KernelFacts
    first: tuple[Effect, ...]
    second: tuple[Effect, ...]

    def check_effects(self) -> None:
        """Whether nothing is done but to load and to write. Raises Declined."""
        for effect in self.facts.effects:
            where = f"line {effect.line}"
            if effect.kind is EffectKind.EXIT:
                raise refuted(_DONE, "early-exit", f"the kernel may be left in {where}")
            if effect.kind not in _WRITES | {EffectKind.LOAD}:
                text = f"{effect.name} in {where} would be done by both"
                raise refuted(_DONE, "done-by-every-part", text)
            if effect.volatile:
                raise refuted(_DONE, "volatile-load", f"the load in {where} is volatile")
            if effect.kind in _WRITES and (effect.inlined or not self._is_statement(effect)):
                text = f"what {effect.name} in {where} returns is used, or it is in a helper"
                raise refuted(_DONE, "done-by-every-part", text)
        for loop in self.facts.loops:
            if loop.kind == "while" or self.facts.exits_early(loop):
                text = f"the loop in line {loop.line} waits for something, or is left early"
                raise refuted(_DONE, "done-by-every-part", text)

    def _is_statement(self, effect: Effect) -> bool:
        around = self.facts.kernel.module.names.parents.get(effect.node)
        return isinstance(around, ast.Expr)

    def check_memory(self, parts: Sequence[Collection[ast.stmt]]) -> None:
        """Whether neither part accesses what the other one writes. Raises Declined.

        `parts` are the statements of the two.
        """
        nodes = [{n for s in part if not list(blocks_of(s)) for n in walk(s)} for part in parts]
        headers = [{n for s in part for n in _header(s)} for part in parts]
        for mine, theirs in ((0, 1), (1, 0)):
            for write in (self.first, self.second)[mine]:
                for other in self.facts.effects:
                    if other.node in nodes[theirs] | headers[theirs]:
                        self._check_apart(write, other)

    def _check_apart(self, write: Effect, other: Effect) -> None:
        if not self.facts.may_alias(write, other):
            return
        text = f"line {other.line} may access what line {write.line} writes, and is in another part"
        one, two = self.facts.bases(write), self.facts.bases(other)
        make = refuted if one is not None and one == two else unknown
        raise make(CLAIM, "parts-share-memory", text)


def write_groups(facts: KernelFacts) -> WriteGroups | None:
    """The two groups; None where all writes are of one kind."""
    writes = [e for e in facts.effects if e.kind in _WRITES]
    taken = {
        buffer
        for candidate in candidates(facts)
        if reduces(candidate.final, set(candidate.buffers.values()))
        for buffer in candidate.buffers
    }
    second = tuple(e for e in writes if _is_a_sum(facts, e, writes, taken))
    first = tuple(e for e in writes if e not in second)
    return WriteGroups(facts, first, second) if first and second else None


def _is_a_sum(facts: KernelFacts, write: Effect, writes: Sequence[Effect], taken: set[str]) -> bool:
    if write.kind is EffectKind.ATOMIC or taken & (facts.bases(write) or frozenset()):
        return True
    if write.stored is None or write.loops:
        return False
    ended = {
        facts.loops[p.carrier.loop] for p in all_parts(facts, write.stored) if p.op is Op.RESULT
    }
    return any(loop in other.loops for loop in ended for other in writes)


def _header(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a compound statement evaluates itself."""
    if isinstance(statement, ast.For):
        yield from walk(statement.iter)
    elif isinstance(statement, ast.If):
        yield from walk(statement.test)
