"""What is left over when the loops are gone: names that nobody reads, or that are read once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.stretch import Stretch
from tritonopt.emit.writing import names_bound, reads_of
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import EXTREMES
from tritonopt.facts.uses import SameValues, users
from tritonopt.facts.values import is_float
from tritonopt.source import Change, Remove, ReplaceExpression
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Tidying:
    """One step; `names` are those that the loops carried."""

    stretch: Stretch
    names: frozenset[str]
    sums: frozenset[str]
    """Of these, the accumulators that are what was added to them."""

    def step(self) -> list[Change]:
        """Empty where there is nothing more to do."""
        for index, statement in enumerate(self.stretch.statements):
            name = _bound(statement)
            if name not in self.names:
                continue
            if self._is_dead(index, name):
                return [Remove(statement)]
            if name in self.sums and isinstance(statement, ast.Assign):
                changes = self._put_in_place(index, name, statement)
                if changes:
                    return changes
        return []

    def _is_dead(self, index: int, name: str) -> bool:
        """Whether what a statement binds is never read, and nothing else comes of it."""
        statement = self.stretch.statements[index]
        inside = set(walk(statement))
        effects = (e for e in self.stretch.facts.effects if e.node in inside)
        if any(e.kind is not EffectKind.LOAD or e.volatile for e in effects):
            return False
        for later in self.stretch.statements[index + 1 :]:
            if _reads(later, name):
                return False
            if _bound(later) == name:
                return True
        return not self.stretch.is_read_behind(name)

    def _put_in_place(self, index: int, name: str, statement: ast.Assign) -> list[Change]:
        """What is read just once is written where it is read."""
        facts, later = self.stretch.facts, self.stretch.statements[index + 1 :]
        if self.stretch.is_read_behind(name):
            return []
        reads: list[tuple[ast.stmt, ast.Name]] = []
        for other in later:
            reads += [(other, read) for read in reads_of(other, name)]
            if name in names_bound(other):
                if _bound(other) != name or isinstance(other, ast.AugAssign):
                    return []
                break
        if len(reads) != 1 or isinstance(reads[0][0], (ast.For, ast.While, ast.If)):
            return []
        ((place, read),) = reads
        if not self._is_reduced(place, read):
            return []
        inside = set(walk(statement.value))
        if not facts.effect_nodes.isdisjoint(inside) or any(
            isinstance(n, ast.Name)
            and n in facts.values
            and facts.before[place].get(n.id) is not facts.before[statement].get(n.id)
            for n in inside
        ):
            return []
        text = facts.kernel.module.text_of(statement.value)
        return [] if "\n" in text else [Remove(statement), ReplaceExpression(read, text)]

    def _is_reduced(self, place: ast.stmt, read: ast.Name) -> bool:
        """Whether a tile is read to be reduced, which is where its name says least."""
        calls = (n for n in walk(place) if isinstance(n, ast.Call) and read in n.args)
        values = self.stretch.facts.values
        return any(c in values and values[c].op is Op.REDUCE for c in calls)


def _bound(statement: ast.stmt) -> str:
    """The one name that a plain assignment binds; "" for all else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return name
    return ""


def _reads(statement: ast.stmt, name: str) -> bool:
    own = isinstance(statement, ast.AugAssign) and _bound(statement) == name
    return (
        own
        or bool(reads_of(statement, name))
        or (name in names_bound(statement) and _bound(statement) != name)
    )


def tidied(stretch: Stretch, names: Sequence[str], sums: Sequence[str]) -> Stretch:
    """The stretch without what the loops needed."""
    while changes := without_least(stretch):
        stretch = stretch.after(changes)
    while changes := Tidying(stretch, frozenset(names), frozenset(sums)).step():
        stretch = stretch.after(changes)
    return stretch


_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.CAST})
_PASSING_NAN = frozenset({"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs"})


def without_least(stretch: Stretch) -> list[Change]:
    """Takes -inf out of a maximum, and inf out of a minimum; empty where none can go."""
    for statement in stretch.statements:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(args=[left, right]) as call):
                extremes = _Extremes(stretch.facts, call)
                for one, other in ((left, right), (right, left)):
                    if extremes.is_only(one, other):
                        text = stretch.facts.kernel.module.text_of(other)
                        return [ReplaceExpression(call, text)]
    return []


@dataclass(frozen=True)
class _Extremes:
    facts: KernelFacts
    call: ast.Call

    @cached_property
    def _same(self) -> SameValues:
        return SameValues(self.facts)

    def is_only(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether the call gives nothing but the second of its arguments."""
        name = function(self.facts.kernel.module.resolve(self.call.func))
        kind = EXTREMES.get(name)
        whole, number, extreme = (self.facts.values.get(n) for n in (self.call, one, other))
        if kind is None or whole is None or number is None or extreme is None:
            return False
        if number.constant != kind.identity:
            return False
        inner = extreme.operand if extreme.op is Op.CAST else extreme
        if inner.op is not Op.REDUCE or inner.reduction.name != kind.reduction:
            return False
        typed = is_float(extreme.dtype) and whole.dtype in (extreme.dtype, None)
        return typed and self._is_mixed(whole, inner.operand)

    def _is_mixed(self, extreme: Value, tile: Value) -> bool:
        """Whether all that takes the extreme takes elements of the tile as well."""
        facts, loops = self.facts, self.facts.loops
        held = [v for loop in loops for end in (loop.initial, loop.following) for v in end.values()]
        accesses = [v for e in facts.effects for v in (e.pointer, e.mask, e.other, e.stored)]
        asked = [guard.condition for e in facts.effects for guard in e.guards]
        if any(extreme is value for value in (*held, *accesses, *asked)):
            return False
        return all(
            user.op in _ARITHMETIC
            and any(o is not extreme and self._is_nan(o, tile) for o in user.operands)
            for user in users(facts.interpretation).get(extreme.serial, [])
        )

    def _is_nan(self, value: Value, tile: Value) -> bool:
        """Whether a value is NaN throughout where the tile is."""
        wanted = self._same.number(tile)
        todo, seen = [value], {value.serial}
        for part in todo:  # it grows meanwhile
            if self._same.number(part) == wanted:
                return True
            more = [p for p in self._passing(part, tile) if p.serial not in seen]
            seen.update(p.serial for p in more)
            todo += more
        return False

    def _passing(self, value: Value, tile: Value) -> Iterator[Value]:
        """The operands of which one that is NaN makes the value NaN."""
        name = value.function.rsplit(".", 1)[-1]
        if value.op in _ARITHMETIC or (value.op is Op.ELEMENTWISE and name in _PASSING_NAN):
            yield from value.operands
        elif value.op is Op.REDUCE and value.reduction.name == "sum":
            yield value.operand
        elif value.op is Op.WHERE and self._is_its_mask(value.condition, tile):
            yield value.then

    def _is_its_mask(self, condition: Value, tile: Value) -> bool:
        """A lane that the mask turns off holds no NaN, so it is on in all of such a tile."""
        inner = tile.operand if tile.op is Op.CAST else tile
        if inner.op is not Op.LOAD:
            return False
        mask = self.facts.interpretation.loads[inner.number].mask
        return mask is not None and self._same.number(mask) == self._same.number(condition)
