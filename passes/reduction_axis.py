"""reduction-axis: `tl.max(x, y)` where `tl.maximum(x, y)` was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.emit.writing import Writer, comments_in
from tritonopt.facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Change, ReplaceExpression

_COMPUTED = frozenset({Op.LOAD, Op.REDUCE, Op.PROGRAM_ID, Op.LANE, Op.ELEMENTWISE})
"""What gives a tensor, if only of one element. An axis is known to the compiler."""


@dataclass(frozen=True)
class ReductionAxis(Lint):
    """Find `tl.max` where `tl.maximum` was meant.

    ## What it does

    The pass reports `tl.max`, `tl.min` and `tl.sum` with a float, a tile or a computed number as
    the axis. If it is named, it writes `tl.maximum(x, y)` or `tl.minimum(x, y)` instead.

    ## Why

    Python's `max` and `torch.max` take two operands, but `tl.max(x, y)` does not compile. So the
    mistake remains only in code that never ran, such as a branch for another size or GPU.

    ## Conditions

    The argument cannot be an axis. A parameter can, because callers pass constants to helpers, so
    it is not reported. Not fixed: `tl.sum(x, y)`, which may mean a sum or a dot product, and calls
    with more arguments.

    ## Numerics

    The original does not compile, so there is no result to compare with.

    ## Example

    ```python
    @triton.jit
    def relu(X, Y, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, tl.max(x, 0.0), mask=cols < N)
    ```

    becomes

    ```python
    @triton.jit
    def relu(X, Y, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, tl.maximum(x, 0.0), mask=cols < N)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "reduction-axis"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find tl.max where tl.maximum was meant"
    harm: ClassVar[str] = (
        "tl.max(a, b) takes b as the axis, not as a second operand, and does not compile"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for node in facts.kernel.nodes:
            if not isinstance(node, ast.Call) or node not in facts.values:
                continue
            name = function(facts.kernel.module.resolve(node.func))
            arguments = list(node.args)
            if (
                not name
                and isinstance(node.func, ast.Attribute)
                and node.func.value in facts.values
            ):
                name = node.func.attr
                arguments = [node.func.value, *arguments]
            axes = [k.value for k in node.keywords if k.arg == "axis"] or arguments[1:2]
            if name not in ("max", "min", "sum") or not arguments or not axes:
                continue
            if what := _instead_of_an_axis(facts, axes[0]):
                given = node.keywords if len(arguments) == 1 else ()
                plain = len(arguments) + len(given) == 2 and len(given) == len(node.keywords)
                yield _site(facts, node, name, (arguments[0], axes[0]), what, plain=plain)


def _instead_of_an_axis(facts: KernelFacts, axis: ast.expr) -> str:
    """What stands in the place of the axis, in words; empty for what may be one."""
    value = facts.values.get(axis)
    if value is None:
        return ""
    if type(value.constant) is float:
        return "a float"
    if value.shape:
        return "a tile"
    return "a computed number" if any(v.op in _COMPUTED for v in value.walk()) else ""


def _site(
    facts: KernelFacts,
    call: ast.Call,
    name: str,
    operands: tuple[ast.expr, ast.expr],
    what: str,
    *,
    plain: bool,
) -> Site:
    writer = Writer(facts)
    changes: tuple[Change, ...] = ()
    if name == "sum":
        meant = " + ".join(map(writer.operand, operands))
    else:
        meant = f"{writer.language(f'{name}imum')}({', '.join(map(writer.text, operands))})"
        if plain and not comments_in(facts.kernel.module.text_of(call)):
            changes = (ReplaceExpression(call, meant),)
    found = f"{writer.text(call)} reduces along an axis that is {what}"
    claim = Condition("arguments-are-understood", Status.REFUTED, found, "axis-is-a-float")
    told = f"{found}; {meant} was probably meant"
    message = f"{found}: wrote {meant}" if changes else told
    meaning = Condition("arguments-are-understood", Status.ASSUMED, f"{meant} was meant")
    return Site(call, (claim, meaning), message, changes=changes, analysis=True, advice=told)
