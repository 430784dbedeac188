"""Every example agrees with torch, run as a newcomer without a GPU would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# One process for all: importing torch takes longer than most of them.
RUN_ALL = """
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
"""


def test_examples_agree_with_torch(root: Path) -> None:
    files = sorted(root.glob("examples/*.py"))
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL, *map(str, files)],
        env={**os.environ, "TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(files) > 10
    assert all(line.endswith("with torch on cpu") for line in said)
