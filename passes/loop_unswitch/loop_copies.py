"""The copies of a loop in its place, one under each answer to the condition that moved out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tritonopt.emit.loop_invariants import HoistedSlice, is_invariant, may_divide_by_zero, removals
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import EffectKind
from tritonopt.passes.loop_unswitch.invariant_branches import InvariantBranch, is_one_question
from tritonopt.source import Change, InsertBefore, Remove, Replace
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk

Decided = Mapping[ast.If, Sequence[ast.stmt]]
"""Of every `if` that is decided in a copy, the statements that are left."""


@dataclass(frozen=True)
class Arm:
    """One way that the `if` can go: a copy of the loop."""

    test: ast.expr | None
    body: Sequence[ast.stmt]
    above: str = ""
    """Comment lines above its `elif` or `else`."""
    behind: str = ""
    """The comment behind its colon."""


@dataclass(frozen=True)
class Plan:
    """The copies of a loop that take its place, and what moves above all of them."""

    arms: tuple[Arm, ...]
    copies: tuple[Decided, ...]
    """One for each arm; the last one may be left out."""
    moved: tuple[ast.stmt, ...]

    @property
    def conditions(self) -> int:
        return sum(arm.test is not None for arm in self.arms)


def planned(branch: InvariantBranch) -> Plan:
    """What becomes of the loop. Raises NotExpressible."""
    # That nothing divides by zero is checked already, of all that the conditions are made of.
    hoisted = HoistedSlice(Writer(branch.facts), branch.loop, runs=True)
    arms = tuple(_arms(branch, hoisted))
    return Plan(arms, tuple(_decided(branch, arms)), tuple(hoisted.statements))


def stores(node: ast.AST) -> Iterator[ast.Name]:
    """Where names are bound."""
    names = (n for n in walk(node) if isinstance(n, ast.Name))
    return (n for n in names if not isinstance(n.ctx, ast.Load))


def _arms(branch: InvariantBranch, hoisted: HoistedSlice) -> list[Arm]:
    """The branches of the `if` as far as their conditions can move; the last one takes all
    that is left."""
    module, node = branch.module, branch.node
    hoisted.need(node.test)
    arms = [Arm(node.test, node.body, behind=excerpts.header_comment(module, node))]
    while node.orelse:
        above, behind = excerpts.else_comments(module, node)
        following = node.orelse[0]
        if not isinstance(following, ast.If) or not branch.is_elif(following):
            return [*arms, Arm(None, node.orelse, above, behind)]
        if not _moves_too(branch, following, hoisted):
            return [*arms, Arm(None, node.orelse)]
        comment = excerpts.header_comment(module, following)
        arms.append(Arm(following.test, following.body, above, comment))
        node = following
    return [*arms, Arm(None, ())]


def _moves_too(branch: InvariantBranch, following: ast.If, hoisted: HoistedSlice) -> bool:
    """Whether the condition of an `elif` moves with that of its `if`."""
    facts, loop = branch.facts, branch.loop
    value = facts.values.get(following.test)
    if value is None or value.shape != () or not is_invariant(facts, value, loop):
        return False
    if may_divide_by_zero(facts, value, loop.node) or branch.effects_in(following.test):
        return False
    try:
        hoisted.need(following.test)
    except NotExpressible:
        return False
    return True


def _decided(branch: InvariantBranch, arms: Sequence[Arm]) -> Iterator[Decided]:
    """For each copy, what is left of every `if` that is decided in it. The last copy is left
    out if nobody could tell that it ran."""
    again = list(_asked_again(branch, arms))
    for index, arm in enumerate(arms):
        decided: dict[ast.If, Sequence[ast.stmt]] = {branch.node: arm.body}
        for other, asked, same in again:
            if asked <= index:
                decided[other] = other.body if (asked == index) is same else other.orelse
        if any(decided.values()) or not _does_nothing_without(branch, list(decided)):
            yield decided


def _asked_again(
    branch: InvariantBranch, arms: Sequence[Arm]
) -> Iterator[tuple[ast.If, int, bool]]:
    """Other places of the loop where the condition of an arm, or its contrary, is asked."""
    all_values = branch.facts.values
    values = [all_values[arm.test] for arm in arms if arm.test is not None]
    inside: set[ast.AST] = set(walk(branch.node))
    for node in sorted(branch.parents, key=lambda statement: statement.lineno):
        value = all_values.get(node.test) if isinstance(node, ast.If) else None
        if not isinstance(node, ast.If) or value is None:
            continue
        if node in inside or node in branch.around:
            continue
        asked = [i for i, known in enumerate(values) if is_one_question(known, value)]
        if asked and not branch.is_elif(node) and not branch.effects_in(node.test):
            inside.update(walk(node))
            yield node, asked[0], values[asked[0]] is value


def _does_nothing_without(branch: InvariantBranch, gone: Sequence[ast.stmt]) -> bool:
    """Whether nobody could tell that the loop ran, were it not for these statements."""
    node = branch.loop.node
    inner = {n for statement in gone for n in walk(statement)}
    if any(isinstance(n, ast.While) for n in walk(node)):
        return False
    in_the_loop = (e for e in branch.facts.effects if branch.loop in e.loops)
    effects = [e for e in in_the_loop if e.node not in inner]
    effects += branch.effects_in(node.iter) if isinstance(node, ast.For) else []
    if any(e.kind is not EffectKind.LOAD or e.volatile for e in effects):
        return False
    names = {n.id for n in stores(node) if n not in inner}
    return not names & set(branch.loop.initial)


# The copies of a loop in its place, one under each answer to the condition that moved out


def unswitched(branch: InvariantBranch, plan: Plan) -> list[Change]:
    """The copies in place of the loop. Raises NotExpressible."""
    module, loop = branch.module, branch.loop.node
    changes: list[Change] = [Replace(loop, _copies(branch, plan))]
    if plan.moved:
        moved = [excerpts.moved_code(module, s) for s in plan.moved]
        changes.append(InsertBefore(loop, "\n".join(moved)))
    excerpts.check_comments(module, changes)
    return changes


def _copies(branch: InvariantBranch, plan: Plan) -> str:
    module = branch.module
    unit = _indent_unit(branch)
    code = ""
    for arm, decided in zip(plan.arms, plan.copies, strict=False):
        kept = [
            Replace(node, excerpts.block_code(module, block))
            for node, block in decided.items()
            if block
        ]
        gone = [*plan.moved, *(node for node, block in decided.items() if not block)]
        inside = [*kept, *_removed(branch, gone)]
        copy = excerpts.changed_code(module, branch.loop.node, inside)
        if arm.test is None:
            header = "else:"
        else:
            header = f"{'elif' if code else 'if'} {excerpts.one_line(module, arm.test)}:"
        code += f"{arm.above}{header}{arm.behind}\n{excerpts.indented(copy, unit)}\n"
    return code.rstrip("\n")


def _removed(branch: InvariantBranch, statements: Sequence[ast.stmt]) -> Iterator[Replace | Remove]:
    """Takes statements out of the loop, with the blocks that hold nothing else."""
    return removals(branch.loop.node, statements, partial(_only_holds, branch))


def _only_holds(branch: InvariantBranch, node: ast.stmt) -> bool:
    """Whether a statement does nothing but for the one block in it."""
    match node:
        case ast.For(iter=header, orelse=[]) | ast.If(test=header, orelse=[]):
            return not branch.effects_in(header)
    return False


def _indent_unit(branch: InvariantBranch) -> str:
    """One level of indentation, as the loop has it."""
    module, node = branch.module, branch.loop.node
    first = node.body[0]
    inner = module.text[module.lines.start(first.lineno) :][: first.col_offset]
    return inner[node.col_offset :] if not inner.strip() else "    "
