"""Rewrites made by hand, before and after, on a GPU: what would a pass gain, and where lose?

    python benchmarks/by_hand.py [--only WORD] [--runs 24] [--seconds 190] [--out FILE]

Each kernel here has its variants as constexpr switches, which leave nothing in the compiled code.
Variants run in turn on random data, each after the L2 cache was flushed. Reported are medians, the
ratio original / variant of neighboring runs with its 10th and 90th percentile, the largest
error against torch in fp32 or fp64, and whether a variant has the bits of the original.

Needs torch and triton alone. With TRITON_INTERPRET=1 small sizes run on the CPU, untimed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
FLUSHED_BYTES = 512 * 2**20
LOG2_E = tl.constexpr(1.4426950408889634)


# --- attention


@triton.jit
def _seen(qk, cols, rows, S, CAUSAL: tl.constexpr):
    keep = cols[None, :] < S
    if CAUSAL:
        keep = keep & (cols[None, :] <= rows[:, None])
    return tl.where(keep, qk, float("-inf"))


@triton.jit
def _key_tile(
    q, acc, total, m, K, V, start, edge, rows, S, scale,
    D: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
    EXP2: tl.constexpr, LATE: tl.constexpr, ON_Q: tl.constexpr, FMA: tl.constexpr,
    BRANCH: tl.constexpr,
):  # fmt: skip
    cols = start + tl.arange(0, BN)
    dims = tl.arange(0, D)
    if MASKED:
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < S, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < S, other=0.0)
    else:
        k = tl.load(K + cols[None, :] * D + dims[:, None])
        v = tl.load(V + cols[:, None] * D + dims[None, :])
    qk = tl.dot(q, k)
    if not ON_Q and not FMA:
        qk = qk * scale
    if MASKED and BRANCH:
        if start + BN > edge:
            qk = _seen(qk, cols, rows, S, CAUSAL)
    elif MASKED:
        qk = _seen(qk, cols, rows, S, CAUSAL)
    if FMA:
        m_new = tl.maximum(m, tl.max(qk, 1) * scale)
        qk = qk * scale - m_new[:, None]
    else:
        m_new = tl.maximum(m, tl.max(qk, 1))
        qk = qk - m_new[:, None]
    if EXP2 == "apart":
        p = tl.exp2(qk * LOG2_E)
        alpha = tl.exp2((m - m_new) * LOG2_E)
    elif EXP2:
        p = tl.exp2(qk)
        alpha = tl.exp2(m - m_new)
    else:
        p = tl.exp(qk)
        alpha = tl.exp(m - m_new)
    grown = total * alpha + tl.sum(p, 1)
    if LATE:
        acc = acc * alpha[:, None]
    else:
        p = p / grown[:, None]
        acc = acc * (total * alpha / grown)[:, None]
    acc += tl.dot(p.to(v.dtype), v)
    return acc, grown, m_new


@triton.jit
def attention(
    Q, K, V, Out, S, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
    SPLIT: tl.constexpr = False, EXP2: tl.constexpr = False, LATE: tl.constexpr = True,
    ON_Q: tl.constexpr = False, FMA: tl.constexpr = False, BRANCH: tl.constexpr = False,
):  # fmt: skip
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * S * D
    K += head
    V += head
    rows = tile * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    at = rows[:, None] * D + dims[None, :]
    q = tl.load(Q + head + at, mask=rows[:, None] < S, other=0.0)
    if EXP2 and EXP2 != "apart":
        scale = scale * LOG2_E
    if ON_Q:
        q = (q * scale).to(q.dtype)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = S
    edge = S  # columns before it are seen by every row of the tile
    if CAUSAL:
        end = tl.minimum(S, (tile + 1) * BM)
        edge = tl.minimum(S, tile * BM + 1)
    begin = 0
    if SPLIT:
        begin = edge // BN * BN
        for start in range(0, begin, BN):
            acc, total, m = _key_tile(
                q, acc, total, m, K, V, start, edge, rows, S, scale,
                D, BN, CAUSAL, False, EXP2, LATE, ON_Q, FMA, BRANCH,
            )  # fmt: skip
    for start in range(begin, end, BN):
        acc, total, m = _key_tile(
            q, acc, total, m, K, V, start, edge, rows, S, scale,
            D, BN, CAUSAL, True, EXP2, LATE, ON_Q, FMA, BRANCH,
        )  # fmt: skip
    if LATE:
        acc = acc / total[:, None]
    tl.store(Out + head + at, acc.to(Out.dtype.element_ty), mask=rows[:, None] < S)


# --- quantization


@triton.jit
def _quantized(y, INT8: tl.constexpr):
    if INT8:
        y = tl.where(y >= 0, y + 0.5, y - 0.5)
    return y


@triton.jit
def quantize_groups(
    X, Y, SCALES, GROUPS,
    G: tl.constexpr, ROWS: tl.constexpr, LIMIT: tl.constexpr, INT8: tl.constexpr,
    TWICE: tl.constexpr = False,
):  # fmt: skip
    """A group, or ROWS of them, a program; TWICE loads again after the scale is stored."""
    if ROWS == 1:
        group = tl.program_id(0)
        at = group * G + tl.arange(0, G)
        x = tl.load(X + at).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / LIMIT
        if TWICE:
            tl.store(SCALES + group, scale)
            x = tl.load(X + at).to(tl.float32)
        y = _quantized(x / scale, INT8)
        tl.store(Y + at, y.to(Y.dtype.element_ty))
        if not TWICE:
            tl.store(SCALES + group, scale)
    else:
        groups = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        at = groups * G + tl.arange(0, G)[None, :]
        x = tl.load(X + at, mask=groups < GROUPS, other=0.0).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=1, keep_dims=True), 1e-10) / LIMIT
        if TWICE:
            tl.store(SCALES + groups, scale, mask=groups < GROUPS)
            x = tl.load(X + at, mask=groups < GROUPS, other=0.0).to(tl.float32)
        y = _quantized(x / scale, INT8)
        tl.store(Y + at, y.to(Y.dtype.element_ty), mask=groups < GROUPS)
        if not TWICE:
            tl.store(SCALES + groups, scale, mask=groups < GROUPS)


@triton.jit
def quantize_tokens(
    X, Y, SCALES, N,
    BLOCK: tl.constexpr, LIMIT: tl.constexpr, INT8: tl.constexpr, LOOPS: tl.constexpr,
    TWICE: tl.constexpr = False,
):  # fmt: skip
    """A token a program: in one tile, or in a loop for the maximum and one that quantizes."""
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    cols = tl.arange(0, BLOCK)
    if LOOPS:
        largest = tl.zeros([BLOCK], tl.float32)
        for start in range(0, N, BLOCK):
            at = start + cols
            x = tl.load(X + at, mask=at < N, other=0.0).to(tl.float32)
            largest = tl.maximum(largest, tl.abs(x))
        scale = tl.maximum(tl.max(largest, axis=0), 1e-10) / LIMIT
        for start in range(0, N, BLOCK):
            at = start + cols
            x = tl.load(X + at, mask=at < N, other=0.0).to(tl.float32)
            tl.store(Y + at, _quantized(x / scale, INT8).to(Y.dtype.element_ty), mask=at < N)
        tl.store(SCALES + row, scale)
    else:
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / LIMIT
        tl.store(SCALES + row, scale)
        if TWICE:
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, _quantized(x / scale, INT8).to(Y.dtype.element_ty), mask=cols < N)


# --- masks that are always true


@triton.jit
def _product_tile(a, b, acc, left, depth, WHOLE: tl.constexpr):
    if WHOLE:
        x = tl.load(a)
        y = tl.load(b)
    else:
        x = tl.load(a, mask=depth[None, :] < left, other=0.0)
        y = tl.load(b, mask=depth[:, None] < left, other=0.0)
    return tl.dot(x, y, acc)


@triton.jit
def matmul(
    A, B, C, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MODE: tl.constexpr,
):  # fmt: skip
    """MODE: "masked" (each tile of K), "even" (none), "peeled" (the last tile apart)."""
    width = 8 * tl.cdiv(N, BN)
    first = tl.program_id(0) // width * 8
    height = tl.minimum(tl.cdiv(M, BM) - first, 8)
    rows = (first + tl.program_id(0) % width % height) * BM + tl.arange(0, BM)
    cols = tl.program_id(0) % width // height * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a = A + (rows % M)[:, None] * sam + depth[None, :] * sak
    b = B + depth[:, None] * sbk + (cols % N)[None, :] * sbn
    acc = tl.zeros([BM, BN], tl.float32)
    whole = tl.cdiv(K, BK)
    if MODE == "peeled":
        whole = K // BK
    for k in range(whole):
        acc = _product_tile(a, b, acc, K - k * BK, depth, MODE != "masked")
        a += BK * sak
        b += BK * sbk
    if MODE == "peeled" and whole * BK < K:
        acc = _product_tile(a, b, acc, K - whole * BK, depth, False)
    at = C + rows[:, None] * scm + cols[None, :] * scn
    tl.store(at, acc.to(C.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def _row_tile(X, at, N, WHOLE: tl.constexpr):
    x = tl.load(X + at) if WHOLE else tl.load(X + at, mask=at < N, other=float("-inf"))
    return x.to(tl.float32)


@triton.jit
def softmax(X, Y, N, BLOCK: tl.constexpr, MODE: tl.constexpr):
    """Online, then a second loop; MODE as for `matmul`."""
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    cols = tl.arange(0, BLOCK)
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    whole = 0
    if MODE == "even":
        whole = N
    if MODE == "peeled":
        whole = N // BLOCK * BLOCK
    if MODE != "masked":
        for start in range(0, whole, BLOCK):
            x = _row_tile(X, start + cols, N, True)
            new = tl.maximum(m, x)
            total = total * tl.exp(m - new) + tl.exp(x - new)
            m = new
    if MODE != "even":
        for start in range(whole, N, BLOCK):
            x = _row_tile(X, start + cols, N, False)
            new = tl.maximum(m, x)
            total = total * tl.exp(m - new) + tl.exp(x - new)
            m = new
    top = tl.max(m, axis=0)
    total = tl.sum(total * tl.exp(m - top), axis=0)
    if MODE != "masked":
        for start in range(0, whole, BLOCK):
            y = tl.exp(_row_tile(X, start + cols, N, True) - top) / total
            tl.store(Y + start + cols, y.to(Y.dtype.element_ty))
    if MODE != "even":
        for start in range(whole, N, BLOCK):
            at = start + cols
            y = tl.exp(_row_tile(X, at, N, False) - top) / total
            tl.store(Y + at, y.to(Y.dtype.element_ty), mask=at < N)


# --- cases


@dataclass(frozen=True)
class Launch:
    kernel: Any
    grid: tuple[int, ...]
    args: tuple[Any, ...]
    meta: dict[str, Any]

    def __call__(self) -> Any:
        return self.kernel[self.grid](*self.args, **self.meta)

    @property
    def key(self) -> str:
        """What it is compiled for: equal keys are compiled once."""
        seen = [
            str(a.dtype) if isinstance(a, torch.Tensor) else (type(a), a == 1, a % 16 == 0)
            for a in self.args
        ]
        return f"{self.kernel.__name__} {seen} {self.meta}"

    def compile(self) -> None:
        args = [a.dtype if isinstance(a, torch.Tensor) else a for a in self.args]
        self.kernel.warmup(*args, grid=self.grid, **self.meta)


@dataclass
class Case:
    """Variants of one computation; the first is the original."""

    label: str
    outputs: list[torch.Tensor]
    error: Callable[[], float]
    bound: float
    variants: dict[str, Launch] = field(default_factory=dict)

    def add(self, name: str, kernel: Any, grid: tuple[int, ...], args: Any, **meta: Any) -> None:
        self.variants[name] = Launch(kernel, grid, tuple(args), meta)


def random(*shape: int, device: str, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(*shape, device=device).to(dtype)


ATTENTION = {  # library style, or normalized in each iteration, or as in Triton's tutorial 06
    "library": {},
    "exp2": {"EXP2": True},
    "exp2, not folded": {"EXP2": "apart"},
    "exp2, not folded, branch": {"EXP2": "apart", "BRANCH": True},
    "split": {"SPLIT": True},
    "branch around the mask": {"BRANCH": True},
    "scale on q": {"ON_Q": True},
    "exp2, scale on q": {"EXP2": True, "ON_Q": True},
    "scale in fma": {"FMA": True},
    "exp2, scale in fma": {"EXP2": True, "FMA": True},
    "exp2, split": {"EXP2": True, "SPLIT": True},
    "exp2, branch": {"EXP2": True, "BRANCH": True},
    "all, scale on q": {"EXP2": True, "ON_Q": True, "SPLIT": True},
    "all, scale in fma": {"EXP2": True, "FMA": True, "SPLIT": True},
    "all, scale in fma, branch": {"EXP2": True, "FMA": True, "BRANCH": True},
    "normalized early": {"LATE": False},
}


def attentions(device: str) -> Iterator[Case]:
    lengths = (1024, 2048, 4096, 8192) if not INTERPRETED else (96,)
    for d in (64, 128) if not INTERPRETED else (32,):
        for causal in (True, False):
            for s in lengths:
                heads = max(16, 2**17 // s) if not INTERPRETED else 2
                for tiles in ((128, 64), (64, 64)) if not INTERPRETED else ((32, 16),):
                    yield attention_case(device, d, causal, s, heads, tiles)


def attention_case(
    device: str, d: int, causal: bool, s: int, heads: int, tiles: tuple[int, int]
) -> Case:
    dtype = torch.float16 if INTERPRETED else torch.bfloat16
    q, k, v = (random(heads, s, d, device=device, dtype=dtype) for _ in range(3))
    out = torch.empty_like(q)

    def error() -> float:
        worst = 0.0
        for head in (0, heads - 1):
            scores = q[head].float() @ k[head].float().T * d**-0.5
            if causal:
                seen = torch.ones(s, s, dtype=torch.bool, device=device).tril()
                scores = scores.masked_fill(~seen, -math.inf)
            right = torch.softmax(scores, -1) @ v[head].float()
            worst = max(worst, (out[head].float() - right).abs().max().item())
        return worst

    bm, bn = tiles
    label = f"attention d={d} {'causal' if causal else 'full'} s={s} heads={heads} tile={bm}x{bn}"
    case = Case(label, [out], error, 3e-2)
    warps = 8 if bm == 128 else 4
    for name, switches in ATTENTION.items():
        case.add(
            name, attention, (-(-s // bm), heads), (q, k, v, out, s, d**-0.5),
            D=d, BM=bm, BN=bn, CAUSAL=causal, **switches, num_warps=warps, num_stages=3,
        )  # fmt: skip
    return case


def quantizations(device: str) -> Iterator[Case]:
    shapes = ((8192, 2048), (4096, 7168), (256, 2048)) if not INTERPRETED else ((6, 256),)
    for int8 in (False, True):
        for m, n in shapes:
            yield group_case(device, m, n, int8)
        for m, n in ((8192, 4096), (8192, 2048), (2048, 7168)) if not INTERPRETED else ((4, 256),):
            yield token_case(device, m, n, int8)


def quantized_outputs(
    x: torch.Tensor, groups: int, int8: bool
) -> tuple[torch.Tensor, torch.Tensor, Callable[[], float], float]:
    limit = 127.0 if int8 else 448.0
    y = torch.empty(x.shape, device=x.device, dtype=torch.int8 if int8 else torch.float8_e4m3fn)
    scales = torch.empty(groups, device=x.device)

    def error() -> float:
        rows = x.reshape(groups, -1).double()
        largest = rows.abs().amax(1, keepdim=True).clamp(min=1e-10)
        found = y.float().reshape(groups, -1).double() * scales.double()[:, None]
        off = ((found - rows).abs() / largest).max().item()
        of_scales = (scales.double()[:, None] * limit / largest - 1).abs().max().item()
        return max(off, of_scales)

    step = 65 / 448 if INTERPRETED else 17 / 448  # the interpreter truncates to fp8
    return y, scales, error, 0.51 / 127 if int8 else step


def group_case(device: str, m: int, n: int, int8: bool) -> Case:
    g, groups = 128, m * n // 128
    x = random(m, n, device=device, dtype=torch.bfloat16)
    y, scales, error, bound = quantized_outputs(x, groups, int8)
    case = Case(
        f"quantize {'int8' if int8 else 'fp8'} groups of 128 [{m}, {n}]", [y, scales], error, bound
    )
    limit = 127.0 if int8 else 448.0

    def add(name: str, rows: int, warps: int, twice: bool = False) -> None:
        case.add(
            name, quantize_groups, (-(-groups // rows),), (x, y, scales, groups),
            G=g, ROWS=rows, LIMIT=limit, INT8=int8, TWICE=twice, num_warps=warps,
        )  # fmt: skip

    add("1 group, 4 warps", 1, 4)
    add("1 group, 4 warps, two loads", 1, 4, True)
    add("1 group, 1 warp", 1, 1)
    for rows, warps in ((4, 1), (8, 1), (8, 4), (16, 4), (32, 4), (32, 8), (64, 4), (64, 8)):
        add(f"{rows} groups, {warps} warp{'s' * (warps > 1)}", rows, warps)
    add("16 groups, 4 warps, two loads", 16, 4, True)
    return case


def token_case(device: str, m: int, n: int, int8: bool) -> Case:
    x = random(m, n, device=device, dtype=torch.bfloat16)
    y, scales, error, bound = quantized_outputs(x, m, int8)
    case = Case(
        f"quantize {'int8' if int8 else 'fp8'} tokens [{m}, {n}]", [y, scales], error, bound
    )
    limit = 127.0 if int8 else 448.0

    def add(name: str, block: int, warps: int, loops: bool, twice: bool = False) -> None:
        case.add(
            name, quantize_tokens, (m,), (x, y, scales, n),
            BLOCK=block, LIMIT=limit, INT8=int8, LOOPS=loops, TWICE=twice, num_warps=warps,
        )  # fmt: skip

    whole = triton.next_power_of_2(n)
    add("one tile, 4 warps", whole, 4, False)
    add("one tile, 4 warps, two loads", whole, 4, False, True)
    add("one tile, 8 warps", whole, 8, False)
    add("one tile, 16 warps", whole, 16, False)
    add("two loops of 1024, 4 warps", min(whole, 1024), 4, True)
    return case


def masks(device: str) -> Iterator[Case]:
    sizes = (
        ((4096, 4096, 4096), (1024, 4096, 14336), (8192, 8192, 512), (4096, 4096, 4112))
        if not INTERPRETED
        else ((48, 32, 64), (48, 32, 72))
    )
    for m, n, k in sizes:
        for tiles in ((128, 128, 64, 8, 3), (64, 64, 32, 4, 4)):
            yield matmul_case(device, m, n, k, tiles if not INTERPRETED else (16, 16, 32, 4, 3))
    rows = 4096 if not INTERPRETED else 3
    for n in (4096, 16384, 50048, 50257) if not INTERPRETED else (128, 100):
        yield softmax_case(device, rows, n)


def matmul_case(device: str, m: int, n: int, k: int, tiles: tuple[int, int, int, int, int]) -> Case:
    bm, bn, bk, warps, stages = tiles
    dtype = torch.float16 if INTERPRETED else torch.bfloat16
    a = random(m, k, device=device, dtype=dtype)
    b = random(k, n, device=device, dtype=dtype)
    c = torch.empty(m, n, device=device, dtype=dtype)

    def error() -> float:
        right = a.float() @ b.float()
        return ((c.float() - right).abs().max() / right.abs().max()).item()

    case = Case(f"matmul {m}x{n}x{k} tile={bm}x{bn}x{bk}", [c], error, 5e-3)
    strides = (*a.stride(), *b.stride(), *c.stride())
    for mode in ("masked", "even", "peeled"):
        if mode == "even" and k % bk:
            continue
        case.add(
            mode, matmul, (-(-m // bm) * -(-n // bn),), (a, b, c, m, n, k, *strides),
            BM=bm, BN=bn, BK=bk, MODE=mode, num_warps=warps, num_stages=stages,
        )  # fmt: skip
    return case


def softmax_case(device: str, m: int, n: int) -> Case:
    dtype = torch.float16 if INTERPRETED else torch.bfloat16
    x = random(m, n, device=device, dtype=dtype)
    y = torch.empty_like(x)

    def error() -> float:
        right = torch.softmax(x.float(), -1)
        return ((y.float() - right).abs() / right.amax(-1, keepdim=True)).max().item()

    case = Case(f"softmax loop [{m}, {n}]", [y], error, 6e-3)
    block = 1024 if not INTERPRETED else 64
    for mode in ("masked", "even", "peeled"):
        if mode == "even" and n % block:
            continue
        case.add(mode, softmax, (m,), (x, y, n), BLOCK=block, MODE=mode, num_warps=4)
    return case


def cases(device: str, only: str) -> Iterator[Case]:
    for section in (quantizations, masks, attentions):
        yield from (case for case in section(device) if only in case.label)


# --- measuring


def distinct(only: str) -> list[Launch]:
    """The launches to compile, one of each; on the device "meta" tensors have no memory."""
    found = {}
    for case in cases("meta", only):
        for launch in case.variants.values():
            found.setdefault(launch.key, launch)
    return list(found.values())


def compile_share(only: str, share: str) -> None:
    index, count = map(int, share.split("/"))
    for launch in distinct(only)[index::count]:
        try:
            launch.compile()
        except Exception as error:  # the measuring process reports it
            print(f"{launch.key}: {error}", file=sys.stderr)


def compile_all(only: str) -> None:
    """In processes beside this one, into Triton's cache."""
    count = max(1, min(14, (os.cpu_count() or 2) - 2))
    command = [sys.executable, str(Path(__file__).resolve()), "--only", only, "--compile"]
    started = [subprocess.Popen([*command, f"{i}/{count}"]) for i in range(count)]
    for process in started:
        process.wait()


def checked(case: Case) -> dict[str, dict[str, Any]]:
    """Each variant once: is it right, has it the original's bits, what does it use?"""
    found: dict[str, dict[str, Any]] = {}
    bits: list[torch.Tensor] = []
    for name, launch in case.variants.items():
        for output in case.outputs:
            output.view(torch.uint8).fill_(0x7F)
        try:
            compiled = launch()
            error = case.error()
        except Exception as problem:
            found[name] = {"failed": f"{type(problem).__name__}: {problem}"[:300]}
            continue
        of_this = [output.view(torch.uint8).clone() for output in case.outputs]
        bits = bits or of_this
        found[name] = {
            "error": error,
            "right": error <= case.bound,
            "same_bits": all(map(torch.equal, bits, of_this)),
            "registers": getattr(compiled, "n_regs", None),
            "spills": getattr(compiled, "n_spills", None),
        }
    return found


def measured(case: Case, runs: int) -> dict[str, Any]:
    found = checked(case)
    names = [name for name in case.variants if "failed" not in found[name]]
    if not INTERPRETED:
        times = microseconds({name: case.variants[name] for name in names}, runs)
        base = times[names[0]]
        for name in names:
            ratios = sorted(a / b for a, b in zip(base, times[name], strict=True))
            found[name] |= {
                "microseconds": round(statistics.median(times[name]), 2),
                "ratio": round(statistics.median(ratios), 4),
                "ratio_p10": round(ratios[len(ratios) // 10], 4),
                "ratio_p90": round(ratios[-1 - len(ratios) // 10], 4),
            }
    return {"case": case.label, "variants": found}


def microseconds(work: dict[str, Launch], runs: int) -> dict[str, list[float]]:
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
    events: dict[str, list[tuple[Any, Any]]] = {name: [] for name in work}
    for turn in range(runs + 2):
        for name, launch in work.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flushed.fill_(turn & 1)
            begin.record()
            launch()
            end.record()
            if turn >= 2:
                events[name].append((begin, end))
        torch.cuda.synchronize()
    return {name: [1000 * a.elapsed_time(b) for a, b in pairs] for name, pairs in events.items()}


def lines(row: dict[str, Any]) -> Iterator[str]:
    yield f"\n{row['case']}"
    for name, cell in row["variants"].items():
        if "failed" in cell:
            yield f"  {name:30} {cell['failed'][:120]}"
            continue
        wrong = "" if cell["right"] else "  WRONG"
        bits = "same bits" if cell["same_bits"] else "other bits"
        speed = ""
        if "ratio" in cell:
            speed = (
                f"{cell['microseconds']:10.1f} us {cell['ratio']:6.3f}x "
                f"({cell['ratio_p10']:.3f} to {cell['ratio_p90']:.3f})  "
                f"regs {cell['registers']} spills {cell['spills']}"
            )
        yield f"  {name:30}{speed}  error {cell['error']:.2e} {bits}{wrong}"


def compact(report: dict[str, Any]) -> str:
    """As JSON, a case to a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in report["results"])
    head = json.dumps({**report, "results": []}, indent=1)
    return head.replace('"results": []', f'"results": [\n{rows}\n ]') + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose label holds this")
    parser.add_argument("--runs", type=int, default=24, help="timed runs of each variant (24)")
    parser.add_argument("--seconds", type=float, default=190.0, help="stop after these (190)")
    parser.add_argument("--out", type=Path, help="default: $OUT/by_hand.json, or no record")
    parser.add_argument("--compile", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compile:
        compile_share(options.only, options.compile)
        return
    began = time.monotonic()
    torch.manual_seed(0)
    if not INTERPRETED:
        compile_all(options.only)
        print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    results, skipped = [], []
    for case in cases("cpu" if INTERPRETED else "cuda", options.only):
        if time.monotonic() - began > options.seconds:
            skipped.append(case.label)
            continue
        results.append(measured(case, options.runs))
        print("\n".join(lines(results[-1])), flush=True)
    report = {
        "benchmark": "by_hand",
        "date": time.strftime("%Y-%m-%d"),
        "gpu": "none" if INTERPRETED else torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "runs": options.runs,
        "seconds": round(time.monotonic() - began, 1),
        "skipped": skipped,
        "results": results,
    }
    out = options.out or (Path(os.environ["OUT"]) / "by_hand.json" if "OUT" in os.environ else None)
    if out is not None:
        out.write_text(compact(report), encoding="utf-8")
    print(f"\n{report['seconds']} s; skipped for time: {skipped or 'none'}")


if __name__ == "__main__":
    main()
