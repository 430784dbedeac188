"""What straight-line code computes twice, it computes once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tritonopt.emit.writing import NotExpressible, Writer, names_bound, only_loads, reads_of
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.uses import SameValues, taken_as_it_is, users
from tritonopt.facts.values import is_float
from tritonopt.source import Change, InsertBefore, Remove, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import children, walk


@dataclass(frozen=True)
class Stretch:
    """Some statements of a block, told by how many stand before and behind them."""

    facts: KernelFacts
    owner: ast.stmt
    field: str
    before: int
    behind: int
    headings: frozenset[str] = frozenset()
    """Comments on what is spread over several statements now: they do not go with one of these."""
    gone: frozenset[str] = frozenset()
    """Comments on statements that are removed."""

    @classmethod
    def of(cls, facts: KernelFacts, statement: ast.stmt) -> Stretch:
        """One statement."""
        for owner in facts.kernel.nodes:
            for name, block in ast.iter_fields(owner):
                if isinstance(owner, ast.stmt) and isinstance(block, list) and statement in block:
                    place = block.index(statement)
                    return cls(facts, owner, name, place, len(block) - place - 1)
        raise NotExpressible(f"line {statement.lineno} is not in a block of the kernel")

    @property
    def block(self) -> list[ast.stmt]:
        found = getattr(self.owner, self.field)
        assert isinstance(found, list)
        return found

    @cached_property
    def statements(self) -> list[ast.stmt]:
        return self.block[self.before : len(self.block) - self.behind]

    @cached_property
    def nodes(self) -> frozenset[ast.AST]:
        return frozenset(node for statement in self.statements for node in walk(statement))

    @property
    def loads(self) -> int:
        """How many loads it has, in its loops or not."""
        effects = (e for e in self.facts.effects if e.node in self.nodes)
        return sum(e.kind is EffectKind.LOAD for e in effects)

    def names_at(self, place: int) -> Environment:
        """The names that are bound where a statement of the block starts, or at its end."""
        if place < len(self.block):
            return self.facts.before[self.block[place]]
        is_last = self.owner is self.facts.kernel.node
        return self.facts.interpretation.after if is_last else {}

    @property
    def code(self) -> str:
        """With the comments above and below it."""
        return excerpts.block_code(self.facts.kernel.module, self.statements)

    def after(self, changes: Sequence[Change]) -> Stretch:
        """The stretch after changes to nothing but its statements. Raises EditConflict."""
        kernel = self.facts.kernel
        removed = [change for change in changes if isinstance(change, Remove)]
        gone = {text for one in removed for text in excerpts.said_of(kernel.module, one.anchor)}
        changes = [
            replace(change, headings=self.headings) if isinstance(change, Remove) else change
            for change in changes
        ]
        module, (node, owner) = excerpts.after(kernel.module, changes, [kernel.node, self.owner])
        facts = self.facts.after(next(k for k in module.kernels if k.node is node))
        assert isinstance(owner, ast.stmt)
        return replace(self, facts=facts, owner=owner, gone=self.gone | gone)

    def is_read_behind(self, name: str) -> bool:
        """Whether a name may be read after the stretch: below it, or in the next turn of a loop."""
        for statement in self.block[len(self.block) - self.behind :]:
            if reads_of(statement, name) and not binds_first(statement, name):
                return True
            if name in surely_bound(statement):
                return False
        return self.owner is not self.facts.kernel.node and not self._is_of_an_iteration(name)

    def _is_of_an_iteration(self, name: str) -> bool:
        """Whether the stretch is in a loop, and a name is seen in one iteration of it only."""
        if not isinstance(self.owner, ast.For):
            return False
        loop = self.facts.loop_of(self.owner)
        carried = loop is None or name in loop.carried
        return not carried and name not in self.facts.before[self.owner]


def binds_first(statement: ast.stmt, name: str) -> bool:
    """Whether a loop or a branch binds a name before it reads it, as far as its text shows."""
    if not isinstance(statement, (ast.For, ast.If, ast.While)):
        return False
    header = statement.iter if isinstance(statement, ast.For) else statement.test
    if reads_of(header, name):
        return False
    if isinstance(statement, ast.For) and name in names_bound(statement.target):
        return True
    for block in (statement.body, statement.orelse):
        for inner in block:
            if reads_of(inner, name) and not binds_first(inner, name):
                return False
            if name in surely_bound(inner):
                break
    return True


def surely_bound(statement: ast.stmt) -> set[str]:
    """The names that a statement binds whatever happens."""
    match statement:
        case ast.Assign() | ast.AnnAssign():
            return names_bound(statement)
        case ast.If(body=body, orelse=orelse):
            branches = [{n for s in block for n in surely_bound(s)} for block in (body, orelse)]
            return branches[0] & branches[1]
    return set()


# What such a stretch computes twice, it computes once

_EXACT = (0.0, 1.0, -1.0, float("inf"), float("-inf"))
"""What every float type has, so that it may be filled in before or after a cast."""


@dataclass(frozen=True)
class MaskedTile:
    """A masked load, with or without a cast around it."""

    value: Value
    load: Effect

    @property
    def mask(self) -> Value:
        assert self.load.mask is not None
        return self.load.mask


def masked_tile(facts: KernelFacts, node: ast.expr) -> MaskedTile | None:
    value = facts.values[node]
    inner = value.operand if value.op is Op.CAST else value
    if inner.op is not Op.LOAD:
        return None
    load = facts.interpretation.loads[inner.number]
    plain = load.mask is not None and not load.mask.is_none and not load.volatile
    return MaskedTile(value, load) if plain and not load.inlined else None


@dataclass(frozen=True)
class MaskedLanes:
    """What becomes of the lanes that a mask turns off."""

    facts: KernelFacts
    same: SameValues

    @cached_property
    def _alike(self) -> SameValues:
        return SameValues(self.facts, any_other=True)

    @cached_property
    def _users(self) -> dict[int, list[Value]]:
        return users(self.facts.interpretation)

    def are_alike(self, one: Value, other: Value) -> bool:
        """Whether two tiles are the same but for their masked lanes."""
        inner = one.operand if one.op is Op.CAST else one
        return inner.op is Op.LOAD and self._alike.number(one) == self._alike.number(other)

    def reach(self, tile: MaskedTile) -> bool:
        """Whether what the masked lanes hold may be seen in anything that the kernel does."""
        seen = {tile.value.serial}
        todo = [tile.value]
        for value in todo:  # it grows meanwhile
            if self._is_seen(value, tile.mask):
                return True
            for user in self._users.get(value.serial, []):
                if user.serial in seen or self._is_cleared(user, value, tile.mask):
                    continue
                if user.op not in ELEMENTWISE:
                    return True
                seen.add(user.serial)
                todo.append(user)
        return False

    def _is_cleared(self, user: Value, value: Value, mask: Value) -> bool:
        """`tl.where(mask, value, ...)`: the masked lanes are not taken from the value."""
        if user.op is not Op.WHERE or not self._same(user.condition, mask):
            return False
        return value is user.then and value is not user.other

    @cached_property
    def _taken(self) -> set[int]:
        return taken_as_it_is(self.facts, stored=False)

    def _is_seen(self, value: Value, mask: Value) -> bool:
        """Whether an access or a loop takes the value, other than to store it where the mask is."""
        stores = (e for e in self.facts.effects if e.stored is value)
        return value.serial in self._taken or not all(
            e.kind is EffectKind.STORE and self._same(e.mask, mask) for e in stores
        )

    def _same(self, one: Value | None, other: Value) -> bool:
        return one is not None and self.same.number(one) == self.same.number(other)

    def chosen(self, name: str, tile: MaskedTile) -> str | None:
        """The tile with what the load has in its masked lanes, from one with something else."""
        call = tile.load.node
        if not isinstance(call, ast.Call):
            return None
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        given.update(zip(("pointer", "mask", "other"), call.args, strict=False))
        text = self.facts.kernel.module.text_of
        other = tile.load.other
        filler: str | None = "0"
        if other is not None and not other.is_none:
            filler = self._filler(tile, other, text(given["other"]))
        if filler is None or "\n" in text(given["mask"]):
            return None
        where = Writer(self.facts).language("where")
        return f"{where}({text(given['mask'])}, {name}, {filler})"

    def _filler(self, tile: MaskedTile, other: Value, text: str) -> str | None:
        """What is filled in, if it stays what it is in whatever type the tile has."""
        number = other.constant
        if type(number) not in (int, float) or number not in _EXACT:
            return None
        return text if type(number) is int or is_float(tile.value.dtype) else None


_GIVEN = frozenset({Op.CONST, Op.PARAM, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE, Op.FULL, Op.TUPLE})
"""What is so short that everybody writes it again, or starts an accumulator."""


@dataclass(frozen=True)
class Reuse:
    """One step: what the first of the statements that say something again becomes."""

    stretch: Stretch
    copies: frozenset[str]
    """Names that may be given up where they are another name for the same thing."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Names that were made up for a tile, and those that it had."""

    @property
    def facts(self) -> KernelFacts:
        return self.stretch.facts

    @cached_property
    def same(self) -> SameValues:
        return SameValues(self.facts)

    @cached_property
    def masked(self) -> MaskedLanes:
        return MaskedLanes(self.facts, self.same)

    def step(self) -> list[Change]:
        """Empty where there is nothing more to do."""
        for index, statement in enumerate(self.stretch.statements):
            changes = self._repeated(index, statement) or self._load_again(index, statement)
            if changes:
                return changes
        return []

    def undoing(self) -> list[Change]:
        """Gives its name back to a tile, where that is not in the way after all."""
        for index, statement in enumerate(self.stretch.statements):
            match statement:
                case ast.Assign(targets=[ast.Name(id=kept) as target]) if kept in self.renamed:
                    name = self.renamed[kept]
                    changes = self._renamed(index, kept, name)
                    later = self.stretch.statements[index + 1 :]
                    last = max((i for i, s in enumerate(later) if reads_of(s, kept)), default=-1)
                    if changes and not any(reads_of(s, name) for s in later[: last + 1]):
                        del self.renamed[kept]
                        return [ReplaceExpression(target, name), *changes]
        return []

    # Statements that bind what is bound already

    def _repeated(self, index: int, statement: ast.stmt) -> list[Change]:
        if not self._only_binds(statement):
            return []
        if self._binds_the_same(index, statement):
            return [Remove(statement)]
        bound = _plain(statement)
        if bound is None:
            return []
        name, value = bound
        if isinstance(value, ast.Name) and name not in self.copies:
            return []
        known = self._name_of(self.facts.values[value], self.facts.before[statement])
        if known is None:
            known = self._tile_for(value, statement, lanes_count=False)
        if known is None or known == name:
            return []
        if known in self.copies and (named := self._named_after(index, name, known)):
            return named
        renamed = self._renamed(index, name, known)
        return [Remove(statement), *renamed] if renamed is not None else []

    def _named_after(self, index: int, name: str, known: str) -> list[Change]:
        """Gives the name of a tile to what has only that of an accumulator."""
        statements = self.stretch.statements
        for place in reversed(range(index)):
            bound = _plain(statements[place])
            if bound is None or bound[0] != known:
                continue
            taken = name in self.facts.before[statements[place]]
            between = statements[place:index]
            used = any(name in names_bound(s) or reads_of(s, name) for s in between)
            if taken or used or isinstance(bound[1], ast.Name):
                return []
            code = f"{name} = {self.facts.kernel.module.text_of(bound[1])}"
            return [InsertBefore(statements[place], code), ReplaceExpression(bound[1], name)]
        return []

    def _only_binds(self, statement: ast.stmt) -> bool:
        """Whether a statement does nothing but bind names, and load for it."""
        inside = set(walk(statement))
        if any(isinstance(n, (ast.For, ast.While, ast.NamedExpr, ast.Return)) for n in inside):
            return False
        if isinstance(statement, ast.Expr):
            return False
        return only_loads(self.facts, statement, volatile=False)

    def _binds_the_same(self, index: int, statement: ast.stmt) -> bool:
        """Whether each name that a statement binds has that value already."""
        before = self.facts.before[statement]
        after = self.stretch.names_at(self.stretch.before + index + 1)
        names = names_bound(statement)
        return bool(names) and all(
            name in before
            and name in after
            and (after[name].op not in _GIVEN or isinstance(statement, ast.If))
            and self.same.number(before[name]) == self.same.number(after[name])
            for name in names
        )

    def _name_of(self, value: Value, environment: Environment) -> str | None:
        if value.op in _GIVEN:
            return None
        number = self.same.number(value)
        names = (n for n, v in environment.items() if self.same.number(v) == number)
        return next(names, None)

    def _renamed(self, index: int, name: str, other: str) -> list[Change] | None:
        """Reads `other` for `name` from a statement on, as long as neither is bound again.

        None where that leaves a read of `name` that cannot be renamed.
        """
        changes: list[Change] = []
        both = {name, other}
        rebound = False
        for statement in self.stretch.statements[index + 1 :]:
            reads = reads_of(statement, name)
            if rebound and reads:
                return None
            bound = names_bound(statement) & both
            if bound and (_plain(statement) is None or isinstance(statement, ast.AugAssign)):
                return None
            changes += [ReplaceExpression(read, other) for read in reads]
            if name in bound:
                return changes
            rebound = rebound or other in bound
        return None if self.stretch.is_read_behind(name) else changes

    def _tile_for(self, node: ast.expr, place: ast.stmt, *, lanes_count: bool) -> str | None:
        """A tile that differs in the masked lanes at most: its name, or where they count a choice.

        `lanes_count` says whether a choice is wanted.
        """
        tile = masked_tile(self.facts, node)
        if tile is None or lanes_count is False and self.masked.reach(tile):
            return None
        for name, value in self.facts.before[place].items():
            if self.masked.are_alike(value, tile.value):
                return self.masked.chosen(name, tile) if self.masked.reach(tile) else name
        return None

    # Loads that were made already

    def _load_again(self, index: int, statement: ast.stmt) -> list[Change]:
        for place, node in _statements(statement):
            for expression in self._loading(node):
                value = self.facts.values[expression]
                known = self._name_of(value, self.facts.before[place])
                known = known or self._tile_for(expression, place, lanes_count=True)
                if known is not None:
                    return [ReplaceExpression(expression, known)]
                changes = self._named(index, value)
                if changes:
                    return changes
        return []

    def _loading(self, node: ast.AST) -> Iterator[ast.expr]:
        """The expressions that load and do nothing else, outer ones first."""
        inside = set(walk(node))
        effects = [e for e in self.facts.effects if e.node in inside]
        if not effects:
            return
        loads = all(e.kind is EffectKind.LOAD and e.loops == self._loops for e in effects)
        if loads and isinstance(node, ast.expr) and node in self.facts.values:
            yield node
        for child in children(node):
            yield from self._loading(child)

    @cached_property
    def _loops(self) -> tuple[object, ...]:
        """The loops around the stretch."""
        nodes = {id(loop.node): loop for loop in self.facts.loops if not loop.inlined}
        for loop in reversed(list(nodes.values())):
            if self.stretch.statements[0] in set(walk(loop.node)):
                return loop.nest
        return ()

    def _named(self, index: int, value: Value) -> list[Change]:
        """Gives a name to what an earlier statement loads too, if no name keeps it."""
        number = self.same.number(value)
        for place, earlier in enumerate(self.stretch.statements[:index]):
            bound = _plain(earlier)
            if bound is None:
                continue
            name, whole = bound
            if self.same.number(self.facts.values[whole]) == number:
                kept = Writer(self.facts).fresh(f"{name.strip('_')}_tile")
                renamed = self._renamed(place, name, kept)
                if renamed is None or isinstance(earlier, ast.AugAssign):
                    return []
                assert isinstance(earlier, ast.Assign)
                self.renamed[kept] = name
                return [ReplaceExpression(earlier.targets[0], kept), *renamed]
            for expression in self._loading(whole):
                if self.same.number(self.facts.values[expression]) == number:
                    text = self.facts.kernel.module.text_of(expression)
                    base = self._base(value)
                    kept = Writer(self.facts).fresh(base, f"{base}_tile")
                    code = f"{kept} = {text}"
                    return [InsertBefore(earlier, code), ReplaceExpression(expression, kept)]
        return []

    def _base(self, value: Value) -> str:
        """A name for what is loaded: that of the buffer, in small letters."""
        loads = (v for v in value.walk() if v.op is Op.LOAD)
        effect = self.facts.interpretation.loads[next(loads).number]
        base = self.facts.forms.address(effect.pointer)[0] if effect.pointer is not None else None
        return (base or "tile").lower().removesuffix("_ptr").strip("_") or "tile"


def _plain(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            return name, value
    return None


def _statements(statement: ast.stmt) -> Iterator[tuple[ast.stmt, ast.AST]]:
    """A statement and those in its branches, each with what it computes itself."""
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            yield statement, test
            for inner in (*body, *orelse):
                yield from _statements(inner)
        case ast.For() | ast.While() | ast.FunctionDef():
            return
        case _:
            yield statement, statement


def reused(stretch: Stretch, copies: frozenset[str]) -> Stretch:
    """The stretch without what it says twice. Raises EditConflict."""
    renamed: dict[str, str] = {}
    while changes := Reuse(stretch, copies, renamed).step():
        stretch = stretch.after(changes)
    while changes := Reuse(stretch, copies, renamed).undoing():
        stretch = stretch.after(changes)
    return stretch
