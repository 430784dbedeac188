"""Kernels of tutorials, taken by named passes the way that experts document, stage by stage.

    PYTHONPATH=. python benchmarks/references.py [--seconds 200] [--only WORD] [--out FILE.json]
    PYTHONPATH=. python benchmarks/references.py --dry        # no GPU: which stages are made
    PYTHONPATH=. python benchmarks/references.py --verify     # no GPU: and verified, one by one
    PYTHONPATH=. python benchmarks/references.py --write      # the stages, to examples/references/
    PYTHONPATH=. python benchmarks/references.py --table FILE.json

A journey begins with a kernel of `examples/`. Each stage is what `tritonopt rewrite --passes ...`
makes of the stage before; nothing is edited by hand in between. A stage that no pass makes is
listed with the reason, and the next one goes on from the one before it.

All stages of a journey are launched in turn with a copy of as many bytes, on random data and a
cold L2, and compared with the first kernel. Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import functools
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonopt.reporting.diff import unified
from tritonopt.rewriting.model import RemarkKind, Safety
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.pipeline import DEFAULT_SAFETY, rewrite_source

_MOST_APART = 1e-2
"""Of the largest value of a tensor; the rounding of fp16 is a tenth of it."""
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True)
class Stage:
    """One step of a journey."""

    what: str
    passes: str = ""
    """What follows `--passes`; empty where it is known that no pass does it."""
    why_not: str = ""
    assumes: bool = False
    """Whether it needs what somebody must allow: `--safety rounding,contract,assumption`."""


@dataclass(frozen=True)
class Journey:
    """A kernel and what is done to it, one stage after the other."""

    name: str
    path: str
    """Below examples/, without the ending."""
    launcher: str
    calls: tuple[str, ...]
    """Arguments of the launcher to measure with: `f16[4096, 1024], f32[1024], 1e-5`."""
    stages: tuple[Stage, ...]


def _backward(*shapes: str) -> tuple[str, ...]:
    """Arguments of layer norm backward: `f16 4096 1024`."""
    parts = [shape.split() for shape in shapes]
    return tuple(f"{t}[{m}, {n}], {t}[{m}, {n}], {t}[{n}], f32[{m}], f32[{m}]" for t, m, n in parts)


JOURNEYS = (
    Journey(
        "layer norm backward, from locks",
        "references/layer_norm_backward_lock",
        "layer_norm_backward",
        _backward(
            "f32 4096 1024",
            "f16 32768 4096",
            "bf16 32768 1024",
            "bf16 16384 2048",
            "bf16 8192 4096",
            "bf16 4096 8192",
            "bf16 2048 16384",
        ),
        (
            Stage("atomic additions in place of locks and second kernel", "merge-kernels"),
            Stage("a loop over rows in each program", "grid-stride{programs=sm*2}"),
            Stage("rows ahead of their use", "pipeline-loads{num_stages=3}"),
        ),
    ),
    Journey(
        "layer norm backward, from an atomic addition a row",
        "layer_norm_backward",
        "layer_norm_backward",
        _backward("f32 4096 1024", "f16 32768 4096", "f32 65536 128"),
        (
            Stage("a loop over rows, sums in registers", "grid-stride{programs=sm*2}"),
            Stage("several rows in a tile", "row-batch"),
        ),
    ),
    Journey(
        "layer norm backward, a loop where a row exceeds the tile",
        "layer_norm_backward",
        "layer_norm_backward",
        _backward("f32 4096 4096", "f32 1024 65536", "f16 256 262144"),
        (
            Stage("loops over columns, for long rows", "split-columns{longest=16384}"),
            Stage("a loop over rows, sums in registers", "grid-stride{programs=sm*2}"),
        ),
    ),
    Journey(
        "layer norm backward, rows of any length",
        "references/layer_norm_backward_long_rows",
        "layer_norm_backward",
        _backward("f32 4096 16384", "f16 65536 512", "f32 65536 128"),
        (
            Stage(
                "a row that fits is loaded once", "one-tile{longer_rows=branch,raise_block=32768}"
            ),
            Stage("rows of one column over several programs", "split-reduce"),
            Stage("several rows in a tile", "row-batch{several_tiles=true}"),
            Stage("a loop over rows in each program", "grid-stride{programs=sm*8}"),
        ),
    ),
    Journey(
        "layer norm forward, a row in a tile",
        "references/layer_norm_forward",
        "layer_norm",
        tuple(
            f"{t}[{m}, {n}], {t}[{n}], {t}[{n}]"
            for t, m, n in (("f32", 4096, 1024), ("f16", 4096, 16384), ("f32", 65536, 128))
        ),
        (Stage("no loops, one load", "one-tile"), Stage("several rows in a tile", "row-batch")),
    ),
    Journey(
        "layer norm forward, mean and variance at once",
        "layer_norm",
        "layer_norm",
        tuple(
            f"{t}[{m}, {n}], {t}[{n}], {t}[{n}]"
            for t, m, n in (("f32", 4096, 16384), ("f16", 4096, 65536), ("f32", 65536, 128))
        ),
        (
            Stage("one sweep for mean and variance", "fuse-stats"),
            Stage("no loop where a tile holds the row", "one-tile{longer_rows=branch}"),
            Stage("several rows in a tile", "row-batch{several_tiles=true}"),
            Stage("loads ahead of their use", "pipeline-loads"),
        ),
    ),
    Journey(
        "layer norm forward, few long rows",
        "layer_norm",
        "layer_norm",
        tuple(f"f32[{m}, {n}], f32[{n}], f32[{n}]" for m, n in ((16, 4194304), (256, 65536))),
        (
            Stage("one sweep for mean and variance", "fuse-stats"),
            Stage("both sweeps over several programs", "split-reduce"),
        ),
    ),
    Journey(
        "batch norm",
        "batch_norm",
        "batch_norm",
        ("f32[64, 256, 28, 28], f32[256], f32[256]", "f32[32, 64, 112, 112], f32[64], f32[64]"),
        (
            Stage("one sweep for mean and variance", "fuse-stats"),
            Stage("sums over the tile after the loops", "defer-reduction"),
            Stage("one loop over images and rows", "collapse-loops"),
            Stage("a channel over several programs", "split-reduce"),
        ),
    ),
    Journey(
        "logarithm of softmax",
        "log_softmax",
        "log_softmax",
        ("f32[4096, 1000]", "f32[65536, 100]", "f32[4096, 50257]"),
        (
            Stage("maximum and sum in one sweep", "online-softmax"),
            Stage("no loop where a tile holds the row", "one-tile{longer_rows=branch}"),
            Stage("several rows in a tile", "row-batch"),
        ),
    ),
    Journey(
        "logarithm of softmax, few long rows",
        "log_softmax",
        "log_softmax",
        ("f32[16, 4194304]", "f32[256, 65536]"),
        (
            Stage("maximum and sum in one sweep", "online-softmax"),
            Stage("both sweeps over several programs", "split-reduce"),
        ),
    ),
    Journey(
        "smallest magnitude of a tensor",
        "references/least_magnitude",
        "least_magnitude",
        ("f32[1048576]", "f32[268435456]"),
        (
            Stage("an atomic minimum in place of the second kernel", "merge-kernels", assumes=True),
            Stage("a loop over tiles in each program", "grid-stride{programs=sm*8}"),
        ),
    ),
    Journey(
        "product of a tensor",
        "references/product",
        "product",
        ("f32[1048576]", "f32[268435456]"),
        (
            Stage("the second kernel multiplies tiles, not numbers", "defer-reduction"),
            Stage("a loop over tiles in each program", "grid-stride{programs=sm*8}"),
            Stage(
                "halves of the tile multiplied with each other",
                why_not="a tile has no slices, and tl.reduce goes in halves already",
            ),
        ),
    ),
    Journey(
        "largest of each row",
        "references/largest_of_rows",
        "largest_of_rows",
        ("f32[1, 268435456]", "f32[16, 4194304]", "f32[256, 65536]", "f32[65536, 1024]"),
        (
            Stage("the largest of the tile after the loop", "defer-reduction"),
            Stage("a row over several programs", "split-reduce"),
            Stage("no loop where a tile holds the row", "one-tile{longer_rows=branch}"),
        ),
    ),
    Journey(
        "cosine similarity",
        "cosine_similarity",
        "cosine_similarity",
        ("f16[4096, 1024], f16[4096, 1024]", "f16[4096, 16384], f16[4096, 16384]"),
        (Stage("a choice in place of a maximum with a constant", "max-to-where"),),
    ),
    Journey(
        "matrix product with a gate",
        "gated_matmul",
        "gated_matmul",
        tuple(f"f16[2048, 2048], f16[2048, 2048], f16[2048], {gated}" for gated in (0, 1)),
        (Stage("the branch around the loop", "loop-unswitch"),),
    ),
)


@dataclass(frozen=True)
class Replayed:
    """A stage, and what came of it."""

    stage: Stage
    text: str
    """The file after it; where it was not made, that of the stage before."""
    why_not: str
    """Why it was not made; empty where it was."""


def replay(journey: Journey) -> Iterator[Replayed]:
    """The stages of a journey, each made from the one before."""
    path = EXAMPLES / f"{journey.path}.py"
    text = path.read_text(encoding="utf-8")
    for stage in journey.stages:
        made, why_not = text, stage.why_not
        if stage.passes:
            made, why_not = _rewritten(text, stage, path)
        yield Replayed(stage, made, why_not)
        text = made


@functools.cache
def _rewritten(text: str, stage: Stage, path: Path) -> tuple[str, str]:
    """The text of a file after a pass; and why it left it alone, if it did."""
    safety = {*DEFAULT_SAFETY, *([Safety.ASSUMPTION] if stage.assumes else [])}
    try:
        result = rewrite_source(text, stage.passes, path=str(path), safety=safety)
    except PassSelectionError as error:
        return text, str(error).split(";")[0]
    if result.changed:
        return result.text, ""
    missed = [r for r in result.remarks if r.kind is RemarkKind.MISSED]
    said = "; ".join(f"{r.reason}: {r.message}" for r in missed)
    return text, said or "nothing that the pass looks for"


def shown(journey: Journey) -> str:
    """Every stage as a person sees it: the command, and its diff or why it does nothing."""
    path = f"examples/{journey.path}.py"
    before = (EXAMPLES.parent / path).read_text(encoding="utf-8")
    parts = []
    for at in replay(journey):
        head = f"# {at.stage.what[:1].upper()}{at.stage.what[1:]}\n"
        if at.stage.passes:
            safety = " --safety rounding,contract,assumption" if at.stage.assumes else ""
            head += f"$ tritonopt rewrite {path} --passes '{at.stage.passes}'{safety} --write\n"
        why_not = f"not made: {at.why_not}\n"
        parts.append(head + (why_not if at.why_not else unified(path, before, at.text)))
        before = at.text
    return "\n".join(parts)


def shown_at(journey: Journey) -> Path:
    """Where its stages are shown."""
    words = journey.name.replace(",", "").replace(" ", "_")
    return EXAMPLES / "references" / "stages" / f"{words}.diff"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry", action="store_true", help="only make the stages")
    what.add_argument("--verify", action="store_true", help="and verify each, interpreted")
    what.add_argument("--table", type=Path, help="print the table of a record")
    what.add_argument(
        "--write", action="store_true", help="write the stages to examples/references"
    )
    parser.add_argument("--only", default="", help="journeys whose name holds this")
    parser.add_argument("--seconds", type=float, default=200, help="when to begin no other cell")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads(options.table.read_text(encoding="utf-8"))))
        return 0
    if options.write:
        for journey in JOURNEYS:
            shown_at(journey).write_text(shown(journey), encoding="utf-8")
        return 0
    journeys = {j: [*replay(j)] for j in JOURNEYS if options.only in j.name}
    wrong = 0
    for journey, stages in journeys.items():
        print(f"{journey.name}: examples/{journey.path}.py")
        before = (EXAMPLES / f"{journey.path}.py").read_text(encoding="utf-8")
        for at in stages:
            said = f"not made: {at.why_not}" if at.why_not else "made"
            if options.verify and not at.why_not:
                said = verified(journey, before, at.text)
                wrong += not said.startswith(("identical", "equivalent"))
            print(f"  {at.stage.passes or 'no pass':32} {at.stage.what}: {said}", flush=True)
            before = at.text
    if not (options.dry or options.verify):
        measure(journeys, options.out, time.monotonic() + options.seconds)
    return 1 if wrong else 0


def verified(journey: Journey, before: str, after: str) -> str:
    """The verdict on a stage against the one before it, in the interpreter."""
    from tritonopt.verification import verify

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.py" for name in ("before", "after")]
        for file, text in zip(files, (before, after), strict=True):
            file.write_text(text, encoding="utf-8")
        verdict = verify(*files, launcher=journey.launcher, backend="interpreter", max_examples=60)
    algebra = f", {verdict.algebra.answer} algebra" if verdict.algebra else ""
    said = verdict.reason or verdict.counterexample or f"{verdict.examples} examples{algebra}"
    return f"{verdict.verdict}: {said}"


def measure(journeys: dict[Journey, list[Replayed]], out: Path | None, until: float) -> None:
    import torch

    from benchmarks.side_by_side import load, machine, write_report

    folder = Path(tempfile.mkdtemp())
    report: dict[str, Any] = {"benchmark": "references", **machine(), "journeys": []}
    modules = {}
    for number, (journey, stages) in enumerate(journeys.items()):
        texts = {"as it begins": (EXAMPLES / f"{journey.path}.py").read_text(encoding="utf-8")}
        texts |= {at.stage.passes: at.text for at in stages if not at.why_not}
        modules[journey] = {
            name: load(folder / f"journey_{number}_{place}.py", text)
            for place, (name, text) in enumerate(texts.items())
        }
        made = [{**vars(at.stage), "why_not": at.why_not} for at in stages]
        report["journeys"].append(
            {"name": journey.name, "path": journey.path, "stages": made, "calls": []}
        )
    # Call by call, so that a run that is cut has seen every journey.
    for place in range(max(len(journey.calls) for journey in journeys)):
        for journey, row in zip(journeys, report["journeys"], strict=True):
            if place >= len(journey.calls):
                continue
            if time.monotonic() > until:
                print(f"no time left for {journey.name}: {journey.calls[place]}")
                continue
            torch.manual_seed(0)
            functions = {n: getattr(m, journey.launcher) for n, m in modules[journey].items()}
            row["calls"].append(compared(functions, journey.calls[place]))
            print(journey.name, row["calls"][-1], flush=True)
            for name, apart in row["calls"][-1]["apart"].items():
                if not apart <= _MOST_APART:
                    print(f"WRONG: {journey.name}, {name}: {apart} apart")
            torch.cuda.empty_cache()
        write_report(report, out)


def compared(functions: dict[str, Any], given: str) -> dict[str, Any]:
    """Medians of all stages and a copy, and how far each is from the first."""
    import torch

    from benchmarks.rewrites_speed import made
    from benchmarks.side_by_side import tensors
    from tritonopt.measurement.cuda import CudaDevice
    from tritonopt.measurement.timing import Effort, side_by_side

    arguments = [*made(given)]
    calls = {name: functools.partial(f, *arguments) for name, f in functions.items()}
    results = {name: tensors(call()) for name, call in calls.items()}
    first = next(iter(results.values()))
    moved = sum(t.numel() * t.element_size() for t in [*tensors(arguments), *first])
    apart = {name: _apart(first, found) for name, found in results.items()}
    del results, first
    half = torch.empty(max(moved // 2, 1), dtype=torch.int8, device="cuda")
    other = torch.empty_like(half)
    timed = {**calls, "copy": lambda: other.copy_(half)}
    samples = side_by_side(timed, CudaDevice(), Effort(least=20, most=20, seconds=3.0))
    times = {name: samples.times(name) for name in timed}
    return {
        "arguments": given,
        "us": {name: round(t.median, 2) for name, t in times.items()},
        "spread": {name: [round(t.low, 2), round(t.high, 2)] for name, t in times.items()},
        "apart": apart,
    }


def _apart(expected: Any, found: Any) -> float:
    """The largest difference, as a part of the largest value of its tensor; infinite for NaN."""
    worst = 0.0
    for one, other in zip(expected, found, strict=True):
        scale = one.float().abs().max().item() or 1.0
        difference = (one.float() - other.float()).abs().max().item() / scale
        worst = max(worst, difference if difference == difference else float("inf"))
    return worst


def table(report: dict[str, Any]) -> str:
    """Every stage and call: how much faster than the first kernel, and the share of a copy."""
    lines = []
    for journey in report["journeys"]:
        calls = [call for call in journey["calls"] if call["us"]]
        heads = " | ".join(_short(call["arguments"]) for call in calls)
        lines += ["", f"{journey['name']} (`examples/{journey['path']}.py`)", ""]
        lines += [f"| stage | pass | {heads} |", "| --- " * (len(calls) + 2) + "|"]
        stages = [{"what": "as it begins", "passes": "", "why_not": ""}, *journey["stages"]]
        before = "as it begins"
        for stage in stages:
            name = stage["passes"] or "as it begins"
            if stage["why_not"]:
                said = f"not made: {stage['why_not']}".replace("|", "\\|")
                cells = [said, *[""] * (len(calls) - 1)][: max(len(calls), 1)]
            else:
                cells = [_cell(call["us"], name, before) for call in calls]
                before = name
            passes = f"`{stage['passes']}`" if stage["passes"] else ""
            lines.append(f"| {stage['what']} | {passes} | {' | '.join(cells)} |")
        lines += [_tuned_line(found) for found in journey.get("tuned", ())]
    return "\n".join(lines[1:])


def _tuned_line(found: dict[str, Any]) -> str:
    """What `tune` chose for the first kernel, and how much faster it is at each call."""
    condition = f" where `{found['condition']}`" if found["condition"] else ""
    what = f"`{found['what']}`{condition}" if found["what"] else "nothing"
    cells = []
    for row in found["rows"]:
        times = (row["row"] or row["original"])["times"]
        if row["uses_new"]:
            cells.append(f"{times['original']['median'] / times['tuned']['median']:.2f}x")
        else:
            cells.append("as it begins")
    return f"| what `tune` keeps | {what} | {' | '.join(cells)} |"


def _short(arguments: str) -> str:
    return arguments.split("], ")[0].removesuffix("]") + "]"


def _cell(us: dict[str, float], name: str, before: str) -> str:
    """`1.50x (1.20x), 0.61`: against the first, against the stage before, share of the copy."""
    first = next(iter(us.values()))
    share = f"{us['copy'] / us[name]:.2f}"
    if name == "as it begins":
        return f"{first:.0f} us, {share}"
    return f"{first / us[name]:.2f}x ({us[before] / us[name]:.2f}x), {share}"


if __name__ == "__main__":
    raise SystemExit(main())
