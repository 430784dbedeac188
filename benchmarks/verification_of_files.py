"""Kernel files of anybody: what gets an answer, is a rewrite accused, is a mistake found?

    PYTHONPATH=. python benchmarks/verification_of_files.py PATH... [--sample 40 --seed 0]
        [--kinds rewrite,mutant] [--args FILE 'x: f32[m, n]']... [--passes LIST]
        [--backend auto|interpreter|cuda] [--max-examples 12] [--jobs 4] [--timeout 300]
        [--budget 570] [--out results.json]
    PYTHONPATH=. python benchmarks/verification_of_files.py --again results.json  # its table

A path is a file, or a directory, of which every file with a kernel is taken, or `--sample` of
them. Each file is verified against a right rewrite (`rewrite`), what the passes make of it or,
where they change nothing, a copy in which every kernel has a local variable of another name; and
against a copy with a mistake in it (`mutant`): one sum, exponential or maximum is 1 % too large or,
where there is none, what is stored is too large by 1. Two more kinds are `renamed`, such a copy
whatever the passes do, so that all kernels of the file have to run, and `itself`, which asks for
nothing to have run.

For example every file of two libraries, thirteen at a time, in an order that shows as much of
either when `--budget` seconds are over:

    PYTHONPATH=. python benchmarks/verification_of_files.py liger/ops flag_gems/ops
        --kinds renamed --max-examples 4 --jobs 13 --timeout 120 --budget 570 --out answers.json

A line for each; at the end, for every library, how many of the right rewrites got an answer, and
how many not, for which reasons, as docs/measured.md has it. With `--out` everything stands there as
JSON after each file: what a run that was stopped has found is kept, and not done again by the same
command. Exits with 1 when a rewrite is accused or a mistake is not found. This runs the files'
code; they must be importable where they stand (`benchmarks/mutation/lean.py` makes the import of a
library short).
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.mutation.slots import answers, end_with_a_signal
from tritonopt import rewrite_source, source

PASSES = "all,grid-stride{programs=8}"
SAME = ("identical", "equivalent")
ANSWERS = (*SAME, "counterexample")
KINDS = ("rewrite", "mutant")
LIBRARIES = ("flag_gems", "liger_kernel")
"""Packages that are counted as one, whichever of their folders were given."""
RIGHT = ("rewrite", "renamed", "itself")


@dataclass(frozen=True)
class Result:
    file: str
    kind: str
    """`rewrite`, `renamed`, `mutant` or `itself`."""
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
    def library(self) -> str:
        """The outermost package around the file; its folder, where there is none."""
        folders = [p for p in Path(self.path).parents if p.name in LIBRARIES]
        return folders[-1].name if folders else self.group

    @property
    def good(self) -> bool:
        if self.verdict not in ANSWERS:
            return True  # no answer is not a wrong one
        return (self.verdict in SAME) == (self.kind in RIGHT)


def mutated(text: str) -> str:
    for call in ("tl.sum(", "tl.exp(", "tl.max("):
        if call in text:
            return text.replace(call, f"1.01 * {call}")
    return re.sub(r"tl\.store\((\s*[^,]+),\s*", r"tl.store(\1, 1 + ", text)


def renamed(text: str, path: Path) -> str:
    """The text with one local variable of every kernel under another name.

    Where a kernel has none, what it returns gets a name first.
    """
    lines = text.encode().splitlines(keepends=True)
    places: set[tuple[int, int, bytes]] = set()
    for kernel in source.read(text, str(path)).kernels:
        names = list(_uses_of_a_local(kernel.node))
        places |= {(line, column + len(name.encode()), b"_again") for line, column, name in names}
        last = kernel.node.body[-1]
        if not names and isinstance(last, ast.Return) and last.value is not None:
            indent = b" " * last.col_offset
            end = (last.end_lineno or 0) - 1, last.end_col_offset or 0
            places |= {
                (last.lineno - 1, last.col_offset, b"again ="),
                (*end, b"\n" + indent + b"return again"),
            }
    for line, column, added in sorted(places, reverse=True):
        rest = lines[line][column:]
        if added == b"again =":
            rest = rest[len(b"return") :]
        lines[line] = lines[line][:column] + added + rest
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


def verified(task: Task, given: str, passes: str, backend: str, examples: int) -> dict[str, Any]:
    """Verify one file; runs in a process of its own."""
    from tritonopt.verification import VerificationError, verify
    from tritonopt.verification.comparison import drawing

    drawing.SHRINK_SECONDS, drawing.MOST_SMALLER = 1.0, 0  # nobody reads these counterexamples
    begin = time.perf_counter()
    text, how = task.path.read_text(encoding="utf-8"), ""
    if task.kind == "rewrite":
        new, how = right_rewrite(text, task.path, passes)
    elif task.kind == "renamed":
        new = renamed(text, task.path)
    else:
        new = mutated(text) if task.kind == "mutant" else text
    found = {"verdict": "unchanged", "how": how}
    if new != text or task.kind == "itself":
        try:
            made = verify(
                task.path,
                task.path,
                text=new,
                args=given or None,
                backend=backend,
                max_examples=examples,
            )
            found |= {"verdict": made.verdict, "examples": made.examples, "backend": made.backend}
            found["reason"] = (made.reason or made.counterexample or "")[:1000]
        except VerificationError as error:
            found |= {"verdict": "unsupported", "reason": str(error)[:1000]}
        except Exception as error:  # a mistake of verification itself: listed, and the run goes on
            found |= {"verdict": "error", "reason": f"{type(error).__name__}: {error}"[:1000]}
    return {**found, "seconds": round(time.perf_counter() - begin, 1)}


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
    # A run that ends early has seen some of everything.
    random.Random(options.seed).shuffle(found)
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
    print("\n".join(table(results)))
    return 0 if all(r.good for r in results) else 1


def table(results: Iterable[Result]) -> list[str]:
    """How many of the right rewrites of each library got an answer, and what the others lack."""
    asked = [r for r in results if r.kind in RIGHT and r.verdict != "unchanged"]
    libraries = sorted({r.library for r in asked})
    rest = [r for r in asked if r.verdict not in ANSWERS]
    found = {"answered": [r for r in asked if r.verdict in ANSWERS]}
    for reason, _ in Counter(map(lack, rest)).most_common():
        found[reason] = [r for r in rest if lack(r) == reason]

    def row(name: str, some: Sequence[Result]) -> str:
        counts = [sum(r.library == library for r in some) for library in libraries]
        every = [sum(r.library == library for r in asked) for library in libraries]
        shares = (f"{n} ({n / max(of, 1):.0%})" for n, of in zip(counts, every, strict=True))
        return f"| {name} | {' | '.join(shares)} |"

    head = [f"| | {' | '.join(libraries)} |", "| --- " * (len(libraries) + 1) + "|"]
    return [*head, *(row(name, some) for name, some in found.items())]


_LACKS = {
    "no answer within": "no answer in time",
    "no function launches": "no function of the package launches the kernels",
    "cannot all be read": "arguments that the original takes are not found",
    "no plain call of the original": "arguments that the original takes are not found",
    "could be compared|discarded|itself failed": "the original fails on most calls that are drawn",
    "outside of": "the original touches memory that is not its own",
    "never launched": "the launcher came to no kernel",
    "never ran|never took|never held|always held|never more than|one program alone": (
        "what ran is the same, but something that differs never ran"
    ),
    "depends on memory|differs from itself|order of": "the original's result is undefined",
    "cannot be imported": "the file cannot be imported",
}


def lack(found: Result) -> str:
    """Why there was no answer, in words that many files share."""
    for words, meaning in _LACKS.items():
        if re.search(words, found.reason):
            return meaning
    first = found.reason.split(found.path)[-1].strip(": ").splitlines() or [found.verdict]
    return re.sub(r"`[^`]*`|\d+", "...", first[0])[:110]


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
    parser.add_argument("--budget", type=float, default=36000.0)
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
    end_with_a_signal()
    rest = options.passes, options.backend, options.max_examples
    for number, answer in answers(
        verified,
        [(task, lines.get(str(task.path), ""), *rest) for task in tasks],
        jobs=options.jobs,
        seconds=options.timeout,
        deadline=time.monotonic() + options.budget,
    ):
        task = tasks[number]
        given = lines.get(str(task.path), "")
        found = Result(
            task.path.name, task.kind, given, path=str(task.path), group=task.group, **answer
        )
        results[task.key] = found
        record(results.values(), options.out)
        print(line(found), flush=True)
    missed = sum(task.key not in results for task in tasks)
    if missed:
        print(f"{missed} were not reached in time: the same command goes on")
    return report(results.values())


if __name__ == "__main__":
    sys.exit(main())
