"""Calls of launchers that were seen, as arguments that can be read and drawn from."""

from __future__ import annotations

from typing import Any

import pytest

from tritonopt.verification.capture.generalize import NotGeneral
from tritonopt.verification.capture.seen_forms import SeenForm


def tensor(dtype: str, *shape: int, memory: int = 0) -> dict[str, Any]:
    strides = [shape[-1], 1][-len(shape) :]
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
