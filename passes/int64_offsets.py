"""int64-offsets: offsets that do not fit 32 bits are computed in 64."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.dtypes import FLOATS
from tritonopt.facts.language import function
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Condition, Safety, Site, Status
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, Module, ReplaceExpression
from tritonopt.transforms.writing import Writer, comments_in

if TYPE_CHECKING:
    from tritonopt.facts.memory.overflows import Overflow
    from tritonopt.transforms.widening.wide_places import WidePlace


@dataclass(frozen=True)
class Int64Offsets(Pass):
    """Compute `row * stride` in 64 bits, where a tensor can have so many elements.

    ## What it does

    `row * stride` is of 32 bits where both factors are. The pass finds products and sums in
    addresses that do not fit, with a launch of the file, a shape and a program for which they do
    not, and casts the position to 64 bits: in `row = tl.program_id(0).to(tl.int64)` where no other
    tile becomes wider by that, else at the product, `row.to(tl.int64) * stride`.
    What is computed from it is of 64 bits as well, so one cast is enough.

    With `int64-offsets{constexpr=true}` small tensors keep offsets of 32 bits: the casts stand
    under a constant of the compiler, `INT64`, which a heuristic sets where a tensor has 1 GB or
    more. (That is where no part of it, and no lane beyond it, has an offset that does not fit.) The
    kernel is then compiled once more for large tensors, which are asked for their storage at each
    launch. `verify` has no answer to it, for it draws no tensor so large; it can compare what the
    pass makes without the option.

    ## Why

    From 2**31 elements on the offset wraps around: the kernel reads and writes elsewhere, without
    a word. That is 65536 rows of 32768 elements, 4 GB in fp16.

    ## Conditions

    Only with numbers: the launch can be read (its grid, its arguments, its configurations), and
    all sizes come from one tensor, taken to be contiguous, of at most 2**32 elements, with offsets
    of at most 2**33. It has one axis where nothing moves along another, and more than one where
    `x.numel() // x.shape[0]` counts them. A number that is beyond 2**31 itself is passed in 64
    bits, and what is computed with it does not overflow. Grids and tiles are those that Triton and
    CUDA allow, and no access is outside of its tensor; how far programs are apart is seen, or is
    the size of the tile that the grid counts. A grid of `min(tiles, P)` with P from elsewhere
    (`multi_processor_count`) is tried with few programs and with many. Nothing is said where
    something that the launcher checks is not understood, or where a plain argument decides.

    For `constexpr=true` tensors of torch are passed at each launch (assumed), and none that may be
    None; nothing may call the kernel, nor keep what was compiled without asking a heuristic.

    The wider number must go into addresses and comparisons alone: where it is stored, carried by a
    loop or given to a function its type may matter. What ends the accesses (a mask, an `if`, the
    bounds of a loop) and does not fit either becomes wide as well; where it cannot, nothing does.

    Most kernels of the world have it, for sizes that nobody has. `tritonopt suggest` shows it where
    a kernel of the file computes a program id in 64 bits already, so that its author thinks of such
    tensors and forgot this one, and where the tensor holds data, that is computed in floats: of
    indices and lengths nobody has billions. When the pass is named (`--passes int64-offsets`) it
    shows all.

    ## Numerics

    `exact`, bits `same`, for all sizes for which the original is right. For larger ones it is the
    original that is wrong, and the two differ: `verify` draws tensors that are smaller.

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

    Not measured: it is about being right, and acts only where it is named.

    Offsets of 64 bits take more registers, so it is no part of `all`: whoever never has such
    tensors would pay for nothing.
    """

    constexpr: bool = False

    name: ClassVar[str] = "int64-offsets"
    summary: ClassVar[str] = (
        "compute offsets that do not fit 32 bits in 64, with sizes that show it"
    )
    safety: ClassVar[frozenset[Safety]] = frozenset()
    finds_mistakes: ClassVar[bool] = True
    mends: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "an offset of 32 bits wraps around at 2**31: the kernel reads and writes elsewhere, and "
        "nothing is raised"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if facts.launches.unknown or facts.launches.caller is not None:
            return
        # Imported here: of many files no launch is known, and most are not asked for it.
        from tritonopt.facts.memory.overflows import find_overflows

        overflows = list(find_overflows(facts))
        expected = overflows and _expects_large_tensors(facts.kernel.module)
        data = [o for o in overflows if _is_in_data(facts, o)] if expected else []
        if not overflows or not (data or self.is_named):
            return
        from tritonopt.transforms.widening.wide_places import WidePlace, WidePlaces

        places: list[WidePlace] = []
        for found in WidePlaces(facts, overflows).find():
            if isinstance(found, WidePlace):
                places.append(found)
            else:
                yield _missed(facts, *found)
        # Under one constant they are one change.
        for group in [places] if self.constexpr and places else [[one] for one in places]:
            site = _site(facts, group, on_demand=self.constexpr)
            yield replace(site, pays=any(place.mended in data for place in group))


def _expects_large_tensors(module: Module) -> bool:
    """Whether a kernel of the file computes a program id in 64 bits: its author thinks of them."""

    def called(node: ast.AST) -> str:
        return function(module.resolve(node.func)) if isinstance(node, ast.Call) else ""

    for kernel in module.kernels:
        ids = {
            target.id
            for node in kernel.nodes
            if isinstance(node, ast.Assign) and called(node.value) == "program_id"
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in kernel.nodes:
            if not (isinstance(node, ast.Call) and any(_is_int64(module, a) for a in node.args)):
                continue
            cast = node.func.value if isinstance(node.func, ast.Attribute) else node
            for part in (cast, *node.args):
                is_id = isinstance(part, ast.Name) and part.id in ids
                if is_id or called(part) == "program_id":
                    return True
    return False


def _is_int64(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute | ast.Name) and function(module.resolve(node)) == "int64"


def _is_in_data(facts: KernelFacts, overflow: Overflow) -> bool:
    """Whether an access that the offset is for is one of data: of what is computed in floats.

    Of indices, lengths and other whole numbers nobody has billions.
    """
    from tritonopt.facts.memory.overflows import bounds_of

    results = [set(e.stored.walk()) for e in facts.effects if e.stored is not None]
    for effect in facts.effects:
        roots = [] if effect.pointer is None else [effect.pointer, *bounds_of(effect)]
        if not any(overflow.value in set(root.walk()) for root in roots):
            continue
        for parts in results:
            loaded = any(p.op is Op.LOAD and p.attribute == effect.order for p in parts)
            if (loaded or effect.stored in parts) and any(_is_float(facts, p) for p in parts):
                return True
    return False


def _is_float(facts: KernelFacts, part: Value) -> bool:
    return part.op is Op.DIV or facts.types.of(part).some_in(FLOATS | {"float"})


def _site(facts: KernelFacts, places: Sequence[WidePlace], *, on_demand: bool) -> Site:
    writer, attempt = Writer(facts), Attempt()
    changes: tuple[Change, ...] = ()
    nodes = [node for place in places for node in place.nodes]
    first, overflow = nodes[0], places[0].mended
    texts = dict.fromkeys(writer.text(place.nodes[0]) for place in places)
    text = " and ".join(texts)
    what = f"{_text(facts, overflow)} would be {overflow.number} where it is {overflow.where}"
    with attempt:
        attempt.prove("type-stays", "it goes into addresses and comparisons alone")
        if any(comments_in(facts.kernel.module.text_of(node)) for node in nodes):
            lost = "a comment inside would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", lost)
        if on_demand:
            from tritonopt.transforms.widening.wide_on_demand import WideOnDemand

            changes = tuple(WideOnDemand(facts, places).changes(writer, attempt))
        else:
            changes = tuple(_cast(facts, writer, node) for node in nodes)
    if attempt.failed is not None:
        message = f"kept {text} in 32 bits: {attempt.failed.detail}"
        return Site(first, attempt.conditions, message)
    found = Condition("offset-fits", Status.REFUTED, what, "offset-is-too-large")
    where = " for large tensors" if on_demand else ""
    message = f"cast {text} to 64 bits{where}: {what}, which 32 bits do not hold"
    conditions = (found, *attempt.conditions)
    return Site(first, conditions, message, changes=changes, analysis=True)


def _missed(facts: KernelFacts, overflow: Overflow, declined: Declined) -> Site:
    text = _text(facts, overflow)
    message = (
        f"kept {text} in 32 bits, though it would be {overflow.number} where it is "
        f"{overflow.where}: {declined.condition.detail}"
    )
    nodes = (n for n, value in facts.values.items() if value is overflow.value)
    return Site(next(nodes, facts.kernel.node), (declined.condition,), message)


def _text(facts: KernelFacts, overflow: Overflow) -> str:
    nodes = (n for n, v in facts.values.items() if v is overflow.value and isinstance(n, ast.BinOp))
    node = next(nodes, None)
    if node is None:
        return facts.forms.of(overflow.value).readable
    return Writer(facts).text(node)


def _cast(facts: KernelFacts, writer: Writer, node: ast.expr) -> ReplaceExpression:
    from tritonopt.transforms.widening.wide_places import may_be_of_python

    wide = writer.language("int64")
    if may_be_of_python(facts.values[node]):
        return ReplaceExpression(node, f"{writer.language('cast')}({writer.text(node)}, {wide})")
    return ReplaceExpression(node, f"{writer.operand(node)}.to({wide})")
