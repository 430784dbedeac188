"""What the caller says of types is what calls are made of, those made on purpose included."""

from __future__ import annotations

import pytest

from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.text_differences import Numbers
from tritonopt.verification.inputs.examples import BEYOND, Example, Limits
from tritonopt.verification.process.messages import Coverage
from tritonopt.verification.signature.argument_parser import parse

LIMITS = Limits(2**12, 8, frozenset({"f64", "f32", "f16", "i64", "i32"}))
UNMET = Demand("original", 7, "line", "what no call comes to")


def types(text: str, *, given: bool) -> set[tuple[str, str]]:
    """Of every tensor, the types that it has in some call, while something has not run."""
    made: list[Example] = []

    def seen(example: Example) -> tuple[Coverage, Coverage]:
        return Coverage(), Coverage()

    aiming = Aiming(parse(text), LIMITS, seen, lambda: [UNMET], [UNMET], given=given)
    made += aiming.examples()
    return {(name, recipe.dtype) for e in made for name, recipe in e.tensors.items()}


@pytest.mark.parametrize(
    "text", ["x: f16[m, n]", "x: f32|f16[m, n], w: f32[n]", "x: f16[n], at: i64[n] in 0..9"]
)
def test_types_that_are_given_are_the_only_ones(text: str) -> None:
    allowed = {(tensor.name, d) for tensor in parse(text).tensors for d in tensor.dtypes}
    assert types(text, given=True) == allowed


def test_types_that_were_inferred_are_not() -> None:
    assert ("x", "i64") in types("x: f16[m, n]", given=False)
    assert ("w", "f64") in types("x: f32|f16[m, n], w: f32[n]", given=False)


def test_values_beyond_a_number_meet_every_flag() -> None:
    numbers = Numbers(large=(1e30,))

    def seen(example: Example) -> tuple[Coverage, Coverage]:
        return Coverage(), Coverage()

    text = "x: f32[m, n], smoothing: 0.0|0.1"
    aiming = Aiming(parse(text), LIMITS, seen, list, [], numbers)
    found = {
        (str(e.tensors["x"].values), str(dict(e.arguments)["smoothing"])) for e in aiming.examples()
    }
    assert {(f"{BEYOND}{sign}1e+30", "0.1") for sign in ("", "-")} <= found
