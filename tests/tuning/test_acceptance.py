"""How often the search and the choice claim a gain where there is none, with noise that is drawn.

What is drawn is what a measurement says, `Ratio`s; search, choice and rule are those of `tune`,
driven as `benchmarks/null_test.py` drives them on a GPU.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.null_test import copies, request_of, searched, tuning
from tritonopt.measurement.results import Machine, Ratio, Row, Times
from tritonopt.measurement.timing import Effort
from tritonopt.measurement.tuned import ORIGINAL, Answer
from tritonopt.tuning.acceptance import failing, is_accepted
from tritonopt.tuning.calls import Call
from tritonopt.tuning.session import Session

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "softmax.py"
ROUND = 0.02
"""Of the ratio of one round, which is the noise that an interval knows of."""
PLACE = 0.0015
"""From one measurement to the next, which it does not: where the memory lies."""
OUTLIERS = 0.02
"""Measurements that are off by a whole per cent, up or down."""


class Drawn(Session):
    """Measurements that are drawn: of the variant with that name so much faster, the others not."""

    def __init__(self, gain: Mapping[str, float], seed: int) -> None:
        super().__init__(())
        self.gain = gain
        self.random = random.Random(seed)

    def has_gpu(self) -> bool:
        return True

    def machine(self) -> Machine:
        return Machine("drawn", "", "", "")

    def imported(self) -> str:
        return ""  # no worker of its own for each of hundreds of tunings

    def row(
        self,
        launcher: str,
        call: Call,
        effort: Effort,
        *,
        copy: bool = True,
        numbers: bool = True,
    ) -> Row:
        others = [v for v in self.versions if v.name != ORIGINAL]
        ratios = {version.name: self._ratio(version.text, effort) for version in others}
        times = dict.fromkeys((v.name for v in self.versions), Times(1.0, 1.0, 1.0, 1))
        first = next(iter(ratios.values()), None)
        self.compared.add(call.label)
        return Row(launcher, call.label, call.sizes, times, first, ratios)

    def _ratio(self, text: str, effort: Effort) -> Ratio:
        wanted = (1.96 * ROUND / effort.precision) ** 2
        rounds = round(min(max(wanted, effort.least), effort.most))
        error = ROUND / math.sqrt(rounds)
        true = next((gain for name, gain in self.gain.items() if name in text), 1.0)
        seen = true + self.random.gauss(0, math.hypot(error, PLACE))
        if self.random.random() < OUTLIERS:
            seen += self.random.choice([-0.01, 0.01])
        return Ratio(seen, seen - 1.96 * error, seen + 1.96 * error, rounds)


def tunings(count: int, gain: float, args: str = "x: f32[m=4096, n=1024]") -> list[Answer]:
    request = request_of(EXAMPLE, "softmax", args)
    variants = copies(request.text, "softmax_kernel")
    faster = {variants[0].name: gain}
    return [tuning(request, Drawn(faster, seed), variants) for seed in range(count)]


def test_a_gain_is_hardly_ever_claimed_where_there_is_none() -> None:
    found = tunings(200, 1.0)
    assert sum(one.changed for one in found) <= 4
    # It is no thanks to the noise: a first measurement alone claims a gain far more often.
    assert sum(any(ratio.is_gain for ratio in searched(one)) for one in found) >= 10
    several = tunings(25, 1.0, "x: f32[m=4096, n=256..16384*4]")
    assert not any(one.changed for one in several)


def test_a_gain_is_found_where_there_is_one() -> None:
    found = {gain: [one.what for one in tunings(40, gain)] for gain in (1.01, 1.03, 1.05)}
    right = {gain: sum(name.endswith("copy0") for name in names) for gain, names in found.items()}
    assert right[1.03] >= 37 and right[1.05] >= 38
    assert all(name in ("", "softmax_kernel_copy0") for names in found.values() for name in names)
    assert 0 < right[1.01] < 25  # what is worth a change begins there


CLAIMED = {"a": Ratio(1.05, 1.04, 1.06, 9)}


@pytest.mark.parametrize(
    ("fresh", "against"),
    [
        ({"a": Ratio(1.04, 1.03, 1.05, 9)}, set()),
        ({"a": Ratio(1.009, 1.004, 1.014, 9)}, {"a"}),  # less than is worth a change
        ({"a": Ratio(1.03, 0.995, 1.06, 9)}, {"a"}),
        ({"a": None}, {"a"}),
        ({}, set()),
        ({"a": Ratio(1.04, 1.03, 1.05, 9), "b": Ratio(1.0, 0.995, 1.005, 9)}, set()),
        ({"a": Ratio(1.04, 1.03, 1.05, 9), "b": Ratio(1.0, 0.985, 1.01, 9)}, {"b"}),
        ({"a": Ratio(1.04, 1.03, 1.05, 9), "b": None}, {"b"}),
        ({"b": Ratio(1.2, 1.1, 1.3, 9)}, set()),  # what the search had not claimed
    ],
)
def test_what_is_accepted(fresh: dict[str, Ratio | None], against: set[str]) -> None:
    assert failing(fresh, CLAIMED).keys() == against
    assert is_accepted(fresh, CLAIMED) == (not against and "a" in fresh)
