"""Runs of Triton's interpreter in which what is rounded is rounded otherwise, and nothing else.

What an operation computes inexactly is moved by some units in its last place, at random. What was
loaded, constants, and results that needed no rounding stay as they are. So an output that stays as
it is was decided by numbers that are exact: another one is another function of the inputs.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch

from tritonopt.verification.algebra.field import is_float, reals_of, width_of
from tritonopt.verification.replacing import replaced
from tritonopt.verification.worker.triton_interpreter import bfloat16, libdevice

_DIGITS = {"fp64": 53, "fp32": 24, "fp16": 11, "bf16": 8}
_UNITS = 4
"""By so many units in the last place a result is moved at most."""
_TORCH_UNITS = {
    torch.float64: 2.0**-52,
    torch.float32: 2.0**-23,
    torch.float16: 2.0**-10,
    torch.bfloat16: 2.0**-7,
}

Operation = Callable[..., Any]


@contextlib.contextmanager
def moving(roundings: Roundings) -> Iterator[None]:
    """Until this ends, whatever the interpreter rounds comes out otherwise."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    language: Any = importlib.import_module("triton.language")
    builder = interpreter.interpreter_builder
    with contextlib.ExitStack() as stack:
        for name, law in roundings.laws.items():
            if hasattr(builder, name):
                stack.enter_context(replaced(builder, name, law(getattr(builder, name))))
        sums = language.standard._sum_combine
        for kind, scans in ((interpreter.ReduceOps, False), (interpreter.ScanOps, True)):
            fold = roundings.folded(kind.apply_impl, sums, scans=scans)
            stack.enter_context(replaced(kind, "apply_impl", fold))
        stack.enter_context(libdevice.followed(roundings.function))
        yield


def _wide(handle: Any) -> Any:
    """The numbers, with more digits than any type of the language has; also of whole ones."""
    return (reals_of(handle) if is_float(handle) else handle.data).astype(np.longdouble)


def _is_sum(result: Any, left: Any, right: Any) -> Any:
    """Where a rounded sum is the exact one: either term is what is left of it without the other."""
    return (result - left == right) & (result - right == left)


def _grain(values: Any) -> Any:
    """The power of two that each number is an odd multiple of; inf for 0, which is any."""
    digits, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(np.ldexp(digits, 53)).astype(np.int64)
    return np.where(whole == 0, np.inf, np.ldexp((whole & -whole).astype(float), exponent - 53))


def _is_whole(values: Any) -> Any:
    return values == np.rint(values)


def _binary(result: Any, left: Any, right: Any, operation: Operation) -> Any:
    one, other, found = _wide(left), _wide(right), _wide(result)
    if operation in (np.add, np.subtract):
        return _is_sum(found, one, other if operation is np.add else -other)
    return operation(one, other) == found


_EXACT: Mapping[str, Callable[..., Any]] = {
    "binary_op": _binary,
    "unary_op": lambda found, given, operation: operation(_wide(given)) == _wide(found),
    "create_fma": lambda found, left, right, added: _is_sum(
        _wide(found), _wide(left) * _wide(right), _wide(added)
    ),
    "create_rsqrt": lambda found, given: _wide(found) * _wide(found) * _wide(given) == 1,
    "create_erf": lambda found, _: _is_whole(reals_of(found)),
}
"""Where the result of an operation of the interpreter is exact, by its operands."""


class Roundings:
    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.laws: dict[str, Callable[[Operation], Operation]] = {
            **{name: partial(self._ruled, exact) for name, exact in _EXACT.items()},
            "cast_impl": self._cast,
            "create_fp_to_fp": self._cast,
            "create_dot": self._dot,
            "create_atomic_rmw": self._atomic,
        }

    def move(self, handle: Any, exact: Any, size: Any = None) -> None:
        """Move the numbers that are not exact, by units of a number of that size, or of theirs."""
        name = handle.dtype.scalar.name
        values = reals_of(handle)
        by = np.where(exact, 0.0, np.abs(values) if size is None else size)
        by = by * self.random.uniform(-1, 1, values.shape) * _UNITS * 2.0 ** (1 - _DIGITS[name])
        found = values + np.where(np.isfinite(by), by, 0.0)
        if name == "bf16":
            handle.data = bfloat16.to_bits(found)
        else:
            handle.data = found.astype(handle.data.dtype)

    def _if_rounded(self, result: Any, exact: Callable[[], Any]) -> Any:
        if is_float(result) and width_of(result):
            with np.errstate(all="ignore"):
                self.move(result, exact())
        return result

    def _ruled(self, exact: Callable[..., Any], original: Operation) -> Operation:
        """An operation of which it is known of a result, by the operands, where it is exact."""

        def computed(*operands: Any) -> Any:
            result = original(*operands)
            return self._if_rounded(result, lambda: exact(result, *operands))

        return computed

    def function(self, name: str, operands: tuple[Any, ...], result: Any) -> None:
        """A function of libdevice; where it gives a whole number, this is taken to be exact."""
        self._if_rounded(result.handle, lambda: _is_whole(reals_of(result.handle)))

    def _cast(self, original: Operation) -> Operation:
        def computed(source: Any, *rest: Any) -> Any:
            result = original(source, *rest)
            if result is source or (source.dtype.is_floating() and not width_of(source)):
                return result  # every float of 8 bits is one of any other type
            return self._if_rounded(result, lambda: _wide(source) == _wide(result))

        return computed

    def host(self, called: Any, args: Any, named: Any, result: Any) -> None:
        """What torch computed between launches; numbers that it only moved are known again."""
        if not isinstance(result, torch.Tensor) or result.dtype not in _TORCH_UNITS:
            return
        given = [a for a in (*args, *named.values()) if isinstance(a, torch.Tensor)]
        has_values = "empty" not in getattr(called, "__name__", "")
        if not (given and has_values and result.numel()) or any(a is result for a in given):
            return
        data = result.detach()
        exact = data == data.round()
        others = [tensor.detach().to(data.dtype) for tensor in given]
        if torch.stack([exact, *(torch.isin(data, other) for other in others)]).any(0).all():
            return
        # Of some thousand numbers of 16 bits, one that is computed is some other one by chance.
        for other in others:
            with contextlib.suppress(RuntimeError):
                exact |= data == other.expand(data.shape)
        by = torch.from_numpy(self.random.uniform(-1, 1, tuple(data.shape)))
        by = torch.where(exact, 0.0, by * _UNITS * _TORCH_UNITS[result.dtype])
        data.copy_(torch.where(torch.isfinite(data), data * (1 + by), data))

    # Sums

    def _dot(self, original: Operation) -> Operation:
        def computed(left: Any, right: Any, added: Any, *rest: Any) -> Any:
            result = original(left, right, added, *rest)
            if not is_float(result) or not (width_of(left) and width_of(right)):
                return self._if_rounded(result, lambda: False)
            one, other, third = (np.abs(reals_of(h)) for h in (left, right, added))
            with np.errstate(all="ignore"):
                size = one @ other + third
                grains = _grain(one).min(axis=-1, keepdims=True) * _grain(other).min(
                    axis=-2, keepdims=True
                )
                grain = np.minimum(grains, _grain(third))
                self.move(result, size <= grain * 2.0 ** _DIGITS[result.dtype.scalar.name], size)
            return result

        return computed

    def folded(self, original: Operation, sums: Any, *, scans: bool) -> Operation:
        """A reduction or a scan, where it is a sum."""

        def apply(operation: Any, given: tuple[Any, ...]) -> Any:
            found = original(operation, given)
            if operation.combine_fn is sums and is_float(given[0].handle):
                result = (found[0] if isinstance(found, (list, tuple)) else found).handle
                values, along = np.abs(reals_of(given[0].handle)), {"axis": operation.axis}
                size, grain = values.sum(**along, keepdims=scans), _grain(values)
                grain = grain.min(**along, keepdims=scans)
                if not scans:
                    size, grain = (x.reshape(result.data.shape) for x in (size, grain))
                self._move_sum(result, size, grain)
            return found

        return apply

    def _move_sum(self, result: Any, size: Any, grain: Any) -> None:
        """Where all that is added, in whatever order, has the digits of its type, it is exact."""
        if width_of(result):
            with np.errstate(all="ignore"):
                exact = size <= grain * 2.0 ** _DIGITS[result.dtype.scalar.name]
                self.move(result, exact, size)

    def _atomic(self, original: Operation) -> Operation:
        def computed(operation: Any, pointers: Any, value: Any, mask: Any, *rest: Any) -> Any:
            before = original(operation, pointers, value, mask, *rest)
            if is_float(before) and width_of(before) and "ADD" in str(operation):
                with np.errstate(all="ignore"):
                    one, other = _wide(before), _wide(value)
                    total = (one + other).astype(before.data.dtype)
                    by = type(before)(np.zeros_like(total), before.dtype)
                    self.move(by, _is_sum(total.astype(np.longdouble), one, other), np.abs(total))
                original(operation, pointers, by, mask, *rest)
            return before

        return computed
