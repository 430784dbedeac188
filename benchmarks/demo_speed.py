"""The example of the README on a GPU: as written, and as `tritonopt rewrite` makes it.

    PYTHONPATH=. python benchmarks/demo_speed.py [--runs 60] [--out FILE.json]
    PYTHONPATH=. python benchmarks/demo_speed.py --table FILE.json    # Markdown, from a record

No pass is named. Original, rewritten kernel, torch and a copy are called in turn on random data,
each after the L2 cache was flushed; the record has medians and the ratios original / rewritten of
neighboring runs. Both kernels are compared with torch first.

Needs torch, triton and a CUDA device, and libcst to make the rewritten version.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "router_softmax.py"
TOKENS = (32768, 131072, 1048576)
EXPERTS = (16, 64, 128)
DTYPES = {"fp32": "float32", "fp16": "float16"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=60, help="timed runs of each version (60)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    parser.add_argument("--table", type=Path, metavar="FILE", help="print the table of a record")
    options = parser.parse_args()
    if options.table is not None:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))), end="")
        return
    measure(options.runs, options.out)


def measure(runs: int, out: Path | None) -> None:
    import torch

    from benchmarks.side_by_side import machine, write_report

    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        versions = loaded(Path(folder))
        results = [
            cell(versions, tokens, experts, dtype, runs)
            for dtype in DTYPES
            for experts in EXPERTS
            for tokens in TOKENS
        ]
    report = {"benchmark": "demo_speed", **machine(), "runs": runs, "results": results}
    print(table(report), end="")
    write_report(report, out)


def loaded(folder: Path) -> dict[str, Callable[[Any], Any]]:
    """The launcher as it is, and rewritten with no pass named."""
    from benchmarks.side_by_side import load
    from tritonopt.rewriting.pipeline import rewrite_source

    text = EXAMPLE.read_text(encoding="utf-8")
    result = rewrite_source(text, path=EXAMPLE.name)
    if not result.changed:
        raise SystemExit(f"{EXAMPLE.name} is left alone: {result.remarks}")
    texts = {"original": text, "rewritten": result.text}
    return {
        name: load(folder / f"demo_{name}.py", text).router_softmax for name, text in texts.items()
    }


def cell(
    versions: dict[str, Callable[[Any], Any]], tokens: int, experts: int, dtype: str, runs: int
) -> dict[str, Any]:
    """The times of one shape and type."""
    import torch

    from benchmarks.side_by_side import ratios, timed

    x = torch.randn(tokens, experts, device="cuda").to(getattr(torch, DTYPES[dtype]))
    y = torch.empty_like(x)
    expected = torch.softmax(x.float(), dim=1)
    allowed = 1e-5 if dtype == "fp32" else 2e-3
    for version in versions.values():
        torch.testing.assert_close(version(x).float(), expected, rtol=allowed, atol=allowed)
    work: dict[str, Callable[[], Any]] = {
        name: lambda version=version: version(x) for name, version in versions.items()
    }
    work |= {"torch": lambda: torch.softmax(x, dim=1), "copy": lambda: y.copy_(x)}
    times = timed(work, runs)
    return {
        "tokens": tokens,
        "experts": experts,
        "dtype": dtype,
        "us": {name: round(statistics.median(found), 2) for name, found in times.items()},
        **ratios(times["original"], times["rewritten"]),
    }


def table(report: dict[str, Any]) -> str:
    """The ratios of a record, a line for each type."""
    cells = {(c["tokens"], c["experts"], c["dtype"]): c["ratio"] for c in report["results"]}
    shapes = list(dict.fromkeys((tokens, experts) for tokens, experts, _ in cells))
    lines = [
        f"| rows x elements | {' | '.join(f'{m} x {n}' for m, n in shapes)} |",
        "| --- " * (len(shapes) + 1) + "|",
    ]
    for dtype in DTYPES:
        found = (f"{cells[m, n, dtype]:.2f}x" for m, n in shapes)
        lines.append(f"| {dtype} | {' | '.join(found)} |")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
