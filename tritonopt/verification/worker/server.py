"""The worker process: loads one version of a file, and runs its launcher on examples.

Started by `client.Worker`, which talks to it over a socket. Everything that
touches torch or triton happens here, so that a crash costs one process.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import os
import platform
import time
from multiprocessing.connection import Connection
from typing import Any

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.compiled_programs import TARGETS, Launch, Program
from tritonopt.verification.process.messages import (
    Attempt,
    Failure,
    Outcome,
    RunOptions,
    VersionSpec,
)
from tritonopt.verification.worker.failures import explain


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
            answer = ("error", Failure(type(error).__name__, explain(error)))
        connection.send(answer)


class Server:
    """What a worker can be asked. Method names are the requests."""

    def __init__(self) -> None:
        self.version: Version | None = None

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
            self.version = Version(spec)
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


_ON_CPU = "cpu tensor"
"""What Triton says of a tensor that was made without a device: whoever calls such a launcher has
made the GPU the default."""


class Version:
    """One version of the file, loaded and patched."""

    def __init__(self, spec: VersionSpec) -> None:
        import warnings
        from pathlib import Path

        import torch

        from tritonopt.verification.worker.launch_hook import Watch
        from tritonopt.verification.worker.loading import load
        from tritonopt.verification.worker.oracle import Oracle
        from tritonopt.verification.worker.probes import install, instrumented
        from tritonopt.verification.worker.triton_interpreter.corrected import Interpreter

        warnings.filterwarnings("ignore")
        self.torch = torch
        self.spec = spec
        self.interpreted = spec.backend == "interpreter"
        self.device = "cuda" if spec.backend == "cuda" else "cpu"
        self.compiler = None
        self.defaults_to_gpu = False
        _prepare(torch, spec)
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
        self.launcher = _launcher(torch, self.module, spec.launcher)

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
        from tritonopt.verification.worker.one_call import OneCall

        begin, compiled_before = time.perf_counter(), len(self.watch.compilations)
        call = OneCall(self, example, options)
        outcome = call.outcome(call.run())
        del call
        gc.collect(0)
        compilations = self.watch.compilations[compiled_before:]
        return dataclasses.replace(
            outcome,
            seconds=time.perf_counter() - begin,
            compile_seconds=sum(compilations),
            compilations=len(compilations),
        )


def _prepare(torch: Any, spec: VersionSpec) -> None:
    """Patch what the file is about to import, as the backend needs it."""
    from tritonopt.verification.worker.probes import install_in_kernels
    from tritonopt.verification.worker.triton_interpreter import (
        generators,
        jit_function_shim,
        libdevice,
        logic,
        repeated_work,
    )
    from tritonopt.verification.worker.triton_interpreter.corrected import pretend_gpu

    if spec.backend == "interpreter":
        torch.set_num_threads(1)
        pretend_gpu(torch)
        generators.install(torch)
        jit_function_shim.install()
        libdevice.install()
        logic.install()
        repeated_work.install()
        install_in_kernels(spec.text_path)
    if spec.backend == "cuda":
        # What torch itself does in no fixed order would be taken for a race.
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False


def _launcher(torch: Any, module: Any, name: str) -> Any:
    """What a module calls by a dotted name."""
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, type) and issubclass(found, torch.autograd.Function):
        return getattr(found, "apply")  # noqa: B009  # a type to mypy
    return found
