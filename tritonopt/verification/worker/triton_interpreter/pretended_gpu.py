"""A GPU that is not there: what launchers ask of torch and of Triton's driver, answered.

Without it a file that insists on a GPU can neither be imported nor called by the interpreter.
"""

from __future__ import annotations

import contextlib
import importlib
import types
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class NoGpuDriver:
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


_NAME = "NVIDIA (interpreted)"
_FEW = 2
"""Multiprocessors: as few as there can be, so that programs that loop over tiles have several."""
_PROPERTIES = {
    "max_shared_mem": 232448,
    "max_num_regs": 65536,
    "multiprocessor_count": _FEW,
    "warpSize": 32,
    "sm_clock_rate": 1,
    "mem_clock_rate": 1,
    "mem_bus_width": 1,
}


class PretendedStream:
    """A stream of a GPU that is not there: all work is done by the time that it is asked about."""

    cuda_stream = 0
    priority = 0
    device_index = 0

    def __init__(self, *given: object, **named: object) -> None:
        """Devices and priorities make no difference."""

    def __enter__(self) -> PretendedStream:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was changed on entering."""

    @property
    def device(self) -> Any:
        return torch.device("cuda", 0)

    def synchronize(self, *given: object) -> None:
        """There is nothing to wait for."""

    wait_stream = wait_event = synchronize

    def record_event(self, event: Any = None) -> Any:
        return PretendedEvent() if event is None else event

    def query(self) -> bool:
        return True


class PretendedEvent:
    """An event of such a stream: it has happened."""

    cuda_event = 0

    def __init__(self, *given: object, **named: object) -> None:
        """Whether it takes the time makes no difference."""

    def record(self, *given: object) -> None:
        """There is nothing to wait for."""

    wait = synchronize = record

    def query(self) -> bool:
        return True

    def elapsed_time(self, other: object) -> float:
        return 1.0


def _pretend_streams(torch: Any) -> None:
    """Streams, events, ranges for a profiler, pinned memory: what runs in order needs none."""
    cuda, stream = torch.cuda, PretendedStream()
    for module in (torch, cuda, cuda.streams):
        for name, kind in (("Stream", PretendedStream), ("Event", PretendedEvent)):
            setattr(module, name, kind)
    cuda.ExternalStream = PretendedStream
    for name in ("current_stream", "default_stream"):
        setattr(cuda, name, lambda *rest, **named: stream)
    for name in ("set_stream", "set_device", "empty_cache", "reset_peak_memory_stats", "init"):
        setattr(cuda, name, lambda *rest, **named: None)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved"):
        setattr(cuda, name, lambda *rest, **named: 0)
    cuda.mem_get_info = lambda *rest: (2**33, 2**34)
    cuda.is_current_stream_capturing = lambda: False
    cuda.is_bf16_supported = lambda *rest, **named: True
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        setattr(cuda.nvtx, name, lambda *rest, **named: 0)
    cuda.nvtx.range = lambda *rest, **named: contextlib.nullcontext()
    torch.Tensor.pin_memory = lambda tensor, *rest: tensor.clone()
    torch.Tensor.record_stream = lambda tensor, stream: None


def pretend_gpu(torch: Any) -> None:
    """Let launchers that insist on a GPU run on the CPU: `x.is_cuda`, devices, drivers."""
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Tensor.get_device = lambda tensor: 0
    torch.Tensor.cuda = lambda tensor, *rest, **named: tensor
    for name in ("device", "device_of", "stream"):
        setattr(torch.cuda, name, lambda *rest: contextlib.nullcontext())
    _pretend_streams(torch)
    torch.cuda.get_device_name = lambda *rest: _NAME
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    torch.cuda.is_available = lambda: True
    torch.cuda.synchronize = lambda *rest: None
    torch.cuda.get_device_capability = lambda *rest: (9, 0)
    torch.cuda.get_device_properties = lambda *rest: types.SimpleNamespace(
        name=_NAME,
        multi_processor_count=_FEW,
        major=9,
        minor=0,
        total_memory=2**34,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=_PROPERTIES["max_shared_mem"],
        shared_memory_per_multiprocessor=233472,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=_PROPERTIES["max_num_regs"],
        L2_cache_size=50 * 2**20,
        warp_size=32,
    )
    runtime = importlib.import_module("triton.runtime")
    driver: Any = runtime.driver
    driver = getattr(driver, "driver", driver)
    driver.set_active(NoGpuDriver())


class _Properties:
    """A device's properties, but for the number of its multiprocessors."""

    multi_processor_count = _FEW

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def with_few_multiprocessors(torch: Any) -> None:
    """Let launchers on a GPU start as few programs as on the interpreter.

    Where they take some for each multiprocessor, loops over tiles take several turns then, and
    what the interpreter tells of a call holds of the launches on the GPU.
    """
    properties = torch.cuda.get_device_properties
    torch.cuda.get_device_properties = lambda *rest: _Properties(properties(*rest))
    driver: Any = importlib.import_module("triton.runtime").driver
    utils = driver.active.utils
    told = utils.get_device_properties
    utils.get_device_properties = lambda device: {**told(device), "multiprocessor_count": _FEW}


class OnTheCpu(TorchFunctionMode):  # type: ignore[misc]  # torch is untyped here
    """What is asked to be on a GPU (`device="cuda"`) is on the CPU, while this is entered."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return func(*on_the_cpu(func, args), **named_on_the_cpu(kwargs))


def on_the_cpu(func: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a function of torch, where `x.to("cuda")` leaves `x` where it is."""
    if getattr(func, "__name__", "") != "to":
        return args
    return tuple("cpu" if _is_cuda(argument) else argument for argument in args)


def named_on_the_cpu(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The named arguments of a function of torch, with the CPU as the device in place of a GPU."""
    named = dict(kwargs or {})
    if _is_cuda(named.get("device")):
        named["device"] = "cpu"
    named.pop("pin_memory", None)
    return named


def _is_cuda(device: object) -> bool:
    if isinstance(device, torch.device):
        return bool(device.type == "cuda")
    return isinstance(device, str) and device.startswith("cuda")
