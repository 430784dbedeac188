"""How often `tune` claims a gain where there is none, and finds one where there is one.

    PYTHONPATH=. python benchmarks/null_test.py --budget 500 [--gpus 0,1] [--out FILE.json]

The softmax of `examples/` is tuned against copies of itself, which have another name and so other
machine code, but take as long: by the search, the choice and the measurements of `tune` itself,
with its own efforts and its own rule of what is accepted. Only the variants are given, and said to
be verified. To see whether it finds anything, the same is done with one copy that is faster by 1,
3 or 5 %: the GPU's times of it are divided by that, see `planted_gain.py`.

The shapes are taken in turn, and every tuning is of one of them. The same command goes on with what
is in the file already, until each test has its number of tunings. Writes
`benchmarks/results/null_test-GPU.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt.measurement.results import Ratio
from tritonopt.measurement.tuned import Answer, Evidence
from tritonopt.tuning import tune
from tritonopt.tuning.acceptance import is_claim
from tritonopt.tuning.proving.verifying import Verifying
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.tuning.requests import Request
from tritonopt.tuning.session import Session
from tritonopt.tuning.shapes import calls_of, without_sizes
from tritonopt.tuning.trials import Trials
from tritonopt.tuning.variation.variants import Variant, Variation
from tritonopt.verification.signature.argument_parser import parse

ROOT = Path(__file__).resolve().parent.parent
SHAPES = ((1024, 256), (4096, 1024), (8192, 4096), (128, 65536))
COPIES = 4
"""Variants of a tuning: the best of several is the luckiest."""
TESTS = {1.0: 200, 1.03: 60, 1.01: 60, 1.05: 30}
"""How much faster one of the copies is, and how many tunings of that are wanted."""
_FRESH = 40
"""Tunings by one worker process, before there is another one."""


@dataclass
class Given(Variation):
    """Variants that are there already, and nothing made of them."""

    variants: Sequence[Variant] = ()

    def first(self) -> Iterator[Variant]:
        yield from self.variants

    def pairs(self, one: Variant, other: Variant) -> Iterator[Variant]:
        yield from ()

    def tuned(self, variant: Variant) -> Iterator[Variant]:
        yield from ()


@dataclass
class NullTuning(tune._Tuning):
    """`tune` with these variants, of which each is taken to be verified."""

    variants: Sequence[Variant] = ()

    def _variation(self, kernels: frozenset[str]) -> Variation:
        return Given(self.request.path, self.request.text, kernels, variants=self.variants)

    def _verified(self, text: str) -> Evidence:
        return Evidence("identical", "not asked")


@dataclass
class NoVerifying(Verifying):
    """No process is started."""

    def begin(self) -> None:
        pass

    def begin_with(self, question: Question, spare: int = 0) -> None:
        pass


def copies(text: str, kernel: str, gain: float = 1.0, count: int = COPIES) -> list[Variant]:
    """Texts in which the kernel has another name; the first one is faster."""
    found = []
    for number in range(count):
        name = f"{kernel}_copy{number}"
        planted = f"\n# planted gain: {gain}\n" if not number and gain != 1 else ""
        found.append(Variant((name,), text.replace(kernel, name) + planted))
    return found


def request_of(path: Path, launcher: str, args: str, **options: Any) -> Request:
    """What is asked of `tune`, for these calls."""
    ranged = without_sizes(args)
    calls = tuple(calls_of(parse(ranged.text), ranged.sizes, alternatives=True))
    text = path.read_text(encoding="utf-8")
    return Request(str(path), text, launcher, calls, ranged.text, **options)


def tuning(request: Request, session: Session, variants: Sequence[Variant]) -> Answer:
    """What `tune` says, with the measurements of that session."""
    null = NullTuning(request, lambda where: None, time.monotonic(), variants=variants)
    null.verifying = NoVerifying()
    null.trials = Trials(request, None, lambda: math.inf, null.notes)
    null.trials.session = session
    return null.answer()


def searched(answer: Answer) -> list[Ratio]:
    """The last one of the search, of each variant on each call."""
    return [ratio for tried in answer.tried for ratio in tried.ratios.values()]


class Report:
    """The tunings of every test, by shape; a file that the next run goes on with."""

    def __init__(self, path: Path) -> None:
        self.path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.found: dict[str, dict[str, list[dict[str, Any]]]] = known.get("runs", {})

    def count(self, gain: float) -> int:
        return sum(map(len, self.found.get(named(gain), {}).values()))

    def add(self, gain: float, shape: tuple[int, int], answer: Answer) -> None:
        found = self.found.setdefault(named(gain), {}).setdefault("{} x {}".format(*shape), [])
        ratios = searched(answer)
        fresh = [row.ratio for row in answer.rows if row.ratio is not None]
        found.append(
            {
                "accepted": answer.changed,
                "right": answer.what.endswith("_copy0"),
                "claims": sum(map(is_claim, ratios)),
                "gains": sum(r.is_gain for r in ratios),
                "losses": sum(r.is_loss for r in ratios),
                "measurements": len(ratios),
                "fresh": [[round(n, 5) for n in (r.value, r.low, r.high)] for r in fresh],
            }
        )

    def take(self, other: Report) -> None:
        """What another run found as well."""
        for name, shapes in other.found.items():
            for shape, runs in shapes.items():
                self.found.setdefault(name, {}).setdefault(shape, []).extend(runs)

    def write(self, about: dict[str, Any]) -> None:
        tests = {
            name: {shape: counts(runs) for shape, runs in shapes.items()}
            for name, shapes in self.found.items()
        }
        report = {"benchmark": "null_test", **about, "copies": COPIES, "tests": tests}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({**report, "runs": self.found}) + "\n", encoding="utf-8")
        os.replace(part, self.path)

    def lines(self) -> Iterator[str]:
        for name, shapes in self.found.items():
            every = [run for runs in shapes.values() for run in runs]
            accepted = sum(run["accepted"] for run in every)
            yield f"{name}: accepted in {accepted} of {len(every)} tunings"
            for shape, runs in shapes.items():
                yield f"    {shape}: {counts(runs)}"


def named(gain: float) -> str:
    return "against copies" if gain == 1 else f"one is {gain - 1:.0%} faster"


def counts(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    fresh = [values[0] for run in runs for values in run["fresh"]]
    return {
        "tunings": len(runs),
        "accepted": sum(run["accepted"] for run in runs),
        "right": sum(run["right"] for run in runs),
        "claimed_in_the_search": sum(bool(run["claims"]) for run in runs),
        "gains": sum(run["gains"] for run in runs),
        "losses": sum(run["losses"] for run in runs),
        "measurements": sum(run["measurements"] for run in runs),
        "fresh": len(fresh),
        "fresh_ratio": round(statistics.median(fresh), 5) if fresh else None,
    }


def table(report: Mapping[str, Any]) -> str:
    """As Markdown: each test by shape."""
    lines = ["| against | rows x elements | gains | losses | measurements | accepted |"]
    lines.append("| --- " * 6 + "|")
    for against, shapes in report["tests"].items():
        for shape, seen in shapes.items():
            counts = f"{seen['gains']} | {seen['losses']} | {seen['measurements']}"
            accepted = f"{seen['accepted']} of {seen['tunings']}"
            lines.append(f"| {against} | {shape} | {counts} | {accepted} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=500, help="seconds (500)")
    parser.add_argument("--table", type=Path, metavar="FILE", help="a record, as Markdown")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    parser.add_argument("--gpus", help="0,1: on each of them, in processes of their own")
    parser.add_argument("--tests", help="1.0:200,1.03:60: how many tunings with which gain")
    parser.add_argument("--server", default="benchmarks.planted_gain", help="the worker that times")
    given = parser.parse_args()
    if given.table is not None:
        print(table(json.loads(given.table.read_text(encoding="utf-8"))))
        return
    if given.tests:
        wanted = (part.split(":") for part in given.tests.split(","))
        TESTS.update({float(gain): int(count) for gain, count in wanted})
    about = _machine()
    gpu = about["gpu"].lower().replace(" ", "-")
    report = Report(given.out or ROOT / "benchmarks" / "results" / f"null_test-{gpu}.json")
    if given.gpus:
        on_each(report, given.gpus.split(","), given.budget, given.server)
    else:
        measure(report, about, given.budget, given.server)
    report.write(about)
    print("\n".join(report.lines()))
    print(f"written to {report.path}")


def on_each(report: Report, gpus: Sequence[str], seconds: float, server: str) -> None:
    """Its share of what is left on every GPU, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        parts = [Path(folder) / f"{gpu}.json" for gpu in gpus]
        for gpu, part in zip(gpus, parts, strict=True):
            left = ",".join(f"{g}:{math.ceil(n / len(gpus))}" for g, n in _left(report).items())
            options = ["--budget", str(seconds), "--out", str(part), "--server", server]
            command = [sys.executable, __file__, *options, "--tests", left]
            environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu}
            processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
        for process in processes:
            process.wait()
        for part in parts:
            if part.exists():
                report.take(Report(part))


def measure(report: Report, about: dict[str, Any], seconds: float, server: str) -> None:
    """Tunings until there are enough of each, or the time is over."""
    end = time.monotonic() + seconds
    path = ROOT / "examples" / "softmax.py"
    while time.monotonic() < end and any(_left(report).values()):
        session = Session((), server=server)
        try:
            for gain in _turns(report):
                m, n = SHAPES[report.count(gain) % len(SHAPES)]
                request = request_of(path, "softmax", f"x: f32[m={m}, n={n}]")
                texts = copies(request.text, "softmax_kernel", gain)
                answer = tuning(request, session, texts)
                if answer.failure:
                    raise SystemExit(answer.failure)
                report.add(gain, (m, n), answer)
                about["clocks"] = str(answer.machine.clocks) if answer.machine else ""
                if time.monotonic() > end:
                    break
        finally:
            session.close()
            report.write(about)


def _left(report: Report) -> dict[float, int]:
    """How many tunings of each test are still wanted."""
    return {gain: max(count - report.count(gain), 0) for gain, count in TESTS.items()}


def _turns(report: Report) -> list[float]:
    """What is done next by one process: of each test its share of what is left."""
    left = _left(report)
    share = min(_FRESH / max(sum(left.values()), 1), 1)
    counts = {gain: math.ceil(share * count) for gain, count in left.items()}
    # One test is not done before another one is begun: a run may be cut.
    places = [((at + 0.5) / count, gain) for gain, count in counts.items() for at in range(count)]
    return [gain for _, gain in sorted(places)]


def _machine() -> dict[str, Any]:
    import torch

    from benchmarks.side_by_side import machine

    return machine() if torch.cuda.is_available() else {"gpu": "none"}


if __name__ == "__main__":
    main()
