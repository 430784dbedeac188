"""What do residues find that numbers do not, whom do they accuse, and what do they cost?

    PYTHONPATH=. python benchmarks/algebra.py --root FOLDER [--files LIST.txt] [--sample 3]
        [--right 1] [--share 1] [--seed 0] [--examples 20] [--aimed] [--jobs 1] [--limit 120]
        [--budget 570] [--out FILE.json]
    PYTHONPATH=. python benchmarks/algebra.py --rewrites

With `--rewrites` it is those of tests/verification/rewrites.py; else mutants.

Mutants of kernels of other people, small ones that tolerance may hide (`mutation/small.py`) and the
usual ones, and right rewrites. Each is verified by its numbers, and its residues are compared
whatever these say. `--aimed` makes none but the calls that are aimed at what differs, which takes a
third of the time. What is known from a run that was stopped stays.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mutation.edits import drawn, evenly  # noqa: E402
from benchmarks.mutation.right import RIGHT  # noqa: E402
from benchmarks.mutation.slots import answers, end_with_a_signal  # noqa: E402
from benchmarks.mutation.small import DROPPED, SMALL  # noqa: E402
from benchmarks.mutation.wrong import WRONG  # noqa: E402
from tritonopt import source  # noqa: E402

RESULT = ROOT / "benchmarks" / "results" / "algebra.json"
MUTANTS = {"small": "small mutants", "wrong": "usual mutants", "right": "right mutants"}
REWRITES = {"wrong": "wrong rewrites of the tests", "right": "right rewrites of the tests"}
Row = dict[str, Any]
_NAMING = ("never computes", "alone compares floats with", "the numbers differ, and in no call")
"""What stands in the reasons of a `not-applicable` that is due to the change itself."""


def verified(path: Path, text: str, examples: int, aimed: bool) -> Row:
    """Numbers and residues of one text against the file; in a process of its own."""
    from tritonopt.verification import VerificationError, verify
    from tritonopt.verification.comparison import drawing
    from tritonopt.verification.comparison.same_algebra import SameAlgebra
    from tritonopt.verification.comparison.search import Search
    from tritonopt.verification.run import Verification

    drawing.SHRINK_SECONDS, drawing.MOST_SMALLER = 1.0, 0
    found: list[Any] = []
    spent: list[float] = []

    def always(this: Any, verdict: Any, checker: Any) -> Any:
        began = time.perf_counter()
        found.append(SameAlgebra(checker, this.settings.seed, this.demands).run())
        spent.append(time.perf_counter() - began)
        return verdict

    Verification._with_algebra = always  # type: ignore[method-assign]
    if aimed:
        Search.run = lambda this: this._first_of(this.aimed.run)  # type: ignore[method-assign]
    begin = time.perf_counter()
    try:
        verdict = verify(path, path, text=text, backend="interpreter", max_examples=examples)
        answer, said = verdict.verdict, verdict.reason or verdict.counterexample or ""
    except VerificationError as error:
        answer, said = "unsupported", str(error)
    seconds = time.perf_counter() - begin
    order = ("different", "not-applicable", "same")
    told = min(found, key=lambda a: order.index(a.answer), default=None)
    return {
        "verdict": answer,
        "said": said[:300],
        "algebra": None if told is None else told.answer,
        "text": "" if told is None else told.text[:300],
        "draws": 0 if told is None else told.draws,
        "seconds": round(seconds, 1),
        "of_algebra": round(sum(spent), 1),
    }


def mutants(options: argparse.Namespace) -> Iterator[tuple[Row, Path, str]]:
    modules = {}
    for line in options.files.read_text(encoding="utf-8").splitlines():
        name = line.partition("#")[0].strip()
        path = (ROOT if name.startswith("examples/") else options.root or ROOT) / name
        if name and path.exists():
            modules[name] = source.read(path.read_text(encoding="utf-8"), str(path))
    numbers = random.Random(options.seed)
    chosen = []
    for kind, operators, each in (
        ("small", SMALL, options.sample),
        ("wrong", WRONG, options.wrong),
        ("right", RIGHT, options.right),
        ("small", DROPPED, min(options.sample, 1)),
    ):
        chosen += [
            (kind, *item) for item in drawn(modules, operators, each, numbers, options.share)
        ]
    kinds = {(file, m.text): kind for kind, file, m in chosen}
    for file, mutant in evenly([(file, m) for _, file, m in chosen], numbers):
        row = {"kind": kinds[file, mutant.text], "file": file, "operator": mutant.operator}
        yield {**row, "name": mutant.label}, Path(modules[file].path), mutant.text


def rewrites() -> Iterator[tuple[Row, Path, str]]:
    from tests.verification.rewrites import RIGHT as ACCEPTED
    from tests.verification.rewrites import WRONG as MISTAKEN

    for kind, every in (("wrong", MISTAKEN), ("right", ACCEPTED)):
        for rewrite in every:
            path = ROOT / "tests/verification/subjects" / f"{rewrite.subject}.py"
            text = path.read_text(encoding="utf-8")
            for old, new in rewrite.changes:
                text = text.replace(old, new)
            row = {"kind": kind, "file": rewrite.subject, "operator": rewrite.kind}
            yield {**row, "name": rewrite.name}, path, text


def is_named(row: Row) -> bool:
    """Whether the answer names what one version alone decides by, and so is no `same`."""
    text = row.get("text", "")
    return row["algebra"] == "not-applicable" and any(said in text for said in _NAMING)


def table(rows: list[Row], kinds: Mapping[str, str]) -> str:
    lines = [
        "| kind | in all | by numbers alone | by residues alone | by both | named | by neither "
        "| same algebra | not applicable |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind, title in kinds.items():
        counts: Counter[str] = Counter()
        for row in (r for r in rows if r["kind"] == kind):
            numbers, residues = row["verdict"] == "counterexample", row["algebra"] == "different"
            named = not (numbers or residues) and is_named(row)
            counts["named" if named else f"{numbers:d}{residues:d}"] += 1
            counts[row["algebra"] or "not-applicable"] += 1
            counts["all"] += 1
        keys = ("all", "10", "01", "11", "named", "00", "same", "not-applicable")
        cells = [counts[key] for key in keys]
        lines.append(f"| {title} | {' | '.join(map(str, cells))} |")
    seconds, more = (sum(row[key] for row in rows) for key in ("seconds", "of_algebra"))
    share = more / (seconds - more) if seconds > more else 0.0
    lines += ["", f"Residues took {share:.0%} of the time of the rest."]
    return "\n".join(lines)


def main() -> int:
    options = parsed()
    end_with_a_signal()
    known: list[Row] = []
    if options.out.exists():
        known = json.loads(options.out.read_text(encoding="utf-8"))["rows"]
    done = {(row["kind"], row["file"], row["operator"], row["name"]) for row in known}
    every = list(rewrites() if options.rewrites else mutants(options))
    left = [item for item in every if tuple(item[0].values()) not in done]
    requests = [(path, text, options.examples, options.aimed) for _, path, text in left]
    for number, answer in answers(
        verified,
        requests,
        jobs=options.jobs,
        seconds=options.limit,
        deadline=time.monotonic() + options.budget,
    ):
        known.append({**left[number][0], "algebra": None, "of_algebra": 0.0, **answer})
        settings = {"examples": options.examples, "aimed": options.aimed, "of": len(every)}
        text = json.dumps({"settings": settings, "rows": known}, indent=1)
        options.out.write_text(text + "\n", encoding="utf-8")
    print(table(known, REWRITES if options.rewrites else MUTANTS))
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rewrites", action="store_true", help="those of the tests instead")
    parser.add_argument("--files", type=Path, default=ROOT / "benchmarks/mutation/files.txt")
    parser.add_argument("--root", type=Path, help="the folder that the list is relative to")
    parser.add_argument("--sample", type=int, default=3, help="small mutants of every file (3)")
    parser.add_argument("--wrong", type=int, default=1, help="usual mutants of every file (1)")
    parser.add_argument("--right", type=int, default=1, help="right rewrites of every file (1)")
    parser.add_argument("--share", type=int, default=1, help="keep one in N of these (1)")
    parser.add_argument("--examples", type=int, default=20, help="for each verification (20)")
    parser.add_argument("--aimed", action="store_true", help="no calls but those aimed")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--jobs", type=int, default=1, help="verifications at once (1)")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each (120)")
    parser.add_argument("--budget", type=float, default=36000, help="seconds for all (36000)")
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
