"""unbounded-store: an access whose mask lets lanes beyond the buffer through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint


@dataclass(frozen=True)
class UnboundedStore(Lint):
    """Find accesses outside their buffer, with sizes for which they are.

    ## What it does

    A mask that is missing, bounds another index than the address uses, or compares with the wrong
    length or `<=`, lets lanes past the end; `offsets - 1` reads before the start. The pass reports
    the access with a launch, a shape, a program, a lane and the element.

    It also reports a grid that fits one configuration of a tuner: under another, whose programs
    store fewer elements, some are never stored.

    ## Why

    The write lands in another tensor, the read finds its elements. Tests with multiples of the
    block size never see it.

    ## Conditions

    Reported only with an example in numbers, for a launch with readable grid, arguments and
    configurations. The launcher allocates the buffer (`torch.empty`, `torch.empty_like`,
    `x.new_empty`) or receives it; tensors are assumed contiguous. Not reported where callers may
    pass only what fits:

    - Whether it overflows depends on a plain argument (flags have their defaults), on the ratio of
      two tensors' sizes, or on a fixed buffer length.
    - The number of dimensions matters and is unknown: `m, n = x.shape` and `x.numel()` show it,
      `x.shape[0]` does not.
    - The launcher has an unknown check or decorator, or calls a function that may raise; a caller
      in the file checks or makes its arguments.
    - Sizes are declared: `Float[Tensor, "m 128"]`, `# tritonopt: x: f32[m, 128]`.
    - The offset or mask is loaded or unknown.

    Sizes that launcher or kernel reject are not tried (`assert n % 64 == 0`,
    `if x.shape != y.shape: raise`, `tl.static_assert(N == D)`, `x.view(-1, 128)`). Conditions that
    involve no size (`bias is not None`) may be true or false.

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

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "unbounded-store"
    summary: ClassVar[str] = "find accesses outside their buffer, with sizes that show it"
    harm: ClassVar[str] = "what is beyond a buffer is another tensor, and nothing is raised"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if facts.launches.unknown:
            return
        # Imported here: of many files no launch is known.
        from tritonopt.facts.memory.buffers import find_left_out, find_overruns

        for effect, numbers in find_left_out(facts):
            message = f"the grid is right for one of the configurations only: {numbers}"
            harm = "elements keep whatever was in memory"
            claim, reason = "stays-in-its-buffer", "leaves-elements"
            yield Site.of_mistake(effect.node, claim, reason, message, harm)
        for effect, numbers in find_overruns(facts):
            masked = effect.mask is not None and not effect.mask.is_none
            what = "the mask does not keep" if masked else "nothing keeps"
            message = f"{what} this {effect.name} inside its buffer: {numbers}"
            claim, reason = "stays-in-its-buffer", "leaves-its-buffer"
            yield Site.of_mistake(effect.node, claim, reason, message)
