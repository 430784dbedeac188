"""Whether the elements of a nest may be gone through in tiles of any length, wherever rows end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.reuse import Stretch
from tritonopt.emit.writing import block_of, names_bound, reads_of
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Param
from tritonopt.facts.algebra.divisibility import replaced
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.compiled_types import counter_type
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import function
from tritonopt.facts.memory.dependence import (
    INDEPENDENT,
    Accesses,
    Index,
    Kind,
    are_apart,
    check_exchange,
    check_plain,
    same_place,
)
from tritonopt.facts.memory.masked_off_value import check_masked_off, number_outside
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.precision import check_pins, is_as_wide
from tritonopt.facts.recurrences.kinds import BY_REDUCTION
from tritonopt.facts.recurrences.reading import reduced_update
from tritonopt.facts.values import FLOAT_BITS, is_integer, reachable
from tritonopt.passes.collapse_loops.index_nests import Nest

_PLACE = Param("(position in the row)")
"""What no parameter is called."""


def prove_memory(nest: Nest, attempt: Attempt, *, meets: bool) -> None:
    """Raises Declined where the order of the elements, or of threads, may be seen.

    `meets` says that all threads meet in each turn, to reduce a tile.
    """
    accesses = Accesses(nest.facts)
    said = _Memory(nest, accesses).check_nest()
    check_exchange(nest.facts, nest.loops[0], nest.effects, accesses, meets=meets)
    attempt.prove(INDEPENDENT, said, accesses.used.given)
    accesses.prove(attempt, INDEPENDENT, "no other code accesses the stored elements")


@dataclass(frozen=True)
class _Memory:
    nest: Nest
    accesses: Accesses

    @property
    def facts(self) -> KernelFacts:
        return self.nest.facts

    def check_nest(self) -> str:
        stores = [e for e in self.nest.effects if e.kind is EffectKind.STORE]
        for store in stores:
            assert store.pointer is not None
            if not self.nest.varies(store.pointer):
                text = f"line {store.line} stores to one element in every iteration"
                raise refuted(INDEPENDENT, "dependence-between-iterations", text)
        for one, other in combinations(stores, 2):
            if not self.accesses.are_disjoint(one, other):
                raise self._open(f"lines {one.line} and {other.line} may store to one element")
        said = ["each element stores to its own address"] if stores else ["nothing is stored"]
        for store in stores:
            said.append(self._check_store(store))
        return "; ".join(dict.fromkeys(said))

    def _open(self, text: str) -> Declined:
        return unknown(INDEPENDENT, "dependence-between-iterations", text)

    def _check_store(self, store: Effect) -> str:
        assert store.pointer is not None
        loads = [e for e in self.nest.effects if e.kind is EffectKind.LOAD]
        near = [load for load in loads if not self.accesses.are_disjoint(store, load)]
        for load in near:
            same = same_place(self.facts, store, load)
            self.accesses.used &= same
            if same.kind is Kind.OPEN:
                text = f"line {load.line} may load what line {store.line} stores for another "
                raise self._open(text + "element")
        around = [
            Index.of(self.facts, loop)
            for loop in self.nest.loops[0].nest[-2::-1]
            if any(varies_with(atom, loop) for atom in self.facts.forms.of(store.pointer).atoms)
        ]
        own = self._are_apart(store, [])
        if around and not (own and self._are_apart(store, around)):
            line = self.nest.loops[0].nest[-2].line
            text = f"the loop in line {line} may access what line {store.line} stored in "
            raise self._open(text + "another lane")
        if own:
            return f"line {store.line} processes its elements one by one"
        if not near and self._stores_by_place(store):
            return f"the value that line {store.line} stores depends on that element alone"
        text = f"it is not proved that line {store.line} stores to another element each time"
        raise self._open(text)

    def _are_apart(self, store: Effect, around: list[Index]) -> bool:
        """Whether each element of the nest, in each turn around it, is stored to its own place."""
        assert store.pointer is not None
        facts, nest = self.facts, self.nest
        base, offset = facts.forms.address(store.pointer)
        sweep = Index.of(facts, nest.sweep)
        in_row = Polynomial.of(_PLACE) - nest.tile * Polynomial.of(sweep.atom)
        offset = replaced(offset, {Lane(nest.tile, 0): in_row})
        row = Index(_PLACE, nest.extent, lambda atom: _PLACE in atom.leaves())
        step = offset.coefficient(_PLACE)
        number = None if step is None else step.constant_value
        outer = [Index.of(facts, loop) for loop in reversed(nest.outer)]
        indices = [row, *outer, *around]
        open_ = any(isinstance(leaf, Lane) or sweep.varies(leaf) for leaf in offset.leaves())
        ours = base is not None and number is not None and number > 0 and not open_
        return ours and are_apart(facts, offset, indices)

    def _stores_by_place(self, store: Effect) -> bool:
        """Whether the value depends on the element only by what is loaded at the same offset."""
        assert store.stored is not None
        assert store.pointer is not None
        _, wanted = self.facts.forms.address(store.pointer)
        todo, seen = [store.stored], set()
        while todo:
            part = todo.pop()
            if part.serial in seen or not self.nest.varies(part):
                continue
            seen.add(part.serial)
            if part.op is Op.LOAD and self._is_at(part, wanted, store.mask):
                continue
            if part.op in (Op.LANE, Op.ITERATION, Op.CARRIED, Op.OPAQUE, Op.RESULT):
                return False
            todo += part.operands
        return True

    def _is_at(self, load: Value, wanted: Polynomial, mask: Value | None) -> bool:
        """Whether a load has the offset of the store, and is on wherever the store is."""
        forms = self.facts.forms
        base, offset = forms.address(load.pointer)
        if base is None or not (offset - wanted).is_zero or mask is None:
            return False
        on = forms.condition(load.mask)
        return on == forms.condition(mask) or on == Polynomial.of(self.nest.indicator)


# What a nest carries from turn to turn: sums, maxima and minima that any tiles add up to

SUMS = "accumulators-are-sums"


@dataclass(frozen=True)
class Accumulator:
    """What the nest carries: a number, or a tile that is reduced behind it."""

    name: str
    reduction: str
    tile: ast.expr | None
    """The call that makes the tile; None of a number."""
    rounds: bool


def accumulators(nest: Nest, attempt: Attempt) -> tuple[Accumulator, ...]:
    """All that the nest carries. Raises Declined where that is anything else."""
    names = sorted(set(nest.loops[0].carried) - nest.counters)
    found = tuple(_Carried(nest).accumulator(name) for name in names)
    kinds = ", ".join(f"{a.name} ({a.reduction})" for a in found)
    said = f"carried are {kinds}" if kinds else "nothing is carried from iteration to iteration"
    attempt.prove(SUMS, said)
    return found


def sees_carried(nest: Nest, value: Value) -> bool:
    """Whether a value is made of what the turns before have left."""
    return any(p.op is Op.CARRIED and p.carrier.loop in nest.identities for p in value.walk())


@dataclass(frozen=True)
class _Carried:
    nest: Nest

    def accumulator(self, name: str) -> Accumulator:
        sweep = self.nest.sweep
        following, carried = sweep.following.get(name), sweep.carried.get(name)
        if following is None or carried is None:
            raise self._is_more(name, "is carried by an outer loop alone")
        if carried not in set(following.walk()):
            text = f"{name} has a value before the nest, of another shape"
            raise refuted("type-stays", "rows-differ", text)
        update = reduced_update(sweep, name)
        if update is None:
            raise self._is_more(name, "is not a sum, maximum or minimum of tiles")
        reduction, inner = update[0].reduction, update[1]
        if sees_carried(self.nest, inner):
            raise self._is_more(name, "is combined with values of previous iterations")
        number = carried.rank == 0
        if inner.rank != 1 or not self._adds_nothing(inner, reduction):
            text = f"{name} may include lanes past the end of the row"
            raise unknown("masked-off-lanes-add-nothing", "masked-off-lanes-count", text)
        if reduction == "sum" and not self._is_wide(inner if number else carried):
            text = f"{name} is summed in a narrow or unknown type"
            raise unknown("accumulators-are-wide", "accumulator-is-narrow", text)
        tile = None if number else self._tile(name, reduction)
        rounds = reduction == "sum" and not is_integer(inner.dtype)
        return Accumulator(name, reduction, tile, rounds)

    def _is_more(self, name: str, what: str) -> Declined:
        return refuted(SUMS, "not-a-recurrence", f"{name} {what}")

    def _is_wide(self, value: Value) -> bool:
        """Whether more can be added up in its type, in whatever order: no fp16, which ends soon."""
        if value.op is Op.PHI:
            return self._is_wide(value.then) and self._is_wide(value.other)
        if value.dtype in FLOAT_BITS:
            return FLOAT_BITS[value.dtype] >= 32
        if value.dtype is not None and is_integer(value.dtype):
            return value.dtype.endswith(("int32", "int64"))
        wide = frozenset({"fp32", "fp64", "int32", "int64"})
        return is_as_wide(value, "fp32") or self.nest.facts.types.of(value).all_in(wide)

    def _tile(self, name: str, reduction: str) -> ast.expr:
        """The call that makes the tile of an accumulator, for it gets another length."""
        nest, facts = self.nest, self.nest.facts
        claim = "nothing-else-is-lost"
        initial, result = nest.loops[0].initial[name], nest.loops[0].result[name]
        if initial.op is not Op.FULL or initial.operand.constant is None:
            raise unknown(claim, "accumulator-starts-elsewhere", f"{name} begins with a tile")
        if float(str(initial.operand.constant)) != BY_REDUCTION[reduction].identity:
            text = f"each lane of {name} does not start at the identity"
            raise refuted(claim, "accumulator-starts-elsewhere", text)
        for value in reachable(self._all_values()):
            whole = value.op is Op.REDUCE and value.rank == 0
            if result in value.operands and not (whole and value.reduction.name == reduction):
                text = f"{name} is used for more than its {reduction} after the nest"
                raise refuted(claim, "not-lane-by-lane", text)
        used = {part for e in facts.effects for part in (e.stored, e.pointer, e.mask) if part}
        if result in used or any(result in loop.initial.values() for loop in facts.loops):
            raise refuted(
                claim, "not-lane-by-lane", f"the tile {name} itself is used after the nest"
            )
        return self._making(name, initial)

    def _all_values(self) -> Iterator[Value]:
        facts = self.nest.facts
        yield from facts.values.values()
        for effect in facts.effects:
            yield from (p for p in (effect.pointer, effect.mask, effect.stored, effect.other) if p)
        for loop in facts.loops:
            yield from loop.following.values()

    def _making(self, name: str, initial: Value) -> ast.expr:
        nest, facts = self.nest, self.nest.facts
        block = block_of(facts.kernel.node, nest.first)
        before = block[: block.index(nest.first)]
        for place in range(len(before) - 1, -1, -1):
            statement = before[place]
            if name not in names_bound(statement):
                continue
            match statement:
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as call) if facts.values.get(
                    call
                ) is initial and function(facts.kernel.module.resolve(call.func)) in (
                    "zeros",
                    "full",
                ):
                    reads = [r for s in before[place + 1 :] for r in reads_of(s, name)]
                    if not reads:
                        return call
            break
        text = f"the tile of {name} is not made by one call right above the nest"
        raise unknown("is-expressible", "not-expressible", text)

    def _adds_nothing(self, term: Value, reduction: str) -> bool:
        """Whether the lanes behind the end of the row change nothing."""
        nest = self.nest
        number = number_outside(nest.facts, term, nest.indicator, nest.varies)
        return number == BY_REDUCTION[reduction].identity


_LANES = "iterations-are-independent"
_OPTIONS = {"num_stages", "loop_unroll_factor"}
_GIVEN = frozenset({Op.CONST, Op.DTYPE, Op.ITERATION, Op.LANE, Op.LOAD, Op.CARRIED})
_CHOSEN = frozenset({Op.PHI, Op.IN_BRANCH})


@dataclass(frozen=True)
class Collapse:
    nest: Nest
    accumulators: tuple[Accumulator, ...]

    @property
    def rounds(self) -> bool:
        return any(a.rounds for a in self.accumulators)


def prove_nest(nest: Nest, attempt: Attempt) -> Collapse:
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
            if count is None or any(
                varies_with(a, one) for a in count.atoms for one in self.nest.loops
            ):
                text = (
                    f"{where} does not have the same trip count in each iteration of the "
                    "outer loops"
                )
                raise refuted(claim, "differs-between-iterations", text)
        self.attempt.prove(claim, "each loop counts to a number that does not change")
        kinds = {counter_type(facts, loop, fits=True) for loop in self.nest.loops}
        if None in kinds or len(kinds) > 1:
            text = "the loops count in integers of different or unknown types"
            raise unknown("is-expressible", "not-expressible", text)
        unsure = [e for e in self.nest.counts if not facts.forms.is_nonnegative(e)]
        if unsure:
            names = ", ".join(e.readable for e in unsure)
            self.attempt.assume("sizes-are-positive", f"{names} is at least 0")

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
                    text = f"line {node.lineno} uses {node.id} for more than positions in the row"
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
                text = f"line {effect.line} uses values of previous iterations"
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
                text = f"line {node.lineno} tests the end of the row in another way"
                raise unknown("is-expressible", "not-expressible", text)
        for effect in nest.effects:
            if effect.pointer is None:
                continue
            if nest.varies(effect.pointer):
                check_masked_off(nest.facts, [effect], nest.indicator)
                continue
            parts = [p for p in (effect.mask, effect.other) if p is not None]
            if any(map(nest.varies, parts)):
                text = f"line {effect.line} masks a single element"
                raise unknown(claim, "not-lane-by-lane", text)
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
        stretch = Stretch.of(facts, nest.first)
        before = facts.before[nest.first]
        for name in sorted(names_bound(nest.first) - carried):
            known = before.get(name)
            if known is not None and known.op is not Op.OPAQUE:
                text = f"{name} has a value before the nest, of another shape"
                raise refuted("type-stays", "rows-differ", text)
            if stretch.is_read_behind(name):
                text = f"{name} is read after the nest"
                raise refuted("accumulators-are-sums", "last-value-is-used", text)
