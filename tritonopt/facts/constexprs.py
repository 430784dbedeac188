"""What the compiler knows when it compiles a kernel, so that it is no question at run time."""

from __future__ import annotations

import ast

from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.source.trees import walk


def is_constexpr(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the compiler decides a condition, compiles the branch that is taken only, and lets
    the names that are bound there out of it.

    What is assigned to a name without `: tl.constexpr` is a value at run time, whatever it is
    made of.
    """
    value = facts.values.get(test)
    if value is None or not _is_known_to_the_compiler(value):
        return False
    module, nodes = facts.kernel.module, facts.kernel.nodes
    constants = {
        node.target
        for node in nodes
        if isinstance(node, ast.AnnAssign)
        and module.resolve(node.annotation) == "triton.language.constexpr"
    }
    names = [node for node in nodes if isinstance(node, ast.Name) and node not in constants]
    bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    return not any(isinstance(n, ast.Name) and n.id in bound for n in walk(test))


def _is_known_to_the_compiler(value: Value) -> bool:
    """A pointer that is asked whether it is one is, where it was passed, a question for run time;
    of everything it is known whether it is None."""
    match value.op:
        case Op.CONST | Op.CONSTEXPR | Op.GLOBAL | Op.DTYPE | Op.ATTRIBUTE:
            return True
        case Op.IS | Op.IS_NOT:
            sides = value.operands
            return all(side.op is Op.PARAM or _is_known_to_the_compiler(side) for side in sides)
        case op if op in _DECIDED:
            return all(map(_is_known_to_the_compiler, value.operands))
    return False


_DECIDED = COMPARISONS | {"and", "or", "not", "both", "either", "neg"} | {"add", "sub", "mul"}
"""Operators on what the compiler knows, of which it knows the result."""
