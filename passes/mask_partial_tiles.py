"""mask-partial-tiles: the mask of a tile of scores is applied where it is not true all over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, TypeAlias

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer, block_of, is_plain, statements_around
from tritonopt.facts import Atom, KernelFacts, Loop, Value
from tritonopt.facts.algebra.atoms import Iteration, Lane, Loaded, ProgramId
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.dtypes import FLOATS, INTEGERS, is_number
from tritonopt.facts.language import MATRIX, function
from tritonopt.facts.loop_nests import loop_of_products
from tritonopt.facts.operations import Op
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Enclose
from tritonopt.source.trees import walk

_CLAIM = "mask-is-true-for-whole-tiles"
_WRITTEN = {Op.LT: ast.Lt, Op.LE: ast.LtE, Op.GT: ast.Gt, Op.GE: ast.GtE}
_OPPOSITE = {Op.LT: Op.GE, Op.LE: Op.GT, Op.GT: Op.LE, Op.GE: Op.LT}
_KEEPING = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.WHERE, Op.PHI, Op.MINIMUM, Op.MAXIMUM}
    | {Op.IN_BRANCH, Op.INSERT_AXES, Op.BROADCAST_TO}
)
"""What is of floats where an operand is."""
_LIKE_LANES = frozenset({Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION})
_MEETING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.INSERT_AXES, Op.BROADCAST_TO})
_OF_ANY_WIDTH = frozenset({Op.LOAD, Op.CAST, Op.CARRIED, Op.RESULT, Op.PHI, Op.OPAQUE})
_Comparison: TypeAlias = tuple[Op, Value, Value]
_FEW = "a gain was measured if rows of the program are compared with columns that end at these rows"


@dataclass(frozen=True)
class MaskPartialTiles(Pass):
    """Apply the mask of a tile of scores only where some element is masked off.

    ## What it does

    In a loop with `tl.dot`, `s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))` moves
    under an `if` that compares the first row with the last column of the tile. Statements right
    before it that only compute the mask move too.

    ## Why

    In causal attention no element of most tiles is masked off, so these tiles skip the mask. Loads
    stay outside of the branch, so Triton still pipelines them. If it is not named, the pass
    requires that the program id selects the rows and the iteration the columns, that the loop
    starts at a column before all rows, and that it ends at a bound computed from the program id.

    ## Conditions

    - The mask combines comparisons with `&` (or with `|` if the tile is the last argument of
      `tl.where`). Each compares sums and differences of lanes and scalars, which may have positive
      factors (`extremes-are-not-known`).
    - The other argument of `tl.where` is a number; shape and type of the tile do not change. We
      assume that `tl.dot` multiplies floats; with integers the branch would not compile.
    - The loop is not warp-specialized. A mask under another runtime `if` is no site.
    - We assume that index arithmetic does not overflow (`no-int32-overflow`).

    ## Numerics

    `exact`, and the bits are the same.

    ## Example

    ```python
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, 16)
    q = tl.load(Q + rows[:, None] * 16 + dims[None, :])
    for start in range(0, (tl.program_id(0) + 1) * BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(q, tl.load(K + cols[None, :] * 16 + dims[:, None]))
        s = tl.where(rows[:, None] >= cols[None, :], s, 0.0)
        tl.store(Y + rows[:, None] * N + cols[None, :], s)
    ```

    becomes

    ```python
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, 16)
    q = tl.load(Q + rows[:, None] * 16 + dims[None, :])
    for start in range(0, (tl.program_id(0) + 1) * BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(q, tl.load(K + cols[None, :] * 16 + dims[:, None]))
        # Only tiles on the diagonal need the mask.
        if tl.program_id(0) * BLOCK < start + BLOCK - 1:
            s = tl.where(rows[:, None] >= cols[None, :], s, 0.0)
        tl.store(Y + rows[:, None] * N + cols[None, :], s)
    ```

    ## Measured

    1.07x to 1.32x in causal attention, 1.00x to 1.06x where only the last tile is partial.

    One H200, Triton 3.6, cold L2, 32 cells: forward, bf16, heads of 64 and 128, 1024 to 8192 tokens
    (`benchmarks/by_hand.py`).
    """

    name: ClassVar[str] = "mask-partial-tiles"
    summary: ClassVar[str] = "skip the mask of scores on tiles without masked elements"
    gain: ClassVar[Gain | None] = Gain(
        figure("mask-partial-tiles"),
        f"{WHERE}, in causal attention",
        "the mask is true for all elements of most tiles",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        resolve = facts.kernel.module.resolve
        for node in facts.kernel.nodes:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(args=[condition, then, other], keywords=[]) as call,
                ) if (
                    call in facts.values
                    and function(resolve(call.func)) == "where"
                    and is_plain(facts, node)
                ):
                    kept = [isinstance(e, ast.Name) and e.id == name for e in (then, other)]
                    number = other if kept[0] else then
                    loop = loop_of_products(facts, node)
                    if loop is None or not any(kept) or facts.values[call].rank in (0, 1):
                        continue
                    varies = facts.interpretation.variant_loops(facts.values[condition])
                    if loop.identity in varies and not _is_guarded(facts, node, loop):
                        yield _Masked(facts, node, loop, condition, number, kept[0]).site()


def _is_guarded(facts: KernelFacts, statement: ast.stmt, loop: Loop) -> bool:
    """Whether a condition of run time stands around the statement, inside of the loop."""
    for _, _, around in statements_around(facts, statement):
        if around is loop.node:
            return False
        if isinstance(around, ast.If) and not is_constexpr(facts, around.test):
            return True
    return False


def _is_last(summand: Value) -> tuple[bool, bool]:
    """Names come before lanes, and both before numbers."""
    return summand.op is Op.CONST, summand.shape != ()


def _joined(left: ast.expr, op: ast.operator, right: ast.expr, whole: bool) -> ast.expr:
    """Code for a sum or a difference; one of integers is the same in any grouping."""
    match left, op, right:
        case _, _, ast.Constant(value=0):
            return left
        case ast.Constant(value=0), ast.Add(), _:
            return right
        case _, ast.Add(), ast.BinOp(left=more, op=ast.Sub(), right=rest) if whole:
            return ast.BinOp(ast.BinOp(left, op, more), ast.Sub(), rest)
        case (
            ast.BinOp(left=rest, op=ast.Sub(), right=ast.Constant(value=int() as less)),
            ast.Add(),
            ast.Constant(value=int() as more),
        ) if whole and less == more:
            return rest
    return ast.BinOp(left, op, right)


@dataclass(frozen=True)
class _Masked:
    facts: KernelFacts
    statement: ast.Assign
    loop: Loop
    condition: ast.expr
    number: ast.expr
    where_true: bool
    """Whether the tile stays where the condition is true."""

    def site(self) -> Site:
        never = _FEW
        value = self.facts.values[self.condition]
        with Attempt() as attempt:
            self._check_tile(attempt)
            compared = list(self._comparisons(value, self.where_true))
            first = self._first()
            test = self._test(Writer(self.facts), first, compared)
            causal = self._is_causal(compared, first)
            some = "tiles on the diagonal" if causal and len(compared) == 1 else "partial tiles"
            head = f"# Only {some} need the mask.\nif {ast.unparse(test)}:"
            attempt.changes = (Enclose(first, self.statement, f"{head}\n    ..."),)
            attempt.prove(_CLAIM, "the branch compares the extremes of both sides")
            attempt.assume("no-int32-overflow", "index arithmetic does not overflow 32 bits")
            never = "" if causal else never
        return Site.of(
            attempt,
            self.statement,
            "put the mask of the tile under a branch, which tiles without masked elements skip",
            "kept the mask",
            profit=profit(self.facts, "mask-partial-tiles", never=never),
            advice="skip this mask for tiles without masked elements, by a branch on a scalar",
        )

    def _check_tile(self, attempt: Attempt) -> None:
        """Raises the first condition that does not hold; the attempt records it."""
        facts, values = self.facts, self.facts.values
        facts.check_parameters()
        if "warp_specialize" in self.loop.options:
            detail = f"the loop in line {self.loop.line} says warp_specialize"
            raise refuted("loops-are-plain", "loop-options", detail)
        masked = values[self.statement.value]
        tile = masked.then if self.where_true else masked.other
        if masked.shape is None or masked.shape != tile.shape:
            detail = "the mask may give it more axes or lanes"
            raise unknown("shape-stays", "shape-changes", detail)
        keeping = FLOATS | (INTEGERS if values[self.number].dtype == "int" else frozenset())
        types = facts.types.of(tile)
        if not is_number(facts, self.number) or not types.seen <= keeping:
            detail = "the other argument may give it another type"
            raise refuted("type-stays", "type-changes", detail)
        if types.all_in(keeping):
            attempt.prove("type-stays", f"a number gets the type of the tile, {types.where}")
        elif self._is_float(tile):
            attempt.assume("type-stays", "tl.dot multiplies floats; else it would not compile")
        else:
            raise unknown("type-stays", "type-is-unknown", "the tile may be one of integers")

    def _is_float(self, value: Value) -> bool:
        """Whether a tile is one of floats if each `tl.dot` in it is, which names no other type."""
        if value.op is Op.RESHAPED and value.function in MATRIX:
            named = {part.name for part in value.operands if part.op is Op.DTYPE}
            return named.isdisjoint(INTEGERS)
        sides = value.operands[1:] if value.op in (Op.WHERE, Op.PHI) else value.operands
        several = all if value.op is Op.PHI else any
        keeps = value.op in _KEEPING and several(map(self._is_float, sides))
        return keeps or self.facts.types.of(value).all_in(FLOATS | {"float"})

    def _comparisons(self, value: Value, holds: bool) -> Iterator[_Comparison]:
        """The comparisons that are all true where the value is true; or false, if not `holds`."""
        if value.op is (Op.AND if holds else Op.OR):
            for side in value.operands:
                yield from self._comparisons(side, holds)
        elif value.op in (Op.INSERT_AXES, Op.BROADCAST_TO):
            yield from self._comparisons(value.operand, holds)
        elif value.op is Op.INVERT and self.facts.truth_values.is_complement(value):
            yield from self._comparisons(value.operand, not holds)
        elif value.op in _OPPOSITE:
            yield (value.op if holds else _OPPOSITE[value.op]), value.left, value.right
        else:
            detail = "a part of the mask is not a comparison by < or >"
            raise unknown(_CLAIM, "extremes-are-not-known", detail)

    def _first(self) -> ast.stmt:
        """The first of the statements right before that compute what is for the mask alone."""
        kernel, first = self.facts.kernel, self.statement
        block, inside = block_of(kernel.node, first), set(walk(first))
        for before in reversed(block[: block.index(first)]):
            match before:
                case ast.Assign(targets=[ast.Name(id=name)]) if is_plain(self.facts, before):
                    named = {n for n in kernel.nodes if isinstance(n, ast.Name) and n.id == name}
                    loads = not self.facts.effect_nodes.isdisjoint(walk(before))
                    if loads or not named & inside or named - inside != {before.targets[0]}:
                        return first
                case _:
                    return first
            first, inside = before, inside | set(walk(before))
        return first

    def _test(self, writer: Writer, at: ast.stmt, compared: list[_Comparison]) -> ast.expr:
        """Code for: some comparison fails for some elements, or has a NaN."""
        forms, tests = self.facts.forms, list[ast.expr]()
        ordered = all(forms.is_integer(forms.of(a) - forms.of(b)) for _, a, b in compared)
        for op, left, right in compared:
            up = op in (Op.LT, Op.LE)
            one = self._extreme(writer, at, left, up)
            other = self._extreme(writer, at, right, not up)
            self._check_widths(left, right)
            tests.append(ast.Compare(one, [_WRITTEN[_OPPOSITE[op] if ordered else op]()], [other]))
        joined = ast.BitOr() if ordered else ast.BitAnd()
        test = reduce(lambda a, b: ast.BinOp(a, joined, b), tests)
        return test if ordered else ast.UnaryOp(ast.Not(), test)

    def _extreme(self, writer: Writer, at: ast.stmt, value: Value, greatest: bool) -> ast.expr:
        """Code for a bound of all elements, which one of them reaches."""
        if value.shape == ():
            if isinstance(value.constant, int):
                return ast.Constant(value.constant)
            same = [node for node, known in self.facts.values.items() if known is value]
            found = writer.find(lambda known: known is value, self.facts.before[at], same)
            if found is not None:
                return found
        sides = value.operands
        match value.op:
            case Op.INSERT_AXES | Op.BROADCAST_TO:
                return self._extreme(writer, at, value.operand, greatest)
            case Op.LANE if not greatest:
                return ast.Constant(0)
            case Op.LANE:
                if isinstance(value.extent.constant, int):
                    return ast.Constant(value.extent.constant - 1)
                extent = self._extreme(writer, at, value.extent, greatest)
                return ast.BinOp(extent, ast.Sub(), ast.Constant(1))
            case Op.ADD | Op.SUB as op:
                self._check_widths(*sides)
                if op is Op.ADD:
                    sides = tuple(sorted(sides, key=_is_last))
                left = self._extreme(writer, at, sides[0], greatest)
                right = self._extreme(writer, at, sides[1], greatest is (op is Op.ADD))
                whole = self.facts.forms.is_integer(self.facts.forms.of(value))
                return _joined(left, ast.Add() if op is Op.ADD else ast.Sub(), right, whole)
            case Op.MUL:
                forms = self.facts.forms
                for tile, factor in (sides, sides[::-1]):
                    if factor.shape == () and forms.is_positive(forms.of(factor)):
                        self._check_widths(tile, factor)
                        bounds = self._extreme(writer, at, tile, greatest)
                        by = self._extreme(writer, at, factor, greatest)
                        return ast.BinOp(bounds, ast.Mult(), by)
        detail = "the least and greatest compared values are not known before the mask"
        raise unknown(_CLAIM, "extremes-are-not-known", detail)

    def _check_widths(self, *sides: Value) -> None:
        """The bounds meet in the type in which the tiles do: a lane is an int32, and a number, as
        its bound may be, takes on the type of what it meets."""
        wide, types = frozenset({"int32", "int64"}), self.facts.types
        for one, other in (sides, sides[::-1]):
            parts = {part.op for part in one.walk(Op.LOAD)}
            seen = types.of(one)
            if not seen.some_in(frozenset({"uint32", "uint64"})):
                plain = parts.isdisjoint(_OF_ANY_WIDTH) and one.dtype != "float"
                if other.shape == () or plain or seen.all_in(wide) or self._is_wide(other):
                    continue
            detail = "lanes are combined with values that may be narrower or unsigned"
            raise unknown(_CLAIM, "type-is-unknown", detail)

    def _is_wide(self, value: Value) -> bool:
        """Whether the bound of a tile is no number to the compiler, and of 32 bits or more."""
        if value.op in _LIKE_LANES or value.shape == ():
            known = self.facts.types.of(value).all_in(frozenset({"int32", "int64"}))
            if known or value.op in _LIKE_LANES:
                return self.facts.binding_times.of(value) == "runtime"
        return value.op in _MEETING and any(map(self._is_wide, value.operands))

    def _is_causal(self, compared: list[_Comparison], first: ast.stmt) -> bool:
        """Whether tiles of rows meet columns of a loop from before all rows to theirs."""
        facts, loop, causal = self.facts, self.loop, False
        if loop.start is None or loop.stop is None:
            return False
        begin, end = (
            {facts.forms.of(v).sole_atom for v in bound.walk(Op.LOAD) if v.op is Op.PROGRAM_ID}
            for bound in (loop.start, loop.stop)
        )
        for op, left, right in compared:
            above, below = (right, left) if op in (Op.LT, Op.LE) else (left, right)
            form, signs, ids = facts.forms.of(above) - facts.forms.of(below), set(), set[Atom]()
            for monomial, factor in form.terms.items():
                for atom, _ in monomial:
                    leaves = set() if isinstance(atom, Loaded) else set(atom.leaves())
                    here = {leaf for leaf in leaves if isinstance(leaf, ProgramId)}
                    signs |= {("row", factor > 0)} if here else set()
                    if Iteration(loop.identity) in leaves:
                        signs.add(("column", factor > 0))
                    ids |= here
            if signs == {("row", True), ("column", False)}:
                lanes = [atom for atom in form.atoms if isinstance(atom, Lane)]
                causal |= len(lanes) == 2 and not ids.isdisjoint(end)
            elif len(signs) > 1 or ("column", True) in signs:
                return False
        masks = [n for n in walk(self.condition) if isinstance(n, ast.Name)]
        stay = any(
            facts.values[n].dtype == "bool" and facts.values[n].op is not Op.INSERT_AXES
            for n in masks
            if facts.before[first].get(n.id) and facts.values[n].rank == 2
        )
        return causal and not begin and not stay
