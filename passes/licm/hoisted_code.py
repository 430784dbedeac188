"""A load above a loop, as a person would write it: with its own statement, or under a new name."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.loop_invariants import HoistedSlice, is_invariant, removals
from tritonopt.emit.trip_guards import (
    implies,
    is_read_later,
    runs_at_launches,
    why_it_runs,
)
from tritonopt.emit.writing import NotExpressible, Writer, block_of, is_elif
from tritonopt.facts import Assumption, KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect, Guard
from tritonopt.facts.memory.dependence import prove_unchanged, prove_unordered
from tritonopt.facts.operations import Op
from tritonopt.passes.licm.invariant_loads import InvariantLoad
from tritonopt.source import (
    Change,
    InsertAfter,
    InsertBefore,
    Module,
    ReplaceExpression,
)
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.edits import indent_unit
from tritonopt.source.trees import walk


def check(load: InvariantLoad, attempt: Attempt) -> None:
    """Everything but what needs the new text. Raises Declined."""
    _check_always_runs(load, attempt)
    _check_loops(load, attempt)
    prove_unordered(attempt, load.effects, load.where)
    if not any(e.writes for e in load.effects):
        detail = f"{load.where} has no store, so the compiler moves the load itself"
        raise refuted("data-is-unchanged", "compiler-knows", detail)
    prove_unchanged(attempt, load.facts, load.loads, load.effects, "")


def _check_always_runs(load: InvariantLoad, attempt: Attempt) -> None:
    """Every iteration must come to the load, or none that the compiler compiles, or those
    that do not would find it masked off."""
    claim, reason = "reads-nothing-more", "under-a-condition"
    why = f"every iteration of {load.where} reaches it"
    for guard in load.conditions_inside:
        line = guard.node.lineno
        if is_constexpr(load.facts, guard.node.test):
            why = f"the compiler knows the condition in line {line}, which moves too"
        elif all(_is_masked_without(load, one, guard) for one in load.loads):
            why = f"it reads nothing if the condition in line {line} is false"
        else:
            detail = (
                f"it reads only if the condition in line {line} is true, and before the "
                "loop it would always read, because its mask does not imply the condition"
            )
            if _may_move(load, guard):
                detail += ". `loop-unswitch`, if also named, may move that condition first"
            raise refuted(claim, reason, detail)
    parents = load.facts.kernel.module.names.parents
    child: ast.AST = load.expression
    while not isinstance(child, ast.stmt):
        parent = parents[child]
        if isinstance(parent, ast.BoolOp) and parent.values[0] is not child:
            detail = (
                f"what stands before it in line {parent.lineno} may decide alone whether it "
                "reads at all"
            )
            raise refuted(claim, reason, detail)
        child = parent
    attempt.prove(claim, why)


def _may_move(load: InvariantLoad, guard: Guard) -> bool:
    """Whether `loop-unswitch` looks at a condition: known at run time, and always the same."""
    facts = load.facts
    at_run_time = any(
        value.op in (Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.LOAD)
        or (value.op is Op.PARAM and value.name not in facts.pointers)
        for value in guard.condition.walk()
    )
    is_branch = isinstance(guard.node, ast.If)
    return is_branch and at_run_time and is_invariant(facts, guard.condition, load.loop)


def _is_masked_without(load: InvariantLoad, one: Effect, guard: Guard) -> bool:
    """Whether the mask of one of its loads is off wherever a condition does not hold."""
    if one.mask is None or one.mask.is_none or one.inlined:
        return False
    forms = load.facts.forms
    try:
        mask, holds = forms.condition(one.mask), forms.condition(guard.condition)
        return implies(forms, mask, holds if guard.holds else ONE - holds)
    except TooLarge:
        return False


def _check_loops(load: InvariantLoad, attempt: Attempt) -> None:
    claim = "loops-are-plain"
    for loop in load.loops:
        where = f"the loop in line {loop.line}"
        if isinstance(loop.node, ast.While):
            detail = f"{where} is a `while`, which may have no iteration; use a `for`"
            raise unknown(claim, "may-run-zero-times", detail)
        if loop.kind == "other" or not isinstance(loop.node.iter, ast.Call):
            raise unknown(claim, "loop-is-not-plain", f"{where} is not over `range` or `tl.range`")
        load.facts.check_ends(loop, "disable_licm", "warp_specialize")
    attempt.prove(claim, "over a range, without early exit")


# The load above the loop

_POINTER_NAME = re.compile(r"^(p|ptr)_|_?(ptr|pointer)s?$", re.IGNORECASE)


@dataclass(frozen=True)
class _Plan:
    """What goes where: statements that move as they are, and a new name, if one is needed."""

    statements: Sequence[ast.stmt]
    name: str = ""
    definition: ast.stmt | None = None
    """`x = ...`, which moves with its name changed, ..."""
    target: ast.Name | None = None
    """... and its x."""
    uses: Sequence[ast.expr] = ()
    """What becomes the new name: the expression, or the names that stood for it."""
    guards: Mapping[ast.stmt, tuple[Guard, ...]] = field(default_factory=dict)
    """The conditions that statements stand under, in the loop and again above it."""

    @property
    def moved(self) -> list[ast.stmt]:
        return [*self.statements, *([self.definition] if self.definition else [])]


def hoisted(load: InvariantLoad, attempt: Attempt) -> list[Change]:
    """The load above the loop. Raises Declined or NotExpressible."""
    facts = load.facts
    writer = Writer(facts)
    _check_conditions_move(load, writer)
    plan = _plan(load, writer)
    _check_something_stays(load, plan)
    _check_loops_run(load, attempt)
    code = _code(load, plan)
    changes: list[Change] = [
        insertion(facts, load.loop, load.known, code),
        *removals(load.loop.node, plan.moved, partial(_only_holds, facts)),
        *(ReplaceExpression(node, plan.name) for node in plan.uses),
    ]
    excerpts.check_comments(facts.kernel.module, changes)
    return changes


def _check_conditions_move(load: InvariantLoad, writer: Writer) -> None:
    """What the compiler knows must mean the same above the loop."""
    environment = load.facts.before[load.loop.node]
    for guard in load.known:
        if not writer.means_the_same(guard.node.test, environment):
            line = guard.node.lineno
            raise NotExpressible(f"the condition in line {line} is another one there")


def _check_something_stays(load: InvariantLoad, plan: _Plan) -> None:
    for loop in load.loops:
        if all(statement in plan.moved for statement in loop.node.body):
            raise NotExpressible(f"no statement would be left in the loop in line {loop.line}")


# What moves, and under which name


def _plan(load: InvariantLoad, writer: Writer) -> _Plan:
    try:
        hoisted = _hoisted_slice(load, writer)
        hoisted.add(load.statement)
        hoisted.add_derived()
        return _Plan(hoisted.statements, guards=hoisted.guards)
    except NotExpressible:
        # The kernel has other uses for the name: what is loaded gets one of its own.
        hoisted = _hoisted_slice(load, writer)
        hoisted.need(load.expression)
    name = _new_name(load, writer)
    definition = _definition(load)
    if definition is None:
        return _Plan(hoisted.statements, name, uses=[load.expression], guards=hoisted.guards)
    uses = [n for n in _names_in_the_loop(load, definition.id) if n is not definition]
    return _Plan(hoisted.statements, name, load.statement, definition, uses, hoisted.guards)


def _hoisted_slice(load: InvariantLoad, writer: Writer) -> HoistedSlice:
    # A mask keeps the load from reading, not what is computed with it from being computed.
    runs = all(why_it_runs(load.facts, loop, []) is not None for loop in load.loops)
    runs &= len(load.known) == len(load.conditions_inside)
    return HoistedSlice(
        writer, load.loop, load.loads, load.conditions_inside, load.known, runs=runs
    )


def _definition(load: InvariantLoad) -> ast.Name | None:
    """The name that stands for the expression, and for nothing else, all through the loop."""
    match load.statement:
        case (
            ast.Assign(targets=[ast.Name() as target], value=value)
            | ast.AnnAssign(target=ast.Name() as target, value=value)
        ) if value is load.expression and not is_read_later(load.facts, load.loop, target.id):
            meant = load.facts.values[target]
            everywhere = _names_in_the_loop(load, target.id)
            if all(load.facts.values.get(n) is meant for n in everywhere):
                stores = [n for n in everywhere if not isinstance(n.ctx, ast.Load)]
                return target if stores == [target] else None
    return None


def _names_in_the_loop(load: InvariantLoad, name: str) -> list[ast.Name]:
    nodes = walk(load.loop.node)
    return [n for n in nodes if isinstance(n, ast.Name) and n.id == name]


def _new_name(load: InvariantLoad, writer: Writer) -> str:
    """A name for what is loaded, after the parameter that it comes from."""
    bases = load.facts.bases(load.loads[0]) or frozenset({"loaded"})
    parameter = min(bases, default="loaded")
    short = _POINTER_NAME.sub("", parameter).strip("_").lower()
    if keyword.iskeyword(short):
        return writer.fresh(f"{short}_value")
    if not short.isidentifier():
        short = "loaded"
    return writer.fresh(short, f"{short}_value")


# The code


def _code(load: InvariantLoad, plan: _Plan) -> list[Piece]:
    """What stands above the loop, with the new name in its place."""
    renamed = [ReplaceExpression(plan.target, plan.name)] if plan.target else []
    module, nodes = excerpts.after(
        load.facts.kernel.module, renamed, [*plan.moved, load.expression]
    )
    pieces = []
    for original, statement in zip(plan.moved, nodes, strict=False):
        assert isinstance(statement, ast.stmt)
        pieces.append(Piece(excerpts.moved_code(module, statement), plan.guards[original]))
    if load.statement not in plan.moved:
        expression = nodes[-1]
        assert isinstance(expression, ast.expr)
        text = excerpts.one_line(module, expression)
        pieces.append(Piece(f"{plan.name} = {text}", load.known))
    return pieces


def _check_loops_run(load: InvariantLoad, attempt: Attempt) -> None:
    """Nothing is read that was not read before. Raises Declined where a loop may not run."""
    reasons: dict[str, None] = {}
    given: list[Assumption] = []
    for one in load.loads:
        known = _conditions_of(load, one)
        for loop in load.loops:
            shown = why_it_runs(load.facts, loop, known)
            if shown is None and runs_at_launches(load.facts, loop):
                attempt.assume_no_other_launches()
                reasons[f"the loop in line {loop.line} runs in every program of each launch"] = None
            elif shown is None:
                detail = f"the loop in line {loop.line} may have no iteration, and the load would"
                raise unknown("reads-nothing-more", "may-run-zero-times", f"{detail} be new then")
            else:
                why, assumption = shown
                reasons[why] = None
                if assumption is not None:
                    given.append(assumption)
    attempt.prove("reads-nothing-more", "; ".join(reasons), given)


def _conditions_of(load: InvariantLoad, one: Effect) -> list[Polynomial]:
    """Conditions without which one of its loads reads nothing."""
    forms = load.facts.forms
    found = []
    for guard in one.guards:
        condition = forms.condition(guard.condition)
        found.append(condition if guard.holds else ONE - condition)
    if one.mask is not None and not one.mask.is_none:
        found.append(forms.condition(one.mask))
    return found


# Code that moves out of a loop together with conditions that the compiler knows


@dataclass(frozen=True)
class Piece:
    """Code that goes above a loop, and the conditions that it stands under."""

    code: str
    guards: tuple[Guard, ...]


def insertion(
    facts: KernelFacts, loop: Loop, known: Sequence[Guard], code: Sequence[Piece]
) -> Change:
    """Above the loop; where the `if` right there asks the same as all of it, at its end."""
    block = block_of(facts.kernel.node, loop.node)
    place = block.index(loop.node)
    before = block[place - 1] if place else None
    if isinstance(before, ast.If) and not before.orelse and known:
        first = known[0]
        asked = facts.values.get(before.test) is first.condition and first.holds
        if asked and all(piece.guards[:1] == (first,) for piece in code):
            inner = [replace(piece, guards=piece.guards[1:]) for piece in code]
            return InsertAfter(before.body[-1], _nested(facts, inner))
    return InsertBefore(loop.node, _nested(facts, code))


def _nested(facts: KernelFacts, code: Sequence[Piece]) -> str:
    """The pieces under the conditions that they stood under, each asked once in a row."""
    module = facts.kernel.module
    lines = []
    for first, group in groupby(code, key=lambda piece: piece.guards[:1]):
        pieces = list(group)
        if not first:
            lines += [piece.code for piece in pieces]
            continue
        inner = [replace(piece, guards=piece.guards[1:]) for piece in pieces]
        unit = indent_unit(module, facts.kernel.node)
        block = excerpts.indented(_nested(facts, inner), unit)
        lines.append(f"if {_asked(module, first[0])}:\n{block}")
    return "\n".join(lines)


def _asked(module: Module, guard: Guard) -> str:
    """A condition, or its contrary."""
    test = guard.node.test
    if guard.holds:
        return excerpts.one_line(module, test)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return excerpts.one_line(module, operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            contrary = _CONTRARIES.get(type(operator))
            if contrary is not None:
                ends = [excerpts.one_line(module, end) for end in (left, right)]
                return f" {contrary} ".join(ends)
    simple = isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Compare))
    text = excerpts.one_line(module, test)
    return f"not {text}" if simple else f"not ({text})"


_CONTRARIES: dict[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Eq: "!=",
    ast.NotEq: "==",
}


def _only_holds(facts: KernelFacts, node: ast.stmt) -> bool:
    """Whether a statement is an `if` for its one block."""
    return isinstance(node, ast.If) and not node.orelse and not is_elif(facts, node)
