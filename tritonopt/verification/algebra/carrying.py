"""Triton's interpreter, made to carry residues beside values for the time of one run."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tritonopt.verification.algebra.carried import VARIABLE, Carried
from tritonopt.verification.algebra.field import is_float, reals_of
from tritonopt.verification.algebra.folding import Folding
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
            run.lose(f"`{name}`, which has no law")
            run.give(result, Carried(run.ring.of_data(reals_of(result)), VARIABLE))
        return result

    return operation


def _lanes(mask: Any, shape: tuple[int, ...]) -> Any:
    data = mask.data if hasattr(mask, "get_element_ty") else mask
    return np.broadcast_to(np.asarray(data, dtype=bool), shape)


def _load(run: Run, original: Callable[..., Any]) -> Callable[..., Any]:
    def load(pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        result = original(pointers, mask, other, *rest, **named)
        if not is_float(result):
            return result
        shape = pointers.data.shape
        lanes = _lanes(mask, shape)
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
            lanes = _lanes(mask, shape)
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
        lanes = _lanes(mask, shape)
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
