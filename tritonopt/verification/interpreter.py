"""Triton's interpreter, made to answer as a GPU does or not at all. Worker only.

Each correction is probed for, never assumed from a version. What cannot be
corrected raises `Refused`, and the verification reports that the interpreter
cannot tell instead of comparing wrong numbers.
"""

from __future__ import annotations

import contextlib
import importlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Refused(Exception):
    """The interpreter is known to be wrong here."""


@dataclass
class Access:
    """The memory that kernels of the current run may touch, and what else they touched."""

    extents: list[tuple[int, int]] = field(default_factory=list)
    """First and past-the-last address of every tensor."""
    mapped: list[tuple[int, int]] = field(default_factory=list)
    """The same with the memory around, which can be touched without a crash."""
    strays: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    poison_lanes: bool = False
    reverse: bool = False
    anywhere: bool = False
    """Whether addresses go unchecked: for launches on the oracle's own clones."""


class Interpreter:
    """The patches, installed once per process; `access` changes from run to run."""

    def __init__(self) -> None:
        self.module: Any = importlib.import_module("triton.runtime.interpreter")
        self.language: Any = importlib.import_module("triton.language")
        self.access = Access()
        builder = self.module.interpreter_builder
        kind = type(builder)
        self._nan_dropping(kind)
        self._bfloat16(kind)
        self._loads_and_stores(builder)
        self._program_order(builder)

    def _nan_dropping(self, kind: Any) -> None:
        """`tl.maximum` and `tl.minimum` give the other operand for a NaN, as on a GPU."""
        for name, operation in (("create_maxnumf", larger), ("create_minnumf", smaller)):
            if hasattr(kind, name):
                setattr(
                    kind,
                    name,
                    lambda this, left, right, op=operation: this.binary_op(left, right, op),
                )

    def _bfloat16(self, kind: Any) -> None:
        """bfloat16 is held as whole numbers: casts are repaired, arithmetic is refused."""
        bfloat16 = self.language.bfloat16
        float32 = self.language.float32
        handle = self.module.TensorHandle

        def refusing(method: Callable[..., Any]) -> Callable[..., Any]:
            def checked(this: Any, *operands: Any) -> Any:
                for operand in operands:
                    dtype = getattr(operand, "dtype", None)
                    if getattr(dtype, "scalar", None) == bfloat16:
                        raise Refused("bfloat16 arithmetic, which the interpreter gets wrong")
                return method(this, *operands)

            return checked

        for name in ("binary_op", "unary_op", "create_fma", "create_dot"):
            if hasattr(kind, name):
                setattr(kind, name, refusing(getattr(kind, name)))
        original_cast = kind.cast_impl

        def cast(this: Any, source: Any, target: Any) -> Any:
            if source.dtype.scalar == float32 and target.scalar == bfloat16:
                return handle(_to_bfloat16(source.data), bfloat16)
            both = (source.dtype.scalar, target.scalar)
            if bfloat16 in both and float32 not in both and both[0] != both[1]:
                raise Refused("a cast of bfloat16 that the interpreter gets wrong")
            return original_cast(this, source, target)

        kind.cast_impl = cast

    def _loads_and_stores(self, builder: Any) -> None:
        original_load = builder.create_masked_load
        original_store = builder.create_masked_store
        module = self.module

        def load(pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
            lanes = _lanes(mask, pointers.data.shape)
            self._check(pointers, lanes, "load")
            if other is None and self.access.poison_lanes and not lanes.all():
                dtype = pointers.get_element_ty()
                kind = module._get_np_dtype(dtype)
                value = np.nan if kind.kind == "f" else 1
                fill = np.full(pointers.data.shape, value, dtype=kind)
                other = module.TensorHandle(fill, dtype)
            return original_load(pointers, mask, other, *rest, **named)

        def store(pointers: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
            self._check(pointers, _lanes(mask, pointers.data.shape), "store")
            return original_store(pointers, value, mask, *rest, **named)

        builder.create_masked_load = load
        builder.create_masked_store = store
        for name in ("create_atomic_rmw", "create_atomic_cas"):
            original = getattr(builder, name)

            def atomic(*arguments: Any, original: Any = original) -> Any:
                pointers = next(a for a in arguments if _is_pointer(a))
                mask = arguments[3] if original.__name__ == "create_atomic_rmw" else None
                lanes = (
                    _lanes(mask, pointers.data.shape)
                    if mask is not None
                    else np.ones(pointers.data.shape, dtype=bool)
                )
                self._check(pointers, lanes, "store")
                return original(*arguments)

            setattr(builder, name, atomic)

    def _check(self, pointers: Any, lanes: Any, kind: str) -> None:
        """Record lanes outside of every tensor; refuse to touch what may not be there at all."""
        addresses = pointers.data[lanes]
        if addresses.size == 0 or self.access.anywhere:
            return
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        if _within(addresses, size, self.access.extents):
            return
        place = self.module.interpreter_builder.grid_idx
        found = f"program {tuple(int(i) for i in place)} {kind}s outside of every tensor"
        (self.access.strays if kind == "load" else self.access.damage).append(found)
        if not _within(addresses, size, self.access.mapped):
            raise IndexError(found)

    def _program_order(self, builder: Any) -> None:
        original = builder.set_grid_idx

        def set_grid_idx(x: int, y: int, z: int) -> None:
            if self.access.reverse:
                nx, ny, nz = builder.grid_dim
                x, y, z = nx - 1 - x, ny - 1 - y, nz - 1 - z
            original(x, y, z)

        builder.set_grid_idx = set_grid_idx


def larger(left: Any, right: Any) -> Any:
    """A NaN gives the other operand, and 0.0 is above -0.0; numpy takes either zero."""
    return np.where((left == 0) & (right == 0), left + right, np.fmax(left, right))


def smaller(left: Any, right: Any) -> Any:
    return -larger(-left, -right)


def _is_pointer(value: Any) -> bool:
    return hasattr(value, "data") and hasattr(value, "get_element_ty") and value.data.dtype == "u8"


def _lanes(mask: Any, shape: tuple[int, ...]) -> Any:
    data = mask.data if hasattr(mask, "get_element_ty") else mask
    return np.broadcast_to(np.asarray(data, dtype=bool), shape)


def _within(addresses: Any, size: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether every access lies in one of the ranges; the common case is one range."""
    first, last = int(addresses.min()), int(addresses.max()) + size
    if any(low <= first and last <= high for low, high in ranges):
        return True
    inside = np.zeros(addresses.shape, dtype=bool)
    for low, high in ranges:
        if high - low >= size:
            inside |= (addresses >= low) & (addresses <= high - size)
    return bool(inside.all())


def _to_bfloat16(values: Any) -> Any:
    """float32 to the bits of bfloat16, rounded to nearest even; a NaN stays one."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(values), (bits >> 16) | 0x40, rounded)
    return rounded.astype(np.uint16)


class _NoGpuDriver:
    """Answers what launchers ask of `triton.runtime.driver.active` where there is no GPU."""

    def get_active_torch_device(self) -> Any:
        return importlib.import_module("torch").device("cpu")

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: object = None) -> int:
        return 0

    def set_current_device(self, device: object) -> None:
        """There is only the one."""

    def get_current_target(self) -> Any:
        return importlib.import_module("triton.backends.compiler").GPUTarget("cuda", 90, 32)

    def get_device_interface(self) -> Any:
        return importlib.import_module("torch").cpu

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return lambda function, quantiles=None, **named: [1.0, 1.0, 1.0]

    def is_active(self) -> bool:
        return True

    @property
    def utils(self) -> Any:
        return types.SimpleNamespace(get_device_properties=lambda device: dict(_PROPERTIES))


_PROPERTIES = {
    "max_shared_mem": 232448,
    "max_num_regs": 65536,
    "multiprocessor_count": 8,
    "warpSize": 32,
    "sm_clock_rate": 1,
    "mem_clock_rate": 1,
    "mem_bus_width": 1,
}


def pretend_gpu(torch: Any) -> None:
    """Let launchers that insist on a GPU run on the CPU: `x.is_cuda`, devices, drivers."""
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Tensor.cuda = lambda tensor, *rest, **named: tensor
    for name in ("device", "device_of", "stream"):
        setattr(torch.cuda, name, lambda *rest: contextlib.nullcontext())
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    torch.cuda.is_available = lambda: True
    torch.cuda.synchronize = lambda *rest: None
    torch.cuda.get_device_capability = lambda *rest: (9, 0)
    torch.cuda.get_device_properties = lambda *rest: types.SimpleNamespace(
        name="interpreter", multi_processor_count=8, major=9, minor=0, total_memory=2**34
    )
    runtime = importlib.import_module("triton.runtime")
    driver: Any = runtime.driver
    driver = getattr(driver, "driver", driver)
    driver.set_active(_NoGpuDriver())


@contextlib.contextmanager
def accesses(interpreter: Interpreter | None, access: Access) -> Iterator[None]:
    """Make `access` the current one."""
    if interpreter is None:
        yield
        return
    before = interpreter.access
    interpreter.access = access
    try:
        yield
    finally:
        interpreter.access = before
