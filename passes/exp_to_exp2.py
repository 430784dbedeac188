"""exp-to-exp2: the exponentials of an attention loop are written to base two."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
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
from tritonopt.facts.values import is_float
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import ReplaceExpression
from tritonopt.source.trees import walk

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
    comparison and multiplications, which keep results below 2**-126; `tl.exp2` makes them 0.
    Without being named, the pass acts on tiles of two axes only.

    ## Conditions

    - The maximum starts at -inf, and each iteration makes it `tl.maximum(m, tl.max(x, axis))`, of
      the x of the exponent (`maximum-is-not-subtracted`).
    - Results only go, cast or not, into `l = l * alpha + tl.sum(p, axis)` and
      `acc = acc * alpha + tl.dot(p, v)`, or `tl.dot(p, v, acc * alpha)`, along the axis of the
      maximum; alpha, `tl.exp(old - new)`, goes nowhere else. A sum then is at least about 1, and
      what becomes 0 vanishes in it. Products are cast, divided by a sum and stored, nothing else
      (`tiny-results-count`).
    - The exponent is not known to be fp64. No comment is inside the call. The kernel does not
      round so as to match another library (`pinned-bits`).

    ## Numerics

    `rounding`. On NVIDIA GPUs `tl.exp` multiplies by the same constant, so results from 2**-126 on
    are mostly the same; smaller ones are 0, and times an infinite V then NaN, not inf.

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
        found: dict[tuple[Loop, str, ast.Call | None], list[ast.Call]] = {}
        for call in _calls(facts):
            loop = loop_of_products(facts, call)
            if loop is not None:
                name = _maximum(facts, loop, facts.values[call])
                found.setdefault((loop, name, None if name else call), []).append(call)
        for (loop, name, _), calls in found.items():
            yield _site(facts, loop, name, calls)


def _calls(facts: KernelFacts) -> Iterator[ast.Call]:
    for node in facts.kernel.nodes:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            value = facts.values.get(node)
            name = function(facts.kernel.module.resolve(node.func)).removeprefix("math.")
            if name == "exp" and value is not None and value.op is Op.ELEMENTWISE:
                yield node


def _site(facts: KernelFacts, loop: Loop, name: str, calls: list[ast.Call]) -> Site:
    """Of all exponentials below one running maximum."""
    claim, values = "exponents-are-below-the-maximum", {facts.values[call] for call in calls}
    with Attempt() as attempt:
        check_pins(attempt, facts)
        if any(facts.types.of(v.operands[0]).some_in(frozenset({"fp64"})) for v in values):
            raise refuted("type-stays", "type-changes", "the constant has the precision of fp32")
        if not name:
            detail = "the loop does not show that a maximum which it carries is subtracted"
            raise unknown(claim, "maximum-is-not-subtracted", detail)
        if not _counts_nowhere(facts, loop, name, values):
            detail = "results below 2**-126 would be 0, and may count without the 1 of the maximum"
            raise unknown(claim, "tiny-results-count", detail)
        attempt.prove(claim, "results are at most 1, and the sums have the 1 of the maximum")
        for call in calls:
            check_no_comment(facts.kernel.module, call)
            writer = Writer(facts)
            power, exponent = writer.language("exp2"), writer.operand(call.args[0])
            attempt.changes += (ReplaceExpression(call, f"{power}({exponent} * {_LOG2_E})"),)
    return Site.of(
        attempt,
        calls[0],
        "turned tl.exp into tl.exp2, of the exponent times log2(e)",
        "kept tl.exp",
        needs={Safety.ROUNDING},
        profit=profit(
            facts, "exp-to-exp2", never=_FEW if all(v.rank in (0, 1) for v in values) else ""
        ),
        advice="write this exponential to base two: tl.exp2 of the exponent times log2(e)",
    )


def _maximum(facts: KernelFacts, loop: Loop, value: Value) -> str:
    """The name of the running maximum that is subtracted, of its tile or of the maximum before; ""
    where it is not seen to be one, or not beside its own lanes."""
    if value.operands[0].op is not Op.SUB:
        return ""
    element, top = value.operands[0].operands
    for name, new in loop.following.items():
        own, tile = loop.carried[name], _largest(new)
        starts = facts.forms.of(loop.initial[name]) in _LEAST
        if not tile or own not in new.operands or own.rank is None or not starts:
            continue
        axes, rank = tile.reduction.axes, own.rank
        beside = _beside(facts, new, tile, rank)
        rank += 0 if tile.reduction.keep_dims or not rank else len(axes)
        fits = rank in (0, axes[-1] + 1 if element.rank is None else element.rank)
        if (element is own and top is new) or (element is tile.operand and top is beside and fits):
            return name
    return ""


def _largest(new: Value) -> Value | None:
    """The maximum of a tile that goes into a running one."""
    sides = new.operands if new.op is Op.MAXIMUM else ()
    return next((v for v in sides if v.op is Op.REDUCE and v.reduction.name == "max"), None)


def _beside(facts: KernelFacts, value: Value, tile: Value, rank: int) -> Value:
    """What has one value for each maximum, with the axes along which those were taken."""
    axes = tile.reduction.axes
    if tile.reduction.keep_dims or not rank:
        return value
    pattern = tuple(axis in axes for axis in range(rank + len(axes)))
    return facts.interpretation.table.insert_axes(value, pattern)


def _counts_nowhere(facts: KernelFacts, loop: Loop, name: str, below: Set[Value]) -> bool:
    """Whether results below 2**-126 of these exponentials of a running maximum may be 0.

    A carried sum is at least about 1 as soon as the maximum is finite: this tile attains it and
    adds a 1, or alpha, exp(old - new), is 1 and the sum was at least 1. Tiny results vanish in it,
    so it may go anywhere. A product lacks 2**-126 of its other factor, so it may only be divided by
    the sum, cast and stored. No effect of the kernel may see an exponential in any other way.
    """
    new, own = loop.following[name], loop.carried[name]
    largest = _largest(new)
    assert largest is not None and own.rank is not None
    alphas = {value for value in below if value.operands[0].left is own}
    wide = alphas | {_beside(facts, alpha, largest, own.rank) for alpha in alphas}
    tiles, axes = below - alphas, largest.reduction.axes
    sums, products, seen = set[Value](), set[Value](), [new]
    for taker, end in loop.following.items():
        before = loop.carried[taker]
        sides = end.operands if end.op is Op.ADD else end.operands[2:]
        kept = next((v for v in sides if v.op is Op.MUL and before in v.operands), None)
        if kept is None:
            continue
        factor = kept.right if kept.left is before else kept.left
        term = next((v for v in sides if v is not kept), kept) if end.op is Op.ADD else end
        if term.op is Op.REDUCE:
            same = term.reduction == largest.reduction._replace(name="sum")
            if same and factor in alphas and _uncast(term.operand, is_float) in tiles:
                sums.add(end)
        elif _is_dot(term) and factor in wide:
            tile = _uncast(term.operand, _may_be_float)
            if tile in tiles and tile.rank is not None and axes == (tile.rank - 1,):
                products.add(loop.result[taker])
                seen += [v for v in term.operands[1:] if v is not kept]
    for effect in facts.effects:
        stored = effect.stored
        if stored is not None and effect.kind is EffectKind.STORE:
            stored = _undivided(loop, stored, sums)
        seen += [v for v in (effect.pointer, effect.mask, effect.other, stored) if v]
        seen += [guard.condition for guard in effect.guards]
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE):
            inside = (n for n in walk(effect.node) if isinstance(n, ast.expr))
            seen += [facts.values[n] for n in inside if n in facts.values]
    for other in facts.loops:
        seen += [*other.bounds, *([other.condition] if other.condition else [])]
    returns = (n.value for n in facts.kernel.nodes if isinstance(n, ast.Return) and n.value)
    seen += [facts.values[n] for n in returns if n in facts.values]
    parts = parts_of(facts.loops, *(v for v in seen if v not in products), stop=sums.__contains__)
    shown = (v.op is Op.OPAQUE or (v.op is Op.ELEMENTWISE and own in v.walk()) for v in parts)
    return not any(shown) and all(e.kind is not EffectKind.CALL for e in facts.effects)


def _is_dot(value: Value) -> bool:
    """Whether it multiplies its first two operands, in this order."""
    product = value.op is Op.RESHAPED and value.function == "dot"
    return product and {"input", "other"}.isdisjoint(value.attribute[1])  # type: ignore[index]


def _uncast(value: Value, fits: Callable[[str | None], bool]) -> Value:
    return value.operand if value.op is Op.CAST and fits(value.dtype) else value


def _may_be_float(dtype: str | None) -> bool:
    return dtype is None or is_float(dtype)


def _undivided(loop: Loop, value: Value, sums: Set[Value]) -> Value:
    """What is cast and divided by a sum, before that."""
    while True:
        inner = _uncast(value, _may_be_float)
        if inner.op is Op.DIV:
            by = inner.right.operand if inner.right.op is Op.INSERT_AXES else inner.right
            divides = by.op is Op.RESULT and loop.result.get(by.carrier.name) is by
            inner = inner.left if divides and loop.following[by.carrier.name] in sums else inner
        if inner is value:
            return value
        value = inner
