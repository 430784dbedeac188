"""Rewrites made by hand, before and after, on a GPU: what would a pass gain, and where lose?

    PYTHONPATH=. python benchmarks/by_hand.py [--only WORD,WORD] [--runs 24] [--seconds 190]

Each kernel here has its variants as constexpr switches, which leave nothing in the compiled code.
Variants run in turn on random data, each after the L2 cache was flushed. Reported are medians, the
ratio original / variant of neighboring runs with its 10th and 90th percentile, the largest
error against torch in fp32 or fp64, and whether a variant has the bits of the original.

Needs torch and triton alone. With TRITON_INTERPRET=1 small sizes run on the CPU, untimed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import triton

from benchmarks.by_hand_cases import INTERPRETED, Case, Launch, Steps, cases

FLUSHED_BYTES = 512 * 2**20


def distinct(only: str) -> list[Launch]:
    """The launches to compile, one of each; on the device "meta" tensors have no memory."""
    found = {}
    for case in cases("meta", only):
        for variant in case.variants.values():
            for launch in variant.steps if isinstance(variant, Steps) else (variant,):
                if isinstance(launch, Launch):
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
        timed: dict[str, Callable[[], Any]] = {name: case.variants[name] for name in names}
        if case.bytes:
            source = torch.empty(case.bytes // 2, dtype=torch.uint8, device="cuda")
            target = torch.empty_like(source)
            timed["copy"] = lambda: target.copy_(source)
            found["copy"] = {}
        times = microseconds(timed, runs)
        base = times[names[0]]
        names = list(timed)
        for name in names:
            ratios = sorted(a / b for a, b in zip(base, times[name], strict=True))
            found[name] |= {
                "microseconds": round(statistics.median(times[name]), 2),
                "ratio": round(statistics.median(ratios), 4),
                "ratio_p10": round(ratios[len(ratios) // 10], 4),
                "ratio_p90": round(ratios[-1 - len(ratios) // 10], 4),
            }
    return {"case": case.label, "variants": found}


def microseconds(work: dict[str, Callable[[], Any]], runs: int) -> dict[str, list[float]]:
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
    copy = row["variants"].get("copy", {}).get("microseconds")
    for name, cell in row["variants"].items():
        if name == "copy":
            yield f"  {name:30}{copy:10.1f} us"
            continue
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
        if copy is not None:
            speed += f" of copy {copy / cell['microseconds']:.2f}"
        yield f"  {name:30}{speed}  error {cell['error']:.2e} {bits}{wrong}"


def compact(report: dict[str, Any]) -> str:
    """As JSON, a case to a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in report["results"])
    head = json.dumps({**report, "results": []}, indent=1)
    return head.replace('"results": []', f'"results": [\n{rows}\n ]') + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose label holds one of these words")
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
