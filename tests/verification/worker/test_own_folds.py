"""What a kernel combines by a function of its own, in blocks: as one element after the other."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from triton.runtime import interpreter

from tritonopt.verification.worker.triton_interpreter.ordering import OwnFolds

FOLDS = OwnFolds()


def _tensor(data: Any) -> Any:
    return FOLDS._block(data, FOLDS.language.float32)


def _affine(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
    """`x -> a * x + b`, then `x -> c * x + d`: associative, and not commutative."""
    a, b, c, d = (part.handle.data for part in (a, b, c, d))
    return a * c, b * c + d


def _counted(function: Callable[..., Any]) -> tuple[Any, list[int]]:
    calls: list[int] = []

    def called(*parts: Any) -> Any:
        calls.append(parts[0].handle.data.size)
        return function(*parts)

    return SimpleNamespace(fn=called), calls


def _inputs() -> list[Any]:
    random = np.random.default_rng(0)
    shape = (4, 16)
    return [(1 + random.random(shape) / 8).astype(np.float32) for _ in range(2)]


def _one_after_the_other(data: list[Any], axis: int) -> list[tuple[Any, Any]]:
    slices = [tuple(np.take(d, at, axis) for d in data) for at in range(data[0].shape[axis])]
    found = [slices[0]]
    for a, b in slices[1:]:
        left, right = found[-1]
        found.append((left * a, right * a + b))
    return found


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("keep", [False, True])
def test_a_reduction_keeps_the_order(axis: int | None, keep: bool) -> None:
    combine, calls = _counted(_affine)
    data = _inputs()
    operation = interpreter.ReduceOps(axis, combine, keep)
    found = FOLDS._reduced(operation, tuple(map(_tensor, data)))
    flat, along = (data, axis) if axis is not None else ([d.reshape(-1) for d in data], 0)
    expected = _one_after_the_other(flat, along)[-1]
    for result, wanted in zip(found, expected, strict=True):
        if keep:
            wanted = np.expand_dims(wanted, (0, 1) if axis is None else axis)
        assert result.handle.data.shape == (np.shape(wanted) or (1,))
        np.testing.assert_allclose(result.handle.data.reshape(np.shape(wanted)), wanted, rtol=1e-5)
    length = flat[0].shape[along]
    assert len(calls) == length.bit_length() - 1


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_scan_keeps_the_order(axis: int) -> None:
    combine, calls = _counted(_affine)
    data = _inputs()
    operation = interpreter.ScanOps(axis, combine, False)
    found = FOLDS._scanned(operation, tuple(map(_tensor, data)))
    steps = _one_after_the_other(data, axis)
    for at, result in enumerate(found):
        wanted = np.stack([step[at] for step in steps], axis=axis)
        np.testing.assert_allclose(result.handle.data, wanted, rtol=1e-5)
    assert len(calls) == data[0].shape[axis].bit_length() - 1


def test_results_keep_the_type_of_what_is_combined() -> None:
    combine = SimpleNamespace(fn=lambda a, b: a.handle.data.astype(np.float64) + 1)
    operation = interpreter.ReduceOps(0, combine, False)
    (found,) = FOLDS._reduced(operation, (_tensor(np.zeros((8, 2), np.float32)),))
    assert found.handle.data.dtype == np.float32 and found.handle.data.tolist() == [3.0, 3.0]


def test_a_function_is_called_as_it_is_interpreted() -> None:
    def as_written(*parts: Any) -> Any:
        raise ValueError("`and` on a block")

    combine = SimpleNamespace(fn=as_written, rewrite=lambda: lambda a, b: a.handle.data)
    operation = interpreter.ReduceOps(0, combine, False)
    (found,) = FOLDS._reduced(operation, (_tensor(np.ones((8, 2), np.float32)),))
    assert found.handle.data.tolist() == [1.0, 1.0]
