"""group-programs and block-pointer on a GPU: matrix products in another order, and by pointers.

    PYTHONPATH=. python benchmarks/matrix_products_speed.py [--out FILE.json] [--seconds 240]
    PYTHONPATH=. python benchmarks/matrix_products_speed.py --dry    # no GPU: only the versions

A textbook product in fp16 with its tiles on two axes of the grid, on one, and with block
pointers: as it is, in groups of 4, 8 and 16 rows, and with masked pointers.
Square matrices of 1024 to 8192; in groups also operands larger than L2, with tiles of 128 by 128
and of 128 by 256. Launched in turn on a cold L2, each compared with the original's bits; cuBLAS
beside them. No shape starts after `--seconds`. Needs torch, triton and a CUDA device; where Triton
has no block pointers, theirs are left out.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

_LAUNCHER = """

def product(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=torch.float16)
    grid = {grid}
    kernel[grid](a, b, c, m, n, k, BM=128, BN=128, BK=64, num_warps=8, num_stages=3)
    return c
"""
_HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
"""
_POINTERS = """\
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    m_mask, n_mask = offs_m[:, None] < M, offs_n[None, :] < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        k_mask = k + offs_k < K
        a_ptrs = A + offs_m[:, None] * K + (k + offs_k)[None, :]
        b_ptrs = B + (k + offs_k)[:, None] * N + offs_n[None, :]
        a = tl.load(a_ptrs, mask=m_mask & k_mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=k_mask[:, None] & n_mask, other=0.0)
        acc = tl.dot(a, b, acc)
    c_ptrs = C + offs_m[:, None] * N + offs_n[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=m_mask & n_mask)
"""
_BLOCKS = """\
    a_block = tl.make_block_ptr(A, (M, K), (K, 1), (pid_m * BM, 0), (BM, BK), (1, 0))
    b_block = tl.make_block_ptr(B, (K, N), (N, 1), (0, pid_n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BK))
        b_block = tl.advance(b_block, (BK, 0))
    c_block = tl.make_block_ptr(C, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    tl.store(c_block, acc.to(tl.float16), boundary_check=(0, 1))
"""
_TWO = "    pid_m = tl.program_id(0)\n    pid_n = tl.program_id(1)\n"
_ONE = (
    "    pid = tl.program_id(0)\n    columns = tl.cdiv(N, BN)\n"
    "    pid_m = pid // columns\n    pid_n = pid % columns\n"
)
_GRID_OF_TWO = "(triton.cdiv(m, 128), triton.cdiv(n, 128))"
_GRID_OF_ONE = "(triton.cdiv(m, 128) * triton.cdiv(n, 128),)"
SOURCES = {
    "two axes": _HEAD + _TWO + _POINTERS + _LAUNCHER.format(grid=_GRID_OF_TWO),
    "one axis": _HEAD + _ONE + _POINTERS + _LAUNCHER.format(grid=_GRID_OF_ONE),
    "block pointers": _HEAD + _ONE + _BLOCKS + _LAUNCHER.format(grid=_GRID_OF_ONE),
}
SOURCES |= {
    f"{kind}, wide tiles": SOURCES[kind].replace("BN=128", "BN=256").replace("n, 128", "n, 256")
    for kind in ("two axes", "one axis")
}
_GROUPS = {f"groups of {rows}": f"group-programs{{rows={rows}}}" for rows in (4, 8, 16)}
PASSES = {
    "two axes": _GROUPS,
    "one axis": _GROUPS,
    "two axes, wide tiles": _GROUPS,
    "one axis, wide tiles": _GROUPS,
    "block pointers": {"pointers": "block-pointer"},
}
SQUARE = [(size, size, size) for size in (1024, 2048, 4096, 8192)]
LARGE = [(16384, 16384, 1024), (16384, 16384, 4096), (8192, 65536, 2048), (65536, 8192, 2048)]
RUNS = 15


def versions(kind: str) -> dict[str, str]:
    """The texts of one kernel. Raises AssertionError where a pass leaves it alone."""
    made = {"original": SOURCES[kind]}
    for name, passes in PASSES[kind].items():
        result = rewrite_source(made["original"], passes)
        assert result.changed, [r.message for r in result.remarks]
        made[name] = result.text
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    parser.add_argument("--seconds", type=float, default=240, help="start no shape after that")
    options = parser.parse_args()
    made = {kind: versions(kind) for kind in SOURCES}
    if options.dry:
        print("\n\n".join(text for texts in made.values() for text in texts.values()))
    else:
        measure(made, options.out, time.monotonic() + options.seconds)


def measure(made: dict[str, dict[str, str]], out: Path | None, end: float) -> None:
    import torch
    import triton.language

    from benchmarks.side_by_side import load, machine, write_report

    if not hasattr(triton.language, "make_block_ptr"):
        del made["block pointers"]
    folder = Path(tempfile.mkdtemp())
    modules = {
        kind: {name: load(folder / _file(kind, name), text) for name, text in texts.items()}
        for kind, texts in made.items()
    }
    results: list[dict[str, Any]] = []
    for m, n, k in [*SQUARE, *LARGE]:
        torch.manual_seed(0)
        a = torch.randn(m, k, device="cuda", dtype=torch.float16)
        b = torch.randn(k, n, device="cuda", dtype=torch.float16)
        for kind, versions_of in modules.items():
            if time.monotonic() > end:
                break
            if (kind == "block pointers" and m * n > 8192**2) or ("wide" in kind and m < 8192):
                continue
            calls = {n: functools.partial(m.product, a, b) for n, m in versions_of.items()}
            calls["cuBLAS"] = functools.partial(torch.matmul, a, b)
            row = {"kernel": kind, "shape": [m, n, k], "teraflop": 2 * m * n * k / 1e12}
            results.append(row | compared(calls))
            print(results[-1], flush=True)
    report = {"benchmark": "matrix_products_speed", **machine(), "results": results}
    write_report(report, out)


def _file(kind: str, name: str) -> str:
    return f"{kind}_{name}.py".replace(" ", "_")


def compared(calls: dict[str, Any]) -> dict[str, Any]:
    """Each version against the original: the ratio, and whether the bits are the same."""
    import torch

    from benchmarks.side_by_side import ratios, timed

    outcomes: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, call in calls.items():
        try:
            outcomes[name] = call()
        except Exception as error:  # whatever a compiler or a launch raises
            failed[name] = f"{type(error).__name__}: {error}"[:200]
    first = outcomes["original"]
    times = timed({name: calls[name] for name in outcomes}, RUNS)
    found: dict[str, Any] = {"us": round(statistics.median(times["original"]), 2)}
    found["versions"] = {
        name: {
            "same_bits": torch.equal(first, outcomes[name]),
            "furthest": float((first - outcomes[name]).abs().max()),
            **ratios(times["original"], times[name]),
        }
        for name in outcomes
        if name != "original"
    }
    return found | ({"failed": failed} if failed else {})


if __name__ == "__main__":
    main()
