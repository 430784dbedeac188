"""What the compiler takes an integer expression for: a number or a tensor, and of which type.

A number in place of a tensor is no rewrite of text alone. The compiler divides numbers as Python
does (rounding down), never wraps them around, and gives them no `.to` and no `.dtype`; and what
they meet keeps its own type, where a tensor of 64 bits would widen it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.facts.dtypes import INTEGERS, is_number
from tritonopt.facts.language import HINTS, function
from tritonopt.facts.operations import Op
from tritonopt.facts.values import INTEGER_DTYPES, Value, operands_first

if TYPE_CHECKING:
    from tritonopt.facts.effects import Loop
    from tritonopt.facts.kernel_facts import KernelFacts

NUMBER = "int"
_COMBINED = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FLOORDIV, Op.MOD, Op.CDIV})
_EXTREMES = frozenset({Op.MINIMUM, Op.MAXIMUM})
_SAME = frozenset({Op.NEG, Op.POS, Op.IN_BRANCH, Op.INSERT_AXES, Op.WIDENED, Op.BROADCAST_TO})
_NUMBERS = frozenset({Op.CONST, Op.CONSTEXPR, Op.GLOBAL})
_BITS = {f"int{bits}": bits for bits in (8, 16, 32, 64)}


def counter_type(facts: KernelFacts, loop: Loop, *, fits: bool = False) -> str | None:
    """The type of a loop's counter, as the bounds decide; None where that is not known.

    "int" of a `tl.static_range`, whose counter is a number to the compiler.

    An argument of a launch counts as int32, as it is where its type is not annotated and its
    value fits; so this holds for a loop whose end is known to be that small. It tells nothing of
    the two sides of a difference, but where `fits` says that all arguments are.
    """
    if loop.kind == "tl.static_range":
        return NUMBER
    if not loop.is_counted or len(loop.bounds) < 3:
        return None
    found = promoted([integer_type(facts, b, fits=fits or _grows(facts, b)) for b in loop.bounds])
    return "int32" if found == NUMBER else found


def _grows(facts: KernelFacts, value: Value) -> bool:
    """Whether arguments in an expression are small where it is small itself: `n * m`, not `n - m`.

    What has a type of its own needs not be small.
    """
    known = value.op in _NUMBERS or integer_type(facts, value) is not None
    if known or value.op is Op.PARAM:
        return True
    if value.op in _SAME:
        return _grows(facts, value.operand)
    if value.op is Op.SUB and value.right.op not in _NUMBERS:
        return False
    growing = value.op in (Op.ADD, Op.SUB, Op.MUL, Op.FLOORDIV, Op.CDIV)
    return growing and all(_grows(facts, operand) for operand in value.operands)


def integer_type(facts: KernelFacts, value: Value, *, fits: bool = False) -> str | None:
    """The type of an integer, "int" for a literal, which takes on that of what it meets.

    None where it is no integer or the type is not known. With `fits` the arguments of a launch
    are known to fit into 32 bits.
    """
    known: dict[int, str | None] = {}
    for part in operands_first(value, known):
        known[part.serial] = _found(facts, part, [known[o.serial] for o in part.operands], fits)
    return known[value.serial]


def _found(facts: KernelFacts, value: Value, parts: Sequence[str | None], fits: bool) -> str | None:
    if value.op is Op.CONST:
        number = value.constant
        return NUMBER if type(number) is int and -(2**31) <= number < 2**31 else None
    if value.op in (Op.CONSTEXPR, Op.GLOBAL):
        whole = value.op is Op.CONSTEXPR and facts.forms.is_integer(facts.forms.of(value))
        return NUMBER if fits or whole else None
    if value.op in _COMBINED:
        return promoted(parts)
    if value.op in _EXTREMES:
        return "int32" if promoted(parts) == NUMBER else promoted(parts)
    if value.op in _SAME:
        return parts[0]
    if value.op is Op.ITERATION:
        return counter_type(facts, facts.loops[value.number])
    if value.dtype in _BITS and value.op is not Op.PARAM:
        return value.dtype
    types = facts.types.of(value)
    if types.complete and len(types.seen) == 1 and types.seen <= INTEGER_DTYPES:
        return next(iter(types.seen))
    if fits and value.op is Op.PARAM and not types.seen & (INTEGER_DTYPES - {"int32"}):
        return "int32"
    return None


def promoted(types: Sequence[str | None]) -> str | None:
    """The type of a sum or a product of signed integers of these types."""
    if any(t != NUMBER and t not in _BITS for t in types):
        return None
    return max(types, key=lambda t: _BITS.get(t or "", 0), default=None)


def is_tensor(facts: KernelFacts, node: ast.expr) -> bool:
    """Whether an expression is a tensor to the compiler at every launch, and never a number.

    A parameter is a number where the launch passes 1; what is assigned to a name is a tensor.
    """
    value = facts.values.get(node)
    if value is None or value.is_none or value.op in (Op.TUPLE, Op.DTYPE):
        return False
    if facts.binding_times.of(value) == "runtime":
        return True
    match node:
        case ast.BinOp(left=left, right=right):
            return is_tensor(facts, left) or is_tensor(facts, right)
        case ast.UnaryOp(operand=operand):
            return is_tensor(facts, operand)
        case ast.Name(id=name):
            given = any(parameter.name == name for parameter in facts.kernel.parameters)
            local = name in facts.kernel.module.names.scopes[facts.kernel.node].bindings
            loop = any(_counts_with(loop, name) for loop in facts.loops)
            return local and not given and not loop and not is_number(facts, node)
    return False


def _counts_with(loop: Loop, name: str) -> bool:
    target = getattr(loop.node, "target", None)
    return isinstance(target, ast.Name) and target.id == name


def stays_itself(facts: KernelFacts, node: ast.expr, zero: str | None) -> bool:
    """Whether a 0 of an integer type (None: of any) changes nothing of what it is added to.

    A 0 that is a number to the compiler ("int") leaves every integer as it is; one that is a tensor
    makes a tensor of a number, and a wider one of a narrower one.
    """
    value = facts.values.get(node)
    if value is None:
        return False
    if facts.forms.address(value)[0] is not None:
        return True
    if zero == NUMBER:
        wide = value.dtype in ("int", "int32", "int64", None)
        return wide and facts.forms.is_integer(facts.forms.of(value))
    own = integer_type(facts, value)
    return own in _BITS and promoted([own, zero]) == own and is_tensor(facts, node)


def is_compared_alike(facts: KernelFacts, node: ast.expr, other: ast.expr) -> bool:
    """Whether `0 + x` is to an integer tensor what `x` is, a number or not, of whatever width."""
    value, against = facts.values.get(node), facts.values.get(other)
    if value is None or against is None or value.dtype not in ("int", "int32", "int64", None):
        return False
    plain = facts.forms.is_integer(facts.forms.of(value)) and is_tensor(facts, other)
    return plain and integer_type(facts, against) in ("int32", "int64")


@dataclass(frozen=True)
class NamedNumbers:
    """Names that stand for numbers in the place of the tensors that they are to the compiler."""

    facts: KernelFacts
    types: Mapping[str, str | None]
    """The integer type of each, if known."""
    is_named_zero: Callable[[str], bool]

    def is_zero(self, node: ast.expr) -> bool:
        """Whether an expression is the integer 0 then, and has no lanes."""
        match node:
            case ast.Name(id=name):
                return self.is_named_zero(name)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                zero = self.is_zero(left) or self.is_zero(right)
                return zero and all(map(self._is_one_integer, (left, right)))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self.is_zero(left) and self.is_zero(right)
            case ast.Call(func=called, args=[first, *_]):
                hint = function(self.facts.kernel.module.resolve(called)) in HINTS
                return hint and self.is_zero(first)
        return False

    def _is_one_integer(self, node: ast.expr) -> bool:
        value, forms = self.facts.values.get(node), self.facts.forms
        if value is None:
            return True  # one of the names
        whole = self.facts.types.of(value).seen <= INTEGERS | {"int"}
        return value.shape == () and whole and forms.is_integer(forms.of(value))

    def type_of(self, node: ast.expr) -> str | None:
        """The integer type of an expression; "int" where there are no such names."""
        match node:
            case _ if not self.types:
                return NUMBER
            case ast.Name(id=name) if name in self.types:
                return self.types[name]
            case ast.BinOp(left=left, right=right):
                return promoted([self.type_of(left), self.type_of(right)])
            case ast.Call(args=[first, *_]) if self.is_zero(node):
                return self.type_of(first)
        value = self.facts.values.get(node)
        return None if value is None else integer_type(self.facts, value)
