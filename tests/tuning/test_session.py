"""What fails or hangs costs a row of the table, and the rest is timed all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tritonopt.measurement.results import Row
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.bench import AFTER, BEFORE
from tritonopt.tuning.session import Session
from tritonopt.tuning.subjects import Wanted, subjects_of
from tritonopt.tuning.timing_server import Version

EFFORT = Effort(least=3, most=3)

KERNEL = """\
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + cols, 2 * tl.load(x + cols, mask=cols < n), mask=cols < n)


def double(x: torch.Tensor) -> torch.Tensor:
    (n,) = x.shape
    # before the launch
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""

Timed = Callable[..., list[Row]]


@pytest.fixture
def timed(tmp_path: Path) -> Iterator[Timed]:
    """The rows for 20 and 40 elements, of the kernel above and of a changed copy of it."""
    sessions: list[Session] = []

    def run(old: str, new: str, timeout: float = 60.0) -> list[Row]:
        assert old in KERNEL
        before, after = tmp_path / "before.py", tmp_path / "after.py"
        before.write_text(KERNEL)
        after.write_text(KERNEL.replace(old, new))
        wanted = Wanted(before, after, args="x: f32[n=20|40]", launcher="double")
        (subject,) = subjects_of(wanted).subjects
        versions = [
            Version(name, str(before), path.read_text(), str(path), "double")
            for name, path in ((BEFORE, before), (AFTER, after))
        ]
        sessions.append(Session(versions, timeout, server="tests.tuning.cpu_server"))
        return [sessions[0].row("double", c, EFFORT, copy=False) for c in subject.calls]

    yield run
    for session in sessions:
        session.close()


def test_both_versions_are_timed(timed: Timed) -> None:
    rows = timed("2 * tl.load(x + cols, mask=cols < n)", "tl.load(x + cols, mask=cols < n) * 2")
    assert [row.sizes for row in rows] == [{"n": 20}, {"n": 40}]
    for row in rows:
        assert set(row.times) == {BEFORE, AFTER}
        assert row.times[BEFORE].runs == 3
        assert row.ratio is not None and row.ratio.runs == 3
        assert row.moved == 2 * 4 * row.sizes["n"]
        assert not row.failures and not row.notes


def test_other_results_are_noted(timed: Timed) -> None:
    for row in timed("2 * tl", "3 * tl"):
        assert row.notes == ("the results differ by 5.0e-01 of the largest value",)
        assert row.ratio is not None


@pytest.mark.parametrize(
    "body, said",
    [
        ("raise ValueError('never 20')", "ValueError: never 20"),
        ("raise torch.OutOfMemoryError('so little')", "out of memory"),
        ("import os; os._exit(3)", "exit status 3"),
        ("import sys; sys.exit('so it ends')", "so it ends"),
    ],
)
def test_what_fails_for_one_shape_costs_this_one(timed: Timed, body: str, said: str) -> None:
    fails, works = timed("    # before", f"    if n == 20:\n        {body}\n    #")
    assert said in fails.failures[AFTER]
    assert set(fails.times) == {BEFORE}
    assert fails.ratio is None
    assert set(works.times) == {BEFORE, AFTER}
    assert not works.failures


def test_what_hangs_for_one_shape_costs_this_one(timed: Timed) -> None:
    fails, works = timed("    # before", "    while n == 20:\n        pass\n    #", timeout=4.0)
    assert fails.failures == {AFTER: "no answer within 4 s"}
    assert set(fails.times) == {BEFORE}
    assert set(works.times) == {BEFORE, AFTER}


def test_what_ends_the_process_while_it_is_timed_costs_the_row(timed: Timed) -> None:
    count = "    double.count = getattr(double, 'count', 0) + 1\n"
    ends = "    if double.count == 4:\n        import os; os._exit(3)\n"
    fails, _ = timed("    # before", f"{count}{ends}    #")
    assert set(fails.failures) == {BEFORE, AFTER}
    assert not fails.times


@pytest.mark.parametrize(
    "line, said",
    [
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("raise SystemExit(5)", "ends the process"),
        ("import os; os._exit(5)", "exit status 5"),
    ],
)
def test_a_version_that_cannot_be_imported_leaves_the_other(
    timed: Timed, line: str, said: str
) -> None:
    for row in timed("import torch\n", f"import torch\n{line}\n"):
        assert "cannot be imported" in row.failures[AFTER]
        assert said in row.failures[AFTER]
        assert set(row.times) == {BEFORE}
