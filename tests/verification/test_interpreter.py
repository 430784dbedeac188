"""Where numpy answers otherwise than a GPU, and the interpreter is corrected."""

from __future__ import annotations

import numpy as np
import pytest

from tritonopt.verification.interpreter import larger, smaller

NAN = float("nan")


@pytest.mark.parametrize("lanes", [1, 16, 33])
@pytest.mark.parametrize(
    ("left", "right", "low", "high"),
    [
        (-0.0, 0.0, -0.0, 0.0),
        (0.0, -0.0, -0.0, 0.0),
        (-0.0, -0.0, -0.0, -0.0),
        (0.0, 0.0, 0.0, 0.0),
        (NAN, 1.0, 1.0, 1.0),
        (-2.0, NAN, -2.0, -2.0),
        (NAN, NAN, NAN, NAN),
        (1.0, -3.0, -3.0, 1.0),
        (float("inf"), 0.0, 0.0, float("inf")),
    ],
)
def test_nan_is_dropped_and_zeros_are_ordered(
    left: float, right: float, low: float, high: float, lanes: int
) -> None:
    # Vectorised lanes of numpy and the last few have been seen to take different zeros.
    a, b = (np.full(lanes, value, dtype=np.float32) for value in (left, right))
    for found, expected in ((smaller(a, b), low), (larger(a, b), high)):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, np.full(lanes, expected, dtype=np.float32))
        if expected == expected:
            assert (np.signbit(found) == np.signbit(expected)).all()
