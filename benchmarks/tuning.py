"""What `tritonopt tune` gains: on the examples, and on files of FlagGems and Liger-Kernel.

    PYTHONPATH=. python benchmarks/tuning.py --work DIR [--budget 480] [--each 120] [--only WORD...]
        [--flaggems FOLDER] [--liger FOLDER --liger-scripts FOLDER] [--out FILE.json]
    PYTHONPATH=. python benchmarks/tuning.py --work DIR --check     # what was accepted, once more
    PYTHONPATH=. python benchmarks/tuning.py --work DIR --speed-up --budget 500  # of more GPUs
    PYTHONPATH=. python benchmarks/tuning.py --fold FILE.json...    # into records, docs/tuning.md

Each file is one run of the command, `tritonopt tune FILE --write --budget EACH`, with the calls of
`tuned/tasks.py`: sizes that are stated there for the examples, and the shapes of the libraries' own
benchmarks. FOLDER is the one from which `flag_gems` or `liger_kernel` is imported; what is changed
are copies. What was accepted is then measured again by `tritonopt tune --check`, in a process
that has seen nothing of it. A run stops when `--budget` seconds are over, whatever it is at, and
the same command goes on where it was stopped: all is in DIR, which another machine can go on with.

On several GPUs (`--gpus 0,1`; all that are visible without it) one file is tuned on each at a time.
Writes what is known in DIR to FILE.json; prints the totals, and the diffs that gain most. `--fold`
puts such files into `benchmarks/results/tuning-GPU.json`, with what earlier runs on that GPU found.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.side_by_side import machine, write_report
from benchmarks.tuned import findings, records
from benchmarks.tuned.running import Work, checked, tuned
from benchmarks.tuned.speed_up import speed_up
from benchmarks.tuned.tasks import EXAMPLES, FLAGGEMS, LIGER, ROOT, Task, chosen, stated, tasks

_BEST = 5
"""Diffs that are printed."""


def main() -> None:
    begin = time.monotonic()
    options = _options()
    if options.table is not None:
        report = json.loads(options.table.read_text(encoding="utf-8"))
        print(*findings.tables([report]), sep="\n")
        return
    if options.fold is not None:
        _fold(options.fold)
        return
    work = Work(options.work.resolve(), _libraries(options), shlex.split(options.tritonopt))
    every = chosen(tasks([*work.libraries], options.liger_scripts), options.only)
    gpus = options.gpus.split(",")
    end = begin + options.budget
    if options.speed_up:
        found = speed_up(work.tritonopt, gpus, work.folder, options.budget)
        (work.folder / "speed_up.json").write_text(json.dumps(found, indent=1) + "\n")
        for run in found["runs"]:
            print(f"{run['gpus']} GPUs: {run.get('seconds', run.get('failure'))} s")
    elif options.check:
        checked(work, every, gpus, end)
    else:
        tuned(work, every, gpus, options.each, end)
    _report(work, every, options.out, time.monotonic() - begin)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, help="the folder of the run")
    parser.add_argument("--table", type=Path, metavar="FILE", help="a record, as Markdown")
    parser.add_argument(
        "--fold", type=Path, nargs="+", metavar="FILE", help="take runs into records and pages"
    )
    parser.add_argument("--flaggems", type=Path, help="the folder that holds `flag_gems`")
    parser.add_argument("--liger", type=Path, help="the folder that holds `liger_kernel`")
    parser.add_argument("--liger-scripts", type=Path, help="its `benchmark/scripts`")
    parser.add_argument("--without-examples", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="words in GROUP/NAME, in their order")
    parser.add_argument("--budget", type=float, default=480, help="seconds for the run (480)")
    parser.add_argument("--each", type=float, default=120, help="seconds for a launcher (120)")
    parser.add_argument("--gpus", default=None, help="0,1: those to use (all that are visible)")
    parser.add_argument("--check", action="store_true", help="only measure again what was accepted")
    parser.add_argument(
        "--speed-up",
        action="store_true",
        help="the same run on one GPU, two and all: four minutes, two, ...",
    )
    parser.add_argument("--tritonopt", default=f"{sys.executable} -m tritonopt", help="the command")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/ and the GPU's name")
    options = parser.parse_args()
    if options.table is not None or options.fold is not None:
        return options
    if options.work is None:
        parser.error("--work: say where all of it is kept")
    if options.liger and not options.liger_scripts:
        parser.error("--liger needs --liger-scripts as well")
    if options.gpus is None:
        if not torch.cuda.is_available():
            raise SystemExit("this benchmark needs a CUDA device")
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        options.gpus = visible or ",".join(map(str, range(torch.cuda.device_count())))
    return options


def _libraries(options: argparse.Namespace) -> dict[str, tuple[Path, str]]:
    found = {} if options.without_examples else {EXAMPLES: (ROOT / "examples", "")}
    if options.flaggems:
        found[FLAGGEMS] = (options.flaggems, "flag_gems")
    if options.liger:
        found[LIGER] = (options.liger, "liger_kernel")
    return found


def _report(work: Work, every: list[Task], out: Path | None, seconds: float) -> None:
    """Write what is known by now, and print what it comes to."""
    keys = [task.key for task in every]
    found = {key: work.found[key] for key in keys if key in work.found}
    totals = findings.totals(found)
    known = work.folder / "speed_up.json"
    report: dict[str, Any] = {
        "benchmark": "tuning",
        **(machine() if torch.cuda.is_available() else {"gpu": "none"}),
        "calls": stated(),
        "totals": totals,
        "not_begun": [key for key in keys if key not in found],
        "speed_up": json.loads(known.read_text()) if known.exists() else None,
        "results": found,
    }
    print("\n".join(findings.lines(totals)))
    print(
        f"this run took {seconds:.0f} s; not begun: {', '.join(report['not_begun']) or 'nothing'}"
    )
    by_key = {task.key: task for task in every}
    for key in findings.best(found, _BEST):
        print(f"\n{key}: {findings.said(found[key])}")
        print("".join(_diff(work, by_key[key])), end="")
    write_report(report, out)


def _fold(files: Sequence[Path]) -> None:
    """Runs into the records of their GPUs, and the tables of all of them into the page."""
    for file in files:
        new = json.loads(findings.without_places(file.read_text(encoding="utf-8")))
        path = records.path_of(new)
        if path.exists():
            old = json.loads(path.read_text(encoding="utf-8"))
            new = new if old == new else records.merged(old, new)
        write_report(records.dated(new), path)
    page = ROOT / "docs" / "tuning.md"
    text = page.read_text(encoding="utf-8")
    for table in findings.tables(records.kept()):
        text = findings.in_place(text, table)
    page.write_text(text, encoding="utf-8")


def _diff(work: Work, task: Task) -> Iterator[str]:
    old, new = work.before(task.group) / task.file, work.of(task.group) / task.file
    texts = [path.read_text(encoding="utf-8").splitlines(keepends=True) for path in (old, new)]
    return difflib.unified_diff(*texts, f"a/{task.file}", f"b/{task.file}")


if __name__ == "__main__":
    main()
