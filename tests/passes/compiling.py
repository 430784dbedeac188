"""Kernels compiled for a GPU that need not be here."""

from __future__ import annotations

import importlib.util
import itertools
import re
import subprocess
import tempfile
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.passes.cases import Case
from tritonopt import facts, source

_numbers = itertools.count()


def compiled(
    path: Path,
    dtype: str = "fp32",
    block: int = 32,
    capability: int = 90,
    number: str | int = "i32",
    *,
    flag: bool = True,
    others: Mapping[str, object] | None = None,
) -> str:
    """The PTX of the file's last kernel; `number` is the type of integers, or their value, and
    `flag` the constant for whatever is no size (BLOCK, B, C), and not among `others`. Without it a
    buffer B is None."""
    made = _compiled(path, dtype, block, capability, number, {}, others or {}, flag=flag)
    return str(made.asm["ptx"])


def resources(
    path: Path,
    dtype: str = "fp16",
    block: int = 64,
    num_stages: int = 4,
    others: Mapping[str, object] | None = None,
) -> tuple[int, int]:
    """Bytes of shared memory, and of registers spilled to the stack, on an H100.

    `others` are constants that are neither blocks nor switches.
    """
    import triton

    options: dict[str, object] = {"num_stages": num_stages, "num_warps": 8 if others else 4}
    kernel = _compiled(path, dtype, block, 90, "i32", options, others or {})
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(kernel.asm["cubin"])
        file.flush()
        tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
        command = [str(tool), "--dump-resource-usage", file.name]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    stack = re.search(r"STACK:(\d+)", told)
    assert stack is not None, told
    return int(kernel.metadata.shared), int(stack[1])


def check_compiles_where_the_original_did(
    case: Case, folder: Path, number: str | int, flag: bool, dtype: str = "fp32"
) -> None:
    """What a case becomes compiles, or the case itself did not."""
    if not flag and "constexpr" not in case.text.replace("BLOCK: tl.constexpr", ""):
        pytest.skip("it has no flag")
    before, after = case.written(folder)
    try:
        compiled(after, dtype, number=number, flag=flag)
    except Exception as error:  # whatever a compiler raises
        try:
            compiled(before, dtype, number=number, flag=flag)
        except Exception:
            pytest.skip(f"neither does the original compile: {error}")
        raise


def _compiled(
    path: Path,
    dtype: str,
    block: int,
    capability: int,
    number: str | int,
    options: dict[str, object],
    others: Mapping[str, object],
    *,
    flag: bool = True,
) -> Any:
    from triton import compile as compile_kernel
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    read = source.read(path.read_text(), path.name)
    pointers = facts.of(read.kernels[-1]).pointers
    kernel: Any = attrgetter(read.kernels[-1].qualname)(module_of(path))
    while not hasattr(kernel, "params"):
        kernel = kernel.fn  # below a tuner or heuristics
    signature: dict[str, str] = {}
    constants: dict[tuple[int, ...], object] = {}
    attributes: dict[tuple[int, ...], list[list[object]]] = {}
    for place, parameter in enumerate(kernel.params):
        if parameter.is_constexpr:
            signature[parameter.name] = "constexpr"
            other = True if parameter.name in ("B", "C") else flag
            is_block = "BLOCK" in parameter.name
            constants[(place,)] = block if is_block else others.get(parameter.name, other)
        elif parameter.name == "B" and not flag:
            signature[parameter.name] = "constexpr"
            constants[(place,)] = None
        elif parameter.name in pointers:
            signature[parameter.name] = f"*{dtype}"
        elif parameter.name in ("eps", "scale"):
            signature[parameter.name] = "fp32"
        elif isinstance(number, int):
            signature[parameter.name] = "constexpr"
            constants[(place,)] = number
        else:
            signature[parameter.name] = number
        if signature[parameter.name] != "constexpr":
            attributes[(place,)] = [["tt.divisibility", 16]]
    asked = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    return compile_kernel(asked, target=GPUTarget("cuda", capability, 32), options=options)


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"compiled_kernels_{next(_numbers)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
