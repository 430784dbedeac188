"""The vocabulary of operations: each is explained, and has a rule or is known to have none."""

from __future__ import annotations

import re

from tritonopt.facts import operations
from tritonopt.facts.algebra.form_rules import RULES
from tritonopt.facts.operations import Op


def test_every_operation_is_explained() -> None:
    assert operations.__doc__ is not None
    listed = operations.__doc__.partition("\n\n")[2]
    operators = {"mul", "div", "floordiv", "mod", "pow", "and", "or", "xor", "shl", "shr"}
    operators |= {"neg", "pos", "invert", "not", "gt", "ge", "eq", "ne"}
    missing = [o.value for o in Op if not re.search(rf"\b{o.value}\b", listed)]
    assert set(missing) <= operators


def test_what_has_no_form_is_known() -> None:
    assert set(Op) - set(RULES) == {Op.BLOCK_POINTER, Op.OPAQUE, Op.WIDENED}


def test_an_operation_is_printed_as_it_is_called() -> None:
    assert f"{Op.IS_NOT} {Op.LOAD}" == "is not load"
