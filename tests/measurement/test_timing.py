"""The timer on a device that is made up: what it queues, and when it stops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from tritonopt.measurement.timing import Effort, order, side_by_side


class MadeUp:
    """A device whose clock moves by what is queued: a queue that the host fills at once."""

    def __init__(self, *, clearing: float = 100.0, slow_host: bool = False) -> None:
        self.now = 0.0
        self.clearing = clearing
        self.slow_host = slow_host
        self.queued: list[str] = []
        self.watched = 0
        self.waits = 0

    def clear(self, times: int) -> None:
        self.queued.append("clear")
        self.now += self.clearing * times

    def mark(self) -> float:
        self.queued.append("mark")
        return self.now

    def reached(self, mark: float) -> bool:
        return self.slow_host

    def between(self, begin: float, end: float) -> float:
        return end - begin

    def watch(self) -> None:
        self.watched += 1

    def wait(self) -> None:
        self.waits += 1
        self.queued.append("wait")

    def version(self, name: str, time: Callable[[], float]) -> Callable[[], None]:
        def run() -> None:
            self.queued.append(name)
            self.now += time()

        return run


def noisy(
    generator: np.random.Generator, center: float, noise: float = 0.01
) -> Callable[[], float]:
    return lambda: center * (1 + noise * generator.standard_normal())


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_version_has_every_place_and_every_neighbor_equally_often(count: int) -> None:
    names = [f"v{n}" for n in range(count)]
    rounds = [order(names, number) for number in range(2 * count)]
    assert all(sorted(found) == names for found in rounds)
    places = Counter((place, name) for found in rounds for place, name in enumerate(found))
    assert set(places.values()) == {2}
    follows = Counter(pair for found in rounds for pair in pairwise(found))
    assert all(follows[a, b] == follows[b, a] for a in names for b in names if a != b)


def test_nothing_waits_between_clearing_and_launch() -> None:
    device = MadeUp()
    side_by_side(
        {"a": device.version("a", lambda: 1.0), "b": device.version("b", lambda: 1.0)}, device
    )
    runs = [at for at, what in enumerate(device.queued) if what in "ab"]
    timed = [at for at in runs if device.queued[at - 1] == "mark"]
    assert timed
    assert all(device.queued[at - 2 : at + 2 : 1][0] == "clear" for at in timed)
    assert all(device.queued[at + 1] == "mark" for at in timed)


def test_it_stops_when_the_ratio_is_known_well_enough() -> None:
    generator = np.random.default_rng(0)
    device = MadeUp()
    versions = {
        "a": device.version("a", noisy(generator, 21.0, 0.03)),
        "b": device.version("b", noisy(generator, 20.0, 0.03)),
    }
    loose = side_by_side(versions, device, Effort(0.02, seconds=60), pairs=[("a", "b")])
    tight = side_by_side(versions, device, Effort(0.004, seconds=60), pairs=[("a", "b")])
    assert loose.ratio("a", "b").width <= 0.02
    assert tight.ratio("a", "b").width <= 0.004
    assert loose.rounds < tight.rounds <= 1000
    ratio = tight.ratio("a", "b")
    assert ratio.low <= 1.05 <= ratio.high


def test_it_stops_where_it_may_not_go_on() -> None:
    generator = np.random.default_rng(0)
    device = MadeUp()
    versions = {
        "a": device.version("a", noisy(generator, 20.0, 0.2)),
        "b": device.version("b", noisy(generator, 20.0, 0.2)),
    }
    found = side_by_side(versions, device, Effort(1e-6, most=70, seconds=60), pairs=[("a", "b")])
    assert found.rounds == 70
    found = side_by_side(versions, device, Effort(1e-6, seconds=0.0), pairs=[("a", "b")])
    assert found.rounds == 20


def test_one_version_alone_is_timed_the_least_number_of_rounds() -> None:
    device = MadeUp()
    found = side_by_side({"a": device.version("a", lambda: 7.0)}, device)
    assert found.rounds == 20
    assert found.times("a").median == pytest.approx(7.0)


def test_runs_in_which_the_gpu_waited_are_counted_and_the_clearing_grows() -> None:
    device = MadeUp(slow_host=True)
    found = side_by_side({"a": device.version("a", lambda: 7.0)}, device)
    assert found.times("a").exposed == 1.0
    assert found.clearing > 1


def bursts(generator: np.random.Generator, device: MadeUp, center: float) -> Callable[[], float]:
    """Times on a GPU that somebody else uses for a while, again and again: then twice as long."""
    noise = noisy(generator, center)
    return lambda: noise() * (2 if int(device.now / 30_000) % 3 == 0 else 1)


def test_what_somebody_else_does_on_the_gpu_is_no_gain_and_hides_none() -> None:
    """Both versions of a pair run in the same moment."""
    gains = claims = found = 0
    for seed in range(60):
        generator, device = np.random.default_rng(seed), MadeUp()
        times = {"a": 20.0, "copy": 20.0, "faster": 20.0 / 1.03}
        versions = {
            name: device.version(name, bursts(generator, device, time))
            for name, time in times.items()
        }
        pairs = [("a", "copy"), ("a", "faster")]
        samples = side_by_side(versions, device, Effort(seconds=60, most=200), pairs=pairs)
        null, planted = (samples.ratio(*pair) for pair in pairs)
        gains, claims = gains + null.is_gain, claims + (null.is_gain and null.value >= 1.01)
        found += planted.is_gain and planted.value >= 1.01
    assert claims == 0 and gains <= 5
    assert found >= 55


def test_the_clocks_are_looked_at_while_something_runs() -> None:
    device = MadeUp()
    side_by_side({"a": device.version("a", lambda: 7.0)}, device)
    assert device.watched >= 2
