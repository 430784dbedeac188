"""Rows that are not all numbers give what they gave: NaN, 0 and inf are where they were."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CASES = [
    "exponentials_with_a_name",
    "lanes_of_their_own",
    "log_softmax",
    "logsumexp",
    "masked_sum",
    "masked_sum_over_zeros",
    "maximum_in_the_reduction",
    "rows_of_a_tile",
    "rows_of_maxima",
    "sentinel",
    "softmax",
    "softmax_by_the_inverse",
    "something_beside",
    "starts_at_zero",
    "sum_is_bounded",
    "tile_of_maxima",
    "tile_of_sums",
    "tiles_of_both",
]


def compare(pairs: list[Path]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.passes.special_rows", *map(str, pairs)]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        command, cwd=HERE.parents[1], env=environment, capture_output=True, text=True, check=False
    )


def test_special_rows_give_what_they_gave() -> None:
    folder = HERE / "online-softmax"
    pairs = [folder / f"{name}{suffix}.py" for name in CASES for suffix in ("", ".expected")]
    done = compare(pairs)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Without the care for -inf.
        ('tl.where(new_m == -float("inf"), 0.0, new_m)', "new_m"),
        # Without the NaN of a row of nothing but -inf.
        ('tl.where((m == -float("inf")) & (N > 0), float("nan"), s)', "s"),
        ("(N > 0)", "(N > -1)"),
    ],
)
def test_the_comparison_sees_what_is_left_out(old: str, new: str, tmp_path: Path) -> None:
    folder = HERE / "online-softmax"
    text = (folder / "logsumexp.expected.py").read_text()
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text.replace(old, new))
    assert wrong.read_text() != text
    done = compare([folder / "logsumexp.py", wrong])
    assert done.returncode == 1 and "logsumexp, rows of" in done.stdout, done.stderr
