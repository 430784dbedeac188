"""group-programs: tiles of a matrix product in groups of rows, which share what they load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class GroupPrograms(Pass):
    """Let programs of a matrix product that run at one time load the same tiles.

    ## What it does

    A product of matrices has a program for each tile of the result, numbered along the rows. The
    pass numbers them in groups of rows, column by column, with `tl.swizzle2d` behind the
    statements that ask for the program's ids:

    | the ids are | what is written |
    | --- | --- |
    | `tl.program_id(0)` and `tl.program_id(1)` | `pid_n, pid_m = tl.swizzle2d(pid_n, pid_m, ...)` |
    | `pid // columns` and `pid % columns` | `pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, ...)` |

    `rows=4`, `8` (default) or `16` is how many rows are in a group. It is a knob: `tritonopt tune`
    tries all three, and it acts where it is named, never under `all`.

    ## Why

    Programs start in the order of their numbers. Those of one row of tiles load the same
    rows of one matrix, and all columns of the other one, which do not stay in the L2 cache till the
    next row. In a group a program shares with some both its rows and its columns.

    ## Conditions

    - A loop of the kernel multiplies matrices, and the kernel does not ask for the number of
      programs: that has an order of its own.
    - The ids have names, bound once in the kernel's own block, and are not asked for otherwise. Of
      one axis the id is used for the row and the column of a tile alone, and every launch
      starts whole rows (`programs-are-numbered-in-rows`).
    - No program may notice when another one runs: the kernel reads nothing that it writes,
      and has no atomics, barriers, volatile loads or unknown calls.

    Each program then does what one of the others did, once. Two pointers are taken to be one buffer
    or not to overlap.

    ## Numerics

    `exact`, bits `same`: each tile is computed as it was.

    ## Example

    ```python
    @triton.jit
    def product(A, B, C, M, N, K, BLOCK: tl.constexpr):
        pid_m = tl.program_id(0)
        pid_n = tl.program_id(1)
        rows = pid_m * BLOCK + tl.arange(0, BLOCK)
        cols = pid_n * BLOCK + tl.arange(0, BLOCK)
        acc = tl.zeros([BLOCK, BLOCK], dtype=tl.float32)
        for start in range(0, K, BLOCK):
            inner = start + tl.arange(0, BLOCK)
            a = tl.load(A + rows[:, None] * K + inner[None, :])
            b = tl.load(B + inner[:, None] * N + cols[None, :])
            acc = tl.dot(a, b, acc)
        tl.store(C + rows[:, None] * N + cols[None, :], acc)


    def multiply(a, b):
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty(m, n, device=a.device, dtype=torch.float32)
        product[(m // 64, n // 64)](a, b, c, m, n, k, BLOCK=64)
        return c
    ```

    becomes

    ```python
    @triton.jit
    def product(A, B, C, M, N, K, BLOCK: tl.constexpr):
        pid_m = tl.program_id(0)
        pid_n = tl.program_id(1)
        pid_n, pid_m = tl.swizzle2d(pid_n, pid_m, tl.num_programs(1), tl.num_programs(0), 8)
        rows = pid_m * BLOCK + tl.arange(0, BLOCK)
        cols = pid_n * BLOCK + tl.arange(0, BLOCK)
        acc = tl.zeros([BLOCK, BLOCK], dtype=tl.float32)
        for start in range(0, K, BLOCK):
            inner = start + tl.arange(0, BLOCK)
            a = tl.load(A + rows[:, None] * K + inner[None, :])
            b = tl.load(B + inner[:, None] * N + cols[None, :])
            acc = tl.dot(a, b, acc)
        tl.store(C + rows[:, None] * N + cols[None, :], acc)


    def multiply(a, b):
        (m, k), n = a.shape, b.shape[1]
        c = torch.empty(m, n, device=a.device, dtype=torch.float32)
        product[(m // 64, n // 64)](a, b, c, m, n, k, BLOCK=64)
        return c
    ```

    ## Measured

    0.99x to 1.01x for matrices of 2048 and more: noise; 0.98x to 1.04x for 1024.

    Square products in fp16, up to 8192, tiles of 128 by 128, ids of one axis and of two, groups of
    4, 8 and 16 rows; one H200, Triton 3.6, cold L2, medians of 15 runs, original / rewritten
    (`benchmarks/matrix_products_speed.py`). All results had the same bits. The order makes no
    difference to these; other GPUs, whose L2 cache is smaller than its 60 MB, were not measured.
    """

    rows: Literal[4, 8, 16] = 8

    name: ClassVar[str] = "group-programs"
    summary: ClassVar[str] = "number the programs of a matrix product in groups of rows"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    @classmethod
    def variants(cls) -> Iterator[Self]:
        yield from (cls(rows=rows) for rows in (8, 4, 16))

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.program_order.grouping import (
            Grouping,
            is_grouped,
            multiplies_tiles,
        )
        from tritonopt.transforms.writing import Writer

        if not multiplies_tiles(facts) or is_grouped(facts):
            return
        grouping = Grouping(facts, Writer(facts))
        changes: tuple[Change, ...] = ()
        with Attempt() as attempt:
            changes = (grouping.change(grouping.prove(attempt), self.rows),)
        how = f"the programs in groups of {self.rows} rows of tiles"
        yield Site.of(
            attempt,
            facts.kernel.node,
            f"numbered {how}",
            "left the order of the programs",
            changes=changes,
            pays=False,
            advice=f"number {how}",
        )
