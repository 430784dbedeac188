"""int64-offsets: offsets that may be beyond 2**31 are computed in 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.rewriting.checklist import Checklist, refuted, unknown
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, ReplaceExpression
from tritonopt.transforms.widening.wide_products import Product, WideProducts
from tritonopt.transforms.writing import Writer, comments_in


@dataclass(frozen=True)
class Int64Offsets(Pass):
    """Compute `row * stride` in 64 bits, where tensors may have more than 2**31 elements.

    ## What it does

    `X + row * stride + cols` becomes `X + row.to(tl.int64) * stride + cols`: the one factor that
    is a position (a program id, the number of an iteration, a loaded index) is cast before it is
    multiplied by a size or a stride, and all that is added to it follows.

    ## Why

    Both factors are of 32 bits, and so is their product: from 2**31 elements on it becomes
    negative, and the kernel reads and writes somewhere else without a word. That is 65536 rows of
    32768 elements.

    ## Conditions

    The product is part of an address, and its other factor is not known before the launch. It is
    used for addresses and comparisons alone: where it is stored, carried by a loop or given to a
    function its type may matter (`type-is-free`). Factors that are of 64 bits already, offsets
    within one tile, and products with constexprs alone are left as they are.

    ## Numerics

    `exact`, bits `same`, for tensors that the kernel was right for. For larger ones it is the
    original that was wrong.

    ## Example

    ```python
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    var = tl.sum(x, axis=0)
    ```

    becomes

    ```python
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row.to(tl.int64) * stride + cols, mask=cols < N, other=0.0)
    var = tl.sum(x, axis=0)
    ```

    ## Measured

    Not measured: it is for large tensors, not for speed, and acts only where it is named.
    """

    name: ClassVar[str] = "int64-offsets"
    summary: ClassVar[str] = "compute offsets that may be beyond 2**31 in 64 bits"
    safety: ClassVar[frozenset[Safety]] = frozenset()

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        found = WideProducts(facts)
        for product in found.products():
            yield _site(facts, found, product)


def _site(facts: KernelFacts, found: WideProducts, product: Product) -> Site:
    writer, checklist = Writer(facts), Checklist()
    changes: tuple[Change, ...] = ()
    text = writer.text(product.node)
    with checklist.until_one_fails():
        _check(facts, found, product, checklist)
        changes = (_cast(writer, found, product),)
        checklist.prove("is-expressible", "the cast can be written where the product stands")
    of = f"{writer.text(product.position)} = 65536 and {writer.text(product.other)} = 32768"
    if checklist.failed is None:
        message = f"computed {text} in 64 bits: with {of} it would be beyond 2**31"
    else:
        message = f"kept {text} in 32 bits: {checklist.failed.detail}"
    advice = f"compute {text} in 64 bits: with {of} it is beyond 2**31"
    return Site(product.node, checklist.conditions, message, changes=changes, advice=advice)


def _check(facts: KernelFacts, found: WideProducts, product: Product, checklist: Checklist) -> None:
    caller = facts.launches.caller
    if caller is not None:
        detail = f"{caller.name} calls this function, and may pass numbers of 64 bits to it"
        raise unknown("parameters-are-scalars", "parameters-may-be-tiles", detail)
    found.check_uses(facts.values[product.node], product.node.lineno)
    checklist.prove("type-is-free", "it goes into addresses and comparisons alone")
    if comments_in(facts.kernel.module.text_of(product.position)):
        raise refuted("nothing-else-goes", "comment-inside", "a comment inside would be lost")


def _cast(writer: Writer, found: WideProducts, product: Product) -> ReplaceExpression:
    operand, wide = writer.operand(product.position), writer.language("int64")
    if found.is_tensor(product.position):
        return ReplaceExpression(product.position, f"{operand}.to({wide})")
    # The number of an iteration may be Python's own.
    cast = writer.language("cast")
    return ReplaceExpression(product.position, f"{cast}({writer.text(product.position)}, {wide})")
