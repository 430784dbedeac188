"""How many mistakes does verification find that a program put into kernels of other people?

    PYTHONPATH=. python benchmarks/mutations.py --root FOLDER [--files LIST.txt]
        [--backend interpreter|cuda] [--jobs 2] [--sample 3] [--right 1] [--share 1] [--seed 0]
        [--limit 240] [--budget 570] [--args FILE.json] [--out FILE.json]
    PYTHONPATH=. python benchmarks/mutations.py --again FILE.json    # the table of a recorded run
    PYTHONPATH=. python benchmarks/mutations.py --again FILE.json --root FOLDER --write FOLDER

The files are those of `--files` (`benchmarks/mutation/files.txt`), below `--root` or this
repository; or those that are given as paths. Of each file `--sample` mutants are drawn, spread over
the operators, and `--right` right rewrites; with `--share 3` a third of both. The draw depends on
the list and the seed alone, and a run that ends early has seen as much of every operator. Where no
change of a file is accepted, the file is verified against itself at the end: a counterexample to
that says that nothing was found in the file. Each verification has `--limit` seconds, and all of
them `--budget`.

A library that imports all of itself costs most of the time: see `benchmarks/mutation/lean.py`.

Every verdict is written to `--out` when it comes. The same command goes on where it was stopped;
`--redo survived` (or `timeout`, `unsupported`, `accused`, `baseline`) forgets those verdicts first.
Memory that only the rewritten version runs out of is no answer here, for others run beside it:
`--redo unsupported --jobs 1` gives one. `--write` puts each text that survived or was accused into
a folder, and prints the command that verifies it again.

What a person found to compute the same stands in `--equivalent`: a list of
`{"file", "function", "line", "operator", "was", "now", "why"}`. `--args` gives arguments of
launchers, `{"file.py": "x: f32[m, n]"}`, where verification does not find them itself.

A row for every operator: found, survived (listed below, each to be judged), without an answer.
Exits with 1 when a mutant survived that is not listed as equivalent, or a right one was accused.
This runs the files' code; they must be importable where they stand.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.mutation.edits import Mutant, drawn, evenly, mutants
from benchmarks.mutation.right import RIGHT
from benchmarks.mutation.slots import answers, end_with_a_signal
from benchmarks.mutation.table import KEYS, YES, outcome, table
from benchmarks.mutation.wrong import WRONG
from tritonopt import source

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SETTINGS = ("backend", "examples", "seed", "sample", "right", "share")
BASELINE_EXAMPLES = 10
"""A file that answers at all does so on these."""
Row = dict[str, Any]


def verified(path: Path, text: str | None, args: str | None, backend: str, examples: int) -> Row:
    """Verify a text against the file, or the file against itself; in a process of its own."""
    from tritonopt.verification import VerificationError, verify
    from tritonopt.verification.comparison import drawing
    from tritonopt.verification.process import messages as outcomes

    drawing.SHRINK_SECONDS, drawing.MOST_SMALLER = 1.0, 0  # nobody reads these counterexamples
    begin = time.perf_counter()
    try:
        verdict = verify(path, path, text=text, args=args, backend=backend, max_examples=examples)
    except VerificationError as error:
        found = {"verdict": "unsupported", "reason": str(error), "examples": 0}
    except Exception as error:  # a mistake of verification itself: listed, and the run goes on
        found = {"verdict": "error", "reason": f"{type(error).__name__}: {error}", "examples": 0}
    else:
        said = verdict.reason or verdict.counterexample or ""
        found = {
            "verdict": verdict.verdict,
            "reason": said[:1500],
            "examples": verdict.examples,
            "compared": verdict.compared,
            "machine": verdict.backend,
        }
        if verdict.verdict == "counterexample" and outcomes.OUT_OF_MEMORY in said:
            # Others that run beside it may have had the memory.
            found["verdict"] = "unsupported"
    return {**found, "seconds": round(time.perf_counter() - begin, 1)}


class Run:
    """What is known so far, in the file that keeps it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.settings = {name: getattr(options, name) for name in SETTINGS}
        self.made: Row = {"settings": self.settings, "baseline": {}, "mutants": []}
        if options.out.exists():
            before = json.loads(options.out.read_text(encoding="utf-8"))
            if before["settings"] != self.settings:
                sys.exit(f"{options.out} has other settings: move it, or give another --out")
            self.made = before
            self._forget(options.redo)
        self.made["environment"] = environment()

    def _forget(self, outcomes: list[str]) -> None:
        rows = self.made["mutants"]
        self.made["mutants"] = [
            row for row in rows if not {outcome(row), row["verdict"]} & set(outcomes)
        ]
        if "baseline" in outcomes:
            known = self.made["baseline"]
            self.made["baseline"] = {f: row for f, row in known.items() if row["verdict"] in YES}

    def baselines(self, files: Mapping[str, source.Module]) -> None:
        """Verify against themselves those files of which nothing was accepted so far."""
        known = self.made["baseline"]
        rows = self.made["mutants"]
        accepted = {row["file"] for row in rows if row["verdict"] in YES}
        asked = {row["file"] for row in rows} - accepted - set(known)
        missing = [name for name in files if name in asked]
        requests = [self._request(name, files[name], None) for name in missing]
        for number, answer in self._answers(requests):
            known[missing[number]] = answer
            if answer["verdict"] == "counterexample":
                of_file = [row for row in rows if row["file"] == missing[number]]
                for row in of_file:
                    row["accuses_itself"] = True
            self._kept(answer)
            self._say(f"{len(known)}/{len(missing)}", answer, missing[number])

    def mutants(self, files: Mapping[str, source.Module], drawn: list[tuple[str, Mutant]]) -> None:
        rows = self.made["mutants"]
        known = {tuple(row[key] for key in KEYS) for row in rows}
        left = [(name, m) for name, m in drawn if m.key(name) not in known]
        requests = [self._request(name, files[name], mutant.text) for name, mutant in left]
        for number, answer in self._answers(requests):
            name, mutant = left[number]
            row = dict(zip(KEYS, mutant.key(name), strict=True))
            rows.append({**row, "wrong": mutant.operator in WRONG, **answer})
            self._kept(rows[-1])
            self._say(f"{len(rows)}/{len(drawn)}", answer, f"{name} {mutant.label}")

    def _request(self, name: str, module: source.Module, text: str | None) -> tuple[object, ...]:
        options = self.options
        path = Path(module.path)
        examples = BASELINE_EXAMPLES if text is None else options.examples
        args = options.arguments.get(name) or options.arguments.get(path.name)
        return path, text, args, options.backend, examples

    def _answers(self, requests: list[tuple[object, ...]]) -> Any:
        options = self.options
        return answers(
            verified,
            requests,
            jobs=options.jobs,
            seconds=options.limit,
            deadline=options.deadline,
        )

    def _kept(self, answer: Row) -> None:
        """Write everything: what a run that is killed has found is kept."""
        machine = answer.pop("machine", "")
        if machine:
            self.made["environment"]["machine"] = machine
        out: Path = self.options.out
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = out.with_suffix(".new")
        beside.write_text(json.dumps(self.made, indent=1) + "\n", encoding="utf-8")
        beside.replace(out)

    def _say(self, done: str, answer: Row, label: str) -> None:
        spent = time.monotonic() - self.options.started
        shown = " ".join(answer["reason"].split())[:90]
        print(
            f"{spent:5.0f} s {done:>8} {answer['verdict']:14} {answer['seconds']:5} s {label} "
            f"| {shown}",
            flush=True,
        )


def environment() -> dict[str, str]:
    found = {"date": time.strftime("%Y-%m-%d"), "python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in ("torch", "triton", "numpy")}
    return {**found, "cores": str(os.cpu_count())}


def modules_of(options: argparse.Namespace) -> dict[str, source.Module]:
    """The files with kernels and launches, by the names they have in the list."""
    paths = {str(path): path.resolve() for path in options.paths}
    if not paths:
        lines = options.files.read_text(encoding="utf-8").splitlines()
        names = [line for line in lines if line and not line.startswith("#")]
        for name in names:
            places = [root / name for root in (ROOT, options.root) if root is not None]
            found = next((place for place in places if place.is_file()), None)
            if found is None:
                print(f"not there: {name}")
            else:
                paths[name] = found.resolve()
    modules = {}
    for name, path in paths.items():
        module = source.read(path.read_text(encoding="utf-8"), str(path))
        if module.launches:
            modules[name] = module
    return modules


def main() -> int:
    options = parsed()
    end_with_a_signal()
    if options.again:
        made = json.loads(options.again.read_text(encoding="utf-8"))
        status = report(made, options, options.again)
        if options.write:
            write_texts(made, modules_of(options), options)
        return status
    modules = modules_of(options)
    numbers = random.Random(options.seed)
    chosen = [
        *drawn(modules, WRONG, options.sample, numbers, options.share),
        *drawn(modules, RIGHT, options.right, numbers, options.share),
    ]
    chosen = evenly(chosen, numbers)
    run = Run(options)
    run.mutants(modules, chosen)
    run.baselines(modules)
    run.made["not_reached"] = len(chosen) - len(run.made["mutants"])
    return report(run.made, options, options.out)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--again", type=Path, help="a recorded run: judge and print it again")
    parser.add_argument("--write", type=Path, help="with --again: a folder for what to look at")
    parser.add_argument("--files", type=Path, default=ROOT / "benchmarks/mutation/files.txt")
    parser.add_argument("--root", type=Path, help="the folder that the list is relative to")
    parser.add_argument("--budget", type=float, default=36000, help="seconds for all (36000)")
    parser.add_argument("--limit", type=float, default=240, help="seconds for each (240)")
    parser.add_argument("--backend", choices=("interpreter", "cuda"), default="interpreter")
    parser.add_argument("--examples", type=int, default=100, help="for each verification (100)")
    parser.add_argument("--sample", type=int, default=3, help="mutants of every file (3)")
    parser.add_argument("--right", type=int, default=1, help="right rewrites of every file (1)")
    parser.add_argument("--share", type=int, default=1, help="keep one in N of these (1)")
    parser.add_argument("--jobs", type=int, default=2, help="verifications at once (2)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--args", type=Path, help="arguments of launchers, JSON")
    parser.add_argument("--redo", action="append", default=[], help="verdicts to forget")
    parser.add_argument("--equivalent", type=Path, default=RESULTS / "mutations_equivalent.json")
    parser.add_argument("--out", type=Path, help="benchmarks/results/mutations-BACKEND.json")
    options = parser.parse_args()
    options.out = options.out or RESULTS / f"mutations-{options.backend}.json"
    options.started = time.monotonic()
    options.deadline = options.started + options.budget
    options.arguments = json.loads(options.args.read_text()) if options.args else {}
    return options


def write_texts(
    made: Row, modules: Mapping[str, source.Module], options: argparse.Namespace
) -> None:
    """The texts that survived or were accused, each with the command that shows it again."""
    options.write.mkdir(parents=True, exist_ok=True)
    rows = [row for row in made["mutants"] if outcome(row) in ("survived", "accused")]
    for number, row in enumerate(rows, 1):
        module, key = modules[row["file"]], tuple(row[key] for key in KEYS)
        operators = {row["operator"]: {**WRONG, **RIGHT}[row["operator"]]}
        mutant = next((m for m in mutants(module, operators) if m.key(row["file"]) == key), None)
        if mutant is None:
            print(f"{row['file']} is another version by now: {row['was']} -> {row['now']}")
            continue
        path = options.write / f"{number:02}-{outcome(row)}-{Path(row['file']).name}"
        path.write_text(mutant.text, encoding="utf-8")
        backend = made["settings"]["backend"]
        print(f"tritonopt verify {module.path} {path} --backend {backend} --no-script")


def report(made: Row, options: argparse.Namespace, out: Path) -> int:
    known = json.loads(options.equivalent.read_text()) if options.equivalent.exists() else []
    text = table(made, {tuple(entry[key] for key in KEYS): entry["why"] for entry in known})
    out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    outcomes = Counter(outcome(row) for row in made["mutants"])
    return 1 if outcomes["survived"] or outcomes["accused"] else 0


if __name__ == "__main__":
    sys.exit(main())
