"""Whether a branch may move out of a loop; where it may, the plan for which that was shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.loop_invariants import is_invariant, may_divide_by_zero
from tritonopt.emit.trip_guards import why_it_runs
from tritonopt.emit.writing import block_of, names_bound
from tritonopt.facts import Loop, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_float
from tritonopt.passes.loop_unswitch.invariant_branches import (
    InvariantBranch,
    is_one_question,
    when_known,
)
from tritonopt.passes.loop_unswitch.loop_copies import Plan, planned, stores
from tritonopt.source.trees import parents_of, walk


def legal_plan(branch: InvariantBranch, max_statements: int, attempt: Attempt) -> Plan:
    """How the branch moves out of the loop. Raises Declined or NotExpressible where it may not."""
    _check_loops(branch, attempt)
    _check_asked(branch, attempt)
    _check_condition(branch, attempt)
    _check_way(branch, attempt)
    _check_names(branch, attempt)
    plan = planned(branch)
    _check_scopes(branch, plan)
    _check_size(branch, plan, max_statements, attempt)
    return plan


def _check_loops(branch: InvariantBranch, attempt: Attempt) -> None:
    claim = "loops-are-plain"
    for loop in branch.loops:
        where = f"the loop in line {loop.line}"
        if loop.kind == "tl.static_range":
            detail = f"the compiler unrolls {where}, which leaves no loop"
            raise refuted(claim, "unrolled-loop", detail)
        if loop.kind == "other" or not _counts_with_one_name(loop):
            detail = f"{where} is not over `range` or `tl.range`"
            raise unknown(claim, "loop-is-not-plain", detail)
    for node in walk(branch.loop.node):
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            raise refuted(claim, "loop-is-not-plain", f"line {node.lineno} has an `else`")
    if branch.facts.exits_early(branch.loop):
        raise refuted(claim, "early-exit", f"{branch.where} may exit early")
    attempt.prove(claim, "a `for` or `while` without else, break or return")


def _counts_with_one_name(loop: Loop) -> bool:
    return isinstance(loop.node, ast.While) or isinstance(loop.node.target, ast.Name)


def _check_asked(branch: InvariantBranch, attempt: Attempt) -> None:
    """The loop must not stand in a branch already where the condition is decided."""
    claim = "condition-can-move"
    outer = parents_of(branch.facts.kernel.node)
    node: ast.stmt | None = branch.loop.node
    while node is not None:
        known = branch.facts.values.get(node.test) if isinstance(node, ast.If) else None
        if known is not None and is_one_question(known, branch.condition):
            detail = f"the `if` in line {node.lineno}, around the loop, already tests it"
            raise refuted(claim, "already-done", detail)
        node = outer.get(node)
    attempt.prove(claim, f"no `if` around {branch.where} already tests it")


def _check_condition(branch: InvariantBranch, attempt: Attempt) -> None:
    claim = "condition-can-move"
    facts, condition = branch.facts, branch.condition
    if condition.shape != () or when_known(facts, condition, branch.in_helper) == "unknown":
        detail = (
            "the compiler may know the condition; if it never changes, make its parameters "
            "`tl.constexpr`"
        )
        raise unknown(claim, "condition-is-not-plain", detail)
    for part in condition.walk():
        if part.op is not Op.LOAD or is_invariant(facts, part, branch.loop):
            continue
        load = facts.interpretation.loads[part.number]
        what = f"the load in line {load.line}"
        if load.volatile:
            raise refuted(claim, "volatile-load", f"{what} is volatile")
        detail = (
            f"the condition needs {what}, which would then read even if the loop has no "
            "iteration; load it into a name before the loop"
        )
        raise refuted(claim, "condition-is-not-plain", detail)
    for effect in branch.effects_in(branch.node.test):
        detail = f"the {effect.name} in line {effect.line} is executed in every iteration"
        raise refuted(claim, "condition-is-not-plain", detail)
    attempt.prove(claim, f"the same in every iteration of {branch.where}")


def _check_way(branch: InvariantBranch, attempt: Attempt) -> None:
    """What stands between the loop and the `if` must not decide whether the `if` compiles."""
    claim, reason = "condition-can-move", "under-a-condition"
    facts = branch.facts
    child: ast.stmt = branch.node
    guarded = False
    for parent in branch.around:
        if isinstance(parent, ast.If):
            line = f"the condition in line {parent.lineno}"
            if child in parent.orelse and branch.is_elif(child):
                detail = f"it is tested only where {line} is false, as its `elif`"
                raise refuted(claim, reason, detail)
            value = facts.values.get(parent.test)
            if value is None or when_known(facts, value, branch.in_helper) != "runtime":
                detail = f"under {line} it may be code that is never compiled"
                raise unknown(claim, reason, detail)
            guarded = True
        elif not isinstance(parent, (ast.For, ast.While)):
            raise unknown(claim, reason, f"it is inside the statement in line {parent.lineno}")
        child = parent
    if may_divide_by_zero(facts, branch.condition, branch.loop.node) and (
        guarded or any(why_it_runs(facts, loop, []) is None for loop in branch.loops)
    ):
        detail = "it divides by a value that may be zero, also if the loop has no iteration"
        raise refuted(claim, "may-divide-by-zero", detail)
    attempt.prove(claim, "it computes nothing that could fail if the loop has no iteration")


# Names


def _check_names(branch: InvariantBranch, attempt: Attempt) -> None:
    """What a loop leaves behind must have one type in and behind an `if`."""
    claim = "type-stays"
    node = branch.loop.node
    inside = set(walk(node))
    known = branch.facts.before[node]
    bound = names_bound(node)
    own = names_bound(node.target) if isinstance(node, ast.For) else set()
    for other, value in _read(branch):
        if other.id not in bound or other in inside:
            continue
        left = other.id in own or other.id not in known
        if left and (value is None or value.op is Op.OPAQUE):
            detail = f"line {other.lineno} reads {other.id}, which the loop binds"
            raise refuted(claim, "name-is-bound-elsewhere", detail)
    for name in own:
        _check_induction(branch, claim, name)
    attempt.prove(claim, "what the loop carries is bound before it")


def _read(branch: InvariantBranch) -> Iterator[tuple[ast.Name, Value | None]]:
    """Where the kernel reads a name, and the value that it finds, if it is known at all."""
    facts = branch.facts
    for node in walk(facts.kernel.node):
        match node:
            case ast.Name(ctx=ast.Load()) if node in facts.values:
                yield node, facts.values[node]
            case ast.AugAssign(target=ast.Name() as name) if node in facts.before:
                yield name, facts.before[node].get(name.id)


def _check_induction(branch: InvariantBranch, claim: str, name: str) -> None:
    """The compiler keeps the name of an induction variable: in an `if`, with its type."""
    facts, loop = branch.facts, branch.loop
    taken = (
        f"after an `if` Triton requires one type per name, and {name} is also bound before the loop"
    )
    if any(p.name == name for p in facts.kernel.parameters):
        raise refuted(claim, "name-is-bound-elsewhere", f"{taken}; use another name")
    for other in walk(facts.kernel.node):
        if not isinstance(other, ast.stmt) or other.lineno >= loop.line:
            continue
        if name not in names_bound(_header(other)):
            continue
        earlier = facts.loop_of(other)
        if earlier is None or _bounds(earlier) != _bounds(loop):
            detail = f"{taken}, in line {other.lineno}; use another name"
            raise refuted(claim, "name-is-bound-elsewhere", detail)


def _bounds(loop: Loop) -> tuple[Value | None, ...]:
    return loop.start, loop.stop, loop.step


def _check_scopes(branch: InvariantBranch, plan: Plan) -> None:
    """A name that is first bound in a branch ends with it; without the branch it stays, and
    what binds it again in a block further in must give it the same type."""
    for decided in plan.copies:
        for node, block in decided.items():
            known = branch.facts.before[node]
            for name in (n for statement in block for n in stores(statement)):
                if name.id not in known or _is_uncertain(known[name.id]):
                    _check_scope(branch, name, node)


def _is_uncertain(value: Value) -> bool:
    """Whether a value is, among others, that of a name bound in one branch only: it has none."""
    return any(part.op is Op.OPAQUE for part in value.walk())


def _check_scope(branch: InvariantBranch, name: ast.Name, node: ast.If) -> None:
    inside = set(walk(node))
    block = block_of(branch.loop.node, node)
    place = block.index(node)
    before = {n for statement in block[:place] for n in walk(statement)}
    beside = {n for statement in block[place:] for n in _bound_directly(statement)}
    for other in stores(branch.loop.node):
        if other.id != name.id or other in inside or other in before or other in beside:
            continue
        kind = _kind(branch, other)
        if kind is None or kind != _kind(branch, name):
            detail = (
                f"lines {name.lineno} and {other.lineno} both bind {name.id}, maybe with "
                "different types, which only the branch between them allows; use two names"
            )
            raise unknown("type-stays", "type-changes", detail)


def _kind(branch: InvariantBranch, name: ast.Name) -> tuple[object, ...] | None:
    """The shape and type of what is bound, where they are certain: an integer may be long."""
    value = branch.facts.values.get(name)
    if value is None or value.shape is None or not is_float(value.dtype):
        return None
    return (*value.shape, value.dtype)


def _bound_directly(statement: ast.stmt) -> Iterator[ast.AST]:
    """The names that a statement binds in the block that it stands in."""
    if not isinstance(statement, (ast.If, ast.While)):
        yield from walk(_header(statement))


def _header(statement: ast.stmt) -> ast.AST:
    """A statement without the blocks in it, which are statements of their own."""
    match statement:
        case ast.For(target=target):
            return target
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.FunctionDef(args=arguments):
            return arguments
    return statement


# Size


def _check_size(branch: InvariantBranch, plan: Plan, limit: int, attempt: Attempt) -> None:
    """The copies, with those that other conditions made before, must stay readable."""
    loop = branch.loop.node
    parents = parents_of(branch.facts.kernel.node)
    top: ast.stmt = loop
    node = top
    while (outer := parents.get(node)) is not None:
        if isinstance(outer, ast.If) and _holds_one_loop(outer, node):
            top = outer
        node = outer
    size = _size([top]) - _size([loop]) + plan.conditions
    for decided in plan.copies:
        size += _size([loop]) - len(plan.moved)
        size += sum(_size(block) - _size([node]) for node, block in decided.items())
    claim = "code-is-small"
    if size > limit:
        detail = (
            f"the copies of the loop would have {size} statements, more than "
            f"max_statements={limit}; if that is fine, give loop-unswitch{{max_statements={size}}}"
        )
        raise refuted(claim, "too-many-statements", detail)
    attempt.prove(claim, f"{size} statements in all")


def _holds_one_loop(branch: ast.If, inner: ast.stmt) -> bool:
    """Whether a way through an `if` is a loop or an `if` and what moved above it, as in a copy."""
    block = branch.body if inner in branch.body else branch.orelse
    return all(s is inner or isinstance(s, (ast.Assign, ast.AugAssign)) for s in block)


def _size(statements: Sequence[ast.stmt]) -> int:
    """The number of statements, those inside of others included."""
    return sum(isinstance(n, ast.stmt) for s in statements for n in walk(s))
