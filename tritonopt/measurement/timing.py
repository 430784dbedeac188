"""Versions of one thing, timed in turn in one process, until their ratio is known well enough.

What is done for a fair comparison, each against an error that other timers make:

- all versions in one process and in each round once, so that a drift is in all of them;
- each comes first, in between and last equally often, and after each other one: the order is
  turned by one in every round, and reversed in every second lap;
- the L2 cache is cleared before every run, and clearing and launch are queued without waiting in
  between: while the GPU clears, the host launches, so its time is in none;
- where the GPU had to wait for the host all the same, that is seen for every single run;
- nothing is taken off (the time of an empty run, an outlier); medians, with the distribution.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tritonopt.measurement.results import Ratio, Times
from tritonopt.measurement.statistics import paired_ratio, summary

Function = Callable[[], object]

_WARM_UP = 3
_BATCH = 10
"""Rounds that are queued before the results are read."""
_MARGIN = 2.0
"""So much longer than a launch the GPU is kept busy before it."""
_MOST_EXPOSED = 0.05
"""Of the runs; where there are more, it is kept busy for longer."""
_QUEUE = 500
"""Pieces of work that are queued at most; a GPU takes about a thousand."""
_QUEUED_BESIDES = 6
"""For each run, beside the clearings: its marks, and its kernels."""
_MOST_CLEARING = 64
"""Times that the cache is cleared before one run, only to keep the GPU busy."""


class Device(Protocol):
    """What is timed on."""

    def clear(self, times: int) -> None:
        """Queue what replaces everything in the L2 cache, so often."""

    def mark(self) -> Any:
        """Queue a mark in time."""

    def reached(self, mark: Any) -> bool:
        """Whether the device has come to that mark already."""

    def between(self, begin: Any, end: Any) -> float:
        """Microseconds; both have been reached."""

    def watch(self) -> None:
        """The device is at work: look at its clocks."""

    def wait(self) -> None:
        """Until all that was queued is done."""


@dataclass(frozen=True)
class Effort:
    """How long to go on."""

    precision: float = 0.005
    """Half of the interval of the ratio, as a part of it, with which one is content."""
    least: int = 20
    most: int = 1000
    """Rounds."""
    seconds: float = 2.0
    """For the rounds, once the least number is done."""


@dataclass
class Samples:
    """The runs of every version, round by round."""

    runs: dict[str, list[float]]
    host: dict[str, list[float]]
    exposed: dict[str, int]
    clearing: int = 1
    """How often the cache is cleared before a run."""

    def times(self, name: str) -> Times:
        return summary(self.runs[name], self.host[name], self.exposed[name])

    def ratio(self, original: str, other: str) -> Ratio:
        return paired_ratio(self.runs[original], self.runs[other])

    @property
    def rounds(self) -> int:
        return len(next(iter(self.runs.values())))


def order(names: Sequence[str], number: int) -> list[str]:
    """In which order the versions run in a round, counted from 0."""
    turn, lap = number % len(names), number // len(names)
    turned = [*names[turn:], *names[:turn]]
    return turned[::-1] if lap % 2 else turned


def side_by_side(
    functions: Mapping[str, Function],
    device: Device,
    effort: Effort | None = None,
    *,
    pairs: Sequence[tuple[str, str]] = (),
) -> Samples:
    """Time functions that queue work on the device; the names are those of the samples.

    It goes on until the ratio of all `pairs` is as precise as the effort asks, or its time is
    over; without pairs for the least number of rounds. When to stop depends on the width of the
    interval alone, never on which version is faster. Each function has to run without an
    exception; what it raises is not caught.
    """
    effort = effort or Effort()
    names = list(functions)
    samples = _calibrated(functions, device)
    begin = time.monotonic()
    asked = min(effort.least, effort.most)
    while True:
        while samples.rounds < asked:
            _batch(functions, names, device, samples, asked - samples.rounds)
            if samples.rounds >= effort.least and time.monotonic() - begin > effort.seconds:
                return samples
        if asked == effort.most or all(
            samples.ratio(*pair).width <= effort.precision for pair in pairs
        ):
            return samples
        # Asked seldom: meanwhile the GPU has nothing to do.
        asked = min(asked + max(asked // 2, _BATCH), effort.most)


def _calibrated(functions: Mapping[str, Function], device: Device) -> Samples:
    """Everything run a few times, and the clearing so long that it hides each launch."""
    samples = Samples(
        {n: [] for n in functions}, {n: [] for n in functions}, dict.fromkeys(functions, 0)
    )
    for function in functions.values():
        for _ in range(_WARM_UP):
            function()
    device.wait()
    begin = device.mark()
    device.clear(4)
    end = device.mark()
    device.wait()
    once = max(device.between(begin, end) / 4, 1.0)
    launch = 0.0
    for function in [*functions.values()] * _WARM_UP:
        device.clear(1)
        before = time.perf_counter()
        function()
        launch = max(launch, (time.perf_counter() - before) * 1e6)
        device.wait()
    samples.clearing = min(max(round(_MARGIN * launch / once + 0.5), 1), _MOST_CLEARING)
    return samples


def _batch(
    functions: Mapping[str, Function],
    names: Sequence[str],
    device: Device,
    samples: Samples,
    most: int,
) -> None:
    """Some rounds, queued one after the other, and then read."""
    queued = []
    first = samples.rounds
    # A full queue would let the host wait within a launch.
    room = _QUEUE // (len(names) * (samples.clearing + _QUEUED_BESIDES))
    rounds = max(min(most, _BATCH, room), 1)
    for number in range(first, first + rounds):
        for name in order(names, number):
            device.clear(samples.clearing)
            begin = device.mark()
            before = time.perf_counter()
            functions[name]()
            host = time.perf_counter() - before
            end = device.mark()
            # The GPU came to the begin before all was queued: it may have waited then.
            queued.append((name, begin, end, host, device.reached(begin)))
        if number == first + rounds // 2:
            device.watch()
    device.wait()
    for name, begin, end, host, exposed in queued:
        samples.runs[name].append(device.between(begin, end))
        samples.host[name].append(host * 1e6)
        samples.exposed[name] += exposed
    _keep_busy(samples)


def _keep_busy(samples: Samples) -> None:
    """Where too many runs waited for the host, clear for longer from now on."""
    if max(samples.exposed.values()) > _MOST_EXPOSED * samples.rounds:
        samples.clearing = min(2 * samples.clearing, _MOST_CLEARING)
