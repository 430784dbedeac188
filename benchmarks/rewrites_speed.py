"""Launchers of examples/ and tiles/ on a GPU: as written, and after a rewrite.

    PYTHONPATH=. python benchmarks/rewrites_speed.py [--only WORD]
        [--also PASSES FILE LAUNCHER ARGS]

Each launcher is called as a whole, in turn with its rewritten version and with a copy of as
many bytes, each after the L2 cache was flushed, on random data. Reported are the medians, the
ratio original / rewritten of neighboring runs with its 10th and 90th percentile, and the share
of the bandwidth of the copy, for the bytes of all tensors that go in and come out.

ARGS are tensors with their sizes and plain numbers: `f16[4096, 1024], f32[1024], 1e-5`.

Needs torch, triton and a CUDA device, and libcst to make the rewritten versions.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from benchmarks.side_by_side import load, machine, ratios, tensors, timed, write_report
from tritonopt.rewriting.pipeline import rewrite_source

ROOT = Path(__file__).resolve().parent.parent
DTYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i32": torch.int32,
    "i64": torch.int64,
}
TOLERANCE = {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}


@dataclass(frozen=True)
class Case:
    """A launcher, a selection of passes, and what to call the launcher with."""

    passes: str
    path: Path
    launcher: str
    arguments: str

    @property
    def label(self) -> str:
        return f"{self.passes}  {self.path.stem}.{self.launcher}({self.arguments})"


def example(
    passes: str, name: str, arguments: str, **choices: tuple[object, ...]
) -> Iterator[Case]:
    """A case for each combination of the choices; the file may hold its launcher's name."""
    for values in itertools.product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        stem, _, launcher = name.format(**chosen).partition(":")
        path = ROOT / "examples" / f"{stem}.py"
        yield Case(passes.format(**chosen), path, launcher or stem, arguments.format(**chosen))


TYPES = ("f32", "f16", "bf16")
STRIDED = "grid-stride{{programs=sm*8}}"
CASES = [
    *example(
        "grid-stride{{programs=sm*2}}",
        "layer_norm_backward",
        "{t}[{m}, {n}], {t}[{m}, {n}], {t}[{n}], f32[{m}], f32[{m}]",
        t=TYPES,
        m=(4096, 32768),
        n=(512, 1024, 4096, 8192),
    ),
    *example(
        STRIDED, "rms_norm", "{t}[{m}, {n}], {t}[{n}]",
        t=("f32", "f16"), m=(4096, 65536), n=(512, 4096),
    ),
    *example(STRIDED, "softmax", "{t}[4096, {n}]", t=("f32",), n=(512, 4096)),
    *example(
        f"fuse-stats,{STRIDED}", "layer_norm", "{t}[4096, {n}], {t}[{n}], {t}[{n}]",
        t=("f32", "f16"), n=(1024, 4096, 16384),
    ),
    *example(
        "{p}", "cosine_similarity", "f16[4096, {n}], f16[4096, {n}]",
        n=(1024, 16384), p=("max-to-where",),
    ),
    *example(
        "loop-unswitch", "gated_matmul", "f16[{m}, {m}], f16[{m}, {m}], f16[{m}], {gated}",
        m=(512, 2048), gated=(0, 1),
    ),
    *example(
        "licm", "persistent_rms_norm", "{t}[{m}, {n}], {t}[{n}]",
        t=("f32", "f16"), m=(4096, 65536), n=(512, 4096),
    ),
    *example(
        "contiguity-hints", "periodic:voices", "{t}[{n}], {t}[64], 64",
        t=("f32", "f16"), n=(4096, 100_000),
    ),
    *example(STRIDED, "batch_norm", "f32[64, 256, 28, 28], f32[256], f32[256]"),
    *example(STRIDED, "cosine_similarity", "f16[65536, 1024], f16[65536, 1024]"),
    *example(
        "exp-to-exp2", "../benchmarks/tiles/attention:{launcher}",
        "bf16[{hn}, {d}], bf16[{hn}, {d}], bf16[{hn}, {d}], {causal}",
        launcher=("attention", "mean_attention"), d=(64, 128), causal=(0, 1),
        hn=("128, 1024", "64, 2048", "32, 4096", "16, 8192"),
    ),
    *example("told-multiples", "softmax", "bf16[4096, {n}]", n=(1000, 4096, 5000, 50257, 50264)),
    *example("told-multiples{{of=4}}", "softmax", "f32[4096, {n}]", n=(1004, 4096, 5004, 50260)),
    *example("told-multiples", "cross_entropy", "bf16[4096, {n}], i64[4096]", n=(5000, 50264)),
    *example(
        "told-multiples", "layer_norm", "bf16[4096, {n}], bf16[{n}], bf16[{n}]",
        n=(1000, 4096, 5000, 50264),
    ),
    *example("told-multiples", "row_reductions:row_{what}", "bf16[4096, {n}]",
             what=("sum", "max"), n=(5000, 50264)),
    *example(
        "told-multiples", "layer_norm_backward",
        "bf16[4096, {n}], bf16[4096, {n}], bf16[{n}], f32[4096], f32[4096]", n=(1000, 5000),
    ),
    *example("rows,told-multiples", "softmax", "bf16[4096, {n}]", n=(1000, 5000, 50264)),
    *example("rows", "softmax", "bf16[4096, {n}]", n=(1000, 5000, 50264)),
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose line holds this")
    parser.add_argument(
        "--also",
        nargs=4,
        action="append",
        default=[],
        metavar=("PASSES", "FILE", "LAUNCHER", "ARGS"),
        help="one more case; may stand several times",
    )
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each version (30)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.runs < 2:
        parser.error("--runs: at least 2 are needed")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    torch.manual_seed(0)
    others = [Case(passes, Path(file), name, args) for passes, file, name, args in options.also]
    cases = [case for case in [*CASES, *others] if options.only in case.label]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            row = measured(case, Path(folder), options.runs)
            rows.append(row)
            print(line_of(row), flush=True)
    report = {"benchmark": "rewrites_speed", **machine(), "runs": options.runs, "results": rows}
    write_report(report, options.out)


def measured(case: Case, folder: Path, runs: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "passes": case.passes,
        "kernel": f"{case.path.stem}.{case.launcher}",
        "arguments": case.arguments,
    }
    text = case.path.read_text(encoding="utf-8")
    result = rewrite_source(text, case.passes, path=case.path.name)
    if not result.changed:
        said = "; ".join(f"{r.line}: {r.reason} {r.message}" for r in result.remarks)
        return {**row, "left_alone": said}
    arguments = list(made(case.arguments))
    calls: dict[str, Callable[[], Any]] = {}
    outputs: dict[str, list[torch.Tensor]] = {}
    for name, version in (("original", text), ("rewritten", result.text)):
        module: ModuleType = load(folder / f"{case.path.stem}_{name}.py", version)
        function = getattr(module, case.launcher)
        calls[name] = lambda function=function: function(*arguments)
        outputs[name] = tensors(calls[name]())
    compare(case, outputs["original"], outputs["rewritten"])
    moved = sum(t.numel() * t.element_size() for t in [*tensors(arguments), *outputs["original"]])
    half = torch.empty(max(moved // 2, 1), dtype=torch.int8, device="cuda")
    other = torch.empty_like(half)
    times = timed({**calls, "copy": lambda: other.copy_(half)}, runs)
    medians = {name: statistics.median(found) for name, found in times.items()}
    return {
        **row,
        "median_us": medians,
        "share_of_copy": {name: medians["copy"] / medians[name] for name in calls},
        **ratios(times["original"], times["rewritten"]),
    }


def made(arguments: str) -> Iterator[Any]:
    """What the launcher is called with, made anew."""
    for text in re.split(r",\s*(?![^\[]*\])", arguments):
        tensor = re.fullmatch(r"(\w+)\[([\d, ]*)\]", text.strip())
        if tensor is None:
            yield float(text) if re.search(r"[.e]", text) else int(text)
            continue
        dtype = DTYPES[tensor[1]]
        shape = [int(size) for size in tensor[2].split(",") if size.strip()]
        if dtype.is_floating_point:
            yield torch.randn(shape, device="cuda").to(dtype)
        else:
            yield torch.randint(0, 100, shape, device="cuda", dtype=dtype)


def compare(case: Case, original: list[torch.Tensor], rewritten: list[torch.Tensor]) -> None:
    for one, other in zip(original, rewritten, strict=True):
        scale = one.float().abs().max().item() or 1.0
        allowed = TOLERANCE.get(one.dtype, 0.0)
        difference = (one.float() - other.float()).abs().max().item() / scale
        if not difference <= allowed:
            raise SystemExit(f"{case.label}: the results differ by {difference:.2g} of their scale")


def line_of(row: dict[str, Any]) -> str:
    what = f"{row['passes']:40} {row['kernel']:42} {row['arguments']:52}"
    if "left_alone" in row:
        return f"{what} left alone: {row['left_alone']}"
    spread = f"[{row['ratio_p10']:.2f} .. {row['ratio_p90']:.2f}]"
    shares = " -> ".join(f"{share:.0%}" for share in row["share_of_copy"].values())
    return f"{what} {row['ratio']:.2f}x {spread:15} {row['median_us']['original']:.0f} us {shares}"


if __name__ == "__main__":
    main()
