"""Whether what is done to a row in one tile may be done tile by tile, in loops over columns."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import names_bound, names_read
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Negative
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import HINTS, function, is_lane_by_lane
from tritonopt.facts.memory.dependence import INDEPENDENT, LANES, Accesses
from tritonopt.facts.memory.dependence import Kind as Common
from tritonopt.facts.memory.masked_off_value import check_masked_off, number_outside
from tritonopt.facts.operations import COMPARISONS, ELEMENTWISE, Op
from tritonopt.facts.precision import is_as_wide
from tritonopt.facts.program_ids import sure_callee
from tritonopt.facts.recurrences.kinds import NUMERIC_REDUCTIONS
from tritonopt.facts.values import FLOAT_BITS, is_integer, reachable
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

CLAIM = "iterations-are-independent"


class Kind(Enum):
    NUMBER = "number"
    """It computes, loads or stores numbers of the row, and is done once."""
    TILE = "tile"
    """It binds tiles, and is done again in each loop that needs them."""
    STORE = "store"
    """It stores tiles, in the last loop."""


@dataclass(frozen=True, eq=False)
class RowStatement:
    node: ast.stmt
    kind: Kind
    reductions: tuple[ast.Call, ...]
    """The calls in it that reduce a tile, inner before outer."""

    @cached_property
    def reads(self) -> set[str]:
        return names_read(self.node)

    @cached_property
    def binds(self) -> set[str]:
        return names_bound(self.node)


@dataclass(frozen=True)
class OneTileRow:
    """A kernel without loops, whose tiles are all as long as one constexpr says."""

    facts: KernelFacts
    tile: Value
    """The constexpr."""
    extent: Polynomial
    """How many elements a row has: lanes from there on are masked off."""

    @cached_property
    def place(self) -> Polynomial:
        return Polynomial.of(Lane(self.facts.forms.of(self.tile), 0))

    @cached_property
    def indicator(self) -> Negative:
        """1 in the lanes of the row, 0 behind its end."""
        return Negative(self.place - self.extent)

    @cached_property
    def lanes(self) -> list[ast.Call]:
        """The calls that make lanes, and what a hint says of one of them where it is made."""
        values, module = self.facts.values, self.facts.kernel.module
        own = (n for n in self.facts.kernel.nodes if isinstance(n, ast.Call) and n in values)
        return [
            call
            for call in own
            if values[call].op is Op.LANE
            and any(
                isinstance(part, ast.Call) and function(module.resolve(part.func)) == "arange"
                for part in walk(call)
            )
        ]

    def is_tile(self, node: ast.AST) -> bool:
        value = self.facts.values.get(node) if isinstance(node, ast.expr) else None
        return value is not None and value.shape != ()

    def effects_in(self, statement: ast.stmt) -> list[Effect]:
        inside = set(walk(statement))
        return [e for e in self.facts.effects if e.node in inside]

    @cached_property
    def statements(self) -> tuple[RowStatement, ...]:
        """In order. Raises Declined where one is of no kind."""
        return tuple(self._read(statement) for statement in self.facts.kernel.statements)

    def _read(self, node: ast.stmt) -> RowStatement:
        values = self.facts.values
        inside = walk(node)
        reductions = [
            n
            for n in inside
            if isinstance(n, ast.Call) and n in values and values[n].op is Op.REDUCE
        ]
        reductions.sort(key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0, -n.col_offset))
        kind = self._kind(node)
        if isinstance(node, ast.If) and (reductions or self.is_tile(node.test)):
            text = f"the `if` in line {node.lineno} reduces a tile"
            raise refuted(CLAIM, "not-lane-by-lane", text)
        return RowStatement(node, kind, tuple(reductions))

    def _kind(self, node: ast.stmt) -> Kind:
        effects = self.effects_in(node)
        writes = [e for e in effects if e.kind is not EffectKind.LOAD]
        tiles = [e for e in writes if e.pointer is not None and e.pointer.shape != ()]
        if tiles:
            if len(tiles) != len(writes) or names_bound(node):
                text = f"line {node.lineno} does more than store a tile"
                raise refuted(CLAIM, "loop-does-more", text)
            return Kind.STORE
        bound = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        tiled = [n for n in bound if self._binds_tile(node, n)]
        if not tiled:
            return Kind.NUMBER
        if len(tiled) != len(bound) or writes:
            text = f"line {node.lineno} does more than compute a tile"
            raise refuted(CLAIM, "loop-does-more", text)
        return Kind.TILE

    def _binds_tile(self, statement: ast.stmt, name: ast.Name) -> bool:
        """Whether a name is a tile behind the statement."""
        body = self.facts.kernel.statements
        place = body.index(statement) + 1
        known = (
            self.facts.before[body[place]] if place < len(body) else self.facts.interpretation.after
        )
        value = known.get(name.id)
        if value is None:
            text = f"what {name.id} is after line {statement.lineno} is not known"
            raise unknown(CLAIM, "opaque-value", text)
        return value.shape != ()


def one_tile_row(facts: KernelFacts) -> OneTileRow | None:
    """The kernel as one that holds a row in a tile and reduces it; None where it seems none."""
    if facts.loops or not facts.kernel.node.body:
        return None
    lengths = {v.extent for v in facts.interpretation.computed if v.op is Op.LANE}
    if len(lengths) != 1:
        return None
    (tile,) = lengths
    reduced = [v for v in facts.interpretation.computed if v.op is Op.REDUCE]
    if tile.op is not Op.CONSTEXPR or not reduced or any(v.operand.rank != 1 for v in reduced):
        return None
    extents = set(_extents(facts, tile))
    if len(extents) != 1:
        return None
    return OneTileRow(facts, tile, extents.pop())


def _extents(facts: KernelFacts, tile: Value) -> Iterator[Polynomial]:
    place = Polynomial.of(Lane(facts.forms.of(tile), 0))
    for value in facts.values.values():
        if value.op not in COMPARISONS:
            continue
        atom = facts.forms.condition(value).sole_atom
        if isinstance(atom, Negative):
            extent = place - atom.form
            if not any(isinstance(leaf, Lane) for leaf in extent.leaves()):
                yield extent


def check_names(row: OneTileRow, statements: Sequence[RowStatement]) -> None:
    """A name is a tile or a number throughout, and stays what a tile was made of."""
    numbers = {n for s in statements if s.kind is Kind.NUMBER for n in s.binds}
    given = {p.name for p in row.facts.kernel.parameters}
    for statement in statements:
        if statement.kind is not Kind.TILE:
            continue
        for name in sorted(statement.binds & (numbers | given)):
            text = f"{name} is a number, and a tile from line {statement.node.lineno} on"
            raise refuted("type-stays", "rows-differ", text)
    seen: set[str] = set()
    tiles = {n for s in statements if s.kind is Kind.TILE for n in s.binds}
    for statement in statements:
        if statement.kind is Kind.NUMBER:
            reduced = {n for call in statement.reductions for n in walk(call)}
            for node in walk(statement.node):
                if isinstance(node, ast.Name) and node.id in tiles and node not in reduced:
                    text = f"line {node.lineno} uses {node.id} for more than its elements"
                    raise refuted(CLAIM, "not-lane-by-lane", text)
            again = sorted(statement.binds & seen)
            if again:
                text = f"line {statement.node.lineno} binds {again[0]} again, which tiles use"
                raise refuted("type-stays", "name-is-bound-elsewhere", text)
        else:
            seen |= statement.reads


_PASSED_ON = ELEMENTWISE | {Op.LANE, Op.FULL, Op.LOAD, Op.REDUCE, Op.PHI, Op.IN_BRANCH}
_SPELLED = {"fp16": "float16", "fp32": "float32", "fp64": "float64", "bf16": "bfloat16"}
_COMMUTING = frozenset({"atomic_add", "atomic_max", "atomic_min"})


@dataclass(frozen=True)
class Reduced:
    """A reduction, and the tile that takes up what it reduces."""

    call: ast.Call
    name: str
    """sum, max or min."""
    dtype: str
    """The type of the tile, as `triton.language` names it; `X.dtype.element_ty` is written so."""
    rounds: bool


@dataclass(frozen=True)
class ColumnTiles:
    row: OneTileRow
    statements: tuple[RowStatement, ...]
    reduced: dict[ast.Call, Reduced]

    @property
    def rounds(self) -> bool:
        return any(r.rounds for r in self.reduced.values())

    @property
    def compares(self) -> bool:
        """Whether it takes the largest or the least of a row."""
        return any(r.name != "sum" for r in self.reduced.values())


def prove_column_tiles(row: OneTileRow, attempt: Attempt) -> ColumnTiles:
    return _Proof(row, attempt, Accesses(row.facts)).check()


@dataclass(frozen=True)
class _Proof:
    row: OneTileRow
    attempt: Attempt
    accesses: Accesses

    @property
    def facts(self) -> KernelFacts:
        return self.row.facts

    def check(self) -> ColumnTiles:
        self.facts.check_parameters()
        self._check_effects()
        statements = self.row.statements
        self._check_values()
        self._check_mentions()
        check_names(self.row, statements)
        self._check_exits(statements)
        self.attempt.prove(CLAIM, "all operations on the row are lane by lane, or reduce it")
        self._check_masks()
        calls = [call for statement in statements for call in statement.reductions]
        reduced = {call: self._reduced(call) for call in calls}
        self.attempt.prove(
            "masked-off-lanes-add-nothing", "lanes past the end of the row change no reduction"
        )
        self._check_memory(statements)
        return ColumnTiles(self.row, statements, reduced)

    # What is done

    def _check_effects(self) -> None:
        for effect in self.facts.effects:
            where = f"{effect.name} in line {effect.line}"
            if effect.kind is EffectKind.CALL:
                text = f"the effects of {where} are unknown"
                raise unknown("effects-are-known", "unknown-call", text)
            known = (EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC, EffectKind.EXIT)
            if effect.kind not in known or effect.volatile or effect.inlined:
                raise refuted("data-is-unchanged", "order-is-seen", f"{where} orders memory")
            tile = effect.pointer is not None and effect.pointer.shape != ()
            if effect.kind is EffectKind.ATOMIC and (tile and effect.name not in _COMMUTING):
                raise refuted("data-is-unchanged", "order-is-seen", f"{where} orders memory")

    def _check_values(self) -> None:
        for node, value in self.facts.values.items():
            if isinstance(node, ast.Call):
                self._check_call(node, value)
        unused = {s.value for s in self.facts.kernel.nodes if isinstance(s, ast.Expr)}
        roots = [value for node, value in self.facts.values.items() if node not in unused]
        for part in reachable(roots):
            of_numbers = all(operand.shape == () for operand in part.operands)
            if part.shape == () and of_numbers:
                continue
            known = part.op in _PASSED_ON
            if part.op is Op.REDUCE:
                known = part.rank == 0 and part.reduction.name in NUMERIC_REDUCTIONS
            if part.op is Op.ATTRIBUTE:
                known = part.name == "dtype"
            if not known or (part.rank or 0) > 1 or part.rank is None:
                what = part.reason if part.op is Op.OPAQUE else _called(part)
                raise self._of_a_row(f"the kernel has {what}")

    def _of_a_row(self, what: str) -> Declined:
        return unknown(CLAIM, "not-lane-by-lane", f"{what}, on a whole row")

    def _check_call(self, node: ast.Call, value: Value) -> None:
        """What is called may not see more of a tile than its elements, but to reduce it."""
        module = self.facts.kernel.module
        own = module.resolve(node.func).startswith("triton.language")
        if value.op is Op.REDUCE and not (own and 1 <= len(node.args) <= 2):
            raise self._of_a_row(f"line {node.lineno} has another reduction")
        hint = function(module.resolve(node.func)) in HINTS and self.row.is_tile(node)
        if hint and node not in self.row.lanes:
            raise self._of_a_row(f"line {node.lineno} has a hint about a tile")
        method = isinstance(node.func, ast.Attribute) and node.func.value in self.facts.values
        if own or method or module.builtin(node.func):
            return
        given = [*node.args, *(k.value for k in node.keywords)]
        if not any(map(self.row.is_tile, [node, *given])):
            return
        helper = sure_callee(self.facts.kernel, node)
        if helper is None or not all(_is_of_lanes(helper, n) for n in walk(helper.node)):
            raise self._of_a_row(f"line {node.lineno} calls {ast.unparse(node.func)}")

    def _check_mentions(self) -> None:
        """The length of the tile says how many lanes there are, and nothing else."""
        allowed = {n for call in self.row.lanes for n in ast.walk(call)}
        for node, value in self.facts.values.items():
            if isinstance(node, ast.Call) and value.op is Op.FULL:
                shapes = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "shape")]
                allowed |= {part for shape in shapes for part in ast.walk(shape)}
        for node, value in self.facts.values.items():
            if value is self.row.tile and node not in allowed:
                text = f"line {node.lineno} uses the length of the tile"
                raise refuted(CLAIM, "not-lane-by-lane", text)

    def _check_exits(self, statements: Sequence[RowStatement]) -> None:
        exits = [e.order for e in self.facts.effects if e.kind is EffectKind.EXIT]
        for statement in statements:
            if statement.kind is Kind.NUMBER:
                continue
            for effect in self.row.effects_in(statement.node):
                if any(order > effect.order for order in exits):
                    text = "the kernel may exit after the first tile of the row"
                    raise refuted("loops-are-plain", "early-exit", text)

    def _check_masks(self) -> None:
        tiles = (e for e in self.facts.effects if e.pointer is not None and e.pointer.shape != ())
        check_masked_off(self.facts, tiles, self.row.indicator)
        detail = "all loads and stores are masked past the end of the row"
        self.attempt.prove("reads-nothing-more", detail)

    # Reductions

    def _reduced(self, call: ast.Call) -> Reduced:
        value = self.facts.values[call]
        name, operand = value.reduction.name, value.operand
        if self._off(operand) != NUMERIC_REDUCTIONS[name].identity:
            text = f"the {name} in line {call.lineno} may include lanes past the end of the row"
            raise unknown("masked-off-lanes-add-nothing", "masked-off-lanes-count", text)
        if any(k.arg not in ("axis", "input") for k in call.keywords):
            text = f"the {name} in line {call.lineno} has options"
            raise unknown(CLAIM, "not-lane-by-lane", text)
        rounds = name == "sum" and not is_integer(operand.dtype)
        return Reduced(call, name, self._dtype(call, operand, name), rounds)

    def _dtype(self, call: ast.Call, operand: Value, name: str) -> str:
        """The type that the tile has to have: that of what is reduced, and wide for a sum."""
        dtype = operand.dtype
        if dtype is None and is_as_wide(operand, "fp32"):
            types = self.facts.types.of(operand).seen
            dtype = "fp32" if "fp64" not in types else None
        if dtype is None and name != "sum" and operand.op is Op.LOAD:
            base, _ = self.facts.forms.address(operand.pointer)
            if base is not None:
                return f"{base}.dtype.element_ty"
        wide = dtype in ("fp32", "fp64", "int32", "int64")
        if dtype not in _SPELLED and not (wide and name == "sum"):
            text = f"the type of what line {call.lineno} reduces is not known"
            raise unknown("accumulators-are-wide", "type-is-unknown", text)
        if name == "sum" and not wide:
            text = f"line {call.lineno} sums in {dtype}"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", text)
        assert dtype is not None
        return _SPELLED.get(dtype, dtype)

    def _off(self, value: Value) -> float | None:
        """The number that a value is in all lanes behind the end of the row; None where open."""
        inside = self.row.indicator
        number = number_outside(self.facts, value, inside, lambda part: part.shape != ())
        return self._below_the_maximum(value) if number is None else number

    def _below_the_maximum(self, value: Value) -> float | None:
        """0 of `exp(x - m)`, where m is the maximum of x, and x is -inf behind the row.

        Where m is -inf as well, so is all of the row: the sum is NaN without these lanes too.
        """
        while value.op is Op.CAST and FLOAT_BITS.get(value.dtype or "", 0) >= 16:
            value = value.operand
        function = value.function.rsplit(".", 1)[-1] if value.op is Op.ELEMENTWISE else ""
        if function not in ("exp", "exp2"):
            return None
        inside = value.operands[0]
        while inside.op is Op.MUL and any((_scale(o) or 0) > 0 for o in inside.operands):
            inside = next(o for o in inside.operands if _scale(o) is None)
        if inside.op is not Op.SUB or inside.right.op is not Op.REDUCE:
            return None
        top = inside.right
        if top.reduction.name != "max" or top.operand is not inside.left:
            return None
        return 0.0 if self._off(inside.left) == -math.inf else None

    # Memory

    def _check_memory(self, statements: Sequence[RowStatement]) -> None:
        """Loads are done again, and stores of tiles wait for the last loop."""
        effects = [e for e in self.facts.effects if e.pointer is not None]
        writes = [e for e in effects if e.kind in (EffectKind.STORE, EffectKind.ATOMIC)]
        for write in writes:
            for load in (e for e in effects if e.kind is EffectKind.LOAD):
                common = self.accesses.of(write, load, LANES).kind
                if common is not Common.NONE and not (
                    common is Common.OWN and load.order < write.order
                ):
                    text = f"line {write.line} may store to what line {load.line} loads"
                    raise unknown("data-is-unchanged", "data-may-change", text)
        for one, other in combinations(writes, 2):
            alike = one.name == other.name and one.kind is EffectKind.ATOMIC
            if self.accesses.of(one, other, LANES).kind is Common.OPEN and not alike:
                text = f"lines {one.line} and {other.line} may store to one element"
                raise unknown(INDEPENDENT, "dependence-between-iterations", text)
        otherwise = "no stored element is loaded"
        self.accesses.prove(self.attempt, "data-is-unchanged", otherwise)
        for statement in statements:
            if statement.kind is Kind.NUMBER:
                self._check_order(statement, writes)

    def _check_order(self, statement: RowStatement, writes: list[Effect]) -> None:
        """An atomic of one element that gives something back may be another program's signal."""
        for effect in self.row.effects_in(statement.node):
            if effect.kind is EffectKind.ATOMIC and any(w is not effect for w in writes):
                text = f"{effect.name} in line {effect.line} may signal that all is stored"
                raise refuted("data-is-unchanged", "order-is-seen", text)


def _is_of_lanes(helper: Kernel, node: ast.AST) -> bool:
    """Whether a part of a helper does the same for each lane, as far as it is told by name."""
    if not isinstance(node, ast.Call):
        return not isinstance(node, ast.Subscript)
    name = function(helper.module.resolve(node.func))
    method = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
    decorators = (part for d in helper.node.decorator_list for part in walk(d))
    return bool(name and is_lane_by_lane(name)) or (not name and method) or node in decorators


def _scale(value: Value) -> float | None:
    return value.constant if isinstance(value.constant, float) else None


def _called(value: Value) -> str:
    return value.function or (value.reduction.name if value.op is Op.REDUCE else str(value.op))
