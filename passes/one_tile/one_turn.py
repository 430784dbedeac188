"""Loops that run once, without the loop: the body, in which the counter has its first value."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from tritonopt.emit.reuse import Stretch
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import NotExpressible, names_bound, only_loads, reads_of
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.compiled_types import (
    NUMBER,
    NamedNumbers,
    counter_type,
    integer_type,
    is_compared_alike,
    promoted,
    stays_itself,
)
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import EXTREMES
from tritonopt.facts.uses import SameValues, passes_nan, taken_as_it_is, users
from tritonopt.facts.values import is_float
from tritonopt.source import Change, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.comments import heads_more
from tritonopt.source.trees import children, walk


@dataclass(frozen=True)
class Straightened:
    """The stretch from the first loop to the last, with the loops gone."""

    stretch: Stretch
    ends: tuple[int, ...]
    """For each loop, the place in the block behind what was its body."""
    copies: frozenset[str]
    """Names that are another name for something, now that a 0 is no longer added to it."""


def straightened(sweeps: RowSweeps, updates: Sequence[Change]) -> Straightened:
    """Takes the bodies of the loops out of them.

    `updates` are changes inside of the loops, which come first; they leave every statement in its
    place. Raises NotExpressible, EditConflict.
    """
    block = sweeps.block
    places = [block.index(loop.node) for loop in sweeps.loops]
    before = block.index(sweeps.statements[0])
    behind = len(block) - before - len(sweeps.statements)
    headings = frozenset(_headings(sweeps))
    stretch = Stretch(sweeps.facts, sweeps.owner, sweeps.field, before, behind, headings)
    stretch = stretch.after(updates)
    counters = [_Counter(stretch.facts, _for(stretch, place)) for place in places]
    stretch = stretch.after([change for counter in counters for change in counter.changes()])
    module = stretch.facts.kernel.module
    loops = [_for(stretch, place) for place in places]
    bodies = [Replace(loop, excerpts.block_code(module, loop.body)) for loop in loops]
    more = accumulate(len(loop.body) - 1 for loop in loops)
    ends = tuple(place + 1 + added for place, added in zip(places, more, strict=True))
    copies = frozenset(name for counter in counters for name in counter.copies)
    return Straightened(stretch.after(bodies), ends, copies)


def _headings(sweeps: RowSweeps) -> Iterator[str]:
    """The comments above loops, or above what starts what the loop right below goes on with."""
    statements, loops = sweeps.statements, {loop.node for loop in sweeps.loops}
    for place, statement in enumerate(statements):
        below = statements[place + 1 :]
        pairs = zip(statements[place:], below, strict=False)
        apart = (i for i, (one, other) in enumerate(pairs) if other.lineno - 1 != one.end_lineno)
        attached = below[: next(apart, None)]
        if statement in loops or heads_more(statement, attached, set(below) - loops):
            yield from excerpts.said_of(sweeps.facts.kernel.module, statement)


def _for(stretch: Stretch, place: int) -> ast.For:
    loop = stretch.block[place]
    assert isinstance(loop, ast.For)
    return loop


@dataclass(frozen=True)
class _Counter:
    """The variable that a loop counts with, and what is made of it alone."""

    facts: KernelFacts
    loop: ast.For
    zeros: dict[str, str | None] = field(default_factory=dict)
    """Names that are 0 throughout the one iteration, with the integer type of each, if known."""
    copies: set[str] = field(default_factory=set)

    def changes(self) -> Iterator[Change]:
        """Leaves a counter that is 0 out of sums, and binds any other first value to its name.

        The counter is a tensor and the 0 would be a number, so nothing but `0 + x` is folded, and
        that where it is `x` in value and type. Raises NotExpressible where it is more than that.
        """
        assert isinstance(self.loop.target, ast.Name)
        name, body = self.loop.target.id, self.loop.body
        known = self.facts.loop_of(self.loop)
        assert known is not None and known.start is not None
        counted = counter_type(self.facts, known)
        if known.start.constant == 0:
            self.zeros[name] = counted
            self._find_zeros()
        changes = list(self._all_folded())
        left = self._left(name, changes)
        if counted == NUMBER and name in self.zeros:
            # The counter of an unrolled loop is a number.
            changes += (ReplaceExpression(read, "0") for read in left)
        elif left:
            if name in self.zeros:
                text = f"line {left[0].lineno} uses the induction variable as a tensor"
                raise NotExpressible(f"{text}, and its first value is a number")
            yield InsertBefore(body[0], f"{name} = {self._first(known, counted)}")
        yield from (Remove(s) for s in body if self._bound(s) is not None)
        yield from changes
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=copy)], value=ast.BinOp() as value):
                    if self._bound(statement) is None and isinstance(self._kept(value), ast.Name):
                        self.copies.add(copy)

    def _first(self, loop: Loop, counted: str | None) -> str:
        """The code for the counter's first value, of the counter's type."""
        assert isinstance(self.loop.iter, ast.Call) and loop.start is not None
        own = promoted([integer_type(self.facts, loop.start, fits=True), "int32"])
        if counted not in ("int32", "int64") or own != counted:
            where = f"the induction variable of the loop in line {loop.line}"
            raise NotExpressible(f"{where} is not known to have the type of its first value")
        return self.facts.kernel.module.text_of(self.loop.iter.args[0])

    def _find_zeros(self) -> None:
        """Names that are bound to 0 alone, and read where that 0 can be left out."""
        for statement in self.loop.body:
            name = self._binds_zero(statement)
            if name:
                assert isinstance(statement, ast.Assign)
                own = self._named.type_of(statement.value)
                self.zeros[name] = "int32" if own == NUMBER else own
        while True:
            read = [n for n in self._names() if self._left(n, list(self._all_folded()))]
            if not read:
                return
            for name in read:
                del self.zeros[name]

    def _names(self) -> list[str]:
        """Zeros other than the counter."""
        assert isinstance(self.loop.target, ast.Name)
        return [name for name in self.zeros if name != self.loop.target.id]

    def _all_folded(self) -> Iterator[Change]:
        for statement in self.loop.body:
            if self._bound(statement) is None:
                yield from self._folded(statement)

    def _bound(self, statement: ast.stmt) -> str | None:
        """The name that a statement binds to 0, where all that read it do without."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._names():
                return name
        return None

    def _left(self, name: str, changes: Sequence[Change]) -> list[ast.Name]:
        """Where a name is still read after these changes."""
        gone = self._gone(changes)
        kept = (s for s in self.loop.body if self._bound(s) is None)
        return [read for s in kept for read in reads_of(s, name) if read not in gone]

    def _gone(self, changes: Sequence[Change]) -> set[ast.AST]:
        """The nodes that these changes leave out."""
        gone: set[ast.AST] = set()
        for change in changes:
            if isinstance(change, ReplaceExpression) and isinstance(change.anchor, ast.expr):
                kept = self._kept(change.anchor, self._compared.get(change.anchor))
                gone |= set(walk(change.anchor)) - set(walk(kept))
        return gone

    @cached_property
    def _named(self) -> NamedNumbers:
        return NamedNumbers(self.facts, self.zeros, self.zeros.__contains__)

    @cached_property
    def _compared(self) -> dict[ast.AST, ast.expr]:
        """What is compared, by what it is compared with."""
        found: dict[ast.AST, ast.expr] = {}
        for node in walk(self.loop):
            if isinstance(node, ast.Compare) and len(node.comparators) == 1:
                found[node.left], found[node.comparators[0]] = node.comparators[0], node.left
        return found

    def _binds_zero(self, statement: ast.stmt) -> str:
        """The name that a statement binds to 0, if the loop keeps it for itself."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._named.is_zero(value):
                known = self.facts.loop_of(self.loop)
                bindings = [s for s in self.loop.body if name in names_bound(s)]
                if known is not None and name not in known.carried and len(bindings) == 1:
                    return name
        return ""

    def _folded(self, node: ast.AST) -> Iterator[Change]:
        if isinstance(node, ast.expr):
            kept = self._kept(node, self._compared.get(node))
            if kept is not node:
                yield ReplaceExpression(node, self.facts.kernel.module.text_of(kept))
                return
        for child in children(node):
            yield from self._folded(child)

    def _kept(self, node: ast.expr, against: ast.expr | None = None) -> ast.expr:
        """`0 + x`, `x + 0` and `x - 0` are `x`, where the 0 changes nothing of it.

        `against` is what it is compared with.
        """
        match node:
            case ast.BinOp(op=ast.Add(), left=left, right=right) if self._named.is_zero(left):
                other, zero = right, left
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right) if self._named.is_zero(
                right
            ):
                other, zero = left, right
            case _:
                return node
        if self._named.is_zero(other):
            return node
        alike = against is not None and is_compared_alike(self.facts, other, against)
        if not alike and not stays_itself(self.facts, other, self._named.type_of(zero)):
            return node
        return self._kept(other, against)


# What is left over when the loops are gone: names that nobody reads, or that are read once


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
        if not only_loads(self.stretch.facts, statement, volatile=False):
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
    while changes := without_least(stretch) or early_mask(stretch):
        stretch = stretch.after(changes)
    while changes := Tidying(stretch, frozenset(names), frozenset(sums)).step():
        stretch = stretch.after(changes)
    return stretch


def without_selects(stretch: Stretch) -> Stretch:
    """Drops `x = tl.where(mask, x, 0.0)` where the load of x has the mask, and `other=0.0`."""
    values, loads = stretch.facts.values, stretch.facts.interpretation.loads
    gone: list[Change] = []
    for statement in stretch.statements:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(args=[condition, ast.Name(id=kept) as tile, ast.Constant()]) as call,
            ) if name == kept and call in values and values[call].op is Op.WHERE:
                value, number = values[tile], values[call].other.constant
                if value.op is not Op.CAST or value.dtype != "fp32" or value.shape is None:
                    continue
                load = loads[value.operand.number] if value.operand.op is Op.LOAD else None
                other = load.other if load is not None else None
                if (
                    load is not None
                    and load.mask is values[condition]
                    and values[call].shape == value.shape
                    and number == 0
                    and other is not None
                    and repr(other.constant) == repr(number) == "0.0"
                    and not excerpts.said_of(stretch.facts.kernel.module, statement)
                ):
                    gone.append(Remove(statement))
    return stretch.after(gone)


def early_mask(stretch: Stretch) -> list[Change]:
    """Binds a mask where it is first computed, and reads its name from there on."""
    facts, statements = stretch.facts, stretch.statements
    for index, statement in enumerate(statements):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Compare() as mask):
                inside = [
                    (earlier, node)
                    for earlier in statements[:index]
                    for node in walk(earlier)
                    if isinstance(node, ast.Compare)
                    and facts.values.get(node) is facts.values[mask]
                ]
                if not inside or [s for s in statements if name in names_bound(s)] != [statement]:
                    continue
                now, then = facts.before[statement], facts.before[inside[0][0]]
                read = {n.id for n in walk(mask) if isinstance(n, ast.Name)}
                said = excerpts.said_of(facts.kernel.module, statement)
                if all(now.get(n) is then.get(n) for n in read) and not (
                    name in then or set(said) - stretch.headings
                ):
                    text = facts.kernel.module.text_of(statement)
                    bound = InsertBefore(inside[0][0], text)
                    return [
                        Remove(statement),
                        bound,
                        *(ReplaceExpression(n, name) for _, n in inside),
                    ]
    return []


def without_least(stretch: Stretch) -> list[Change]:
    """Takes -inf out of a maximum, and inf out of a minimum; empty where none can go."""
    for statement in stretch.statements:
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Call(args=[left, right]) as call):
                for one, other in ((left, right), (right, left)):
                    if _is_only(stretch.facts, call, one, other):
                        text = stretch.facts.kernel.module.text_of(other)
                        return [ReplaceExpression(call, text)]
    return []


def _is_only(facts: KernelFacts, call: ast.Call, one: ast.expr, other: ast.expr) -> bool:
    """Whether a call gives nothing but the second of its arguments."""
    kind = EXTREMES.get(function(facts.kernel.module.resolve(call.func)))
    whole, number, extreme = (facts.values.get(n) for n in (call, one, other))
    if kind is None or whole is None or number is None or extreme is None:
        return False
    if number.constant != kind.identity:
        return False
    inner = extreme.operand if extreme.op is Op.CAST else extreme
    if inner.op is not Op.REDUCE or inner.reduction.name != kind.reduction:
        return False
    typed = is_float(extreme.dtype) and whole.dtype in (extreme.dtype, None)
    return typed and _is_mixed(facts, whole, inner.operand)


def _is_mixed(facts: KernelFacts, extreme: Value, tile: Value) -> bool:
    """Whether all that takes the extreme takes elements of the tile as well."""
    same = SameValues(facts)
    return extreme.serial not in taken_as_it_is(facts) and all(
        passes_nan(user) and any(o is not extreme and _is_nan(same, o, tile) for o in user.operands)
        for user in users(facts.interpretation).get(extreme.serial, [])
    )


def _is_nan(same: SameValues, value: Value, tile: Value) -> bool:
    """Whether a value is NaN throughout where the tile is."""
    todo, seen = [value], {value.serial}
    for part in todo:  # it grows meanwhile
        if same.number(part) == same.number(tile):
            return True
        passes = passes_nan(part) or (part.op is Op.REDUCE and part.reduction.name == "sum")
        more = [p for p in part.operands if passes and p.serial not in seen]
        seen.update(p.serial for p in more)
        todo += more
    return False
