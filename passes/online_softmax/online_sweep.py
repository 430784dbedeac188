"""Writes the one sweep: a running maximum, and a sum that is rescaled whenever it grows."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import MovedAccumulator
from tritonopt.emit.trip_guards import runs
from tritonopt.emit.writing import NotExpressible, Writer, is_plain, names_bound
from tritonopt.facts import Atom, Polynomial, Value
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import nodes_of
from tritonopt.facts.uses import passes_nan, taken_as_it_is, users
from tritonopt.passes.online_softmax.online_legality import OnlineSum
from tritonopt.source import Change, InsertAfter, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_LONGEST = 96


@dataclass(frozen=True)
class Tile:
    """What the maximum is of, as the sweep calls it."""

    name: str
    changes: tuple[InsertBefore | ReplaceExpression, ...] = ()
    """What gives it its name where it had none."""


class OnlineSweep:
    """The edits that make one sweep of two. Raises NotExpressible where there are none."""

    def __init__(self, proof: OnlineSum) -> None:
        self.proof = proof
        self.facts = proof.facts
        self.maximum, self.sum = proof.maximum, proof.sum
        self.first, self.second = proof.sweeps.first.node, proof.sweeps.second.node
        self.writer = Writer(self.facts)
        self.moved = MovedAccumulator(self.writer, proof.sweeps, proof.sum)
        self.loop = self.first
        """The one that stays."""
        self.inside: Environment = self.facts.before[self.maximum.update]
        self.end: Environment = self.facts.before[self.second]
        self.rank = len(self.maximum.shape)
        self.is_late = bool(proof.subtrahend.axes)
        """The maximum is carried lane by lane, and reduced after the loop."""

    def changes(self) -> list[Change]:
        zero = f"{self.writer.language('zeros_like')}({self.maximum.name})"
        if not (self.is_late and self.proof.is_summed):
            zero = self.moved.zero()
        total = self.moved.total(zero, f"{self.sum.name}_online")
        name, before = total.name, list(total.first_lines)
        if self.is_late and self.proof.is_summed:
            name = self.writer.fresh(f"{self.sum.name}_tile")
            before = [f"{name} = {zero}"]
        tile = self._tile()
        changes: list[Change] = [*tile.changes, *self._updated(name, tile.name)]
        kept, after = self._finish(name)
        if not after:
            before = [*total.said, *before]
        if before:
            changes.append(InsertBefore(self.first, "\n".join(before)))
        if kept:
            changes.append(InsertAfter(self.first, kept))
        changes.append(Replace(self.second, "\n".join(after)) if after else Remove(self.second))
        written = [change.code for change in changes if not isinstance(change, Remove)]
        return [*changes, *self.moved.no_longer_read(total, written, heads_nothing=not after)]

    # In the loop

    def _tile(self) -> Tile:
        named = self.writer.find(self._is_tile, self.inside)
        if named is not None:
            return Tile(self.writer.text(named))
        for statement in self.loop.body:
            choices = [n for n in walk(statement) if isinstance(n, (ast.IfExp, ast.BoolOp))]
            conditional = {inner for choice in choices for inner in walk(choice)}
            for node in nodes_of(self.facts, [statement]):
                if self._is_tile(self.facts.values[node]) and node not in conditional:
                    if not is_plain(self.facts, statement):
                        break
                    name = self.writer.fresh("tile")
                    naming = InsertBefore(statement, f"{name} = {self.writer.text(node)}")
                    return Tile(name, (naming, ReplaceExpression(node, name)))
        raise NotExpressible("the elements of the maximum have no expression in their loop")

    def _is_tile(self, value: Value) -> bool:
        return value is self.maximum.tile

    def _updated(self, total: str, tile: str) -> list[Change]:
        """The statement that binds the maximum, with the sum beside it."""
        update, name = self.maximum.update, self.maximum.name
        if isinstance(update.value, ast.Name):
            # new_m = tl.maximum(m, ...), and then m = new_m
            new = update.value.id
            return [InsertBefore(update, "\n".join(self._rescaled(total, tile, new)))]
        (target,) = update.targets
        new = self.writer.fresh(f"new_{name.lstrip('_')}")
        lines = [*self._rescaled(total, tile, new), f"{name} = {new}"]
        return [ReplaceExpression(target, new), InsertAfter(update, "\n".join(lines))]

    def _rescaled(self, total: str, tile: str, new: str) -> list[str]:
        """The sum so far, scaled to the new maximum, and what an iteration adds."""
        where, name = self.writer.language("where"), self.maximum.name
        lines, largest = [], new
        if self.maximum.starts_at_infinity:
            largest = self.writer.fresh("shift")
            lines = [
                "# So far all elements are -inf: -inf - -inf would be NaN.",
                f"{largest} = {where}({new} == {self._infinity}, 0.0, {new})",
            ]
        scale = self._power(name, largest)
        if self.maximum.axes and not self.proof.is_summed:
            scale = self._against_tile(scale)
        added = self._power(tile, largest if self.is_late else self._against_tile(largest))
        added = self._masked(added)
        if self.proof.is_summed and not self.is_late:
            added = self._summed(added)
        line = f"{total} = {total} * {scale} + {added}"
        indentation = self.loop.body[0].col_offset
        if indentation + len(line) <= _LONGEST:
            return [*lines, line]
        return [*lines, f"{total} = {total} * {scale}", f"{total} = {total} + {added}"]

    # After the loop

    def _finish(self, total: str) -> tuple[str, list[str]]:
        """What is kept right after the loop, and the lines in place of the second loop."""
        name, where = self.sum.name, self.writer.language("where")
        if self.is_late:
            kept, lanes = self._lanes()
            found = self._maximum_after()
            reduced = f"{total} * {self._power(lanes, self._against_tile(found))}"
            if self.proof.is_summed:
                reduced = self._summed(reduced)
            if self.maximum.starts_at_infinity and self.proof.may_be_empty:
                reduced = f"{where}({self._runs}, {reduced}, 0.0)"
            return kept, [f"{name} = {reduced}"]
        if not self.needs_nan:
            return "", [f"{name} = {total}"] if name != total else []
        return "", self._without_numbers(total)

    @cached_property
    def needs_nan(self) -> bool:
        """Whether the sum of a row without a number in it has to be made what it was."""
        return self.maximum.starts_at_infinity and not is_nan_anyway(self.proof)

    def _without_numbers(self, total: str) -> list[str]:
        """The sum of a row that has no number in it."""
        name, where = self.sum.name, self.writer.language("where")
        found = self._maximum_after()
        without = f"{found} == {self._infinity}"
        if self.maximum.axes and not self.proof.is_summed:
            without = f"{self._against_tile(found)} == {self._infinity}"
        if self.proof.may_be_empty:
            without = f"({without}) & ({self._runs})"
        return [
            "# The sum of a row of -inf only is NaN.",
            f'{name} = {where}({without}, float("nan"), {total})',
        ]

    def _lanes(self) -> tuple[str, str]:
        """The maximum of each lane: a statement that keeps it where the name is bound again."""
        result = self.maximum.result
        named = self.writer.find(lambda value: value is result, self.end)
        if named is not None:
            return "", self.writer.text(named)
        kept = self.writer.fresh(f"{self.maximum.name}_tile")
        return f"{kept} = {self.maximum.name}", kept

    def _maximum_after(self) -> str:
        """The maximum, where the second loop was."""
        wanted = self.proof.subtrahend.reduced
        node = self.writer.find(lambda value: value is wanted, self.end, self.facts.values)
        if node is None:
            raise NotExpressible("the maximum has no name after its loop")
        return self.writer.operand(node)

    @cached_property
    def _runs(self) -> str:
        """A condition under which there is an iteration."""
        return runs(self.writer, self.proof.sweeps.first, self.end)

    # Expressions

    @cached_property
    def _infinity(self) -> str:
        """-inf, as the kernel writes it."""
        for node in self.facts.values:
            value = self.facts.values[node]
            plain = isinstance(node, (ast.UnaryOp, ast.Call))
            if plain and value.constant == -math.inf and value.shape == ():
                return self.writer.text(node)
        return 'float("-inf")'

    @cached_property
    def _function(self) -> str:
        """The function of the exponents, as the second loop calls it."""
        for node in nodes_of(self.facts, [self.second]):
            if isinstance(node, ast.Call) and self.facts.values[node] is self._value:
                dotted = self.facts.kernel.module.resolve(node.func)
                if function(dotted).rsplit(".", 1)[-1] == self.proof.exponential.name:
                    return self.writer.text(node.func)
        return self.writer.language(self.proof.exponential.name)

    @property
    def _value(self) -> Value:
        return self.proof.exponential.value

    def _power(self, element: str, largest: str) -> str:
        factor = self.proof.subtrahend.factor
        if factor == 1:
            return f"{self._function}({element} - {largest})"
        wanted = Polynomial.constant(factor)
        lasting = {name: v for name, v in self.inside.items() if self.end.get(name) is v}
        try:
            text = self.writer.find_form(wanted, lasting, list(self.facts.values))
        except NotExpressible:
            text = repr(float(factor))
        return f"{self._function}(({element} - {largest}) * {text})"

    def _masked(self, text: str) -> str:
        """-inf is exponentiated to 0 by itself, in the lanes that do not count."""
        filler = self.proof.filler
        if filler is None or math.isinf(filler):
            return text
        nodes = nodes_of(self.facts, list(self.loop.body))
        mask = self.writer.find_mask(self._counting, self.inside, nodes)
        return f"{self.writer.language('where')}({self.writer.text(mask)}, {text}, 0.0)"

    @property
    def _counting(self) -> frozenset[Atom]:
        """Indicators of the lanes that count, as the loop that stays has them."""
        return self.proof.mask

    def _summed(self, text: str) -> str:
        return self.writer.sum(text, self.sum.axes, self.rank, self.sum.keep_dims)

    def _against_tile(self, text: str) -> str:
        """A maximum with its axes put back, so that it meets the tile lane by lane."""
        axes: Sequence[int] = self.proof.axes
        if not axes or len(axes) == self.rank or self.proof.keeps_dims:
            return text
        return self.writer.against(text, axes, self.rank)


_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV})


def is_nan_anyway(proof: OnlineSum) -> bool:
    """Whether all uses of the sum are NaN where the maximum is -inf."""
    if proof.maximum.result.shape != () or proof.sum.initial.shape != ():
        return False
    return _Rows(proof).is_mixed(proof.sweeps.second.result[proof.sum.name])


@dataclass(frozen=True)
class _Rows:
    proof: OnlineSum

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
        facts, todo, seen = self.proof.facts, [total], {total.serial}
        held, used = taken_as_it_is(facts), users(facts.interpretation)
        for value in todo:  # it grows meanwhile
            if value.serial in held:
                return False
            for user in used.get(value.serial, []):
                others = [operand for operand in user.operands if operand is not value]
                if user.op in _ARITHMETIC and any(map(self._is_nan, others)):
                    continue
                if not passes_nan(user):
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
        return passes_nan(value) and any(map(self._is_nan, value.operands))

    def _is_maximum(self, value: Value) -> bool:
        return value is self.proof.maximum.result

    def _is_element(self, value: Value) -> bool:
        """Whether it is what the maximum is of, in whichever iteration."""
        forms, tile = self.proof.facts.forms, self.proof.maximum.tile
        alike = value.rank == tile.rank
        return alike and forms.of(value).map(self._renaming.get) == forms.of(tile)


class KeptSecond(OnlineSweep):
    """The second loop stays, and keeps the maximum too; the first one goes."""

    def __init__(self, proof: OnlineSum) -> None:
        super().__init__(proof)
        update = self.sum.update
        assert update is not None
        self.update = update
        self.loop = self.second
        self.inside = self.facts.before[update]
        sweeps = proof.sweeps
        self.renaming: Mapping[Atom, Atom] = {
            Iteration(sweeps.second.identity): Iteration(sweeps.first.identity)
        }
        self.parts = set(proof.exponential.argument.walk())

    def changes(self) -> list[Change]:
        name, total = self.maximum.name, self.sum.name
        tile = self._tile()
        gone = {node for step in (self.update, *self.proof.steps) for node in walk(step)}
        naming = [change for change in tile.changes if change.anchor not in gone]
        named = [c.code for c in tile.changes if c.anchor is self.update]
        if len(naming) < len(tile.changes) and not named:
            raise NotExpressible("the exponent has no name in its loop")
        new = self.writer.fresh(f"new_{name.lstrip('_')}")
        largest = self.writer.reduced(
            "max", tile.name, self.maximum.axes, self.rank, self.maximum.keep_dims
        )
        lines = [
            *named,
            f"{new} = {self.writer.language('maximum')}({name}, {largest})",
            *self._rescaled(total, tile.name, new),
            f"{name} = {new}",
        ]
        changes: list[Change] = [
            *naming,
            Remove(self.first),
            Replace(self.update, "\n".join(lines)),
        ]
        changes += map(Remove, self.proof.steps)
        if self.needs_nan:
            changes.append(InsertAfter(self.second, "\n".join(self._without_numbers(total))))
        return changes

    def _is_tile(self, value: Value) -> bool:
        """Whether the second loop has the elements here, of which the first has the maximum."""
        wanted = self.maximum.tile
        if value not in self.parts or value.rank != self.rank:
            return False
        forms = self.facts.forms
        return forms.of(value).map(self.renaming.get) == forms.of(wanted)

    def _maximum_after(self) -> str:
        return self.maximum.name

    @property
    def _runs(self) -> str:
        text = super()._runs
        names = {n.id for n in ast.walk(parsed(text)) if isinstance(n, ast.Name)}
        if names & names_bound(self.second):
            raise NotExpressible("what bounds the loop has another name after it")
        return text

    @property
    def _counting(self) -> frozenset[Atom]:
        return self.proof.exponential.mask | self.proof.subtrahend.mask
