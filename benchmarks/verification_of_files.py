"""Kernel files of anybody: what gets an answer, is a rewrite accused, is a mistake found?

    python benchmarks/verification_of_files.py PATH... [--sample 40 --seed 0]
        [--kinds rewrite,mutant] [--args FILE 'x: f32[m, n]']... [--passes LIST]
        [--backend auto|interpreter|cuda] [--max-examples 12] [--jobs 4] [--timeout 300]
        [--out results.json]
    python benchmarks/verification_of_files.py --again results.json  # the table of a recorded run

A path is a file, or a directory, of which every file with a kernel is taken, or `--sample` of
them. Each file is verified against a right rewrite, what the passes make of it or, where they
change nothing, a copy in which every kernel has a local variable of another name; and against a
copy with a mistake in it: one sum, exponential or maximum is 1 % too large or, where there is
none, what is stored is too large by 1.

For example every file of one library and forty of another, thirteen at a time:

    python benchmarks/verification_of_files.py liger/ops/*.py flag_gems/ops --sample 40 --seed 12
        --kinds rewrite --jobs 13 --timeout 120 --out answers.json

A line for each; at the end, for every directory, how many of the right rewrites got an
answer. With `--out` everything stands there as JSON after each file: what a run that was stopped
has found is kept, and not done again by the same command. Exits with 1 when a rewrite is accused
or a mistake is not found. This runs the files' code; they must be importable where they stand.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tritonopt import rewrite_source, source

PASSES = "all,grid-stride{programs=8}"
SAME = ("identical", "equivalent")
ANSWERS = (*SAME, "counterexample")
KINDS = ("rewrite", "mutant")


@dataclass(frozen=True)
class Result:
    file: str
    kind: str
    """`rewrite` or `mutant`."""
    given: str
    """What was said of the arguments; nothing where they were found."""
    verdict: str
    examples: int = 0
    backend: str = ""
    reason: str = ""
    how: str = ""
    """Of a rewrite: `passes`, or `renamed` where the passes change nothing."""
    path: str = ""
    group: str = ""
    """The directory that was given, or the one that the file is in."""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        if self.verdict not in ANSWERS:
            return True  # no answer is not a wrong one
        return (self.verdict in SAME) == (self.kind == "rewrite")


def mutated(text: str) -> str:
    for call in ("tl.sum(", "tl.exp(", "tl.max("):
        if call in text:
            return text.replace(call, f"1.01 * {call}")
    return re.sub(r"tl\.store\((\s*[^,]+),\s*", r"tl.store(\1, 1 + ", text)


def renamed(text: str, path: Path) -> str:
    """The text with one local variable of every kernel under another name."""
    lines = text.encode().splitlines(keepends=True)
    places: set[tuple[int, int, str]] = set()
    for kernel in source.read(text, str(path)).kernels:
        places |= set(_uses_of_a_local(kernel.node))
    for line, column, name in sorted(places, reverse=True):
        end = column + len(name.encode())
        lines[line] = lines[line][:end] + b"_again" + lines[line][end:]
    return b"".join(lines).decode()


def _uses_of_a_local(kernel: ast.FunctionDef) -> Iterator[tuple[int, int, str]]:
    names = [n for n in ast.walk(kernel) if isinstance(n, ast.Name)]
    parameters = {a.arg for a in ast.walk(kernel) if isinstance(a, ast.arg)}
    inner = [n for n in ast.walk(kernel) if isinstance(n, ast.FunctionDef) and n is not kernel]
    stored = [n.id for n in names if isinstance(n.ctx, ast.Store) and n.id not in parameters]
    if not stored or inner:
        return
    yield from ((n.lineno - 1, n.col_offset, n.id) for n in names if n.id == stored[0])


def right_rewrite(text: str, path: Path, passes: str) -> tuple[str, str]:
    new = rewrite_source(text, passes=passes, path=str(path)).text
    return (new, "passes") if new != text else (renamed(text, path), "renamed")


@dataclass(frozen=True)
class Task:
    path: Path
    group: str
    kind: str

    @property
    def key(self) -> tuple[str, str]:
        return str(self.path), self.kind


def verified(task: Task, given: str, options: argparse.Namespace) -> Result:
    begin = time.perf_counter()
    found = _verified(task, given, options)
    seconds = round(time.perf_counter() - begin, 1)
    return replace(found, path=str(task.path), group=task.group, seconds=seconds)


def _verified(task: Task, given: str, options: argparse.Namespace) -> Result:
    text, how = task.path.read_text(encoding="utf-8"), ""
    if task.kind == "rewrite":
        new, how = right_rewrite(text, task.path, options.passes)
    else:
        new = mutated(text)
    found = Result(task.path.name, task.kind, given, "unchanged", how=how)
    if new == text:
        return found
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, task.path.name)
        other.write_text(new, encoding="utf-8")
        command = [sys.executable, "-m", "tritonopt", "verify", str(task.path), str(other)]
        command += ["--format", "json", "--no-script", "--backend", options.backend]
        command += ["--max-examples", str(options.max_examples)]
        command += ["--args", given] if given else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return replace(found, verdict="timeout", reason=f"{options.timeout} s")
    try:
        said = json.loads(done.stdout[done.stdout.index("{") :])
    except ValueError:
        return replace(found, verdict="unsupported", reason=done.stderr.strip()[-1000:])
    reason = said.get("reason") or said.get("counterexample") or ""
    return replace(
        found,
        verdict=said["verdict"],
        examples=said.get("examples", 0),
        backend=said.get("backend", ""),
        reason=reason[:1000],
    )


def tasks_of(options: argparse.Namespace) -> list[Task]:
    found = []
    for given in options.paths:
        files = sorted(given.rglob("*.py")) if given.is_dir() else [given]
        if given.is_dir():
            files = [f for f in files if _has_kernels(f)]
            if options.sample and len(files) > options.sample:
                files = sorted(random.Random(options.seed).sample(files, options.sample))
        group = given if given.is_dir() else given.parent
        found += [Task(f, str(group), kind) for f in files for kind in options.kinds]
    return found


def _has_kernels(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return source.has_kernels(text) and bool(source.read(text, str(path)).kernels)


def recorded(out: Path | None) -> dict[tuple[str, str], Result]:
    """What an earlier run has found, by file and kind."""
    if out is None or not out.exists():
        return {}
    found = [Result(**row) for row in json.loads(out.read_text(encoding="utf-8"))]
    return {(r.path, r.kind): r for r in found}


def record(results: Iterable[Result], out: Path | None) -> None:
    if out is not None:
        text = json.dumps([asdict(r) for r in results], indent=1)
        part = out.with_suffix(".part")
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(out)


def line(found: Result) -> str:
    mark = "   " if found.good else "BAD"
    shown = " ".join(found.reason.split())[:80]
    return (
        f"{mark} {found.file:32} {found.kind:8} {found.verdict:14} {found.seconds:6.1f} s  {shown}"
    )


def report(results: Iterable[Result]) -> int:
    """For every directory how many files got an answer; 1 where one of the answers is wrong."""
    results = list(results)
    for group in dict.fromkeys(r.group for r in results):
        rights = [r for r in results if r.group == group and r.kind == "rewrite"]
        asked = [r for r in rights if r.verdict != "unchanged"]
        answered = [r for r in asked if r.verdict in ANSWERS]
        if asked:
            share = len(answered) / len(asked)
            print(f"{group}: {len(answered)} of {len(asked)} files answered ({share:.0%})")
    return 0 if all(r.good for r in results) else 1


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--again", type=Path, metavar="FILE")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS)
    parser.add_argument("--args", nargs=2, action="append", default=[], metavar=("FILE", "LIST"))
    parser.add_argument("--passes", default=PASSES)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--max-examples", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not options.paths and options.again is None:
        parser.error("name a file or a directory")
    return options


def main() -> int:
    options = parsed()
    if options.again is not None:
        results = recorded(options.again)
        print("\n".join(map(line, results.values())))
        return report(results.values())
    lines = dict(options.args)
    results = recorded(options.out)
    tasks = [task for task in tasks_of(options) if task.key not in results]
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = {pool.submit(verified, t, lines.get(str(t.path), ""), options): t for t in tasks}
        for answer in as_completed(asked):
            found = answer.result()
            results[asked[answer].key] = found
            record(results.values(), options.out)
            print(line(found), flush=True)
    return report(results.values())


if __name__ == "__main__":
    sys.exit(main())
