"""group-programs: tiles of a matrix product in groups of rows, which share what they load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class GroupPrograms(Pass):
    """Reorder the programs of a matrix product so that concurrent programs share tiles in L2.

    ## What it does

    Programs are numbered in groups of `rows` (4, 8 or 16; default 8) tile rows, and column by
    column within a group, by `tl.swizzle2d` after the statements that read the ids:

    | the ids are | what is written |
    | --- | --- |
    | `tl.program_id(0)` and `tl.program_id(1)` | `pid_n, pid_m = tl.swizzle2d(pid_n, pid_m, ...)` |
    | `pid // columns` and `pid % columns` | `pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, ...)` |

    `tritonopt tune` tries all three values. The pass runs only if it is named.

    ## Why

    Programs start in order of their ids. One row of tiles reads all columns of the second matrix,
    and L2 evicts them before the next row starts. Programs of a group share rows and columns.

    ## Conditions

    - A loop multiplies matrices; the address of one load depends on the tile row alone, and that of
      another on the tile column alone (`tiles-are-not-shared`). The kernel does not read
      `tl.num_programs`, because it may then already reorder programs.
    - The ids are bound once, at the top level of the kernel, and read nowhere else. On a one-axis
      grid the id is only used to compute row and column, and every launch starts complete rows
      (`programs-are-numbered-in-rows`).
    - No program observes another: the kernel reads nothing that it writes (assuming that two
      pointers are the same buffer or disjoint) and has no atomics, barriers, volatile loads or
      unknown calls.

    ## Numerics

    `exact`, bits `same`: another program computes each tile, in the same way.

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

    0.99x to 1.22x for matrices larger than L2, 0.99x to 1.01x for other matrices of 2048 and more
    (noise), 0.98x to 1.04x for 1024.

    fp16 products, one and two grid axes, all values of `rows`; one H200 with 60 MB of L2, Triton
    3.6, cold L2, medians (`benchmarks/matrix_products_speed.py`). Large matrices have 8192 to 65536
    rows and columns; tiles of 128 by 256 gain more than tiles of 128 by 128. 8 and 16 rows are
    about equal.
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
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.group_programs.grouping import (
            Grouping,
            is_grouped,
            multiplies_tiles,
        )

        if not multiplies_tiles(facts) or is_grouped(facts):
            return
        grouping = Grouping(facts, Writer(facts))
        with Attempt() as attempt:
            attempt.changes = (grouping.change(grouping.prove(attempt), self.rows),)
        how = f"the programs in groups of {self.rows} rows of tiles"
        yield Site.of(
            attempt,
            facts.kernel.node,
            f"numbered {how}",
            "left the order of the programs",
            advice=f"number {how}",
        )
