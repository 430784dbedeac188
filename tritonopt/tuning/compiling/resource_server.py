"""The process that compiles kernels for whoever asks what they need: JSON in, JSON out.

It imports the file, as launching the kernel would, and runs nothing of it beyond that.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from types import FunctionType
from typing import IO, Any

_TARGET = "sm_90"
_TYPES = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
_TYPES |= {"fp8e5": "float8_e5m2", "fp8e4nv": "float8_e4m3fn", "bool": "bool", "int1": "bool"}
_TYPES |= {f"int{bits}": f"int{bits}" for bits in (8, 16, 32, 64)}
_TYPES |= {f"uint{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)}


def serve(asked: IO[str], answers: IO[str]) -> None:
    """Until there is nothing more to read."""
    from tritonopt.verification.process.compiled_programs import TARGETS
    from tritonopt.verification.worker.compiling import Compiler

    compiler = Compiler()
    compiler.driver.device = list(TARGETS).index(_TARGET)
    loaded: dict[tuple[str, str], Any] = {}
    for line in asked:
        request = json.loads(line)
        try:
            key = request["path"], request["text"]
            if key not in loaded:
                loaded.clear()
                loaded[key] = _loaded(*key)
            answer = _answer(compiler, loaded[key], request)
        except (Exception, SystemExit) as error:  # whatever the file raises
            lines = str(error).strip().splitlines() or [""]
            answer = {"failure": f"{type(error).__name__}: {lines[-1][:200]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(compiler: Any, module: Any, request: Mapping[str, Any]) -> dict[str, object]:
    if "function" in request:
        return _longest(getattr(module, request["function"]))
    kernel = _kernel(module, request["kernel"])
    return {"needs": [_needs(compiler, kernel, setting) for setting in request["settings"]]}


def _longest(function: Any) -> dict[str, object]:
    """The longest row that it takes, and what it returns for that."""
    for length in (2**i for i in range(20, -1, -1)):
        try:
            returned = function(length)
            shorter = function(length // 2) if length == 2**20 else None
        except Exception:  # rows of that length are not for it
            continue
        if not isinstance(returned, tuple) or not all(type(n) is int for n in returned):
            raise TypeError(f"{function.__name__} returns something else than integers")
        if shorter is not None and shorter != returned:
            raise ValueError(f"{function.__name__} takes rows of any length")
        return {"length": length, "returned": returned}
    raise ValueError(f"{function.__name__} takes no row")


def _loaded(path: str, text: str) -> Any:
    from tritonopt.verification.worker.loading import load, name_of

    sys.modules.pop(name_of(Path(path), text).name, None)
    return load(Path(path), text, str(Path(path).resolve()))


def _kernel(module: Any, name: str) -> Any:
    kernel = attrgetter(name)(module)
    while not hasattr(kernel, "params"):
        kernel = kernel.fn  # below a tuner or heuristics
    return kernel


def _needs(compiler: Any, kernel: Any, setting: Mapping[str, Any]) -> dict[str, Any] | None:
    """None where the compiler refuses."""
    import torch
    import triton.language as tl

    from tritonopt.verification.worker.machine_code import statistics

    given: dict[str, Any] = dict(setting["numbers"])
    for name, dtype in setting["tensors"]:
        given[name] = torch.empty(16, dtype=getattr(torch, _TYPES[dtype]))
    for name, value in setting["constants"]:
        is_type = isinstance(value, str) and value.startswith("tl.")
        given[name] = getattr(tl, value.removeprefix("tl.")) if is_type else value
    options = {"num_warps": setting["warps"]}
    if setting["stages"] is not None:
        options["num_stages"] = setting["stages"]
    if setting["told"]:
        kernel = _told(kernel, frozenset(setting["told"]))
    try:
        compiled = compiler.original(kernel, grid=(1,), warmup=True, **given, **options)
        found = statistics(compiled)
        accesses = {
            key.removeprefix("global "): number
            for key, number in found.items()
            if key.startswith("global ")
        }
        stack = found["stack bytes (spills)"]
        return {"registers": found["registers"], "stack": stack, "accesses": accesses}
    except Exception:  # whatever a compiler raises
        return None


def _told(kernel: Any, names: frozenset[str]) -> Any:
    """The kernel, with nothing that keeps these parameters from the compiler."""
    old = kernel.fn
    new = FunctionType(
        old.__code__, old.__globals__, old.__name__, old.__defaults__, old.__closure__
    )
    new.__module__, new.__qualname__, new.__kwdefaults__ = (
        old.__module__,
        old.__qualname__,
        old.__kwdefaults__,
    )
    new.__annotations__ = {n: a for n, a in old.__annotations__.items() if n not in names}
    order = [p.name for p in kernel.params]
    left = {
        which: [
            entry
            for entry in getattr(kernel, which) or ()
            if (order[entry] if isinstance(entry, int) else entry) not in names
        ]
        for which in ("do_not_specialize", "do_not_specialize_on_alignment")
    }
    return type(kernel)(new, **left)


def main() -> None:
    # What the file prints is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(sys.stdin, answers)
