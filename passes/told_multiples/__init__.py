"""told-multiples: sizes that are multiples of 8 are written so that the compiler knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source.kernels import Parameter


@dataclass(frozen=True)
class ToldMultiples(Pass):
    """Let the compiler know that sizes and strides are multiples of 8.

    ## What it does

    At each launch, a heuristic tests whether the sizes and strides that determine where rows begin
    and end are multiples of 8. If they are, the kernel first executes `N = N // 8 * 8`, which does
    not change N, but proves to the compiler that N is a multiple of 8.

    - `of=8` (the default) is for types of 16 bits, of which 8 elements are 16 bytes; `of=4` is for
      types of 32 bits.

    ## Why

    Triton's compiler knows of an integer argument only whether it is a multiple of 16, or 1. So
    rows of 5000 or 50264 elements are loaded and stored one element at a time.

    ## Conditions

    - The width of an access depends on the parameter (`tritonopt explain specialization`), and on
      nothing else that is unknown.
    - Launches pass sizes and strides of tensors, which the heuristic can divide
      (`type-is-unknown`). The kernel does not rebind the parameter (`name-is-bound-elsewhere`).
    - A heuristic can be added: no kernel calls this one, and no decorator may skip heuristics. We
      assume that launches in other files pass integers too.
    - The pass is the last one in `--passes`, because other passes cannot analyze the new branch.

    ## Numerics

    `rounding` if the kernel has a reduction, because threads hold other elements; else `exact`.

    ## Example

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.heuristics(
        {
            "BY_8": lambda args: all(
                size % 8 == 0 for size in (args["stride"], args["N"])
            )
        }
    )
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr, BY_8: tl.constexpr):
        if BY_8:
            # Rows begin and end at multiples of 8: elements are moved several at a time.
            stride = stride // 8 * 8
            N = N // 8 * 8
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    1.04x to 4.25x for rows whose length is a multiple of 8 (of 4 in fp32), not of 16; 1.00x for
    others.

    Row kernels of `examples/`, 4096 rows of 1000 to 50264 elements, bf16 and fp32, one H200, Triton
    3.6, cold L2 (`benchmarks/rewrites_speed.py`). Layer norm and its backward pass gain most,
    because atomics and accesses to several arrays become wide too.
    """

    of: Literal["8", "4"] = "8"

    name: ClassVar[str] = "told-multiples"
    summary: ClassVar[str] = "tell the compiler which sizes and strides are multiples of 8"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        asked = _asked(facts)
        if not asked:
            return
        from tritonopt.passes.told_multiples import telling

        names = ", ".join(p.name for p in asked)
        with Attempt() as attempt:
            telling.check(facts, asked, attempt)
            changes = telling.changes(facts, asked, int(self.of))
            attempt.write(changes, "the heuristic can be written")
        rounds = any(map(telling.is_reduced, facts.interpretation.computed))
        yield Site.of(
            attempt,
            facts.kernel.node,
            f"let the compiler know if {names} are multiples of {self.of}",
            "did not add a heuristic",
            needs={Safety.ROUNDING} if rounds else (),
            bits=Bits.REDUCTION_ORDER if rounds else Bits.SAME,
        )


def _asked(facts: KernelFacts) -> list[Parameter]:
    """The parameters that stand in the way of wide accesses, in their order."""
    integers = [
        p for p in facts.kernel.parameters if not p.constexpr and p.name not in facts.pointers
    ]
    if not integers:
        return []
    from tritonopt.facts.memory.widths import Told, lost_widths, most_lanes, widest_accesses

    names: set[str] = set()
    for effect in widest_accesses(facts):
        if most_lanes(facts, effect) == 1:
            continue
        with suppress(TooLarge):
            names |= {loss.name for loss in lost_widths(facts, effect) if loss.told is Told.ALIGNED}
    return [p for p in integers if p.name in names]
