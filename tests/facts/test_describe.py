"""The listing that whoever writes the next pass reads."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tests.facts.programs import kernels
from tests.facts.support import body, facts_of
from tritonopt.facts import render


def test_a_listing() -> None:
    facts = body(
        """
        row = tl.program_id(0)
        acc = tl.zeros([B], tl.float32)
        best = tl.zeros([B], tl.float32)
        for start in range(0, N, B):
            cols = start + tl.arange(0, B)
            x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
            acc += x
            best = tl.maximum(best, x)
        while N > 3:
            tl.debug_barrier()
        tl.store(Y + row, tl.sum(acc, axis=0))
        tl.atomic_add(foo(Y), 1, sem='relaxed')
        a = tl.div_rn(N, 3)
        """,
        "X, Y, N, stride, eps, B: tl.constexpr",
    )
    text = render(facts)
    assert text.endswith("\n")
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0].startswith("kernel kernel (line ")
    for expected in (
        "  X: pointer",
        "  N: integer",
        "  eps: scalar",
        "  B: constexpr integer",
        "  launches: 0; no evidence: no launch of the kernel is in this file",
    ):
        assert expected in lines
    assert any("loop trip0" in line and "cdiv(N, B) times" in line for line in lines)
    assert any("carries acc [B]: starts as 0, adds X[" in line for line in lines)
    assert any("carries best [B]: starts as 0, not a sum" in line for line in lines)
    assert any(line.lstrip().startswith("load (line ") and " where (" in line for line in lines)
    assert any("while): an unknown number of times" in line for line in lines)
    assert any("store (line " in line and "Y[program_id(0)]" in line for line in lines)
    assert any("unknown memory" in line for line in lines)
    assert any("pinned: div_rn()" in line for line in lines)


def test_loops_and_loads_of_helpers_say_so() -> None:
    text = render(
        facts_of(
            """
            @triton.jit
            def total(X, n):
                acc = 0.0
                for i in range(n):
                    acc += tl.load(X + i, volatile=True)
                return acc

            @triton.jit
            def kernel(X, N):
                tl.store(X, total(X, N))
            """
        )
    )
    assert "(in a helper): N times" in text
    assert "volatile" in text


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels())
def test_any_kernel_can_be_listed_and_always_alike(text: str) -> None:
    assert render(facts_of(text, "kernel")) == render(facts_of(text, "kernel"))
