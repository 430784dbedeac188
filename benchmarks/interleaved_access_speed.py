"""interleaved-access on a GPU: complex numbers and rotary embeddings, before and after the pass.

    PYTHONPATH=. python benchmarks/interleaved_access_speed.py [--out FILE.json]
    PYTHONPATH=. python benchmarks/interleaved_access_speed.py --dry    # no GPU: only the versions

`examples/complex_numbers.py` and the small kernels below, as they are and rewritten, are launched
in turn on a cold L2 and must give the same bits; a copy of as many bytes is timed with them.
Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n
"""
TAIL = """

def launch(x):
    n = x.numel() // {width}
    y = torch.empty({size}, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
"""
CONJUGATE = """\
    real = tl.load(X + 2 * k, mask=mask)
    imag = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Y + 2 * k, real, mask=mask)
    tl.store(Y + 2 * k + 1, -imag, mask=mask)
"""
ABSOLUTE = """\
    real = tl.load(X + 2 * k, mask=mask).to(tl.float32)
    imag = tl.load(X + 2 * k + 1, mask=mask).to(tl.float32)
    tl.store(Y + k, tl.sqrt(real * real + imag * imag), mask=mask)
"""
PACK = """\
    x = tl.load(X + k, mask=mask)
    tl.store(Y + 2 * k, x, mask=mask)
    tl.store(Y + 2 * k + 1, -x, mask=mask)
"""
QUATERNION = """\
    a = tl.load(X + 4 * k, mask=mask)
    b = tl.load(X + 4 * k + 1, mask=mask)
    c = tl.load(X + 4 * k + 2, mask=mask)
    d = tl.load(X + 4 * k + 3, mask=mask)
    tl.store(Y + 4 * k, a, mask=mask)
    tl.store(Y + 4 * k + 1, -b, mask=mask)
    tl.store(Y + 4 * k + 2, -c, mask=mask)
    tl.store(Y + 4 * k + 3, -d, mask=mask)
"""
SMALL = {
    "conjugate": HEAD + CONJUGATE + TAIL.format(width=2, size="2 * n"),
    "absolute value": HEAD + ABSOLUTE + TAIL.format(width=2, size="n"),
    "pack": HEAD + PACK + TAIL.format(width=1, size="2 * n"),
    "quaternion conjugate": HEAD + QUATERNION + TAIL.format(width=4, size="4 * n"),
}
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "complex_numbers.py"
ELEMENTS = (2**14, 2**20, 2**24, 2**27)
TOKENS = [(1, 32, 128), (512, 32, 128), (8192, 32, 128), (8192, 8, 64), (65536, 1, 128)]
"""Tokens, heads and dimension of a rotary embedding."""
DTYPES = ("float32", "float16", "bfloat16")
RUNS = 25


def versions(name: str, text: str) -> dict[str, str]:
    result = rewrite_source(text, "interleaved-access")
    if not result.changed:
        raise SystemExit(f"{name}: not rewritten: {[r.message for r in result.remarks]}")
    return {"original": text, "rewritten": result.text}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    texts = {name: versions(name, text) for name, text in SMALL.items()}
    texts["example"] = versions("example", EXAMPLE.read_text(encoding="utf-8"))
    if not options.dry:
        measure(texts, options.out)


def measure(texts: dict[str, dict[str, str]], out: Path | None) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    results: list[dict[str, Any]] = []
    for name, made in texts.items():
        file = name.replace(" ", "_")
        modules = {v: load(folder / f"{file}_{v}.py", text) for v, text in made.items()}
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            for function, shape, tensors in arguments(name, kind):
                calls = {
                    version: functools.partial(getattr(module, function), *tensors)
                    for version, module in modules.items()
                }
                label = name if function == "launch" else f"complex {function}"
                row = {"kernel": label, "dtype": dtype, "shape": shape}
                results.append(row | compared(calls, tensors))
                print(results[-1], flush=True)
    write_report({"benchmark": "interleaved_access_speed", **machine(), "results": results}, out)


def arguments(name: str, dtype: Any) -> Any:
    """The function, the sizes and the tensors of each call."""
    import torch

    torch.manual_seed(0)
    for elements in ELEMENTS:
        x = torch.randn(elements, device="cuda").to(dtype)
        if name == "example":
            yield "multiply", [elements], (x, x.flip(0).contiguous())
        else:
            yield "launch", [elements], (x,)
    if name == "example":
        for tokens, heads, dimension in TOKENS:
            x = torch.randn(tokens, heads, dimension, device="cuda").to(dtype)
            angles = torch.randn(tokens, dimension // 2, device="cuda")
            yield "rotary", [tokens, heads, dimension], (x, angles)


def compared(calls: dict[str, Any], tensors: tuple[Any, ...]) -> dict[str, Any]:
    """Original, rewritten and a copy that moves as many bytes, in turn."""
    import torch

    from benchmarks.side_by_side import ratios, timed

    before, after = (call() for call in calls.values())
    same = torch.equal(before, after)
    moved = sum(t.numel() * t.element_size() for t in (*tensors, before))
    source = torch.empty(moved // 2, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    times = timed({**calls, "copy": lambda: target.copy_(source)}, RUNS)
    median = {name: statistics.median(found) for name, found in times.items()}
    return {
        "same_bits": same,
        "us": [round(median[v], 2) for v in ("original", "rewritten", "copy")],
        "share_of_copy": [round(median["copy"] / median[v], 3) for v in ("original", "rewritten")],
        **ratios(times["original"], times["rewritten"]),
    }


if __name__ == "__main__":
    main()
