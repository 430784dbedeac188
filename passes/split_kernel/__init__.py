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
    """Compute sums over programs in a separate kernel (kernel fission).

    ## What it does

    A kernel that stores rows or tiles and also sums over all of them, such as a norm's backward
    pass (gradients of input and weights), becomes two: the first stores, the second sums. Each
    keeps only the statements, loads and parameters it needs.

    Sums are what atomics add, what a loop accumulates while it stores, and partial results that a
    later kernel combines. As the inverse of loop fusion, the pass is a first step: each kernel can
    then be tiled and tuned alone.

    ## Why

    Input gradients need whole rows, weight gradients whole columns. A program that holds a whole
    row has no registers left for sums over a tile of rows.

    ## Conditions

    - Neither part accesses what the other writes: no loads of the sums, no output passed as an
      input, no caller's buffer that may alias (`parts-share-memory`).
    - The kernel only loads, computes and writes, to its end: both parts would repeat locks, waits,
      prints, asserts and uses of atomic results (`done-by-every-part`).
    - Launches are statements in the kernel's file whose arguments can be evaluated twice.
    - `@triton.jit` is the only decorator: a tuner may name parameters of one part only
      (`unknown-decorator`).

    ## Numerics

    Safety `contract`: launches change. Values are exact: the same statements compute them. Bits are
    `reduction-order`: the compiler may choose other layouts for smaller kernels.

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

    0.55x to 0.94x for layer norm backward: a loss everywhere, because rows are read twice.

    One H200, Triton 3.6, cold L2, fp32, original / rewritten (`benchmarks/merge_kernels_speed.py`).
    """

    name: ClassVar[str] = "split-kernel"
    summary: ClassVar[str] = "compute sums over programs in a separate kernel"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.CONTRACT})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.split_kernel.divided import write_groups

        groups = write_groups(facts)
        if groups is None:
            return
        from tritonopt.passes.split_kernel.divided import prove_division

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
            advice=f"give {what} a kernel of its own",
        )
