"""How many mistakes does verification find that a program put into kernels of other people?

    PYTHONPATH=. python benchmarks/mutations.py PATH... [--backend interpreter|cuda] [--jobs 2]
        [--each 12] [--seed 0] [--args FILE.json] [--equivalent FILE.json] [--out FILE.json]
    PYTHONPATH=. python benchmarks/mutations.py --again FILE.json    # the table of a recorded run

Each file is first verified against itself: one that gets no answer, or in which nothing is
written, is listed with the reason, and left. Of all mutants of the others `--each` are drawn for
every operator, over all files, and as many right rewrites of every kind; each is verified against
its file. What a person found to compute the same stands in `--equivalent`: a list of
`{"file", "function", "operator", "was", "now", "why"}`. `--args` gives arguments of launchers,
`{"file.py": "x: f32[m, n]"}`, where verification does not find them itself.

A row for every operator: found, survived (listed below, each to be judged), without an answer.
What `--budget` seconds do not reach is counted, and left. Exits with 1 when a mutant survived
that is not listed as equivalent, or a right one was accused. This runs the files' code; they
must be importable where they stand.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import multiprocessing
import platform
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from benchmarks.mutation.edits import Mutant, Operator, mutants
from benchmarks.mutation.right import RIGHT
from benchmarks.mutation.wrong import WRONG
from tritonopt import source

ROOT = Path(__file__).resolve().parent.parent
YES = ("identical", "equivalent")
EQUIVALENT = ROOT / "benchmarks" / "results" / "mutations_equivalent.json"


def verified(path: Path, text: str, options: argparse.Namespace) -> dict[str, Any]:
    """Verify one text against the file; runs in a process of its own."""
    from tritonopt.verification import VerificationError, searching, verify

    searching.SHRINK_SECONDS = 2.0  # nobody reads these counterexamples
    begin = time.perf_counter()
    try:
        verdict = verify(
            path,
            path,
            text=text,
            args=options.arguments.get(path.name),
            backend=options.backend,
            max_examples=options.examples,
        )
    except VerificationError as error:
        found = {"verdict": "unsupported", "reason": str(error), "examples": 0}
    else:
        said = verdict.reason or verdict.counterexample or ""
        found = {"verdict": verdict.verdict, "reason": said[:300], "examples": verdict.examples}
    return {**found, "seconds": round(time.perf_counter() - begin, 1)}


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def modules_of(paths: Iterable[Path]) -> dict[Path, source.Module]:
    found = {}
    for path in files_in(paths):
        text = path.read_text(encoding="utf-8")
        if source.has_kernels(text):
            module = source.read(text, str(path))
            if module.launches:
                found[path] = module
    return found


def drawn(
    modules: Mapping[Path, source.Module],
    operators: Mapping[str, Operator],
    each: int,
    random_numbers: random.Random,
) -> list[tuple[Path, Mutant]]:
    """Of every operator so many, from as many files as there are."""
    by_operator: dict[str, dict[Path, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for path, module in modules.items():
        for mutant in mutants(module, operators):
            by_operator[mutant.operator][path].append(mutant)
    chosen = []
    for name in operators:
        of_files = list(by_operator[name].items())
        random_numbers.shuffle(of_files)
        for _, found in of_files:
            random_numbers.shuffle(found)
        turns = (
            (path, found[n]) for n in range(each) for path, found in of_files if n < len(found)
        )
        chosen += [next(turns, None) for _ in range(each)]
    return [item for item in chosen if item is not None]


def main() -> int:
    options = parsed()
    if options.again:
        return report(json.loads(options.again.read_text(encoding="utf-8")), options, options.again)
    modules = modules_of(options.paths)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        tasks = {(path, module.text): "baseline" for path, module in modules.items()}
        baseline = run(pool, tasks, options)
        answered = {row["path"] for row in baseline if row["verdict"] in YES}
        kept = {path: module for path, module in modules.items() if path in answered}
        numbers = random.Random(options.seed)
        chosen = [
            *((path, mutant, True) for path, mutant in drawn(kept, WRONG, options.each, numbers)),
            *((path, mutant, False) for path, mutant in drawn(kept, RIGHT, options.right, numbers)),
        ]
        print(f"{len(answered)} of {len(modules)} files answered; {len(chosen)} changes drawn")
        labels = {
            (path, m.text): f"{m.label} {'' if bad else '(right)'}" for path, m, bad in chosen
        }
        found = {(row["path"], row["text"]): row for row in run(pool, labels, options)}
    rows = [
        {
            "file": path.name,
            "wrong": wrong,
            **{key: getattr(m, key) for key in ("operator", "function", "line", "was", "now")},
            **{
                key: found[path, m.text][key]
                for key in ("verdict", "reason", "examples", "seconds")
            },
        }
        for path, m, wrong in chosen
        if (path, m.text) in found
    ]
    without = [
        {"file": row["path"].name, "reason": row["reason"]}
        for row in baseline
        if row["verdict"] not in YES
    ]
    made = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "triton": importlib.metadata.version("triton"),
        "backend": options.backend,
        "files": len(baseline),
        "not_reached": len(modules) - len(baseline) + len(chosen) - len(rows),
        "without_an_answer": without,
        "mutants": rows,
    }
    return report(made, options, options.out)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--again", type=Path, help="a recorded run: judge and print it again")
    parser.add_argument("--budget", type=float, default=36000, help="seconds for all (36000)")
    parser.add_argument("--backend", choices=("interpreter", "cuda"), default="interpreter")
    parser.add_argument("--examples", type=int, default=100, help="for each verification (100)")
    parser.add_argument("--each", type=int, default=12, help="mutants of every operator (12)")
    parser.add_argument("--right", type=int, default=6, help="right rewrites of every kind (6)")
    parser.add_argument("--jobs", type=int, default=2, help="verifications at once (2)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--args", type=Path, help="arguments of launchers, JSON")
    parser.add_argument("--equivalent", type=Path, default=EQUIVALENT)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/mutations.json")
    options = parser.parse_args()
    options.paths = [path.resolve() for path in options.paths]
    if not options.paths and options.again is None:
        parser.error("give files or folders, or a recorded run with --again")
    options.deadline = time.monotonic() + options.budget
    options.arguments = json.loads(options.args.read_text()) if options.args else {}
    return options


def run(
    pool: ProcessPoolExecutor, tasks: Mapping[tuple[Path, str], str], options: argparse.Namespace
) -> list[dict[str, Any]]:
    asked = {
        pool.submit(verified, path, text, options): (path, text, label)
        for (path, text), label in tasks.items()
    }
    rows: list[dict[str, Any]] = []
    try:
        for done in as_completed(asked, timeout=max(options.deadline - time.monotonic(), 1.0)):
            path, text, label = asked[done]
            row = {"path": path, "text": text, **done.result()}
            rows.append(row)
            shown = " ".join(row["reason"].split())[:70]
            print(
                f"{len(rows):4}/{len(asked)} {row['verdict']:14} {row['seconds']:5} s {path.name} "
                f"{label} | {shown}",
                flush=True,
            )
    except TimeoutError:
        for waiting in asked:
            waiting.cancel()
    return rows


def report(made: dict[str, Any], options: argparse.Namespace, out: Path) -> int:
    rows = made["mutants"]
    known = json.loads(options.equivalent.read_text()) if options.equivalent.exists() else []
    keys = ("file", "function", "operator", "was", "now")
    reasons = {tuple(entry[key] for key in keys): entry["why"] for entry in known}
    for row in rows:
        if row["wrong"] and row["verdict"] in YES:
            row["equivalent"] = reasons.get(tuple(row[key] for key in keys), "")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    text = table(made)
    out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    survived = [r for r in rows if r["wrong"] and r["verdict"] in YES and not r["equivalent"]]
    accused = [r for r in rows if not r["wrong"] and r["verdict"] == "counterexample"]
    return 1 if survived or accused else 0


def table(made: Mapping[str, Any]) -> str:
    rows = made["mutants"]
    wrong = [row for row in rows if row["wrong"]]
    lines = [
        f"# Mistakes that a program made, and what verification says ({made['backend']})",
        "",
        "Made by `benchmarks/mutations.py` in files of libraries. *No answer* is `unsupported`: "
        "never a yes. Equivalent mutants compute the same; each was judged by hand, and the reason "
        "stands in `mutations_equivalent.json`.",
        "",
        "| operator | found | survived | no answer | equivalent | found of those answered |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    total: Counter[str] = Counter()
    for name in WRONG:
        counts = Counter(_outcome(row) for row in wrong if row["operator"] == name)
        total += counts
        lines.append(f"| {name} | {_cells(counts)} |")
    lines += [f"| **all** | {_cells(total)} |", "", "## Survived", ""]
    for row in wrong:
        if _outcome(row) == "survived":
            lines.append(f"- {_line(row)}: {row['verdict']}, {row['examples']} examples")
    right = [row for row in rows if not row["wrong"]]
    yes = sum(row["verdict"] in YES for row in right)
    no = [row for row in right if row["verdict"] == "counterexample"]
    rest = len(right) - yes - len(no)
    lines += ["", f"## Right rewrites: {yes} accepted, {len(no)} accused, {rest} no answer", ""]
    lines += [f"- {_line(row)}: {row['reason']}" for row in no]
    answered = made["files"] - len(made["without_an_answer"])
    lines += ["", f"## Files: {answered} of {made['files']} answered", ""]
    lines += [f"- {row['file']}: {row['reason'][:160]}" for row in made["without_an_answer"]]
    return "\n".join(lines) + "\n"


def _outcome(row: Mapping[str, Any]) -> str:
    if row["verdict"] in YES:
        return "equivalent" if row["equivalent"] else "survived"
    return "found" if row["verdict"] == "counterexample" else "no answer"


def _cells(counts: Counter[str]) -> str:
    judged = counts["found"] + counts["survived"]
    share = f"{counts['found'] / judged:.0%}" if judged else ""
    cells = [counts["found"], counts["survived"], counts["no answer"], counts["equivalent"], share]
    return " | ".join(map(str, cells))


def _line(row: Mapping[str, Any]) -> str:
    change = f"`{row['was']}` to `{row['now']}`".replace("|", "\\|")
    return f"{row['file']}:{row['line']} {row['operator']}: {change}"


if __name__ == "__main__":
    sys.exit(main())
