"""Whether a load may move above a loop, as far as that does not depend on the new text."""

from __future__ import annotations

import ast

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.loop_invariants import is_invariant
from tritonopt.emit.trip_guards import implies
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect, Guard
from tritonopt.facts.memory.dependence import prove_unchanged, prove_unordered
from tritonopt.facts.operations import Op
from tritonopt.passes.licm.invariant_loads import InvariantLoad


def check(load: InvariantLoad, attempt: Attempt) -> None:
    """Everything but what needs the new text. Raises Declined."""
    _check_always_runs(load, attempt)
    _check_loops(load, attempt)
    prove_unordered(attempt, load.effects, load.where)
    if not any(e.writes for e in load.effects):
        detail = f"{load.where} stores nothing, so the compiler moves the load by itself"
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
            why = f"the compiler knows the condition in line {line}, which goes with it"
        elif all(_is_masked_without(load, one, guard) for one in load.loads):
            why = f"it reads nothing where the condition in line {line} does not hold"
        else:
            detail = (
                f"it reads only where the condition in line {line} holds, and would always "
                "read above the loop; its mask does not say so"
            )
            if _may_move(load, guard):
                detail += ". Name `loop-unswitch` too, which may move that condition first"
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
            detail = f"{where} is a `while`, and may run no time at all; a `for` could be followed"
            raise unknown(claim, "may-run-zero-times", detail)
        if loop.kind == "other" or not isinstance(loop.node.iter, ast.Call):
            raise unknown(claim, "loop-is-not-plain", f"{where} is no `range` or `tl.range`")
        load.facts.check_ends(loop, "disable_licm", "warp_specialize")
    attempt.prove(claim, "counted, and run to their ends")
