"""What the interpreter tells of a call holds on a GPU where the launches are the same there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.process.messages import Coverage, Loop
from tritonopt.verification.worker.triton_interpreter.pretended_gpu import with_few_multiprocessors

PERSISTENT = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    for start in range(first, n, tl.num_programs(0) * BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, 2 * x, mask=at < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    count = torch.cuda.get_device_properties(x.device).multi_processor_count
    n = x.numel()
    double[(min(triton.cdiv(n, 64), count),)](x, y, n, BLOCK=64)
    return y
"""


def test_loops_of_other_programs_do_not_count() -> None:
    """Two programs go through eight tiles in four turns each, a hundred of them in one."""
    scouted = Coverage(
        frozenset({9, 11}),
        loops={9: Loop(4, True, (0, 512, 128))},
        grids=(("double", (2, 1, 1)),),
    )
    same = Coverage(grids=(("double", (2, 1, 1)),))
    assert scouted.as_launched(same) == scouted
    other = scouted.as_launched(Coverage(grids=(("double", (8, 1, 1)),)))
    assert not other.loops
    assert other.lines == scouted.lines
    assert other.grids == (("double", (8, 1, 1)),)


@pytest.mark.parametrize("backend", ["interpreter", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_mistake_in_the_second_turn_of_a_program(
    backend: str, of_texts: Callable[..., Verdict]
) -> None:
    torch = pytest.importorskip("torch")
    if backend == "cuda" and not torch.cuda.is_available():
        pytest.skip("torch finds no GPU: the cuda backend was NOT tested")
    wrong = PERSISTENT.replace("2 * x,", "tl.where(start == first, 2 * x, 3 * x),")
    verdict = of_texts(PERSISTENT, wrong, args="x: f32[n]", backend=backend)
    assert verdict.verdict == "counterexample", verdict
    right = PERSISTENT.replace("2 * x,", "x * 2,")
    verdict = of_texts(PERSISTENT, right, args="x: f32[n]", backend=backend)
    assert verdict.verdict == "identical", verdict


@pytest.mark.gpu
def test_other_properties_of_the_device_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU: the cuda backend was NOT tested")
    from triton.runtime import driver

    name = torch.cuda.get_device_name()
    utils = driver.active.utils
    monkeypatch.setattr(torch.cuda, "get_device_properties", torch.cuda.get_device_properties)
    monkeypatch.setattr(utils, "get_device_properties", utils.get_device_properties)
    with_few_multiprocessors(torch)
    found = torch.cuda.get_device_properties(0)
    assert (found.name, found.multi_processor_count) == (name, 2)
    assert utils.get_device_properties(0)["multiprocessor_count"] == 2
    assert utils.get_device_properties(0)["max_shared_mem"] > 2**15
