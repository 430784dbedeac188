"""What max-to-where says of compiled code and of types, against Triton for sm_90."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

SHORT = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"}

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    cols = tl.arange(0, B)
    x = tl.load(X + cols)
    y = {expression}
    tl.store(Y + cols, y)
"""


def compiled(expression: str, dtype: str, folder: Path) -> tuple[str, list[str]]:
    """(the type of the expression, the PTX instructions that compute it)"""
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    path = folder / "kernel.py"
    path.write_text(KERNEL.format(expression=expression))
    specification = importlib.util.spec_from_file_location("kernel", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    source = ASTSource(module.kernel, {"X": f"*{dtype}", "Y": f"*{dtype}"}, {"B": 128})
    asm = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm
    (result,) = re.findall(r"arith\.(?:maxnumf|minnumf|select).*tensor<128x(\w+)>", asm["ttir"])
    instructions = re.findall(r"\b((?:max|min|setp|selp)\.[.\w]+)", asm["ptx"])
    return result, sorted(set(instructions))


@pytest.mark.parametrize(
    ("old", "new", "dtype", "instruction"),
    [
        ("tl.maximum(x, 0.0)", "tl.where(x > 0.0, x, 0.0)", "fp32", "max.f32"),
        ("tl.maximum(x, 0.1)", "tl.where(x > 0.1, x, 0.1)", "fp32", "max.f32"),
        ("tl.minimum(x, 6)", "tl.where(x < 6, x, 6)", "fp32", "min.f32"),
        ("tl.maximum(x, 0.5)", "tl.where(x > 0.5, x, 0.5)", "fp64", "max.f64"),
    ],
)
def test_both_forms_are_one_instruction(
    old: str,
    new: str,
    dtype: str,
    instruction: str,
    tmp_path: Path,
) -> None:
    for expression in (old, new):
        assert compiled(expression, dtype, tmp_path) == (SHORT[dtype], [instruction])


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_the_maximum_of_narrow_floats_is_wide(dtype: str, tmp_path: Path) -> None:
    assert compiled("tl.maximum(x, 0.0)", dtype, tmp_path)[0] == "f32"
    assert compiled("tl.where(x > 0.0, x, 0.0)", dtype, tmp_path)[0] == SHORT[dtype]


def test_a_tenth_is_rounded_for_doubles(tmp_path: Path) -> None:
    """The maximum is taken with 0.1 as fp32, so that the two cannot be one instruction."""
    assert compiled("tl.maximum(x, 0.1)", "fp64", tmp_path)[1] == ["max.f64"]
    assert "max.f64" not in compiled("tl.where(x > 0.1, x, 0.1)", "fp64", tmp_path)[1]
