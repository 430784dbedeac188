"""Sums in no fixed order: judged within the rounding that any order can show, and not more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tritonopt.verification import Verdict
from tritonopt.verification.comparison.compare import Pair, measure, rounding_only
from tritonopt.verification.process.messages import Outcome, Output


def _outcome(*values: float, dtype: type = np.float32) -> Outcome:
    bits = np.array(values, dtype=dtype).view(f"u{np.dtype(dtype).itemsize}")
    name = {np.float32: "f32", np.float16: "f16", np.int32: "i32"}[dtype]
    return Outcome((Output("returned", name, bits.shape, bits),), atomics=True)


def test_a_few_units_are_rounding_and_a_contribution_is_not() -> None:
    one = _outcome(1000.0, 3.0)
    assert rounding_only(one, _outcome(1000.0001, 3.0000002), None, None)
    assert not rounding_only(one, _outcome(1001.0, 3.0), None, None)


def test_values_that_cancel_have_the_rounding_of_what_was_added() -> None:
    # A sum of large values that comes to almost nothing: the inputs' last bits decide.
    one, other = _outcome(1e-4), _outcome(3e-4)
    assert not rounding_only(one, other, None, None)
    assert rounding_only(one, other, _outcome(2e-4), _outcome(2.5e-4))


def test_a_sum_errs_by_what_its_terms_allow_and_not_by_more() -> None:
    # The inputs' last bits may leave a result where it is, once it is rounded.
    one, other, exact, terms = (_outcome(v, 0.0) for v in (-105.12, -105.15, -105.13, 1e5))
    assert not rounding_only(one, other, exact, exact)
    assert rounding_only(one, other, exact, exact, terms)
    assert not rounding_only(one, _outcome(-106.0, 0.0), exact, exact, terms)
    excess = [
        measure(Pair(exact, exact), Pair(_outcome(v, 0.0), exact), exact, exact, terms)[1]
        for v in (-105.15, -106.0)
    ]
    assert [found.residual > 0 for (found,) in excess] == [False, True]


def test_whole_numbers_and_what_is_not_finite_have_no_excuse() -> None:
    assert not rounding_only(_outcome(7, dtype=np.int32), _outcome(8, dtype=np.int32), None, None)
    assert not rounding_only(_outcome(1.0), _outcome(float("inf")), None, None)
    assert rounding_only(_outcome(float("nan")), _outcome(float("nan")), None, None)


def test_the_original_may_add_in_any_order(against: Callable[..., Verdict]) -> None:
    verdict = against("total", max_examples=3)
    assert verdict.verdict == "identical", verdict
    assert any("in no fixed order" in note for note in verdict.notes)


def test_identical_bits_cannot_be_asked_of_it(against: Callable[..., Verdict]) -> None:
    verdict = against("total", require="identical", args="x: f32[n]", max_examples=20)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "order of its atomic additions" in verdict.reason
