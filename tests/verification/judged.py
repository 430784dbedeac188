"""References without a kernel, and kernels that compute them, or nearly."""

from __future__ import annotations

from dataclasses import dataclass

_HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

SOFTMAX = """\
import torch


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=1)
"""
SOFTMAX_IN_NUMPY = """\
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
"""
SOFTMAX_KERNEL = (
    _HEAD
    + """\
@triton.jit
def softmax_kernel(X, Y, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(X + row * stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * n + cols, e / tl.sum(e, axis=0), mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    softmax_kernel[(m,)](x, y, n, x.stride(0), BLOCK=triton.next_power_of_2(n))
    return y
"""
)

ROW_SUM = "import torch\n\n\ndef row_sum(x: torch.Tensor):\n    return x.sum(dim=-1)\n"
ROW_SUM_KERNEL = (
    _HEAD
    + """\
@triton.jit
def sum_kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, 0))


def row_sum(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=x.dtype)
    if m:
        sum_kernel[(m,)](x, y, n, BLOCK=128)
    return y
"""
)

ARGMAX = "import torch\n\n\ndef best(x: torch.Tensor):\n    return torch.argmax(x, dim=1)\n"
ARGMAX_KERNEL = (
    _HEAD
    + """\
@triton.jit
def argmax_kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + cols, mask=cols < n, other=-float("inf"))
    tl.store(Y + row, tl.argmax(x, 0).to(tl.int64))


def best(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty((m,), device=x.device, dtype=torch.int64)
    if m:
        argmax_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""
)

GELU = """\
import torch
import torch.nn.functional as F


def gelu(x: torch.Tensor):
    return F.gelu(x)
"""
GELU_KERNEL = (
    _HEAD
    + """\
@triton.jit
def gelu_kernel(X, Y, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < size).to(tl.float32)
    y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(Y + at, y, mask=at < size)


def gelu(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
"""
)
_TANH = (
    "y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))",
    "y = x * tl.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x))",
)

BIAS = """\
import torch


def bias_relu(x, b):
    \"\"\"x: (m, n), b: (n,)\"\"\"
    return torch.relu(x + b)
"""
BIAS_KERNEL = (
    _HEAD
    + """\
@triton.jit
def bias_kernel(X, B, Y, size, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < size)
    b = tl.load(B + at % n, mask=at < size)
    tl.store(Y + at, tl.maximum(x + b, 0.0), mask=at < size)


def bias_relu(x, b):
    x, b = x.contiguous(), b.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        bias_kernel[(triton.cdiv(x.numel(), 128),)](x, b, y, x.numel(), b.shape[0], BLOCK=128)
    return y
"""
)

MATMUL = "import torch\n\n\ndef matmul(a: torch.Tensor, b: torch.Tensor):\n    return a @ b\n"
MATMUL_KERNEL = (
    _HEAD
    + """\
@triton.jit
def matmul_kernel(A, B, C, m, n, k, sa, ta, sb, tb, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    cols = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    acc = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, k, TILE):
        right = start + tl.arange(0, TILE)[None, :]
        down = start + tl.arange(0, TILE)[:, None]
        a = tl.load(A + rows * sa + right * ta, mask=(rows < m) & (right < k), other=0.0)
        b = tl.load(B + down * sb + cols * tb, mask=(down < k) & (cols < n), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(C + rows * n + cols, acc.to(C.dtype.element_ty), mask=(rows < m) & (cols < n))


def matmul(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    k, n = b.shape
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    if m * n:
        matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), TILE=16)
    return c
"""
)

NORM = """\
import torch


class Model(torch.nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.norm = torch.nn.LayerNorm(n)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.rand(8, 96)]


def get_init_inputs():
    return [96]
"""
NORM_KERNEL = (
    _HEAD
    + """\
@triton.jit
def norm_kernel(X, W, B, Y, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(X + row * n + cols, mask=mask, other=0.0)
    d = tl.where(mask, x - tl.sum(x, 0) / n, 0.0)
    y = d / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    w = tl.load(W + cols, mask=mask, other=0.0)
    b = tl.load(B + cols, mask=mask, other=0.0)
    tl.store(Y + row * n + cols, y * w + b, mask=mask)


class ModelNew(torch.nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.norm = torch.nn.LayerNorm(n)

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        weight, bias, eps = self.norm.weight, self.norm.bias, self.norm.eps
        norm_kernel[(m,)](x, weight, bias, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y
"""
)


@dataclass(frozen=True)
class Judged:
    """A reference, a kernel for it, and a change that makes another function of it."""

    name: str
    reference: str
    kernel: str
    wrong: tuple[str, str]
    quick: bool = False
    require: str = "equivalent"
    """What refuses the other function."""


JUDGED = [
    Judged("softmax", SOFTMAX, SOFTMAX_KERNEL, ("e / tl.sum", "1.0001 * e / tl.sum"), True),
    Judged("numpy", SOFTMAX_IN_NUMPY, SOFTMAX_KERNEL, ("x - tl.max(x, axis=0)", "x")),
    Judged("sum", ROW_SUM, ROW_SUM_KERNEL, ("mask=cols < n,", "mask=cols < n - n // 129,")),
    Judged("argmax", ARGMAX, ARGMAX_KERNEL, ('-float("inf")', "0.0")),
    Judged("gelu", GELU, GELU_KERNEL, _TANH),
    Judged("broadcast", BIAS, BIAS_KERNEL, ("at % n", "at // n")),
    Judged("matmul", MATMUL, MATMUL_KERNEL, ("*b.stride()", "n, 1"), require="layouts"),
    Judged("module", NORM, NORM_KERNEL, ("y * w + b", "y"), True),
]
