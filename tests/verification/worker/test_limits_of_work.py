"""How far kernels run where a run may execute so many statements."""

from __future__ import annotations

import pytest

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
