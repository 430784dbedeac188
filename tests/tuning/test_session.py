"""What fails or hangs costs a row of the table, and the rest is timed all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tritonopt.measurement.results import Row
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.asked import requests_of
from tritonopt.tuning.bench import AFTER, BEFORE
from tritonopt.tuning.calls import Call
from tritonopt.tuning.compiling.ahead import Ahead
from tritonopt.tuning.requests import Request
from tritonopt.tuning.session import OVER, Session
from tritonopt.tuning.subjects import Wanted, subjects_of
from tritonopt.tuning.timing_server import Version
from tritonopt.tuning.trials import Trials
from tritonopt.verification.process.client import Died, Worker

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
    """The rows for so many elements, of the kernel above and of a changed copy of it."""
    sessions: list[Session] = []

    def run(
        old: str, new: str, timeout: float = 60.0, sizes: tuple[int, ...] = (20, 40)
    ) -> list[Row]:
        assert old in KERNEL
        before, after = tmp_path / "before.py", tmp_path / "after.py"
        before.write_text(KERNEL)
        after.write_text(KERNEL.replace(old, new))
        numbers = "|".join(map(str, sizes))
        wanted = Wanted(before, after, args=f"x: f32[n={numbers}]", launcher="double")
        (subject,) = subjects_of(wanted).subjects
        versions = [
            Version(name, str(before), path.read_text(), str(path), "double")
            for name, path in ((BEFORE, before), (AFTER, after))
        ]
        sessions.append(Session(versions, timeout, server="tests.tuning.cpu_server"))
        # There is no GPU, which a forked process could not use, and importing torch takes longer.
        sessions[0].worker.forked = True
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


FAILURES = {
    20: ("raise ValueError('never 20')", "ValueError: never 20"),
    24: ("raise torch.OutOfMemoryError('so little')", "out of memory"),
    28: ("import os; os._exit(3)", "exit status 3"),
    32: ("import sys; sys.exit('so it ends')", "so it ends"),
    36: ("hangs()\n        while True:\n            pass", "no answer within 1 s"),
}


def test_what_fails_for_some_shapes_costs_these(timed: Timed, hangs: Path) -> None:
    bodies = "".join(f"    if n == {n}:\n        {body}\n" for n, (body, _) in FAILURES.items())
    bodies = bodies.replace("hangs()", f"import os; open(f'{hangs}/{{os.getpid()}}', 'w').close()")
    rows = timed("    # before", f"{bodies}    #", sizes=(*FAILURES, 40))
    for row in rows[:-1]:
        assert FAILURES[row.sizes["n"]][1] in row.failures[AFTER]
        assert set(row.times) == {BEFORE}
        assert row.ratio is None
    assert set(rows[-1].times) == {BEFORE, AFTER}
    assert not rows[-1].failures


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
        ("import os; os._exit(5)", "exit status 5"),
        pytest.param("raise SystemExit(5)", "ends the process", marks=pytest.mark.thorough),
    ],
)
def test_a_version_that_cannot_be_imported_leaves_the_other(
    timed: Timed, line: str, said: str
) -> None:
    for row in timed("import torch\n", f"import torch\n{line}\n"):
        assert "cannot be imported" in row.failures[AFTER]
        assert said in row.failures[AFTER]
        assert set(row.times) == {BEFORE}


def test_what_is_compiled_ahead_is_called_once_and_may_fail(
    tmp_path: Path, hangs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calls leave a file each: nothing comes back from these workers."""
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    wanted = Wanted(file, None, args="x: f32[n=20|40]", launcher="double")
    (subject,) = subjects_of(wanted).subjects
    mark = f"open(f'{hangs}/{{os.getpid()}}', 'w').close()"
    texts = [
        KERNEL.replace(
            "    # before the launch", f"    open(f'{tmp_path}/{name}-{{n}}', 'w').close(){rest}"
        )
        for name, rest in (
            ("good", ""),
            ("bad", "; 1 / (n - 20)"),
            ("ends", "; exit(3)"),
            (
                "hangs",
                f"\n    if n == 20:\n        import os\n        {mark}\n    while n == 20: pass",
            ),
        )
    ]
    texts.insert(2, "import nowhere")
    versions = [
        Version(f"variant{at}", str(file), text, str(file), "double")
        for at, text in enumerate(texts)
    ]
    small, large = subject.calls
    # There is no GPU, which a forked process could not use, and importing torch takes longer.
    monkeypatch.setattr(
        "tritonopt.tuning.compiling.ahead.Worker",
        lambda seconds, forked, server: Worker(seconds, forked=True, server=server),
    )
    ahead = Ahead("tests.tuning.cpu_server", count=2)
    try:
        ahead.begin(Version("original", str(file), KERNEL, str(file), "double"))
        assert ahead.compile(versions, small, 3.0, 240.0) == ([versions[-1]], [])
        # The processes of two of them are started again.
        assert ahead.compile(versions[:2], large, 30.0, 240.0) == ([], [])
        assert ahead.compile(versions, large, 30.0, 0.0) == ([], versions)
    finally:
        ahead.close()
    found = {path.name for path in tmp_path.iterdir()} - {file.name}
    assert found == {"good-20", "good-40", "bad-20", "bad-40", "ends-20", "hangs-20"}


class Foretold:
    """In place of the processes that compile: one version hangs, for one no time is left."""

    count = 0

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def compile(
        self, versions: list[Version], call: Call, each: float, total: float
    ) -> tuple[list[Version], list[Version]]:
        self.asked += [(version.name, call.sizes["n"]) for version in versions]
        small = call.sizes["n"] == 20
        return versions[1:2] if small else [], [] if small else versions[-1:]

    def close(self) -> None:
        pass


def test_what_was_compiled_in_time_is_timed_and_what_hangs_is_not_tried(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL)
    asked = requests_of(
        Wanted(file, None, args="x: f32[n=20|40]", launcher="double"), Request("", "", "", ())
    )
    (request,) = asked.requests
    foretold: Any = Foretold()
    trials = Trials(
        replace(request, server="tests.tuning.cpu_server"), None, lambda: 9.0, ahead=foretold
    )
    trials.session.worker.forked = True
    texts = [KERNEL + f"# {name}\n" for name in ("first", "hangs", "late")]
    try:
        found = trials.timed(texts, request.calls, EFFORT, "rung 0")
        trials.timed(texts, request.calls, EFFORT, "rung 1")
    finally:
        trials.close()
    seen = [[bool(what.ratio) for what in found[text].values()] for text in texts]
    assert seen == [[True, True], [False, True], [True]]
    hung = found[texts[1]]["x f32[20]"]
    assert hung.failure == f"no answer within {trials.session.timeout:.0f} s"
    first, second, third = (f"variant{at}" for at in range(3))
    # Call by call, and with more effort only what there was no time for.
    every = [(first, 20), (second, 20), (third, 20), (first, 40), (second, 40), (third, 40)]
    assert foretold.asked == [*every, (third, 40)]


def test_what_a_launcher_draws_itself_is_the_same_in_every_version(tmp_path: Path) -> None:
    path = tmp_path / "dropout.py"
    draws = "    import random\n    x = torch.rand_like(x) * random.random()\n"
    text = KERNEL.replace("    # before", f"{draws}    # before")
    path.write_text(text)
    (subject,) = subjects_of(Wanted(path, None, args="x: f32[n=40]")).subjects
    versions = [Version(n, str(path), text, str(path), "double") for n in (BEFORE, AFTER)]
    session = Session(versions, 60.0, server="tests.tuning.cpu_server")
    session.worker.forked = True
    try:
        assert not session.row("double", subject.calls[0], EFFORT, copy=False).doubts
    finally:
        session.close()


def test_a_number_that_is_another_one_each_time_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "random_numbers.py"
    first = (
        "    seed, place, stride = torch.randint(10**9, (1,)).item(), x.data_ptr(), x.stride(0)\n"
    )
    text = KERNEL.replace("    # before", f"{first}    # before")
    path.write_text(text)
    (subject,) = subjects_of(Wanted(path, None, args="x: f32[n=40]")).subjects
    version = Version(BEFORE, str(path), text, str(path), "double")
    session = Session([version], 60.0, server="tests.tuning.cpu_server")
    session.worker.forked = True
    try:
        lines = (text.splitlines().index("    # before the launch") + 3,) * 2
        assert session.numbers_at(BEFORE, lines, subject.calls[0]) == {"n": 40, "stride": 1}
    finally:
        session.close()


def test_nobody_is_waited_for_beyond_the_budget() -> None:
    """The start of the worker is part of it."""
    version = Version("original", "k.py", "", "k.py", "f")
    session = Session([version], 60.0, server="tests.tuning.cpu_server", left=lambda: 0.0)
    try:
        with pytest.raises(Died) as death:
            session.has_gpu()
        assert death.value.failure.message == OVER and session.worker.process is None
    finally:
        session.close()
