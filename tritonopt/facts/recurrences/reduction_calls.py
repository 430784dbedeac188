"""Reductions, and the operators that combine their results: which regroup, and from where on."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import BY_REDUCTION, EXTREMES, Kind
from tritonopt.source import Kernel
from tritonopt.source.trees import is_text

OPERATORS: Mapping[type[ast.operator], Kind] = {
    ast.Add: Kind.ADD,
    ast.Sub: Kind.ADD,
    ast.Mult: Kind.MUL,
    ast.BitAnd: Kind.AND,
    ast.BitOr: Kind.OR,
    ast.BitXor: Kind.XOR,
}


@dataclass(frozen=True)
class Reducing:
    """A call that reduces a tile."""

    call: ast.Call
    operand: ast.expr
    combining: Kind | None
    """None where the function that combines two lanes is not understood."""


def reducing(facts: KernelFacts, node: ast.expr) -> Reducing | None:
    """A call of `tl.sum`, `x.sum`, `tl.reduce` and their kin; None for all else.

    The call of a helper that returns what `tl.sum` gave it is none.
    """
    value = facts.values.get(node)
    if value is None or not isinstance(node, ast.Call):
        return None
    name, arguments = _called(facts, node)
    given = {k.arg: k.value for k in node.keywords if k.arg is not None}
    operand = arguments[0] if arguments else given.get("input")
    if operand is None:
        return None
    if name in BY_REDUCTION and value.op is Op.REDUCE:
        return Reducing(node, operand, BY_REDUCTION[name])
    if name == "reduce" and value.op is Op.RESHAPED:
        combine = arguments[2] if len(arguments) > 2 else given.get("combine_fn")
        return Reducing(node, operand, _combined_by(facts, combine))
    return None


def _called(facts: KernelFacts, call: ast.Call) -> tuple[str, list[ast.expr]]:
    """The function of the language, and what is passed by position, a method's receiver first."""
    dotted = facts.kernel.module.resolve(call.func)
    if not dotted and isinstance(call.func, ast.Attribute) and call.func.value in facts.values:
        return call.func.attr, [call.func.value, *call.args]
    return function(dotted), call.args


def combining_call(facts: KernelFacts, node: ast.expr) -> tuple[Kind, list[ast.expr]] | None:
    """What a call of `tl.maximum` or `tl.minimum` does, and its two operands."""
    if not isinstance(node, ast.Call):
        return None
    found = EXTREMES.get(function(facts.kernel.module.resolve(node.func)))
    given = {k.arg: k.value for k in node.keywords if k.arg in ("x", "y")}
    operands = [*node.args, *given.values()]
    return (found, operands[:2]) if found is not None and len(operands) >= 2 else None


def _combined_by(facts: KernelFacts, combine: ast.expr | None) -> Kind | None:
    """What the function does that a `tl.reduce` is given."""
    helper = _jit_function(facts, combine)
    if helper is None or len(helper.parameters) != 2:
        return None
    body = [s for s in helper.node.body if not is_text(s)]
    one, other = (parameter.name for parameter in helper.parameters)
    match body:
        case [ast.Return(value=ast.BinOp(left=left, op=op, right=right))]:
            found = None if isinstance(op, ast.Sub) else OPERATORS.get(type(op))
        case [ast.Return(value=ast.Call(func=called, args=[left, right], keywords=[]))]:
            found = EXTREMES.get(function(helper.module.resolve(called)))
        case _:
            return None
    names = [side.id for side in (left, right) if isinstance(side, ast.Name)]
    return found if sorted(names) == sorted((one, other)) else None


def _jit_function(facts: KernelFacts, name: ast.expr | None) -> Kernel | None:
    """The jit function of the program that a name surely stands for."""
    if not isinstance(name, ast.Name):
        return None
    module = facts.kernel.module
    home = module.names.scopes[facts.kernel.node].find(name.id)
    if home is None or home.node is facts.kernel.node or module.is_replaced(name.id):
        return None
    bindings = home.bindings[name.id]
    own = (k for k in module.kernels if len(bindings) == 1 and k.node is bindings[0])
    helper = next(own, None) or module.jit_function_elsewhere(name)
    return helper if helper is not None and helper.is_called_as_written else None
