"""dropped-results: a statement computes a value that nobody takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts, language
from tritonopt.facts.language import function
from tritonopt.facts.operations import BITS, ELEMENTWISE, Op
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source.trees import walk

_GIVEN = (
    ELEMENTWISE
    | BITS
    | {
        *(Op.FULL, Op.BROADCAST_TO, Op.INSERT_AXES, Op.WIDENED, Op.REDUCE, Op.RESHAPED, Op.LANE),
    }
)
"""Operations that give a value and do nothing else."""


@dataclass(frozen=True)
class DroppedResults(Lint):
    """Find statements that compute a value that nothing uses.

    ## What it does

    `acc.to(tl.float16)` and `tl.cast(stride, tl.int64)` give a new value; as statements they leave
    `acc` and `stride` as they are. The pass reports them.

    ## Why

    The author probably meant to change the type: `acc` is still stored with its old type, and the
    offset still overflows.

    ## Conditions

    The statement is an operation of Triton or Python without an effect: it contains no load, store
    or print. Hints (`tl.multiple_of`), assertions and calls of helpers are not reported. The pass
    changes nothing, because assigning the result would change the code after it.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit
    def scale(X, Y, BLOCK: tl.constexpr):
        x = tl.load(X + tl.arange(0, BLOCK))
        x.to(tl.float32)
        tl.store(Y + tl.arange(0, BLOCK), x * x)
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def scale(X, Y, BLOCK: tl.constexpr):
        x = tl.load(X + tl.arange(0, BLOCK))
        x = x.to(tl.float32)
        tl.store(Y + tl.arange(0, BLOCK), x * x)
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "dropped-results"
    summary: ClassVar[str] = "find statements whose value is not used"
    harm: ClassVar[str] = "the statement has no effect"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for statement in facts.kernel.nodes:
            if isinstance(statement, ast.Expr) and _is_dropped(facts, statement.value):
                text = facts.kernel.module.text_of(statement.value)
                text = " ".join(text.split())
                told = f"{text} changes nothing: {_meant(statement.value, text)}"
                claim, reason = "result-is-used", "result-is-dropped"
                yield Site.of_mistake(statement.value, claim, reason, told)


def _is_dropped(facts: KernelFacts, node: ast.expr) -> bool:
    value = facts.values.get(node)
    if value is None or value.op not in _GIVEN or not facts.effect_nodes.isdisjoint(walk(node)):
        return False
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript))
    called = function(facts.kernel.module.resolve(node.func))
    if called:
        return called not in language.HINTS | language.COMPILE_TIME
    return isinstance(node.func, ast.Attribute) and node.func.value in facts.values


def _meant(node: ast.expr, text: str) -> str:
    """What to do, with the assignment where it is clear what for."""
    operand: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        casts = node.func.attr in ("to", "cast")
        own = node.func.value if node.func.attr == "to" else None
        operand = own or (node.args[0] if casts and node.args else None)
    if isinstance(operand, ast.Name):
        return f"write {operand.id} = {text}, or remove it"
    return "use its result, or remove it"
