"""Every rewritten case of the passes, verified against its original on a GPU.

    PYTHONPATH=. python benchmarks/verified_cases.py [--only PASS] [--jobs 16] [--budget 570]
        [--out benchmarks/results/verified_cases-nvidia-h200.json]
    PYTHONPATH=. python benchmarks/verified_cases.py --backend interpreter --jobs 2
        --beside benchmarks/results/verified_cases-nvidia-h200.json
        --out benchmarks/results/verified_cases-interpreter.json
    PYTHONPATH=. python benchmarks/verified_cases.py --table FILE.json

The cases are those of tests/passes. What each becomes is verified, so the record holds for the
texts that are committed. `--beside` leaves out what another record has right. A case is `as
documented` where its `# verify:` line says that a counterexample exists, and one was found. Where
that line says why a case is not run, it is tried once on a GPU; it counts if it is right, and else
is `not run`.
Cases that `--budget` seconds do not reach are left out of the record. The same command goes on
with them, and with those whose texts have changed since. Exits with 1 where a verdict is not the
expected one.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, TimeoutError, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# Before the cases are imported, which ask it what is run.
os.environ["TRITONOPT_BACKEND"] = "interpreter" if "interpreter" in sys.argv else "cuda"

from tests.passes.cases import BACKEND, CASES, RIGHT, Case, verdict_of
from tests.passes.cases import verified as right_in

COLUMNS = (*RIGHT, "counterexample", "unsupported", "error", "not run")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", help="cases of this pass")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds")
    parser.add_argument("--backend", choices=("cuda", "interpreter"), default="cuda")
    parser.add_argument("--beside", type=Path, help="a record; what it has right is left out")
    parser.add_argument("--out", type=Path, help="the record; what it has is not run again")
    parser.add_argument("--table", type=Path, help="print the table of a record, and run nothing")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))["cases"]))
        return 0
    kept = json.loads(options.out.read_text("utf-8")) if _exists(options.out) else {}
    beside = right_in(options.beside) if options.beside else frozenset()
    cases = [one for one in CASES if one.expect == "rewritten" and one.texts not in beside]
    there = {case.name for case in cases}
    rows: dict[str, dict[str, Any]] = {
        row["case"]: row for row in kept.get("cases", []) if row["case"] in there
    }
    wanted = [
        case
        for case in cases
        if options.only in (None, case.pass_name)
        and rows.get(case.name, {}).get("texts") != case.texts
    ]
    for row in verified(wanted, options.jobs, options.budget):
        rows[row["case"]] = row
        print(f"{row['case']}: {row['verdict']} {row['reason']}".rstrip(), flush=True)
        if options.out:
            record = {"machine": machine(), "cases": [rows[name] for name in sorted(rows)]}
            options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(table(list(rows.values())))
    return 0 if all(row["verdict"] in (*RIGHT, "not run") for row in rows.values()) else 1


def _exists(path: Path | None) -> bool:
    return path is not None and path.exists()


def machine() -> dict[str, str]:
    """Where the cases ran, and the versions."""
    import torch
    import triton

    where = torch.cuda.get_device_name() if BACKEND == "cuda" else f"none: {platform.machine()}"
    return {
        "gpu": where,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "date": time.strftime("%Y-%m-%d"),
    }


def verified(wanted: list[Case], jobs: int, budget: float) -> Iterator[dict[str, Any]]:
    """The rows of cases in the order in which they are done, until the budget is spent."""
    end = time.monotonic() + budget
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=spawn)
    try:
        started = [pool.submit(row_of, case) for case in wanted]
        limit = None if math.isinf(budget) else budget
        yield from (done.result() for done in as_completed(started, limit))
    except TimeoutError:
        print(f"the budget is spent: {budget:.0f} s", file=sys.stderr)
    finally:
        pool.shutdown(wait=time.monotonic() < end, cancel_futures=True)


def row_of(case: Case) -> dict[str, Any]:
    """What the verification of one case came to."""
    row = {"case": case.name, "texts": case.texts, "verdict": "not run", "examples": 0}
    row["reason"] = case.verify
    tried = not case.is_run
    if tried and (BACKEND != "cuda" or not case.verify.startswith("no")):
        return row
    with TemporaryDirectory() as folder:
        try:
            verdict, examples, reason = verdict_of(case, Path(folder))
        except Exception as error:
            verdict, examples, reason = "error", 0, f"{type(error).__name__}: {error}"
    if tried and verdict not in RIGHT:
        return row
    return {**row, "verdict": verdict, "examples": examples, "reason": reason[:2000]}


def table(rows: list[dict[str, Any]]) -> str:
    """How many cases of each pass came to which verdict."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["case"].partition("/")[0]][row["verdict"]] += 1
    shown = [c for c in COLUMNS if any(found[c] for found in counts.values())]
    lines = [f"| pass | cases | {' | '.join(shown)} |", f"| --- {'| --- ' * (len(shown) + 1)}|"]
    total = sum(counts.values(), Counter[str]())
    for name, found in [*sorted(counts.items()), ("all", total)]:
        cells = " | ".join(str(found[c]) for c in shown)
        lines.append(f"| {name} | {found.total()} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
