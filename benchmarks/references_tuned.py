"""What `tritonopt tune` makes of the first kernel of each journey of `references.py`.

    PYTHONPATH=. python benchmarks/references_tuned.py --work DIR [--each 30] [--seconds 300]
    PYTHONPATH=. python benchmarks/references_tuned.py --work DIR --into RECORD.json

The sizes are those of the journey, the passes, tiles and warps all that `tune` tries by itself,
within `--each` seconds a journey. Several of these may run with one DIR, each with a GPU of its own
(`CUDA_VISIBLE_DEVICES`): a journey is begun by one of them. `--into` adds what was found to a
record of `references.py`, whose table then has it. Needs torch, triton and a CUDA device.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.references import EXAMPLES, JOURNEYS, Journey

_KEPT = ("label", "row", "original", "uses_new")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, help="the folder of the run")
    parser.add_argument("--each", type=float, default=30, help="seconds for a journey (30)")
    parser.add_argument("--seconds", type=float, default=300, help="when to begin no other (300)")
    parser.add_argument("--backwards", action="store_true", help="the last journey first")
    parser.add_argument("--into", type=Path, metavar="RECORD", help="add what was found to it")
    parser.add_argument(
        "--launch", nargs=2, metavar=("FILE", "JOURNEY"), help="only make the calls"
    )
    options = parser.parse_args()
    if options.launch:
        launch(Path(options.launch[0]), JOURNEYS[int(options.launch[1])])
    elif options.into:
        add(options.work, options.into)
    else:
        until = time.monotonic() + options.seconds
        numbers = range(len(JOURNEYS))
        for number in reversed(numbers) if options.backwards else numbers:
            if time.monotonic() < until:
                tune(number, options.work, options.each)


def launch(path: Path, journey: Journey) -> None:
    """Make each call of a journey once; `tune` sees them."""
    import torch

    from benchmarks.rewrites_speed import made

    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for call in journey.calls:
        torch.manual_seed(0)
        getattr(module, journey.launcher)(*made(call))


def tune(number: int, work: Path, seconds: float) -> None:
    """Tune a copy of the first kernel of a journey, unless another process has begun it."""
    journey = JOURNEYS[number]
    folder = work / str(number)
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return
    path = folder / f"{Path(journey.path).name}.py"
    shutil.copy(EXAMPLES / f"{journey.path}.py", path)
    calls = [sys.executable, __file__, "--launch", str(path), str(number)]
    command = [sys.executable, "-m", "tritonopt", "tune", str(path), "--budget", f"{seconds:g}s"]
    command += ["--max-examples", "10", "--format", "json", "--write", "--", *calls]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    (folder / "errors.txt").write_text(done.stderr, encoding="utf-8")
    (folder / "found.json").write_text(done.stdout, encoding="utf-8")
    print(f"{journey.name}: {time.monotonic() - begin:.0f} s", _said(folder), flush=True)


def _said(folder: Path) -> list[dict[str, Any]]:
    """What was found in the file of one journey, by launcher."""
    try:
        launchers = json.loads((folder / "found.json").read_text(encoding="utf-8"))["launchers"]
    except (ValueError, KeyError, FileNotFoundError):
        return []
    return [
        {
            "what": found["what"],
            "condition": found["condition"],
            "failure": found["failure"],
            "rows": [{key: row[key] for key in _KEPT} for row in found["rows"]],
        }
        for found in launchers
    ]


def add(work: Path, record: Path) -> None:
    """Put what was found into a record of the journeys."""
    report = json.loads(record.read_text(encoding="utf-8"))
    for number, journey in enumerate(JOURNEYS):
        for row in report["journeys"]:
            if row["name"] == journey.name:
                row["tuned"] = _said(work / str(number))
    record.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
