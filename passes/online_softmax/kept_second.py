"""Writes the one sweep in the place of the second, where that one does more than to add."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tritonopt.emit.writing import NotExpressible, names_bound
from tritonopt.facts import Atom, Value
from tritonopt.facts.algebra.atoms import Iteration
from tritonopt.passes.online_softmax.online_legality import OnlineSum
from tritonopt.passes.online_softmax.online_sweep import OnlineSweep
from tritonopt.source import Change, InsertAfter, Remove, Replace
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk


class KeptSecond(OnlineSweep):
    """The second sweep stays, and keeps the maximum too; the first one goes."""

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
            raise NotExpressible("what is exponentiated has no name in its sweep")
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
        """Whether the second sweep has the elements here, of which the first has the maximum."""
        wanted = self.maximum.tile
        if value not in self.parts or value.rank != self.rank:
            return False
        forms = self.facts.forms
        return forms.of(value).map(self.renaming.get) == forms.of(wanted)

    def _maximum_behind(self) -> str:
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
