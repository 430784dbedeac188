"""What the tests of `optimize` need: modules of kernels, arrays, and a driver for no GPU.

Nothing in here needs torch, so that the tests run wherever some Triton does.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import triton

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])

_numbers = itertools.count()


def load(folder: Path, text: str, name: str = "kernels") -> ModuleType:
    """The module of a file with that text; every call makes one of its own."""
    unique = f"{name}_{next(_numbers)}"
    path = folder / f"{unique}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    spec.loader.exec_module(module)
    return module


class _Float32:
    def __str__(self) -> str:
        return "torch.float32"


FLOAT32 = _Float32()


class Array:
    """As much of a tensor as Triton asks for, on the memory of a numpy array.

    Host and device are the same memory: what copies between them do is done.
    """

    dtype = FLOAT32
    device = "cpu"

    def __init__(self, *values: float) -> None:
        import numpy

        self.array = numpy.array(values, dtype=numpy.float32)

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def size(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def stride(self) -> tuple[int, ...]:
        return (1,)

    def storage_offset(self) -> int:
        return 0

    def untyped_storage(self) -> Array:
        return self

    @property
    def data(self) -> Array:
        return self

    def cpu(self) -> Array:
        return self

    def to(self, device: str) -> Array:
        return self

    def new_empty(self, size: int, device: str) -> Array:
        return Array()

    def set_(self, storage: Array, *layout: object) -> None:
        self.array = storage.array

    def copy_(self, other: Array) -> None:
        assert other.array is self.array


class Tensor:
    """What a launch that is only compiled needs of a tensor."""

    dtype = FLOAT32

    def data_ptr(self) -> int:
        return 16


@contextmanager
def no_gpu() -> Iterator[list[tuple[Any, ...]]]:
    """Compile for an H100 and launch nothing; gives the list of what would have been launched."""
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    launched: list[tuple[Any, ...]] = []

    class Launcher:
        def __init__(self, src: Any, metadata: Any) -> None:
            self.name = src.fn.__name__

        def __call__(self, x: int, y: int, z: int, *rest: Any) -> None:
            launched.append((self.name, (x, y, z), *rest[6:]))

    limits = {
        "max_shared_mem": 232448,
        "multiprocessor_count": 132,
        "warpSize": 32,
        "max_num_regs": 65536,
    }
    loaded = (None, 2, 32, 0, 1024)[: 5 if VERSION >= (3, 4) else 4]
    fake = SimpleNamespace(
        launcher_cls=Launcher,
        utils=SimpleNamespace(
            get_device_properties=lambda device: limits,
            load_binary=lambda *arguments: loaded,
            unload_module=lambda module: None,
        ),
        get_current_device=lambda: 0,
        get_current_stream=lambda device=None: 0,
        get_current_target=lambda: GPUTarget("cuda", 90, 32),
        set_current_device=lambda device: None,
        map_python_to_cpp_type=lambda name: name,
        get_benchmarker=lambda: lambda fn, quantiles=None, **rest: (fn(), [1.0, 1.0, 1.0])[1],
        is_active=lambda: True,
    )
    # Triton's own way back looks for a GPU at once.
    place = "_active" if isinstance(vars(type(driver)).get("active"), property) else "active"
    before = vars(driver)[place]
    driver.set_active(fake)
    try:
        yield launched
    finally:
        setattr(driver, place, before)


def compiled(kernel: Any, *arguments: Any, **constants: Any) -> dict[str, Any]:
    """What a launch compiles: "ttir", "ptx", ... by name."""
    with no_gpu():
        made = kernel.warmup(*arguments, grid=(1,), **constants)
    asm: dict[str, Any] = made.asm
    return asm
