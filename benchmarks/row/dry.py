"""A run without a GPU, that times nothing: all that could fail before it matters."""

from __future__ import annotations

import time

import torch

from benchmarks.row.functions import differences, function_of, wrong
from benchmarks.row.operations import DTYPES, OPERATIONS, Operation, Source, arguments_of
from benchmarks.row.plan import LIGER, cells
from benchmarks.row.variants import versions_of
from benchmarks.side_by_side import tensors

# A row of one tile and one of two, so that every branch of a version is taken.
SHAPES = ((3, 100), (2, 1500))


def dry(only: str) -> int:
    """Say what would be measured; 1 where a version is wrong in the interpreter."""
    chosen = {name: found for name, found in OPERATIONS.items() if only in name}
    bad = 0
    for name, operation in chosen.items():
        found = versions_of(operation.example, operation.launcher)
        for version, text in found.texts.items():
            begin = time.perf_counter()
            said = "; ".join(filter(None, (in_interpreter(name, version, text, *shape)
                                           for shape in SHAPES)))  # fmt: skip
            bad += bool(said)
            took = time.perf_counter() - begin
            print(f"{name}, {version}: {said or 'agrees with torch'} ({took:.1f} s)", flush=True)
        for version, why in found.left_out.items():
            print(f"{name}, {version}: {why}")
        for dtype in DTYPES:
            differs, said = by_torch(operation, dtype)
            bad += differs
            if said:
                print(f"{name}, torch, {dtype}: {said}")
        if operation.liger is not None:
            print(f"{name}, {LIGER}: {by_liger(name)}", flush=True)
    planned = cells(chosen)
    compiled = sum(cell.compiled for cell in planned)
    print(f"{len(planned)} cells, torch.compile takes part in {compiled}; {bad} are wrong")
    return 1 if bad else 0


def in_interpreter(name: str, version: str, text: str, rows: int, length: int) -> str:
    try:
        return wrong(name, version, text, "fp32", rows, length, "cpu")
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]


def by_torch(operation: Operation, dtype: str) -> tuple[bool, str]:
    """Whether torch does not agree with itself in fp64, and what there is to say of it."""
    arguments = arguments_of(operation, Source(4, 96, DTYPES[dtype], "cpu"))
    wide = [v.double() if isinstance(v, torch.Tensor) and v.is_floating_point() else v
            for v in arguments]  # fmt: skip
    try:
        found = tensors(operation.reference(*arguments))
        said = "; ".join(differences(tensors(operation.reference(*wide)), found))
    except RuntimeError as error:
        # Some have a NotImplementedError for what a CPU does not have, and some only say so.
        if not isinstance(error, NotImplementedError) and "not implemented" not in str(error):
            return True, f"{type(error).__name__}: {error}"[:300]
        return False, f"not compared, for it does not run on a CPU: {error}"[:300]
    return bool(said), said


def by_liger(name: str) -> str:
    """Liger's kernels are made for a GPU: what the interpreter says of them is no verdict."""
    try:
        function_of(OPERATIONS[name], LIGER)
        said = wrong(name, LIGER, "", "fp32", 3, 100, "cpu")
    except Exception as error:
        return f"not run here: {type(error).__name__}: {error}"[:200]
    return said or "agrees with torch"
