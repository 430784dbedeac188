"""Which wrong rewrites does verification find, on which backend, and does it accuse right ones?

    PYTHONPATH=. python benchmarks/verification_mutations.py --backend interpreter|cuda [--jobs 8]
        [--examples 20] [--only SUBJECT] [--limit 240] [--budget 570]
        [--out benchmarks/results/verification_mutations.json]

Verifies every rewrite of `tests/verification/rewrites.py` against its subject and
writes what came out into one column of the table, each when it comes: the other backend's
column stays as it is in the file, and so does what `--budget` seconds do not reach, which is
counted. Beside the JSON goes the same as a table to read, `.md`.
Exits with 1 when a wrong rewrite was not found, a right one was accused, or some were not reached.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mutation.slots import answers, end_with_a_signal  # noqa: E402
from tests.verification.rewrites import RIGHT, WRONG, Rewrite  # noqa: E402

SUBJECTS = ROOT / "tests" / "verification" / "subjects"
RESULT = ROOT / "benchmarks" / "results" / "verification_mutations.json"
BACKENDS = ("interpreter", "cuda")

HOW = {
    "writes outside": "a write outside",
    "reads outside": "a read outside",
    "has a race": "a race",
    "false hint": "a false hint",
    "only the rewritten version fails": "a failure",
    "depends on memory": "unwritten memory",
    "depends on masked-off lanes": "masked lanes",
    "depends on the order": "the order of programs",
    "from run to run": "two runs differ",
    "writes an element": "what is written",
    "one version is finite": "where it is finite",
    "one version is inf": "the sign of an infinity",
    "error is too large": "the size of the error",
    "the outputs differ": "exact values",
    "another type or shape": "another form",
    "cannot be imported": "a failure",
}
"""What a counterexample says, and what that is in one or two words."""


def verified(rewrite: Rewrite, backend: str, examples: int) -> dict[str, Any]:
    """Verify one rewrite; runs in a process of its own."""
    from tritonopt.verification import verify
    from tritonopt.verification.comparison import drawing

    drawing.SHRINK_SECONDS, drawing.MOST_SMALLER = 1.0, 0  # nobody reads these counterexamples
    original = SUBJECTS / f"{rewrite.subject}.py"
    text = original.read_text(encoding="utf-8")
    for old, new in rewrite.changes:
        assert old in text, f"{old!r} does not stand in {original.name}"
        text = text.replace(old, new)
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        rewritten = Path(folder) / original.name
        rewritten.write_text(text, encoding="utf-8")
        verdict = verify(original, rewritten, backend=backend, max_examples=examples)
    said = verdict.counterexample or ""
    return {
        "verdict": verdict.verdict,
        "by": next((words for part, words in HOW.items() if part in said), ""),
        "examples": verdict.examples,
        "seconds": round(time.perf_counter() - begin, 1),
        "reason": verdict.reason or "",
        "machine": verdict.backend,
    }


def good(rewrite: Rewrite, found: dict[str, Any], backend: str) -> bool:
    if rewrite in RIGHT:
        return found["verdict"] in ("identical", "equivalent")
    return found["verdict"] == "counterexample" or (
        rewrite.only_on_a_gpu and backend == "interpreter"
    )


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "# What verification finds",
        "",
        "Made by `benchmarks/verification_mutations.py`; the rewrites are in "
        "`tests/verification/rewrites.py`. A wrong rewrite is *found by* what is named; a right "
        "one gets the verdict that stands there.",
    ]
    for title, wrong in (("Wrong rewrites", True), ("Right rewrites", False)):
        chosen = [r for r in rows if r["wrong"] == wrong]
        counts = []
        for backend in BACKENDS:
            known = [r[backend] for r in chosen if backend in r]
            hit = sum((v["verdict"] == "counterexample") == wrong for v in known)
            counts.append(f"{backend} {hit} of {len(known)}")
        what = "found" if wrong else "accepted"
        lines += ["", f"## {title}: {what} {', '.join(counts)}", ""]
        lines += [
            "| subject | kind | rewrite | interpreter | cuda |",
            "| --- | --- | --- | --- | --- |",
        ]
        for row in chosen:
            cells = [row["subject"], row["kind"], row["name"]]
            for backend in BACKENDS:
                found = row.get(backend)
                if found is None:
                    cells.append("not run")
                elif wrong and found["verdict"] == "counterexample":
                    cells.append(found.get("by") or "found")
                else:
                    cells.append(f"**{found['verdict']}**" if wrong else found["verdict"])
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    options = parsed()
    end_with_a_signal()
    chosen = [r for r in (*WRONG, *RIGHT) if options.only in (None, r.subject)]
    known: dict[tuple[str, str], dict[str, Any]] = {}
    machines: dict[str, Any] = {}
    if options.out.exists():
        before = json.loads(options.out.read_text(encoding="utf-8"))
        known = {(row["subject"], row["name"]): row for row in before["rewrites"]}
        machines = before["machines"]
    reached = failures = 0
    for number, found in answers(
        verified,
        [(r, options.backend, options.examples) for r in chosen],
        jobs=options.jobs,
        seconds=options.limit,
        deadline=time.monotonic() + options.budget,
    ):
        rewrite = chosen[number]
        row = known.setdefault((rewrite.subject, rewrite.name), {})
        row[options.backend] = {k: v for k, v in found.items() if k != "machine"}
        if "machine" in found:
            machines[options.backend] = {"verified on": found["machine"], **_machine()}
        fine = good(rewrite, found, options.backend)
        reached, failures = reached + 1, failures + (not fine)
        what = found.get("by") or found["verdict"]
        mark = "    " if fine else "BAD "
        print(f"{mark}{rewrite.subject}: {rewrite.name}: {what} ({found['seconds']} s)", flush=True)
        write(options.out, machines, known)
    missed = len(chosen) - reached
    print(f"{reached} rewrites, {failures} not as they should be, {missed} not reached")
    return 1 if failures or missed else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=BACKENDS, required=True)
    parser.add_argument("--examples", type=int, default=20, help="for each rewrite (20)")
    parser.add_argument("--jobs", type=int, default=1, help="verifications at once (1)")
    parser.add_argument("--only", help="rewrites of this subject only")
    parser.add_argument("--limit", type=float, default=240, help="seconds for each (240)")
    parser.add_argument("--budget", type=float, default=36000, help="seconds for all (36000)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the JSON to bring up to date")
    return parser.parse_args()


def write(
    out: Path, machines: dict[str, Any], known: dict[tuple[str, str], dict[str, Any]]
) -> None:
    rows = [
        {
            "subject": r.subject,
            "kind": r.kind,
            "name": r.name,
            "wrong": r in WRONG,
            **{b: known[r.subject, r.name][b] for b in BACKENDS if b in known[r.subject, r.name]},
        }
        for r in (*WRONG, *RIGHT)
        if (r.subject, r.name) in known
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    report = {"machines": machines, "rewrites": rows}
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    out.with_suffix(".md").write_text(table(rows), encoding="utf-8")


def _machine() -> dict[str, str]:
    return {"date": time.strftime("%Y-%m-%d"), "python": platform.python_version()}


if __name__ == "__main__":
    sys.exit(main())
