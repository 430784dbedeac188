"""Triton's interpreter, made to carry residues beside values for the time of one run."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tritonopt.verification.algebra import field
from tritonopt.verification.algebra.field import VARIABLE, Carried, is_float, lanes_of, reals_of
from tritonopt.verification.algebra.following import Run
from tritonopt.verification.algebra.laws import LAWS
from tritonopt.verification.replacing import replaced

_PREFIX = "create_"
_COMPARISON = "fcmp"
_LIMITING = ("maximumf", "maxnumf", "minimumf", "minnumf", "clampf")
_ROUNDING = ("floor", "ceil", "fp_to_si", "fp_to_ui")
_WHOLE = (
    *("add", "sub", "mul", "addptr", "and", "or", "xor", "sdiv", "udiv", "srem", "urem"),
    *("make_range", "get_program_id", "get_num_programs"),
)
"""Of whole numbers, pointers and truths alone, which carry nothing; as what begins with `icmp`."""


@contextlib.contextmanager
def carrying(run: Run) -> Iterator[None]:
    """Until this ends, every operation of the interpreter acts on residues too."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    language: Any = importlib.import_module("triton.language")
    builder = interpreter.interpreter_builder
    with contextlib.ExitStack() as stack:
        for name, law in _operations(builder, run):
            stack.enter_context(replaced(builder, name, law))
        folding = Folding(run, interpreter, language)
        for kind in (interpreter.ReduceOps, interpreter.ScanOps):
            law = folding.reducing if kind is interpreter.ReduceOps else folding.scanning
            stack.enter_context(replaced(kind, "apply_impl", law(kind.apply_impl)))
        stack.enter_context(replaced(language.tensor, "T", property(_transposed(builder))))
        yield


def _operations(builder: Any, run: Run) -> Iterator[tuple[str, Callable[..., Any]]]:
    special = {
        "create_masked_load": _load,
        "create_masked_store": _store,
        "create_atomic_rmw": _atomic,
        "create_split": _split,
    }
    for name in dir(builder):
        bare = name.removeprefix(_PREFIX)
        if not name.startswith(_PREFIX) or bare in _WHOLE or bare.startswith("icmp"):
            continue
        original = getattr(builder, name)
        if name in special:
            yield name, special[name](run, original)
        else:
            yield name, _followed(run, bare, original)


def _followed(run: Run, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    law = LAWS.get(name)

    def operation(*operands: Any, **named: Any) -> Any:
        result = original(*operands, **named)
        if name.startswith(_COMPARISON) or name in _LIMITING:
            run.limited(operands)
        if name.startswith(_COMPARISON):
            run.compared(operands)
        if name in _ROUNDING:
            wholes = reals_of(result) if is_float(result) else result.data
            run.rounded(operands[0], wholes)
        if not is_float(result):
            if name == "bitcast" and is_float(operands[0]):
                # What is done to the bits may only move them, as sorting does.
                run.memory.register(reals_of(operands[0]), run.of(operands[0]).residues)
            return result
        if law is not None:
            run.give(result, law(run, result, *operands, **named))
            run.note(name, result, operands)
        elif not run.carries(result):
            run.lose(f"`{name}`, which has no known law")
            run.give(result, Carried(run.ring.of_data(reals_of(result)), VARIABLE))
        return result

    return operation


def _load(run: Run, original: Callable[..., Any]) -> Callable[..., Any]:
    def load(pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        result = original(pointers, mask, other, *rest, **named)
        if not is_float(result):
            return result
        shape = pointers.data.shape
        lanes = lanes_of(mask, shape)
        residues = np.zeros((2, *shape), dtype=np.uint64)
        degree = VARIABLE
        if other is not None and not lanes.all():
            carried = run.of(other).spread(shape)
            residues, degree = carried.residues.copy(), degree.largest(carried.degree)
        values = np.broadcast_to(result.data, shape)[lanes]
        found = run.memory.load(pointers.data[lanes], values, result.dtype.scalar.name)
        residues[:, lanes] = found.residues
        run.give(result, Carried(residues, degree.largest(found.degree)))
        run.loaded(pointers.data[lanes], result)
        return result

    return load


def _store(run: Run, original: Callable[..., Any]) -> Callable[..., Any]:
    def store(pointers: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
        result = original(pointers, value, mask, *rest, **named)
        if is_float(value):
            shape = pointers.data.shape
            lanes = lanes_of(mask, shape)
            carried = run.of(value).spread(shape)
            kept = carried.of(carried.residues[:, lanes])
            values = np.broadcast_to(value.data, shape)[lanes]
            run.memory.store(pointers.data[lanes], values, kept, value.dtype.scalar.name)
            run.stored(pointers.data[lanes], value)
        return result

    return store


def _split(run: Run, original: Callable[..., Any]) -> Callable[..., Any]:
    def split(value: Any) -> Any:
        results = original(value)
        if is_float(value):
            carried = run.of(value)
            for at, result in enumerate(results):
                run.give(result, carried.of(carried.residues[..., at]))
        return results

    return split


def _atomic(run: Run, original: Callable[..., Any]) -> Callable[..., Any]:
    """A float that is added where it lies. Other atomic operations on floats are not followed."""

    def atomic(operation: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
        result = original(operation, pointers, value, mask, *rest)
        if not is_float(value):
            return result
        if "ADD" not in str(operation):
            run.lose("an atomic operation on floats that is no addition")
        shape, name = pointers.data.shape, value.dtype.scalar.name
        lanes = lanes_of(mask, shape)
        addresses = pointers.data[lanes]
        before = np.broadcast_to(result.data, shape)[lanes]
        added = (before + np.broadcast_to(value.data, shape)[lanes]).astype(before.dtype)
        carried = run.of(value).spread(shape)
        terms = carried.of(carried.residues[:, lanes])
        residues = np.zeros((2, *shape), dtype=np.uint64)
        found = np.zeros((2, addresses.size), dtype=np.uint64)
        degree = carried.degree
        for some in _apart(addresses):
            old = run.memory.load(addresses[some], before[some], name)
            new = old.plus(terms.of(terms.residues[:, some]))
            run.memory.store(addresses[some], added[some], new, name)
            found[:, some], degree = old.residues, degree.largest(old.degree)
        residues[:, lanes] = found
        run.give(result, Carried(residues, degree))
        run.stored(addresses, value)
        return result

    return atomic


def _apart(addresses: Any) -> Iterator[Any]:
    """Lanes in groups, in each of which no two have one address; together in their order."""
    left = np.arange(addresses.size)
    while left.size:
        _, first = np.unique(addresses[left], return_index=True)
        yield left[first]
        left = np.delete(left, first)


def _transposed(builder: Any) -> Callable[[Any], Any]:
    language: Any = importlib.import_module("triton.language")

    def transposed(tensor: Any) -> Any:
        order = list(range(len(tensor.shape)))
        order[-2:] = order[:-3:-1]
        shape = [tensor.type.shape[axis] for axis in order]
        handle = builder.create_trans(tensor.handle, order)
        return language.tensor(handle, language.block_type(tensor.dtype, shape))

    return transposed


# Reductions and scans of the interpreter on residues.
#
# Sums and extrema at once; what a kernel combines by a function of its own, slice by slice, in the
# interpreter's order.

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
