"""A GPU that is not there: what launchers ask of torch and of Triton's driver, answered.

Without it a file that insists on a GPU can neither be imported nor called by the interpreter.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np
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


# Random numbers of a GPU where there is none.
#
# Libraries that draw numbers in a kernel take a seed and an offset from torch's generator of the
# GPU: sixteen bytes of state, from which they also count on. In the interpreter there is no GPU,
# or one that must not be touched: without it torch has no such generator, and with it one that
# torch seeds only once the GPU is in use, so two runs would draw different numbers.

_SEED, _OFFSET = 0, 1


class GpuGenerator:
    """What launchers ask of `torch.cuda.default_generators[0]`."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._state = torch.zeros(2, dtype=torch.int64)
        self.device = torch.device("cuda", 0)

    def manual_seed(self, seed: int) -> GpuGenerator:
        """The same numbers from here on as after every other call with this seed."""
        self._state[_SEED] = seed
        self._state[_OFFSET] = 0
        return self

    def seed(self) -> int:
        return self.manual_seed(0).initial_seed()

    def initial_seed(self) -> int:
        return int(self._state[_SEED])

    def get_state(self) -> Any:
        """A copy, as bytes: the seed, then the offset."""
        return self._state.clone().view(self._torch.uint8)

    def set_state(self, state: Any) -> None:
        self._state.copy_(state.view(self._torch.int64))

    def get_offset(self) -> int:
        return int(self._state[_OFFSET])

    def set_offset(self, offset: int) -> None:
        self._state[_OFFSET] = offset


def with_generator(torch: Any) -> None:
    """Give torch a generator of the GPU that is none of the real one's."""
    generator = GpuGenerator(torch)

    def manual_seed(seed: int) -> None:
        generator.manual_seed(int(seed))

    torch.cuda.default_generators = (generator,)
    # What `torch.manual_seed` calls, and what else would start the GPU or find the real generator.
    torch.cuda.manual_seed = torch.cuda.manual_seed_all = manual_seed
    torch.cuda.get_rng_state = lambda *device: generator.get_state()
    torch.cuda.set_rng_state = lambda state, *device: generator.set_state(state)
    torch.cuda.initial_seed = generator.initial_seed


def seed_all(torch: Any) -> None:
    """Seed every generator that torch has: also those that its own function leaves out.

    `torch.manual_seed` passes over the GPU in a process that was forked from one that had
    looked for it. Where there is no GPU but this module's, it takes a millisecond to note from
    where devices should be seeded that are not there.
    """
    generators = getattr(torch.cuda, "default_generators", ())
    if any(isinstance(generator, GpuGenerator) for generator in generators):
        torch.default_generator.manual_seed(0)
    else:
        torch.manual_seed(0)
    for generator in generators:
        generator.manual_seed(0)


# Interpreted kernels that pass for compiled ones.
#
# Libraries wrap kernels in launchers of their own that ask for a `JITFunction`: for its
# parameters, its cache key, and for the compiled kernel that `run` returns, which they
# launch again. Triton's interpreter gives them something else, and they fail on import.


def pass_for_compiled() -> None:
    """Let `triton.jit` make interpreted kernels that are JITFunctions as well."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    jit: Any = importlib.import_module("triton.runtime.jit")
    language: Any = importlib.import_module("triton.language")
    interpreted = interpreter.InterpretedFunction
    if issubclass(interpreted, jit.JITFunction):
        return

    class InterpretedKernel(interpreted, jit.JITFunction):  # type: ignore[misc, valid-type]  # Any
        # The interpreter's is a property without a setter; JITFunction assigns it.
        __name__ = ""

        def __init__(self, function: Callable[..., Any], **options: Any) -> None:
            jit.JITFunction.__init__(self, function, **options)
            interpreted.__init__(self, function, **options)
            self.__name__ = function.__name__
            # The interpreter wants to find the language in every file that has a kernel.
            function.__globals__.setdefault("_triton_language", language)

        @property
        def cache_key(self) -> str:
            # Triton's looks into the helpers, and refuses those of its own library that are bound
            # to a name: they were interpreted before this. Nothing is compiled under the key.
            text = f"{self.src}{self.starting_line_number}"
            return hashlib.sha256(text.encode()).hexdigest()

        def rewrite(self) -> Any:
            _look_up_late(self.fn.__globals__, language)
            function = interpreted.rewrite(self)
            notes = getattr(function, "__annotations__", {})
            notes.update({n: "constexpr" for n, note in notes.items() if _is_constexpr(note)})
            return function

        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            ones = {p.name for p in self.params if _is_specialized(p)}
            passed = [_One(1) if p.name in ones and _is_one(a) else a
                      for p, a in zip(self.params, args, strict=False)]  # fmt: skip
            named = {n: _One(1) if n in ones and _is_one(a) else a for n, a in kwargs.items()}
            interpreted.run(self, *passed, *args[len(passed) :], grid=grid, warmup=warmup, **named)
            return _Launchable(self, args, kwargs)

    interpreter.InterpretedFunction = InterpretedKernel
    # Compiled, a type that is passed to a helper is a constant with a `value`.
    language.dtype.value = property(lambda dtype: dtype)
    interpreter._implicit_cvt = _converting_numbers(interpreter)
    # Everything is on the CPU: there is nothing to copy there and back, and what only
    # has a `data_ptr` and a `dtype` (a view that a library made) could not be copied.
    interpreter.GridExecutor._init_args_hst = lambda executor, args, named: (list(args), named)
    interpreter.GridExecutor._restore_args_dev = lambda executor, *arguments: None


def _look_up_late(names: dict[str, Any], language: Any) -> None:
    """Other names for functions of the language (`exp = tl.exp`) mean what it has during a launch.

    The interpreter replaces these in the language alone, as long as a launch lasts.
    """
    for name, value in [*names.items()]:
        # Each of the many names is looked at before every launch; most are no functions.
        is_function = type(value) is types.FunctionType and language.core.is_builtin(value)
        if is_function and hasattr(language, value.__name__):
            names[name] = _late(language, value.__name__)


def _late(language: Any, name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(language, name)(*args, **kwargs)


class _One(int):
    """An argument that is a constant to the compiler, for it is 1."""


def _is_one(argument: object) -> bool:
    return type(argument) is int and argument == 1


def _is_specialized(parameter: Any) -> bool:
    """Whether the compiler makes a constant of this argument where it is 1."""
    return not (parameter.is_constexpr or parameter.do_not_specialize or parameter.annotation_type)


def _is_constexpr(annotation: object) -> bool:
    """Whether the compiler takes it for `constexpr`, under whichever name of the language.

    The interpreter compiles a kernel's text again, with all annotations as text; one that was
    quoted before is then quoted twice.
    """
    if not isinstance(annotation, str):
        return getattr(annotation, "__name__", "") == "constexpr"
    return annotation.strip(" '\"").rpartition(".")[2] == "constexpr"


def _converting_numbers(interpreter: Any) -> Callable[[Any], Any]:
    """A float that is passed to a kernel is a float32 there (`scale.to(...)`), not Python's.

    A flag is a number of one bit, which the interpreter's own conversion makes one of 32. And a 1
    that the compiler makes a constant of stays a number of Python.
    """
    language: Any = importlib.import_module("triton.language")
    original = interpreter._implicit_cvt
    kinds = (bool, np.bool_, language.int1), (float, np.float32, language.float32)

    def convert(argument: Any) -> Any:
        if type(argument) is _One:
            return 1
        for python, data, kind in kinds:
            if isinstance(argument, python):
                handle = interpreter.TensorHandle(np.array([argument], data), kind)
                return language.tensor(handle, kind)
        return original(argument)

    return convert


class _Launchable:
    """What `run` returns: launched again, it takes the arguments that are not constants."""

    def __init__(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
        self.kernel = kernel
        self.runtime = [p.name for p in kernel.params if not p.is_constexpr]
        self.constants = {
            p.name: given[p.name] for p in kernel.params if p.is_constexpr and p.name in given
        }

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any) -> Any:
            # Some pass every argument, some leave the constants out.
            names = self.runtime if len(args) == len(self.runtime) else self.kernel.arg_names
            given = dict(zip(names, args, strict=False))
            return self.kernel[grid](**{**self.constants, **given})

        return launch
