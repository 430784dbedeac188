"""Speeds that are checked, on a device that is made up: what is planted has to be refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.measurement.test_timing import MadeUp
from tritonopt.measurement.checked import checked, too_fast

Run = Callable[["Streams", int], object]


class Streams(MadeUp):
    """With a second stream, which only a wait for the whole device sees."""

    other = 0.0

    def rest(self, mark: float) -> float:
        rest, self.other = max(self.other - mark, 0.0), 0.0
        return rest + 5.0

    def work(self, time: float, result: object) -> object:
        self.now += time
        return result


def honest(device: Streams, given: int) -> object:
    return device.work(80.0, given * 2)


def on_another_stream(device: Streams, given: int) -> object:
    device.other = device.now + 80.0
    return device.work(1.0, given * 2)


def kept(device: Streams, given: int, results: list[int] = []) -> object:  # noqa: B006
    results.append(given * 2)
    return device.work(1.0, results[0])


def outcome(candidate: Run, changed: str = "") -> tuple[dict[str, list[float]], tuple[str, str]]:
    device = Streams()
    return checked(
        {
            "reference": lambda given: device.work(100.0, given * 2),
            "candidate": lambda given: candidate(device, given),
        },
        device,
        lambda number: number,
        lambda one, other: "" if one == other else f"{one} and {other}",
        lambda: changed,
    )


def test_what_is_honest_is_timed() -> None:
    runs, (why, _) = outcome(honest)
    assert not why
    assert runs == {"reference": [100.0] * 30, "candidate": [80.0] * 30}
    assert too_fast(runs, copy=79.0) == ("", "")


@pytest.mark.parametrize(
    ("candidate", "name"), [(on_another_stream, "other-stream"), (kept, "timed-wrong")]
)
def test_what_is_planted_is_refused(candidate: Run, name: str) -> None:
    _, (why, text) = outcome(candidate)
    assert why == name and text


def test_a_clock_of_its_own_is_refused() -> None:
    assert outcome(honest, "another clock")[1] == ("timer-changed", "another clock")


def test_what_no_memory_can_do_is_refused() -> None:
    runs = {"reference": [100.0], "candidate": [10.0]}
    assert too_fast(runs, copy=50.0)[0] == "too-fast"
    # Then the reference does not need all that it was taken to need.
    assert too_fast({"reference": [30.0], "candidate": [10.0]}, copy=50.0) == ("", "")
    assert too_fast({"reference": [100.0], "candidate": [1.0]}, copy=4.0) == ("", "")
