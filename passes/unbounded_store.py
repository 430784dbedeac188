"""unbounded-store: a store whose mask lets lanes beyond the buffer through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint


@dataclass(frozen=True)
class UnboundedStore(Lint):
    """Find stores and atomics that write beyond their buffer, with sizes for which they do.

    ## What it does

    A mask that bounds another index than the one that is addressed, that compares with the wrong
    length or with `<=`, or that is missing, lets lanes write past the end of the buffer. The pass
    reports such a store together with a launch of the file that comes to it: a shape, a program, a
    lane and the element that is written. It changes nothing.

    ## Why

    A write beyond a buffer lands in another tensor. Nothing is raised, and tests whose sizes are
    multiples of the block never see it.

    ## Conditions

    Reported only with numbers, and for a launch that can be read: its grid, its arguments, its
    configurations. The buffer is one that the launcher makes (`torch.empty`, `torch.empty_like`,
    `x.new_empty`), or one that it was given. Tensors are taken to be contiguous. Where the sizes of
    several tensors decide, it must go wrong however long one is beside another: what fits together
    is for the caller to know. Nothing is said where callers may well pass only what fits:

    - a plain argument decides (of what is true or false its default counts), or the buffer has a
      fixed length;
    - how many dimensions the tensor has matters and is not shown (`m, n = x.shape` and
      `x.numel()` show it, `x.shape[0]` does not);
    - the launcher checks something that is not understood, calls a function that may raise, or is
      decorated by a function that is not known; a function of the file calls it and checks or makes
      what it passes;
    - numbers are written for the sizes: `Float[Tensor, "m 128"]`, `# tritonopt: x: f32[m, 128]`.

    The same holds where the offset or the mask is loaded or cannot be followed. Sizes that the
    launcher or the kernel refuses are not tried: `assert n % 64 == 0`, `if x.shape != y.shape:
    raise`, `tl.static_assert(N == D)`, `x.view(-1, 128)`. Questions that are about no size, as
    `bias is not None` or `x.dtype == torch.float16`, may be answered either way.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=offsets <= N)


    def double(x):
        y = torch.empty_like(x)
        n = x.numel()
        scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=offsets < N)


    def double(x):
        y = torch.empty_like(x)
        n = x.numel()
        scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    ```

    ## Measured

    Nothing to measure: it is about being right.
    """

    name: ClassVar[str] = "unbounded-store"
    summary: ClassVar[str] = "find stores that go beyond their buffer, with sizes that show it"
    harm: ClassVar[str] = (
        "what is written beyond a buffer lands in another tensor, and nothing is raised"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if facts.launches.unknown:
            return
        # Imported here: of many files no launch is known.
        from tritonopt.facts.memory.buffers import find_overruns

        for effect, numbers in find_overruns(facts):
            masked = effect.mask is not None and not effect.mask.is_none
            what = "the mask does not keep" if masked else "nothing keeps"
            message = f"{what} this {effect.name} inside its buffer: {numbers}"
            claim, reason = "stays-in-its-buffer", "leaves-its-buffer"
            yield Site.of_mistake(effect.node, claim, reason, message)
