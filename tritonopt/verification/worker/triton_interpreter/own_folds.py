"""Reductions and scans by a function of the kernel's own, many elements at a time.

Triton's interpreter calls such a function for one pair of single elements after the other, which
takes seconds for a tile. Here it is called for whole blocks of pairs, neighbors first, so that what
is on the left stays there: an associative function gives the same, and no other one is allowed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = list[Any]


class OwnFolds:
    """What replaces the interpreter's slow way; that is taken where a function needs scalars."""

    def __init__(self) -> None:
        module: Any = importlib.import_module("triton.runtime.interpreter")
        self.language: Any = importlib.import_module("triton.language")
        self.handle = module.TensorHandle
        self.reductions, self.scans = module.ReduceOps, module.ScanOps

    def install(self) -> None:
        """Replace it, once per process."""
        for kind, name, fold in (
            (self.reductions, "generic_reduce", self._reduced),
            (self.scans, "generic_scan", self._scanned),
        ):
            if hasattr(kind, name):
                setattr(kind, name, _or_else(fold, getattr(kind, name)))

    def _reduced(self, operation: Any, given: tuple[Any, ...]) -> list[Any]:
        arrays, axis = [tensor.handle.data for tensor in given], operation.axis
        rank = arrays[0].ndim
        if axis is None:
            arrays, axis = [array.reshape(-1) for array in arrays], 0
        arrays = [np.moveaxis(array, axis, 0) for array in arrays]
        while len(arrays[0]) > 1:
            whole = len(arrays[0]) // 2 * 2
            left, right = ([a[at:whole:2] for a in arrays] for at in (0, 1))
            rest = [array[whole:] for array in arrays]
            found = self._combined(operation, given, left, right)
            arrays = [np.concatenate(parts) for parts in zip(found, rest, strict=True)]
        results = [array[0] for array in arrays]
        if operation.keep_dims:
            axes = tuple(range(rank)) if operation.axis is None else operation.axis
            results = [np.expand_dims(result, axes) for result in results]
        return [
            operation.to_tensor(result if np.ndim(result) else result.item(), tensor.dtype)
            for result, tensor in zip(results, given, strict=True)
        ]

    def _scanned(self, operation: Any, given: tuple[Any, ...]) -> list[Any]:
        arrays = [np.moveaxis(tensor.handle.data, operation.axis, 0) for tensor in given]
        step = 1
        while step < len(arrays[0]):
            # A block has a power of two of elements: the first ones are combined in vain.
            left = [np.concatenate([array[:step], array[:-step]]) for array in arrays]
            found = self._combined(operation, given, left, arrays)
            pairs = zip(arrays, found, strict=True)
            arrays = [np.concatenate([array[:step], part[step:]]) for array, part in pairs]
            step *= 2
        arrays = [np.moveaxis(array, 0, operation.axis) for array in arrays]
        return [
            operation.to_tensor(array, tensor.dtype)
            for array, tensor in zip(arrays, given, strict=True)
        ]

    def _combined(
        self, operation: Any, given: tuple[Any, ...], left: Arrays, right: Arrays
    ) -> Arrays:
        """What the function makes of blocks of left and right neighbors, each of its type."""
        both = [
            self._block(np.ascontiguousarray(array), tensor.dtype.scalar)
            for arrays in (left, right)
            for array, tensor in zip(arrays, given, strict=True)
        ]
        found = _as_compiled(operation.combine_fn)(*both)
        results = found if isinstance(found, tuple) else (found,)
        if len(results) != len(left):
            raise ValueError("a function that combines gives back as much as each side has")
        return [
            np.broadcast_to(
                result.handle.data if _is_tensor(result) else result, array.shape
            ).astype(array.dtype)
            for result, array in zip(results, left, strict=True)
        ]

    def _block(self, data: Any, scalar: Any) -> Any:
        kind = self.language.block_type(scalar, list(data.shape))
        return self.language.tensor(self.handle(data, scalar), kind)


def _as_compiled(function: Any) -> Callable[..., Any]:
    """As it is interpreted where a kernel calls it: `and` and `not` are those of blocks there."""
    rewritten: Callable[..., Any] = (
        function.rewrite() if hasattr(function, "rewrite") else function.fn
    )
    return rewritten


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "handle")


def _or_else(fold: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    def combined(operation: Any, given: tuple[Any, ...]) -> Any:
        try:
            return fold(operation, given)
        except Exception:
            # An `if` on what it combines, for example: single elements may answer that.
            return slow(operation, given)

    return combined
