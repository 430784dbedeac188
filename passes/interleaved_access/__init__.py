"""interleaved-access: loads or stores of every second element become one of all elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.profitability import profit
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.passes.interleaved_access.contiguous_tile import ContiguousTile
    from tritonopt.passes.interleaved_access.strided_groups import Group


@dataclass(frozen=True)
class InterleavedAccess(Pass):
    """Load or store the elements 2k and 2k + 1 together, as one contiguous tile.

    ## What it does

    Two loads, of even and of odd elements (complex numbers, rotary embeddings, packed pairs),
    become one load, which `tl.split` separates in registers. Two such stores become one store of
    `tl.interleave`. Four accesses, to elements 4k to 4k + 3, are merged in the same way.

    ## Why

    Two strided accesses read each memory sector twice, one element at a time, and the compiler does
    not merge them. Contiguous lanes are loaded 16 bytes at a time.

    ## Conditions

    - The accesses are statements of one block, with no branch or exit between them. The last axis
      has a constant step of 2 or 4. Pointers moved by a loop (`pointers += step`) are left alone.
    - All have the same mask, in which indices are only compared with a bound (`cols < N`), the same
      `other` and the same cache hints (`same-arguments`); none is volatile.
    - Between the loads there is no store to their elements; between the stores no access to theirs.
      There is no exit, barrier, atomic or unknown call between them.

    Stored values whose types may differ are cast to the type of the buffer, which must not be
    boolean.

    ## Numerics

    `exact`. Bits are `reduction-order` where the kernel sums floats or multiplies matrices, because
    threads hold other elements; `contraction` where it multiplies floats, because either product of
    `a * c - b * d` may be fused (seen in fp32); else `same`.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    even = tl.load(X + 2 * cols, mask=cols < N, other=0.0)
    odd = tl.load(X + 2 * cols + 1, mask=cols < N, other=0.0)
    var = even * even + odd * odd
    ```

    becomes

    ```python
    pairs = tl.arange(0, 2 * BLOCK)
    even_odd = tl.load(X + pairs, mask=pairs < 2 * N, other=0.0)
    even, odd = tl.split(tl.reshape(even_odd, (BLOCK, 2)))
    var = even * even + odd * odd
    ```

    ## Measured

    0.98x to 13.64x; 0.91x to 0.92x for tiles of 64 pairs.

    One H200, Triton 3.6, cold L2, fp32, fp16 and bf16 (`examples/complex_numbers.py` and four small
    kernels, `benchmarks/interleaved_access_speed.py`). Rotary embeddings of 32 heads gain most,
    fp32 kernels in which only loads are merged gain little, launch-bound kernels nothing. One head
    per program (64 pairs for 128 threads) is slower. From 16 million elements on, the rewritten
    kernel takes at most 1.06 of the time of a copy of the same number of bytes.
    """

    name: ClassVar[str] = "interleaved-access"
    summary: ClassVar[str] = "load and store even and odd elements together"
    safety: ClassVar[frozenset[Safety]] = frozenset()
    gain: ClassVar[Gain | None] = Gain(
        figure("interleaved-access"),
        f"{WHERE}, the larger the tile the more; a loss for tiles of 64 pairs",
        "contiguous lanes are loaded and stored 16 bytes at once",
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        from tritonopt.passes.interleaved_access.strided_groups import groups

        found = groups(facts)
        if not found:
            return
        from tritonopt.emit.writing import Writer
        from tritonopt.passes.interleaved_access.contiguous_tile import prove_one_access
        from tritonopt.passes.interleaved_access.one_access import OneAccess

        attempts = {group: Attempt() for group in found}
        tiles: list[ContiguousTile] = []
        changes: tuple[Change, ...] = ()
        for group, attempt in attempts.items():
            with attempt:
                tile = prove_one_access(facts, group, attempt)
                # Each alone first: what has no name in one of them is not said of the others.
                OneAccess(facts, Writer(facts)).changes([tile])
                tiles.append(tile)
        done = [group for group in found if attempts[group].failed is None]
        if tiles:
            changes = tuple(OneAccess(facts, Writer(facts)).changes(tiles))
            yield _passed(facts, done, [attempts[group] for group in done], changes)
        for group, attempt in attempts.items():
            if attempt.failed is not None:
                what = "loads" if group.is_load else "stores"
                yield Site.of(attempt, group.at, "", f"kept the {what} of {group.lines} apart")


def _passed(
    facts: KernelFacts, done: list[Group], attempts: list[Attempt], changes: tuple[Change, ...]
) -> Site:
    from tritonopt.rewriting.bits import bits_when_code_moves

    whole = Attempt()
    for attempt in attempts:
        whole.take_over(attempt)
    whole.prove("is-expressible", "the contiguous tiles and their masks can be written")
    parts = [
        f"{sum(g.width for g in kind)} {what}s of neighboring elements into {len(kind)}"
        for what, kind in (
            ("load", [g for g in done if g.is_load]),
            ("store", [g for g in done if not g.is_load]),
        )
        if kind
    ]
    what = " and ".join(parts)
    return Site(
        done[0].at,
        tuple(dict.fromkeys(whole.conditions)),
        f"joined {what}",
        whole.safety,
        bits_when_code_moves(facts),
        whole.facts_used,
        changes,
        profit=profit(facts, "interleaved-access", tile=_tile(facts, done)),
        advice=f"join {what}",
    )


def _tile(facts: KernelFacts, done: Sequence[Group]) -> list[Polynomial]:
    """The extents of the tile of pairs that a program loads or stores."""
    pointer = done[0].members[0].pointer
    shape = facts.values[pointer].shape if pointer is not None else ()
    return [facts.forms.of(extent) for extent in shape or ()]
