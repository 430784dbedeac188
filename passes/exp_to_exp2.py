"""exp-to-exp2: the exponentials of a softmax beside matrix products are written to base two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer, check_no_comment
from tritonopt.facts import KernelFacts, Loop, Value
from tritonopt.facts.language import MATRIX, function
from tritonopt.facts.loop_nests import loop_of_products
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.uses import users
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import ReplaceExpression

_LOG2_E = "1.4426950408889634"
_FEW = "the exponentials of the tile of scores stay, and the others are few"
_SWALLOWING = frozenset({Op.ADD, Op.SUB, Op.REDUCE})
"""What a number below 2**-126 is lost in, beside the 1 of the maximum."""
_TAKING_TINY = frozenset({"log", "log2", "rsqrt", "sqrt", "fdiv", "div_rn"})


@dataclass(frozen=True)
class ExpToExp2(Pass):
    """Write the exponentials of a softmax as `tl.exp2(x * log2(e))`.

    ## What it does

    In a loop with `tl.dot`, `tl.exp(x - m)` becomes `tl.exp2((x - m) * 1.4426950408889634)`, where
    m is a maximum of x.

    ## Why

    A GPU computes both with one instruction for powers of two. For `tl.exp` Triton also emits a
    multiplication, a comparison and two conditional multiplications, which keep results below
    2**-126; `tl.exp2` makes them 0. In attention this work is between the matrix products. Without
    its name the pass acts on exponentials of two-axis tiles only.

    ## Conditions

    - The exponent is a difference, and what is subtracted is `tl.max` of the rest, `tl.maximum` of
      such a maximum and something, or `tl.maximum` of the rest and something
      (`maximum-is-not-subtracted`): results are at most 1, and those that become 0 vanish beside
      the 1 of the maximum. A loaded log-sum-exp does not count as a maximum.
    - No result is compared, divided by, or goes into a logarithm or root, before it is added to
      something; sums are along the axis of the maximum (`tiny-results-count`).
    - The exponent is not known to be fp64. No comment is inside the call. The kernel does not
      round so as to match another library (`pinned-bits`).

    ## Numerics

    `rounding`. On NVIDIA GPUs `tl.exp` multiplies by the same constant, so results from 2**-126 on
    are mostly the same; smaller ones are 0.

    ## Example

    ```python
    inner = tl.arange(0, 16)
    for start in range(0, N, 16):
        rows = start + tl.arange(0, 16)[:, None]
        x = tl.load(X + rows * 16 + inner[None, :])
        s = tl.dot(x, tl.load(W + inner[:, None] * 16 + inner[None, :]))
        e = tl.exp(s - tl.max(s, axis=1, keep_dims=True))
        tl.store(Y + rows * 16 + inner[None, :], e / tl.sum(e, axis=1, keep_dims=True))
    ```

    becomes

    ```python
    inner = tl.arange(0, 16)
    for start in range(0, N, 16):
        rows = start + tl.arange(0, 16)[:, None]
        x = tl.load(X + rows * 16 + inner[None, :])
        s = tl.dot(x, tl.load(W + inner[:, None] * 16 + inner[None, :]))
        e = tl.exp2((s - tl.max(s, axis=1, keep_dims=True)) * 1.4426950408889634)
        tl.store(Y + rows * 16 + inner[None, :], e / tl.sum(e, axis=1, keep_dims=True))
    ```

    ## Measured

    1.05x to 1.37x in attention: forward, bf16, heads of 64 and 128, 1024 to 8192 tokens.

    One H200, Triton 3.6, cold L2, 32 cells, causal and not (`benchmarks/by_hand.py`). With the
    factor folded into the scale of the scores, by hand, 1.09x to 1.41x; that needs every
    reader of the scores. Rows without matrix products wait for memory.
    """

    name: ClassVar[str] = "exp-to-exp2"
    summary: ClassVar[str] = "write the exponentials of a softmax to base two"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING})
    gain: ClassVar[Gain | None] = Gain(
        figure("exp-to-exp2"),
        f"{WHERE}, in attention",
        "tl.exp checks the range of each exponent, and tl.exp2 does not",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        found = [
            (call, loop) for call in _calls(facts, "exp") if (loop := loop_of_products(facts, call))
        ]
        gaining: set[Loop | None] = {
            loop
            for call, loop in found
            if facts.values[call].rank not in (0, 1) and _holds(facts, call)
        }
        gaining |= {
            loop_of_products(facts, c) for c in _calls(facts, "exp2") if facts.values[c].rank != 1
        }
        for call, loop in found:
            yield _site(facts, call, "" if loop in gaining else _FEW)


def _calls(facts: KernelFacts, wanted: str) -> Iterator[ast.Call]:
    for node in facts.kernel.nodes:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            value = facts.values.get(node)
            name = function(facts.kernel.module.resolve(node.func)).removeprefix("math.")
            if name == wanted and value is not None and value.op is Op.ELEMENTWISE:
                yield node


def _holds(facts: KernelFacts, call: ast.Call) -> bool:
    with Attempt() as attempt:
        _check(facts, facts.values[call], attempt)
    return not attempt.failed


def _site(facts: KernelFacts, call: ast.Call, never: str) -> Site:
    changes: tuple[ReplaceExpression, ...] = ()
    with Attempt() as attempt:
        check_pins(attempt, facts)
        _check(facts, facts.values[call], attempt)
        check_no_comment(facts.kernel.module, call)
        writer = Writer(facts)
        power = writer.language("exp2")
        new = f"{power}({writer.operand(call.args[0])} * {_LOG2_E})"
        changes = (ReplaceExpression(call, new),)
    return Site.of(
        attempt,
        call,
        "turned tl.exp into tl.exp2, of the exponent times log2(e)",
        "kept tl.exp",
        needs={Safety.ROUNDING},
        changes=changes,
        profit=profit(facts, "exp-to-exp2", never=never),
        advice="write this exponential to base two: tl.exp2 of the exponent times log2(e)",
    )


def _check(facts: KernelFacts, value: Value, attempt: Attempt) -> None:
    """Raises the first condition that does not hold; the attempt records it."""
    claim, exponent = "exponents-are-below-the-maximum", value.operands[0]
    if facts.types.of(exponent).some_in(frozenset({"fp64"})):
        raise refuted("type-stays", "type-changes", "the constant has the precision of fp32")
    axes = _maximum(exponent.right, exponent.left) if exponent.op is Op.SUB else None
    if axes is None:
        detail = "the kernel does not show that a maximum of its own is subtracted"
        raise unknown(claim, "maximum-is-not-subtracted", detail)
    taker = _taker_of_tiny(facts, value, axes)
    if taker:
        raise refuted(claim, "tiny-results-count", f"results below 2**-126 would be 0, for {taker}")
    attempt.prove(claim, "results are at most 1; what becomes 0 is below 2**-126 of the largest")


def _maximum(value: Value, element: Value, new: tuple[int, ...] = ()) -> tuple[int, ...] | None:
    """The axes of the maximum that the element went into, of its own lanes; () of a maximum lane
    by lane. None where the value is none, or is not beside its own lanes: `new` are the axes that
    it is about to get."""
    match value.op:
        case Op.BROADCAST_TO:
            return _maximum(value.operand, element, new)
        case Op.INSERT_AXES | Op.WIDENED if not new:
            axes = tuple(axis for axis, is_new in enumerate(value.pattern) if is_new)
            fits = element.rank in (None, len(value.pattern))
            return _maximum(value.operand, element, axes) if axes and fits else None
        case Op.MAXIMUM:
            found = [_maximum(side, element, new) for side in value.operands]
            known = [one for one in found if one is not None]
            return known[0] if known else () if not new and element in value.operands else None
        case Op.REDUCE if value.reduction.name == "max" and value.operand is element:
            axes, keeps = value.reduction.axes, value.reduction.keep_dims
            every = tuple(range(element.rank or 0))
            beside = (axes == new and not keeps) if new else (keeps or axes == every)
            return axes if beside else None
    return None


def _taker_of_tiny(facts: KernelFacts, value: Value, axes: tuple[int, ...]) -> str:
    """What is done with single results that tells a tiny number from 0; "" for nothing."""
    known, todo, seen = users(facts.interpretation), [value], {value.serial}
    carried = {kept.serial for loop in facts.loops for kept in loop.following.values()}
    while todo:
        part = todo.pop()
        if part.serial in carried:
            return "the next iteration"
        for user in known.get(part.serial, ()):
            last = user.function.rsplit(".", 1)[-1]
            if last in _TAKING_TINY or user.op in COMPARISONS:
                return f"{last} of them" if last else "a comparison"
            if user.op in (Op.DIV, Op.FLOORDIV, Op.MOD) and user.right is part:
                return "a division by them"
            if user.op is Op.REDUCE and user.reduction.axes != axes:
                return "a sum in which the largest may be missing"
            swallowed = user.op in _SWALLOWING or last in MATRIX
            if not swallowed and user.serial not in seen:
                seen.add(user.serial)
                todo.append(user)
    return ""
