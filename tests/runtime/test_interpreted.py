"""The same in Triton's interpreter, in a process of its own: it is on or off for all of one."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tritonopt
from tests.runtime.support import VERSION, Array, load, no_gpu
from tests.runtime.test_optimize import RELU

INSIDE = os.environ.get("TRITON_INTERPRET") == "1"
inside = pytest.mark.skipif(not INSIDE, reason="run by test_in_a_process_of_its_own")


@pytest.mark.skipif(INSIDE, reason="this is it")
def test_in_a_process_of_its_own(root: Path) -> None:
    pytest.importorskip("numpy")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__],
        cwd=root,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "5 passed, 1 skipped" in done.stdout, done.stdout + done.stderr


def results(kernel: Any, block: int = 4, **constants: Any) -> list[float]:
    x, y = Array(-1.0, 2.0, -3.0, 4.0, -5.0, 6.0), Array(*[9.0] * 7)
    kernel[lambda meta: (2,)](x, y, 6, **{"BLOCK": block, **constants})
    values: list[float] = y.array.tolist()
    return values


POSITIVE = [0.0, 2.0, 0.0, 4.0, 0.0, 6.0, 9.0]


@inside
def test_it_computes_the_same(tmp_path: Path) -> None:
    kernel: Any = load(tmp_path, RELU).relu
    made = tritonopt.optimize(kernel, passes="max-to-where")
    assert type(made).__name__ == "InterpretedFunction" and isinstance(made, type(kernel))
    assert "tl.where(x > 0.0, x, 0.0)" in made.tritonopt.source
    assert results(kernel) == results(made) == POSITIVE
    assert results(copy.deepcopy(made)) == POSITIVE


@inside
def test_it_is_what_runs(tmp_path: Path) -> None:
    # The interpreter keeps a NaN in tl.maximum, and a comparison with one is false.
    made = tritonopt.optimize(load(tmp_path, RELU).relu, passes="max-to-where")
    x, y = Array(float("nan")), Array(9.0)
    made[(1,)](x, y, 1, BLOCK=1)
    assert y.array.tolist() == [0.0]


@inside
def test_chains_and_decorators(tmp_path: Path) -> None:
    text = "import tritonopt\n" + RELU.replace(
        "@triton.jit",
        """\
@triton.heuristics({"BLOCK": lambda args: 4})
@triton.autotune([triton.Config({})], key=["n"])
@tritonopt.optimize(passes="max-to-where")
@triton.jit""",
    ).replace(" = 64", "")
    if VERSION == (3, 2):  # where tuned kernels are not interpreted
        text = text.replace("@triton.autotune(", "@triton.heuristics({}) #")
    with no_gpu():
        kernel: Any = load(tmp_path, text).relu
        made = tritonopt.optimize(kernel, passes="max-to-where")
        assert kernel.fn.fn.tritonopt.passes == ("max-to-where",) and made.tritonopt.passes == ()
        for launched in (kernel, made):
            x, y = Array(-1.0, 2.0), Array(9.0, 9.0)
            launched[(1,)](x, y, 2)
            assert y.array.tolist() == [0.0, 2.0]


@inside
def test_helpers_and_constants(tmp_path: Path) -> None:
    text = RELU.replace("tl.maximum(x, 0.0)", "positive(x)").replace(
        "@triton.jit",
        """\
LEAST = tl.constexpr(0.0)


@triton.jit
def positive(x):
    x = x.to(tl.float32)
    return tl.maximum(x, LEAST)


@triton.jit""",
        1,
    )
    module: Any = load(tmp_path, text)
    module.positive = tritonopt.optimize(module.positive, passes="max-to-where", assume=["x > 1"])
    assert "tl.where(x > LEAST, x, LEAST)" in module.positive.tritonopt.source
    assert results(module.relu) == POSITIVE
    module.LEAST = module.tl.constexpr(-1.0)
    with pytest.raises(Exception, match="optimized for what LEAST stood for"):
        results(module.relu)


@inside
def test_a_text_that_nobody_has(tmp_path: Path) -> None:
    module: Any = load(tmp_path, RELU)
    namespace = dict(vars(module))
    exec(compile(RELU, "<nowhere>", "exec"), namespace)
    with pytest.raises(tritonopt.SourceUnavailable, match=r"<nowhere>:5: the source of relu "):
        tritonopt.optimize(namespace["relu"], passes="max-to-where")
    os.truncate(module.__file__, 20)
    with pytest.raises(tritonopt.SourceUnavailable, match="linecache.cache under the file name"):
        tritonopt.optimize(module.relu, passes="max-to-where")
