"""The interpreter's preparations are made once per process, and come to the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import inspect, itertools, json, torch, triton, triton.language as tl
import numpy as np
import triton.language.core as core
from triton.runtime import interpreter

@triton.jit
def doubled(x):
    return x + x

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = doubled(tl.load(x + at, mask=at < n, other=0.0))
    h = v.to(tl.float16) + tl.max(v, axis=0)
    tl.store(y + at, h.to(tl.float32) + tl.sum(v, axis=0), mask=at < n)

def launch(n):
    x, y = torch.arange(16, dtype=torch.float32), torch.zeros(16)
    kernel[(1,)](x, y, n, BLOCK=16)
    return y.tolist()

def shapes():
    types = [tl.float32, tl.block_type(tl.float32, [2, 4]), tl.block_type(tl.int8, [2, 4])]
    made = [tl.tensor(None, t) for t in [*types, tl.pointer_type(tl.int8), *types]]
    return [[str(v) for v in (t.shape, t.numel, t.type, t.dtype, sorted(vars(t)))] for t in made]

def handled(data, kind):
    return tl.tensor(interpreter.TensorHandle(data, kind.scalar), kind)

def operands():
    names = "int1 int8 int32 int64 uint8 uint32 uint64 float16 bfloat16 float32 float64".split()
    for kind in [getattr(tl, name) for name in names] + [tl.pointer_type(tl.float32)]:
        ones = np.ones(1, interpreter._get_np_dtype(kind))
        yield handled(ones, kind)
        yield handled(np.repeat(ones, 4), tl.block_type(kind, [4]))
    yield handled(np.ones((2, 1), np.int32), tl.block_type(tl.int32, [2, 1]))
    yield from (0, 1, -1, 2**31, 2**32, -(2**31) - 1, True, 0.0, -0.0, 1.5, 1e300, float("nan"))

def checked():
    # What both operands become, for every two of them and whatever is allowed and done.
    found, given = [], list(operands())
    ways = [(True, True, True, False), (False, False, True, True), (False, False, True, False),
            (True, False, False, False)]
    for left, right, way in itertools.product(given, given, ways):
        if not (isinstance(left, tl.tensor) or isinstance(right, tl.tensor)):
            continue
        try:
            both = interpreter.interpreter_semantic.binary_op_type_checking_impl(left, right, *way)
        except Exception as error:
            found.append(repr(error))
            continue
        for it in both:
            data = it.handle.data
            found.append([str(it.type), str(it.handle.dtype), str(data.dtype), data.tolist()])
    return [str(one) for one in found]

def handles():
    # An array whose elements are wider than the type is refused, at first and again.
    found = []
    for size, kind in itertools.product(("u1", "f4", "f8"), (tl.int1, tl.float16, tl.float32)):
        for _ in range(2):
            try:
                found.append(str(interpreter.TensorHandle(np.ones(2, size), kind)))
            except ValueError as error:
                found.append(str(error))
    return found

def of_blocks():
    block, plain, pointer = tl.block_type(tl.int8, [2, 4]), tl.float32, tl.pointer_type(tl.int8)
    made = [block.with_element_ty(kind) for kind in (plain, pointer, plain)]
    made += [kind.to_ir(interpreter.interpreter_builder) for kind in made]
    equal = [bool(a == b) for a, b in itertools.product([k.shape for k in made], [(2, 4), (4,)])]
    return [str(kind) for kind in made] + equal

looks = []
members = inspect.getmembers
inspect.getmembers = lambda *given: looks.append(given) or members(*given)
plain = [launch(n) for n in (0, 7, 16)]
before = len(looks)
wrapped = shapes()
scope = interpreter._patch_lang(kernel.fn)
usual = [checked(), handles(), of_blocks()]
scope.restore()

from tritonopt.verification.worker.triton_interpreter import usual_operands
usual_operands.install()
launch(1)
del looks[:]
again = [launch(n) for n in (0, 7, 16)]
types = [tl.int1, tl.bfloat16, tl.float8e5, tl.uint64, tl.pointer_type(tl.int8)]
types += [tl.block_type(t, [2, 4]) for t in types]
wrapped_again = shapes()
usual_again = [checked(), handles(), of_blocks()]
held = [str(interpreter._get_np_dtype(t)) for t in types for _ in range(2)][::2]

blind = {"__builtins__": {}}
exec("def f(x): return x", blind)
try:
    interpreter._patch_lang(blind["f"])
    refused = ""
except AssertionError as error:
    refused = str(error)
print(json.dumps([plain, again, before, len(looks), held, refused, wrapped, wrapped_again,
                  usual, usual_again]))
"""


def test_the_language_is_looked_through_once(root: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(_SCRIPT)
    made = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    plain, again, before, after, held, refused, *rest = json.loads(made.stdout)
    assert again == plain and plain[1][1] != plain[2][1]
    assert before > 0 and after == 0
    scalars = ["bool", "uint16", "uint8", "uint64", "uint64"]
    assert held == scalars * 2
    assert "must be visible" in refused
    shapes, shapes_again, usual, usual_again = rest
    assert shapes == shapes_again and len(set(map(str, shapes))) == 4
    for before_it, after_it in zip(usual, usual_again, strict=True):
        assert before_it == after_it
    assert len(usual[0]) > 4000 and sum("Error" in one for one in usual[0]) > 100
