"""Kernel files of anybody: is our rewrite accused, is a mutated copy found?

    python benchmarks/verification_of_files.py FILE... [--args FILE 'x: f32[m, n]']...
        [--passes LIST] [--backend auto|interpreter|cuda] [--max-examples 12] [--jobs 4]
        [--timeout 300] [--out results.json]

Each file is verified against what the passes make of it, and against a copy with a mistake in
it: one sum, exponential or maximum is 1 % too large or, where there is none, what is stored is
too large by 1. A line for each, and all of them as JSON. Exits with 1 when a rewrite is accused
or a mistake is not found. This runs the files' code; they must be importable where they stand.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tritonopt import rewrite_source

PASSES = "all,grid-stride{programs=8}"
SAME = ("identical", "equivalent")


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

    @property
    def good(self) -> bool:
        if self.verdict in ("unchanged", "unsupported", "timeout"):
            return True  # no answer is not a wrong one
        return (self.verdict in SAME) == (self.kind == "rewrite")


def mutated(text: str) -> str:
    for call in ("tl.sum(", "tl.exp(", "tl.max("):
        if call in text:
            return text.replace(call, f"1.01 * {call}")
    return re.sub(r"tl\.store\((\s*[^,]+),\s*", r"tl.store(\1, 1 + ", text)


def verified(path: Path, kind: str, given: str, options: argparse.Namespace) -> Result:
    text = path.read_text(encoding="utf-8")
    if kind == "rewrite":
        new = rewrite_source(text, passes=options.passes, path=str(path)).text
    else:
        new = mutated(text)
    if new == text:
        return Result(path.name, kind, given, "unchanged")
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, path.name)
        other.write_text(new, encoding="utf-8")
        command = [sys.executable, "-m", "tritonopt", "verify", str(path), str(other)]
        command += ["--format", "json", "--no-script", "--backend", options.backend]
        command += ["--max-examples", str(options.max_examples)]
        command += ["--args", given] if given else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return Result(path.name, kind, given, "timeout", reason=f"{options.timeout} s")
    try:
        found = json.loads(done.stdout[done.stdout.index("{") :])
    except ValueError:
        return Result(path.name, kind, given, "unsupported", reason=done.stderr.strip()[-300:])
    reason = found.get("reason") or found.get("counterexample") or ""
    return Result(
        path.name,
        kind,
        given,
        found["verdict"],
        found.get("examples", 0),
        found.get("backend", ""),
        reason[:300],
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--args", nargs=2, action="append", default=[], metavar=("FILE", "LIST"))
    parser.add_argument("--passes", default=PASSES)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--max-examples", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = dict(options.args)
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = [
            pool.submit(verified, path, kind, lines.get(str(path), ""), options)
            for path in options.files
            for kind in ("rewrite", "mutant")
        ]
        for answer in asked:
            found = answer.result()
            results.append(found)
            mark = "   " if found.good else "BAD"
            shown = " ".join(found.reason.split())[:80]
            print(f"{mark} {found.file:28} {found.kind:8} {found.verdict:14} {shown}", flush=True)
    if options.out:
        text = json.dumps([asdict(r) for r in results], indent=1)
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0 if all(r.good for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
