"""Launches that are compiled for GPUs that need not be here, and not made."""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Mapping
from typing import Any

import torch

from tritonopt.verification.process.compiled_programs import TARGETS, Launch, Program
from tritonopt.verification.worker.guarded_memory import NAMES, Arena
from tritonopt.verification.worker.machine_code import statistics
from tritonopt.verification.worker.triton_interpreter.pretended_gpu import NoGpuDriver, pretend_gpu

LOWERED_FOR = "sm_90"
"""Of GPUs that people have, one with as much shared memory as any."""
_SHARED_BYTES = 232448
_LOWERED = "not assembled"
"""In place of a digest."""
MOST_SIGNATURES = 8
"""So many different signatures of one kernel are compiled; each takes all of the targets."""


class _Driver(NoGpuDriver):
    """Says that the GPU is whichever is compiled for."""

    def __init__(self) -> None:
        self.device = 0
        self.targets = list(TARGETS.values())

    def get_current_device(self) -> int:
        return self.device

    def get_current_target(self) -> Any:
        kind: Any = importlib.import_module("triton.backends.compiler")
        return kind.GPUTarget(*self.targets[self.device])


class Compiler:
    """The patch on Triton, installed once per process."""

    def __init__(self) -> None:
        # Lines would make binaries of the same instructions differ.
        os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
        pretend_gpu(torch)
        self.driver = _Driver()
        runtime: Any = importlib.import_module("triton.runtime")
        getattr(runtime.driver, "driver", runtime.driver).set_active(self.driver)
        self.arena: Arena | None = None
        self.launches: list[Launch] = []
        self.programs: dict[tuple[str, str], list[Program]] = {}
        self.compiled: dict[tuple[str, str, str], Any] = {}
        self.wanted: tuple[str, ...] = tuple(TARGETS)
        self.lowers = False
        jit: Any = importlib.import_module("triton.runtime.jit")
        self.original = jit.JITFunction.run
        compiler = self

        def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
            compiler.seen(kernel, args, kwargs, grid)

        jit.JITFunction.run = run

    def lower_only(self) -> None:
        """From now on no machine code is made: only what a GPU refuses is looked for."""
        self.wanted, self.lowers = (LOWERED_FOR,), True
        jit: Any = importlib.import_module("triton.runtime.jit")
        jit.JITFunction._do_compile = _lowered

    def begin(self, arena: Arena) -> None:
        """Another example: its memory, and no launch yet."""
        self.arena = arena
        self.launches = []

    def seen(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any) -> None:
        parameters = {p.name: p for p in kernel.params}
        given = {**dict(zip(parameters, args, strict=False)), **kwargs}
        for name, parameter in parameters.items():
            if name not in given and parameter.has_default:
                given[name] = parameter.default
        name = kernel.fn.__name__
        constants = {k for k in given if k not in parameters or parameters[k].is_constexpr}
        signature = ", ".join(
            _kind(key, value, constant=key in constants)
            for key, value in given.items()
            # What a number is worth decides on no type and on no size of memory.
            if not self.lowers or key in constants or not isinstance(value, (int, float))
        )
        sizes = tuple(grid(given)) if callable(grid) else tuple(grid)
        arguments = tuple(self._argument(value) for value in given.values())
        self.launches.append(Launch(name, signature, tuple(int(n) for n in sizes), arguments))
        if (name, signature) in self.programs:
            return
        if sum(known == name for known, _ in self.programs) >= MOST_SIGNATURES:
            return
        self.programs[name, signature] = [
            self._compile(kernel, args, kwargs, grid, signature, device, target)
            for device, target in enumerate(TARGETS)
            if target in self.wanted
        ]

    def _compile(
        self,
        kernel: Any,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        grid: Any,
        signature: str,
        device: int,
        target: str,
    ) -> Program:
        self.driver.device = device
        name = kernel.fn.__name__
        try:
            compiled = self.original(kernel, *args, grid=grid, warmup=True, **kwargs)
        except Exception as error:
            # A target that this Triton cannot compile for says nothing of the others.
            lines = str(error).strip().splitlines() or [repr(error)]
            failure = f"{type(error).__name__}: {lines[-1][:200]}"
            return Program(name, signature, target, failure=failure)
        if compiled is None:
            return Program(name, signature, target, _LOWERED)
        binary = compiled.asm.get("cubin", compiled.asm.get("hsaco"))
        digest = hashlib.sha256(binary).hexdigest()
        self.compiled[name, signature, target] = compiled
        return Program(name, signature, target, digest)

    def statistics(self, kernel: str, signature: str, target: str) -> dict[str, int]:
        """The numbers of one program; none where there is no such program."""
        compiled = self.compiled.get((kernel, signature, target))
        return {} if compiled is None else statistics(compiled)

    def _argument(self, value: Any) -> str:
        """Which memory a tensor is, by the order of allocation; a number as it is."""
        if not isinstance(value, torch.Tensor) or self.arena is None:
            return str(value) if isinstance(value, (int, float, str, type(None))) else "?"
        buffer = self.arena.buffer_of(value)
        if buffer is None:
            return "memory from elsewhere"
        offset = value.data_ptr() - buffer.first()
        return f"{buffer.label} + {offset}" if offset else buffer.label


def _lowered(
    kernel: Any,
    key: object,
    signature: Any,
    device: int,
    constants: Any,
    options: Any,
    attributes: Any,
    warmup: object,
) -> None:
    """In place of compiling a kernel: as far as it takes to know its types and its shared memory.

    What the compiler refuses is raised, and so is more shared memory than a block may have.
    """
    compiler: Any = importlib.import_module("triton.compiler.compiler")
    ir: Any = importlib.import_module("triton._C.libtriton").ir
    target = importlib.import_module("triton.runtime").driver.active.get_current_target()
    backend, made = (
        compiler.make_backend(target),
        kernel.ASTSource(kernel, signature, constants, attributes),
    )
    context = ir.context()
    stages: dict[str, Any] = {}
    ir.load_dialects(context)
    backend.load_dialects(context)
    backend.add_stages(stages, options, made.language)
    told = {"target": target, **options.__dict__}
    generated = backend.get_codegen_implementation(options)
    module = made.make_ir(target, options, generated, backend.get_module_map(), context)
    for stage in ("ttir", "ttgir"):
        module = stages[stage](module, told)
    shared = _shared_bytes(module, target)
    if shared > _SHARED_BYTES:
        raise OutOfSharedMemory(f"{shared} bytes of shared memory, and a block has {_SHARED_BYTES}")


def _shared_bytes(module: Any, target: Any) -> int:
    """How much a block takes, as the compiler allots it; 0 where this Triton tells it otherwise."""
    native: Any = importlib.import_module("triton._C.libtriton")
    passes, own = native.passes, native.nvidia.passes.ttgpuir
    manager = native.ir.pass_manager(module.context)
    try:
        passes.ttgpuir.add_combine_tensor_select_and_if(manager)
        passes.ttgpuir.add_allocate_warp_groups(manager)
        passes.convert.add_scf_to_cf(manager)
        passes.gluon.add_inliner(manager)
        nvidia: Any = importlib.import_module("triton.backends.nvidia.compiler")
        version = nvidia.get_ptx_version_from_options(_NoOptions, target.arch)
        own.add_allocate_shared_memory_nv(manager, target.arch, version)
        manager.run(module, "shared_memory")
        return int(module.get_int_attr("ttg.shared") or 0)
    except (AttributeError, TypeError):
        return 0


class _NoOptions:
    ptx_version = None


class OutOfSharedMemory(Exception):
    """A block takes more than a GPU has."""


def _kind(name: str, value: Any, *, constant: bool) -> str:
    """What the compiler is told of one argument: as much as it may be told."""
    if isinstance(value, torch.Tensor):
        aligned = "" if value.data_ptr() % 16 else " aligned to 16"
        return f"{name}: *{NAMES.get(value.dtype, value.dtype)}{aligned}"
    if constant or value is None or isinstance(value, str):
        return f"{name}={value}"
    if isinstance(value, bool):
        return f"{name}: bool"
    if isinstance(value, int):
        width = "i32" if -(2**31) <= value < 2**31 else "i64"
        if value == 1:
            return f"{name}=1"
        return f"{name}: {width}" + (" multiple of 16" if value % 16 == 0 else "")
    return f"{name}: {'f32' if isinstance(value, float) else type(value).__name__}"
