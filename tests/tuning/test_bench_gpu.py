"""`bench` on a real GPU: what is timed, and what fails without taking the rest with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.measurement.results import Comparison
from tritonopt.measurement.timing import Effort
from tritonopt.tuning import bench

pytestmark = pytest.mark.gpu

QUICK = Effort(precision=0.02, seconds=0.5)
ARGS = "x: f32[m=512|1024, n=1000|4096]"

SCALE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * n + cols, mask=cols < n)
        tl.store(y + row * n + cols, 2 * value, mask=cols < n)


def scale(x: torch.Tensor) -> torch.Tensor:
    m, n = x.shape
    y = torch.empty_like(x)
    # before the launch
    scale_kernel[(m,)](x, y, n, BLOCK=512)
    return y


if __name__ == "__main__":
    for m, n in [(64, 1000), (128, 1000), (64, 1000)]:
        scale(torch.randn(m, n, device="cuda"))
"""


@pytest.fixture
def timed(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Time the kernel above against a copy of it with some text replaced."""

    def run(*changes: tuple[str, str], **options: object) -> Comparison:
        text = SCALE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "before.py").write_text(SCALE)
        (tmp_path / "after.py").write_text(text)
        given: dict[str, object] = {"args": ARGS, "effort": QUICK, **options}
        return bench(tmp_path / "before.py", tmp_path / "after.py", **given)  # type: ignore[arg-type]

    return run


def test_every_call_is_timed_in_both_versions(timed) -> None:  # type: ignore[no-untyped-def]
    found = timed(("BLOCK=512", "BLOCK=16"))
    assert [dict(row.sizes) for row in found.rows] == [
        {"m": m, "n": n} for m in (512, 1024) for n in (1000, 4096)
    ]
    for row in found.rows:
        assert not row.failures and not row.notes
        assert set(row.times) == {"before", "after"}
        assert row.ratio is not None and row.ratio.is_loss
        assert row.moved == 2 * 4 * row.sizes["m"] * row.sizes["n"]
        assert row.copy is not None and 0 < row.copy_share("before") < 1.5  # type: ignore[operator]
        assert {c.version for c in row.compiled} == {"before", "after"}
    assert found.machine is not None


def test_the_same_text_has_the_same_machine_code(timed) -> None:  # type: ignore[no-untyped-def]
    found = timed(("# before the launch", "# a comment\n    # of two lines"))
    for row in found.rows:
        assert len({c.digest for c in row.compiled}) == 1
        assert row.ratio is not None and 0.9 < row.ratio.value < 1.1


@pytest.mark.parametrize(
    "change, said",
    [
        (
            ("    # before", "    if n == 1000:\n        raise ValueError('not 1000')\n    #"),
            "not 1000",
        ),
        (
            ("    # before", "    if n == 1000:\n        torch.empty(2**46, device='cuda')\n    #"),
            "out of memory",
        ),
        (("    # before", "    while n == 1000:\n        pass\n    #"), "no answer within"),
        (
            ("    # before", "    if n == 1000:\n        __import__('os')._exit(3)\n    #"),
            "exit status 3",
        ),
    ],
)
def test_what_fails_for_some_shapes_costs_these(timed, change, said) -> None:  # type: ignore[no-untyped-def]
    found = timed(change, timeout=10.0)
    for row in found.rows:
        if row.sizes["n"] == 1000:
            assert said in row.failures["after"]
            assert set(row.times) == {"before"} and row.ratio is None
        else:
            assert not row.failures and row.ratio is not None


def test_an_illegal_access_costs_one_row(timed) -> None:  # type: ignore[no-untyped-def]
    wrong = (
        "tl.store(y + row * n + cols, 2 * value",
        "tl.store(y + (n == 1000) * 2**40 + row * n + cols, 2 * value",
    )
    found = timed(wrong)
    for row in found.rows:
        assert ("after" in row.failures) == (row.sizes["n"] == 1000)
        assert "before" in row.times


def test_other_results_are_noted(timed) -> None:  # type: ignore[no-untyped-def]
    found = timed(("2 * value", "3 * value"))
    assert all("differ" in note for row in found.rows for note in row.notes)
    assert all(row.notes for row in found.rows)


def test_a_file_that_cannot_be_imported_is_said_in_every_row(timed) -> None:  # type: ignore[no-untyped-def]
    found = timed(("import torch\n", "import torch\nimport nothing_of_this_name\n"))
    assert all("nothing_of_this_name" in row.failures["after"] for row in found.rows)
    assert all(set(row.times) == {"before"} for row in found.rows)


def test_without_args_the_file_shows_its_launches(timed) -> None:  # type: ignore[no-untyped-def]
    found = timed(("2 * value", "value + value"), args=None)
    assert len(found.rows) == 2  # one was made twice
    assert all(row.ratio is not None and not row.notes for row in found.rows)
    assert any("before.py" in note for note in found.notes)


def test_the_launches_of_a_command_are_timed(timed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    import sys

    (tmp_path / "use.py").write_text(
        "import torch, before\nbefore.scale(torch.randn(64, 128, device='cuda'))\n"
    )
    command = (sys.executable, str(tmp_path / "use.py"))
    found = timed(("2 * value", "value + value"), args=None, command=command)
    (row,) = found.rows
    assert "64, 128" in row.label
    assert row.ratio is not None


def test_one_file_alone_has_times_and_no_ratio(timed, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "alone.py").write_text(SCALE)
    found = bench(tmp_path / "alone.py", args=ARGS, effort=QUICK)
    assert all(set(row.times) == {"before"} and row.ratio is None for row in found.rows)
