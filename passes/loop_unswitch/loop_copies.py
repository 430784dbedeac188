"""The copies of a loop in its place, one under each answer to the condition that moved out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from tritonopt.emit.loop_invariants import removals
from tritonopt.passes.loop_unswitch.decisions import Plan
from tritonopt.passes.loop_unswitch.invariant_branches import InvariantBranch
from tritonopt.source import Change, InsertBefore, Remove, Replace
from tritonopt.source.editing import excerpts


def unswitched(branch: InvariantBranch, plan: Plan) -> list[Change]:
    """The copies in place of the loop. Raises NotExpressible."""
    module, loop = branch.module, branch.loop.node
    code = _copies(branch, plan)
    if plan.guard is not None:
        code = _guarded(branch, plan, plan.guard, code)
    changes: list[Change] = [Replace(loop, code)]
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
        copy = _copy(branch, plan.guard, [*kept, *_removed(branch, gone)])
        if arm.test is None:
            header = "else:"
        else:
            header = f"{'elif' if code else 'if'} {excerpts.one_line(module, arm.test)}:"
        code += f"{arm.above}{header}{arm.behind}\n{excerpts.indented(copy, unit)}\n"
    return code.rstrip("\n")


def _guarded(branch: InvariantBranch, plan: Plan, guard: ast.If, copies: str) -> str:
    """The copies below a condition of the compiler's, and beside them the loop without it."""
    module, unit = branch.module, _indent_unit(branch)
    test = excerpts.one_line(module, guard.test)
    code = f"if {test}:{excerpts.header_comment(module, guard)}\n{excerpts.indented(copies, unit)}"
    if not plan.rest_does_something:
        return code
    rest = excerpts.changed_code(module, branch.loop.node, list(_removed(branch, [guard])))
    return f"{code}\nelse:\n{excerpts.indented(rest, unit)}"


def _copy(
    branch: InvariantBranch, guard: ast.If | None, changes: Sequence[Replace | Remove]
) -> str:
    """The loop after changes inside of it, and without a condition that was asked before it."""
    module, loop = branch.module, branch.loop.node
    gone = any(guard is change.anchor for change in changes)
    if guard is None or gone:
        return excerpts.changed_code(module, loop, changes)
    changed, (copy, asked) = excerpts.after(module, changes, [loop, guard])
    assert isinstance(copy, ast.stmt) and isinstance(asked, ast.If)
    inside = excerpts.block_code(changed, asked.body)
    return excerpts.changed_code(changed, copy, [Replace(asked, inside)])


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
