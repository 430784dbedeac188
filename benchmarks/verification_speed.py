"""How many examples a second does verification manage, and where does the time go?

    python benchmarks/verification_speed.py [--backend auto|interpreter|cuda] [--examples 100]
        [--out benchmarks/results/verification_speed.json]

Verifies some of the subjects of `tests/verification` against themselves and against
wrong rewrites, and divides the seconds of the clock: until both
versions are loaded (start), until the workers answered (run, and compiling within it),
drawing and comparing (judge), and everything after the first difference (shrink).
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.verification.rewrites import WRONG  # noqa: E402
from tritonopt.verification import Verdict, verify  # noqa: E402

SUBJECTS = ROOT / "tests" / "verification" / "subjects"
SAME = ("add", "softmax", "layer_norm", "total", "matmul")
SHRUNK = ("whole tiles only", "one program adds nothing")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=("auto", "interpreter", "cuda"), default="auto")
    parser.add_argument("--examples", type=int, default=100, help="for each subject (100)")
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
        for original, rewritten in work:
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
    report = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": rows[0]["backend"],
        "examples": options.examples,
        "rows": rows,
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
