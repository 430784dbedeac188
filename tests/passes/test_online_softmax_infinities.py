"""Rows that are not all numbers give what they gave: NaN, 0 and inf are where they were."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.passes.cases import case

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


LEFT_OUT = {
    "without_care_for_minus_infinity": ('tl.where(new_m == -float("inf"), 0.0, new_m)', "new_m"),
    "without_the_nan_of_an_empty_row": (
        'tl.where((m == -float("inf")) & (N > 0), float("nan"), s)',
        "s",
    ),
    "without_a_look_at_the_length": ("(N > 0)", "(N > -1)"),
}
"""By a name: what is replaced in a rewritten kernel, and by what."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the comparison says, by the name of the pair: of all cases, and of wrong versions.

    One process for all: importing torch takes longer than most of them.
    """
    folder, wrong = tmp_path_factory.mktemp("right"), tmp_path_factory.mktemp("wrong")
    pairs = [file for name in CASES for file in case(f"online-softmax/{name}").written(folder)]
    logsumexp = case("online-softmax/logsumexp")
    right = logsumexp.rewritten.text
    for name, (old, new) in LEFT_OUT.items():
        assert old in right
        before, after = wrong / f"{name}.py", wrong / f"{name}_rewritten.py"
        before.write_text(logsumexp.text)
        after.write_text(right.replace(old, new))
        pairs += [before, after]
    done = subprocess.run(
        [sys.executable, "-m", "tests.passes.special_rows", *map(str, pairs)],
        cwd=HERE.parents[1],
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    names = [*CASES, *LEFT_OUT]
    assert done.stdout.endswith(f"{len(names)} pairs compared\n"), done.stderr
    found = dict.fromkeys(names, "")
    for part in re.split(rf"^(?=(?:{'|'.join(names)}), rows of )", done.stdout, flags=re.M)[1:]:
        found[part.partition(",")[0]] += part
    return found


def test_special_rows_give_what_they_gave(told: dict[str, str]) -> None:
    assert not any(told[name] for name in CASES), "\n".join(told[name] for name in CASES)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_the_comparison_sees_what_is_left_out(name: str, told: dict[str, str]) -> None:
    assert f"{name}, rows of" in told[name]
