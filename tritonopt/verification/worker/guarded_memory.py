"""Tensors with guard zones, and memory whose every unwritten element is known.

Every tensor that a launcher is given or allocates lies inside a larger buffer.
The buffer around it holds a pattern; a pattern that changed was written over.
Memory that the launcher allocates without a value holds the same pattern, and
a second run uses another: what equals the pattern in both was never written,
and what differs otherwise was computed from something nobody wrote.
"""

from __future__ import annotations

import contextlib
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode

from tritonopt.facts.host import torch_api
from tritonopt.verification.algebra.tensors import strided_tensors
from tritonopt.verification.signature.argument_language import DTYPES as DRAWN
from tritonopt.verification.worker.triton_interpreter.pretended_gpu import (
    named_on_the_cpu,
    on_the_cpu,
)

COMPARED: Mapping[Any, str] = {
    getattr(torch, name): torch_api.letters(dtype)
    for name, dtype in torch_api.DTYPES.items()
    if not dtype.startswith("fp8")
}
"""All that may come back, what is not drawn included."""

BITWISE: Mapping[Any, str] = {
    getattr(torch, name): torch_api.letters(dtype)
    for name, dtype in torch_api.DTYPES.items()
    if dtype.startswith("fp8") and hasattr(torch, name)
}
"""What is compared bit for bit alone: these types hold so few numbers that an error of the original
and one of the rewritten version cannot be separated."""

NAMES: Mapping[Any, str] = {dtype: name for dtype, name in COMPARED.items() if name in DRAWN}
DTYPES: Mapping[str, Any] = {name: dtype for dtype, name in NAMES.items()}

_INTEGER_OF_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

# A NaN with a payload that no arithmetic makes, and an odd finite value. For
# whole numbers two small odd values: they may be used as an index, and a wild
# one would end the process instead of showing a difference.
_PATTERNS: Mapping[Any, tuple[int, int]] = {
    torch.float64: (0x7FF8DEAD00C0FFEE, 0x40B1D4B1D4B1D4B1),
    torch.float32: (0x7FC0DEAD, 0x4B1D4B1D),
    torch.float16: (0x7EAD, 0x5B1D),
    torch.bfloat16: (0x7FAD, 0x4B1D),
    torch.int64: (83, 91),
    torch.int32: (83, 91),
    torch.int16: (83, 91),
    torch.int8: (83, 91),
    torch.uint8: (83, 91),
    torch.bool: (1, 0),
}

GUARD_BYTES = 4096


class TooLarge(Exception):
    """A call takes more memory than is filled, copied and compared."""


def patterns(dtype: Any) -> tuple[int, int]:
    return _PATTERNS.get(dtype, (0x53, 0x5B))


def integer_view(tensor: Any) -> Any:
    return tensor.view(_INTEGER_OF_SIZE[tensor.element_size()])


@dataclass
class Buffer:
    """A tensor and the guarded memory that it lies in."""

    label: str
    tensor: Any
    base: Any
    """The whole memory, flat."""
    pattern: int
    written: bool
    """Whether the tensor had values from the start."""

    def first(self) -> int:
        """Address of the first byte of the payload."""
        return int(self.tensor.data_ptr())

    def extent(self) -> int:
        """Bytes from the first element to the last, both included."""
        return extent_of(self.tensor)

    def corruption(self) -> str:
        """Where the memory around the tensor changed, or nothing."""
        bits = integer_view(self.base)
        inside = torch.zeros_like(self.base, dtype=torch.bool)
        start = self.tensor.storage_offset()
        once(inside.as_strided(self.tensor.shape, self.tensor.stride(), start)).fill_(True)
        changed = (bits != self.pattern) & ~inside
        if not bool(changed.any()):
            return ""
        where = int(changed.nonzero()[0]) - start
        count = int(changed.sum())
        last = self.extent() // self.tensor.element_size()
        if where < 0:
            place = f"{-where} elements before its start"
        elif where >= last:
            place = f"{where - last + 1} elements past its end"
        else:
            place = f"in the gap between its rows, at element {where}"
        return f"{self.label}: {count} elements written outside of it, the first {place}"


def once(tensor: Any) -> Any:
    """A part of an expanded tensor in which every element has memory of its own."""
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if stride == 0 and size > 1:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor


def extent_of(tensor: Any) -> int:
    if tensor.numel() == 0:
        return 0
    reach = sum((n - 1) * abs(s) for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return int((reach + 1) * tensor.element_size())


@dataclass(frozen=True)
class Kept:
    """Memory of an earlier call that the launcher still holds."""

    label: str
    tensor: weakref.ref[Any]
    first: int
    extent: int
    storage: int

    @staticmethod
    def of(buffer: Buffer) -> Kept:
        place = buffer.first(), buffer.extent(), memory_of(buffer.base) or 0
        return Kept(buffer.label, weakref.ref(buffer.tensor), *place)


@dataclass
class Arena:
    """The memory of one run."""

    device: str
    poison: int
    most: float = math.inf
    """So many bytes may be placed: all of it is filled, copied and compared."""
    buffers: list[Buffer] = field(default_factory=list)
    placed: int = 0
    kept: list[Kept] = field(default_factory=list)
    """What earlier runs have left: it has guard zones as well."""

    def kept_of(self, tensor: Any) -> Kept | None:
        """The memory of an earlier run that a tensor shares."""
        at = memory_of(tensor)
        alive = (k for k in self.kept if k.storage == at and k.tensor() is not None)
        return next(alive, None)

    def place(
        self,
        label: str,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: Any,
        *,
        misaligned: bool = False,
        written: bool = False,
    ) -> Any:
        """A tensor of this form in new guarded memory, filled with the pattern.

        Raises TooLarge for what would be more than `most`.
        """
        size = torch.empty(0, dtype=dtype).element_size()
        guard = GUARD_BYTES // size
        reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        span = reach + 1 if math.prod(shape) else 0
        integer = _INTEGER_OF_SIZE.get(size)
        pattern = patterns(dtype)[self.poison]
        total = 2 * guard + span + 1
        self.placed += total * size
        if self.placed > self.most:
            raise TooLarge(f"{self.placed:,} bytes in one call are more than can be compared")
        if dtype is torch.bool:
            base = torch.full((total,), bool(pattern), dtype=dtype, device=self.device)
        else:
            base = torch.full((total,), pattern, dtype=integer, device=self.device).view(dtype)
        tensor = base.as_strided(shape, strides, guard + int(misaligned))
        self.buffers.append(Buffer(label, tensor, base, pattern, written))
        return tensor

    def corruption(self) -> tuple[str, ...]:
        return tuple(found for b in self.buffers if (found := b.corruption()))

    def buffer_of(self, tensor: Any) -> Buffer | None:
        """The buffer whose memory a tensor shares."""
        at = memory_of(tensor)
        if at is None:
            return None
        return next((buffer for buffer in self.buffers if memory_of(buffer.base) == at), None)


def memory_of(value: object) -> int | None:
    """The address of the memory that a tensor is in; None for what has none.

    Views of one memory have the same.
    """
    storage = getattr(value, "untyped_storage", None)
    try:
        return None if storage is None else int(storage().data_ptr())
    except RuntimeError:  # a tensor without storage; NotImplementedError is one too
        return None


def _factories(names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        for owner in (torch, torch.Tensor):
            if hasattr(owner, name):
                yield getattr(owner, name)


_LOOKING = torch_api.SIZE_METHODS | {
    *("__get__", "__len__", "is_contiguous", "is_floating_point", "data_ptr", "storage_offset")
}
"""What may be asked of a tensor without a look at its values."""


class Allocations(TorchFunctionMode):  # type: ignore[misc]  # torch is untyped here
    """Puts what the launcher allocates into guarded memory."""

    unwritten = frozenset(_factories(torch_api.LEFT_UNWRITTEN))
    written = frozenset(_factories([*torch_api.FILLED, "clone"]))

    def __init__(
        self,
        arena: Arena,
        *,
        pretend_cuda: bool,
        launching: Callable[[], bool],
        using: Callable[[Any], None],
        called: Callable[[Any, Any, Any, Any], None] | None = None,
    ) -> None:
        super().__init__()
        self.arena = arena
        self.launching = launching
        self.using = using
        self.called = called
        self.pretend_cuda = pretend_cuda
        self.count = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        if self.launching():
            # What Triton allocates for a launch is no memory of the launcher's.
            return func(*args, **kwargs)
        if self.pretend_cuda and getattr(func, "__self__", None) is torch.Tensor.device:
            # Launchers refuse what is not on a GPU.
            return torch.device("cuda", 0)
        if getattr(func, "__name__", "") not in _LOOKING:
            for tensor in strided_tensors((args, kwargs)):
                self.using(tensor)
        if self.pretend_cuda:
            args, kwargs = on_the_cpu(func, args), named_on_the_cpu(kwargs)
        result = func(*args, **kwargs)
        if func in self.unwritten or func in self.written:
            result = self.rehouse(result, func, keep=func in self.written)
        if self.called is not None:
            self.called(func, args, kwargs, result)
        return result

    def rehouse(self, tensor: Any, func: Callable[..., Any], *, keep: bool) -> Any:
        """The tensor again, in guarded memory."""
        plain = (
            type(tensor) is torch.Tensor
            and tensor.layout is torch.strided
            and tensor.dtype in NAMES
            and tensor.device.type == self.arena.device
            and (not tensor.requires_grad or tensor.is_leaf)
            and all(s >= 0 for s in tensor.stride())
            and not tensor.is_pinned()
        )
        if not plain or tensor.grad_fn is not None:
            return tensor
        # Allocations are numbered in order, so both versions give theirs the same labels.
        label = f"torch.{func.__name__} #{self.count}"
        self.count += 1
        placed = self.arena.place(
            label, tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype, written=keep
        )
        if keep:
            placed.copy_(tensor.detach())
        return placed.requires_grad_() if tensor.requires_grad else placed


@contextlib.contextmanager
def left_alone() -> Iterator[None]:
    """What is asked of torch meanwhile is no affair of the mode, which is not called for it."""
    if not isinstance(overrides._get_current_function_mode(), Allocations):
        yield
        return
    with overrides._pop_mode_temporarily():
        yield


@contextlib.contextmanager
def also_in_backward(allocations: Allocations) -> Iterator[None]:
    """Looks after what the backward methods of autograd functions allocate as well.

    `torch.autograd.grad` is a function of torch like any other: until it returns, torch has
    taken off the mode that looks after these.
    """
    function = torch.autograd.function.BackwardCFunction
    usual = function.apply

    def apply(context: Any, *gradients: Any) -> Any:
        with allocations:
            return usual(context, *gradients)

    function.apply = apply
    try:
        yield
    finally:
        function.apply = usual
