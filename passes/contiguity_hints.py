"""contiguity-hints: what is true of wrapped offsets is said to the compiler, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.facts.memory.hints import read_hints
from tritonopt.facts.memory.offsets import without_casts
from tritonopt.facts.uses import adds_up_floats
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Gain, Pass

if TYPE_CHECKING:
    from tritonopt.transforms.hinting.wrapped_offsets import Wrap, WrappedOffsets


@dataclass(frozen=True)
class ContiguityHints(Pass):
    """Say how far wrapped offsets are contiguous, and find hints that are not true.

    ## What it does

    `offsets % N` and `tl.where(offsets < N, offsets, 0)` hide from the compiler that neighboring
    lanes read neighboring elements. Where that is true of whole groups of lanes, the pass says so:

        offsets = tl.max_contiguous(tl.multiple_of(offsets, V), V)

    with the widest V that is true: the number of lanes, else the largest power of two. For a tile
    of rank 2 the hints get one value for each axis, `[1, V]`. A comment says what the promise
    rests on, for nobody checks it at run time.

    What the two hints mean: `max_contiguous(x, C)` says that along each axis every aligned group of
    C lanes goes up by one from lane to lane; `multiple_of(x, D)` says that the first lane of each
    such group is a multiple of D. After `%` neither does anything without the other. They are
    properties of the operation that computes x, wherever they are written: a hint under an `if`
    about a value from outside of it holds on every way. They replace what the compiler found by
    itself, so a narrow hint can make loads narrower. Hints on parameters do nothing.

    Hints that are there are checked: one that can be false gets an analysis remark with numbers
    for which it is (`hint-can-be-false`), and so does one of a value that is no power of two or
    of more lanes than there are, and one below 16 on offsets of which the compiler knows more
    (`hint-narrows`). Hints under a condition that the launcher chooses (`if EVEN_N:`) and promises
    about parameters are left to their author. Where a store masks off the lanes for which a hint
    is false, as matrix products that wrap with `% M` do, the remark says so, and `tritonopt
    suggest` shows it only when the pass is named.

    The option `least` is the smallest number that is written. Below 16 a hint can make loads of
    small types narrower where N happens to be a multiple of 16, which Triton then sees by itself.

    ## Why

    Loads of 16 bytes in place of one element each. That matters where N is not specialized
    (`do_not_specialize`, a length that is loaded or computed), and behind `tl.where` always:
    the compiler never sees through a selection, but through `%` it sees where it knows that N is a
    multiple of 16. Of a parameter nobody can tell beforehand.

    ## Conditions

    The lanes go up by one before they are wrapped; they are added to a pointer as they are, or
    times 1. For `%`: the offset is not negative (the rest of a negative number is negative), and V
    divides the number of lanes, the offset of lane 0 and N; or no lane reaches N at all. For
    `tl.where`: V divides the offset of lane 0, and every lane is below N, in every program and
    iteration. It is not enough that N is a multiple of V: in a group beyond N all lanes
    are 0. So N is a multiple of the block, and the loop or the grid is known to end there.

    This is shown by the kernel's arithmetic, by `tl.static_assert` and `tl.assume`, by every launch
    in the file (its arithmetic, what it asserts or raises, configurations and heuristics of the
    tuner), or given: `--assume 'N % BLOCK == 0'`. Where it is not shown, the remark has numbers for
    which the hint would be false. Where the launches are the evidence, files that were not given
    are taken not to launch the kernel (`no-other-launches`); what divides or bounds a loop is taken
    to be positive (`sizes-are-positive`); index arithmetic is taken not to overflow int32.

    Declined as well: lengths of which the compiler knows as much (constexprs, `blocks * BLOCK`).

    ## Numerics

    Exact, or `assumption` where a given fact is used. Bits `reduction-order` where the
    kernel adds up floats or multiplies matrices: a hint changes which thread holds which element,
    and with it the order of sums (seen on 210 of 256 rows on a GPU). Otherwise the same.

    ## Example

    ```python
    @triton.jit
    def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        source = offs % N
        tl.store(Y + offs, tl.load(X + source))


    def repeat(x, y):
        n = x.numel()
        if n % 128:
            raise ValueError("pad the ring to whole blocks")
        repeat_kernel[(y.numel() // 128,)](x, y, n, BLOCK=128)
    ```

    becomes

    ```python
    @triton.jit
    def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        source = offs % N
        # True as long as N is a multiple of BLOCK.
        source = tl.max_contiguous(tl.multiple_of(source, BLOCK), BLOCK)
        tl.store(Y + offs, tl.load(X + source))


    def repeat(x, y):
        n = x.numel()
        if n % 128:
            raise ValueError("pad the ring to whole blocks")
        repeat_kernel[(y.numel() // 128,)](x, y, n, BLOCK=128)
    ```

    ## Measured

    1.00x to 1.01x: noise.

    One H200, Triton 3.6, wrapped loads with and without the hint (`examples/periodic.py`, 4096 and
    100,000 samples in fp32 and fp16). Compiled for sm_90 by
    Triton 3.7 (`tests/passes/test_contiguity_hints_compiled.py`): `ld.global.b32` becomes
    `ld.global.v4.b32`.
    """

    least: int = 16

    name: ClassVar[str] = "contiguity-hints"
    summary: ClassVar[str] = "say of wrapped offsets how far they are contiguous; check such hints"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = True
    gain: ClassVar[Gain | None] = Gain(
        figure("contiguity-hints"),
        f"{WHERE}, where the length is not known to be a multiple of 16",
        "loads of 16 bytes in place of one element each",
    )
    finds_mistakes: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "the compiler believes a hint: it loads whole runs of elements from the address of "
        "the first, others than the offsets say, and beyond the buffer"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.hinting.hint_checks import mistake_in
        from tritonopt.transforms.hinting.wrapped_offsets import WrappedOffsets

        kernel = WrappedOffsets(facts)
        hints = read_hints(facts)
        for hinted in hints:
            mistake = mistake_in(kernel, hinted)
            if mistake is not None:
                yield mistake
        hinted_values = {without_casts(hinted.value) for hinted in hints}
        for wrap in kernel.wraps:
            if wrap.value not in hinted_values:
                yield self._missing(kernel, wrap)

    def _missing(self, kernel: WrappedOffsets, wrap: Wrap) -> Site:
        """Wrapped offsets without a hint."""
        from tritonopt.transforms.hinting.hint_code import hint_for
        from tritonopt.transforms.hinting.wrapped_offsets import is_loaded_from
        from tritonopt.transforms.writing import Writer

        facts, attempt = kernel.facts, Attempt()
        hint = hint_for(kernel, wrap, self.least, attempt)
        width = hint.width if hint is not None else ""
        text = " ".join(Writer(facts).text(wrap.places[0]).split())
        return Site.of(
            attempt,
            wrap.places[0],
            f"promised that each {width} lanes of {text} are consecutive and start "
            f"at a multiple of {width}, for loads of up to 16 bytes. Measured {WHERE}: "
            f"{figure('contiguity-hints')}; where the length is a multiple of 16 and "
            "specialized, Triton sees as much of a `%` by itself",
            f"no hint for {text}",
            bits=Bits.REDUCTION_ORDER if adds_up_floats(facts.interpretation) else Bits.SAME,
            changes=hint.changes if hint is not None else (),
            # What was measured are loads.
            pays=is_loaded_from(facts, wrap.value),
            advice=f"say that each {width} lanes of {text} are consecutive and "
            f"start at a multiple of {width}",
        )
