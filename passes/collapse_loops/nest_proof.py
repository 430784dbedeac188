"""Whether the elements of a nest may be gone through in tiles of any length, wherever rows end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.stretch import Stretch
from tritonopt.emit.writing import block_of, names_bound
from tritonopt.facts import EffectKind, Polynomial, Value
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.compiled_types import counter_type
from tritonopt.facts.memory.dependence import check_plain
from tritonopt.facts.memory.masked_off_value import is_masked_off
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.precision import check_pins
from tritonopt.passes.collapse_loops.index_nests import Nest
from tritonopt.passes.collapse_loops.nest_memory import prove_memory
from tritonopt.passes.collapse_loops.nest_sums import (
    SUMS,
    Accumulator,
    accumulators,
    sees_carried,
)

_LANES = "iterations-are-independent"
_OPTIONS = {"num_stages", "loop_unroll_factor"}
_GIVEN = frozenset({Op.CONST, Op.DTYPE, Op.ITERATION, Op.LANE, Op.LOAD, Op.CARRIED})
_CHOSEN = frozenset({Op.PHI, Op.IN_BRANCH})


@dataclass(frozen=True)
class Collapse:
    """A nest that may become one loop."""

    nest: Nest
    accumulators: tuple[Accumulator, ...]

    @property
    def rounds(self) -> bool:
        return any(a.rounds for a in self.accumulators)


def prove_nest(nest: Nest, attempt: Attempt) -> Collapse:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    return _Proof(nest, attempt).check()


@dataclass(frozen=True)
class _Proof:
    nest: Nest
    attempt: Attempt

    def check(self) -> Collapse:
        nest = self.nest
        self._check_loops()
        check_plain(nest.effects, (EffectKind.LOAD, EffectKind.STORE), "the elements")
        self._check_statements()
        self._check_values()
        self._check_masks()
        carried = accumulators(nest, self.attempt)
        prove_memory(nest, self.attempt, meets=any(a.tile is None for a in carried))
        self._check_names({a.name for a in carried})
        if any(a.rounds for a in carried):
            check_pins(self.attempt, nest.facts)
        return Collapse(nest, carried)

    # Loops and statements

    def _check_loops(self) -> None:
        facts, claim = self.nest.facts, "loops-are-plain"
        facts.check_parameters()
        for loop in self.nest.loops:
            where = f"the loop in line {loop.line}"
            facts.check_ends(loop)
            options = set(loop.options) - (_OPTIONS if loop is self.nest.sweep else set())
            if options:
                raise refuted(claim, "loop-options", f"{where} says {', '.join(sorted(options))}")
            count = facts.forms.trip_count(loop)
            if count is None or self._varies(count):
                text = f"{where} has another trip count in each iteration of the loops around it"
                raise refuted(claim, "differs-between-iterations", text)
        self.attempt.prove(claim, "each loop counts to a number that does not change")
        kinds = {counter_type(facts, loop, fits=True) for loop in self.nest.loops}
        if None in kinds or len(kinds) > 1:
            text = "the loops count in integers of different types, or of types not known"
            raise unknown("is-expressible", "not-expressible", text)
        unsure = [e for e in self._extents if not facts.forms.is_nonnegative(e)]
        if unsure:
            names = ", ".join(e.readable for e in unsure)
            self.attempt.assume("sizes-are-positive", f"{names} is at least 0")

    @property
    def _extents(self) -> list[Polynomial]:
        counts = [self.nest.facts.forms.trip_count(loop) for loop in self.nest.outer]
        return [*(count for count in counts if count is not None), self.nest.extent]

    def _varies(self, form: Polynomial) -> bool:
        return any(varies_with(atom, loop) for atom in form.atoms for loop in self.nest.loops)

    def _check_statements(self) -> None:
        """Between the loops numbers are computed, and nothing is done behind an inner one."""
        nest, claim = self.nest, "iterations-are-independent"
        for loop, above in zip(nest.outer, nest.between, strict=True):
            behind = loop.node.body[len(above) + 1 :]
            if behind:
                text = f"line {behind[0].lineno} is after the inner loop"
                raise refuted(claim, "loop-does-more", text)
            for statement in above:
                plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
                if not plain or any(e.node in set(ast.walk(statement)) for e in nest.effects):
                    text = f"line {statement.lineno} does more than compute an index"
                    raise refuted(claim, "loop-does-more", text)
        if not nest.places:
            text = f"the places of the lanes in the row have no name in line {nest.sweep.line}"
            raise unknown("is-expressible", "not-expressible", text)
        self._check_mentions()

    def _check_mentions(self) -> None:
        """The counter of the sweep, the length of a tile and lanes are named for places alone."""
        nest, facts = self.nest, self.nest.facts
        assert isinstance(nest.sweep.node, ast.For) and isinstance(nest.sweep.node.target, ast.Name)
        counter = nest.sweep.node.target.id
        allowed = {n for s in nest.places for n in ast.walk(s)}
        allowed |= {n for loop in nest.loops for n in ast.walk(loop.node.iter)}  # type: ignore[union-attr]
        carried = set(nest.sweep.carried)
        bound = {n for s in nest.first.body for n in names_bound(s)} | names_bound(nest.first)
        for node in (n for n in ast.walk(nest.first) if n not in allowed):
            value = facts.values.get(node) if isinstance(node, ast.expr) else None
            if isinstance(node, ast.Call):
                self._check_call(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                outside = node.id not in bound and value is not None and value.rank != 0
                if node.id == counter or (outside and node.id not in carried):
                    text = f"line {node.lineno} uses {node.id} for more than places in the row"
                    raise refuted(_LANES, "not-lane-by-lane", text)
            if value is not None and (self._is_tile_length(value) or value.op is Op.LANE):
                text = f"line {node.lineno} depends on the length of a tile"  # type: ignore[attr-defined]
                raise refuted(_LANES, "not-lane-by-lane", text)

    def _is_tile_length(self, value: Value) -> bool:
        known = value.op in (Op.CONSTEXPR, Op.PARAM, Op.GLOBAL, Op.CONST)
        return (
            known
            and bool(self.nest.tile.atoms)
            and any(atom in self.nest.tile.atoms for atom in self.nest.facts.forms.of(value).atoms)
        )

    def _check_call(self, node: ast.Call) -> None:
        facts = self.nest.facts
        module = facts.kernel.module
        method = isinstance(node.func, ast.Attribute) and node.func.value in facts.values
        language = module.resolve(node.func).startswith("triton.language")
        if not (language or method or module.builtin(node.func)):
            text = f"line {node.lineno} calls {ast.unparse(node.func)}, which may see a tile"
            raise unknown(_LANES, "not-lane-by-lane", text)

    # Values

    def _check_values(self) -> None:
        nest, facts = self.nest, self.nest.facts
        for effect in nest.effects:
            for guard in effect.guards:
                if nest.varies(guard.condition):
                    text = f"whether line {effect.line} runs depends on the iteration"
                    raise refuted(_LANES, "differs-between-iterations", text)
            parts = (effect.pointer, effect.mask, effect.other, effect.stored)
            if any(sees_carried(nest, part) for part in parts if part is not None):
                text = f"line {effect.line} uses what the iterations before have left"
                raise refuted(SUMS, "not-a-recurrence", text)
        todo = [value for node, value in facts.values.items() if node in nest.nodes]
        seen: set[int] = set()
        while todo:
            part = todo.pop()
            if part.serial not in seen and nest.varies(part):
                self._check_part(part)
                todo += part.operands
            seen.add(part.serial)
        self.attempt.prove(_LANES, "all that is computed is computed lane by lane")

    def _check_part(self, part: Value) -> None:
        allowed = part.op in ELEMENTWISE or part.op in _GIVEN
        if part.op in _CHOSEN:
            allowed = part.op is Op.IN_BRANCH or not self.nest.varies(part.condition)
        if part.op is Op.REDUCE:
            allowed = any(part in self._terms(loop.following) for loop in [self.nest.sweep])
        if part.op is Op.RESULT:
            allowed = any(part is loop.result.get(part.carrier.name) for loop in self.nest.loops)
        if part.op is Op.CARRIED:
            allowed = part.carrier.name not in self.nest.counters
        if part.op is Op.ATTRIBUTE:
            allowed = part.name == "dtype"
        if not allowed or (part.rank or 0) > 1:
            what = part.reason if part.op is Op.OPAQUE else str(part.op)
            raise unknown(
                _LANES, "not-lane-by-lane", f"the nest has {what}, of one tile as a whole"
            )

    def _terms(self, following: dict[str, Value]) -> Iterator[Value]:
        for value in following.values():
            for operand in value.operands:
                yield operand
                if operand.op is Op.CAST:
                    yield operand.operand

    # Lanes behind the end of the row

    def _check_masks(self) -> None:
        claim, nest = "reads-nothing-more", self.nest
        for node in nest.nodes:
            if isinstance(node, ast.Compare) and self._ends_otherwise(node):
                text = f"line {node.lineno} asks for the end of the row in a way of its own"
                raise unknown("is-expressible", "not-expressible", text)
        for effect in nest.effects:
            if effect.pointer is None:
                continue
            where = f"line {effect.line}"
            if not self.nest.varies(effect.pointer):
                parts = [p for p in (effect.mask, effect.other) if p is not None]
                if any(map(self.nest.varies, parts)):
                    raise unknown(claim, "not-lane-by-lane", f"{where} masks a single element")
                continue
            if not is_masked_off(nest.facts, effect.mask, lambda atom: atom == nest.indicator):
                text = f"{where} is not masked off past the end of the row"
                raise refuted(claim, "length-matters", text)
        self.attempt.prove(claim, "all loads and stores are masked past the end of the row")

    def _ends_otherwise(self, node: ast.Compare) -> bool:
        """Whether it comes to the end of the row, but as a part of a larger question."""
        facts, end = self.nest.facts, Polynomial.of(self.nest.indicator)
        value = facts.values.get(node)
        if value is None or facts.forms.condition(value) in (end, ONE - end):
            return False
        sides = [facts.values.get(part) for part in (node.left, *node.comparators)]
        inside = {a for side in sides if side is not None for a in facts.forms.of(side).leaves()}
        asked = set(facts.forms.condition(value).leaves())
        return self.nest.indicator in asked and self.nest.indicator not in inside

    # Names

    def _check_names(self, carried: set[str]) -> None:
        """What the nest binds has another shape now: it must neither come from above nor go on."""
        nest, facts = self.nest, self.nest.facts
        block = block_of(facts.kernel.node, nest.first)
        owner = self._owner(block)
        place = block.index(nest.first)
        stretch = Stretch(facts, owner[0], owner[1], place, len(block) - place - 1)
        before = facts.before[nest.first]
        for name in sorted(names_bound(nest.first) - carried):
            known = before.get(name)
            if known is not None and known.op is not Op.OPAQUE:
                text = f"{name} has a value before the nest, of another shape"
                raise refuted("type-stays", "rows-differ", text)
            if stretch.is_read_behind(name):
                text = f"{name} is read after the nest"
                raise refuted("accumulators-are-sums", "last-value-is-used", text)

    def _owner(self, block: list[ast.stmt]) -> tuple[ast.stmt, str]:
        for node in self.nest.facts.kernel.nodes:
            for field, found in ast.iter_fields(node):
                if found is block and isinstance(node, ast.stmt):
                    return node, field
        raise unknown("is-expressible", "not-expressible", "the nest is in no block")
