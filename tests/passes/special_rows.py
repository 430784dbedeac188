"""Runs versions of a file that has `run(x)` on rows with inf and NaN, and compares them.

    TRITON_INTERPRET=1 python -m tests.passes.special_rows BEFORE.py AFTER.py ...

Prints a line for each pair and length at which they differ, and how many were compared. Random
rows have few that are -inf from the first to the last element, or up to the end of a tile, where a
running maximum goes wrong.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tritonopt.verification.worker.triton_interpreter import usual_operands
from tritonopt.verification.worker.triton_interpreter.corrected import Interpreter

INF, NAN = float("inf"), float("nan")
TILE = 16
_numbers = count()


def special_rows(length: int) -> torch.Tensor:
    """Of tiles of 16: each combination of -inf, inf, NaN, numbers in first, later, last places."""
    generator = torch.Generator().manual_seed(length)
    kinds: list[tuple[float | None, float | None, float | None]] = [
        (first, later, last)
        for first in (None, -INF, NAN, INF, -3e38)
        for later in (None, -INF, NAN)
        for last in (None, NAN, INF, 3e38)
    ]
    rows = torch.randn(len(kinds), length, generator=generator) * 5
    for row, (first, later, last) in zip(rows, kinds, strict=True):
        places = (slice(0, TILE), slice(TILE, None), slice(max(length - 1, 0), None))
        for place, value in zip(places, (first, later, last), strict=True):
            if value is not None:
                row[place] = value
    return rows


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"special_rows_{next(_numbers)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(module: ModuleType, rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
    found: Any = module.run(rows.clone())
    return found if isinstance(found, tuple) else (found,)


def main(paths: list[Path]) -> int:
    usual_operands.install()
    Interpreter().access.anywhere = True
    failed = 0
    for before, after in zip(paths[::2], paths[1::2], strict=True):
        modules = loaded(before), loaded(after)
        for length in (0, 1, TILE, 2 * TILE + 8):
            rows = special_rows(length)
            for old, new in zip(*(results(module, rows) for module in modules), strict=True):
                if not torch.allclose(new, old, rtol=1e-4, atol=1e-5, equal_nan=True):
                    failed += 1
                    print(f"{before.stem}, rows of {length}: {old} became {new}")
    print(f"{len(paths) // 2} pairs compared")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main([Path(argument) for argument in sys.argv[1:]]))
