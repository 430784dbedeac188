"""What is done as before, operators and functions, comes to what it comes to the usual way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import itertools, json, os, sys, warnings
import numpy as np
import triton, triton.language as tl
from triton.runtime import interpreter
from tritonopt.verification.worker.triton_interpreter import usual_operands
from tritonopt.verification.worker.triton_interpreter.corrected import Interpreter

warnings.filterwarnings("ignore")

@triton.jit
def kernel(n):
    tl.arange(0, 2) + n

def handled(data, kind):
    return tl.tensor(interpreter.TensorHandle(data, kind.scalar), kind)

def operands(first):
    names = "int1 int32 int64 uint32 float16 bfloat16 float32 float64".split()
    for kind in [getattr(tl, name) for name in names] + [tl.pointer_type(tl.float32)]:
        dtype = interpreter._get_np_dtype(kind)
        for shape in ((), (4,), (2, 1)):
            size = int(np.prod(shape or (1,)))
            data = np.arange(first, first + size).astype(dtype).reshape(shape or (1,))
            yield handled(data, tl.block_type(kind, list(shape)) if shape else kind)
    numbers = [0, -1, 3, 2**31 - 1, 2**31, 2**32, -(2**31) - 1, True]
    numbers += [-0.0, 2.7, 1e300, 1e-300, float("inf"), float("nan")]
    # What is met first is noted.
    yield from numbers[:: 1 if first < 4 else -1]

NAMES = "add sub mul truediv floordiv mod and or xor lt le gt ge eq ne".split()
REFLECTED = ["r" + name for name in NAMES[:9]]

def told(name, it):
    data = it.handle.data
    return [name, str(it.type), str(it.handle.dtype), str(it.shape), str(data.dtype),
            str(data.shape), data.tobytes().hex()]

def functions(first):
    shown = [x for x in operands(first) if not isinstance(x, tl.tensor) or x.dtype in USED]
    one, two = (tl.arange(start, start + 4).to(tl.float32) for start in (first, first + 1))
    memory = np.arange(first, first + 4, dtype=np.float32)
    pointer = handled(np.array([memory.ctypes.data], np.uint64), tl.pointer_type(tl.float32))
    places, mask = pointer + tl.arange(0, 4), tl.arange(0, 4) < first
    calls = [("where", mask, x, y) for x, y in itertools.product(shown, shown)]
    calls += [("maximum", x, y) for x, y in itertools.product(shown, shown)]
    calls += [(name, x) for name in ("exp", "abs", "floor") for x in shown]
    calls += [("to", x, kind) for x in shown for kind in (tl.float32, tl.int64, tl.bfloat16)]
    calls += [("full", [4], x, kind) for x in shown for kind in (tl.float16, tl.int32)]
    calls += [("load", places), ("load", pointer), ("load", pointer, mask)]
    calls += [("load", places, mask, other) for other in (None, 0, 0.0, -0.0, 1.5, one, first)]
    # A single lane's `other` is looked at.
    others = (handled(np.float32([n]), tl.float32) for n in (0, 1))
    calls += [("load", pointer, tl.full([], False, tl.int1), other) for other in others]
    calls += [("sub", one, one), ("sub", one, two), ("sub", two, one)]
    calls += [("__getitem__", one, at) for at in ((None, slice(None)), (slice(None), None), None)]
    calls += [("store", places, one), ("load", places), ("store", places, two, mask)]
    calls += [("load", places), ("program_id", 0), ("num_programs", 0)]
    blocks = [tl.make_block_ptr(pointer, [4], [1], [at], [2], [0]) for at in (0, 2)]
    calls += [("load", block, None, None, [0], "zero") for block in blocks]
    for name, *given in calls:
        owner = tl if hasattr(tl, name) else tl.tensor
        try:
            it = getattr(owner, name)(*given)
        except Exception as error:
            yield f"{name} {error!r}"
            continue
        yield told(name, it) if it.handle is not None else name

def results(first):
    found = []
    for left, right in itertools.product(operands(first), operands(first + 1)):
        if not isinstance(left, tl.tensor):
            continue
        for name in NAMES if isinstance(right, tl.tensor) else NAMES + REFLECTED:
            try:
                it = getattr(left, f"__{name}__")(right)
            except Exception as error:
                found.append(f"{name} {error!r}")
                continue
            found.append(told(name, it))
    return sorted(found, key=str)

WITH = os.fork() == 0
if not WITH:
    semantic = interpreter.interpreter_semantic
    usual_operands.Functions.known = lambda _, usual, operator: (
        lambda *given, _semantic=None, **named: usual(*given, _semantic=semantic, **named)
    )
usual_operands.install()
USED = (tl.int32, tl.float16, tl.bfloat16, tl.float32)
Interpreter()
kernel[(1,)](1)
called = [list(functions(first)) for first in (0, 3)]
called += [results(first) for first in (5, 0)]
asked, usual = [], interpreter.interpreter_semantic.mul
interpreter.interpreter_semantic.mul = lambda *given: asked.append(1) or usual(*given)
handled(np.int64([3]), tl.int64) * handled(np.int32([4]), tl.int32)
with open(f"{WITH}.json", "w") as file:
    json.dump([*called, len(asked)], file)
if not WITH:
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_operators_and_functions_are_done_as_before(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    made = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    (*usual, asked), (*known, spared) = (
        json.loads((tmp_path / f"{way}.json").read_text()) for way in (False, True)
    )
    # `row.to(tl.int64) * stride` does not go the whole way for the cast.
    assert (asked, spared) == (1, 0)
    for before, after in zip(usual, known, strict=True):
        for one, other in zip(before, after, strict=True):
            assert one == other
    assert sum(isinstance(one, str) for one in usual[2]) > 100
    assert sum(isinstance(one, list) for one in usual[0]) > 100
