"""What a rewritten version gets that does not answer: one more run, and none to make it small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.drawing import deadline, smaller
from tritonopt.verification.comparison.versions import Versions
from tritonopt.verification.coverage.sized_calls import SizedCalls
from tritonopt.verification.coverage.text_differences import limits_on
from tritonopt.verification.inputs.examples import Example, TensorRecipe
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import (
    Failure,
    Outcome,
    Output,
    RunOptions,
    VersionSpec,
)
from tritonopt.verification.signature.argument_parser import parse

EXAMPLE = Example((("x", TensorRecipe("f32", (64,))),))
_STUCK = Outcome(failure=Failure("Hang", "no answer within 60 s"))


class Answering:
    """A version of which each run takes so many seconds, as it says."""

    def __init__(self, seconds: float, *, kernel: bool = True) -> None:
        self.spec = VersionSpec("original", "a.py", "", "a.py", "interpreter", "f", False)
        self.spec = replace(self.spec, reference=not kernel)
        output = Output("returned", "f32", (1,), np.array([1], dtype=np.uint32))
        self.outcome = Outcome((output,), launches=("kernel",), written=1, seconds=seconds)

    def send_or_die(self, example: Example, options: tuple[RunOptions, ...]) -> None:
        """It is at work."""

    def receive(self, count: int) -> tuple[Outcome, ...]:
        return (self.outcome,) * count


class Stuck(Answering):
    """A version that never answers."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.outcome = self.first = _STUCK
        self.again: list[float] = []
        """How long it got in each run after the first."""

    def receive(self, count: int, seconds: float | None = None) -> tuple[Outcome, ...]:
        return (self.first,) * count

    def run_within(
        self, seconds: float, example: Example, options: tuple[RunOptions, ...]
    ) -> tuple[Outcome, ...]:
        self.again.append(seconds)
        return (self.outcome,) * len(options)


@pytest.mark.parametrize("interpreted", [True, False])
@pytest.mark.parametrize(("took", "allowed"), [(40.0, 160.0), (0.1, 20.0)])
def test_it_is_run_once_more_for_twice_as_long_as_the_original(
    took: float, allowed: float, interpreted: bool
) -> None:
    stuck = Stuck()
    versions = Versions(Answering(took), stuck, False, interpreted)  # type: ignore[arg-type]
    _, theirs = versions.run(EXAMPLE)
    assert theirs.first.failure is not None and theirs.first.failure.kind == "Hang"
    assert stuck.again == [allowed], "twice both runs of the original, or what is least"


def test_one_that_executes_too_much_has_had_its_first_run() -> None:
    """A loop without an end is seen by the statements it executes, long before the clock."""
    stuck = Stuck()
    stuck.first = Outcome(failure=Failure("TooLong", "more than 100,000", refused=True))
    versions = Versions(Answering(0.1), stuck, False, True)  # type: ignore[arg-type]
    _, theirs = versions.run(EXAMPLE)
    assert theirs.first.failure is not None and theirs.first.failure.kind == "Hang"
    assert stuck.again == [20.0]


def test_a_reference_without_a_kernel_says_little_of_how_long_one_takes() -> None:
    """Many programs on the interpreter of a busy machine are no kernel that does not end."""
    stuck = Stuck()
    Versions(Answering(0.1, kernel=False), stuck, False, True).run(EXAMPLE)  # type: ignore[arg-type]
    assert stuck.again == [60.0]


def test_an_original_that_is_stuck_as_well_leaves_nothing_to_ask() -> None:
    stuck, original = Stuck(), Answering(1.0)
    original.outcome = replace(original.outcome, failure=_STUCK.failure)
    Versions(original, stuck, False, True).run(EXAMPLE)  # type: ignore[arg-type]
    assert stuck.again == []


def test_what_does_not_end_is_not_made_small() -> None:
    signature = parse("x: f32[m, n]")
    calls = SizedCalls(signature, limits_on("interpreter", ()))
    large = calls.make({"m": 37, "n": 131})
    tried: list[Example] = []

    def shown(example: Example) -> Difference | None:
        tried.append(example)
        return None

    never = Difference("the rewritten version does not finish")
    found = smaller(calls, large, never, shown, until=deadline(ends=False))
    assert found == (large, never) and not tried


ROWS = """
import torch, triton, triton.language as tl

@triton.jit
def twice(x, y, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    tl.store(y + row + o, 2 * tl.load(x + row + o, mask=o < n), mask=o < n)

def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    twice[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
"""


def test_a_gpu_compiles_the_kernel_of_a_launch_without_programs(tmp_path: Path) -> None:
    """`512 // BLOCK` in a rewritten version is no fault where BLOCK of the original is 0."""
    path = tmp_path / "rows.py"
    path.write_text(ROWS)
    spec = VersionSpec("original", str(path), ROWS, str(path), "interpreter", "launch", False)
    original = VersionWorker(spec, timeout=120.0)
    versions = Versions(original, original, identical=False, interpreted=True)
    try:
        said = {
            shape: versions.not_held_against(Example((("x", TensorRecipe("f32", shape)),)))
            for shape in ((0, 0), (0, 5), (3, 5))
        }
    finally:
        original.close()
    assert said == {
        (0, 0): "left out: no GPU accepts twice on empty tensors",
        (0, 5): "",
        (3, 5): "",
    }


def test_a_tile_that_triton_has_not_is_held_against_a_small_call_only() -> None:
    spec = VersionSpec("original", "a.py", "", "a.py", "cuda", "f", False, reference=True)
    original = VersionWorker(spec, timeout=1.0)  # never asked
    versions = Versions(original, original, identical=False, interpreted=False)
    message = "numel (4194304) exceeds triton maximum tensor numel (1048576)"
    for shape, text, left_out in (
        ((1, 2**22), message, True),
        ((1, 2**10), message, False),
        ((1, 2**22), "out of resource", False),
    ):
        example = Example((("x", TensorRecipe("f32", shape)),))
        assert bool(versions.not_held_against(example, text)) == left_out
