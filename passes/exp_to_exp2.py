"""exp-to-exp2: the exponentials of an attention loop are written to base two."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer, check_no_comment
from tritonopt.facts import KernelFacts, Loop, Polynomial, Value
from tritonopt.facts.algebra.atoms import Constant
from tritonopt.facts.effects import EffectKind, parts_of
from tritonopt.facts.language import function
from tritonopt.facts.loop_nests import loop_of_products
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.uses import read_by_effects
from tritonopt.facts.values import Reduction, is_float
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import ReplaceExpression

_LOG2_E = "1.4426950408889634"
_FEW = "no exponentials of a tile of scores are among them, and the others are few"
_LEAST = (Polynomial.of(Constant(repr(-math.inf))), -Polynomial.of(Constant(repr(math.inf))))


@dataclass(frozen=True)
class ExpToExp2(Pass):
    """Write the exponentials of an attention loop as `tl.exp2(x * log2(e))`.

    ## What it does

    In a loop with `tl.dot`, `tl.exp(x - m)` becomes `tl.exp2((x - m) * 1.4426950408889634)`, where
    m is the running maximum of x, and so does the factor that rescales sums.

    ## Why

    A GPU computes both with one instruction for powers of two. For `tl.exp` Triton also emits a
    multiplication, a comparison and two conditional multiplications, which keep results below
    2**-126; `tl.exp2` makes them 0. Without being named, the pass acts on tiles of two axes only.

    ## Conditions

    - Each iteration makes the maximum `tl.maximum(m, tl.max(x, axis))` of the x of the exponent. It
      starts at -inf, at a number up to -2**31, where exponentials are 0 or 1, or with what an
      earlier loop left (`maximum-is-not-subtracted`).
    - Results, cast or not, only go into `l = l * alpha + tl.sum(p, axis)` and
      `acc = acc * alpha + tl.dot(p, v)`, along the axis of the maximum, where alpha is
      `tl.exp(old - new)`, or normalized in each iteration. A sum then is at least about 1, and what
      becomes 0 vanishes in it. A constant may replace them where the maximum is -inf. Products are
      cast, divided by a sum, scaled by what does not depend on scores, and stored
      (`tiny-results-count`).
    - The exponent is not known to be fp64. No comment is inside the call. The kernel does not
      round so as to match another library (`pinned-bits`).

    ## Numerics

    `rounding`. On NVIDIA GPUs `tl.exp` multiplies by the same constant, so results from 2**-126 on
    are mostly the same; smaller ones are 0.

    ## Example

    ```python
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    q = tl.load(Q + at)
    m = tl.full([16], float("-inf"), tl.float32)
    l = tl.zeros([16], tl.float32)
    acc = tl.zeros([16, 16], tl.float32)
    for start in range(0, N, 16):
        s = tl.dot(q, tl.load(K + start * 16 + at))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
        m = new
    tl.store(Out + at, acc / l[:, None])
    ```

    becomes

    ```python
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    q = tl.load(Q + at)
    m = tl.full([16], float("-inf"), tl.float32)
    l = tl.zeros([16], tl.float32)
    acc = tl.zeros([16, 16], tl.float32)
    for start in range(0, N, 16):
        s = tl.dot(q, tl.load(K + start * 16 + at))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2((s - new[:, None]) * 1.4426950408889634)
        alpha = tl.exp2((m - new) * 1.4426950408889634)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p, tl.load(V + start * 16 + at))
        m = new
    tl.store(Out + at, acc / l[:, None])
    ```

    ## Measured

    1.05x to 1.37x in attention: forward, bf16, heads of 64 and 128, 1024 to 8192 tokens.

    One H200, Triton 3.6, cold L2, 32 cells, causal and not (`benchmarks/by_hand.py`). With the
    factor folded into the scale of the scores, by hand, 1.09x to 1.41x; that needs every
    reader of the scores. Rows without matrix products wait for memory.
    """

    name: ClassVar[str] = "exp-to-exp2"
    summary: ClassVar[str] = "write the exponentials of an attention loop to base two"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})
    gain: ClassVar[Gain | None] = Gain(
        figure("exp-to-exp2"),
        f"{WHERE}, in attention",
        "tl.exp checks the range of each exponent, and tl.exp2 does not",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        loops = {call: loop_of_products(facts, call) for call in _calls(facts)}
        chains = _chains(facts, [loop for loop in dict.fromkeys(loops.values()) if loop])
        found: dict[object, tuple[list[_Running], list[ast.Call]]] = {}
        for call, loop in loops.items():
            if loop is not None:
                value = facts.values[call]
                chain = next((c for c in chains if any(one.role(value) for one in c)), [])
                found.setdefault(id(chain) if chain else call, (chain, []))[1].append(call)
        for chain, calls in found.values():
            yield _site(facts, chain, calls)


def _calls(facts: KernelFacts) -> Iterator[ast.Call]:
    for node in facts.kernel.nodes:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            value = facts.values.get(node)
            name = function(facts.kernel.module.resolve(node.func)).removeprefix("math.")
            if name == "exp" and value is not None and value.op is Op.ELEMENTWISE:
                yield node


def _site(facts: KernelFacts, chain: list[_Running], calls: list[ast.Call]) -> Site:
    """Of all exponentials below one running maximum, and below those that go on with it."""
    changes: tuple[ReplaceExpression, ...] = ()
    claim, values = "exponents-are-below-the-maximum", {facts.values[call] for call in calls}
    with Attempt() as attempt:
        check_pins(attempt, facts)
        if any(facts.types.of(v.operands[0]).some_in(frozenset({"fp64"})) for v in values):
            raise refuted("type-stays", "type-changes", "the constant has the precision of fp32")
        if not chain:
            detail = "the loop does not show that a maximum which it carries is subtracted"
            raise unknown(claim, "maximum-is-not-subtracted", detail)
        if not _Flow(facts, chain, values).counts_nowhere():
            detail = "results below 2**-126 would be 0, and may count without the 1 of the maximum"
            raise unknown(claim, "tiny-results-count", detail)
        attempt.prove(claim, "results are at most 1, and the sums have the 1 of the maximum")
        for call in calls:
            check_no_comment(facts.kernel.module, call)
            writer = Writer(facts)
            power, exponent = writer.language("exp2"), writer.operand(call.args[0])
            changes += (ReplaceExpression(call, f"{power}({exponent} * {_LOG2_E})"),)
    return Site.of(
        attempt,
        calls[0],
        "turned tl.exp into tl.exp2, of the exponent times log2(e)",
        "kept tl.exp",
        needs={Safety.ROUNDING},
        changes=changes,
        profit=profit(
            facts, "exp-to-exp2", never=_FEW if all(v.rank in (0, 1) for v in values) else ""
        ),
        advice="write this exponential to base two: tl.exp2 of the exponent times log2(e)",
    )


# --- running maxima


class _Role(Enum):
    """What an exponential below a running maximum is of."""

    TILE = 1
    """The elements of a tile, below the running maximum or that of the tile."""
    ALPHA = 2
    """The maximum before."""
    BETA = 3
    """The maximum of a tile."""


@dataclass(frozen=True, eq=False)
class _Running:
    """The maximum of all tiles so far, which a loop carries.

    It may have floors: constants, -inf or at most -2**31. Other floats are 128 away from them and
    more, so the exponential of a difference to one is 0 or 1 in any base.
    """

    facts: KernelFacts
    loop: Loop
    name: str
    tile: Value
    """The maximum of a tile, along axes of it."""

    @property
    def new(self) -> Value:
        return self.loop.following[self.name]

    @property
    def along(self) -> Reduction:
        assert self.tile.along is not None
        return self.tile.along

    @property
    def own(self) -> Value:
        return self.loop.carried[self.name]

    def beside(self, value: Value) -> Value:
        """What has one value for each maximum, with the axes along which those were taken."""
        axes, rank = self.along.axes, self.own.rank
        if self.along.keep_dims or not rank:
            return value
        pattern = tuple(axis in axes for axis in range(rank + len(axes)))
        return self.facts.interpretation.table.insert_axes(value, pattern)

    def role(self, value: Value) -> _Role | None:
        power = value.op is Op.ELEMENTWISE and value.function.removeprefix("math.") == "exp"
        if not power or value.operands[0].op is not Op.SUB:
            return None
        element, top = value.operands[0].operands
        guarded = _guarded(self.facts, top)
        top = guarded[0] if guarded and guarded[0] is guarded[1] else top
        if top is self.new and element in (self.own, self.tile):
            return _Role.ALPHA if element is self.own else _Role.BETA
        last, rank = self.along.axes[-1], self.own.rank or 0
        rank += 0 if self.along.keep_dims or not rank else len(self.along.axes)
        fits = rank in (0, last + 1 if element.rank is None else element.rank)
        below = top in (self.beside(self.new), self.beside(self.tile))
        return _Role.TILE if element is self.tile.operand and below and fits else None

    def bare(self, value: Value) -> _Role | None:
        """The role of an exponential, by way of casts, and of what replaces it by a constant where
        the maximum is still -inf, or where scores are replaced by a floor."""
        scores, asked = self.tile.operand, set[Value]()
        while True:
            inner, guarded = _uncast(value, is_float), _guarded(self.facts, value)
            if guarded and _is_scale(self.facts, guarded[2]):
                inner = guarded[0]
                asked.add(guarded[1])
            elif value.op is Op.WHERE and scores.op is Op.WHERE:
                masked = value.condition is scores.condition and _is_floor(self.facts, scores.other)
                inner = value.then if masked and _is_scale(self.facts, value.other) else inner
            if inner is value:
                role = self.role(value)
                known = (self.new, self.own if role is _Role.ALPHA else self.tile)
                return role if asked <= {*known, *map(self.beside, known)} else None
            value = inner


def _chains(facts: KernelFacts, loops: Sequence[Loop]) -> list[list[_Running]]:
    """The running maxima of loops; those that go on with another one are in one list with it."""
    chains: list[list[_Running]] = []
    for one in (one for loop in loops for one in _running(facts, loop)):
        before = {v for v in one.loop.initial[one.name].walk() if v.op is Op.RESULT}
        goes_on = (c for c in chains if any(r.loop.result[r.name] in before for r in c))
        chain = next(goes_on, None)
        chains += [[]] if chain is None else []
        (chains[-1] if chain is None else chain).append(one)
    return chains


def _running(facts: KernelFacts, loop: Loop) -> Iterator[_Running]:
    for name, new in loop.following.items():
        sides = list(_sides(facts, new))
        tiles = [
            v
            for v in sides
            if v.along and v.along.name == "max" and min(v.along.axes, default=-1) >= 0
        ]
        rest = [v for v in sides if v not in tiles and v is not loop.carried[name]]
        start = loop.initial[name]
        number = facts.forms.of(start).constant_value
        if (
            len(tiles) == 1
            and len(sides) == 2 + len(rest)
            and all(_is_floor(facts, v) for v in rest)
            and loop.carried[name].rank is not None
            and (number is None or _is_floor(facts, start))
        ):
            yield _Running(facts, loop, name, tiles[0])


def _sides(facts: KernelFacts, value: Value) -> Iterator[Value]:
    """What a maximum is of, and the floors that replace -inf."""
    guarded = _guarded(facts, value)
    if guarded and guarded[0] is guarded[1] and _is_floor(facts, guarded[2]):
        yield from (*_sides(facts, guarded[0]), guarded[2])
    elif value.op is Op.MAXIMUM:
        yield from (side for v in value.operands for side in _sides(facts, v))
    else:
        yield value


def _guarded(facts: KernelFacts, value: Value) -> tuple[Value, Value, Value] | None:
    """Of what a constant replaces where something is -inf: it, that something, the constant."""
    if value.op is not Op.WHERE or value.condition.op not in (Op.EQ, Op.NE, Op.LT, Op.GT):
        return None
    op, sides = value.condition.op, value.condition.operands
    for asked, least in (sides, sides[::-1]):
        above = Op.GT if asked is sides[0] else Op.LT
        if facts.forms.of(least) in _LEAST and op in (Op.EQ, Op.NE, above):
            kept, other = (value.other, value.then) if op is Op.EQ else (value.then, value.other)
            constant = _is_scale(facts, other) or _is_floor(facts, other)
            return (kept, asked, other) if constant else None
    return None


def _is_floor(facts: KernelFacts, value: Value) -> bool:
    form = facts.forms.of(value)
    number = form.constant_value
    return form in _LEAST or (number is not None and number <= -(2**31))


def _is_scale(facts: KernelFacts, value: Value, least: float = 0) -> bool:
    """Whether it is a constant from there on, and not large."""
    number = facts.forms.of(value).constant_value
    return number is not None and least <= number <= 2**24


# --- where results go


class _Kind(Enum):
    """What may be missing of a value where exponentials below 2**-126 are 0."""

    EXACT = 1
    """Nothing, or as little as of a sum with a 1 in it."""
    LANES = 2
    """2**-126 of each element of a tile, which is not much above 1."""
    SCALE = 3
    """2**-126, of one value for each maximum, which is not much above 1."""
    PRODUCT = 4
    """2**-126 of what a tile was multiplied with, along the axis of the maximum."""


@dataclass(eq=False)
class _Flow:
    """Where exponentials below running maxima go.

    A carried sum is at least about 1 as soon as the maximum is above its floors: this tile attains
    it and adds a 1, or alpha, exp(old - new), is 1 and the sum was at least 1. Tiny results vanish
    in it, so it may go anywhere. A product lacks 2**-126 of its other factors, so it may be divided
    by sums, scaled by what does not depend on scores, cast and stored. No effect of the kernel may
    see an exponential in any other way.
    """

    facts: KernelFacts
    chain: list[_Running]
    values: Set[Value]
    sums: dict[Value, Value] = field(default_factory=dict)
    """Carried sums with a 1 in them, at the start and the end of an iteration and after the loop;
    for each, what its maximum is there."""
    kinds: dict[Value, _Kind | None] = field(default_factory=dict)
    shown: dict[Value, bool] = field(default_factory=dict)

    def counts_nowhere(self) -> bool:
        """Whether results below 2**-126 of these exponentials may be 0."""
        seen = [one.new for one in self.chain]
        for one in self.chain:
            for taker, end in one.loop.following.items():
                if self._is_sum(one, taker, end):
                    loop, name = one.loop, one.name
                    self.sums |= {end: one.new, one.beside(end): one.new}
                    self.sums |= {
                        loop.carried[taker]: one.own,
                        loop.result[taker]: loop.result[name],
                    }
                    seen.append(loop.initial[taker])
        effects = self.facts.effects
        if any(effect.kind is EffectKind.CALL for effect in effects):
            return False
        stores = [e.stored for e in effects if e.kind is EffectKind.STORE and e.stored]
        kept = (self._kind_of(v) in (_Kind.EXACT, _Kind.PRODUCT) for v in stores)
        return all(kept) and not any(map(self._shows, [*seen, *read_by_effects(self.facts)]))

    def _is_sum(self, one: _Running, taker: str, end: Value) -> bool:
        """Whether the loop carries `taker * alpha + sum(tile)`, which has a 1."""
        before = one.loop.carried[taker]
        for kept, term in (end.operands, end.operands[::-1]) if end.op is Op.ADD else ():
            if kept.op is Op.MUL and before in kept.operands:
                factor = kept.right if kept.left is before else kept.left
                if one.bare(factor) is _Role.ALPHA and self._has_one(one, term):
                    return self._starts(one.loop.initial[one.name], one.loop.initial[taker])
        return False

    def _has_one(self, one: _Running, term: Value) -> bool:
        """Whether it is at least 1 where this tile attains the maximum."""
        if term.op is Op.MUL:
            left, right = term.operands
            by = next(
                (b for a, b in ((left, right), (right, left)) if one.bare(a) is _Role.BETA), None
            )
            return by is not None and by.op is not Op.MUL and self._has_one(one, by)
        same = one.along._replace(name="sum")
        return term.along == same and one.bare(term.operand) is _Role.TILE

    def _starts(self, top: Value, total: Value) -> bool:
        """Whether a sum starts with a 1 where its maximum does not start with a floor."""
        if _is_floor(self.facts, top) or _is_scale(self.facts, total, 1):
            return True
        if top.op is Op.PHI:
            alike = total.op is Op.PHI and total.condition is top.condition
            totals = total.operands[1:] if alike else (total, total)
            return all(map(self._starts, top.operands[1:], totals))
        guarded = _guarded(self.facts, total)
        counted = guarded and guarded[1] is top and _is_scale(self.facts, guarded[0], 1)
        return bool(counted) or self.sums.get(total) is top

    def _kind_of(self, value: Value) -> _Kind | None:
        """Its kind; None if more may be missing."""
        if value not in self.kinds:
            self.kinds[value] = _Kind.PRODUCT  # of what a loop carries, until that is refuted
            self.kinds[value] = self._kind(value) if self._shows(value) else _Kind.EXACT
        return self.kinds[value]

    def _kind(self, value: Value) -> _Kind | None:
        for one in self.chain:
            wide = (v for v in self.values if one.role(v) in (_Role.ALPHA, _Role.BETA))
            role = one.bare(value)
            if role or value in map(one.beside, wide):
                return _Kind.LANES if role is _Role.TILE else _Kind.SCALE
        match value.op:
            case Op.CAST if _may_be_float(value.dtype):
                return self._kind_of(value.operand)
            case Op.INSERT_AXES | Op.WIDENED | Op.BROADCAST_TO | Op.IN_BRANCH:
                kind = self._kind_of(value.operand)
                return None if kind is _Kind.LANES and value.op is not Op.IN_BRANCH else kind
            case Op.CARRIED | Op.RESULT:
                loop, name = self.facts.loops[value.carrier.loop], value.carrier.name
                ends = map(self._kind_of, (loop.initial[name], loop.following[name]))
                return _Kind.PRODUCT if set(ends) <= {_Kind.EXACT, _Kind.PRODUCT} else None
            case Op.WHERE | Op.PHI if not self._shows(value.condition):
                kinds = {
                    self._kind_of(v) for v in value.operands[1:] if not _is_scale(self.facts, v)
                }
                masked = value.op is Op.WHERE and _Kind.LANES in kinds
                return kinds.pop() if len(kinds) == 1 and not masked else None
            case Op.ADD:
                kinds = set(map(self._kind_of, value.operands))
                return _Kind.PRODUCT if kinds == {_Kind.PRODUCT} else None
            case Op.MUL | Op.DIV | Op.RESHAPED:
                return self._of_product(value)
        return None

    def _of_product(self, value: Value) -> _Kind | None:
        if value.op is Op.RESHAPED:
            tile, *others = value.operands
            ranks = {
                one.along.axes[-1] + 1 if len(one.along.axes) == 1 else 0 for one in self.chain
            }
            along = ranks == {tile.rank} or (tile.rank is None and len(ranks) == 1)
            lanes = along and _is_dot(value) and self._kind_of(tile) is _Kind.LANES
            kinds = set(map(self._kind_of, others[1:])) if lanes else {None}
            whole = kinds <= {_Kind.EXACT, _Kind.PRODUCT} and self._is_apart(others[0])
            return _Kind.PRODUCT if whole else None
        sides = value.operands
        for one, other in (sides, sides[::-1]) if value.op is Op.MUL else (sides,):
            kind, by = self._kind_of(one), self._kind_of(other)
            if kind in (None, _Kind.EXACT):
                continue
            if by is _Kind.EXACT and self._scales(other, kind is _Kind.PRODUCT):
                return kind
            if by is _Kind.SCALE and value.op is Op.MUL:
                return kind
        return None

    def _scales(self, value: Value, apart: bool) -> bool:
        """Whether it is no large factor and no small divisor: made of sums and numbers; or, if
        `apart`, what does not depend on scores."""
        number = self.facts.forms.of(value).constant_value
        if number is not None or value in self.sums:
            return number is None or number == 0 or 2**-24 <= abs(number) <= 2**24
        if apart and self._is_apart(value):
            return True
        match value.op:
            case Op.INSERT_AXES | Op.WIDENED | Op.BROADCAST_TO | Op.IN_BRANCH:
                return self._scales(value.operand, apart)
            case Op.CAST if _may_be_float(value.dtype):
                return self._scales(value.operand, apart)
            case Op.WHERE | Op.PHI:
                return all(self._scales(v, apart) for v in value.operands[1:])
            case Op.MUL | Op.DIV:
                return all(self._scales(v, apart) for v in value.operands)
            case Op.ADD | Op.MAXIMUM:
                one, other = value.operands
                both = ((one, other), (other, one))
                return any(_is_scale(self.facts, b) and self._scales(a, apart) for a, b in both)
        return False

    def _is_apart(self, value: Value) -> bool:
        """Whether it is known to be made of neither scores nor their maximum."""
        scores = {v for one in self.chain for v in (one.own, one.tile, one.tile.operand)}
        parts = parts_of(self.facts.loops, value)
        return all(part not in scores and part.op is not Op.OPAQUE for part in parts)

    def _shows(self, value: Value) -> bool:
        """Whether it is made of exponentials, by another way than sums; or may be."""
        if value not in self.shown:
            parts = parts_of(self.facts.loops, value, stop=self.sums.__contains__)
            below = {v for one in self.chain for v in (one.own, one.tile)}
            self.shown[value] = any(
                v.op is Op.OPAQUE or (v.op is Op.ELEMENTWISE and not below.isdisjoint(v.walk()))
                for v in parts
            )
        return self.shown[value]


def _is_dot(value: Value) -> bool:
    """Whether it multiplies its first two operands, in this order."""
    product = value.op is Op.RESHAPED and value.function == "dot"
    return product and {"input", "other"}.isdisjoint(value.attribute[1])  # type: ignore[index]


def _uncast(value: Value, fits: Callable[[str | None], bool]) -> Value:
    return value.operand if value.op is Op.CAST and fits(value.dtype) else value


def _may_be_float(dtype: str | None) -> bool:
    return dtype is None or is_float(dtype)
