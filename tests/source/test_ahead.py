"""What rests on the parameters that a kernel has, other than a launch."""

from __future__ import annotations

import pytest

from tritonopt import source

HEAD = """\
import inspect
import triton
from triton.compiler import ASTSource
from triton.compiler import ASTSource as Source
from elsewhere import register


@triton.jit
def K(x, n):
    pass


"""


def is_noticed(text: str) -> bool:
    (kernel,) = source.read(HEAD + text).kernels
    return kernel.signature_use is not None


@pytest.mark.parametrize(
    "use",
    [
        "ASTSource(fn=K, signature={'x': '*fp32'})",
        "Source(K, {'x': '*fp32'})",
        "triton.compile(K, signature='*fp32')",
        "triton.compiler.compile(K)",
        "build(K, signature='*fp32')",
        "k = K\nSource(k, {})",
        "TABLE = [K]\ntriton.compile(TABLE[0])",
        "def build(k):\n    return ASTSource(k)\nbuild(K)",
        "TABLE = [K]\nrun(['python', '-m', 'triton.tools.compile', __file__])",
        "K.warmup(1, 2, grid=(1,))",
        "K.run(1, 2, grid=(1,), warmup=False)",
        "K.preload(data)",
        "K.fn",
        "K.arg_names",
        "inspect.signature(K)",
        "inspect.getsource(K)",
    ],
)
def test_it_is_noticed(use: str) -> None:
    assert is_noticed(use)


@pytest.mark.parametrize(
    "use",
    [
        "",
        "def run(x):\n    K[(1,)](x, 1)",
        "TABLE = [K]",
        "register(K)",
        "k = triton.autotune([], [])(K)",
        "def run(x):\n    return K",
    ],
)
def test_it_is_not_noticed(use: str) -> None:
    assert not is_noticed(use)
