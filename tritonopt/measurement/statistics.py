"""What lists of times say: a typical one, a ratio with its interval, two modes.

A version is compared with another one by pairs: of each round the two times that were taken next
to each other, so that whatever drifts (clocks, temperature) is in both and cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from tritonopt.measurement.results import Mode, Ratio, Times

CONFIDENCE = 0.95
_RESAMPLES = 2000
_SEED = 0
"""The bootstrap draws the same resamples again: the same times have the same interval."""
_LEAST_SHARE = 0.15
"""Of the runs, for a mode to be one."""
_SEPARATION = 4.0
"""How many spreads lie between two modes."""
_MOST_BETWEEN = 0.03
"""Of the runs, in the middle third between two modes."""
_LEAST_DISTANCE = 0.02
"""Of the smaller mode: what is nearer is nobody's concern."""
_ENOUGH_FOR_MODES = 20


def summary(runs: Sequence[float], host: Sequence[float] = (), exposed: int = 0) -> Times:
    """The times of one version, in microseconds; `exposed` runs may hold launch overhead."""
    if len(runs) == 0:
        raise ValueError("no run was timed")
    low, median, high = (float(np.quantile(runs, at)) for at in (0.1, 0.5, 0.9))
    return Times(
        median,
        low,
        high,
        len(runs),
        host=float(np.median(host)) if host else None,
        exposed=exposed / len(runs),
        modes=modes(runs),
    )


def paired_ratio(original: Sequence[float], other: Sequence[float]) -> Ratio:
    """original / other, from the pairs of each round; above 1 the other one is faster.

    The estimate is the mean of the middle half of the logarithms, which neither an outlier nor
    the steps of a clock move much; the interval is a bootstrap over the rounds.
    Raises ValueError where the two have not as many runs, or none.
    """
    if len(original) != len(other):
        raise ValueError(f"{len(original)} runs of one and {len(other)} of the other are no pairs")
    if len(original) == 0:
        raise ValueError("no run was timed")
    logs = np.log(np.asarray(original, dtype=float)) - np.log(np.asarray(other, dtype=float))
    estimate = float(_middle(logs[np.newaxis, :])[0])
    count = len(logs)
    if count == 1:
        return Ratio(math.exp(estimate), 0.0, math.inf, 1)
    generator = np.random.default_rng(_SEED)
    drawn = logs[generator.integers(0, count, size=(_RESAMPLES, count))]
    # A resample of few values spreads less than they do: the quantiles lie further out then.
    tail = _tail(count)
    low, high = np.quantile(_middle(drawn), [tail, 1 - tail])
    stretch = math.sqrt(count / (count - 1))
    low, high = (estimate + stretch * (end - estimate) for end in (float(low), float(high)))
    return Ratio(math.exp(estimate), math.exp(low), math.exp(high), count)


def _middle(rows: Any) -> Any:
    """Of each row the mean of its middle half."""
    count = rows.shape[1]
    cut = count // 4
    return np.sort(rows, axis=1)[:, cut : count - cut].mean(axis=1)


def _tail(count: int) -> float:
    """The share that is cut off at each end of the resamples.

    The 2.5 % of a normal distribution are fewer of Student's, with as many degrees of freedom;
    its quantile is expanded by Cornish and Fisher, good to a per mille from 8 runs on.
    """
    normal = NormalDist()
    z = normal.inv_cdf((1 + CONFIDENCE) / 2)
    freedom = max(count - 1, 1)
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return normal.cdf(-t)


def modes(runs: Sequence[float]) -> tuple[Mode, ...]:
    """The two modes of the times, the faster first; nothing where there is one.

    The times are cut in two where the halves hold together best. They are modes where each has
    its share of the runs, and they lie far apart for how wide they are.
    """
    if len(runs) < _ENOUGH_FOR_MODES:
        return ()
    values = np.sort(np.asarray(runs, dtype=float))
    cut = _best_cut(values)
    below, above = values[:cut], values[cut:]
    least = _LEAST_SHARE * len(values)
    if min(len(below), len(above)) < least:
        return ()
    centers = float(np.median(below)), float(np.median(above))
    distance = centers[1] - centers[0]
    spread = _spread(below) + _spread(above)
    if distance < max(_LEAST_DISTANCE * centers[0], _SEPARATION * spread, 2.5 * _step(values)):
        return ()
    third = distance / 3
    between = (values > centers[0] + third) & (values < centers[1] - third)
    if between.mean() > _MOST_BETWEEN:
        return ()  # one broad mode, or one with a long tail
    counts = len(below), len(above)
    return tuple(Mode(c, n / len(values)) for c, n in zip(centers, counts, strict=True))


def _best_cut(values: Any) -> int:
    """Where the sorted values fall into two parts with the least variance within (Otsu)."""
    count = np.arange(1, len(values))
    sums = np.cumsum(values)
    left = sums[:-1] / count
    right = (sums[-1] - sums[:-1]) / (len(values) - count)
    return int(np.argmax(count * (len(values) - count) * (left - right) ** 2)) + 1


def _spread(values: Any) -> float:
    """Half of the distance between the quartiles."""
    low, high = np.quantile(values, [0.25, 0.75])
    return float(high - low) / 2


def _step(values: Any) -> float:
    """The smallest difference that occurs: the step of the clock, where it has one."""
    steps = np.diff(np.unique(values))
    return float(steps.min()) if len(steps) else 0.0
