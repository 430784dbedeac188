"""contiguity-hints: what is true of wrapped offsets is said to the compiler, and checked.

Which offsets hide it, how wide a hint is true of them and why, how it is written, and whether those
that are there are true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.facts.memory.offsets import without_casts
from tritonopt.facts.uses import adds_up_floats
from tritonopt.passes.contiguity_hints.hints import read_hints
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from tritonopt.passes.contiguity_hints.wrapped_offsets import Wrap, WrappedOffsets


@dataclass(frozen=True)
class ContiguityHints(Pass):
    """Tell the compiler how far wrapped offsets are contiguous, and find false hints.

    ## What it does

    `offsets % N` and `tl.where(offsets < N, offsets, 0)` hide that adjacent lanes read adjacent
    elements. Where whole groups of lanes do, the pass adds

        offsets = tl.max_contiguous(tl.multiple_of(offsets, V), V)

    with the largest valid V, at least the option `least` (16): the number of lanes, or a power of
    two. Rank-2 tiles get `[1, V]`. A comment states the condition, which nothing checks at run
    time.

    It reports existing hints that can be false, with numbers (`hint-can-be-false`), are no power of
    two or exceed the lanes, or are below 16 on contiguous offsets (`hint-narrows`). Not checked:
    hints on parameters or under a condition of the launcher (`if EVEN_N:`). `tritonopt suggest`
    shows hints whose false lanes a store masks off (matrix products that wrap with `% M`) only if
    the pass is selected explicitly.

    `max_contiguous(x, C)` promises that lanes increase by one within each aligned group of C lanes,
    `multiple_of(x, D)` that each group starts at a multiple of D. After `%` neither works alone. A
    hint under an `if` holds on every path. It replaces what the compiler inferred, so a narrow hint
    can narrow loads. On parameters it does nothing.

    ## Why

    16-byte loads replace scalar loads. The compiler sees through `%` only if it knows that N is a
    multiple of 16 (not with `do_not_specialize`, or a loaded or computed N), and never through
    `tl.where`.

    ## Conditions

    - Lanes increase by one before wrapping, and are added to a pointer unscaled. V divides the
      number of lanes and the offset of lane 0.
    - `%`: V divides N, or no lane reaches N. Offsets are not negative, because `%` keeps the sign.
    - `tl.where`: every lane is below N in every program and iteration. That V divides N is not
      enough: in a group beyond N all lanes are 0.
    - N is not known to the compiler, as a constexpr or `blocks * BLOCK` is.

    Evidence is the kernel's arithmetic, `tl.static_assert`, `tl.assume`, the file's launches, or
    `--assume 'N % BLOCK == 0'`. Otherwise the remark has numbers for which the hint would be false,
    if it finds any. Assumed: no other launches (`no-other-launches`), positive divisors and loop
    bounds (`sizes-are-positive`), no int32 overflow in indices.

    ## Numerics

    `exact`, or `assumption` with a given fact. Bits are `reduction-order` in kernels that sum
    floats or multiply matrices, because threads hold other elements (210 of 256 row sums changed on
    a GPU); else `same`.

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
        # True if N is a multiple of BLOCK.
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
    100,000 samples, fp32 and fp16). Compiled by Triton 3.7 for sm_90, `ld.global.b32` becomes
    `ld.global.v4.b32` (`tests/passes/test_contiguity_hints_compiled.py`).
    """

    least: int = 16

    name: ClassVar[str] = "contiguity-hints"
    summary: ClassVar[str] = "add contiguity hints to wrapped offsets; check existing hints"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    finds_mistakes: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "the compiler trusts a hint: it loads runs of elements from the address of the first, "
        "so other elements than the offsets say, and beyond the buffer"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.contiguity_hints.wrapped_offsets import WrappedOffsets, mistake_in

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
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.contiguity_hints.promises import hint_for

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
            advice=f"say that each {width} lanes of {text} are consecutive and "
            f"start at a multiple of {width}",
        )
