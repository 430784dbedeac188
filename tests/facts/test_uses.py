"""Whether a product that is left behind may be contracted with an addition."""

from __future__ import annotations

import pytest

from tests.facts.support import body, expression
from tritonopt.facts.uses import may_be_contracted

SETUP = """
cols = tl.arange(0, B)
mask = cols < N
x = tl.load(X + cols, mask=mask, other=0.0)
y = tl.load(Y + cols, mask=mask, other=0.0)
acc = tl.zeros([B], tl.float32)
"""
WHERE = "tl.where(mask, x * y, 0.0)"


@pytest.mark.parametrize(
    ("use", "contracted"),
    [
        (f"tl.store(Y + cols, {WHERE})", False),
        (f"acc += {WHERE}", True),
        (f"tl.store(Y, tl.sum({WHERE}, axis=0))", True),
        (f"p = {WHERE}\ntl.store(Y + cols, x - p)", True),
        (f"p = {WHERE}.to(tl.float32)\nq = p + 1.0", True),
        (f"tl.store(Y + cols, tl.exp({WHERE}) + 1.0)", False),
        (f"tl.store(Y + cols, {WHERE} * 2.0 + 1.0)", False),
        (f"tl.store(Y + cols, tl.erf({WHERE}))", True),
        (f"tl.store(Y + cols, {WHERE} % 2.0)", True),
        (f"for i in range(N):\n    acc = {WHERE}", True),
        (f"for i in range(N):\n    acc = tl.maximum(acc, {WHERE})", False),
    ],
)
def test_what_a_product_meets(use: str, contracted: bool) -> None:
    facts = body(SETUP + use)
    product, result = expression(facts, "x * y"), expression(facts, WHERE)
    found = may_be_contracted(facts.interpretation, product, result, elsewhere=False)
    assert found == contracted


def test_a_sum_is_no_product() -> None:
    facts = body(f"{SETUP}acc += tl.where(mask, x * y + x, 0.0)")
    total = expression(facts, "x * y + x")
    result = expression(facts, "tl.where(mask, x * y + x, 0.0)")
    assert not may_be_contracted(facts.interpretation, total, result, elsewhere=True)
