"""Every example agrees with torch, run as a newcomer without a GPU would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tritonopt.reporting.diff import unified
from tritonopt.rewriting.pipeline import RewriteResult, rewrite_source

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted(ROOT.glob("examples/*.py"))

# One process for all: importing torch takes longer than most of them.
RUN_ALL = """
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
"""


@cache
def after_rows(path: Path) -> RewriteResult:
    return rewrite_source(path.read_text(encoding="utf-8"), "rows", path=str(path))


def test_examples_agree_with_torch_and_still_do_after_rows(tmp_path: Path) -> None:
    rewritten = []
    for path in EXAMPLES:
        if after_rows(path).changed:
            rewritten.append(tmp_path / path.name)
            rewritten[-1].write_text(after_rows(path).text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *map(str, [*EXAMPLES, *rewritten])],
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(EXAMPLES) + len(rewritten) > len(EXAMPLES) > 10
    assert all(line.endswith("with torch on cpu") for line in said)


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_the_diff_that_is_shown_is_the_one_that_rows_makes(path: Path) -> None:
    """To write them anew, set TRITONOPT_UPDATE_CASES=1, and read the difference."""
    text = path.read_text(encoding="utf-8")
    made = unified(f"examples/{path.name}", text, after_rows(path).text)
    shown = path.parent / "after_rows" / f"{path.stem}.diff"
    if os.environ.get("TRITONOPT_UPDATE_CASES") == "1":
        shown.unlink(missing_ok=True)
        if made:
            shown.write_text(made, encoding="utf-8")
    assert (shown.read_text(encoding="utf-8") if shown.exists() else "") == made
