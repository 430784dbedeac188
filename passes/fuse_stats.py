"""fuse-stats: the sweep for the mean and the sweep for the variance become one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar, Literal

from tritonopt.facts import Atom, EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.counting import Count, Lanes, NotCounted, count_elements
from tritonopt.facts.forms import (
    Forms,
    move_axes,
    sum_over_lanes,
    sum_over_loop,
    varies_along,
    varies_with,
)
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.polynomial import ONE, TooLarge, monomial_polynomial
from tritonopt.facts.reductions import Accumulation, accumulation, nodes_of, summed_tile
from tritonopt.facts.tiles import tiles_of
from tritonopt.facts.values import FLOAT_BITS, is_integer
from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Condition, Safety, Site, Status
from tritonopt.rewriting.passes import Gain, Pass
from tritonopt.rewriting.sweeps import TwoSweeps, check_pins, earlier_siblings
from tritonopt.rewriting.writing import (
    NotExpressible,
    Writer,
    block_of,
    first_iteration,
    is_plain,
    names_bound,
    reads_of,
)
from tritonopt.source import Change, InsertAfter, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.trees import walk

_ROW_THAT_GAINS = 16384
"""Elements from which on a row in several tiles was measured to gain; tiles above a quarter of
that, and those that grow with the row up to more than a sixteenth, hold most rows whole."""


def _worth(facts: KernelFacts, loop: Loop, formula: str) -> tuple[bool, str]:
    """Whether a gain is to be expected of a sweep, and what was measured of its case."""
    one, long, short = (
        figure(f"fuse-stats {formula}, {case}") for case in ("one tile", "long rows", "short rows")
    )
    gain = f"{long} for rows of {_ROW_THAT_GAINS} elements and more"
    launches = tiles_of(facts, loop)
    for tiles in launches:
        if tiles.holds_row:
            return False, (
                f"a loss here, {one} {WHERE}: one tile holds the row at the launch in line "
                f"{tiles.line}"
            )
    aims = any(tiles.grows for tiles in launches)
    sizes = [tiles.size for tiles in launches if tiles.size is not None]
    if sizes and len(sizes) == len(launches):
        most = max(sizes)
        tile = f"up to {most}" if aims or min(sizes) < most else f"{most}"
        return most <= _ROW_THAT_GAINS // (16 if aims else 4), (
            f"{gain} {WHERE}, {short} for shorter ones; a loss ({one}) for rows that one tile "
            f"holds, which has {tile} elements at the launch in line {launches[0].line}"
        )
    step = facts.forms.of(loop.step).readable if loop.step is not None else "the step"
    if aims:
        return False, (
            f"a loss ({one} {WHERE}) for rows that one tile holds, which is what the launch in "
            f"line {launches[0].line} aims at; {gain} that take several tiles"
        )
    return True, (
        f"{gain} {WHERE}, where {step} is less than the row; where one tile holds the row, a loss "
        f"({one}). No launch in this file tells which"
    )


@dataclass(frozen=True)
class FuseStats(Pass):
    """Merge the sweep that sums squared deviations into the sweep that sums.

    ## What it does

    A first sweep over a row adds up its elements, the kernel divides by their
    number, and a second sweep reads the row again to add up squared deviations
    from that mean. The pass lets the first sweep gather both, and removes the
    second.

    The option `formula` says how:

    - `shifted` (default): deviations are taken from the mean of the row's first
      tile, which is known before the sweep, and the difference between that and
      the true mean is taken out afterwards: with d = x - shift,
      sum (x - mean)^2 = sum d^2 - (sum d)^2 / n.
    - `moments`: sum x^2 - (sum x)^2 / n. One accumulator fewer, but all digits are
      lost when the mean is large against the deviation.
    - `welford`: every tile is centred on its own mean, and the means are merged
      into a running one (Chan, Golub, LeVeque 1979). Needs no first tile, so the
      row is read just once, but has two reductions in every iteration or more.

    ## Why

    A row that does not fit the cache is read once less from memory. Compilers
    do not merge loops, nor loads across them.

    ## Conditions

    The two sweeps are compared by what they compute, not by how they are
    written. Both must run over the same range with the same step and read the
    same elements of the same buffers under the same mask; nothing may store to
    that data, or to memory that may be that data, from the start of the first
    to the end of the second; the centre must be the sum of the first sweep over
    the number of elements that it adds, unrounded; the weight must be 1 and
    masked lanes must add nothing; both accumulators start at 0 in fp32 or fp64,
    are not read in their loops, and the second sweep does nothing else. There
    may be no early exit, volatile load, atomic, barrier or call with unknown
    effects on the way. Kernels with `div_rn`, `sqrt_rn`, `fdiv` or a round trip
    through a narrow type are left alone: someone matched another library's bits.

    Index arithmetic is taken not to overflow int32 (`no-int32-overflow`).

    ## Numerics

    Safety `rounding`, bits `reduction-order`: the mean keeps its bits as long as
    the compiler keeps the order of its sum; the variance changes in rounding.

    With `shifted` its error stays of the size it had, also where the mean is
    large against the deviation (1e4 and 1) and where an outlier is in the first
    tile; sums of one element at a time are declined, for a mean of one element
    is no mean. `welford` loses digits to the rounding of each tile's mean when
    the mean is large. `moments` loses all of them then, and overflows where x^2
    does.

    A row with inf or NaN gave a variance that is not finite, and still does; so
    may a row of fp32 whose squared deviations are within a factor of the number
    of tiles of the largest float. An empty row gives what it gave.

    ## Example

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
    ```

    becomes

    ```python
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations are taken from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        squares += deviation * deviation
    mean = tl.sum(total, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(squares, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N
    ```

    ## Measured

    Layer norm forward (`examples/layer_norm.py`) of 4096 rows on one H200, Triton 3.6, random
    data, cold L2, medians of 40 runs, original / merged (above 1 is faster). `BLOCK` and
    warps as in the rows; in the rows marked * one tile holds the row.

    | columns | BLOCK, warps | fp32: shifted, moments, welford | fp16 | bf16 |
    | --- | --- | --- | --- | --- |
    | 1024 | 256, 1 | 1.04, 1.00, 1.01 | 1.02, 0.99, 1.00 | 1.04, 1.02, 1.00 |
    | 1024 * | 1024, 4 | 1.04, 1.05, 1.03 | 0.95, 1.07, 0.94 | 0.92, 1.04, 0.91 |
    | 4096 | 256, 1 | 1.29, 1.28, 1.26 | 0.93, 0.97, 0.89 | 1.03, 1.09, 0.98 |
    | 4096 | 1024, 4 | 1.12, 1.10, 1.17 | 1.01, 1.09, 0.87 | 1.00, 1.09, 0.87 |
    | 4096 * | 4096, 8 | 0.97, 0.96, 0.99 | 0.80, 0.99, 0.79 | 0.81, 1.00, 0.84 |
    | 16384 | 256, 1 | 1.28, 1.29, 1.28 | 1.20, 1.26, 1.14 | 1.23, 1.30, 1.16 |
    | 16384 | 1024, 4 | 1.25, 1.23, 1.24 | 1.29, 1.33, 1.10 | 1.27, 1.32, 1.09 |
    | 16384 | 4096, 8 | 1.46, 1.16, 1.45 | 1.03, 1.24, 1.08 | 0.90, 1.10, 0.94 |
    | 16384 * | 16384, 16 | 0.91, 0.92, 0.93 | 0.67, 0.72, 0.71 | 0.67, 0.73, 0.72 |
    | 65536 | 256, 1 | 1.28, 1.29, 1.27 | 1.21, 1.28, 1.16 | 1.25, 1.32, 1.18 |
    | 65536 | 1024, 4 | 1.27, 1.27, 1.25 | 1.25, 1.28, 1.04 | 1.24, 1.28, 1.03 |
    | 65536 | 4096, 8 | 1.34, 1.30, 1.33 | 1.08, 1.24, 1.10 | 1.14, 1.29, 1.15 |
    | 65536 | 16384, 16 | 1.50, 1.41, 1.42 | 1.12, 1.00, 0.93 | 1.10, 0.99, 0.94 |

    A gain as a rule where rows of 16384 and more take several tiles (shifted: 0.90x to 1.50x);
    about even at 4096 columns (0.93x to 1.29x); a loss (0.67x to 1.04x) where one tile holds the
    row, for then there was no second read from memory to save. What the launches in the file show
    of the tiles is said with the site. Script and full record: `benchmarks/fuse_stats_speed.py`,
    `benchmarks/results/`.
    """

    formula: Literal["shifted", "moments", "welford"] = "shifted"

    name: ClassVar[str] = "fuse-stats"
    summary: ClassVar[str] = "merge the mean sweep and the variance sweep into one"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("fuse-stats shifted, long rows"),
        f"{WHERE}, for rows of 16384 elements and more that take several tiles; a loss where one "
        "tile holds the row",
        "each row is read from memory once less",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for second, candidates in earlier_siblings(facts):
            for name in sorted(second.carried):
                found = [
                    statistics
                    for first in candidates
                    if (statistics := _Statistics(TwoSweeps(facts, first, second), name)).is_site
                ]
                examined = [self._examined(facts, statistics) for statistics in found]
                if examined:
                    # The first sweep that fits, else the one that came nearest to it.
                    yield max(examined, key=lambda site: (not site.failed, len(site.conditions)))

    def _examined(self, facts: KernelFacts, statistics: _Statistics) -> Site:
        """The site as it came out: every condition up to the first that fails, and the edit."""
        checklist = statistics.checklist
        changes: list[Change] = []
        try:
            statistics.check()
            changes = _Merge(statistics, self.formula).changes()
            checklist.prove("is-expressible", "what the merged sweep needs can be written there")
        except Declined as declined:
            checklist.conditions.append(declined.condition)
        except NotExpressible as error:
            failed = Condition("is-expressible", Status.UNKNOWN, str(error), "not-expressible")
            checklist.conditions.append(failed)
        except TooLarge:
            large = "the sums are too large to compare"
            failed = Condition("is-understood", Status.UNKNOWN, large, "opaque-value")
            checklist.conditions.append(failed)
        first, second = statistics.sweeps.first, statistics.sweeps.second
        pays, worth = _worth(facts, second, self.formula)
        into = f"the sweep in line {second.line} into the one in line {first.line}"
        if checklist.failed is None:
            message = f"merged {into} ({self.formula} formula). Measured: {worth}"
        else:
            message = f"did not merge {into}: {checklist.failed.detail}"
        return Site(
            second.node,
            tuple(checklist.conditions),
            message,
            frozenset({Safety.ROUNDING} | ({Safety.ASSUMPTION} if checklist.given else set())),
            Bits.REDUCTION_ORDER,
            frozenset(checklist.given),
            changes,
            pays=pays,
            advice=f"merge {into} ({self.formula} formula)",
            worth=worth,
        )

    def edit(self, facts: KernelFacts, site: Site) -> Sequence[Change]:
        changes: Sequence[Change] = site.plan
        return changes


class _Statistics:
    """One accumulator of the second sweep against one first sweep, condition by condition.

    In forms: the first sweep adds `term`, the second one `squared`. With the
    mask m and the centre c they must satisfy m * term == term and
    squared == term^2 - 2 * c * term + m * c^2, and c must be the sum of all
    terms over their number.
    """

    def __init__(self, sweeps: TwoSweeps, name: str) -> None:
        self.facts = sweeps.facts
        self.sweeps = sweeps
        self.name = name
        self.checklist = Checklist()
        self.sums = [
            found
            for carried in sorted(sweeps.first.carried)
            if (found := self._accumulation(sweeps.first, carried)) is not None
        ]
        self.squares = self._accumulation(sweeps.second, name)
        self.uses: list[ast.Call] = []
        """The sums over the second accumulator's lanes, where the kernel takes them."""
        self.axes: tuple[int, ...] = ()
        """The axes of the tile that are summed, in the loop or after it."""
        self.keep_dims = False

    def _accumulation(self, loop: Loop, name: str) -> Accumulation | None:
        try:
            return accumulation(self.facts, self.facts.forms, loop, name)
        except TooLarge:
            return None

    # Is this a site?

    @property
    def is_site(self) -> bool:
        """Whether the second sweep accumulates something that the first one's sums go into.

        Also where it squares the elements that the first one adds: a reader
        expects a word on those, though their centre is not the first one's sum.
        """
        if self.squares is None:
            return bool(self.sums) and self._adds_to_itself() and self.depends
        if self.depends:
            return bool(self.sums) or _squared_loads(self.squares.term) != set()
        return self._squares_the_same_elements(self.squares)

    @property
    def depends(self) -> bool:
        """Whether what the second sweep adds is made from a result of the first one."""
        todo = [self._innermost.following[self.name]]
        seen: set[int] = set()
        while todo:
            for part in todo.pop().walk():
                if part.serial in seen or part.op not in ("result", "carried"):
                    continue
                seen.add(part.serial)
                identity, name = part.carrier
                loop = self.facts.loops[identity]
                if part.op == "result" and loop is self.sweeps.first:
                    return True
                if self.sweeps.second in loop.nest and name != self.name:
                    todo.append(loop.initial[name])
        return False

    @property
    def _innermost(self) -> Loop:
        """The loop of the second nest in which the name is bound last."""
        loop = self.sweeps.second
        while True:
            following = loop.following[self.name]
            if following.op != "result":
                return loop
            inner = self.facts.loops[following.carrier.loop]
            if inner.parent is not loop or self.name not in inner.following:
                return loop
            loop = inner

    def _adds_to_itself(self) -> bool:
        loop = self._innermost
        carried, following = loop.carried[self.name], loop.following[self.name]
        return following is not carried and carried in following.walk()

    def _squares_the_same_elements(self, squares: Accumulation) -> bool:
        mine = {_place(a) for a in _squared_loads(squares.term)}
        theirs = {_place(a) for s in self.sums for a in s.term.atoms if a.tag == "load"}
        return bool(mine & theirs)

    # The conditions, in the order in which a reader would ask for them

    def check(self) -> None:
        """Raises Declined at the first condition that does not hold."""
        squares = self.squares
        if squares is None:
            more = f"{self.name} is more than added to in its loop"
            raise refuted("accumulators-are-sums", "accumulator-is-read", more)
        sweeps, checklist = self.sweeps, self.checklist
        sweeps.check_path(checklist)
        nests = [s.loops for s in self.sums]
        fitting = [nest for nest in nests if len(nest) == len(squares.loops)]
        self.loops = next(iter(fitting or nests), (sweeps.first,))
        self.renaming = sweeps.check_ranges(checklist, self.loops, squares.loops)
        self._check_accumulator(squares)
        self._find_axes(squares)
        self._find_centre(squares)
        self._check_centre_is_exact()
        self._find_sum(squares)
        self._check_elements(squares)
        self._check_centre()
        self._check_polynomial(squares)
        self._check_rounding(squares)
        sweeps.check_memory(checklist)
        sweeps.check_rest(checklist, self.name)
        check_pins(checklist, self.facts)
        overflow = "index arithmetic is taken over the integers, and is the original's own"
        checklist.assume("no-int32-overflow", overflow)

    def _check_accumulator(self, accumulator: Accumulation) -> None:
        """It must start at 0 and be wide enough to hold a sum of squares."""
        name, dtype = accumulator.name, accumulator.initial.dtype
        if is_integer(dtype) or dtype == "int" or is_integer(accumulator.tile.dtype):
            raise refuted("data-is-float", "data-is-integer", f"{name} adds up integers")
        if not self.facts.forms.of(accumulator.initial).is_zero:
            claim = "accumulators-start-at-zero"
            raise refuted(claim, "accumulator-starts-elsewhere", f"{name} does not start at 0")
        if dtype != "float" and FLOAT_BITS.get(dtype or "", 0) < 32:
            shown = dtype or "of a type that the kernel does not show"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", f"{name} is {shown}")

    def _check_not_read(self, accumulator: Accumulation) -> None:
        """Partial sums must not be used before the sweep has ended."""
        for loop in accumulator.loops:
            partial = loop.carried[accumulator.name]
            inside = [e for e in self.facts.effects if loop in e.loops]
            used = [v for e in inside for v in (e.pointer, e.mask, e.stored) if v is not None]
            used += [v for name, v in loop.following.items() if name != accumulator.name]
            if any(partial in value.walk() for value in used):
                read = f"{accumulator.name} is read in line {loop.line}'s loop, incomplete"
                raise refuted("accumulators-are-sums", "accumulator-is-read", read)

    def _find_axes(self, squares: Accumulation) -> None:
        """Along which axes of the tile the squares are summed."""
        if squares.axes or not squares.shape:
            self.axes = squares.axes
            return
        result = self.sweeps.second.result[self.name]
        sums: dict[ast.Call, tuple[tuple[int, ...], bool]] = {}
        for node, value in self.facts.values.items():
            tile, axes = summed_tile(value)
            if tile is result and axes and isinstance(node, ast.Call):
                sums[node] = (axes, value.reduction.keep_dims)
        nested = {inner for call in sums for inner in walk(call) if inner is not call}
        effects = {effect.node for effect in self.facts.effects}
        self.uses = [call for call in sums if call not in nested]
        kinds = {sums[call] for call in self.uses}
        covered = {inner for call in self.uses for inner in walk(call)}
        reads = self._reads_of_lanes(result)
        whole = all(node in covered for node in reads) and not covered & effects
        if not reads or not whole or len(kinds) != 1:
            escapes = f"{self.name} is used after its loop other than through its sum"
            raise refuted("only-the-full-sum-is-used", "partial-sums-escape", escapes)
        ((self.axes, self.keep_dims),) = kinds

    def _reads_of_lanes(self, result: Value) -> list[ast.Name]:
        """Where the kernel reads what the second sweep left in the accumulator, lane by lane."""
        inside = set(walk(self.sweeps.second.node))
        around = {loop.identity for loop in self.sweeps.second.nest}

        def holds_lanes(value: Value) -> bool:
            if value.op in ("result", "carried"):
                return value.carrier.loop in around and value.carrier.name == self.name
            if value.op == "reduce" and summed_tile(value)[0] is result:
                return False
            return any(holds_lanes(operand) for operand in value.operands)

        names = [n for n in self.facts.values if isinstance(n, ast.Name) and n not in inside]
        reads = [n for n in names if isinstance(n.ctx, ast.Load)]
        return [node for node in reads if holds_lanes(self.facts.values[node])]

    def _find_centre(self, squares: Accumulation) -> None:
        """What the second sweep subtracts: its largest parts that the first one's sums go into."""
        claim, reason = "centre-is-the-mean", "centre-is-not-the-mean"
        if not self.depends:
            raise refuted(claim, reason, "the centre is not computed from the first sweep's sum")
        inside = {loop.identity for loop in self.facts.loops if self.sweeps.second in loop.nest}
        centres: list[Value] = []

        def descend(value: Value) -> None:
            if not _mentions(value, self.sweeps.first):
                return
            if inside & set(self.facts.interpretation.made_in(value)):
                for operand in value.operands:
                    descend(operand)
            elif value not in centres:
                centres.append(value)

        descend(squares.tile)
        if len({self.facts.forms.of(c) for c in centres}) != 1:
            if any(sum(a.tag == "load" for a, _ in m) > 1 for m in squares.term.terms):
                product = "two different deviations are multiplied"
                raise refuted("squares-of-deviations", "not-a-square", product)
            several = "the centre is not one result of the first sweep that stays what it is"
            raise refuted(claim, reason, several)
        self.centre = centres[0]
        self.mean = self.facts.forms.of(self.centre)

    def _check_centre_is_exact(self) -> None:
        for atom in _outside_totals(self.mean):
            if atom.tag in ("round", "cast"):
                rounded = f"{self._called(self.centre)} is rounded to another type before its use"
                raise refuted("centre-is-unrounded", "centre-is-rounded", rounded)
        for atom in self.mean.leaves():
            if atom.tag == "tile" and f"('result', {self.sweeps.first.identity}, " in atom.key:
                name, line = atom.readable.rstrip("?"), self.sweeps.first.line
                more = f"{name} is more than added to in line {line}'s loop"
                raise refuted("accumulators-are-sums", "accumulator-is-read", more)

    def _find_sum(self, squares: Accumulation) -> None:
        """The accumulator of the first sweep that the centre is made from."""
        self.candidates = [s for s in self.sums if s.loops == self.loops]
        fitting = [s for s in self.candidates if self._share(s, self.axes) is not None]
        if not fitting:
            for other in self.candidates:
                self._check_accumulator(other)
                self._check_axes(other)
            check_pins(self.checklist, self.facts)
            other_sum = f"the centre {self._called(self.centre)} is no multiple of a first sum"
            raise refuted("centre-is-the-mean", "centre-is-not-the-mean", other_sum)
        self.sum = fitting[0]
        self._check_accumulator(self.sum)
        self._check_not_read(self.sum)
        if _float_type(self.sum.initial) != _float_type(squares.initial):
            types = f"{self.sum.name} and {self.name} are of different types"
            raise refuted("accumulators-are-wide", "accumulator-is-narrow", types)
        self.checklist.prove("accumulators-start-at-zero", "both start at 0, in fp32 or wider")
        if self.sum.shape != squares.shape:
            raise refuted("same-elements", "different-elements", "the tiles have other shapes")

    def _check_axes(self, accumulator: Accumulation) -> None:
        """The squares must be summed along the axes that the mean was taken over."""
        rank = len(accumulator.shape)
        for axes in (a for n in range(1, rank + 1) for a in combinations(range(rank), n)):
            if axes != self.axes and self._share(accumulator, axes) is not None:
                other = f"{self.name} is summed along other axes than the mean was"
                raise refuted("only-the-full-sum-is-used", "partial-sums-escape", other)

    def _check_elements(self, squares: Accumulation) -> None:
        """The second sweep must square the elements that the first one adds."""
        self.term = self.sum.term
        plain = _without_sums(squares.term.map(self.renaming.get))
        if any(plain == s.term * s.term for s in self.candidates if s.term != self.term):
            other = "the centre is the mean of other elements"
            raise refuted("centre-is-the-mean", "centre-is-not-the-mean", other)
        self._check_padding()
        if plain != self.term * self.term:
            raise self._why_elements_differ(plain)
        bases = sorted({str(a.arguments[0]) for a in self.term.leaves() if a.tag == "load"})
        shown = f"both read the same elements of {', '.join(bases)}, under the same mask"
        self.checklist.prove("same-elements", shown)

    def _check_padding(self) -> None:
        """The lanes that the mask turns off must add nothing to the first sum."""
        claim, reason = "masked-lanes-add-nothing", "padding-lanes-count"
        if any(atom.tag == "undefined" for atom in self.term.leaves()):
            undefined = "masked-off lanes of a load without `other` are summed: they are undefined"
            raise refuted(claim, reason, undefined)
        masks = [frozenset(a for a, _ in m if a.is_indicator) for m in self.term.terms]
        self.mask = masks[0]
        if any(mask != self.mask for mask in masks):
            added = "lanes that the mask turns off add something to the first sum"
            raise refuted(claim, reason, added)

    def _why_elements_differ(self, plain: Polynomial) -> Declined:
        """The most telling difference between what is added and what is squared."""
        if self._differs_in_time_only():
            return self.sweeps.change_of_data()
        square, elements, weight = "squares-of-deviations", "same-elements", "weight-is-one"
        tags = {a.tag for a in plain.leaves()}
        if tags & {"round", "cast"}:
            rounds = "the second sweep rounds what it squares to another type"
            return refuted(elements, "pinned-bits", rounds)
        if tags & {"call", "tile"}:
            opaque = "what the second sweep squares is not understood"
            return unknown(elements, "opaque-value", opaque)
        rest = plain - self.term * self.term
        if not any(a.tag == "load" for a in rest.leaves()):
            added = "lanes that the mask turns off add something to the second sum"
            return refuted("masked-lanes-add-nothing", "padding-lanes-count", added)
        powers = {p for m in plain.terms for a, p in m if a.tag == "load"}
        if max(powers, default=0) < 2:
            other = "the second sweep adds up something other than squared deviations"
            return refuted(square, "not-a-square", other)
        added_loads = {a.arguments[:2] for a in self.term.leaves() if a.tag == "load"}
        squared_loads = {a.arguments[:2] for a in _squared_loads(plain)}
        buffers = [{base for base, _ in loads} for loads in (added_loads, squared_loads)]
        if buffers[0] != buffers[1]:
            if buffers[0] & buffers[1]:
                return refuted(weight, "weighted", "the squared deviations are weighted")
            return refuted(elements, "different-buffer", "the sweeps read different buffers")
        if added_loads != squared_loads:
            other = "the sweeps read different elements of one buffer"
            return refuted(elements, "different-elements", other)
        if {a for m in plain.terms for a, _ in m if a.is_indicator} != self.mask:
            return refuted("same-mask", "different-mask", "the sweeps are masked differently")
        if max(powers) > 2:
            other = "the deviations go in with another power than 2"
            return refuted(square, "not-a-square", other)
        root = _square_root(plain)
        if root is not None and {a.tag for a in root.atoms if not a.is_indicator} == {"load"}:
            other = "the first sweep does not add the elements that the second one squares"
            return refuted("centre-is-the-mean", "centre-is-not-the-mean", other)
        return refuted(weight, "weighted", "the squared deviations are weighted")

    def _differs_in_time_only(self) -> bool:
        """Whether both sweeps read the same addresses, but a store may lie between."""
        forms = self.facts.forms_ignoring_memory
        squares = accumulation(self.facts, forms, self.sweeps.second, self.name)
        added = accumulation(self.facts, forms, self.sweeps.first, self.sum.name)
        if squares is None or added is None:
            return False
        return _without_sums(squares.term.map(self.renaming.get)) == added.term * added.term

    def _check_centre(self) -> None:
        """The centre must be that sum over the number of elements that go into it."""
        claim, reason = "centre-is-the-mean", "centre-is-not-the-mean"
        share = self._share(self.sum, self.axes)
        assert share is not None
        self.count = self._count()
        total = self.count.total
        number = share.inverse() if len(share.terms) == 1 else None
        if number is None or not self._is_equal(number, total):
            if not self.mask and any(a.tag == "cdiv" for a in total.leaves()):
                unmasked = (
                    f"the tiles are not masked, so {total.readable} elements are added; "
                    "if the last tile is always full, give --assume with the `%` that says so"
                )
                raise unknown(claim, "extent-unknown", unmasked)
            other = f"the sum of {total.readable} elements is multiplied by {share.readable}"
            raise refuted(claim, reason, other)
        self.number = number
        mean = f"the sum of {total.readable} elements over their number"
        self.checklist.prove(claim, mean, self.count.assumed)

    def _count(self) -> Count:
        """The elements that one sum is made of."""
        shape = self.sum.shape
        lanes = [Lanes(len(shape) - 1 - a, self.facts.forms.of(shape[a])) for a in self.axes]

        def varies(atom: Atom) -> bool:
            along = any(varies_along(atom, axis.axis) for axis in lanes)
            return along or any(varies_with(atom, loop) for loop in self.loops)

        varying = sorted((a for a in self.mask if varies(a)), key=str)
        try:
            return count_elements(self.facts, varying, self.loops, lanes)
        except NotCounted as error:
            raise unknown("centre-is-the-mean", "extent-unknown", str(error)) from error

    def _is_equal(self, number: Polynomial, total: Polynomial) -> bool:
        """Whether two counts are equal, if need be because every launch passes them equal."""
        if number == total:
            return True
        pairs = {
            mine: theirs
            for mine in number.atoms
            for theirs in total.atoms
            if mine.tag == theirs.tag == "param"
            and mine != theirs
            and self.facts.launches.equal(str(mine.arguments[0]), str(theirs.arguments[0]))
        }
        if number.map(pairs.get) != total.map(pairs.get):
            return False
        shown = ", ".join(f"{a.readable} == {b.readable}" for a, b in pairs.items())
        self.checklist.assume("no-other-launches", f"every launch in this file passes {shown}")
        return True

    def _check_polynomial(self, squares: Accumulation) -> None:
        """What is added must be the squared deviation where the mask is on, and 0 elsewhere."""
        mask = monomial_polynomial((a, 1) for a in self.mask)
        squared = squares.term.map(self.renaming.get)
        deviations = (
            self.term * self.term - self.term * self.mean * 2 + mask * self.mean * self.mean
        )
        rest = squared - deviations
        if not rest.is_zero:
            if not any(a.tag == "load" for m in rest.terms for a, _ in m):
                padding = "masked-off lanes add the square of the mean to the second sum"
                raise refuted("masked-lanes-add-nothing", "padding-lanes-count", padding)
            other = "the second sweep adds something other than squared deviations from the mean"
            raise refuted("squares-of-deviations", "not-a-square", other)
        self.checklist.prove("squares-of-deviations", "weight 1, and masked-off lanes add 0")

    def _check_rounding(self, squares: Accumulation) -> None:
        """Both sweeps must do the same arithmetic in the type of the data, which may be narrow."""
        claim, precision, forms = "same-rounding", self.facts.precision, self.facts.forms
        added = {forms.of(v) for v in precision.narrow_steps(self.sum.tile)}
        squared = {forms.of(v).map(self.renaming.get) for v in precision.narrow_steps(squares.tile)}
        if added != squared or (squares.axes and not precision.is_wide(squares.tile)):
            differ = "arithmetic in the type of the data, which may be of 16 bits, differs"
            raise unknown(claim, "rounded-differently", differ)
        self.checklist.prove(claim, "all arithmetic that differs is in 32 bits or more")

    # Help

    def _share(self, accumulator: Accumulation, axes: tuple[int, ...]) -> Polynomial | None:
        """The number by which an accumulator's full sum is multiplied to give the centre."""
        forms: Forms = self.facts.forms
        rank = len(accumulator.shape)
        total = accumulator.term
        for axis in sorted(axes):
            if axis < rank:
                extent = forms.of(accumulator.shape[axis])
                total = sum_over_lanes(total, rank - 1 - axis, extent)
        for loop in reversed(accumulator.loops):
            count = forms.trip_count(loop)
            if count is None:
                return None
            total = sum_over_loop(total, loop, count)
        share = self.mean.divided_by(total)
        if share is None:
            return None
        data = {"load", "total", "tile", "reduce", "call"}
        leaves = [leaf for leaf in share.leaves() if leaf.tag in data]
        # A length that was loaded is a number like another.
        return share if all(forms.is_integer(Polynomial.of(leaf)) for leaf in leaves) else None

    def _called(self, value: Value) -> str:
        """The kernel's name for a value."""
        names = (n for n, v in self.facts.values.items() if v is value and isinstance(n, ast.Name))
        name = next(names, None)
        return name.id if name is not None else f"of {self.name}"


def _without_sums(form: Polynomial) -> Polynomial:
    """The form with the sums of earlier sweeps, and so the centre, set to 0."""
    terms = form.terms.items()
    return Polynomial({m: c for m, c in terms if not any(a.tag == "total" for a, _ in m)})


def _outside_totals(form: Polynomial) -> Iterator[Atom]:
    """The atoms of a form, inner ones included, but not what is inside a sum."""
    for atom in form.atoms:
        yield atom
        if atom.tag != "total":
            for argument in atom.arguments:
                if isinstance(argument, Polynomial):
                    yield from _outside_totals(argument)


def _square_root(form: Polynomial) -> Polynomial | None:
    """The term of which a one-term form is the square."""
    if len(form.terms) != 1:
        return None
    ((monomial, coefficient),) = form.terms.items()
    if coefficient != 1 or any(p % 2 and not a.is_indicator for a, p in monomial):
        return None
    return monomial_polynomial((a, p if a.is_indicator else p // 2) for a, p in monomial)


def _squared_loads(form: Polynomial) -> set[Atom]:
    """The elements that go into a form with a power of 2 or more."""
    return {a for monomial in form.terms for a, p in monomial if a.tag == "load" and p > 1}


def _place(load: Atom) -> tuple[str, str]:
    """Where a load reads, apart from which trip of which loop it is."""
    offset = load.arguments[1]
    assert isinstance(offset, Polynomial)
    anywhere = offset.map(lambda a: Atom("trip") if a.tag == "trip" else None)
    return str(load.arguments[0]), anywhere.key


def _float_type(value: Value) -> str | None:
    """The type of an accumulator that starts as this value: a Python float is fp32."""
    return "fp32" if value.dtype == "float" else value.dtype


def _mentions(value: Value, loop: Loop) -> bool:
    return any(v.op == "result" and v.carrier.loop == loop.identity for v in value.walk())


class _Merge:
    """Writes the merged sweep, for one formula."""

    def __init__(self, statistics: _Statistics, formula: str) -> None:
        assert statistics.squares is not None
        self.facts = statistics.facts
        self.statistics = statistics
        self.formula = formula
        self.squares: Accumulation = statistics.squares
        self.sum = statistics.sum
        self.first = statistics.sweeps.first.node
        self.second = statistics.sweeps.second.node
        self.writer = Writer(self.facts)
        self.rank = len(self.squares.shape)
        self.by_lane = not self.squares.axes and self.rank > 0
        """Whether the second accumulator is a tile, to be summed after the loop."""
        self.update = self._update()
        self.start: Environment = self.facts.before[self.first]
        self.inside: Environment = self.facts.before[self.update]
        self.end: Environment = self.facts.before[self.second]
        self.expressions = list(self.facts.values)
        block = block_of(self.facts.kernel.node, self.second)
        self.between = block[block.index(self.first) + 1 : block.index(self.second)]
        self.result: list[Change] = []

    def _update(self) -> ast.stmt:
        """The statement that adds to the first sum; what is new goes right behind it."""
        update = self.sum.update
        if update is None or not is_plain(self.facts, update):
            raise NotExpressible("no plain assignment of the first sweep adds to its sum")
        if names_bound(update) != {self.sum.name}:
            raise NotExpressible(f"line {update.lineno} binds more than {self.sum.name}")
        return update

    def changes(self) -> list[Change]:
        self._find_tile()
        self.mask = self._find_mask()
        self.zero = self._zero()
        self._name_squares()
        lines = {"shifted": self._shifted, "moments": self._moments, "welford": self._welford}
        before, inside, after = lines[self.formula]()
        self.result.append(InsertBefore(self.first, "\n".join(before)))
        self.result.append(InsertAfter(self.update, "\n".join(inside)))
        replaced = Replace(self.second, "\n".join(after)) if after else Remove(self.second)
        self.result.append(replaced)
        self._remove_what_only_the_second_sweep_read()
        return self.result

    # What the first sweep calls things

    def _find_tile(self) -> None:
        """The tile of the first sweep: a name for it, or an expression that gets one.

        `exact` says that it is 0 where the mask is off.
        """
        forms, term, shape = self.facts.forms, self.sum.term, self.sum.shape
        mask = monomial_polynomial((a, 1) for a in self.statistics.mask)
        wide = {dtype for dtype, bits in FLOAT_BITS.items() if bits >= 32}
        choices = [n for n in walk(self.update) if isinstance(n, (ast.IfExp, ast.BoolOp))]
        conditional = {inner for choice in choices for inner in walk(choice)}
        # The tile in its widened form first: that is what the kernel adds.
        for widened, exact in product((True, False), (True, False)):

            def wanted(value: Value, widened: bool = widened, exact: bool = exact) -> bool:
                if value.shape != shape or (widened and value.dtype not in wide):
                    return False
                form = forms.of(value)
                return form == term if exact else mask * form == term

            named = self.writer.find(wanted, self.inside)
            written = [
                node
                for node in nodes_of(self.facts, [self.update])
                if isinstance(node, (ast.Call, ast.BinOp))
                and node not in conditional
                and wanted(self.facts.values[node])
            ]
            if named is None and not written:
                continue
            self.exact = exact
            self.tile_source = named or written[0]
            self.tile = self.writer.text(named) if named is not None else self.writer.fresh("tile")
            value = self.inside[self.tile] if named is not None else self.facts.values[written[0]]
            self.tile_is_wide = value.dtype in wide
            if self.tile_is_wide and value.dtype != _float_type(self.squares.initial):
                raise NotExpressible(f"the tile is {value.dtype} and {self.squares.name} is not")
            if named is None:
                text = self.writer.text(written[0])
                self.result.append(InsertBefore(self.update, f"{self.tile} = {text}"))
                self.result.append(ReplaceExpression(written[0], self.tile))
            return
        raise NotExpressible("the tile that the first sweep adds has no expression in it")

    def _find_mask(self) -> ast.expr | None:
        """An expression of the kernel for the lanes that count; None where all do."""
        if not self.statistics.mask:
            return None
        nodes = nodes_of(self.facts, list(self.sum.loops[-1].node.body))
        whole = monomial_polynomial((a, 1) for a in self.statistics.mask)
        mask = self.writer.find_condition(whole, self.inside, nodes)
        if mask is not None:
            return mask
        for indicator in sorted(self.statistics.mask, key=str):
            part = self.writer.find_condition(Polynomial.of(indicator), self.inside, nodes)
            if part is None:
                raise NotExpressible(f"the mask {indicator.readable} has no expression there")
            mask = part if mask is None else ast.BinOp(mask, ast.BitAnd(), part)
        return mask

    def _name_squares(self) -> None:
        """The second accumulator keeps its name where that stands for nothing else."""
        name = self.squares.name
        starts = [s for s in self.between if names_bound(s) == {name} and is_plain(self.facts, s)]
        inside = set(walk(self.second))
        others = [
            n
            for n in walk(self.facts.kernel.node)
            if isinstance(n, ast.Name) and n.id == name and n not in inside
        ]
        stores = [n for n in others if isinstance(n.ctx, ast.Store)]
        reads = [n for n in others if isinstance(n.ctx, ast.Load)]
        own = len(stores) == 1 and not any(n.lineno < self.second.lineno for n in reads)
        starts_before = self.start.get(name) is self.squares.initial
        self.total = name
        self.first_lines: list[str] = []
        if own and starts_before:
            self.removed: list[ast.stmt] = []
            return
        if not own or name in self.start or len(starts) != 1:
            self.total = self.writer.fresh(f"{name}_squares")
        self.first_lines = [f"{self.total} = {self.zero}"]
        last_read = max((n.lineno for s in self.between for n in reads_of(s, name)), default=0)
        self.removed = [s for s in starts if s.lineno > last_read]

    def _zero(self) -> str:
        initial = self.squares.initial
        if initial.op == "const":
            return "0.0"
        for node in self.expressions:
            same = self.facts.values[node] is initial and not isinstance(node, ast.Name)
            if same and self.writer.means_the_same(node, self.start):
                return self.writer.text(node)
        raise NotExpressible(
            f"the start of {self.squares.name} has no expression before the first sweep"
        )

    # Expressions

    @property
    def wide(self) -> str:
        dtype = "float64" if self.squares.initial.dtype == "fp64" else "float32"
        return self.writer.language(dtype)

    def _widened(self, text: str) -> str:
        """The tile in the accumulator's type: the sweep would not compile if that were narrower."""
        return text if self.tile_is_wide else f"{text}.to({self.wide})"

    @property
    def _keeps_dims(self) -> bool:
        if self.by_lane:
            return self.statistics.keep_dims
        return self.squares.keep_dims

    def _sum(self, text: str) -> str:
        """The sum over the summed axes, with the shape that the kernel's own sum has."""
        return self.writer.sum(text, self.statistics.axes, self.rank, self._keeps_dims)

    def _against_tile(self, text: str) -> str:
        """A sum with its axes put back, so that it meets the tile lane by lane."""
        axes = self.statistics.axes
        if len(axes) == self.rank or self._keeps_dims:
            return text
        return text + "[" + ", ".join("None" if i in axes else ":" for i in range(self.rank)) + "]"

    def _masked(self, text: str) -> str:
        if self.mask is None:
            return text
        return f"{self.writer.language('where')}({self.writer.text(self.mask)}, {text}, 0.0)"

    def _number(self) -> str:
        return self.writer.find_form(self.statistics.number, self.end, self.expressions)

    def _added(self, text: str) -> str:
        """What one iteration adds to an accumulator of the second one's shape."""
        return text if self.by_lane else self._sum(text)

    # The formulas: (lines before the first sweep, lines in it, lines in place of the second)

    def _shifted(self) -> tuple[list[str], list[str], list[str]]:
        if not self.statistics.axes:
            raise NotExpressible("one element is no mean to shift by; formula=welford does without")
        fresh = self.writer.fresh
        underscore = "_" if self.squares.name.startswith("_") else ""
        source = self.tile_source
        if not self.exact:
            assert self.mask is not None
            where = ast.parse(self.writer.language("where"), mode="eval").body
            source = ast.Call(where, [self.mask, source, ast.Constant(0.0)], [])
        start = first_iteration(
            self.writer, self.sum.loops, self.update, source, guards=self._guards()
        )
        shift, deviation = fresh("shift"), fresh("deviation")
        shifted, shifted_sum = fresh(f"{underscore}shifted"), fresh("shifted_sum")
        first = start.result
        statements = list(start.statements)
        if not first.isidentifier():
            first = fresh("first_tile")
            statements.append(f"{first} = {start.result}")
        mean = self._against_tile(self._sum(self._widened(first)))
        before = [
            "# Deviations are taken from the mean of the first tile, so that no digits cancel.",
            *statements,
            f"{shift} = {mean} / {self._first_count()}",
            *self.first_lines,
            f"{shifted} = {self.zero}",
        ]
        inside = [
            f"{deviation} = {self._masked(f'{self.tile} - {shift}')}",
            f"{shifted} += {self._added(deviation)}",
            f"{self.total} += {self._added(f'{deviation} * {deviation}')}",
        ]
        number = self._divisor()
        if self.by_lane:
            after = [f"{shifted_sum} = {self._sum(shifted)}"]
            moved = f"{shifted_sum} * ({shifted_sum} / {number})"
        else:
            after, moved = [], f"{shifted} * ({shifted} / {number})"
        return before, inside, [*after, *self._finish(f"{self._total_sum()} - {moved}")]

    def _moments(self) -> tuple[list[str], list[str], list[str]]:
        fresh = self.writer.fresh
        value = fresh("value")
        tile = self._widened(self.tile)
        inside = [
            f"{value} = {tile if self.exact else self._masked(tile)}",
            f"{self.total} += {self._added(f'{value} * {value}')}",
        ]
        total = self._total_of_first()
        before = [
            "# The squares are gathered with the sum: sum (x - mean)^2 = sum x^2 - (sum x)^2 / n."
        ]
        return (
            [*before, *self.first_lines],
            inside,
            self._finish(f"{self._total_sum()} - {total} * ({total} / {self._divisor()})"),
        )

    def _total_of_first(self) -> str:
        """The first sweep's sum, with the shape of the second one's."""
        total = self.statistics.mean * self.statistics.number
        if not self._keeps_dims:
            for axis in sorted((self.rank - 1 - a for a in self.statistics.axes), reverse=True):
                total = move_axes(total, {a: a - 1 for a in range(axis + 1, self.rank)})
        return self.writer.find_form(total, self.end, self.expressions)

    def _welford(self) -> tuple[list[str], list[str], list[str]]:
        fresh, language = self.writer.fresh, self.writer.language
        value, count, mean, centred = (
            fresh(n) for n in ("value", "tile_count", "tile_mean", "centred")
        )
        delta, weight, total_count = fresh("delta"), fresh("weight"), fresh("total_count")
        running_count, running_mean = fresh("running_count"), fresh("running_mean")
        between = fresh("between_tiles")
        zero = self._zero_sum()
        maximum = self.writer.maximum
        tile = self._widened(self.tile)
        ones = f"{language('zeros_like')}({value}) + 1.0"
        before = [
            "# Every tile is centred on its own mean; what the means differ by is added apart.",
            f"{running_count} = {zero}",
            f"{running_mean} = {zero}",
            f"{between} = {zero}",
            *self.first_lines,
        ]
        inside = [
            f"{value} = {tile if self.exact else self._masked(tile)}",
            f"{count} = {self._sum(self._masked(ones))}",
            f"{mean} = {self._sum(value)} / {maximum}({count}, 1.0)",
            f"{centred} = {self._masked(f'{value} - {self._against_tile(mean)}')}",
            f"{self.total} += {self._added(f'{centred} * {centred}')}",
            f"{delta} = {mean} - {running_mean}",
            f"{total_count} = {running_count} + {count}",
            f"{weight} = {count} / {maximum}({total_count}, 1.0)",
            f"{between} += {delta} * {weight} * ({delta} * {running_count})",
            f"{running_mean} += {delta} * {weight}",
            f"{running_count} = {total_count}",
        ]
        name = self._name_of_m2()
        after = [f"{name} = {self._total_sum()} + {between}"]
        return before, inside, [*after, *self._hand_over(name)]

    def _name_of_m2(self) -> str:
        """A name for the finished sum; an accumulator that was summed in its loop keeps its own."""
        return self.writer.fresh("m2", "squared_deviations") if self.by_lane else self.total

    def _zero_sum(self) -> str:
        """Zeros of the shape of a sum over the summed axes."""
        axes = self.statistics.axes
        dims = [
            "1" if i in axes else self.writer.find_form(self.facts.forms.of(d), self.start)
            for i, d in enumerate(self.squares.shape)
            if self._keeps_dims or i not in axes
        ]
        if dims:
            return f"{self.writer.language('zeros')}([{', '.join(dims)}], dtype={self.wide})"
        if _float_type(self.squares.initial) != "fp32":
            raise NotExpressible("a scalar of 64 bits that is 0 cannot be written")
        return "0.0"

    def _total_sum(self) -> str:
        return self._sum(self.total) if self.by_lane else self.total

    def _finish(self, m2: str) -> list[str]:
        """The sum of squared deviations, never below zero, where the kernel looks for it."""
        name = self._name_of_m2()
        where = self.writer.language("where")
        # tl.maximum would make a NaN of the row 0; a comparison with a NaN is false.
        lines = [
            f"{name} = {m2}",
            f"{name} = {where}({name} < 0.0, 0.0, {name})  # rounding may take it just below zero",
        ]
        return [*lines, *self._hand_over(name)]

    def _hand_over(self, m2: str) -> list[str]:
        """Let the rest of the kernel read the sum where it read the second sweep's."""
        for use in self.statistics.uses if self.by_lane else ():
            self.result.append(ReplaceExpression(use, m2))
        if self.by_lane:
            return []
        scale = self.squares.scale
        if scale == ONE:
            return [] if m2 == self.squares.name else [f"{self.squares.name} = {m2}"]
        # The loop divided every term, so an empty row stayed 0.
        divisor = self.writer.find_form(scale.inverse(), self.end, self.expressions)
        where, number = self.writer.language("where"), self._number()
        return [f"{self.squares.name} = {where}({number} > 0, {m2} / {divisor}, 0.0)"]

    def _divisor(self) -> str:
        """The number of elements, kept from 0 unless a division by it follows anyway."""
        text, number = self._number(), self.statistics.number
        if number.constant_value is not None or self._only_divided_by(number):
            return text
        return f"{self.writer.maximum}({text}, 1)"

    def _only_divided_by(self, number: Polynomial) -> bool:
        """Whether the sum is always divided by that number: an empty row is NaN, as before."""
        if not self.by_lane:
            return False
        divided = {
            node.left
            for node in self.expressions
            if isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and self.facts.forms.of(self.facts.values[node.right]) == number
        }
        return all(use in divided for use in self.statistics.uses)

    def _first_count(self) -> str:
        """The number of elements in the first tile, at least 1."""
        factors: list[str] = []
        masked = False
        for stream in self.statistics.count.streams:
            if stream.lanes is None:
                continue
            extent = self.writer.find_form(stream.lanes.extent, self.start, self.expressions)
            if stream.masked:
                limit = self.writer.find_form(stream.extent, self.start, self.expressions)
                factors.append(f"{self.writer.minimum}({limit}, {extent})")
                masked = True
            else:
                factors.append(extent)
        product = " * ".join(factors) or "1"
        if masked:
            return f"{self.writer.maximum}({product}, 1)"
        return product if len(factors) < 2 else f"({product})"

    def _guards(self) -> list[str]:
        """Conditions under which loops run at all, where not every load is masked by its own."""
        guards = []
        for loop in self.sum.loops:
            count = self.facts.forms.trip_count(loop)
            known = count.constant_value if count is not None else None
            if (known is not None and known >= 1) or self._masks_all_loads(loop):
                continue
            assert loop.start is not None and loop.stop is not None
            forms = self.facts.forms
            stop = self.writer.find_form(forms.of(loop.stop), self.start, self.expressions)
            start = self.writer.find_form(forms.of(loop.start), self.start, self.expressions)
            guards.append(f"{stop} > {start}")
        return guards

    def _masks_all_loads(self, loop: Loop) -> bool:
        """Whether every load of the sweep is masked off where the loop would not run."""
        forms = self.facts.forms
        masks = [
            Polynomial.of(a)
            for s in self.statistics.count.streams
            if s.loop is loop and s.masked
            for a in self.statistics.mask
            if varies_with(a, loop)
        ]
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD and loop in e.loops]
        conditions = [forms.condition(e.mask) if e.mask is not None else ONE for e in loads]
        return bool(masks) and all(c * m == c for c in conditions for m in masks)

    def _remove_what_only_the_second_sweep_read(self) -> None:
        """Its accumulator's start, and what was computed for it alone."""
        self.result.extend(Remove(s) for s in self.removed)
        sweeps = self.statistics.sweeps
        inside = set(walk(self.second))
        around = sweeps.second.parent
        written = [change.code for change in self.result if not isinstance(change, Remove)]
        for statement in self.between:
            names = names_bound(statement)
            if statement in self.removed or len(names) != 1 or not is_plain(self.facts, statement):
                continue
            (name,) = names
            if any(_mentions(v, sweeps.first) for v in self._values_in(statement)):
                continue  # the mean stays, whoever reads it
            if any(re.search(rf"\b{name}\b", text) for text in written):
                continue
            if around is not None and name in around.carried:
                continue  # the next iteration of the loop around may read it
            reads = reads_of(self.facts.kernel.node, name)
            later = [n for n in reads if n.lineno > statement.lineno]
            if later and all(n in inside for n in later) and not reads_of(statement, name):
                self.result.append(Remove(statement))

    def _values_in(self, statement: ast.stmt) -> list[Value]:
        return [self.facts.values[node] for node in nodes_of(self.facts, [statement])]
