"""Whether it matters what the sum of a row of nothing but -inf is: not where all becomes NaN.

Of such a row x - m is -inf - -inf. So `tl.exp(x - m) / total` is NaN whatever the total is.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Atom, Value
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.operations import Op
from tritonopt.facts.uses import users
from tritonopt.facts.values import is_float
from tritonopt.passes.online_softmax.online_legality import OnlineSum

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV})
_PASSING = _ARITHMETIC | {Op.NEG}
"""Operations of which one operand that is NaN makes the result NaN."""
_FUNCTIONS = frozenset({"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs"})
"""Functions, likewise."""


def is_nan_anyway(proof: OnlineSum) -> bool:
    """Whether all uses of the sum are NaN where the maximum is -inf."""
    if proof.maximum.result.shape != () or proof.sum.initial.shape != ():
        return False
    return _Rows(proof).is_mixed(proof.sweeps.second.result[proof.sum.name])


@dataclass(frozen=True)
class _Rows:
    proof: OnlineSum

    @cached_property
    def _users(self) -> dict[int, list[Value]]:
        return users(self.proof.facts.interpretation)

    @cached_property
    def _held(self) -> set[int]:
        """What is kept, stored, or asked, as it is."""
        facts = self.proof.facts
        ends = [end for loop in facts.loops for end in (loop.initial, loop.following)]
        found = [value for end in ends for value in end.values()]
        found += [v for loop in facts.loops for v in (loop.start, loop.stop, loop.step) if v]
        for effect in facts.effects:
            values = (effect.pointer, effect.mask, effect.other, effect.stored)
            found += [value for value in values if value is not None]
            found += [guard.condition for guard in effect.guards]
        return {value.serial for value in found}

    @cached_property
    def _renaming(self) -> dict[Atom, Atom]:
        """Sweeps of the same range read the same elements."""
        facts, first = self.proof.facts, self.proof.sweeps.first
        count = facts.forms.trip_count(first)
        return {
            Iteration(loop.identity): Iteration(first.identity)
            for loop in facts.loops
            if loop.parent is first.parent and facts.forms.trip_count(loop) == count
        }

    def is_mixed(self, total: Value) -> bool:
        """Whether all that takes the total takes something as well that is NaN."""
        todo, seen = [total], {total.serial}
        for value in todo:  # it grows meanwhile
            if value.serial in self._held:
                return False
            for user in self._users.get(value.serial, []):
                others = [operand for operand in user.operands if operand is not value]
                if user.op in _ARITHMETIC and any(map(self._is_nan, others)):
                    continue
                if not _passes(user):
                    return False
                if user.serial not in seen:
                    seen.add(user.serial)
                    todo.append(user)
        return self._are_all_seen(set(todo))

    def _are_all_seen(self, totals: set[Value]) -> bool:
        """Whether each expression that is one of these values goes into a value that is known."""
        values = self.proof.facts.values
        for parent in self.proof.facts.kernel.nodes:
            for child in ast.iter_child_nodes(parent):
                value = values.get(child) if isinstance(child, ast.expr) else None
                if value not in totals or isinstance(parent, (ast.Assign, ast.AugAssign)):
                    continue
                known = values.get(parent) if isinstance(parent, ast.expr) else None
                if known is None or value not in known.operands:
                    return False
        return True

    def _is_nan(self, value: Value) -> bool:
        """Whether a value is NaN in all lanes where the maximum is -inf."""
        if value.op is Op.SUB and self._is_maximum(value.right):
            return self._is_element(value.left)
        return _passes(value) and any(map(self._is_nan, value.operands))

    def _is_maximum(self, value: Value) -> bool:
        return value is self.proof.maximum.result

    def _is_element(self, value: Value) -> bool:
        """Whether it is what the maximum is of, in whichever iteration."""
        forms, tile = self.proof.facts.forms, self.proof.maximum.tile
        alike = value.rank == tile.rank
        return alike and forms.of(value).map(self._renaming.get) == forms.of(tile)


def _passes(value: Value) -> bool:
    name = str(value.attribute).rsplit(".", 1)[-1]
    if value.op is Op.CAST:
        return is_float(value.dtype)
    return value.op in _PASSING or (value.op is Op.ELEMENTWISE and name in _FUNCTIONS)
