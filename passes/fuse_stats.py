"""fuse-stats: the sweep for the mean and the sweep for the variance become one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

from tritonopt.facts import Atom, EffectKind, KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.counting import Count, Lanes, NotCounted, count_elements
from tritonopt.facts.effects import Effect
from tritonopt.facts.forms import (
    move_axes,
    sum_over_lanes,
    sum_over_loop,
    trip_atom,
    varies_along,
    varies_with,
)
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.polynomial import ONE, TooLarge, monomial_polynomial
from tritonopt.facts.reductions import Accumulation, accumulation, nodes_of, summed_tile
from tritonopt.facts.values import FLOAT_BITS, is_integer
from tritonopt.rewriting.model import Bits, Condition, Safety, Site, Status
from tritonopt.rewriting.passes import Pass
from tritonopt.rewriting.writing import NotExpressible, Writer, first_iteration
from tritonopt.source import Change, InsertAfter, InsertBefore, Remove, Replace, ReplaceExpression

MEASURED = "@@MEASURED@@"


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
    - `moments`: sum x^2 - n * mean^2. One accumulator fewer, but all digits are
      lost when the mean is large against the deviation.
    - `welford`: every tile's own mean and squared deviations are merged into
      the running ones (Chan, Golub, LeVeque 1979). The most exact, and the
      slowest: two reductions in every iteration.

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
    the compiler keeps the order of its sum. The variance changes in rounding; by
    `shifted` and `welford` its error stays of the size it had. A row with inf or
    NaN gave a variance that is not finite, and still does. An empty row gives
    what it gave.

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
    # The sums of the variance are taken from the mean of the first tile: no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        squares += deviation * deviation
    mean = tl.sum(total, axis=0) / N
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(squares, axis=0) - shifted_sum * shifted_sum / N
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N
    ```

    ## Measured

    @@MEASURED_TABLE@@
    """

    formula: Literal["shifted", "moments", "welford"] = "shifted"

    name: ClassVar[str] = "fuse-stats"
    summary: ClassVar[str] = "merge the mean sweep and the variance sweep into one"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    default: ClassVar[bool] = False

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for second, candidates in _pairs(facts):
            for name in sorted(second.carried):
                best: _Examination | None = None
                for first in candidates:
                    examined = _examine(facts, first, second, name, self.formula)
                    if examined is None:
                        continue
                    if (
                        best is None
                        or examined.succeeded
                        or len(examined.conditions) > len(best.conditions)
                    ):
                        best = examined
                    if examined.succeeded:
                        break
                if best is not None:
                    yield best.site(self.formula)

    def edit(self, facts: KernelFacts, site: Site) -> Sequence[Change]:
        changes: Sequence[Change] = site.plan
        return changes


def _pairs(facts: KernelFacts) -> Iterator[tuple[Loop, list[Loop]]]:
    """Each loop with the loops that run before it in its own block, nearest first."""
    siblings = [loop for loop in facts.loops if not loop.inlined and isinstance(loop.node, ast.For)]
    blocks: dict[ast.AST, int] = {}
    for node in ast.walk(facts.kernel.node):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list):
                blocks.update((s, id(block)) for s in block if isinstance(s, ast.For))
    for second in siblings:
        before = [
            first
            for first in siblings
            if first.last < second.first and blocks[first.node] == blocks[second.node]
        ]
        if before:
            yield second, before[::-1]


class _Declined(Exception):
    """A condition does not hold."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition


def _refuted(claim: str, otherwise: str, detail: str) -> _Declined:
    return _Declined(Condition(claim, Status.REFUTED, detail, otherwise))


def _unknown(claim: str, otherwise: str, detail: str) -> _Declined:
    return _Declined(Condition(claim, Status.UNKNOWN, detail, otherwise))


def _examine(
    facts: KernelFacts, first: Loop, second: Loop, name: str, formula: str
) -> _Examination | None:
    """What holds of an accumulator of a second sweep; None when it is no sum over the first's."""
    examination = _Examination(facts, first, second, name)
    return examination if examination.run(formula) else None


class _Examination:
    """One accumulator of the second sweep against one first sweep, condition by condition."""

    def __init__(self, facts: KernelFacts, first: Loop, second: Loop, name: str) -> None:
        self.facts = facts
        self.first = first
        self.second = second
        self.name = name
        self.conditions: list[Condition] = []
        self.changes: list[Change] = []
        self.facts_used: set[str] = set()

    @property
    def succeeded(self) -> bool:
        return all(c.holds for c in self.conditions)

    def site(self, formula: str) -> Site:
        safety = {Safety.ROUNDING}
        if self.facts_used:
            safety.add(Safety.ASSUMPTION)
        lines = f"line {self.second.line} into the sweep in line {self.first.line}"
        if self.succeeded:
            message = f"merged the sweep in {lines} ({formula} formula). {MEASURED}"
        else:
            failed = next(c for c in self.conditions if not c.holds)
            message = f"did not merge the sweep in {lines}: {failed.detail}"
        return Site(
            self.second.node,
            tuple(self.conditions),
            message,
            frozenset(safety),
            Bits.REDUCTION_ORDER,
            frozenset(self.facts_used),
            self.changes,
        )

    def run(self, formula: str) -> bool:
        """Whether there is a site at all; `conditions` then says how it came out."""
        try:
            if not self._is_site():
                return False
            self._check()
            self.changes = _Edit(self, formula).changes()
            self._hold(
                "has-an-expression", "everything the merged sweep needs can be written there"
            )
        except _Declined as declined:
            self.conditions.append(declined.condition)
        except NotExpressible as error:
            self.conditions.append(
                Condition("has-an-expression", Status.UNKNOWN, str(error), "not-expressible")
            )
        except TooLarge:
            self.conditions.append(
                Condition(
                    "is-understood",
                    Status.UNKNOWN,
                    "the sums are too large to compare",
                    "opaque-value",
                )
            )
        return True

    def _hold(self, claim: str, detail: str, status: Status = Status.PROVED) -> None:
        self.conditions.append(Condition(claim, status, detail))

    # Is this a site?

    def _is_site(self) -> bool:
        """Whether the second sweep accumulates something that the first one's sums go into.

        Also where it squares the elements that the first one adds: a reader
        expects a word on those, though their centre is not the first one's sum.
        """
        innermost = self._innermost(self.second)
        following = innermost.following.get(self.name)
        if following is None or following is innermost.carried.get(self.name):
            return False
        sums = [a for n in sorted(self.first.carried) if (a := self._accumulation(self.first, n))]
        self.depends = self._reaches_first(following)
        squares = self._accumulation(self.second, self.name)
        if squares is None:
            if not (self.depends and sums and _adds_to_itself(following, innermost, self.name)):
                return False
            self.squares = None
        else:
            self.squares = squares
        self.sums = sums
        if not self.depends:
            return (
                squares is not None
                and bool(sums)
                and self._squares_the_same_elements(squares, sums)
            )
        return bool(sums) or squares is not None

    def _reaches_first(self, value: Value) -> bool:
        """Whether a value of the second sweep is made from a result of the first one."""
        todo = [value]
        seen: set[int] = set()
        while todo:
            for part in todo.pop().walk():
                if part.serial in seen or part.op not in ("result", "carried"):
                    continue
                seen.add(part.serial)
                identity, name = part.carrier
                loop = self.facts.loops[identity]
                if part.op == "result" and loop is self.first:
                    return True
                if self.second in loop.nest and name != self.name:
                    todo.append(loop.initial[name])
        return False

    def _accumulation(self, loop: Loop, name: str) -> Accumulation | None:
        try:
            return accumulation(self.facts, self.facts.forms, loop, name)
        except TooLarge:
            return None

    def _innermost(self, loop: Loop) -> Loop:
        """The loop of the nest in which the name is bound last."""
        while True:
            following = loop.following.get(self.name)
            if following is None or following.op != "result":
                return loop
            inner = self.facts.loops[following.carrier.loop]
            if inner.parent is not loop or self.name not in inner.following:
                return loop
            loop = inner

    def _squares_the_same_elements(
        self, squares: Accumulation, sums: Sequence[Accumulation]
    ) -> bool:
        mine = {_place(a) for m in squares.term.terms for a, p in m if a.tag == "load" and p == 2}
        theirs = {_place(a) for s in sums for a in s.term.atoms if a.tag == "load"}
        return bool(mine & theirs)

    # The conditions, in the order in which a reader would ask for them

    def _check(self) -> None:
        if self.squares is None:
            raise _refuted(
                "accumulators-are-sums",
                "accumulator-is-read",
                f"{self.name} is more than added to in its loop",
            )
        self._check_path()
        self._check_ranges()
        self._check_accumulator(self.squares)
        self._find_axes()
        self._find_centre()
        self._check_data()
        self._check_centre()
        self._check_polynomial()
        self._check_effects()
        self._check_rest()
        self._check_pins()
        self._hold(
            "no-int32-overflow",
            "index arithmetic is taken over the integers, and is the original's own",
            Status.ASSUMED,
        )

    def _check_path(self) -> None:
        """Nothing on the way may leave, wait, or do what is not known."""
        for effect in self.facts.within(self.first, self.second):
            line = f"line {effect.line}"
            match effect.kind:
                case EffectKind.EXIT:
                    raise _refuted("no-early-exit", "early-exit", f"{effect.name} in {line}")
                case EffectKind.ATOMIC if any(
                    self.facts.may_alias(e, effect) for e in self._loads()
                ):
                    raise _refuted(
                        "data-is-unchanged",
                        "data-may-change",
                        f"{effect.name} in {line} may change the data",
                    )
                case EffectKind.BARRIER | EffectKind.ATOMIC:
                    raise _refuted(
                        "nothing-in-between",
                        "barrier-between",
                        f"{effect.name} in {line} orders memory",
                    )
                case EffectKind.CALL:
                    orders = any(word in effect.name for word in ("gdc", "asm", "barrier", "fence"))
                    reason = "barrier-between" if orders else "opaque-value"
                    raise _unknown(
                        "nothing-in-between",
                        reason,
                        f"the effects of {effect.name} in {line} are not known",
                    )
                case EffectKind.LOAD if effect.volatile:
                    raise _refuted(
                        "no-volatile-load", "volatile-load", f"the load in {line} is volatile"
                    )
        self._hold(
            "nothing-in-between", "no exit, barrier, atomic or unknown call from sweep to sweep"
        )

    def _check_pins(self) -> None:
        for node, what in self.facts.pinned_roundings:
            raise _refuted(
                "rounding-is-not-pinned",
                "pinned-bits",
                f"{what} in line {node.lineno}: the kernel matches another library's bits",
            )
        self._hold(
            "rounding-is-not-pinned", "no div_rn, sqrt_rn, fdiv or round trip through a narrow type"
        )

    def _check_ranges(self) -> None:
        """Both nests must run through the same iterations."""
        assert self.squares is not None
        theirs = self.squares.loops
        chains = [s.loops for s in self.sums]
        ours = next(
            (c for c in chains if len(c) == len(theirs)), chains[0] if chains else (self.first,)
        )
        if len(ours) != len(theirs):
            raise _refuted(
                "same-range", "different-range", f"{len(ours)} nested loops against {len(theirs)}"
            )
        forms = self.facts.forms
        renamed: dict[Atom, Atom] = {}
        for one, other in zip(ours, theirs, strict=True):
            counts = forms.trip_count(one), forms.trip_count(other)
            where = f"the loops in lines {one.line} and {other.line}"
            if counts[0] is None or counts[1] is None:
                raise _unknown(
                    "same-range", "different-range", f"the iterations of {where} are not known"
                )
            same = counts[0] == _renamed(counts[1], renamed)
            strides = [loop.step for loop in (one, other)]
            by_tile = all(s is not None and s.constant != 1 for s in strides)
            if not same and by_tile and strides[0] is not strides[1]:
                raise _refuted("same-range", "different-step", f"{where} have different steps")
            if not same:
                raise _refuted(
                    "same-range",
                    "different-range",
                    f"{where} run {_shown(counts[0])} and {_shown(counts[1])} times",
                )
            renamed[trip_atom(other.identity)] = trip_atom(one.identity)
        self.ours, self.theirs, self.renaming = ours, theirs, renamed
        self._hold("same-range", f"{_shown(forms.trip_count(ours[0]))} iterations each")

    def _check_accumulator(self, accumulator: Accumulation) -> None:
        """It must start at 0 and be wide enough to hold a sum of squares."""
        dtype = accumulator.initial.dtype
        if is_integer(dtype) or dtype == "int":
            raise _refuted(
                "data-is-float", "data-is-integer", f"{accumulator.name} adds up integers"
            )
        if not self.facts.forms.of(accumulator.initial).is_zero:
            raise _refuted(
                "accumulators-start-at-zero",
                "accumulator-starts-elsewhere",
                f"{accumulator.name} does not start at 0",
            )
        if dtype != "float" and FLOAT_BITS.get(dtype or "", 0) < 32:
            shown = dtype or "of a type that the kernel does not show"
            raise _refuted(
                "accumulators-are-wide", "accumulator-is-narrow", f"{accumulator.name} is {shown}"
            )
        if is_integer(accumulator.tile.dtype):
            raise _refuted(
                "data-is-float",
                "data-is-integer",
                f"{accumulator.name} adds up {accumulator.tile.dtype}",
            )

    def _check_not_read(self, accumulator: Accumulation) -> None:
        """Partial sums must not be used before the sweep has ended."""
        for loop in accumulator.loops:
            partial = loop.carried[accumulator.name]
            used = [
                v
                for e in self.facts.effects
                if loop in e.loops
                for v in (e.pointer, e.mask, e.stored)
            ]
            used += [v for name, v in loop.following.items() if name != accumulator.name]
            if any(partial in value.walk() for value in used if value is not None):
                raise _refuted(
                    "accumulators-are-sums",
                    "accumulator-is-read",
                    f"{accumulator.name} is read in the loop in line {loop.line}, incomplete",
                )

    def _find_axes(self) -> None:
        """Along which axes of the tile the squares are summed, in the loop or after it."""
        squares = self.squares
        assert squares is not None
        self.uses: list[ast.Call] = []
        self.keep_dims = False
        if squares.axes or not squares.shape:
            self.axes = squares.axes
            return
        result = self.second.result[self.name]
        reads = self._reads_after()
        for node, value in self.facts.values.items():
            tile, axes = summed_tile(value)
            if tile is result and axes and isinstance(node, ast.Call):
                self.uses.append(node)
        outermost = [
            u for u in self.uses if not any(u is not o and u in set(ast.walk(o)) for o in self.uses)
        ]
        kinds = {
            (summed_tile(self.facts.values[u])[1], _keeps(self.facts.values[u])) for u in outermost
        }
        covered = {n for use in outermost for n in ast.walk(use)}
        if not reads or any(node not in covered for node in reads) or len(kinds) != 1:
            raise _refuted(
                "only-the-full-sum-is-used",
                "partial-sums-escape",
                f"{self.name} is used after its loop other than through its sum",
            )
        self.uses = outermost
        ((self.axes, self.keep_dims),) = kinds

    def _reads_after(self) -> list[ast.Name]:
        """Where the kernel reads what the second sweep left in the accumulator, lane by lane."""
        inside = set(ast.walk(self.second.node))
        around = {loop.identity for loop in self.second.nest}

        def holds_lanes(value: Value) -> bool:
            if value.op in ("result", "carried"):
                identity, name = value.carrier
                return identity in around and name == self.name
            if value.op == "reduce" and summed_tile(value)[0] is self.second.result[self.name]:
                return False
            return any(holds_lanes(operand) for operand in value.operands)

        return [
            node
            for node, value in self.facts.values.items()
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node not in inside
            and holds_lanes(value)
        ]

    def _find_centre(self) -> None:
        """What the second sweep subtracts: its largest parts that the first one's sums go into."""
        squares = self.squares
        assert squares is not None
        if not self.depends:
            raise _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                "what the squares are centred on is not computed from the first sweep's sum",
            )
        inside = {loop.identity for loop in self.facts.loops if self.second in loop.nest}
        centres: list[Value] = []

        def descend(value: Value) -> None:
            if not _mentions(value, self.first):
                return
            if not inside & set(self.facts.interpretation.made_in(value)):
                if value not in centres:
                    centres.append(value)
                return
            for operand in value.operands:
                descend(operand)

        descend(squares.tile)
        if len({self.facts.forms.of(c) for c in centres}) != 1:
            if any(sum(a.tag == "load" for a, _ in m) > 1 for m in squares.term.terms):
                raise _refuted(
                    "squares-of-deviations",
                    "not-a-square",
                    "two different deviations are multiplied",
                )
            raise _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                "the centre is not one result of the first sweep that stays what it is",
            )
        self.centre = centres[0]
        self.mean = self.facts.forms.of(self.centre)

    def _check_data(self) -> None:
        """The centre must be made from the elements that the second sweep squares."""
        squares = self.squares
        assert squares is not None
        self._check_centre_is_exact()
        term = _renamed(squares.term, self.renaming)
        plain = Polynomial(
            {m: c for m, c in term.terms.items() if not any(a.tag == "total" for a, _ in m)}
        )
        candidates = [s for s in self.sums if s.loops == self.ours]
        mine = [s for s in candidates if self._share(s) is not None]
        if not mine:
            for other in candidates:
                self._check_accumulator(other)
                self._check_axes(other)
            self._check_pins()
            raise _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                f"the centre {self._called(self.centre)} is no multiple of a first sum",
            )
        self.sum = mine[0]
        self._check_accumulator(self.sum)
        self._check_not_read(self.sum)
        self._hold("accumulators-start-at-zero", "both start at 0, in fp32 or wider")
        if self.sum.shape != squares.shape:
            raise _refuted("same-elements", "different-elements", "the tiles have different shapes")
        self.term = self.sum.term
        self.second_term = term
        if any(plain == s.term * s.term for s in candidates if s.term != self.term):
            raise _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                "the centre is the mean of other elements",
            )
        self._check_padding()
        if plain != self.term * self.term:
            raise self._why_data_differs(plain)
        self._hold("same-elements", f"both read {self._described(self.term)}")

    def _check_centre_is_exact(self) -> None:
        for atom in _outside_totals(self.mean):
            if atom.tag in ("round", "cast"):
                raise _refuted(
                    "centre-is-unrounded",
                    "centre-is-rounded",
                    f"{self._called(self.centre)} is rounded to another type before its use",
                )
        for atom in self.mean.leaves():
            if atom.tag == "tile" and f"('result', {self.first.identity}, " in atom.key:
                raise _refuted(
                    "accumulators-are-sums",
                    "accumulator-is-read",
                    f"{atom.readable.rstrip('?')} is more than added to in line {self.first.line}",
                )

    def _check_axes(self, accumulator: Accumulation) -> None:
        """The squares must be summed along the axes that the mean was taken over."""
        rank = len(accumulator.shape)
        for axes in (a for n in range(1, rank + 1) for a in combinations(range(rank), n)):
            if axes != self.axes and self._share(accumulator, axes) is not None:
                raise _refuted(
                    "only-the-full-sum-is-used",
                    "partial-sums-escape",
                    f"{self.name} is summed along other axes than the mean was",
                )

    def _check_padding(self) -> None:
        """The lanes that the mask turns off must add nothing to the first sum."""
        term = self.term
        for atom in term.leaves():
            if atom.tag == "undefined":
                raise _refuted(
                    "masked-lanes-add-nothing",
                    "padding-lanes-count",
                    "a masked load without `other` is summed: its masked-off lanes are undefined",
                )
        indicators = [frozenset(a for a, _ in m if a.is_indicator) for m in term.terms]
        self.mask = frozenset.intersection(*indicators) if indicators else frozenset()
        if any(own != self.mask for own in indicators):
            raise _refuted(
                "masked-lanes-add-nothing",
                "padding-lanes-count",
                "lanes that the mask turns off add something to the first sum",
            )

    def _why_data_differs(self, plain: Polynomial) -> _Declined:
        ignoring = self._forgetful_squares()
        if ignoring is not None and ignoring:
            return self._changed()
        ours = {a for a in self.term.leaves() if a.tag == "load"}
        squared = {a for m in plain.terms for a, p in m if a.tag == "load" and p >= 2}
        theirs = squared or {a for a in plain.leaves() if a.tag == "load"}
        if any(a.tag in ("round", "cast") for a in plain.leaves()):
            return _refuted(
                "same-elements",
                "pinned-bits",
                "the second sweep rounds what it squares to another type",
            )
        if any(a.tag == "call" or a.tag == "tile" for a in plain.leaves()):
            return _unknown(
                "same-elements", "opaque-value", "what the second sweep squares is not understood"
            )
        if not any(a.tag == "load" for a in (plain - self.term * self.term).leaves()):
            return _refuted(
                "masked-lanes-add-nothing",
                "padding-lanes-count",
                "lanes that the mask turns off add something to the second sum",
            )
        if not theirs or not squared:
            return _refuted(
                "squares-of-deviations",
                "not-a-square",
                "the second sweep adds up something other than squared deviations",
            )
        if {a.arguments[0] for a in ours} != {a.arguments[0] for a in theirs}:
            shared = {a.arguments[0] for a in ours} & {a.arguments[0] for a in squared}
            if shared:
                return _refuted("weight-is-one", "weighted", "the squared deviations are weighted")
            return _refuted(
                "same-elements", "different-buffer", "the sweeps read different buffers"
            )
        if {a.arguments[1] for a in ours} != {a.arguments[1] for a in theirs}:
            return _refuted(
                "same-elements",
                "different-elements",
                "the sweeps read different elements of one buffer",
            )
        masks = {a for m in plain.terms for a, _ in m if a.is_indicator}
        if masks != self.mask:
            return _refuted("same-mask", "different-mask", "the sweeps are masked differently")
        if any(p > 2 for m in plain.terms for a, p in m if a.tag == "load"):
            return _refuted(
                "squares-of-deviations",
                "not-a-square",
                "the deviations go in with another power than 2",
            )
        root = _square_root(plain)
        if root is not None and {a.tag for a in root.atoms if not a.is_indicator} == {"load"}:
            return _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                "the first sweep does not add the elements that the second one squares",
            )
        return _refuted("weight-is-one", "weighted", "the squared deviations are weighted")

    def _forgetful_squares(self) -> bool:
        """Whether both sweeps read the same addresses, only not at the same time."""
        forms = self.facts.forms_ignoring_memory
        squares = accumulation(self.facts, forms, self.second, self.name)
        total = accumulation(self.facts, forms, self.first, self.sum.name)
        if squares is None or total is None:
            return False
        term = _renamed(squares.term, self.renaming)
        plain = {m: c for m, c in term.terms.items() if not any(a.tag == "total" for a, _ in m)}
        return Polynomial(plain) == total.term * total.term

    def _changed(self) -> _Declined:
        """Name the store that stands between the two sweeps and their data."""
        loads = self._loads()
        for effect in self.facts.within(self.first, self.second):
            if effect.writes and any(self.facts.may_alias(load, effect) for load in loads):
                why = self._why_alias(loads, effect)
                return _refuted(
                    "data-is-unchanged",
                    "data-may-change",
                    f"the {effect.name} in line {effect.line} may change the data{why}",
                )
        return _unknown(
            "data-is-unchanged", "data-may-change", "the data may change between the sweeps"
        )

    def _why_alias(self, loads: Sequence[Effect], write: Effect) -> str:
        stored = self.facts.bases(write)
        read = [b for load in loads for b in self.facts.bases(load) or ()]
        if stored is None or not read:
            return ""
        for a in sorted(stored):
            for b in read:
                shown, why, _ = self.facts.why_disjoint(a, b) if a != b else (False, "", None)
                if a != b and not shown:
                    return (
                        f": {a} may be the same buffer as {b} ({why}); "
                        f"if it never is, give --assume 'disjoint({a}, {b})'"
                    )
        return ""

    def _loads(self) -> list[Effect]:
        """The loads of both sweeps."""
        sweeps = (self.first, self.second)
        loads = (e for e in self.facts.effects if e.kind is EffectKind.LOAD)
        return [e for e in loads if any(loop in e.loops for loop in sweeps)]

    def _check_centre(self) -> None:
        """The centre must be that sum over the number of elements that go into it."""
        factor = self._share(self.sum)
        assert factor is not None
        lanes = [Lanes(len(self.sum.shape) - 1 - a, self._extent(a)) for a in self.axes]
        varying = [
            a
            for a in self.mask
            if any(varies_with(a, loop) for loop in self.ours)
            or any(varies_along(a, x.axis) for x in lanes)
        ]
        try:
            self.count: Count = count_elements(
                self.facts, sorted(varying, key=str), self.ours, lanes
            )
        except NotCounted as error:
            raise _unknown("centre-is-the-mean", "extent-unknown", str(error)) from error
        self.facts_used.update(a.text for a in self.count.assumed)
        total = self.count.total
        self.number = factor.inverse() if len(factor.terms) == 1 else None
        equal = self._equal_parameters(self.number, total) if self.number is not None else {}
        if self.number is None or self.number.map(equal.get) != total.map(equal.get):
            if not self.mask and any(a.tag == "cdiv" for a in total.leaves()):
                raise _unknown(
                    "centre-is-the-mean",
                    "extent-unknown",
                    f"the tiles are not masked, so {_shown(total)} elements are added; "
                    "if the last tile is always full, give --assume with the `%` that says so",
                )
            raise _refuted(
                "centre-is-the-mean",
                "centre-is-not-the-mean",
                f"the sum of {_shown(total)} elements is multiplied by {_shown(factor)}",
            )
        status = Status.ASSUMED if self.count.assumed else Status.PROVED
        self._hold(
            "centre-is-the-mean", f"the sum of {_shown(total)} elements over their number", status
        )

    def _equal_parameters(self, one: Polynomial, other: Polynomial) -> dict[Atom, Atom]:
        """Parameters of one form that every launch passes equal to one of the other form."""
        if one == other:
            return {}
        mine, theirs = ([a for a in f.atoms if a.tag == "param"] for f in (one, other))
        equal = {
            a: b
            for a in mine
            for b in theirs
            if a != b and self.facts.launches.equal(str(a.arguments[0]), str(b.arguments[0]))
        }
        if equal:
            pairs = ", ".join(f"{a.readable} == {b.readable}" for a, b in equal.items())
            self._hold(
                "no-other-launches", f"every launch in this file passes {pairs}", Status.ASSUMED
            )
        return equal

    def _check_polynomial(self) -> None:
        """What is added must be the squared deviation where the mask is on, and 0 elsewhere."""
        mask = monomial_polynomial((a, 1) for a in self.mask)
        deviations = (
            self.term * self.term - self.term * self.mean * 2 + mask * self.mean * self.mean
        )
        rest = self.second_term - deviations
        if not rest.is_zero:
            if not any(a.tag == "load" for m in rest.terms for a, _ in m):
                raise _refuted(
                    "masked-lanes-add-nothing",
                    "padding-lanes-count",
                    "masked-off lanes add the square of the mean to the second sum",
                )
            raise _refuted(
                "squares-of-deviations",
                "not-a-square",
                "the second sweep adds up something other than squared deviations from the mean",
            )
        self._hold("squares-of-deviations", "weight 1, and masked-off lanes add 0")

    def _check_effects(self) -> None:
        """Nothing may store to the data from the first sweep to the end of the second."""
        loads = self._loads()
        evidence: list[str] = []
        by_launch = False
        for effect in self.facts.within(self.first, self.second):
            if not effect.writes:
                continue
            if any(self.facts.may_alias(load, effect) for load in loads):
                raise self._changed()
            for stored in self.facts.bases(effect) or ():
                for load in loads:
                    for read in self.facts.bases(load) or ():
                        _, why, assumed = self.facts.why_disjoint(stored, read)
                        evidence.append(why)
                        if assumed is not None:
                            self.facts_used.add(assumed.text)
                        else:
                            by_launch = True
        if not evidence:
            self._hold("data-is-unchanged", "nothing is stored from the first sweep to the second")
            return
        detail = "; ".join(dict.fromkeys(evidence))
        only_given = all(text.startswith("given: ") for text in evidence)
        self._hold("data-is-unchanged", detail, Status.ASSUMED if only_given else Status.PROVED)
        if by_launch:
            self._hold(
                "no-other-launches",
                "files that were not given do not launch the kernel in another way",
                Status.ASSUMED,
            )

    def _check_rest(self) -> None:
        """The second sweep may have no other effect, and nothing may use its other names."""
        doing = [
            e
            for e in self.facts.effects
            if self.second in e.loops and (e.writes or e.kind is EffectKind.PRINT)
        ]
        if doing:
            raise _refuted(
                "second-sweep-only-sums",
                "second-sweep-does-more",
                f"the second sweep also does the {doing[0].name} in line {doing[0].line}",
            )
        inside = set(ast.walk(self.second.node))
        gone = {loop.identity for loop in self.facts.loops if self.second in loop.nest}
        bound = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for value, where in self._values_outside(inside):
            for part in value.walk():
                ours = part.op in ("result", "carried") and part.carrier.loop in gone
                if ours and part.carrier.name != self.name:
                    raise _refuted(
                        "second-sweep-only-sums",
                        "second-sweep-does-more",
                        f"{part.carrier.name} of the second sweep is used {where}",
                    )
        for node, value in self.facts.values.items():
            escapes = isinstance(node, ast.Name) and node.id in bound and node not in inside
            if escapes and value.op == "opaque" and node.lineno > self.second.line:
                raise _unknown(
                    "second-sweep-only-sums",
                    "second-sweep-does-more",
                    f"{ast.unparse(node)} is bound in the second sweep, read in line {node.lineno}",
                )
        self._hold("second-sweep-only-sums", f"nothing but {self.name} is used of it")

    def _values_outside(self, inside: set[ast.AST]) -> Iterator[tuple[Value, str]]:
        for node, value in self.facts.values.items():
            if node not in inside:
                yield value, f"in line {node.lineno}"
        for loop in self.facts.loops:
            if loop.first > self.second.last or loop.first < self.second.first:
                for end in (loop.start, loop.stop, loop.step, *loop.initial.values()):
                    # What an outer loop carries from here is bound again before it is read,
                    # or one of the expressions above reads it.
                    if end is not None:
                        yield end, f"in line {loop.line}"

    # Help

    def _extent(self, axis: int) -> Polynomial:
        return self.facts.forms.of(self.sum.shape[axis])

    def _summed(self, accumulator: Accumulation, axes: tuple[int, ...]) -> Polynomial:
        """An accumulator's sum over the nest and some axes, in the coordinates of the tile."""
        forms = self.facts.forms
        rank = len(accumulator.shape)
        result = accumulator.term
        for axis in sorted(axes):
            if axis < rank:
                result = sum_over_lanes(result, rank - 1 - axis, forms.of(accumulator.shape[axis]))
        for loop in reversed(accumulator.loops):
            count = forms.trip_count(loop)
            assert count is not None
            result = sum_over_loop(result, loop, count)
        return result

    def _share(
        self, accumulator: Accumulation, axes: tuple[int, ...] | None = None
    ) -> Polynomial | None:
        """The number by which an accumulator's full sum is multiplied to give the centre."""
        share = self.mean.divided_by(self._summed(accumulator, self.axes if axes is None else axes))
        data = {"load", "total", "tile", "reduce", "call"}
        if share is None or any(leaf.tag in data for leaf in share.leaves()):
            return None
        return share

    def _called(self, value: Value) -> str:
        for node, known in self.facts.values.items():
            if known is value and isinstance(node, ast.Name):
                return node.id
        return f"of {self.name}"

    def _described(self, term: Polynomial) -> str:
        bases = sorted({str(a.arguments[0]) or "memory" for a in term.leaves() if a.tag == "load"})
        return f"the same elements of {', '.join(bases)}, under the same mask"


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


def _place(load: Atom) -> tuple[str, str]:
    """Where a load reads, apart from which trip of which loop it is."""
    offset = load.arguments[1]
    assert isinstance(offset, Polynomial)
    return str(load.arguments[0]), offset.map(
        lambda a: Atom("trip") if a.tag == "trip" else None
    ).key


def _adds_to_itself(following: Value, loop: Loop, name: str) -> bool:
    carried = loop.carried.get(name)
    return following is not carried and any(v is carried for v in following.walk())


def _mentions(value: Value, loop: Loop) -> bool:
    return any(v.op == "result" and v.carrier.loop == loop.identity for v in value.walk())


def _keeps(value: Value) -> bool:
    return value.reduction.keep_dims


def _renamed(form: Polynomial, renaming: dict[Atom, Atom]) -> Polynomial:
    return form.map(renaming.get)


def _shown(form: Polynomial | None) -> str:
    """A form as a person would write it."""
    return "an unknown number of" if form is None else form.readable


class _Edit:
    """Writes the merged sweep."""

    def __init__(self, examined: _Examination, formula: str) -> None:
        assert examined.squares is not None
        self.facts = examined.facts
        self.examined = examined
        self.formula = formula
        self.squares: Accumulation = examined.squares
        self.sum = examined.sum
        self.first = examined.first.node
        self.second = examined.second.node
        self.writer = Writer(examined.facts)
        self.rank = len(self.squares.shape)
        self.by_lane = not self.squares.axes and self.rank > 0
        if self.sum.update is None or self.sum.update not in self.facts.before:
            raise NotExpressible("the first sweep's sum is not added to by a statement of its own")
        if not any(self.sum.update is s for s in self.sum.loops[-1].node.body):
            raise NotExpressible("the first sweep's sum is added to under a condition")
        self.update: ast.stmt = self.sum.update
        self.start: Environment = self.facts.before[self.first]
        self.inside: Environment = self.facts.before[self.update]
        self.end: Environment = self.facts.before[self.second]
        self.expressions = list(self.facts.values)
        self.result: list[Change] = []
        underscore = "_" if self.squares.name.startswith("_") else ""
        self.underscore = underscore

    def changes(self) -> list[Change]:
        self.block = _block_of(self.facts.kernel.node, self.second)
        self._find_tile()
        self._find_mask()
        self._name_squares()
        lines = {"shifted": self._shifted, "moments": self._moments, "welford": self._welford}
        before, inside, m2 = lines[self.formula]()
        self.result.append(InsertBefore(self.first, "\n".join(before)))
        self.result.append(InsertAfter(self.update, "\n".join(inside)))
        self.result.append(Replace(self.second, "\n".join(m2)) if m2 else Remove(self.second))
        self._remove_what_only_the_second_sweep_read()
        return self.result

    # What the first sweep calls things

    def _find_tile(self) -> None:
        """The tile of the first sweep: a name for it, or an expression that gets one."""
        forms, term = self.facts.forms, self.sum.term
        mask = monomial_polynomial((a, 1) for a in self.examined.mask)

        def is_exact(value: Value) -> bool:
            return value.shape == self.sum.shape and forms.of(value) == term

        def is_masked(value: Value) -> bool:
            return value.shape == self.sum.shape and mask * forms.of(value) == term

        candidates = nodes_of(self.facts, [self.update])
        for wanted, exact in ((is_exact, True), (is_masked, False)):
            named = self.writer.find(wanted, self.inside)
            if named is not None:
                self.tile, self.exact, self.tile_source = self.writer.text(named), exact, named
                self.tile_dtype = self.inside[self.tile].dtype
                return
            for node in candidates:
                value = self.facts.values[node]
                if wanted(value) and isinstance(node, (ast.Call, ast.BinOp)):
                    self.tile, self.exact, self.tile_source = self.writer.fresh("tile"), exact, node
                    self.tile_dtype = value.dtype
                    text = self.writer.text(node)
                    self.result.append(InsertBefore(self.update, f"{self.tile} = {text}"))
                    self.result.append(ReplaceExpression(node, self.tile))
                    return
        raise NotExpressible("the tile that the first sweep adds has no expression in it")

    def _find_mask(self) -> None:
        """An expression of the kernel for the lanes that count; None where all do."""
        self.mask: ast.expr | None = None
        wanted = monomial_polynomial((a, 1) for a in self.examined.mask)
        if wanted == ONE:
            return
        whole = self._condition(wanted)
        if whole is not None:
            self.mask = whole
            return
        for indicator in sorted(self.examined.mask, key=str):
            part = self._condition(Polynomial.of(indicator))
            if part is None:
                raise NotExpressible(
                    f"the mask {indicator.readable} has no expression in the first sweep"
                )
            self.mask = part if self.mask is None else ast.BinOp(self.mask, ast.BitAnd(), part)

    def _condition(self, wanted: Polynomial) -> ast.expr | None:
        forms = self.facts.forms

        def holds(value: Value) -> bool:
            boolean = value.dtype == "bool" or value.op in ("and", "both", "insert_axes")
            return boolean and forms.of(value) == wanted

        nodes = nodes_of(self.facts, list(self.sum.loops[-1].node.body))
        return self.writer.find(holds, self.inside, nodes) or self._comparison(wanted)

    def _comparison(self, wanted: Polynomial) -> ast.expr | None:
        """`cols < N`, where the kernel has `cols` and N but compares them elsewhere."""
        indicator = wanted.sole_atom
        if indicator is None or indicator.tag != "negative":
            return None
        difference = indicator.arguments[0]
        assert isinstance(difference, Polynomial)
        named = [(ast.Name(n, ast.Load()), v) for n, v in reversed(self.inside.items())]
        written = [
            (node, self.facts.values[node])
            for node in nodes_of(self.facts, list(self.sum.loops[-1].node.body))
            if self.writer.means_the_same(node, self.inside)
        ]
        for index, value in [*named, *written]:
            if not value.rank or value.dtype not in ("int32", "int64", None):
                continue
            limit = self.facts.forms.of(value) - difference
            if any(a.tag in ("lane", "trip", "tile") for a in limit.leaves()):
                continue
            try:
                text = self.writer.find_form(limit, self.inside)
            except NotExpressible:
                continue
            right = ast.parse(text, mode="eval").body
            return ast.Compare(index, [ast.Lt()], [right])
        return None

    def _name_squares(self) -> None:
        """The second accumulator keeps its name where that is not used for anything else."""
        name = self.squares.name
        inside = set(ast.walk(self.second))
        stores = [
            n
            for n in ast.walk(self.facts.kernel.node)
            if isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Store)
            and n not in inside
        ]
        initial = self.squares.initial
        between = self.block[self.block.index(self.first) + 1 : self.block.index(self.second)]
        own = [s for s in between if _is_assignment_of(s, name)]
        self.zero = self._zero()
        self.first_lines: list[str] = []
        self.removed: list[ast.stmt] = own
        parameters = {p.name for p in self.facts.kernel.parameters}
        if len(stores) == 1 and name not in parameters and self.start.get(name) is initial:
            self.total = name
            return
        if len(stores) == 1 and len(own) == 1 and name not in self.start:
            self.total = name
        else:
            self.total = self.writer.fresh(f"{name}_squares")
            reads = [
                n.lineno
                for s in between
                for n in ast.walk(s)
                if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
            ]
            self.removed = [s for s in own if all(line < s.lineno for line in reads)]
        self.first_lines.append(f"{self.total} = {self.zero}")

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
        wide = {"fp64"} if self.wide.endswith("float64") else {"fp32", "fp64"}
        return text if self.tile_dtype in wide else f"{text}.to({self.wide})"

    def _sum(self, text: str) -> str:
        """The sum over the summed axes, with the shape that the kernel's own sum has."""
        function = self.writer.language("sum")
        axes = self.examined.axes
        if not axes:
            return text
        keep = ", keep_dims=True" if self._keeps_dims else ""
        if len(axes) == self.rank and self.rank > 1 and not keep:
            return f"{function}({text})"
        for axis in sorted(axes, reverse=True):
            text = f"{function}({text}, axis={axis}{keep})"
        return text

    @property
    def _keeps_dims(self) -> bool:
        if self.by_lane:
            return self.examined.keep_dims
        call = self.squares.reduction
        return call is not None and _keeps(self.facts.values[call])

    def _against_tile(self, text: str) -> str:
        """A sum with its axes put back, so that it meets the tile lane by lane."""
        axes = self.examined.axes
        if len(axes) == self.rank or self._keeps_dims:
            return text
        return text + "[" + ", ".join("None" if i in axes else ":" for i in range(self.rank)) + "]"

    def _masked(self, text: str) -> str:
        if self.mask is None:
            return text
        return f"{self.writer.language('where')}({self.writer.text(self.mask)}, {text}, 0.0)"

    def _number(self, environment: Environment) -> str:
        number = self.examined.number
        assert number is not None
        return self.writer.find_form(number, environment, self.expressions)

    def _added(self, text: str) -> str:
        return text if self.by_lane or not self.examined.axes else self._sum(text)

    # The formulas: (lines before the first sweep, lines in it, lines in place of the second)

    def _shifted(self) -> tuple[list[str], list[str], list[str]]:
        fresh, underscore = self.writer.fresh, self.underscore
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
            moved = f"{shifted_sum} * {shifted_sum} / {number}"
        else:
            after, moved = [], f"{shifted} * {shifted} / {number}"
        return before, inside, [*after, *self._finish(f"{self._total_sum()} - {moved}")]

    def _moments(self) -> tuple[list[str], list[str], list[str]]:
        fresh = self.writer.fresh
        value = fresh("value")
        tile = self._widened(self.tile)
        inside = [
            f"{value} = {tile if self.exact else self._masked(tile)}",
            f"{self.total} += {self._added(f'{value} * {value}')}",
        ]
        mean = self.examined.mean
        if not self._keeps_dims:
            for axis in sorted((self.rank - 1 - a for a in self.examined.axes), reverse=True):
                mean = move_axes(mean, {a: a - 1 for a in range(axis + 1, self.rank)})
        name = self.writer.find_form(mean, self.end, self.expressions)
        number = self._number(self.end)
        before = [
            "# The squares are gathered with the sum: sum (x - mean)^2 = sum x^2 - n * mean^2."
        ]
        return (
            [*before, *self.first_lines],
            inside,
            self._finish(f"{self._total_sum()} - {name} * {name} * {number}"),
        )

    def _welford(self) -> tuple[list[str], list[str], list[str]]:
        fresh, language = self.writer.fresh, self.writer.language
        value, count, mean, centred = (
            fresh(n) for n in ("value", "tile_count", "tile_mean", "centred")
        )
        delta, weight, total_count = fresh("delta"), fresh("weight"), fresh("total_count")
        running_count, running_mean = fresh("running_count"), fresh("running_mean")
        m2 = fresh(f"{self.squares.name}_merged") if self.by_lane else self.total
        zero = self._zero_sum()
        maximum = self.writer.maximum
        tile = self._widened(self.tile)
        ones = f"{language('zeros_like')}({value}) + 1.0"
        before = [
            "# Every tile's own mean and squared deviations are merged into the running ones.",
            f"{running_count} = {zero}",
            f"{running_mean} = {zero}",
            *([f"{m2} = {zero}"] if self.by_lane else self.first_lines),
        ]
        inside = [
            f"{value} = {tile if self.exact else self._masked(tile)}",
            f"{count} = {self._sum(self._masked(ones))}",
            f"{mean} = {self._sum(value)} / {maximum}({count}, 1.0)",
            f"{centred} = {self._masked(f'{value} - {self._against_tile(mean)}')}",
            f"{delta} = {mean} - {running_mean}",
            f"{total_count} = {running_count} + {count}",
            f"{weight} = {count} / {maximum}({total_count}, 1.0)",
            f"{m2} += {self._sum(f'{centred} * {centred}')}",
            f"{m2} += {delta} * {delta} * {running_count} * {weight}",
            f"{running_mean} += {delta} * {weight}",
            f"{running_count} = {total_count}",
        ]
        return before, inside, self._hand_over(m2)

    def _zero_sum(self) -> str:
        """Zeros of the shape of a sum over the summed axes."""
        axes = self.examined.axes
        left = [d for i, d in enumerate(self.squares.shape) if i not in axes]
        if not left:
            return "0.0"
        dims = [
            "1" if i in axes else self.writer.find_form(self.facts.forms.of(d), self.start)
            for i, d in enumerate(self.squares.shape)
            if self._keeps_dims or i not in axes
        ]
        return f"{self.writer.language('zeros')}([{', '.join(dims)}], dtype={self.wide})"

    def _total_sum(self) -> str:
        return self._sum(self.total) if self.by_lane else self.total

    def _finish(self, m2: str) -> list[str]:
        """The sum of squared deviations, never below zero, where the kernel looks for it."""
        name = self.writer.fresh("m2") if self.by_lane else self.total
        where = self.writer.language("where")
        # tl.maximum would make a NaN of the row 0; a comparison with a NaN is false.
        lines = [
            f"{name} = {m2}",
            f"{name} = {where}({name} < 0.0, 0.0, {name})  # rounding may take it just below zero",
        ]
        return [*lines, *self._hand_over(name)]

    def _hand_over(self, m2: str) -> list[str]:
        """Let the rest of the kernel read the sum where it read the second sweep's."""
        for use in self.examined.uses if self.by_lane else ():
            self.result.append(ReplaceExpression(use, m2))
        if self.by_lane:
            return []
        scale = self.squares.scale
        if scale == ONE:
            return [] if m2 == self.squares.name else [f"{self.squares.name} = {m2}"]
        divisor = self.writer.find_form(scale.inverse(), self.end, self.expressions)
        return [f"{self.squares.name} = {m2} / {divisor}"]

    def _divisor(self) -> str:
        """The number of elements, kept from 0 unless a division by it follows anyway."""
        text = self._number(self.end)
        number = self.examined.number
        assert number is not None
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
        return all(use in divided for use in self.examined.uses)

    def _first_count(self) -> str:
        """The number of elements in the first tile, at least 1."""
        factors: list[str] = []
        masked = False
        for stream in self.examined.count.streams:
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
            for s in self.examined.count.streams
            if s.loop is loop and s.masked
            for a in self.examined.mask
            if varies_with(a, loop)
        ]
        loads = [e for e in self.facts.effects if e.kind is EffectKind.LOAD and loop in e.loops]
        conditions = [forms.condition(e.mask) if e.mask is not None else ONE for e in loads]
        return bool(masks) and all(c * m == c for c in conditions for m in masks)

    def _remove_what_only_the_second_sweep_read(self) -> None:
        """Its accumulator's start, and what was computed for it alone."""
        self.result.extend(Remove(s) for s in self.removed)
        inside = set(ast.walk(self.second))
        effects = {e.node for e in self.facts.effects}
        reads = [
            n
            for n in ast.walk(self.facts.kernel.node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        ]
        between = self.block[self.block.index(self.first) + 1 : self.block.index(self.second)]
        for statement in between:
            if statement in self.removed or not isinstance(statement, ast.Assign):
                continue
            match statement.targets:
                case [ast.Name(id=name)]:
                    own = [n for n in reads if n.id == name]
                    pure = not effects & set(ast.walk(statement))
                    keeps = _mentions(self.facts.values[statement.value], self.examined.first)
                    if own and all(n in inside for n in own) and pure and not keeps:
                        self.result.append(Remove(statement))


def _is_assignment_of(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
            return target == name
    return False


def _block_of(root: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """The list of statements that one stands in."""
    for node in ast.walk(root):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list) and any(s is statement for s in block):
                return block
    raise NotExpressible(f"line {statement.lineno} stands in no block of the kernel")
