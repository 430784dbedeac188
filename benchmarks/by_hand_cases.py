"""The cases of `by_hand.py`: launches of its kernels, and what is right."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import triton

from benchmarks.by_hand_kernels import (
    attention,
    largest_few,
    long_softmax,
    long_variance,
    matmul,
    norm_backward,
    norm_backward_columns,
    norm_column_tiles,
    norm_row_sums,
    quantize_groups,
    quantize_tokens,
    short_rows,
    softmax,
    sum_parts,
    whole_softmax,
)

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"


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


@dataclass(frozen=True)
class Steps:
    """Launches and calls of torch, one after the other."""

    steps: tuple[Callable[[], Any], ...]

    def __call__(self) -> Any:
        return [step() for step in self.steps][0]


@dataclass
class Case:
    """Variants of one computation; the first is the original."""

    label: str
    outputs: list[torch.Tensor]
    error: Callable[[], float]
    bound: float
    variants: dict[str, Launch | Steps] = field(default_factory=dict)
    bytes: int = 0
    """That must be read and written: a copy of as many is timed beside the variants."""

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


def norms(device: str) -> Iterator[Case]:
    shapes = ((32768, 1024), (16384, 2048), (8192, 4096), (4096, 8192), (2048, 16384))
    for rms in (False, True):
        for m, n in shapes if not INTERPRETED else ((9, 48),):
            yield norm_case(device, m, n, rms)


def norm_case(device: str, m: int, n: int, rms: bool) -> Case:
    dtype = torch.float16 if INTERPRETED else torch.bfloat16
    x, dy = (random(m, n, device=device, dtype=dtype) for _ in range(2))
    w = random(n, device=device, dtype=dtype)
    mean, rstd = (torch.empty(m, device=device) for _ in range(2))
    if device != "meta":
        mean.copy_(0 if rms else x.float().mean(1))
        rstd.copy_(torch.rsqrt((x.float() - mean[:, None]).square().mean(1) + 1e-5))
    dx = torch.empty_like(x)
    dw, db = (torch.zeros(n, device=device) for _ in range(2))
    outputs = [dx, dw] if rms else [dx, dw, db]

    def error() -> float:
        seen = (x.double() - mean.double()[:, None]) * rstd.double()[:, None]
        wdy = dy.double() * w.double()
        right = wdy - seen * (seen * wdy).mean(1, keepdim=True)
        right -= 0 if rms else wdy.mean(1, keepdim=True)
        pairs = [(dx, right * rstd.double()[:, None]), (dw, (dy.double() * seen).sum(0))]
        pairs += [] if rms else [(db, dy.double().sum(0))]
        return max(((a - b).abs().max() / b.abs().max()).item() for a, b in pairs)

    label = f"{'rms' if rms else 'layer'} norm backward [{m}, {n}]"
    case = Case(label, outputs, error, 1e-2, bytes=3 * 2 * m * n)
    block = triton.next_power_of_2(n)
    add = NormVariants(case, (dx, dy, x, w, mean, rstd), (dw, db), m, n, block, rms)
    warps = min(max(block // 256, 1), 8)
    add.locks("textbook: locks, two kernels", warps)
    add.atomics("atomics of each row", m, warps)
    for count in (warps, 2 * warps):
        add.atomics(f"atomics, 2 programs for an SM, {count} warps", 2 * PROCESSORS, count)
    add.parts("Liger: rows in chunks, torch sum", 1, LIGER_WARPS.get(block, 4), CHUNKS=True)
    for k, count in ((1, warps), (1, 2 * warps), (1, 4 * warps), (2, warps), (2, 2 * warps)):
        add.parts(f"parts, {k} for an SM, {count} warps", k, count)
    for k, count in ((4, warps), (4, max(1, warps // 2)), (8, warps)):
        add.parts(f"parts, {k} for an SM, {count} warps", k, count)
    for k, stages in ((1, 2), (1, 3), (2, 2), (2, 3)):
        add.parts(f"parts, {k} for an SM, {stages} stages", k, 2 * warps, STAGES=stages)
    if block <= 2048:
        for rows in (2, 4):
            add.parts(f"parts, 2 for an SM, {rows} rows, 8 warps", 2, 8, ROWS=rows)
    add.parts("parts, 2 for an SM, second kernel", 2, 2 * warps, second=True)
    for width, count in ((1024, 4), (4096, 8)):
        if n >= 2 * width:
            add.columns(f"columns of {width}, {count} warps", width, count, False)
            add.columns(f"columns of {width}, {count} warps, backwards", width, count, True)
    for width, each, count, stages in ((1024, 2, 4, 1), (1024, 4, 8, 1), (512, 8, 8, 3)):
        if n >= 2 * width or INTERPRETED:
            name = f"row sums first, {each} x {width}, {count} warps, {stages} stages"
            add.apart(name, width, each, count, stages)
    if block == 16384:
        for count, most in ((16, 128), (32, 64)):
            name = f"parts, 1 for an SM, {count} warps, {most} registers"
            add.parts(name, 1, count, maxnreg=most)
    return case


LIGER_WARPS = {2048: 8, 4096: 8, 8192: 16, 16384: 16}
PROCESSORS = 132 if not INTERPRETED else 3


@dataclass
class NormVariants:
    case: Case
    data: tuple[torch.Tensor, ...]
    sums: tuple[torch.Tensor, torch.Tensor]
    m: int
    n: int
    block: int
    rms: bool

    def _launch(self, grid: int, to: Any, locks: Any, warps: int, **meta: Any) -> Launch:
        warps = min(warps, 32)
        args = (*self.data, *to, locks, self.m, self.n)
        meta = {"BLOCK": self.block, "RMS": self.rms, **meta, "num_warps": warps}
        return Launch(norm_backward, (grid,), args, meta)

    def _parts(self, count: int) -> list[torch.Tensor]:
        made = torch.empty(1 if self.rms else 2, count, self.n, device=self.data[0].device)
        return [made[0], made[-1]]

    def _second(self, parts: list[torch.Tensor], count: int) -> Launch:
        args = (*parts, *self.sums, count, self.n)
        meta = {"ROWS": 32, "COLUMNS": 32, "RMS": self.rms, "num_warps": 4}
        return Launch(sum_parts, (triton.cdiv(self.n, 32),), args, meta)

    def locks(self, name: str, warps: int) -> None:
        groups = next(g for most, g in ((1024, 256), (4096, 128), (8192, 96), (2**20, 64))
                      if self.n <= most)  # fmt: skip
        locks = torch.zeros(2 * groups, dtype=torch.int32, device=self.data[0].device)
        parts = self._parts(groups)
        first = self._launch(self.m, parts, locks, warps, SUMS="locks", GROUPS=groups)
        zero = (parts[0].zero_, *(() if self.rms else (parts[1].zero_,)), locks.zero_)
        self.case.variants[name] = Steps((*zero, first, self._second(parts, groups)))

    def atomics(self, name: str, grid: int, warps: int) -> None:
        first = self._launch(grid, self.sums, self.sums[0], warps, SUMS="atomics")
        zero = [total.zero_ for total in self.sums[: 1 if self.rms else 2]]
        self.case.variants[name] = Steps((*zero, first))

    def parts(self, name: str, k: int, warps: int, second: bool = False, **meta: Any) -> None:
        count = k * PROCESSORS
        parts = self._parts(count)
        first = self._launch(count, parts, parts[0], warps, SUMS="parts", **meta)
        end: list[Callable[[], Any]] = [
            lambda part=part, total=total: torch.sum(part, 0, out=total)  # type: ignore[misc]
            for part, total in list(zip(parts, self.sums, strict=True))[: 1 if self.rms else 2]
        ]
        if second:
            end = [self._second(parts, count)]
        self.case.variants[name] = Steps((first, *end))

    def columns(self, name: str, width: int, warps: int, reverse: bool) -> None:
        args = (*self.data, *self.sums, self.m, self.n)
        meta = {"BLOCK": width, "RMS": self.rms, "REVERSED": reverse, "num_warps": warps}
        first = Launch(norm_backward_columns, (self.m,), args, meta)
        zero = [total.zero_ for total in self.sums[: 1 if self.rms else 2]]
        self.case.variants[name] = Steps((*zero, first))

    def apart(self, name: str, width: int, each: int, warps: int, stages: int) -> None:
        dx, dy, x, w, mean, rstd = self.data
        of_rows = [torch.empty_like(rstd) for _ in range(2)]
        block, options = min(self.block, 4096), {"RMS": self.rms, "num_warps": 8}
        args: tuple[Any, ...] = (dy, x, w, mean, rstd, *of_rows, self.n)
        first = Launch(norm_row_sums, (self.m,), args, {"BLOCK": block, **options})
        tiles = triton.cdiv(self.n, width)
        count = max(1, 4 * PROCESSORS // tiles)
        parts = self._parts(count)
        args = (dx, dy, x, w, mean, rstd, *of_rows, *parts, self.m, self.n)
        meta = {"BLOCK": width, "ROWS": each, "RMS": self.rms, "STAGES": stages}
        second = Launch(norm_column_tiles, (tiles, count), args, {**meta, "num_warps": warps})
        self.case.variants[name] = Steps((first, second, self._second(parts, count)))


def rows(device: str) -> Iterator[Case]:
    shapes = ((1000000, 64), (262144, 128), (131072, 256), (65536, 512), (16384, 64), (4096, 128))
    for op in ("sum", "softmax", "layer norm"):
        for m, n in shapes if not INTERPRETED else ((9, 16),):
            yield short_case(device, op, m, n)
    for m, n in ((4096, 5000), (4096, 50257), (4096, 50264)) if not INTERPRETED else ((3, 129),):
        yield tail_case(device, m, n)
    long = ((4096, 65536), (1024, 131072), (1024, 262144)) if not INTERPRETED else ((3, 256),)
    for m, n in long:
        yield long_case(device, m, n)
    shapes = ((16384, 4096), (4096, 16384), (1024, 131072)) if not INTERPRETED else ((5, 256),)
    for m, n in shapes:
        yield variance_case(device, m, n)


def short_case(device: str, op: str, m: int, n: int) -> Case:
    x = random(m, n, device=device, dtype=torch.float16)
    y = torch.empty(m, device=device) if op == "sum" else torch.empty_like(x)

    def error() -> float:
        wide = x.float()
        right = wide.sum(1) if op == "sum" else torch.softmax(wide, 1)
        if op == "layer norm":
            right = torch.nn.functional.layer_norm(wide, (n,), eps=1e-5)
        return ((y.float() - right).abs().max() / right.abs().max()).item()

    size = 2 * m * n + y.numel() * y.element_size()
    case = Case(f"short {op} [{m}, {n}]", [y], error, 2e-3, bytes=size)
    for elements, warps in ((n, 4), (n, 1), (512, 4), (512, 1), (1024, 4), (2048, 4), (4096, 4),
                            (1024, 1), (1024, 2), (2048, 2), (4096, 8), (8192, 8)):  # fmt: skip
        each = max(1, elements // n)
        name = f"{each} rows, {warps} warps"
        grid = (triton.cdiv(m, each),)
        meta = {"OP": op, "ROWS": each, "BLOCK": n}
        case.add(name, short_rows, grid, (x, y, m, n), **meta, num_warps=warps)
    return case


def row_softmax_case(device: str, label: str, m: int, n: int) -> tuple[Case, tuple[Any, ...]]:
    dtype = torch.float16 if INTERPRETED else torch.bfloat16
    x = random(m, n, device=device, dtype=dtype)
    y = torch.empty_like(x)

    def error() -> float:
        worst = 0.0
        for start in range(0, m, 512):
            right = torch.softmax(x[start : start + 512].float(), -1)
            off = (y[start : start + 512].float() - right).abs() / right.amax(-1, keepdim=True)
            worst = max(worst, off.max().item())
        return worst

    return Case(f"{label} [{m}, {n}]", [y], error, 6e-3, bytes=4 * m * n), (x, y, m, n)


def tail_case(device: str, m: int, n: int) -> Case:
    case, args = row_softmax_case(device, "softmax with a tail", m, n)
    block = 1024 if not INTERPRETED else 64
    for width, warps in ((block, 4), (4 * block, 8)):
        name = f"loops of {width}, {warps} warps"
        case.add(name, long_softmax, (m,), args, BLOCK=width, num_warps=warps)
        case.add(
            f"{name}, aligned", long_softmax, (m,), args, BLOCK=width, ALIGNED=8, num_warps=warps
        )
        if n % 8 == 0:
            case.add(
                f"{name}, eights", long_softmax, (m,), args, BLOCK=width, EIGHTS=True,
                num_warps=warps,
            )  # fmt: skip
    whole = triton.next_power_of_2(n)
    for warps in (8, 16, 32):
        for eights in (False, True) if n % 8 == 0 else (False,):
            name = f"one tile, {warps} warps{', eights' * eights}"
            meta = {"BLOCK": whole, "EIGHTS": eights, "num_warps": warps}
            case.add(name, whole_softmax, (m,), args, **meta)
    return case


def long_case(device: str, m: int, n: int) -> Case:
    case, args = row_softmax_case(device, "long softmax", m, n)

    def add(name: str, programs: int, block: int, warps: int, **meta: Any) -> None:
        grid = (min(m, programs),)
        block = block if not INTERPRETED else 64
        case.add(name, long_softmax, grid, args, BLOCK=block, **meta, num_warps=warps)

    for block, warps in ((1024, 4), (4096, 4), (4096, 8), (8192, 16), (16384, 32)):
        add(f"{block}, {warps} warps", m, block, warps)
        add(f"{block}, {warps} warps, backwards", m, block, warps, REVERSED=True)
    kept = {"FIRST": "evict_last", "LAST": "evict_first"}
    add("1024, 4 warps, hints", m, 1024, 4, **kept)
    add("1024, 4 warps, evict first", m, 1024, 4, FIRST="evict_first", LAST="evict_first")
    for k, block, warps in ((1, 8192, 16), (1, 16384, 32), (2, 8192, 16), (4, 4096, 8)):
        add(f"{k} for an SM, {block}, {warps} warps", k * PROCESSORS, block, warps)
    add("1 for an SM, hints", PROCESSORS, 16384, 32, **kept)
    add("1 for an SM, backwards", PROCESSORS, 16384, 32, REVERSED=True)
    add("16384, 32 warps, hints, backwards", m, 16384, 32, REVERSED=True, **kept)
    for stages in (2, 4):
        add(f"1024, 4 warps, {stages} stages", m, 1024, 4, STAGES=stages)
        add(f"4096, 8 warps, {stages} stages", m, 4096, 8, STAGES=stages)
        add(f"8192, 16 warps, {stages} stages", m, 8192, 16, STAGES=stages)
    if n <= 65536:
        for policy in ("", "evict_first"):
            case.add(
                f"one tile, 32 warps {policy}", whole_softmax, (m,), args, BLOCK=n, KEPT=policy,
                num_warps=32,
            )  # fmt: skip
    return case


def variance_case(device: str, m: int, n: int) -> Case:
    x = random(m, n, device=device, dtype=torch.float16 if INTERPRETED else torch.bfloat16)
    y = torch.empty(m, device=device)

    def error() -> float:
        right = torch.stack([row.double().var(correction=0) for row in x.split(256)[0]])
        return ((y[: len(right)] - right).abs() / right).max().item()

    case = Case(f"variance [{m}, {n}]", [y], error, 1e-4, bytes=2 * m * n)
    for each, block, warps in ((4, 512, 4), (1, 1024, 4), (1, 4096, 8), (1, 8192, 16)):
        block = block if not INTERPRETED else 64
        grid = (triton.cdiv(m, each),)
        for how in ({}, {"REVERSED": True}, {"FUSED": True}):
            word = "".join(how).lower()
            meta = {"ROWS": each, "BLOCK": block, **how, "num_warps": warps}
            name = f"{each} x {block}, {warps} warps {word}"
            case.add(name, long_variance, grid, (x, y, m, n), **meta)
    if n <= 32768:
        for warps in (8, 16, 32):
            meta = {"ROWS": 1, "BLOCK": triton.next_power_of_2(n), "ONE": True, "num_warps": warps}
            case.add(f"one tile, {warps} warps", long_variance, (m,), (x, y, m, n), **meta)
    return case


def selections(device: str) -> Iterator[Case]:
    shapes = ((65536, 64, 8), (65536, 256, 8), (4096, 256, 8), (4096, 4096, 64), (16384, 1024, 4))
    for m, n, k in shapes if not INTERPRETED else ((5, 32, 4),):
        yield selection_case(device, m, n, k)


def selection_case(device: str, m: int, n: int, k: int) -> Case:
    x = random(m, n, device=device, dtype=torch.float32)
    values = torch.empty(m, k, device=device)
    places = torch.empty(m, k, dtype=torch.int32, device=device)

    def error() -> float:
        right = torch.topk(x, k, sorted=True).values
        return (values - right).abs().max().item()

    case = Case(f"largest {k} of [{m}, {n}]", [values], error, 0.0, bytes=4 * m * n)
    settings = ((1, 4), (1, 1), (4, 4), (8, 4)) if n <= 1024 else ((1, 4), (1, 8))
    for each, warps in settings:
        for mode in ("repeated", "values", "packed"):
            case.add(
                f"{mode}, {each} rows, {warps} warps", largest_few, (triton.cdiv(m, each),),
                (x, values, places, m, n), BLOCK=n, K=k, ROWS=each, MODE=mode, num_warps=warps,
            )  # fmt: skip
    return case


def cases(device: str, only: str) -> Iterator[Case]:
    for section in (norms, rows, selections, quantizations, masks, attentions):
        for case in section(device):
            if any(word in case.label for word in only.split(",")):
                yield case
