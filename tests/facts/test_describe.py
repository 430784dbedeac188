"""The listing that whoever writes the next pass reads."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings

from tests.facts.programs import kernels
from tests.facts.support import body, facts_of
from tritonopt.facts.describe import render


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
    assert any("loop iteration0" in line and "cdiv(N, B) times" in line for line in lines)
    assert any("carries acc [B]: starts as 0, adds X[" in line for line in lines)
    assert any("carries best [B]: starts as 0, maximum" in line for line in lines)
    assert any(line.lstrip().startswith("load (line ") and " where (" in line for line in lines)
    assert any("while): an unknown number of times" in line for line in lines)
    assert any("store (line " in line and "Y[program_id(0)]" in line for line in lines)
    assert any("unknown memory" in line for line in lines)
    assert any("pinned: div_rn()" in line for line in lines)


LISTED = """
    @triton.jit
    def kernel(X, Y, S, N, stride, B: tl.constexpr):
        row = tl.program_id(0)
        X += row * stride
        cols = tl.arange(0, B)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        bare = tl.load(S)
        tile = tl.load(S + cols, mask=mask)
        total = tl.sum(x, axis=0)
        strange = foo(x)
        wide = x[:, None] + x[None, :]
        tl.store(Y + row, total + bare + tl.sum(tile, axis=0))


    def run(x, s):
        y = torch.empty(x.shape[0], dtype=torch.float32)
        kernel[(x.shape[0],)](x, y, s, x.shape[1], x.stride(0), B=16)
"""


def columns(text: str) -> list[str]:
    """The lines of the table of values, with one blank between words."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [re.sub(r"^\d+ ", "", line) for line in lines[lines.index("values:") + 1 :]]


def test_named_values_with_shape_type_and_value() -> None:
    text = render(facts_of(LISTED, "kernel"))
    assert columns(text) == [
        "line name shape type value",
        "row scalar int32 program_id(0)",
        "X scalar *? X + program_id(0)*stride",
        "cols [B] int32 arange(0, B)",
        "mask [B] bool (arange(0, B) < N)",
        "x [B] fp32 X[program_id(0)*stride + arange(0, B)] where (arange(0, B) < N), else 0",
        "bare scalar ? S[0]",
        "tile [B] ? S[arange(0, B)] where (arange(0, B) < N), else undefined",
        "total scalar fp32 sum(X[program_id(0)*stride + lane]*(lane < N))",
        "strange ? ? not understood: result of a call not understood",
        "wide [B, B] fp32 X[program_id(0)*stride + arange(0, B)]*(arange(0, B) < N) + "
        "X[program_id(0)*stride + arange(0, B)[:, None]]*(arange(0, B)[:, None] < N)",
    ]
    assert "  Y: pointer to fp32 by the launch in line " in text


def test_values_stand_in_columns() -> None:
    text = render(facts_of(LISTED, "kernel"))
    header, *rows = text[text.index("    line  ") :].splitlines()
    for name in ("name", "shape", "type", "value"):
        place = header.index(name)
        assert all(row[place - 1] == " " and row[place] != " " for row in rows)


def test_a_long_value_is_cut_unless_all_is_asked_for() -> None:
    facts = facts_of(LISTED, "kernel")
    short, full = render(facts, 40), render(facts, 0)
    assert "value (its first 40 characters; --full for all)" in short
    assert "X[program_id(0)*stride + arange(0, B)] w ...\n" in short
    assert "..." not in full and "--full" not in full
    assert "where (arange(0, B) < N), else 0\n" in full


def test_a_kernel_without_names_has_no_table() -> None:
    assert "values:" not in render(body("tl.store(X, 1)", "X"))


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
