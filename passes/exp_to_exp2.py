"""exp-to-exp2: the exponentials of an attention loop are written to base two."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, TypeAlias

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
from tritonopt.facts.values import factors
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import ReplaceExpression

_LOG2_E = "1.4426950408889634"
_FEW = "no exponentials of a tile of scores are among them, and the others are few"
_OPTIONS = frozenset({Op.CONST, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE})
_LEAST = (Polynomial.of(Constant(repr(-math.inf))), -Polynomial.of(Constant(repr(math.inf))))


@dataclass(frozen=True)
class ExpToExp2(Pass):
    """Write the exponentials of an attention loop as `tl.exp2(x * log2(e))`.

    ## What it does

    In the loop of an attention kernel, `tl.exp(x - m)` becomes `tl.exp2((x - m) *
    1.4426950408889634)`, where x are the scores and m is their running maximum. The factor
    `tl.exp(old - new)`, which rescales earlier sums, is rewritten in the same way.

    ## Why

    GPUs have an instruction for 2**x, and none for e**x. For `tl.exp`, Triton adds a comparison and
    multiplications to preserve results below 2**-126; `tl.exp2` returns 0 for these and needs none.
    If `--passes` does not name the pass, it rewrites only scores with two axes.

    ## Conditions

    - The loop calls `tl.dot`, and each iteration computes the new maximum as `tl.maximum(m,
      tl.max(x, axis))`. If the new maximum is -inf, a constant may be subtracted instead of it. m
      starts at -inf, at the result of an earlier loop, or at an fp32 constant of at most -2**31
      (else `maximum-is-not-subtracted`). Near such a constant fp32 numbers are at least 128 apart,
      so a difference is 0 or at most -128, and its exponential is 1 or 0 in both forms.
    - `p = tl.exp(x - m)` is read only by `l = l * alpha + tl.sum(p, axis)` and `acc = acc * alpha +
      tl.dot(p, v)`, where alpha is the rescaling factor. p may be cast, and masked like the scores.
      The maximum contributes exp(0) = 1 to each sum, so terms below 2**-126 do not change the sum
      (`tiny-results-count`).
    - v does not depend on the scores, and alpha is read nowhere else. acc may be cast, divided by l
      (after the loop or in each iteration), multiplied by values that do not depend on the scores,
      and stored.
    - The exponent is not known to be fp64. There is no comment inside the call. Kernels with
      functions that fix the rounding, to match another library (`div_rn`, `fdiv`), are declined
      (`pinned-bits`).

    ## Numerics

    `rounding`. On NVIDIA GPUs `tl.exp` multiplies by the same constant, so results of at least
    2**-126 mostly have the same bits. Smaller results become 0; times an infinite v, the product is
    NaN instead of inf.

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

    1.05x to 1.39x in attention: forward, bf16, heads of 64 and 128, 1024 to 8192 tokens.

    One H200, Triton 3.6, cold L2: 64 combinations of sizes, causal and not, with the division after
    the loop or in it (`benchmarks/by_hand.py`, `rewrites_speed.py`). A handwritten version that
    multiplies the scale of the scores by log2(e), instead of each exponent, reaches 1.09x to 1.41x,
    but changes the scores for all code that reads them.
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
        found: dict[object, tuple[_Chain, list[ast.Call]]] = {}
        for call in (call for call, loop in loops.items() if loop):
            v = facts.values[call]
            roles = ((c, one.role(v) or one.role(v, wide=True)) for c in chains for one in c)
            chain = next((chain for chain, role in roles if role), [])
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


def _site(facts: KernelFacts, chain: _Chain, calls: list[ast.Call]) -> Site:
    """Of all exponentials below one running maximum, and below those that go on with it."""
    claim, values = "exponents-are-below-the-maximum", {facts.values[call] for call in calls}
    never = _FEW if all(v.rank in (0, 1) for v in values) else ""
    with Attempt() as attempt:
        check_pins(attempt, facts)
        if any(facts.types.of(v.operands[0]).some_in(frozenset({"fp64"})) for v in values):
            raise refuted("type-stays", "type-changes", "the constant has the precision of fp32")
        if not chain:
            detail = "the loop is not proved to subtract its running maximum"
            raise unknown(claim, "maximum-is-not-subtracted", detail)
        if not _Flow(facts, chain).counts_nowhere():
            detail = "results below 2**-126 would be 0, and may enter a sum without the maximum's 1"
            raise unknown(claim, "tiny-results-count", detail)
        attempt.prove(claim, "results are at most 1, and the sums include the 1 of the maximum")
        for call in calls:
            check_no_comment(facts.kernel.module, call)
            writer = Writer(facts)
            power, exponent = writer.language("exp2"), writer.operand(call.args[0])
            attempt.changes += (ReplaceExpression(call, f"{power}({exponent} * {_LOG2_E})"),)
    return Site.of(
        attempt,
        calls[0],
        "replaced tl.exp by tl.exp2 of the exponent times log2(e)",
        "kept tl.exp",
        needs={Safety.ROUNDING},
        profit=profit(facts, "exp-to-exp2", never=never),
        advice="replace tl.exp by tl.exp2 of the exponent times log2(e)",
    )


class _Role(Enum):
    """What an exponential is of: of the elements of a tile, below the running maximum or below that
    of the tile; or, below the running maximum, of that before the tile, or that of the tile."""

    TILE, ALPHA, BETA = range(3)


@dataclass(frozen=True, eq=False)
class _Maximum:
    """The maximum of all tiles so far, which a loop carries.

    While it is at most -2**31, exponentials below it are 0 or 1 in any base, for floats of 32 bits
    are 128 apart there. It starts like that, or with what an earlier one of the chain came to.

    `own` is it before a tile, `tile` the maximum of the tile along some of its axes, `new` of both.
    """

    facts: KernelFacts
    loop: Loop
    own: Value
    tile: Value
    new: Value
    before: _Maximum | None
    result: Value

    def beside(self, value: Value) -> Value:
        """What has one value for each maximum, with the axes along which those were taken."""
        reduction, rank = self.tile.reduction, self.own.rank
        if reduction.keep_dims or not rank:
            return value
        pattern = tuple(axis in reduction.axes for axis in range(rank + len(reduction.axes)))
        return self.facts.interpretation.table.insert_axes(value, pattern)

    def role(self, value: Value, *, wide: bool = False) -> _Role | None:
        """Of an exponential, by way of casts, or masked as its scores are; `wide` where what has
        one value for each maximum has the axes of the tile as well."""
        ((value, _), *more), scores = factors(value), self.tile.operand
        if value.op is Op.WHERE and scores.op is Op.WHERE and value.condition is scores.condition:
            cleared = self.facts.forms.of(value.other).constant_value == 0
            if cleared and not more and _is_low(self.facts, scores.other):
                return self.role(value.then, wide=wide)
        power = (
            not more
            and value.op is Op.ELEMENTWISE
            and value.function.removeprefix("math.") == "exp"
        )
        if not power or value.operands[0].op is not Op.SUB:
            return None
        element, top = value.operands[0].left, self._unguarded(value.operands[0].right)
        lift = self.beside if wide else (lambda same: same)
        if top is lift(self.new) and element in (lift(self.own), lift(self.tile)):
            return _Role.ALPHA if element is lift(self.own) else _Role.BETA
        beside = (self.beside(self.new), self.beside(self.tile))
        fits = not self.own.rank or beside[1].rank == scores.rank
        return _Role.TILE if element is scores and top in beside and fits else None

    def _unguarded(self, top: Value) -> Value:
        """What is subtracted, where -inf may be replaced by a number: all that is below it is -inf
        or NaN, and so are the differences."""
        if top.op is Op.WHERE and top.condition.op is Op.EQ and top.other in top.condition.operands:
            least = next((v for v in top.condition.operands if v is not top.other), top)
            number = self.facts.forms.of(top.then).constant_value
            if number is not None and self.facts.forms.of(least) in _LEAST:
                return top.other
        return top


_Chain: TypeAlias = "list[_Maximum]"


def _chains(facts: KernelFacts, loops: Iterable[Loop]) -> list[_Chain]:
    """Running maxima, each with those that go on with it in later loops."""
    chains: list[_Chain] = []
    for loop in loops:
        for name, new in () if loop.left_early else loop.following.items():
            own, start = loop.carried[name], loop.initial[name]
            sides = new.operands if new.op is Op.MAXIMUM else ()
            tile = next((v for v in sides if v.op is Op.REDUCE and v.reduction.name == "max"), None)
            if tile is None or own not in sides or own.rank is None:
                continue
            chain = next((c for c in chains if c[-1].result is start), [])
            if chain or (_is_low(facts, start) and start.dtype in ("fp32", "float")):
                chains += [] if chain else [chain]
                before = chain[-1] if chain else None
                chain.append(_Maximum(facts, loop, own, tile, new, before, loop.result[name]))
    return chains


def _is_low(facts: KernelFacts, value: Value) -> bool:
    """Whether it is -inf, or so low that all floats of 32 bits around are 128 away."""
    form = facts.forms.of(value)
    return form in _LEAST or (form.constant_value or 0) <= -(2**31)


@dataclass(eq=False)
class _Flow:
    """Where exponentials below running maxima go, and whether those below 2**-126 may be 0.

    A carried sum is at least about 1 as soon as its maximum is above -2**31: this tile attains it
    and adds a 1, or alpha, exp(old - new), is 1 and the sum was at least 1. What was carried below
    is multiplied by an alpha of 0 in any base. Tiny results vanish in a sum, so it may go anywhere.

    In a carried product the element of the maximum weighs 1, or 1 divided by the sum. Weights that
    become 0 lack 2**-126 of what they weigh, which does not depend on scores. So it may be divided
    by sums, scaled by what does not depend on scores, chosen, cast and stored. No effect of the
    kernel may see an exponential in any other way.

    `sums` are those at the end of an iteration, also beside a tile, and after their loops;
    `products` those after their loops.
    """

    facts: KernelFacts
    chain: _Chain
    sums: set[Value] = field(default_factory=set)
    products: set[Value] = field(default_factory=set)
    shown: dict[Value, bool] = field(default_factory=dict)

    def counts_nowhere(self) -> bool:
        seen = [one.new for one in self.chain]
        for one in self.chain:
            seen += self._carried(one)
        effects = self.facts.effects
        stores = [e.stored for e in effects if e.kind is EffectKind.STORE and e.stored]
        seen += [*read_by_effects(self.facts), *(v for v in stores if not self._is_kept(v))]
        known = all(effect.kind is not EffectKind.CALL for effect in effects)
        return known and not any(map(self._shows, seen))

    def _carried(self, one: _Maximum) -> list[Value]:
        """Find the sums and products of a loop; what those of the first loop start with."""
        loop, ends = one.loop, dict[Value, Value]()
        left = {*one.before.loop.result.values()} if one.before else {*loop.initial.values()}
        earlier = (left & self.sums, left & self.products) if one.before else (left, left)
        sums = [n for n, end in loop.following.items() if _is_sum(one, loop.carried[n], end)]
        sums = [name for name in sums if loop.initial[name] in earlier[0]]
        for name in sums:
            end = loop.following[name]
            ends[one.beside(loop.carried[name])] = one.beside(end)
            self.sums |= {end, one.beside(end), loop.result[name]}
        products = [n for n, start in loop.initial.items() if start in earlier[1]]
        products = [name for name in products if self._is_product(one, name, ends)]
        self.products |= {loop.result[name] for name in products}
        return [] if one.before else [loop.initial[name] for name in (*sums, *products)]

    def _is_product(self, one: _Maximum, name: str, sums: Mapping[Value, Value]) -> bool:
        """Whether the loop carries `name * alpha + dot(tile, values)`, or that divided by the sum:
        `name * alpha * sum / new + dot(tile / new, values)`."""
        before = (one.loop.carried[name], False)
        terms = [*_terms(one.loop.following[name])]
        kept = [term for term in terms if before in factors(term)]
        others = (term for term in terms if term not in kept)
        if len(kept) != 1 or not all(self._is_weighted(one, term, sums) for term in others):
            return False
        scales = [f for f in factors(kept[0]) if f != before]
        rest = [f for f in scales if f[1] or one.role(f[0], wide=True) is not _Role.ALPHA]
        means = [{(old, False), (new, True)} for old, new in sums.items()]
        return len(scales) == len(rest) + 1 and (not rest or (len(rest) == 2 and {*rest} in means))

    def _is_weighted(self, one: _Maximum, term: Value, sums: Mapping[Value, Value]) -> bool:
        """Whether it is a product with one tile, along the axis of the maximum."""
        dots = [value for value, divides in factors(term) if _is_dot(value) and not divides]
        if len(dots) != 1 or not self._is_apart(dots[0].operands[1]):
            return False
        tile, _, *added = dots[0].operands
        tile = tile.operand if tile.op is Op.CAST and tile.dtype is None else tile
        if dots[0] is not term and any(v.op not in _OPTIONS for v in added):
            return False
        inside = [*factors(tile), *(f for f in factors(term) if f[0] is not dots[0])]
        roles = [None if divides else one.role(v, wide=True) for v, divides in inside]
        others = [factor for factor, role in zip(inside, roles, strict=True) if role is None]
        along = tile.rank is not None and one.tile.reduction.axes == (tile.rank - 1,)
        divided = not others or others in [[(new, True)] for new in sums.values()]
        tiles = [place for place, role in enumerate(roles) if role is _Role.TILE]
        within = len(tiles) == 1 and tiles[0] < len(factors(tile))
        return along and divided and within and _Role.ALPHA not in roles

    def _is_kept(self, value: Value) -> bool:
        """Whether it shows no exponential, but in a product after its loop."""
        if value in self.products or not self._shows(value):
            return True
        if value.op is Op.CAST and value.dtype is None:
            return self._is_kept(value.operand)
        if value.op in (Op.WHERE, Op.PHI, Op.IN_BRANCH):
            chosen = not any(map(self._shows, value.operands[:-2]))
            return chosen and all(map(self._is_kept, value.operands[-2:]))
        shown = [factor for factor in factors(value) if self._shows(factor[0])]
        rest = [factor for factor in factors(value) if factor not in shown]
        scaled = all(self._is_total(v) if divides else self._is_apart(v) for v, divides in rest)
        whole = len(shown) == 1 and shown[0][0] is not value and not shown[0][1]
        return scaled and whole and self._is_kept(shown[0][0])

    def _is_total(self, value: Value) -> bool:
        """Whether it is made of sums, and of numbers above 0 in place of them or beside them."""
        if value.op in (Op.WHERE, Op.PHI, Op.IN_BRANCH, Op.INSERT_AXES, Op.ADD, Op.MAXIMUM):
            return value in self.sums or all(map(self._is_total, value.operands[-2:]))
        return value in self.sums or (self.facts.forms.of(value).constant_value or 0) > 0

    def _is_apart(self, value: Value) -> bool:
        """Whether it is known to be made of neither scores nor their maximum, nor large."""
        scores = {v for one in self.chain for v in (one.own, one.tile.operand)}
        scores |= {v for s in [*scores] for v in s.walk() if v.op is Op.REDUCE or _is_dot(v)}
        parts = parts_of(self.facts.loops, value)
        small = -(2**24) <= (self.facts.forms.of(value).constant_value or 0) <= 2**24
        return small and all(p not in scores and p.op is not Op.OPAQUE for p in parts)

    def _shows(self, value: Value) -> bool:
        """Whether it may be made of exponentials by another way than sums."""
        if value not in self.shown:
            below = {v for one in self.chain for v in (one.own, one.tile)}
            parts = parts_of(self.facts.loops, value, stop=self.sums.__contains__)
            self.shown[value] = any(
                v.op is Op.OPAQUE or (v.op is Op.ELEMENTWISE and not below.isdisjoint(v.walk()))
                for v in parts
            )
        return self.shown[value]


def _is_sum(one: _Maximum, before: Value, end: Value) -> bool:
    """Whether it is `before * alpha + sum(tile)`, the sum maybe times beta."""
    same = one.tile.reduction._replace(name="sum")
    for kept, term in (end.operands, end.operands[::-1]) if end.op is Op.ADD else ():
        scaled = [v for v in kept.operands if one.role(v) is _Role.ALPHA]
        if kept.op is Op.MUL and scaled and {*kept.operands} == {before, *scaled}:
            betas = [v for v in term.operands if one.role(v) is _Role.BETA]
            if term.op is Op.MUL and betas:
                term = next((v for v in term.operands if v not in betas), term)
            summed = term.op is Op.REDUCE and term.reduction == same
            return summed and one.role(term.operand) is _Role.TILE
    return False


def _terms(value: Value) -> Iterator[Value]:
    """The terms of a sum; of a product that is added to something, also that."""
    added = value.operands if value.op is Op.ADD else value.operands[2:] if _is_dot(value) else ()
    yield from () if value.op is Op.ADD else (value,)
    for term in added:
        yield from () if term.op in _OPTIONS else _terms(term)


def _is_dot(value: Value) -> bool:
    """Whether it multiplies its first two operands, in this order."""
    product = value.op is Op.RESHAPED and value.function == "dot"
    return product and {"input", "other"}.isdisjoint(value.attribute[1])  # type: ignore[index]
