"""A speed that nobody can pretend: fresh inputs in every run, results compared, all streams seen.

What is timed may be hostile, so nothing is queued ahead: after each run the whole device is waited
for, and what it does after the last mark of the run is time as well. See docs/verification.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any, Protocol

from tritonopt.measurement.timing import Device, order

ROUNDS = 30
_WARM_UP = 5
_CLEARING = 8
"""Times that the cache is cleared before a run, in which the host launches it."""
_LEAST_REST, _MOST_REST = 20.0, 0.1
"""Microseconds after the last mark, and as a share of the run: less is the wait itself."""
_TOO_FAST = 0.8
"""Of the time of a copy: kernels that only read may beat one by a tenth."""
_LEAST_COPY = 5.0
"""Microseconds: a shorter copy is mostly its launch."""


class Whole(Device, Protocol):
    """A device that tells what it does after a mark."""

    def rest(self, mark: Any) -> float:
        """Microseconds from there until nothing runs on any stream."""


def checked(
    versions: Mapping[str, Callable[[Any], object]],
    device: Whole,
    draw: Callable[[int], Any],
    differs: Callable[[Any, Any], str],
    changed: Callable[[], str] = lambda: "",
    rounds: int = ROUNDS,
) -> tuple[dict[str, list[float]], tuple[str, str]]:
    """The times of a reference and a candidate, in this order, and why they are not believed.

    `draw` gives the inputs of a run: the same for both, in memory of their own. `differs` says how
    two runs (the inputs after it, the result) differ, `changed` whether the clock was replaced.
    The reason has a name and a text; both are empty where there is none.
    """
    names = [*versions]
    runs: dict[str, list[float]] = {name: [] for name in names}
    rests: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds + _WARM_UP):
        found = {}
        for name in order(names, number):
            given = draw(number)
            device.wait()
            device.clear(_CLEARING)
            begin = device.mark()
            result = versions[name](given)
            end = device.mark()
            rest = device.rest(end)
            found[name] = given, result
            if number >= _WARM_UP:
                runs[name].append(device.between(begin, end))
                rests[name].append(rest)
        if text := changed():
            return runs, ("timer-changed", text)
        if text := differs(*(found[name] for name in names)):
            return runs, ("timed-wrong", f"run {number + 1} of those that were timed: {text}")
    first, other = names
    hidden = median(rests[other]) - median(rests[first])
    if hidden > max(_LEAST_REST, _MOST_REST * median(runs[other])):
        text = f"the GPU works {hidden:.0f} us longer than the stream that was called on"
        return runs, ("other-stream", text)
    return runs, ("", "")


def too_fast(runs: Mapping[str, list[float]], copy: float) -> tuple[str, str]:
    """Why the candidate's times cannot be, where a copy of what the result needs takes so long.

    Where the reference beats the copy as well, it needs less than it was taken to.
    """
    first, other = (median(times) for times in runs.values())
    least = _TOO_FAST * copy
    if copy < _LEAST_COPY or other >= least or first < least:
        return "", ""
    text = f"{other:.1f} us, where a copy of all that the result needs takes {copy:.1f} us"
    return "too-fast", text
