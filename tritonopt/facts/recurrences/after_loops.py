"""What the kernel reads after a loop of its own block of the names that the loop binds.

By the places in the text that read them, for it is the text that a rewrite changes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence, Set

from tritonopt.checks.condition import refuted
from tritonopt.facts.effects import Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reduction_calls import reducing
from tritonopt.facts.values import Value
from tritonopt.source.trees import walk


def statements_after(facts: KernelFacts, loop: Loop) -> list[ast.stmt]:
    """The statements after a loop of the kernel's own block."""
    body = facts.kernel.node.body
    return body[body.index(loop.node) + 1 :]


def reads_after(facts: KernelFacts, loop: Loop, name: str) -> list[ast.Name]:
    """Where a name is read as the loop left it, `name += ...` included."""
    return [
        node
        for statement in statements_after(facts, loop)
        for node in _reads(facts, loop, statement, {name})
    ]


def _reads(
    facts: KernelFacts, loop: Loop, part: ast.AST, names: Collection[str]
) -> Iterator[ast.Name]:
    nodes = walk(part)
    updated = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names:
            value, result = facts.values.get(node), loop.result.get(node.id)
            left = value is None or result is None or _may_be(facts, value, result)
            if node in updated or (left and isinstance(node.ctx, ast.Load)):
                yield node


def _may_be(facts: KernelFacts, value: Value, result: Value) -> bool:
    """Whether it is what a loop left, on some way through the branches and loops after it."""
    todo, seen = [value], set[Value]()
    while todo:
        part = todo.pop()
        if part is result:
            return True
        if part in seen:
            continue
        seen.add(part)
        if part.op in (Op.PHI, Op.WHERE):
            todo += [part.then, part.other]
        elif part.op is Op.IN_BRANCH:
            todo += part.operands
        elif part.op in (Op.CARRIED, Op.RESULT):
            other, name = facts.loops[part.carrier.loop], part.carrier.name
            todo += [ends[name] for ends in (other.initial, other.following) if name in ends]
    return False


def check_last_values(facts: KernelFacts, loop: Loop, names: Set[str]) -> None:
    """None of the names is read as the last iteration left it. Raises Declined."""
    _check_block(facts, loop, statements_after(facts, loop), names)


def _check_block(
    facts: KernelFacts, loop: Loop, block: Sequence[ast.stmt], names: Set[str]
) -> None:
    for statement in block:
        part: ast.AST = statement.iter if isinstance(statement, ast.For) else statement
        for node in _reads(facts, loop, part, names):
            text = f"line {node.lineno} reads {node.id} as the last iteration left it"
            raise refuted("accumulators-are-sums", "last-value-is-used", text)
        if isinstance(statement, ast.For):
            inside = [*statement.body, *statement.orelse]
            _check_block(facts, loop, inside, names - _names(statement.target))
        elif isinstance(statement, ast.Assign):
            names = names - {name for target in statement.targets for name in _names(target)}


def _names(target: ast.AST) -> set[str]:
    return {n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def reduction_after(facts: KernelFacts, loop: Loop, name: str, kind: Kind) -> ast.Call | None:
    """The one reduction that is all that is done with a name after the loop.

    Along one axis or all of them, of the kind that is given.
    """
    parents = facts.kernel.module.names.parents
    found: list[ast.Call] = []
    for node in reads_after(facts, loop, name):
        around = parents.get(node)  # the target of an update has none
        call = parents.get(around) if isinstance(around, ast.Attribute) else around
        reduced = reducing(facts, call) if isinstance(call, ast.Call) else None
        if reduced is None or reduced.operand is not node or reduced.combining != kind:
            return None
        if facts.values.get(node) not in (None, loop.result[name]):
            return None  # something else, where a branch says so
        others = [n for n in walk(reduced.call) if isinstance(n, ast.Name) and n is not node]
        named = {k.arg for k in reduced.call.keywords}
        if not facts.values.keys().isdisjoint(others) or not named <= {"axis", "input"}:
            return None  # made in another type, or along an axis that has a name
        found.append(reduced.call)
    if len({ast.dump(call) for call in found}) != 1:
        return None
    _, axes, keep_dims = facts.values[found[0]].reduction
    alone = len(axes) in (1, loop.carried[name].rank)
    return found[0] if alone and not keep_dims else None
