"""Reductions and scans of the interpreter on residues.

Sums and extrema at once; what a kernel combines by a function of its own, slice by slice, in the
interpreter's order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tritonopt.verification.algebra import field
from tritonopt.verification.algebra.carried import Carried
from tritonopt.verification.algebra.field import is_float, reals_of
from tritonopt.verification.algebra.following import Run

Apply = Callable[[Any, tuple[Any, ...]], Any]


class Folding:
    def __init__(self, run: Run, interpreter: Any, language: Any) -> None:
        self.run = run
        self.handle = interpreter.TensorHandle
        self.language = language
        standard = language.standard
        self.sums = standard._sum_combine
        self.extrema = {
            standard._elementwise_max: np.nanargmax,
            standard._elementwise_min: np.nanargmin,
            standard._argmax_combine_tie_break_left: np.argmax,
            standard._argmin_combine_tie_break_left: np.argmin,
        }

    def reducing(self, original: Apply) -> Apply:
        def apply(operation: Any, given: tuple[Any, ...]) -> Any:
            if not any(is_float(tensor.handle) for tensor in given):
                return original(operation, given)
            combine = operation.combine_fn
            if combine is self.sums or combine in self.extrema:
                found = original(operation, given)
                results = found if isinstance(found, (list, tuple)) else (found,)
                self._simple(operation, given[0], results[0])
                return found
            return self._reduced(operation, given)

        return apply

    def _simple(self, operation: Any, given: Any, result: Any) -> None:
        """A sum, or an extremum, which carries what the element that it is carries."""
        carried, axis, values = self.run.of(given.handle), operation.axis, reals_of(given.handle)
        if axis is None:
            carried, axis = carried.of(carried.residues.reshape(2, -1)), 0
            values = values.reshape(-1)
        axis %= values.ndim
        if operation.combine_fn is self.sums:
            found = carried.summed(axis)
        else:
            # Where all are NaN, any one will do.
            level = np.where(np.isnan(values).all(axis=axis, keepdims=True), 0.0, values)
            at = np.expand_dims(self.extrema[operation.combine_fn](level, axis=axis), axis)
            chosen = np.take_along_axis(carried.residues, np.stack([at, at]), axis=axis + 1)
            found = carried.of(chosen.squeeze(axis + 1))
        shape = np.shape(result.handle.data)
        self.run.give(result.handle, found.of(found.residues.reshape(2, *shape)))
        self.run.note("reduce", result.handle, [given.handle])

    def _reduced(self, operation: Any, given: tuple[Any, ...]) -> Any:
        axis, keep = operation.axis, operation.keep_dims
        rank = np.ndim(given[0].handle.data)
        if axis is None:
            given, axis = tuple(self._flat(tensor) for tensor in given), 0
        axis %= np.ndim(given[0].handle.data)
        found = None
        for slices in self._slices(given, axis):
            found = slices if found is None else self._combined(operation, found, slices)
        assert found is not None
        if not keep:
            return found
        axes = [axis] if operation.axis is not None else list(range(rank))
        return tuple(self._with_axes(tensor, axes) for tensor in found)

    def scanning(self, original: Apply) -> Apply:
        def apply(operation: Any, given: tuple[Any, ...]) -> Any:
            if not any(is_float(tensor.handle) for tensor in given):
                return original(operation, given)
            if operation.combine_fn is not self.sums:
                return self._scanned(operation, given)
            found = original(operation, given)
            carried, axis = self.run.of(given[0].handle), operation.axis % len(given[0].shape)
            residues = carried.residues
            if operation.reverse:
                residues = np.flip(residues, axis + 1)
            residues = field.running_total(residues, axis)
            if operation.reverse:
                residues = np.flip(residues, axis + 1)
            degree = carried.degree.summed(carried.shape[axis])
            self.run.give(found[0].handle, Carried(residues, degree))
            self.run.note("scan", found[0].handle, [given[0].handle])
            return found

        return apply

    def _scanned(self, operation: Any, given: tuple[Any, ...]) -> Any:
        axis = operation.axis % len(given[0].shape)
        slices = list(self._slices(given, axis))
        if operation.reverse:
            slices.reverse()
        found = [slices[0]]
        for each in slices[1:]:
            found.append(self._combined(operation, found[-1], each))
        if operation.reverse:
            found.reverse()
        return tuple(self._stacked(parts, axis) for parts in zip(*found, strict=True))

    # Tiles, slice by slice

    def _combined(self, operation: Any, left: Any, right: Any) -> tuple[Any, ...]:
        found = operation.combine_fn.fn(*left, *right)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    def _slices(self, given: tuple[Any, ...], axis: int) -> Any:
        for at in range(np.shape(given[0].handle.data)[axis]):
            yield tuple(self._slice(tensor, axis, at) for tensor in given)

    def _slice(self, tensor: Any, axis: int, at: int) -> Any:
        data = np.take(tensor.handle.data, at, axis=axis)
        carried = self.run.of(tensor.handle) if is_float(tensor.handle) else None
        if carried is not None:
            carried = carried.of(np.take(carried.residues, at, axis=axis + 1))
        found = self._tensor(data, tensor, carried)
        if carried is not None:
            self.run.note("slice", found.handle, [tensor.handle])
        return found

    def _stacked(self, parts: tuple[Any, ...], axis: int) -> Any:
        shape = list(np.shape(parts[0].handle.data)) if parts[0].type.is_block() else []
        arrays = [part.handle.data.reshape(shape) for part in parts]
        carried = None
        if is_float(parts[0].handle):
            each = [self.run.of(part.handle) for part in parts]
            residues = [c.residues.reshape(2, *shape) for c in each]
            carried = Carried(np.stack(residues, axis=axis + 1), each[-1].degree)
        return self._tensor(np.stack(arrays, axis=axis), parts[0], carried)

    def _flat(self, tensor: Any) -> Any:
        carried = self.run.of(tensor.handle) if is_float(tensor.handle) else None
        if carried is not None:
            carried = carried.of(carried.residues.reshape(2, -1))
        return self._tensor(tensor.handle.data.reshape(-1), tensor, carried)

    def _with_axes(self, tensor: Any, axes: list[int]) -> Any:
        data = tensor.handle.data
        if not tensor.type.is_block():
            data = data.reshape(())
        data = np.expand_dims(data, axes)
        carried = self.run.of(tensor.handle) if is_float(tensor.handle) else None
        if carried is not None:
            carried = carried.of(carried.residues.reshape(2, *data.shape))
        return self._tensor(data, tensor, carried)

    def _tensor(self, data: Any, like: Any, carried: Carried | None) -> Any:
        scalar = like.dtype
        kind = scalar if data.ndim == 0 else self.language.block_type(scalar, list(data.shape))
        data = np.ascontiguousarray(data) if data.ndim else np.reshape(data, 1)
        handle = self.handle(data, scalar)
        if carried is not None:
            self.run.give(handle, carried.of(carried.residues.reshape(2, *data.shape)))
        return self.language.tensor(handle, kind)
