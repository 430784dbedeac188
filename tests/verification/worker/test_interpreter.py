"""Where numpy answers otherwise than a GPU, and the interpreter is corrected."""

from __future__ import annotations

import numpy as np
import pytest

from tritonopt.verification.worker.triton_interpreter.corrected import (
    Access,
    _side_by_side,
    broken_promise,
    larger,
    smaller,
)

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
    # Vectorized lanes of numpy and the last few have been seen to take different zeros.
    a, b = (np.full(lanes, value, dtype=np.float32) for value in (left, right))
    for found, expected in ((smaller(a, b), low), (larger(a, b), high)):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, np.full(lanes, expected, dtype=np.float32))
        if expected == expected:
            assert (np.signbit(found) == np.signbit(expected)).all()


KEPT = {
    "groups that count up": (np.arange(16), {"tt.contiguity": [16]}),
    "groups of eight": (np.r_[0:8, 100:108], {"tt.contiguity": [8]}),
    "groups that start at multiples": (
        np.r_[16:24, 80:88],
        {"tt.contiguity": [8], "tt.divisibility": [16]},
    ),
    "a number": (np.array([48]), {"tt.divisibility": [16]}),
    "a block without contiguity": (np.arange(16), {"tt.divisibility": [16]}),
    "one value for four lanes": (np.repeat([3, 5], 4), {"tt.constancy": [4]}),
    "along the last axis": (np.arange(32).reshape(4, 8), {"tt.contiguity": [1, 8]}),
}
BROKEN = {
    "max_contiguous 8": (np.r_[0:8, 100:107, 0], {"tt.contiguity": [8]}),
    "multiple_of 16 along axis 0: a group of 8 lanes starts at 24": (
        np.r_[16:24, 24:32],
        {"tt.contiguity": [8], "tt.divisibility": [16]},
    ),
    "multiple_of 16: the value is 40": (np.array([40]), {"tt.divisibility": [16]}),
    "max_constancy 4": (np.repeat([3, 5], 2), {"tt.constancy": [4]}),
    "max_contiguous 4 along axis 0": (np.arange(32).reshape(4, 8), {"tt.contiguity": [4, 1]}),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_promise_that_is_kept(name: str) -> None:
    assert broken_promise(*KEPT[name]) == ""


@pytest.mark.parametrize("message", BROKEN)
def test_a_promise_that_is_broken(message: str) -> None:
    assert broken_promise(*BROKEN[message]).startswith(message)


STORES = {
    "each its own": ([(0, [0, 4], [1, 2]), (1, [8, 12], [3, 4])], False),
    "one program twice": ([(0, [0, 4], [1, 2]), (0, [4, 8], [3, 4]), (1, [12], [5])], False),
    "the same value": ([(0, [0, 4], [1, 2]), (1, [4, 8], [2, 3])], False),
    "another value": ([(0, [0, 4], [1, 2]), (1, [4, 8], [3, 3])], True),
    "the same value in the end": ([(0, [0], [1]), (0, [0], [2]), (1, [0], [2])], False),
    "only one program": ([(0, [0], [1]), (0, [0], [2])], False),
    "no lane": ([(0, [], []), (1, [], [])], False),
}


@pytest.mark.parametrize("name", STORES)
def test_programs_that_store_other_values_to_one_address(name: str) -> None:
    stores, clash = STORES[name]
    access = Access()
    access.stores = [(p, np.array(a, np.uint64), np.array(b, np.uint32)) for p, a, b in stores]
    access.launch_ends()
    assert bool(access.races) == clash and not access.stores


class _Handle:
    def __init__(self, data: np.ndarray, dtype: object) -> None:
        self.data, self.dtype = data, dtype


def test_atomics_are_given_lanes_that_follow_each_other() -> None:
    # The interpreter's atomics read what is there in memory, whatever the strides say.
    pairs = np.arange(8.0).reshape(4, 2)
    handle = _side_by_side(_Handle(pairs[:, 1], "fp32"))
    assert handle.data.flags.c_contiguous
    np.testing.assert_array_equal(handle.data, [1.0, 3.0, 5.0, 7.0])
    whole = _Handle(np.array(3.0), "fp32")
    assert _side_by_side(whole) is whole and _side_by_side("relaxed") == "relaxed"
