"""Statistics on times that were generated, with fixed seeds: no GPU is asked."""

from __future__ import annotations

import numpy as np
import pytest

from tritonopt.measurement.statistics import modes, paired_ratio, summary

ROUNDS = 40
TRIALS = 400


def drifting(
    generator: np.random.Generator, center: float = 20.0, rounds: int = ROUNDS, noise: float = 0.01
) -> np.ndarray:
    """Times of a version: noise, now and then an outlier, in steps of a clock of 32 ns."""
    times = center * (1 + noise * generator.standard_normal(rounds))
    times[generator.random(rounds) < 0.03] *= 1.5
    return np.round(times / 0.032) * 0.032


def drift(generator: np.random.Generator, rounds: int = ROUNDS) -> np.ndarray:
    """What both versions have in common: clocks that wander by some per cent."""
    return 1 + 0.05 * np.sin(np.linspace(0, 6, rounds) + generator.uniform(0, 6))


def test_a_version_against_itself_seldom_shows_a_gain() -> None:
    generator = np.random.default_rng(1)
    gains = losses = 0
    for _ in range(TRIALS):
        common = drift(generator)
        ratio = paired_ratio(drifting(generator) * common, drifting(generator) * common)
        gains += ratio.is_gain
        losses += ratio.is_loss
    # 2.5 % on each side of a 95 % interval; 400 trials tell that to about 0.8 % (one deviation).
    assert gains <= 0.045 * TRIALS
    assert losses <= 0.045 * TRIALS


@pytest.mark.parametrize("rounds", [8, 20, 100])
def test_the_interval_holds_the_true_ratio_as_often_as_it_says(rounds: int) -> None:
    generator = np.random.default_rng(rounds)
    held = 0
    for _ in range(TRIALS):
        common = drift(generator, rounds)
        one = drifting(generator, 22.0, rounds) * common
        other = drifting(generator, 20.0, rounds) * common
        ratio = paired_ratio(one, other)
        held += ratio.low <= 1.1 <= ratio.high
    assert held >= 0.925 * TRIALS


def test_a_planted_gain_of_three_per_cent_is_found() -> None:
    generator = np.random.default_rng(2)
    found = 0
    for _ in range(TRIALS):
        common = drift(generator)
        ratio = paired_ratio(drifting(generator, 20.6) * common, drifting(generator) * common)
        found += ratio.is_gain
    assert found >= 0.99 * TRIALS


def test_a_planted_loss_is_one() -> None:
    generator = np.random.default_rng(3)
    ratio = paired_ratio(drifting(generator, 19.0), drifting(generator, 20.0))
    assert ratio.is_loss and not ratio.is_gain
    assert ratio.value == pytest.approx(0.95, abs=0.01)


def test_an_outlier_does_not_move_the_ratio() -> None:
    one, other = [10.0] * 39 + [1000.0], [5.0] * 40
    assert paired_ratio(one, other).value == pytest.approx(2.0)


def test_the_same_times_give_the_same_interval() -> None:
    generator = np.random.default_rng(4)
    one, other = drifting(generator), drifting(generator)
    assert paired_ratio(one, other) == paired_ratio(one, other)


def test_one_pair_says_nothing_of_its_interval() -> None:
    ratio = paired_ratio([2.0], [1.0])
    assert ratio.value == pytest.approx(2.0)
    assert not ratio.is_gain and not ratio.is_loss


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        paired_ratio([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="no run"):
        paired_ratio([], [])
    with pytest.raises(ValueError, match="no run"):
        summary([])


def test_two_modes_are_told_with_their_shares() -> None:
    generator = np.random.default_rng(5)
    fast = 20 * (1 + 0.005 * generator.standard_normal(70))
    slow = 23 * (1 + 0.005 * generator.standard_normal(30))
    found = modes([*fast, *slow])
    assert [mode.share for mode in found] == [0.7, 0.3]
    assert [mode.center for mode in found] == pytest.approx([20, 23], rel=0.01)


@pytest.mark.parametrize(
    "kind", ["normal", "outliers", "uniform", "exponential", "steps", "constant", "drift"]
)
def test_one_mode_is_not_taken_for_two(kind: str) -> None:
    generator = np.random.default_rng(6)
    for _ in range(100):
        noise = generator.standard_normal(60)
        times = {
            "normal": 20 + 0.2 * noise,
            "outliers": drifting(generator, rounds=60),
            "uniform": generator.uniform(18, 22, 60),
            "exponential": 20 + generator.exponential(1.0, 60),
            # A clock that can only say 5.0, 5.5 or 6.0.
            "steps": np.round((5.3 + 0.2 * noise) * 2) / 2,
            "constant": np.full(60, 20.0),
            "drift": 20 * drift(generator, 60),
        }[kind]
        assert not modes(list(times))


def test_few_runs_have_no_modes() -> None:
    assert not modes([1.0] * 5 + [2.0] * 5)


def test_a_summary_has_median_spread_and_what_the_host_took() -> None:
    times = summary([float(n) for n in range(1, 102)], [3.0, 5.0, 4.0], exposed=2)
    assert (times.median, times.low, times.high, times.runs) == (51.0, 11.0, 91.0, 101)
    assert times.host == 4.0
    assert times.exposed == pytest.approx(2 / 101)
