"""Calls of launchers that were seen, as arguments that can be read and drawn from."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest

from tritonopt.verification.capture.generalize import NotGeneral
from tritonopt.verification.capture.seen_calls import SeenForm, drawn_forms


def tensor(dtype: str, *shape: int, memory: int = 0) -> dict[str, Any]:
    strides = [prod(shape[at + 1 :]) for at in range(len(shape))]
    return {"dtype": dtype, "shape": list(shape), "strides": strides, "memory": memory}


def call(m: int, n: int, dtype: str = "float16", **rest: object) -> dict[str, Any]:
    return {"x": tensor(dtype, m, n), "w": tensor("float32", n, memory=1), **rest}


def test_what_changes_along_with_a_size_is_that_size() -> None:
    calls = [
        call(m, n, shape={"numbers": [n]}, rows={"value": m}, dim={"numbers": [-1]})
        for m, n in ((8, 16), (8, 32), (4, 64))
    ]
    form = SeenForm.of(calls)
    assert list(form.each())[1] == "x: f16[rows, n], w: f32[n], shape: (32,), rows: 8, dim: (-1,)"
    assert form.all_together() == "x: f16[rows, n], w: f32[n], shape: (n,), rows: rows, dim: (-1,)"


def test_a_number_that_is_a_stride_by_chance_stays_that_number() -> None:
    calls = [call(m, n, dim={"value": 1}, count={"value": m * n}) for m, n in ((8, 16), (4, 64))]
    form = SeenForm.of(calls)
    assert form.all_together() == "x: f16[n, m], w: f32[m], dim: 1, count: 128|256"
    assert list(form.each())[1] == "x: f16[n, m], w: f32[m], dim: 1, count: 256"


def test_complex_numbers_are_spelled_as_they_are_read() -> None:
    form = SeenForm.of([call(m, 16, "complex64") for m in (8, 4)])
    assert form.all_together() == "x: c64[n, 16], w: f32[16]"
    assert list(form.each()) == [form.all_together()] * 2


def test_every_type_and_value_that_was_seen_is_drawn() -> None:
    types = ({"type": "torch.float32"}, {"value": None})
    calls = [
        call(8, 16 << at, dtype, flag={"value": bool(at)}, out=types[at])
        for at, dtype in enumerate(("float16", "float32"))
    ]
    form = SeenForm.of(calls)
    assert list(form.each())[0] == "x: f16[8, n], w: f32[n], flag: False, out: torch.float32"
    assert form.all_together() == (
        "x: f16|f32[8, n], w: f32[n], flag: False|True, out: torch.float32|None"
    )


def test_what_cannot_be_written_is_named() -> None:
    with pytest.raises(NotGeneral, match="`hook` is a function"):
        SeenForm.of([call(8, 16, hook={"other": "function"})])


def test_what_others_are_drawn_from_is_as_wide_as_it_may_be() -> None:
    """A benchmark with one hidden size: with that alone no row had a tail."""
    calls = [call(m, 4096, rows={"value": m}, eps={"value": 1e-6}) for m in (8, 4)]
    assert drawn_forms(calls) == (
        "x: f16[rows, n], w: f32[n], rows: rows, eps: 1e-06",
        "x: f16[rows, 4096], w: f32[4096], rows: rows, eps: 1e-06",
    )
    assert drawn_forms([call(8, 1)]) == ("x: f16[n, 1], w: f32[1]",)


def test_the_sides_of_squares_are_told_apart() -> None:
    def square(n: int, **rest: object) -> dict[str, Any]:
        g = tensor("float16", n, 1, memory=2)
        return {**call(n, n), "g": g, "dim": {"value": 1}, **rest}

    assert drawn_forms([square(64), square(4096)]) == (
        "x: f16[a, n], w: f32[n], g: f16[a, 1], dim: 1",
        "x: f16[n, n], w: f32[n], g: f16[n, 1], dim: 1",
    )
    # Which of the sides a number is told by is not known.
    (only,) = drawn_forms([square(n, count={"value": n}) for n in (64, 4096)])
    assert only == "x: f16[count, count], w: f32[count], g: f16[count, 1], dim: 1, count: count"


def test_a_number_that_is_computed_of_sizes_cannot_be_drawn() -> None:
    def image(n: int, h: int) -> dict[str, Any]:
        return {"x": tensor("float16", 4, n, h), "HxW": {"value": n * h}, "dim": {"value": n // 8}}

    assert drawn_forms([image(8, 16), image(16, 16)]) == ()
    assert drawn_forms([image(8, 16)])
