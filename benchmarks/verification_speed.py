"""How many examples a second does verification manage, and where does the time go?

    python benchmarks/verification_speed.py [--backend auto|interpreter|cuda] [--examples 100]
        [--out benchmarks/results/verification_speed.json]

Verifies some of the subjects of `tests/verification` against themselves and against
wrong rewrites, and divides the seconds of the clock: until both
versions are loaded (start), until the workers answered (run, and compiling within it),
drawing and comparing (judge), and everything after the first difference (shrink).

Then `tritonopt verify` from start to finish, as a process of its own, on examples and what passes
make of them: seconds of the clock, and those that its processes spent (user and system), which
say more where the machine is busy; how busy it was is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.verification.rewrites import WRONG  # noqa: E402
from tritonopt import rewrite_source  # noqa: E402
from tritonopt.verification import Verdict, verify  # noqa: E402

SUBJECTS = ROOT / "tests" / "verification" / "subjects"
SAME = ("add", "softmax", "layer_norm", "total", "matmul")
SHRUNK = ("whole tiles only", "one program adds nothing")
WHOLE = {"layer_norm": "fuse-stats", "softmax": "online-softmax"}
"""Examples that are verified from start to finish, and the pass that rewrites each."""


def measured(original: Path, rewritten: Path, options: argparse.Namespace) -> dict[str, Any]:
    begin = time.perf_counter()
    verdict: Verdict = verify(
        original, rewritten, backend=options.backend, max_examples=options.examples
    )
    total = time.perf_counter() - begin
    assert verdict.timing is not None, verdict
    before_shrinking = verdict.timing.run + verdict.timing.judge
    return {
        "subject": original.stem,
        "verdict": verdict.verdict,
        "backend": verdict.backend,
        "examples": verdict.examples,
        "seconds": total,
        # What comes after a difference runs no new inputs to speak of.
        "examples_per_second": verdict.examples / (before_shrinking + verdict.timing.shrink),
        **asdict(verdict.timing),
    }


def spent(command: list[str]) -> dict[str, float]:
    """Seconds of a process that ends well, and of all processes that it waits for."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return {
        "seconds": time.perf_counter() - begin,
        "user": usage.ru_utime,
        "system": usage.ru_stime,
        "load": os.getloadavg()[0],
    }


def whole(folder: Path, backend: str, times: int) -> list[dict[str, Any]]:
    """`tritonopt verify` from start to finish: the run of several that spent least."""
    rows = []
    for name, chosen in WHOLE.items():
        original, rewritten = ROOT / "examples" / f"{name}.py", folder / f"{name}.py"
        text = original.read_text(encoding="utf-8")
        rewritten.write_text(rewrite_source(text, chosen).text, encoding="utf-8")
        for options in (["--quick"], []):
            command = [
                sys.executable,
                "-m",
                "tritonopt",
                "verify",
                *map(str, (original, rewritten)),
            ]
            command += ["--backend", backend, *options]
            runs = [spent(command) for _ in range(times)]
            least = min(runs, key=lambda run: run["user"] + run["system"])
            rows.append({"example": name, "options": options, "runs": times, **least})
            print(
                f"{name} {' '.join(options) or 'as it is':10}"
                + "".join(f"{least[k]:8.1f} {k}" for k in ("seconds", "user", "system", "load")),
                flush=True,
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=("auto", "interpreter", "cuda"), default="auto")
    parser.add_argument("--examples", type=int, default=100, help="for each subject (100)")
    parser.add_argument("--runs", type=int, default=5, help="from start to finish (5)")
    parser.add_argument("--only-whole", action="store_true", help="only from start to finish")
    parser.add_argument("--out", type=Path, help="write the numbers here, as JSON")
    options = parser.parse_args()
    rows = []
    print(f"{'':24}{'examples':>9}{'per s':>8}{'total':>8}{'start':>8}{'run':>8}"
          f"{'judge':>8}{'shrink':>8}{'compile':>9}{'compiled':>9}")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        work = [(SUBJECTS / f"{name}.py", SUBJECTS / f"{name}.py") for name in SAME]
        for rewrite in (r for r in WRONG if r.name in SHRUNK):
            original = SUBJECTS / f"{rewrite.subject}.py"
            text = original.read_text(encoding="utf-8")
            for old, new in rewrite.changes:
                text = text.replace(old, new)
            wrong = Path(folder) / original.name
            wrong.write_text(text, encoding="utf-8")
            work.append((original, wrong))
        for original, rewritten in () if options.only_whole else work:
            row = measured(original, rewritten, options)
            rows.append(row)
            name = row["subject"] + ("" if original == rewritten else ", wrong")
            clocks = (row[k] for k in ("seconds", "start", "run", "judge", "shrink"))
            print(
                f"{name:24}{row['examples']:9}{row['examples_per_second']:8.1f}"
                + "".join(f"{seconds:8.1f}" for seconds in clocks)
                + f"{row['compile']:9.1f}{row['compilations']:9}",
                flush=True,
            )
        start_to_finish = whole(Path(folder), options.backend, options.runs)
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": rows[0]["backend"] if rows else options.backend,
        "examples": options.examples,
        "rows": rows,
        "start_to_finish": start_to_finish,
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
