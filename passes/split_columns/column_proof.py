"""Whether what is done to a row in one tile may be done tile by tile, in loops over columns."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.accumulators import is_as_wide
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import HINTS, function, is_lane_by_lane
from tritonopt.facts.memory.dependence import INDEPENDENT, LANES, Accesses
from tritonopt.facts.memory.dependence import Kind as Common
from tritonopt.facts.memory.masked_off_value import is_masked_off, number_outside
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.program_ids import sure_callee
from tritonopt.facts.recurrences.kinds import NUMERIC_REDUCTIONS
from tritonopt.facts.values import FLOAT_BITS, is_integer, reachable
from tritonopt.passes.split_columns.row_statements import (
    CLAIM,
    Kind,
    OneTileRow,
    RowStatement,
    check_names,
)
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

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
    """A kernel that may go through its row in tiles."""

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
    """Goes through the conditions; raises Declined at the first one that does not hold."""
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
        self.attempt.prove(CLAIM, "all that is done to the row is done lane by lane, or reduces it")
        self._check_masks()
        calls = [call for statement in statements for call in statement.reductions]
        reduced = {call: self._reduced(call) for call in calls}
        self.attempt.prove("masked-off-lanes-add-nothing", "lanes past the row change no reduction")
        self._check_memory(statements)
        return ColumnTiles(self.row, statements, reduced)

    # What is done

    def _check_effects(self) -> None:
        for effect in self.facts.effects:
            where = f"{effect.name} in line {effect.line}"
            if effect.kind is EffectKind.CALL:
                text = f"what {where} does is not known"
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
        return unknown(CLAIM, "not-lane-by-lane", f"{what}, of a row as a whole")

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
                    text = "the kernel may be left after the first tile of the row"
                    raise refuted("loops-are-plain", "early-exit", text)

    def _check_masks(self) -> None:
        claim, inside = "reads-nothing-more", self.row.indicator
        for effect in self.facts.effects:
            if effect.pointer is None or effect.pointer.shape == ():
                continue
            if not is_masked_off(self.facts, effect.mask, lambda atom: atom == inside):
                text = f"line {effect.line} is not masked off past the end of the row"
                raise refuted(claim, "length-matters", text)
        self.attempt.prove(claim, "all loads and stores are masked past the end of the row")

    # Reductions

    def _reduced(self, call: ast.Call) -> Reduced:
        value = self.facts.values[call]
        name, operand = value.reduction.name, value.operand
        if self._off(operand) != NUMERIC_REDUCTIONS[name].identity:
            text = f"the {name} in line {call.lineno} may take in lanes past the end of the row"
            raise unknown("masked-off-lanes-add-nothing", "masked-off-lanes-count", text)
        if any(k.arg not in ("axis", "input") for k in call.keywords):
            text = f"the {name} in line {call.lineno} has options"
            raise unknown(CLAIM, "not-lane-by-lane", text)
        return Reduced(call, name, self._dtype(call, operand, name), self._rounds(operand, name))

    def _rounds(self, operand: Value, name: str) -> bool:
        return name == "sum" and not is_integer(operand.dtype)

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
            text = f"line {call.lineno} adds up in {dtype}"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", text)
        assert dtype is not None
        return _SPELLED.get(dtype, dtype)

    def _off(self, value: Value) -> float | None:
        """The number that a value is in all lanes behind the end of the row; None where open."""
        row, facts = self.row, self.facts
        number = number_outside(
            facts, value, row.indicator, row.condition, lambda part: part.shape != ()
        )
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
        while inside.op is Op.MUL and _is_positive(inside):
            inside = next(o for o in inside.operands if not isinstance(o.constant, float))
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
        otherwise = "nothing is stored that is loaded"
        self.accesses.prove(self.attempt, "data-is-unchanged", otherwise)
        for statement in statements:
            if statement.kind is Kind.NUMBER:
                self._check_order(statement, writes)

    def _check_order(self, statement: RowStatement, writes: list[Effect]) -> None:
        """An atomic of one element that gives something back may be another program's signal."""
        for effect in self.row.effects_in(statement.node):
            if effect.kind is EffectKind.ATOMIC and any(w is not effect for w in writes):
                text = f"{effect.name} in line {effect.line} may tell that all is stored"
                raise refuted("data-is-unchanged", "order-is-seen", text)


def _is_of_lanes(helper: Kernel, node: ast.AST) -> bool:
    """Whether a part of a helper does the same for each lane, as far as it is told by name."""
    if not isinstance(node, ast.Call):
        return not isinstance(node, ast.Subscript)
    name = function(helper.module.resolve(node.func))
    method = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
    return bool(name and is_lane_by_lane(name)) or (not name and method) or node in _jit(helper)


def _jit(helper: Kernel) -> list[ast.expr]:
    """Decorators of a helper."""
    return [
        part for d in helper.node.decorator_list for part in walk(d) if isinstance(part, ast.Call)
    ]


def _called(value: Value) -> str:
    return value.function or (value.reduction.name if value.op is Op.REDUCE else str(value.op))


def _is_positive(product: Value) -> bool:
    return any(isinstance(o.constant, float) and o.constant > 0 for o in product.operands)
