"""What the compiler makes of rows that several programs share, for GPUs that need not be here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.passes.cases import Case, case, rewritten
from tests.passes.compiling import module_of
from tritonopt import facts, source

CASES = rewritten("split-reduce")
INTEGERS = {"partial_count", "partial_best", "I"}
TILES = {"BLOCK": 64, "ROWS": 4, "HAS": True}


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", ["mean_of_rows", "index_of_the_largest", "grid_of_two_axes"])
def test_one_program_to_a_row_is_compiled_to_what_it_was(name: str, tmp_path: Path) -> None:
    before, after = case(f"split-reduce/{name}").written(tmp_path)
    assert ptx(after, "kernel", 1) == ptx(before, "kernel", 1)


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_several_programs_to_a_row_compile(case: Case, tmp_path: Path) -> None:
    _, path = case.written(tmp_path)
    assert any(".entry" in line for line in ptx(path, "kernel", 16))
    assert any(".entry" in line for line in ptx(path, "kernel_final", 16))


def ptx(path: Path, name: str, splits: int) -> list[str]:
    """The instructions of a kernel, without what says from which line they come."""
    from triton import compile as compile_kernel
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    read = source.read(path.read_text(), path.name)
    (found,) = (kernel for kernel in read.kernels if kernel.name == name)
    pointers = facts.of(found).pointers
    kernel: Any = getattr(module_of(path), name)
    kernel = getattr(kernel, "fn", kernel) if hasattr(kernel, "configs") else kernel
    integers = path.name.startswith(("integers", "atomics_integers", "atomics_least"))
    signature: dict[str, str] = {}
    constants: dict[tuple[int, ...], object] = {}
    for place, parameter in enumerate(kernel.params):
        if parameter.is_constexpr:
            signature[parameter.name] = "constexpr"
            constants[(place,)] = {**TILES, "SPLITS": splits}[parameter.name]
        elif parameter.name.startswith("partial") and splits == 1:
            signature[parameter.name] = "constexpr"
            constants[(place,)] = None
        elif parameter.name in pointers:
            signature[parameter.name] = (
                "*i32" if integers or parameter.name in INTEGERS else "*fp32"
            )
        else:
            signature[parameter.name] = "fp32" if parameter.name in ("eps", "limit") else "i32"
    made = compile_kernel(ASTSource(kernel, signature, constants), GPUTarget("cuda", 90, 32))
    lines = (line.strip() for line in str(made.asm["ptx"]).splitlines())
    kept = [line for line in lines if line and not line.startswith((".loc", ".file", "//", "$L"))]
    return kept[: next(n for n, line in enumerate(kept) if ".section" in line)]
