"""split-kernel: what a kernel sums up over its programs goes to a kernel of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change


@dataclass(frozen=True)
class SplitKernel(Pass):
    """Compute what a kernel sums up over its programs in a kernel of its own (kernel fission).

    ## What it does

    A kernel that stores rows, or tiles, and beside that adds up something over all of them (the
    backward pass of a norm: gradients of its input, and of its weights) becomes two: the first
    keeps the stores, the second has the sums. Each keeps the statements, loads and parameters
    that it needs, and no others. Behind each launch stands one of the second kernel.

    Sums are what goes to atomics, what a loop adds up in which others are stored, and partial
    results that a kernel behind this one takes together. The inverse of a loop fusion, and a
    first step: the two can be tiled and tuned each in its own way then.

    ## Why

    Gradients of the input want a whole row, those of the weights want a whole column. What is
    good for one is not for the other: a tile of rows keeps sums in registers, in which a program
    that needs the whole row has no room for them.

    ## Conditions

    Neither part accesses what the other one writes: a load of the sums, an output that is given in
    the place of an input, or a buffer that the caller passes and that may be one, leave the kernel
    as it is (`parts-share-memory`). All that the kernel does is to load, to compute, and to write,
    to its end: what locks, waits, prints, asserts, or uses what an atomic gives would be done by
    both (`done-by-every-part`).

    Every launch is seen, is a statement of its own in the kernel's file, and evaluates what comes
    to the same once more. Above the kernel stands `@triton.jit` alone: what a tuner says may be
    about parameters of one part (`unknown-decorator`).

    ## Numerics

    The safety is `contract`, for the launches change with the kernel. Each value is computed by
    the statements that computed it, so it is exact; the bits are `reduction-order`, for the
    compiler may lay out tiles in another way where a kernel does less.

    ## Example

    ```python
    @triton.jit
    def backward(X, DY, W, DX, DW, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0)
        w = tl.load(W + cols, mask=mask, other=0.0)
        mean = tl.sum(w * dy, axis=0) / N
        tl.store(DX + row * stride + cols, w * dy - mean, mask=mask)
        tl.atomic_add(DW + cols, x * dy, mask=mask)


    def gradients(x, dy, w):
        m, n = x.shape
        dx = torch.empty_like(x)
        dw = torch.zeros(n, dtype=torch.float32, device=x.device)
        backward[(m,)](x, dy, w, dx, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return dx, dw
    ```

    becomes

    ```python
    @triton.jit
    def backward(DY, W, DX, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0)
        w = tl.load(W + cols, mask=mask, other=0.0)
        mean = tl.sum(w * dy, axis=0) / N
        tl.store(DX + row * stride + cols, w * dy - mean, mask=mask)


    @triton.jit
    def backward_sums(X, DY, DW, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0)
        tl.atomic_add(DW + cols, x * dy, mask=mask)


    def gradients(x, dy, w):
        m, n = x.shape
        dx = torch.empty_like(x)
        dw = torch.zeros(n, dtype=torch.float32, device=x.device)
        backward[(m,)](dy, w, dx, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        backward_sums[(m,)](x, dy, dw, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return dx, dw
    ```

    ## Measured

    0.55x to 0.94x for layer norm backward: a loss everywhere, for rows are read twice. So it acts
    only where it is named.

    One H200, Triton 3.6, cold L2, fp32 (`benchmarks/merge_kernels_speed.py`).
    """

    name: ClassVar[str] = "split-kernel"
    summary: ClassVar[str] = "compute sums over programs in a kernel of their own"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.CONTRACT})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.transforms.fission.write_groups import write_groups

        groups = write_groups(facts)
        if groups is None:
            return
        from tritonopt.transforms.fission.divided import prove_division

        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            changes = prove_division(groups, attempt)
        names = sorted({b for e in groups.second for b in facts.bases(e) or ()})
        what = " and ".join(names) or "what is summed up"
        yield Site.of(
            attempt,
            groups.second[0].node,
            f"gave {what} a kernel of its own",
            f"left {what} to the kernel that stores the rest",
            needs={Safety.CONTRACT},
            bits=Bits.REDUCTION_ORDER,
            changes=changes,
            pays=False,
            advice=f"give {what} a kernel of its own",
        )
