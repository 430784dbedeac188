"""Whether a program id can become a loop variable as it is.

Compiled, a loop variable is a tensor like the program id. In Triton's interpreter it is a Python
number, and so is what is computed from it and constants alone. Most of what a kernel does with an
index takes either. Where something asks for a tensor, or would give another result for a number,
the loop variable is cast to one first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.language import HINTS, LOOP_CALLS, function
from tritonopt.facts.operations import ARITHMETIC, BITS, COMPARISONS, Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.facts.values import Value
from tritonopt.source.trees import walk

_ARITHMETIC = (ARITHMETIC - {Op.DIV, Op.POW, Op.CAST}) | BITS | COMPARISONS | {Op.BOTH, Op.EITHER}
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_DIVISIONS = (ast.FloorDiv, ast.Mod)
_TAKES_NUMBERS = frozenset({"cast", "minimum", "maximum"}) | HINTS


def asks_for_tensor(facts: KernelFacts, ids: ProgramIds, body: Sequence[ast.stmt]) -> bool:
    """Whether a use of the program id in `body` needs more than a Python number."""
    return _Numbers(facts, ids).ask_for_tensor(body)


class _Numbers:
    def __init__(self, facts: KernelFacts, ids: ProgramIds) -> None:
        self._facts = facts
        self._module = facts.kernel.module
        # What a helper casts is a tensor.
        plain = [call for call in ids.calls if call not in ids.conversions]
        self._sources = {facts.values[call].serial for call in plain if call in facts.values}
        self._known: dict[int, bool | None] = {}
        self._bounds = Bounds(facts)

    def ask_for_tensor(self, body: Sequence[ast.stmt]) -> bool:
        if any(map(self._is_number, self._merged())):
            return True
        for node in chain.from_iterable(map(walk, body)):
            if isinstance(node, ast.JoinedStr) and any(isinstance(n, ast.Name) for n in walk(node)):
                return True  # what it asks of a name is not looked into
            value = self._facts.values.get(node) if isinstance(node, ast.expr) else None
            if value is None or isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            assert isinstance(node, ast.expr)
            if self._is_number(value) and not self._serves(node):
                return True
        return False

    def _merged(self) -> Iterator[Value]:
        """What a branch or a loop makes one name of, which must be of one kind."""
        for value in self._facts.interpretation.computed:
            if value.op is Op.PHI:
                yield from (value.then, value.other)
        for loop in self._facts.loops:
            yield from loop.initial.values()
            yield from loop.following.values()

    def _is_number(self, value: Value) -> bool:
        """Whether it is computed from the program id and constants alone."""
        return self._kind(value) is True

    def _kind(self, value: Value) -> bool | None:
        """True for a number that comes from the id, None for a constant, False for a tensor."""
        if value.serial not in self._known:
            self._known[value.serial] = self._found_kind(value)
        return self._known[value.serial]

    def _found_kind(self, value: Value) -> bool | None:
        if value.serial in self._sources:
            return True
        if value.op is Op.CONSTEXPR:
            return None
        if value.op is Op.CONST:
            return None if isinstance(value.constant, int) else False
        if value.op not in _ARITHMETIC:
            return False
        kinds = [self._kind(operand) for operand in value.operands]
        if False in kinds:
            return False
        return True if True in kinds else None

    def _serves(self, node: ast.expr) -> bool:
        """Whether a number does where this one is used."""
        around = self._module.names.parents.get(node)
        if isinstance(around, ast.keyword):
            around = self._module.names.parents.get(around)
        match around:
            case ast.Assign(targets=[ast.Name()]) | ast.Expr() | ast.If() | ast.While():
                return True
            case ast.BinOp(left=left, op=op, right=right):
                other = right if node is left else left
                return self._meets(node, op, other, is_divisor=node is right)
            case ast.AugAssign(target=target, op=op):
                return self._meets(node, op, target, is_divisor=True)
            case ast.Compare() | ast.UnaryOp() | ast.BoolOp():
                return True
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                return name in LOOP_CALLS or function(name) in _TAKES_NUMBERS
            case ast.IfExp(test=test):
                return node is test
            case ast.Attribute(attr="to", value=ast.Name() | ast.Call() as of):
                # Written as a cast of the loop variable.
                return self._facts.values[of].serial in self._sources
        return False

    def _meets(
        self, node: ast.expr, op: ast.operator, other: ast.expr, *, is_divisor: bool
    ) -> bool:
        """Whether `node op other` is the same for a number as for a tensor of 32 bits."""
        value = self._facts.values.get(other)
        if value is None:
            return False
        if isinstance(value.constant, float) or any(part.op is Op.LOAD for part in value.walk()):
            return False  # of a type that a number would take on
        if isinstance(op, _OPERATORS):
            return True
        if not isinstance(op, _DIVISIONS) or is_divisor:
            return False
        if self._kind(value) is False:
            return True
        # Tensors are divided toward zero.
        least = self._bounds.lower_bound(self._facts.forms.of(self._facts.values[node]))
        return least is not None and least.number >= 0
