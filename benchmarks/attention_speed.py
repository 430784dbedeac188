"""Attention through the passes for it, on a GPU: as written, with each, with both.

    PYTHONPATH=. python benchmarks/attention_speed.py [--out FILE.json] [--seconds 240]
    PYTHONPATH=. python benchmarks/attention_speed.py --dry    # no GPU: only the versions

A textbook forward pass, causal and full, normalized after the loop and in each iteration, in bf16,
is launched in turn on a cold L2, each version compared with torch in fp32. No shape starts after
`--seconds`. With TRITON_INTERPRET=1 one small shape of fp16 runs on the CPU, untimed.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tritonopt.rewriting.pipeline import rewrite_source

SOURCE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Q, K, V, Out, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * N * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    at = head + rows[:, None] * D + dims[None, :]
    q = tl.load(Q + at, mask=rows[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, {end}, BN):
        cols = start + tl.arange(0, BN)
        there = head + cols[:, None] * D + dims[None, :]
        k = tl.load(K + there, mask=cols[:, None] < N, other=0.0)
        v = tl.load(V + there, mask=cols[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where({seen}, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(m - new)
        grown = total * alpha + tl.sum(p, 1)
{update}
        total = grown
        m = new
    tl.store(Out + at, {result}, mask=rows[:, None] < N)


def attention(q, k, v, bm, bn):
    heads, n, d = q.shape
    out = torch.empty_like(q)
    grid = (triton.cdiv(n, bm), heads)
    warps = 8 if bm == 128 else 4
    kernel[grid](q, k, v, out, n, d**-0.5, D=d, BM=bm, BN=bn, num_warps=warps, num_stages=3)
    return out
"""
MASKS = {
    "causal": {
        "end": "(tl.program_id(0) + 1) * BM",
        "seen": "rows[:, None] >= cols[None, :]",
    },
    "full": {"end": "N", "seen": "cols[None, :] < N"},
}
STYLES = {
    "after the loop": {
        "update": "        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)",
        "result": "(acc / total[:, None]).to(q.dtype)",
    },
    "in each iteration": {
        "update": "        p = p / grown[:, None]\n"
        "        acc = acc * (total * alpha / grown)[:, None] + tl.dot(p.to(v.dtype), v)",
        "result": "acc.to(q.dtype)",
    },
}
PASSES = ("exp-to-exp2", "mask-partial-tiles", "exp-to-exp2,mask-partial-tiles")
SHAPES = [(max(16, 2**17 // n), n, d) for d in (64, 128) for n in (1024, 2048, 4096, 8192)]
RUNS = 24
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"


def versions(mask: str, style: str) -> dict[str, str]:
    """The texts of one kernel. Raises AssertionError where a pass leaves it alone."""
    made = {"original": SOURCE.format(**MASKS[mask], **STYLES[style])}
    for passes in PASSES:
        result = rewrite_source(made["original"], passes)
        assert result.changed, [r.message for r in result.remarks]
        made[passes] = result.text
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="only make the versions")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    parser.add_argument("--seconds", type=float, default=240, help="start no shape after that")
    options = parser.parse_args()
    made = {(mask, style): versions(mask, style) for mask in MASKS for style in STYLES}
    if options.dry:
        print("\n\n".join(text for texts in made.values() for text in texts.values()))
    else:
        measure(made, options.out, time.monotonic() + options.seconds)


def measure(made: dict[tuple[str, str], dict[str, str]], out: Path | None, end: float) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder, results = Path(tempfile.mkdtemp()), list[dict[str, Any]]()
    modules = {
        kind: {
            name: load(folder / f"{'_'.join(kind)}_{number}.py".replace(" ", "_"), text)
            for number, (name, text) in enumerate(texts.items())
        }
        for kind, texts in made.items()
    }
    device, dtype = ("cpu", torch.float16) if INTERPRETED else ("cuda", torch.bfloat16)
    for heads, n, d in [(2, 56, 16)] if INTERPRETED else SHAPES:
        torch.manual_seed(0)
        q, k, v = (torch.randn(heads, n, d, device=device).to(dtype) for _ in range(3))
        for (mask, style), versions_of in modules.items():
            right = attended(q[-1:], k[-1:], v[-1:], mask == "causal")
            for tiles in [(32, 16)] if INTERPRETED else [(128, 64), (64, 64)]:
                if time.monotonic() > end:
                    break
                calls = {
                    name: functools.partial(module.attention, q, k, v, *tiles)
                    for name, module in versions_of.items()
                }
                row = {"mask": mask, "normalized": style, "shape": [heads, n, d], "tile": tiles}
                results.append(row | compared(calls, right))
                print(results[-1], flush=True)
    if not INTERPRETED:
        write_report({"benchmark": "attention_speed", **machine(), "results": results}, out)


def attended(q: Any, k: Any, v: Any, causal: bool) -> Any:
    import torch

    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~seen, float("-inf"))
    return torch.softmax(scores, -1) @ v.float()


def compared(calls: dict[str, Any], right: Any) -> dict[str, Any]:
    """Each version's largest error in the last head, and its speed against the original."""
    errors = {
        name: float((call()[-1:].float() - right).abs().max()) for name, call in calls.items()
    }
    assert max(errors.values()) < 3e-2, errors
    found: dict[str, Any] = {"versions": {name: {"error": e} for name, e in errors.items()}}
    if not INTERPRETED:
        from benchmarks.side_by_side import ratios, timed

        times = timed(calls, RUNS)
        found["us"] = round(statistics.median(times["original"]), 2)
        for name in PASSES:
            found["versions"][name] |= ratios(times["original"], times[name])
    return found


if __name__ == "__main__":
    main()
