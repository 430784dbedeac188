"""How far kernels run where a run may execute so many statements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tritonopt.verification.inputs.examples import Example, PlainValue, TensorRecipe
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import Attempt, RunOptions, VersionSpec
from tritonopt.verification.worker.probes import Recorder, TooLong


def executed(programs: int, statements: int, most: int) -> int:
    """How many statements a launch executes, in programs of so many each."""
    recorder = Recorder()
    recorder.begin(most)
    for number in range(programs):
        recorder.program_begins()
        recorder.expect(number, programs)
        for line in range(statements):
            recorder.kernel.line(line)
    return recorder.kernel.statements


def test_a_launch_within_the_limit_runs() -> None:
    assert executed(programs=100, statements=10, most=1000) == 1000


def test_a_long_launch_ends_after_a_few_programs() -> None:
    with pytest.raises(TooLong, match="some 100,000 statements"):
        executed(programs=10_000, statements=10, most=1000)


def test_a_long_program_ends_at_the_limit() -> None:
    with pytest.raises(TooLong, match="more than 1,000 statements"):
        executed(programs=1, statements=1001, most=1000)


def test_a_launch_that_is_a_little_too_long_ends_before_the_limit() -> None:
    recorder = Recorder()
    recorder.begin(1000)
    with pytest.raises(TooLong, match="some 1,200 statements"):
        for number in range(120):
            recorder.program_begins()
            recorder.expect(number, 120)
            for line in range(10):
                recorder.kernel.line(line)
    assert recorder.kernel.statements <= 300


_DOUBLE = """
import torch
import triton
import triton.language as tl

@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        o = start + tl.arange(0, BLOCK)
        tl.store(y + o, tl.load(x + o, mask=o < n) * 2, mask=o < n)

def double(x: torch.Tensor, block: int):
    y = torch.empty_like(x)
    double_kernel[(1,)](x, y, x.numel(), BLOCK=block)
    return y
"""


@pytest.fixture
def double(tmp_path: Path) -> Iterator[VersionWorker]:
    path = tmp_path / "kernel.py"
    path.write_text(_DOUBLE)
    spec = VersionSpec(
        "original", str(path), _DOUBLE, str(path), "interpreter", "double", by_position=False
    )
    worker = VersionWorker(spec, 60.0)
    yield worker
    worker.close()


def _call(elements: int, block: int) -> Example:
    tensor = TensorRecipe("f32", (elements,), seed=0)
    return Example((("x", tensor), ("block", PlainValue(block))))


def test_what_is_tried_need_not_run_to_its_end(double: VersionWorker) -> None:
    assert double.attempt(_call(100, 16)).level == Attempt.GOOD
    # A second and a half, where all of it is half a minute.
    found = double.attempt(_call(1_000_000, 2))
    assert found.level == Attempt.GOOD and found.trouble == ""


def test_large_tiles_are_more_work(double: VersionWorker) -> None:
    (small,) = double.run(_call(2**10, 2**10), RunOptions())
    (large,) = double.run(_call(2**20, 2**20), RunOptions())
    assert large.coverage.work > 10 * small.coverage.work
