"""bfloat16 on Triton's interpreter, which holds it as whole numbers of 16 bits.

It is computed in float32 and rounded to nearest even, which is what adding, subtracting,
multiplying and dividing two such numbers exactly, and rounding once, gives as well. Left alone
the interpreter would work on the whole numbers.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

NAN = 0x7FC0
"""A NaN in these bits."""


def to_bits(values: Any) -> Any:
    """float32 to the bits of bfloat16, rounded to nearest even; a NaN stays one."""
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(single), (bits >> 16) | 0x40, rounded)
    return rounded.astype(np.uint16)


def from_bits(bits: Any) -> Any:
    """The same numbers as float32."""
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


class Arithmetic:
    """The interpreter's operations, with bfloat16 taken through float32."""

    def __init__(self) -> None:
        self.module: Any = importlib.import_module("triton.runtime.interpreter")
        self.language: Any = importlib.import_module("triton.language")

    def install(self) -> None:
        """Replace them, once per process."""
        kind = type(self.module.interpreter_builder)
        for name in ("unary_op", "create_fma", "create_clampf", "create_dot"):
            if hasattr(kind, name):
                setattr(kind, name, self._widened(getattr(kind, name)))
        kind.binary_op = self._binary(kind.binary_op)
        kind.cast_impl = self._cast(kind.cast_impl)
        kind.get_bf16 = lambda this, value: self._handle(to_bits(np.array([value], np.float32)))
        for name in ("ReduceOps", "ScanOps"):
            reduction = getattr(self.module, name)
            reduction.apply_impl = self._reduced(reduction.apply_impl)
        if hasattr(kind, "create_tensor_pointer_load"):
            kind.create_tensor_pointer_load = self._padded(kind.create_tensor_pointer_load)

    def _padded(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The load of a block pointer that pads with NaN: left alone, with that as an integer."""

        def load(this: Any, pointer: Any, checked: Any, padding: Any, *rest: Any) -> Any:
            if padding == self.module._ir.PADDING_OPTION.PAD_NAN:
                pointers, mask = pointer.materialize_pointers(checked)
                if pointers.get_element_ty() == self.language.bfloat16:
                    other = np.full(pointers.data.shape, NAN, np.uint16)
                    return this.create_masked_load(pointers, mask, self._handle(other), *rest)
            return original(this, pointer, checked, padding, *rest)

        return load

    def _handle(self, bits: Any) -> Any:
        return self.module.TensorHandle(bits, self.language.bfloat16)

    def _is_bfloat16(self, value: Any) -> bool:
        kind = getattr(value, "dtype", None)
        return bool(getattr(kind, "scalar", None) == self.language.bfloat16)

    def _widen(self, handle: Any) -> Any:
        """The handle as one of float32; what holds the outcome of a comparison stays."""
        if not self._is_bfloat16(handle) or handle.data.dtype != np.uint16:
            return handle
        return self.module.TensorHandle(from_bits(handle.data), self.language.float32)

    def _widened(self, method: Callable[..., Any]) -> Callable[..., Any]:
        handle = self.module.TensorHandle

        def computed(this: Any, *operands: Any) -> Any:
            # Asked of every operation: whole numbers of 16 bits are cheaper to see than the type.
            for operand in operands:
                if type(operand) is handle and operand.data.dtype.char == "H":
                    break
            else:
                return method(this, *operands)
            wide = [self._widen(operand) for operand in operands]
            if all(w is o for w, o in zip(wide, operands, strict=True)):
                return method(this, *operands)
            result = method(this, *wide)
            # A product is accumulated in the type of its third operand.
            kept = operands[2] if method.__name__ == "create_dot" else operands[0]
            if result.data.dtype == np.float32 and self._is_bfloat16(kept):
                return self._handle(to_bits(result.data))
            return result

        return computed

    def _binary(self, method: Callable[..., Any]) -> Callable[..., Any]:
        widened = self._widened(method)

        def computed(this: Any, left: Any, right: Any, operation: Any) -> Any:
            # Nearly every operation comes here, and hardly any is of bfloat16.
            narrow = left.data.dtype.char == "H" or right.data.dtype.char == "H"
            return (widened if narrow else method)(this, left, right, operation)

        return computed

    def _cast(self, original: Callable[..., Any]) -> Callable[..., Any]:
        float32, bfloat16 = self.language.float32, self.language.bfloat16

        def cast(this: Any, source: Any, target: Any) -> Any:
            if target.scalar == bfloat16 != source.dtype.scalar:
                with np.errstate(over="ignore"):
                    return self._handle(to_bits(source.data.astype(np.float32)))
            if source.dtype.scalar == bfloat16 != target.scalar:
                wide = self._widen(source)
                return wide if target.scalar == float32 else original(this, wide, target)
            return original(this, source, target)

        return cast

    def _reduced(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Reductions and scans: in float32, and each result rounded."""

        def apply(this: Any, given: tuple[Any, ...]) -> Any:
            narrow = [self._is_bfloat16(tensor) for tensor in given]
            if not any(narrow):
                return original(this, given)
            found = original(this, tuple(map(self._wide_tensor, given)))
            results = found if isinstance(found, (list, tuple)) else (found,)
            return tuple(
                self._narrow_tensor(result) if was else result
                for result, was in zip(results, narrow, strict=False)
            )

        return apply

    def _wide_tensor(self, tensor: Any) -> Any:
        if not self._is_bfloat16(tensor):
            return tensor
        return self._tensor(self._widen(tensor.handle), tensor, self.language.float32)

    def _narrow_tensor(self, tensor: Any) -> Any:
        if tensor.dtype != self.language.float32:
            return tensor
        bits = self._handle(to_bits(tensor.handle.data))
        return self._tensor(bits, tensor, self.language.bfloat16)

    def _tensor(self, handle: Any, like: Any, scalar: Any) -> Any:
        kind = scalar
        if like.type.is_block():
            kind = self.language.block_type(scalar, list(like.type.shape))
        return self.language.tensor(handle, kind)
