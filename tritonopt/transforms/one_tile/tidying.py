"""What is left over when the loops are gone: names that nobody reads, or that are read once."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.facts import EffectKind
from tritonopt.facts.operations import Op
from tritonopt.source import Change, Remove, ReplaceExpression
from tritonopt.source.trees import walk
from tritonopt.transforms.one_tile.extremes import without_least
from tritonopt.transforms.one_tile.stretch import Stretch
from tritonopt.transforms.writing import names_bound, reads_of


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
