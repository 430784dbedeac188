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
    """Add hints that wrapped offsets are contiguous in groups of lanes, and report false hints.

    ## What it does

    After `offsets % N` or `tl.where(offsets < N, offsets, 0)` the compiler cannot see that adjacent
    lanes access adjacent elements. If this holds in each group of V lanes, the pass adds

        offsets = tl.max_contiguous(tl.multiple_of(offsets, V), V)

    with the largest such V: the number of lanes, or a power of two of at least `least` (16). Rank-2
    tiles get `[1, V]`. A comment states the condition for the hint; the kernel does not check it.

    The pass reports existing hints that can be false, with numbers (`hint-can-be-false`), hints
    whose number is no power of two or exceeds the number of lanes (`hint-is-malformed`), and hints
    below 16 on contiguous offsets (`hint-narrows`). Hints on parameters, or under a condition of
    the launcher (`if EVEN_N:`), are not checked. If a store masks off the lanes for which a hint is
    false (matrix products that wrap with `% M`), `tritonopt suggest` reports the hint only if the
    pass is named.

    `max_contiguous(x, C)` promises that lanes increase by one within each aligned group of C lanes,
    `multiple_of(x, D)` that each group starts at a multiple of D. After `%` the compiler needs
    both. A hint under an `if` must be true on every path. A hint replaces what the compiler
    inferred, so a small number can narrow loads. A hint on a parameter has no effect.

    ## Why

    16-byte loads replace scalar loads. Without a hint the compiler keeps wide loads after `%` only
    if it knows that N is a multiple of 16 (which `do_not_specialize`, or a loaded or computed N,
    hides), and never after `tl.where`.

    ## Conditions

    - Before wrapping, lanes increase by one; after it, they are added to a pointer unscaled. V
      divides the number of lanes and the offset of lane 0.
    - For `%`, V divides N, or no lane reaches N. Offsets are not negative, because `%` keeps the
      sign.
    - For `tl.where`, every lane is below N in every program and iteration. It is not enough that V
      divides N, because in a group beyond N all lanes are 0.
    - The compiler does not know N; it does if N is a constexpr or `blocks * BLOCK`.

    The proof uses the kernel's arithmetic, `tl.static_assert`, `tl.assume`, the file's launches, or
    `--assume 'N % BLOCK == 0'`. If it fails, the remark gives numbers for which the hint would be
    false, if there are any. Assumed: there are no other launches (`no-other-launches`), divisors
    and loop bounds are positive (`sizes-are-positive`), indices do not overflow int32.

    ## Numerics

    `exact`, or `assumption` if the proof uses a fact given with `--assume`. Bits are
    `reduction-order` in kernels that sum floats or multiply matrices, because threads hold other
    elements (210 of 256 row sums changed on a GPU); else `same`.

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
        "the compiler trusts a hint: it loads consecutive elements from the address of the "
        "first lane, so a false hint reads other elements, or past the end of the buffer"
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
