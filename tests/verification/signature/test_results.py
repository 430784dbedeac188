"""What counts: results, and not how they were come by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.verification.conftest import SUBJECTS
from tritonopt.verification import Verdict
from tritonopt.verification.comparison.compare import Pair, bits_differ, furthest, measure
from tritonopt.verification.process.messages import Outcome, Output


def output(label: str, *values: float) -> Output:
    bits = np.array(values, dtype=np.float32).view(np.uint32)
    return Output(label, "f32", bits.shape, bits)


def pair(*outputs: Output, launches: tuple[str, ...] = ("kernel",)) -> Pair:
    outcome = Outcome(outputs, launches=launches)
    return Pair(outcome, outcome)


def test_what_the_caller_cannot_see_counts_between_the_same_launches() -> None:
    one = output("argument mean of kernel", 1.0), output("returned", 5.0)
    other = output("argument mean of kernel", 2.0), output("returned", 5.0)
    assert bits_differ(pair(*one), pair(*other)) is not None
    assert bits_differ(pair(*one), pair(*other, launches=("kernel", "kernel"))) is None
    third = output("argument mean of kernel", 1.0), output("returned", 6.0)
    assert bits_differ(pair(*one), pair(*third, launches=("kernel", "kernel"))) is not None


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_one_infinity_is_not_the_other(infinity: float) -> None:
    original, oracle = pair(output("returned", infinity, 1.0)), output("returned", infinity, 1.0)
    same = pair(output("returned", infinity, 1.0))
    opposite = pair(output("returned", -infinity, 1.0))
    nothing = pair(output("returned", np.nan, 1.0))
    found = [measure(original, p, Outcome((oracle,)), None)[0] for p in (same, opposite, nothing)]
    assert found[0] is None and found[2] is None
    assert found[1] is not None and "-inf" in found[1].message
    # Where the original overflowed the other way itself, neither is right.
    wrong = Outcome((output("returned", -infinity, 1.0),))
    assert measure(original, opposite, wrong, None)[0] is None


def test_of_two_nudged_runs_the_further_one_counts() -> None:
    exact = Outcome((output("returned", 1.0, 2.0, 3.0, np.inf),))
    one = Outcome((output("returned", 1.5, 2.0, np.nan, 1.0),))
    other = Outcome((output("returned", 1.25, 1.0, 3.5, 2.0),))
    (found,) = furthest(exact, one, other).outputs
    assert found.reals().tolist()[:3] == [1.5, 1.0, 3.5]


def test_a_row_that_hardly_moved_is_judged_as_the_others_are() -> None:
    def rows(*values: float) -> Output:
        flat = output("returned", *values)
        return Output("returned", "f32", (4, 1), flat.bits)

    exact = rows(1.0, 1.0, 1.0, 1.0)
    perturbed = Outcome((rows(1.0, 1.01, 1.01, 1.01),))
    original = pair(exact)
    _, (found,) = measure(original, pair(rows(1.02, 1.0, 1.0, 1.0)), Outcome((exact,)), perturbed)
    assert found.error > 0.01 and found.residual == 0.0
    _, (found,) = measure(original, pair(rows(1.1, 1.0, 1.0, 1.0)), Outcome((exact,)), perturbed)
    assert found.residual > 0.05


def test_a_result_that_the_launcher_drops(of_texts: Callable[..., Verdict]) -> None:
    text = (SUBJECTS / "layer_norm.py").read_text()
    text = text.replace("    return y, mean, rstd", "    return y")
    wrong = text.replace("tl.store(Rstd + row, rstd)", "tl.store(Rstd + row, var)")
    form = "x: f32[m, n], weight: f32[n], bias: f32[n]"
    verdict = of_texts(text, wrong, args=form, max_examples=4)
    assert verdict.verdict == "counterexample", verdict
    assert "output: argument Rstd of _norm" in str(verdict.counterexample)


def test_a_number_that_is_returned_has_the_rounding_of_its_tensor(
    of_texts: Callable[..., Verdict],
) -> None:
    text = (SUBJECTS / "two_step.py").read_text().replace("return out", "return out.item()")
    other = text.replace("min(tiles, 4)", "min(tiles, 3)")
    verdict = of_texts(text, other, max_examples=8)
    assert verdict.verdict == "equivalent", verdict
    wrong = text.replace("tl.store(out, tl.sum(v, axis=0))", "tl.store(out, tl.sum(v, axis=0) * 2)")
    assert of_texts(text, wrong, max_examples=2).verdict == "counterexample"


def test_types_without_a_tolerance_are_compared_by_their_bits(
    of_texts: Callable[..., Verdict],
) -> None:
    """That rounding to so few digits may tip is no fault of either; nor is it a yes."""
    text = (SUBJECTS / "add.py").read_text()
    assert text.count("    return out\n") == 1
    text = text.replace("    return out\n", "    return out.to(torch.float8_e4m3fn)\n")
    options = {"args": "x: f32[n], y: f32[n]", "max_examples": 1}
    assert of_texts(text, text, **options).verdict == "identical"
    other = of_texts(text, text.replace("x + y", "x + y * 1.25"), **options)
    assert other.verdict == "unsupported", other
    assert "returned is of floats of 8 bits, and differs" in str(other.reason)
