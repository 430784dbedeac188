"""What keeps a load above a loop from reading where the loop would not have read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, unknown
from tritonopt.facts import Assumption, Loop, Polynomial
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.effects import Effect
from tritonopt.facts.operations import Op
from tritonopt.source import AddArgument, Change, ReplaceExpression
from tritonopt.transforms.hoisting.invariant_loads import InvariantLoad
from tritonopt.transforms.loop_invariants import may_divide_by_zero
from tritonopt.transforms.trip_guards import runs_when, why_it_runs
from tritonopt.transforms.writing import NotExpressible, Writer


def run_conditions(load: InvariantLoad, writer: Writer, attempt: Attempt) -> list[str]:
    """What must be added to the masks, so that nothing is read that was not read before.

    Raises Declined where it cannot be said.
    """
    conditions: dict[str, None] = {}
    reasons: dict[str, None] = {}
    given: list[Assumption] = []
    for one in load.loads:
        known = _conditions_of(load, one)
        for loop in load.loops:
            shown = why_it_runs(load.facts, loop, known)
            if shown is None:
                conditions[_run_condition(load, writer, loop)] = None
            else:
                why, assumption = shown
                reasons[why] = None
                if assumption is not None:
                    given.append(assumption)
    if conditions:
        reasons[f"masked by {' and '.join(conditions)}"] = None
    attempt.prove("reads-nothing-more", "; ".join(reasons), given)
    return list(conditions)


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


def _run_condition(load: InvariantLoad, writer: Writer, loop: Loop) -> str:
    """When a loop runs at all, as code above the outermost one."""
    if any(one.inlined for one in load.loads):
        raise _may_not_run(
            f"the loop in line {loop.line} may run no time at all, and the load is in a "
            "helper, where no mask can keep it from reading then"
        )
    bounds = [bound for bound in (loop.start, loop.stop) if bound is not None]
    if loop is not load.loop and any(
        may_divide_by_zero(load.facts, bound, load.loop.node) for bound in bounds
    ):
        raise _may_not_run(
            f"whether the loop in line {loop.line} runs takes a division, maybe by zero"
        )
    try:
        return runs_when(writer, loop, load.loop)
    except NotExpressible as error:
        raise _may_not_run(str(error)) from error


def masked(
    load: InvariantLoad, one: Effect, writer: Writer, conditions: Sequence[str]
) -> Iterator[Change]:
    """One of its loads with the conditions in its mask. Raises Declined."""
    if not conditions:
        return
    call = one.node
    assert isinstance(call, ast.Call)
    if one.pointer is None or one.pointer.op is Op.BLOCK_POINTER or one.loaded is None:
        detail = f"{load.where} may run no time at all, and a block pointer takes no mask"
        raise _may_not_run(detail)
    together = " & ".join(f"({condition})" for condition in conditions)
    alone = conditions[0] if len(conditions) == 1 else together
    given = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mask")]
    if not given:
        yield AddArgument(call, f"mask={alone}")
    elif one.mask is None or one.mask.is_none:
        yield ReplaceExpression(given[0], alone)
    elif one.mask.dtype != "bool" or any(part.is_none for part in one.mask.walk()):
        raise _may_not_run(
            f"{load.where} may run no time at all, which must go into the mask in line "
            f"{one.line}, but that may be None"
        )
    else:
        yield ReplaceExpression(given[0], f"{writer.operand(given[0])} & {together}")


def _may_not_run(detail: str) -> Declined:
    return unknown("reads-nothing-more", "may-run-zero-times", detail)
