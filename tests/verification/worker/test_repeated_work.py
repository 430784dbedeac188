"""The interpreter's preparations are made once per process, and come to the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import inspect, json, torch, triton, triton.language as tl
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

looks = []
members = inspect.getmembers
inspect.getmembers = lambda *given: looks.append(given) or members(*given)
plain = [launch(n) for n in (0, 7, 16)]
before = len(looks)
wrapped = shapes()

from tritonopt.verification.worker.triton_interpreter import repeated_work
repeated_work.install()
launch(1)
del looks[:]
again = [launch(n) for n in (0, 7, 16)]
types = [tl.int1, tl.bfloat16, tl.float8e5, tl.uint64, tl.pointer_type(tl.int8)]
types += [tl.block_type(t, [2, 4]) for t in types]
wrapped_again = shapes()
held = [str(interpreter._get_np_dtype(t)) for t in types for _ in range(2)][::2]

blind = {"__builtins__": {}}
exec("def f(x): return x", blind)
try:
    interpreter._patch_lang(blind["f"])
    refused = ""
except AssertionError as error:
    refused = str(error)
print(json.dumps([plain, again, before, len(looks), held, refused, wrapped, wrapped_again]))
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
    plain, again, before, after, held, refused, *shapes = json.loads(made.stdout)
    assert again == plain and plain[1][1] != plain[2][1]
    assert before > 0 and after == 0
    scalars = ["bool", "uint16", "uint8", "uint64", "uint64"]
    assert held == scalars * 2
    assert "must be visible" in refused
    assert shapes[0] == shapes[1] and len(set(map(str, shapes[0]))) == 4
