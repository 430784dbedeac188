"""The worker process: loads one version of a file, and runs its launcher on examples.

Started by `client.Worker`, which talks to it over a socket. Everything that
touches torch or triton happens here, so that a crash costs one process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import math
import os
import platform
import time
import traceback
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from typing import Any

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.compiled_programs import TARGETS, Launch, Program
from tritonopt.verification.process.messages import (
    OUT_OF_MEMORY,
    TOO_LARGE,
    Attempt,
    Failure,
    Outcome,
    Output,
    RunOptions,
    VersionSpec,
)


def serve(descriptor: int) -> None:
    """Answer requests until the other side hangs up."""
    connection = Connection(descriptor)
    server = Server()
    while True:
        try:
            request, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = ("ok", getattr(server, request)(*arguments))
        except Exception as error:
            answer = ("error", Failure(type(error).__name__, _explain(error)))
        connection.send(answer)


def _explain(error: BaseException) -> str:
    """The message, and the line of the user's file that it comes from."""
    text = str(error).strip() or repr(error)
    own = __name__.partition(".")[0]
    frames = [
        traceback.FrameSummary(frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] != own
    ]
    theirs = [f for f in frames if "/" in f.filename]
    library = [f for f in theirs if "site-packages" not in f.filename and "<" not in f.filename]
    if library:
        text += f" ({os.path.basename(library[-1].filename)}:{library[-1].lineno})"
    return text


class Server:
    """What a worker can be asked. Method names are the requests."""

    def __init__(self) -> None:
        self.version: _Version | None = None

    def probe(self) -> dict[str, object]:
        """Whether there is a GPU; imports torch only, because the backend is not chosen yet."""
        import torch

        return {"cuda": bool(torch.cuda.is_available())}

    def load(self, spec: VersionSpec) -> str:
        if spec.backend == "interpreter":
            os.environ["TRITON_INTERPRET"] = "1"
        else:
            os.environ.pop("TRITON_INTERPRET", None)
        try:
            self.version = _Version(spec)
        except SystemExit as end:
            raise ImportError(
                f"it ends the process when it is imported (sys.exit({end.code!r})): put that "
                'under `if __name__ == "__main__":`'
            ) from None
        return self.version.backend()

    def run(self, example: Example, all_options: tuple[RunOptions, ...]) -> tuple[Outcome, ...]:
        assert self.version is not None, "load comes first"
        return tuple(self.version.run(example, options) for options in all_options)

    def compile(self, example: Example) -> tuple[tuple[Launch, ...], tuple[Program, ...]]:
        """The launches of one example, and all programs that were compiled by now.

        An exception of the launcher's is the answer.
        """
        assert self.version is not None, "load comes first"
        compiler = self.version.compiler
        assert compiler is not None, "the backend is another one"
        outcome = self.version.run(example, RunOptions())
        if outcome.failure is not None:
            raise RuntimeError(str(outcome.failure))
        programs = (p for found in compiler.programs.values() for p in found)
        return tuple(compiler.launches), tuple(programs)

    def statistics(self, programs: tuple[tuple[str, str, str], ...]) -> list[dict[str, int]]:
        """What compiled programs need and do; they are named by kernel, signature and target."""
        assert self.version is not None and self.version.compiler is not None
        return [self.version.compiler.statistics(*program) for program in programs]

    def operator(self, launcher: str, parameters: tuple[str, ...]) -> tuple[str, ...]:
        """The types that torch gives to the parameters of its operator of that name."""
        from tritonopt.verification.worker.operators import types_of

        return types_of(launcher, parameters)

    def attempt(self, example: Example) -> Attempt:
        from tritonopt.verification.worker.attempt import attempt

        assert self.version is not None, "load comes first"
        return attempt(self.version, example)


_MOST_BYTES = 2**30
_ON_CPU = "cpu tensor"
"""What Triton says of a tensor that was made without a device: whoever calls such a launcher has
made the GPU the default."""


class _Version:
    """One version of the file, loaded and patched."""

    def __init__(self, spec: VersionSpec) -> None:
        import warnings
        from pathlib import Path

        import torch

        from tritonopt.verification.worker.launch_hook import Watch
        from tritonopt.verification.worker.loading import load
        from tritonopt.verification.worker.oracle import Oracle
        from tritonopt.verification.worker.probes import install, install_in_kernels, instrumented
        from tritonopt.verification.worker.triton_interpreter import (
            generators,
            jit_function_shim,
            libdevice,
            logic,
        )
        from tritonopt.verification.worker.triton_interpreter.corrected import (
            Interpreter,
            pretend_gpu,
        )

        warnings.filterwarnings("ignore")
        self.torch = torch
        self.spec = spec
        self.interpreted = spec.backend == "interpreter"
        self.device = "cuda" if spec.backend == "cuda" else "cpu"
        self.compiler = None
        self.defaults_to_gpu = False
        if self.interpreted:
            torch.set_num_threads(1)
            pretend_gpu(torch)
            generators.install(torch)
            jit_function_shim.install()
            libdevice.install()
            logic.install()
            install_in_kernels(spec.text_path)
        if self.device == "cuda":
            # What torch itself does in no fixed order would be taken for a race.
            torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.benchmark = False
        if spec.backend == "compile":
            from tritonopt.verification.worker.compiling import Compiler

            self.compiler = Compiler()
        install()
        self.watch = Watch()
        self.interpreter = Interpreter() if self.interpreted else None
        self.module = load(
            Path(spec.path),
            spec.text,
            spec.text_path,
            # Triton compiles the text that stands in the file, which has no probes.
            lambda text: instrumented(text, spec.text_path) if self.compiler is None else text,
        )
        self.oracle = Oracle(spec.widened, spec.widened_names, self.module)
        launcher: Any = self.module
        for part in spec.launcher.split("."):
            launcher = getattr(launcher, part)
        if isinstance(launcher, type) and issubclass(launcher, torch.autograd.Function):
            launcher = getattr(launcher, "apply")  # noqa: B009  # a type to mypy
        self.launcher = launcher

    def backend(self) -> str:
        triton: Any = importlib.import_module("triton")
        versions = f"triton {triton.__version__}, torch {self.torch.__version__}"
        if self.compiler is not None:
            return f"compile: {', '.join(TARGETS)}, {versions}"
        if self.interpreted:
            return f"interpreter: {platform.processor() or platform.machine()}, {versions}"
        return f"cuda: {self.torch.cuda.get_device_name()}, {versions}"

    def run(self, example: Example, options: RunOptions) -> Outcome:
        """One call; again, with the GPU as the default device, where it needs that."""
        outcome = self._run(example, options)
        needs = outcome.failure is not None and _ON_CPU in outcome.failure.message
        if self.device == "cuda" and needs and not self.defaults_to_gpu:
            self.defaults_to_gpu = True
            outcome = self._run(example, options)
        return outcome

    def _run(self, example: Example, options: RunOptions) -> Outcome:
        from tritonopt.verification.worker.call_arguments import build_arguments
        from tritonopt.verification.worker.guarded_memory import (
            Allocations,
            Arena,
            also_in_backward,
        )
        from tritonopt.verification.worker.launch_hook import Session
        from tritonopt.verification.worker.probes import RECORDER
        from tritonopt.verification.worker.returned import plain_of
        from tritonopt.verification.worker.triton_interpreter.corrected import Access, accesses

        begin, compiled_before = time.perf_counter(), len(self.watch.compilations)
        # Rows that are far apart need the room, and little of it is looked at.
        arena = Arena(self.device, options.poison, math.inf if example.is_far else _MOST_BYTES)
        access = Access(poison_lanes=options.lanes, order=options.order)
        session = Session(arena, access, options, example.configuration, example.first_call)
        if self.compiler is not None:
            self.compiler.begin(arena)
        if options.widened:
            access.anywhere = True
            session.widened = lambda *launch: self.oracle.launch(*launch, nudge=options.nudge)
        arguments, tensors = build_arguments(
            example,
            arena,
            nudge=0 if options.widened else options.nudge,
        )
        if options.unsigned:
            with self.torch.no_grad():
                for tensor in tensors.values():
                    if tensor.is_floating_point():
                        tensor.abs_()
        allocations = Allocations(
            arena,
            pretend_cuda=self.device == "cpu",
            launching=lambda: session.depth > 0,
            using=session.host_uses,
        )
        result: Any = None
        gradients: Mapping[str, Any] = {}
        failure: Failure | None = None
        self._seed()
        RECORDER.begin()
        with (
            accesses(self.interpreter, access),
            allocations,
            also_in_backward(allocations),
            self.watch.watching(session),
            self.torch.set_grad_enabled(not example.no_grad),
            self.torch.device("cuda") if self.defaults_to_gpu else contextlib.nullcontext(),
        ):
            try:
                result = self.call(example, arguments)
                if example.backward:
                    gradients = self._gradients(example, result, tensors)
                if self.device == "cuda":
                    self.torch.cuda.synchronize()
            except (Exception, SystemExit) as error:
                failure = _failure(error)
                self._leave_if_poisoned(error)
        with self.torch.no_grad():
            outcome = Outcome(
                damage=(*arena.damage(), *dict.fromkeys(access.damage)),
                strays=tuple(dict.fromkeys(access.strays)),
                clashes=tuple(access.clashes),
                false_hints=tuple(dict.fromkeys(access.false_hints)),
                launches=tuple(session.launches),
                written=session.written,
                atomics=access.atomics,
                coverage=RECORDER.coverage(),
                retyped=tuple(dict.fromkeys(RECORDER.kernel.retyped)),
                failure=failure,
                notes=tuple(session.notes),
                configurations=session.configurations,
            )
            if failure is None:
                results = session.results(self.spec.results)
                try:
                    found = tuple(_outputs(arena, tensors, result, gradients, results))
                    outcome = dataclasses.replace(
                        outcome, outputs=found, plain=tuple(plain_of(result))
                    )
                except NotImplementedError as error:
                    outcome = dataclasses.replace(outcome, failure=_failure(error))
        del arguments, tensors, result, gradients
        gc.collect(0)
        compilations = self.watch.compilations[compiled_before:]
        return dataclasses.replace(
            outcome,
            seconds=time.perf_counter() - begin,
            compile_seconds=sum(compilations),
            compilations=len(compilations),
        )

    def _seed(self) -> None:
        """Whatever draws numbers draws the same ones in both versions, and in every run."""
        import random

        import numpy as np

        from tritonopt.verification.worker.triton_interpreter.generators import seed

        random.seed(0)
        np.random.seed(0)
        seed(self.torch)

    def call(self, example: Example, arguments: list[Any]) -> Any:
        if self.spec.autograd:
            return self.launcher(*arguments)
        # By name: parameters that keep their default may stand between these.
        names = [name for name, _ in example.arguments]
        return self.launcher(**dict(zip(names, arguments, strict=True)))

    def _gradients(
        self, example: Example, result: Any, tensors: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The gradients of the arguments, from drawn ones of what was returned."""
        from tritonopt.verification.worker.call_arguments import incoming_gradient
        from tritonopt.verification.worker.returned import tensors_of

        torch = self.torch
        outputs = [t for _, t in tensors_of(result) if t.requires_grad]
        wanted = {n: t for n, t in tensors.items() if t.requires_grad}
        if not outputs or not wanted:
            return {}
        seeds = [incoming_gradient(example, at, t) for at, t in enumerate(outputs)]
        found: dict[str, Any] = {}
        for place in ("", " (second backward)")[: 1 + example.second_backward]:
            again = example.second_backward and not place
            each = torch.autograd.grad(
                outputs, list(wanted.values()), seeds, allow_unused=True, retain_graph=again
            )
            found.update((n + place, g) for n, g in zip(wanted, each, strict=True))
        return {name: gradient for name, gradient in found.items() if gradient is not None}

    def _leave_if_poisoned(self, error: BaseException) -> None:
        """An illegal access ends the CUDA context: the process has no further use."""
        if self.device != "cuda":
            return
        try:
            self.torch.cuda.synchronize()
        except Exception:
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(70)


def _failure(error: BaseException) -> Failure:
    from tritonopt.verification.worker.guarded_memory import TooLarge
    from tritonopt.verification.worker.triton_interpreter.corrected import Refused

    refused = False
    cause: BaseException | None = error
    while cause is not None:
        # What the interpreter's builder does not have, it was never taught.
        unknown = isinstance(cause, AttributeError) and "InterpreterBuilder" in str(cause)
        refused = refused or unknown or isinstance(cause, (Refused, NotImplementedError))
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TooLarge):
        return Failure(TOO_LARGE, _explain(error), refused=True)
    if _is_out_of_memory(error):
        return Failure(OUT_OF_MEMORY, _explain(error), refused=True)
    return Failure(type(error).__name__, _explain(error), refused=refused)


def _is_out_of_memory(error: BaseException) -> bool:
    # On a CPU torch has no type of its own for it.
    if isinstance(error, RuntimeError) and "can't allocate memory" in str(error):
        return True
    return type(error).__name__ in (OUT_OF_MEMORY, "MemoryError")


def _outputs(
    arena: Any,
    tensors: Mapping[str, Any],
    result: Any,
    gradients: Mapping[str, Any],
    results: list[tuple[str, Any]],
) -> Iterator[Output]:
    """Everything that counts, each memory once, under its best-known name."""
    from tritonopt.verification.worker.guarded_memory import COMPARED
    from tritonopt.verification.worker.returned import tensors_of

    seen: set[tuple[object, ...]] = set()
    candidates = [
        *((f"argument {name}", tensor) for name, tensor in tensors.items()),
        *tensors_of(result),
        *((f"gradient of {name}", tensor) for name, tensor in gradients.items()),
        *((label, _whole(arena, tensor)) for label, tensor in results if tensor.dtype in COMPARED),
    ]
    for label, tensor in candidates:
        key = (tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype)
        if tensor.numel() and key in seen and not label.startswith("returned"):
            continue
        seen.add(key)
        yield _output(arena, label, tensor)


def _whole(arena: Any, tensor: Any) -> Any:
    """The allocation that a kernel's argument is a part of."""
    buffer = arena.buffer_of(tensor)
    return tensor if buffer is None else buffer.tensor


def _output(arena: Any, label: str, tensor: Any) -> Output:
    from tritonopt.verification.worker.guarded_memory import COMPARED, integer_view, patterns

    if tensor.dtype not in COMPARED or tensor.layout is not _torch().strided:
        kind = tensor.dtype if tensor.layout is _torch().strided else tensor.layout
        raise NotImplementedError(f"{label} is {kind}, which is not compared")
    buffer = arena.buffer_of(tensor)
    poisoned = None
    if buffer is not None and not buffer.written and buffer.tensor.dtype == tensor.dtype:
        poisoned = patterns(tensor.dtype)
    flat = tensor.detach().cpu().contiguous().view(-1)
    bits = integer_view(flat).numpy()
    return Output(
        label,
        COMPARED[tensor.dtype],
        tuple(tensor.shape),
        bits.view(f"u{bits.dtype.itemsize}").copy(),
        poisoned,
        tuple(tensor.stride()) if label.startswith("returned") else (),
    )


def _torch() -> Any:
    import torch

    return torch
