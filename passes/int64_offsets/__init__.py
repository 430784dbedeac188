"""int64-offsets: offsets that do not fit 32 bits are computed in 64."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted
from tritonopt.emit.writing import Writer, comments_in
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.dtypes import FLOATS, INTEGERS
from tritonopt.facts.effects import is_loaded, parts_of
from tritonopt.facts.language import MATRIX
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Condition, Safety, Site, Status
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, ReplaceExpression

if TYPE_CHECKING:
    from tritonopt.passes.int64_offsets.overflows import Overflow
    from tritonopt.passes.int64_offsets.wide_places import WidePlace


@dataclass(frozen=True)
class Int64Offsets(Pass):
    """Compute `row * stride` in 64 bits where a tensor can have 2**31 elements or more.

    ## What it does

    A product of 32-bit integers has 32 bits. The pass finds products and sums in addresses that
    overflow, and prints a launch, a shape and a program for which they do. It casts where the name
    is bound, `row = tl.program_id(0).to(tl.int64)`; if that would widen a division, or more tiles
    of a loop, it casts the operand, `row.to(tl.int64) * stride`. Values computed from it are 64-bit
    too.

    ## Why

    From 2**31 elements on (65536 rows of 32768, 4 GB in fp16) the offset wraps around, and the
    kernel silently reads and writes elsewhere. Casting a row index costs no time. Casting a tile in
    a loop does, so such tiles are cast only if the pass is named.

    ## Conditions

    An overflow is reported only with an example in numbers, for a launch whose grid, arguments,
    configurations and checks can be read. In the example, grids and tiles are within the limits of
    CUDA and Triton, and accesses within their tensors. All sizes are those of one tensor, assumed
    contiguous, of at most 2**32 elements, with offsets of at most 2**33; no scalar argument sets a
    size. If the grid is `min(tiles, P)` and P is not a size (`multi_processor_count`), small and
    large P are tried. An argument of 2**31 or more is 64-bit, so products with it do not overflow.

    The 64-bit value is used only in addresses and comparisons, because stores, loop-carried
    variables and functions may depend on its type. If a mask, branch or loop bound overflows too,
    it also becomes 64-bit; if that is impossible, the pass changes nothing.

    For a kernel without a visible launch, the pass reports one note, on an integer parameter times
    a program id, or times an index loaded as int32. An index that is proved to be loaded as int32,
    times `x.stride(0)`, is reported without sizes.

    If it is not named, the pass fixes offsets into floating-point data. It only reports offsets
    into indices and lengths, tiles in a loop that would become 64-bit, and kernels in which another
    offset would stay 32-bit. `--passes int64-offsets` fixes all. Two kinds are reported without
    sizes: an index that is shown to be loaded as int32, times `x.stride(0)`; and a row of a tensor
    with which another kernel of the same call, or of its gradient, overflows.

    ## Numerics

    `exact`, bits `same` at all sizes for which the original is right. At larger sizes the original
    is wrong.

    ## Example

    ```python
    @triton.jit
    def double(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


    def launch(x):
        m, n = x.shape
        y = torch.empty_like(x)
        double[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.jit
    def double(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


    def launch(x):
        m, n = x.shape
        y = torch.empty_like(x)
        double[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    Not measured: it is about correctness.

    Timed once on an H200, without a record: a cast of the program id costs nothing; a cast of tiles
    in the loop of a dot, or of indices of gathered rows, costs up to 16 %.
    """

    name: ClassVar[str] = "int64-offsets"
    summary: ClassVar[str] = "compute offsets that overflow 32 bits in 64 bits"
    safety: ClassVar[frozenset[Safety]] = frozenset()
    finds_mistakes: ClassVar[bool] = True
    fixes: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "an offset of 32 bits wraps around at 2**31: the kernel reads and writes elsewhere, "
        "and no error is raised"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if facts.launches.caller is not None:
            return
        if facts.launches.unknown:
            yield from _of_unseen_launches(facts)
            return
        told = found = False
        for site in self._of_sizes(facts):
            told |= site.analysis and site.is_reported
            found = True
            yield site
        if not told:
            yield from _of_loaded_rows(facts, alone=found)

    def _of_sizes(self, facts: KernelFacts) -> Iterator[Site]:
        # Imported here: of many files no launch is known.
        from tritonopt.passes.int64_offsets.overflows import find_overflows

        overflows = list(find_overflows(facts))
        data = [overflow for overflow in overflows if _is_of_data(facts, overflow.value)]
        if not overflows or not (data or self.is_named):
            return
        from tritonopt.passes.int64_offsets.wide_places import WidePlace, WidePlaces

        places: list[WidePlace] = []
        left = ""
        for found in WidePlaces(facts, overflows).find():
            if isinstance(found, WidePlace):
                places.append(found)
            else:
                left = left or (_text(facts, found[0].value) if found[0] in data else "")
                yield _missed(facts, *found)
        for place in places:
            site = _site(facts, [place], left=left)
            yield replace(site, is_reported=any(o in data for o in place.fixed))


def _of_loaded_rows(facts: KernelFacts, *, alone: bool) -> Iterator[Site]:
    """One finding a kernel, for all rows whose numbers are loaded as int32, and, unless it is
    taken `alone`, rows of tensors with which another kernel of the file overflows."""
    if all(effect.kind is not EffectKind.LOAD for effect in facts.effects):
        return
    from tritonopt.passes.int64_offsets.loaded_rows import find_loaded_rows
    from tritonopt.passes.int64_offsets.wide_places import WidePlace, WidePlaces

    overflows: list[Overflow] = []
    for counted in (True, False):
        rows = {o.value: o for o in find_loaded_rows(facts, counted=counted, alone=alone)}
        overflows = [overflow for overflow in rows.values() if _is_of_data(facts, overflow.value)]
        places = list(WidePlaces(facts, overflows).find()) if overflows else []
        group = [place for place in places if isinstance(place, WidePlace)]
        # One sequence that long is rare: it is no reason for tiles of 64 bits.
        if group and len(group) == len(places) and not (counted and any(p.slows for p in group)):
            yield _site(facts, group)
            return
    if not overflows:
        return
    first = overflows[0]
    what = f"{_text(facts, first.value)} would be {first.number} if {first.where}"
    nodes = (n for n, value in facts.values.items() if value is first.value)
    message = f"{what}: cast the loaded index to 64 bits"
    anchor = next(nodes, facts.kernel.node)
    yield Site.of_mistake(anchor, "offset-fits", "offset-is-too-large", message)


def _of_unseen_launches(facts: KernelFacts) -> Iterator[Site]:
    """One note a kernel: a row and a stride are multiplied in 32 bits, whatever is passed."""
    if not any(value.op is Op.MUL for value in facts.interpretation.computed):
        return
    from tritonopt.passes.int64_offsets.loaded_rows import find_unseen_rows, is_wide_elsewhere

    wide = is_wide_elsewhere(facts)
    found = next((v for v in find_unseen_rows(facts) if wide or _is_of_data(facts, v)), None)
    if found is not None:
        nodes = [n for n, value in facts.values.items() if value is found]
        row = _factor_of(facts, found)
        what = f"{_text(facts, found)} is computed in 32 bits: cast {row} to tl.int64"
        harm = "for a tensor of 2**31 elements or more the kernel reads and writes elsewhere"
        anchor = nodes[0] if nodes else facts.kernel.node
        site = Site.of_mistake(anchor, "offset-fits", "product-may-overflow", what, harm)
        yield replace(site, is_note=True)


def _is_of_data(facts: KernelFacts, index: Value) -> bool:
    """Whether an access that the offset is for is one of data: of what is computed in floats.

    Of indices, lengths and other whole numbers nobody has billions.
    """
    from tritonopt.passes.int64_offsets.overflows import bounds_of

    stored = (e.stored for e in facts.effects if e.stored is not None)
    results = [set(parts_of(facts.loops, each, stop=is_loaded)) for each in stored]
    # The `other=` of a load has its type.
    results = [parts | {o for p in parts if is_loaded(p) for o in p.operands} for parts in results]
    for effect in facts.effects:
        roots = [] if effect.pointer is None else [effect.pointer, *bounds_of(effect)]
        if not any(index in parts_of(facts.loops, root, stop=is_loaded) for root in roots):
            continue
        for parts in results:
            loaded = any(p.op is Op.LOAD and p.attribute == effect.order for p in parts)
            if (loaded or effect.stored in parts) and any(_is_float(facts, p) for p in parts):
                return True
    return False


def _is_float(facts: KernelFacts, part: Value) -> bool:
    """Whether a part of what is stored is a float: a quotient, a product of matrices, or of what
    is loaded, for indices are multiplied by sizes."""
    types = facts.types.of(part)
    if part.op is Op.DIV or (part.op is Op.RESHAPED and part.function in MATRIX):
        return True
    if types.some_in(FLOATS | {"float"}):
        return True
    return (
        part.op is Op.MUL
        and not types.some_in(INTEGERS)
        and all(map(_rests_on_load, part.operands))
    )


def _rests_on_load(value: Value) -> bool:
    return any(part.op is Op.LOAD for part in value.walk(but=Op.LOAD))


def _site(facts: KernelFacts, places: Sequence[WidePlace], *, left: str = "") -> Site:
    """The casts of these places; `left` is an offset of the kernel that stays as wrong."""
    writer, attempt = Writer(facts), Attempt()
    changes: tuple[Change, ...] = ()
    nodes = [node for place in places for node in place.nodes]
    first, overflow = nodes[0], places[0].fixed[0]
    texts = dict.fromkeys(writer.text(place.nodes[0]) for place in places)
    text = " and ".join(texts)
    what = f"{_text(facts, overflow.value)} would be {overflow.number} where it is {overflow.where}"
    with attempt:
        attempt.prove("type-stays", "it is used only in addresses and comparisons")
        if any(place.slows for place in places):
            detail = "tiles of a loop become 64-bit, which may be slower"
            attempt.assume("tile-fits-the-registers", detail)
        if left:
            attempt.assume("offset-fits", f"{left} stays in 32 bits, and overflows at such sizes")
        if any(comments_in(facts.kernel.module.text_of(node)) for node in nodes):
            lost = "a comment inside would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", lost)
        changes = tuple(_cast(facts, writer, node) for node in nodes)
    if attempt.failed is not None:
        message = f"kept {text} in 32 bits: {attempt.failed.detail}"
        return Site(first, attempt.conditions, message)
    found = Condition("offset-fits", Status.REFUTED, what, "offset-is-too-large")
    message = f"cast {text} to 64 bits: {what}, which does not fit in 32 bits"
    conditions = (found, *attempt.conditions)
    return Site(first, conditions, message, changes=changes, analysis=True)


def _missed(facts: KernelFacts, overflow: Overflow, declined: Declined) -> Site:
    text = _text(facts, overflow.value)
    message = (
        f"kept {text} in 32 bits, though it would be {overflow.number} where it is "
        f"{overflow.where}: {declined.condition.detail}"
    )
    nodes = (n for n, value in facts.values.items() if value is overflow.value)
    return Site(next(nodes, facts.kernel.node), (declined.condition,), message)


def _text(facts: KernelFacts, index: Value) -> str:
    nodes = (n for n, v in facts.values.items() if v is index and isinstance(n, ast.BinOp))
    node = next(nodes, None)
    if node is None:
        return facts.forms.of(index).readable
    return Writer(facts).text(node)


def _factor_of(facts: KernelFacts, product: Value) -> str:
    """The factor of a product that is no parameter, as it is written."""
    row = next(part for part in product.operands if part.op is not Op.PARAM)
    for node, value in facts.values.items():
        if value is product and isinstance(node, ast.BinOp):
            for factor in (node.left, node.right):
                if facts.values.get(factor) is row:
                    return Writer(facts).text(factor)
    return "the row"


def _cast(facts: KernelFacts, writer: Writer, node: ast.expr) -> ReplaceExpression:
    from tritonopt.passes.int64_offsets.wide_places import may_be_of_python

    wide = writer.language("int64")
    if may_be_of_python(facts.values[node]):
        return ReplaceExpression(node, f"{writer.language('cast')}({writer.text(node)}, {wide})")
    return ReplaceExpression(node, f"{writer.operand(node)}.to({wide})")
