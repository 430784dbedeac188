"""Layer norm of examples/layer_norm.py on a GPU: as written, and after fuse-stats.

    PYTHONPATH=. python benchmarks/fuse_stats_speed.py [--columns N ...] [--dtypes fp32 ...]

All versions are launched in turn, each after the L2 cache was flushed, on random data;
what is reported are medians over the runs, the ratio original / rewritten of the pairs
of neighboring runs with its 10th and 90th percentile, and the share of the bandwidth
of a copy of x to y that is measured among them. Results are compared with torch first.
A cross-entropy with probabilities, whose sum is expanded, is measured in fp32 alone.

Needs torch, triton and a CUDA device, and libcst to make the rewritten versions.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from benchmarks.side_by_side import load, machine, ratios, timed, write_report
from tests.passes.cases import case
from tritonopt.passes.fuse_stats import FuseStats
from tritonopt.rewriting.model import Safety
from tritonopt.rewriting.pipeline import rewrite_source

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "layer_norm.py"
FORMULAS = ("shifted", "moments")
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
EPS = 1e-5
# (BLOCK, num_warps); a block that holds several rows' worth of columns is left out.
CONFIGURATIONS = ((256, 1), (1024, 4), (4096, 8), (16384, 16))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--columns", type=int, nargs="+", default=[1024, 4096, 16384, 65536])
    parser.add_argument("--dtypes", nargs="+", choices=list(DTYPES), default=list(DTYPES))
    parser.add_argument("--runs", type=int, default=40, help="timed runs of each version (40)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.runs < 2:
        parser.error("--runs: at least 2 are needed")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        versions = load_versions(Path(folder))
        rows = [
            measure(versions, options.rows, columns, dtype, block, warps, options.runs)
            for dtype in options.dtypes
            for columns in options.columns
            for block, warps in CONFIGURATIONS
            if block < 2 * columns
        ]
    report = {
        "benchmark": "fuse_stats_speed",
        **machine(),
        "runs": options.runs,
        "results": rows,
        "best": best(rows),
        "expanded": expanded(options.runs),
    }
    show(report)
    write_report(report, options.out)


def load_versions(folder: Path) -> dict[str, ModuleType]:
    """The example as it is, and rewritten by each formula, each a module of its own."""
    text = EXAMPLE.read_text(encoding="utf-8")
    texts = {"original": text}
    for formula in FORMULAS:
        result = rewrite_source(text, [FuseStats(formula=formula)], path=EXAMPLE.name)
        if not result.changed:
            said = "\n".join(f"{r.line}: {r.reason} {r.message}" for r in result.remarks)
            raise SystemExit(f"fuse-stats left {EXAMPLE.name} alone ({formula}):\n{said}")
        texts[formula] = result.text
    return {name: load(folder / f"layer_norm_{name}.py", text) for name, text in texts.items()}


def measure(
    versions: dict[str, ModuleType],
    rows: int,
    columns: int,
    dtype_name: str,
    block: int,
    warps: int,
    runs: int,
) -> dict[str, Any]:
    dtype = DTYPES[dtype_name]
    x = (torch.randn(rows, columns, device="cuda") * 2 + 1).to(dtype)
    weight = torch.randn(columns, device="cuda").to(dtype)
    bias = torch.randn(columns, device="cuda").to(dtype)
    y = torch.empty_like(x)
    mean = torch.empty(rows, device="cuda")
    rstd = torch.empty(rows, device="cuda")

    def launch_of(module: ModuleType) -> Callable[[], Any]:
        kernel = module.layer_norm_kernel

        def launch() -> Any:
            return kernel[(rows,)](
                x, y, weight, bias, mean, rstd, x.stride(0), columns, EPS,
                BLOCK=block, num_warps=warps,
            )  # fmt: skip

        return launch

    work = {name: launch_of(module) for name, module in versions.items()}
    found: dict[str, Any] = {
        "rows": rows,
        "columns": columns,
        "dtype": dtype_name,
        "block": block,
        "num_warps": warps,
        "versions": {},
    }
    for name, launch in work.items():
        y.fill_(float("nan"))
        compiled = launch()
        found["versions"][name] = {
            "registers": getattr(compiled, "n_regs", None),
            "spills": getattr(compiled, "n_spills", None),
        }
        check(f"{name}, {columns} x {dtype_name}, {block}", x, weight, bias, y, mean, rstd)
    times = timed({**work, "copy": lambda: y.copy_(x)}, runs)
    copy = statistics.median(times["copy"])
    found["copy_us"] = copy
    # A copy moves what a layer norm must move at least: x once, y once.
    found["copy_gb_per_s"] = 2 * x.numel() * x.element_size() / copy / 1e3
    for name, version in found["versions"].items():
        median = statistics.median(times[name])
        version["median_us"] = median
        version["share_of_copy"] = copy / median
        version.update(ratios(times["original"], times[name]))
    return found


def check(
    what: str,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    y: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
) -> None:
    """Against torch in fp32, row by row in slices so that long rows fit beside each other."""
    step = max(1, 2**26 // x.shape[1])
    tolerance = {torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 3e-2}[x.dtype]
    for first in range(0, x.shape[0], step):
        part = slice(first, first + step)
        wide = x[part].float()
        expected = torch.nn.functional.layer_norm(
            wide, (x.shape[1],), weight.float(), bias.float(), EPS
        )
        variance, center = torch.var_mean(wide, dim=1, correction=0)
        close = {
            "y": (y[part].float(), expected, tolerance),
            "mean": (mean[part], center, 1e-4),
            "rstd": (rstd[part], torch.rsqrt(variance + EPS), 1e-4),
        }
        for name, (actual, wanted, allowed) in close.items():
            torch.testing.assert_close(
                actual, wanted, rtol=allowed, atol=allowed,
                msg=lambda text, name=name: f"{what}: {name} differs from torch\n{text}",
            )  # fmt: skip


def expanded(runs: int) -> list[dict[str, Any]]:
    """A case of fuse-stats whose second sweep is linear in what the first one gives."""
    text = case("fuse-stats/linear_entropy").text
    found = []
    for block, warps in ((1024, 4), (4096, 8)):
        wider = text.replace("BLOCK=16", f"BLOCK={block}, num_warps={warps}")
        texts = {"original": wider}
        for passes in ("fuse-stats", "online-softmax", "online-softmax,fuse-stats"):
            texts[passes] = rewrite_source(wider, passes, safety=list(Safety)).text
        with tempfile.TemporaryDirectory() as folder:
            modules = {
                name: load(Path(folder) / f"entropy_{block}_{number}.py", text)
                for number, (name, text) in enumerate(texts.items())
            }
            for m, n in ((4096, 4096), (4096, 16384), (4096, 65536), (2048, 131072)):
                x, p = torch.randn(m, n, device="cuda"), torch.rand(m, n, device="cuda")
                calls = {name: partial(one.run, x, p) for name, one in modules.items()}
                times = timed(calls, runs)
                row = {"shape": [m, n], "block": block}
                row["us"] = statistics.median(times["original"])
                others = {name: ratios(times["original"], times[name]) for name in texts}
                found.append(row | {"versions": others})
    return found


def best(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each shape the fastest configuration of each version: what a tuned kernel would gain."""
    shapes: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows:
        shapes.setdefault((row["dtype"], row["columns"]), []).append(row)
    found = []
    for (dtype, columns), same in shapes.items():
        fastest = {}
        for name in same[0]["versions"]:
            row = min(same, key=lambda r: r["versions"][name]["median_us"])
            version = row["versions"][name]
            fastest[name] = {
                "median_us": version["median_us"],
                "share_of_copy": version["share_of_copy"],
                "block": row["block"],
                "num_warps": row["num_warps"],
            }
        original = fastest["original"]["median_us"]
        for version in fastest.values():
            version["ratio"] = original / version["median_us"]
        found.append({"dtype": dtype, "columns": columns, "versions": fastest})
    return found


def show(report: dict[str, Any]) -> None:
    print(f"{report['gpu']}, torch {report['torch']}, triton {report['triton']}")
    print("ratio: original / rewritten, above 1 is faster, [10th .. 90th percentile]\n")
    head = f"{'dtype':5} {'columns':>7} {'BLOCK':>6} {'warps':>5} {'original':>10} {'copy':>6}"
    print(head + "".join(f"   {formula:25}" for formula in FORMULAS))
    for row in report["results"]:
        original = row["versions"]["original"]
        line = (
            f"{row['dtype']:5} {row['columns']:7} {row['block']:6} {row['num_warps']:5} "
            f"{original['median_us']:7.0f} us {original['share_of_copy']:5.0%} "
        )
        for formula in FORMULAS:
            version = row["versions"][formula]
            spread = f"[{version['ratio_p10']:.2f} .. {version['ratio_p90']:.2f}]"
            line += f"   {version['ratio']:.2f}x {spread:14} {version['share_of_copy']:4.0%}"
        print(line)
    print("\nthe fastest configuration of each version:")
    for row in report["best"]:
        line = f"{row['dtype']:5} {row['columns']:7} "
        for name, version in row["versions"].items():
            line += (
                f"  {name} {version['median_us']:.0f} us ({version['block']}, "
                f"{version['num_warps']} warps, {version['ratio']:.2f}x)"
            )
        print(line)


if __name__ == "__main__":
    main()
