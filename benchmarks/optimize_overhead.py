"""What `tritonopt.optimize` costs at each launch: nothing, and the results stay the same.

    PYTHONPATH=. python benchmarks/optimize_overhead.py [--passes PASSES] [--only WORD]
        [--also FILE LAUNCHER ARGS]

Every kernel of examples/ is optimized in the module that it lives in. Its launcher is called with
the original and with the optimized one in the place of the original, and what it returns and what
it writes is compared. Then the launch that it made is repeated many times, in turn with the
original, the optimized one, and a second function of the original's source (`same`), which shows
how far the numbers of one and the same thing lie apart. The tensors are small, so that the time
is that of the host. Reported are medians in microseconds, and the ratio of neighboring rounds.

The exit code is 1 if a result differs, or if a launch of an optimized kernel was slower than the
original's in nine of ten rounds.

FILE may be a module of a package, LAUNCHER a dotted name in it. ARGS are tensors with their sizes
and Python literals: `f16[64, 200], f32[200], 1e-5, "llama", None`.

Needs torch, triton and a CUDA device, and libcst to make the rewritten versions.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import importlib
import re
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

import tritonopt
from benchmarks import side_by_side
from benchmarks.rewrites_speed import DTYPES, TOLERANCE, tensors
from benchmarks.side_by_side import machine, ratios, write_report
from tritonopt.runtime.live import chain_of
from tritonopt.verification.worker.loading import name_of

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
LAUNCHES = 200
"""In one round; fewer than the queue of a GPU takes, or the host waits."""


@dataclass(frozen=True)
class Case:
    path: Path
    launcher: str
    arguments: str

    @property
    def label(self) -> str:
        return f"{self.path.stem}.{self.launcher}({self.arguments})"


CASES = [
    Case(EXAMPLES / f"{stem}.py", launcher or stem, arguments)
    for stem, launcher, arguments in (
        ("batch_norm", "", "f32[2, 3, 5, 32], f32[3], f32[3]"),
        ("cosine_similarity", "", "f32[64, 200], f32[64, 200]"),
        ("gated_matmul", "", "f32[64, 64], f32[64, 64], f32[64], 1"),
        ("group_norm", "", "f32[2, 4, 3, 32], f32[4], f32[4]"),
        ("layer_norm", "", "f32[64, 200], f32[200], f32[200]"),
        ("layer_norm_backward", "", "f32[64, 200], f32[64, 200], f32[200], f32[64], f32[64]"),
        ("periodic", "voices", "f32[100], f32[8], 2"),
        ("persistent_rms_norm", "", "f32[64, 200], f32[200]"),
        ("rms_norm", "", "f32[64, 200], f32[200]"),
        ("softmax", "", "f32[64, 200]"),
        ("variance", "var_mean", "f32[64, 200]"),
    )
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passes", default="all", help="as for `optimize` (all)")
    parser.add_argument("--only", default="", help="cases whose line holds this")
    parser.add_argument(
        "--also",
        nargs=3,
        action="append",
        default=[],
        metavar=("FILE", "LAUNCHER", "ARGS"),
        help="one more case; may stand several times",
    )
    parser.add_argument("--rounds", type=int, default=60, help="of each version (60)")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.rounds < 10:
        parser.error("--rounds: at least 10 are needed")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark needs a CUDA device")
    others = [Case(Path(file), name, arguments) for file, name, arguments in options.also]
    rows = []
    for case in [*CASES, *others]:
        if options.only in case.label:
            for row in measured(case, options.passes, options.rounds):
                rows.append(row)
                print(line_of(row), flush=True)
    report = {
        "benchmark": "optimize_overhead",
        **machine(),
        "rounds": options.rounds,
        "launches": LAUNCHES,
        "results": rows,
    }
    write_report(report, options.out)
    wrong = [row["case"] for row in rows if row["slower"] or row["difference"] is None]
    if wrong:
        raise SystemExit(f"slower, or other results: {', '.join(wrong)}")


def measured(case: Case, passes: str, rounds: int) -> Iterator[dict[str, Any]]:
    """One row for each kernel that the launcher launches."""
    module = imported(case.path)
    kernels = {name: value for name, value in vars(module).items() if is_kernel(value, module)}
    recorders = [Recorder(name, kernel) for name, kernel in kernels.items()]
    original = called(module, case, recorders, {})
    launched = [recorder for recorder in recorders if recorder.launches]
    if not launched:
        raise SystemExit(f"{case.label} launches no kernel that is a name of its module")
    optimized = {}
    seconds = {}
    for recorder in launched:
        begin = time.perf_counter()
        optimized[recorder.name] = tritonopt.optimize(recorder.kernel, passes=passes)
        seconds[recorder.name] = time.perf_counter() - begin
    difference = compared(original, called(module, case, [], optimized))
    for recorder in launched:
        name = recorder.name
        same = tritonopt.optimize(recorder.kernel, passes=())
        versions = {"original": recorder.kernel, "optimized": optimized[name], "same": same}
        times = timed(recorder.launches[0], versions, rounds)
        found = ratios(times["optimized"], times["original"])
        yield {
            "case": f"{case.path.stem}.{name}",
            "arguments": case.arguments,
            "passes": list(optimized[name].tritonopt.passes),
            "difference": difference,
            "optimize_ms": seconds[name] * 1e3,
            "median_us": {version: statistics.median(t) for version, t in times.items()},
            "optimized": found,
            "same": ratios(times["same"], times["original"]),
            "slower": found["ratio_p10"] > 1,
        }


def imported(path: Path) -> ModuleType:
    """The module of a file, by the name that it has in its package."""
    found = name_of(path, path.read_text(encoding="utf-8"))
    sys.path.insert(0, str(found.root))
    name = found.name.removeprefix("_tritonopt_subject_")
    return importlib.import_module(name)


def is_kernel(value: Any, module: ModuleType) -> bool:
    """Whether it is a kernel of the module's own, or a wrapper around one."""
    if isinstance(value, type) or not hasattr(value, "fn"):
        return False
    try:
        function = chain_of(value)[-1].fn
    except TypeError:
        return False
    return bool(function.__module__ == module.__name__)


Launch = tuple[Any, tuple[Any, ...], dict[str, Any]]


@dataclass
class Recorder:
    """Remembers how a kernel of a module was launched."""

    name: str
    kernel: Any
    launches: list[Launch] = field(default_factory=list)

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        self.launches.append((grid, args, kwargs))
        return type(self.kernel).run(self.kernel, *args, grid=grid, warmup=warmup, **kwargs)


def called(
    module: ModuleType, case: Case, recorders: list[Recorder], kernels: dict[str, Any]
) -> list[torch.Tensor]:
    """What the launcher returns, and its arguments, with other kernels in its module."""
    torch.manual_seed(0)
    arguments = list(made(case.arguments))
    launcher: Any = module
    for part in case.launcher.split("."):
        launcher = getattr(launcher, part)
    for recorder in recorders:
        recorder.kernel.run = recorder.run
    with replaced(module, kernels):
        returned = launcher(*arguments)
    for recorder in recorders:
        del recorder.kernel.run
    torch.cuda.synchronize()
    return [*tensors(returned), *tensors(arguments)]


@contextmanager
def replaced(module: ModuleType, names: dict[str, Any]) -> Iterator[None]:
    before = {name: vars(module)[name] for name in names}
    vars(module).update(names)
    try:
        yield
    finally:
        vars(module).update(before)


def made(arguments: str) -> Iterator[Any]:
    """What the launcher is called with."""
    for text in re.split(r",\s*(?![^\[]*\])", arguments):
        tensor = re.fullmatch(r"(\w+)\[([\d, ]*)\]", text.strip())
        if tensor is None:
            yield ast.literal_eval(text.strip())
            continue
        dtype = DTYPES[tensor[1]]
        shape = [int(size) for size in tensor[2].split(",") if size.strip()]
        if dtype.is_floating_point:
            yield torch.randn(shape, device="cuda").to(dtype)
        else:
            yield torch.randint(0, 100, shape, device="cuda", dtype=dtype)


def compared(original: list[torch.Tensor], optimized: list[torch.Tensor]) -> float | None:
    """The largest difference, as a share of what is allowed for the type; None if it is larger."""
    largest = 0.0
    for one, other in zip(original, optimized, strict=True):
        if torch.equal(torch.nan_to_num(one), torch.nan_to_num(other)):
            continue
        scale = one.float().abs().max().item() or 1.0
        difference = (one.float() - other.float()).abs().max().item() / scale
        allowed = TOLERANCE.get(one.dtype, 0.0)
        if not difference <= allowed:
            return None
        largest = max(largest, difference / allowed)
    return largest


class Host:
    """The host as what is timed on: before each run the GPU has done all that was queued."""

    def clear(self, times: int) -> None:
        torch.cuda.synchronize()

    def mark(self) -> float:
        return time.perf_counter()

    def reached(self, mark: float) -> bool:
        return False

    def between(self, begin: float, end: float) -> float:
        return (end - begin) * 1e6

    def watch(self) -> None:
        pass

    def wait(self) -> None:
        torch.cuda.synchronize()


def timed(launch: Launch, kernels: dict[str, Any], rounds: int) -> dict[str, list[float]]:
    """Microseconds of one launch on the host, in each round."""
    grid, args, kwargs = launch

    def launches(kernel: Any) -> None:
        for _ in range(LAUNCHES):
            kernel[grid](*args, **kwargs)

    work = {name: functools.partial(launches, kernel) for name, kernel in kernels.items()}
    gc.disable()
    try:
        times = side_by_side.timed(work, rounds, device=Host())
    finally:
        gc.enable()
    return {name: [run / LAUNCHES for run in runs] for name, runs in times.items()}


def line_of(row: dict[str, Any]) -> str:
    result = "OTHER RESULTS" if row["difference"] is None else f"{row['difference']:.2%} of allowed"
    times = " ".join(f"{name} {us:.2f}" for name, us in row["median_us"].items())
    spread = f"[{row['optimized']['ratio_p10']:.3f} .. {row['optimized']['ratio_p90']:.3f}]"
    slower = "  SLOWER" if row["slower"] else ""
    passes = ", ".join(row["passes"]) or "unchanged"
    return (
        f"{row['case']:50} {passes:36} {result:18} {times} us  "
        f"x{row['optimized']['ratio']:.3f} {spread} (same x{row['same']['ratio']:.3f}), "
        f"optimize() {row['optimize_ms']:.0f} ms{slower}"
    )


if __name__ == "__main__":
    main()
