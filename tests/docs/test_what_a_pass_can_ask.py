"""The tables of docs/writing-a-pass.md: what they say can be asked and done exists, and is that."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from tritonopt import facts as all_facts
from tritonopt import source
from tritonopt.emit import writing
from tritonopt.facts.language import function
from tritonopt.facts.recurrences import recurrences

PAGE = Path(__file__).resolve().parents[2] / "docs" / "writing-a-pass.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## What a pass can ask")[1].split("\n## ")[0]
ROWS = dict(re.findall(r"^\| `(.+?)` \| (.+) \|$", SECTION, re.MULTILINE))

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, N, BM: tl.constexpr):
    two = 2 * BM
    sum = BM + BM
    x = tl.where(tl.arange(0, BM) < N, tl.load(X), 0.0)
    for i in range(N):
        tl.store(X + i + tl.arange(0, BM), x)
"""


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    """What the expressions in the tables are about."""
    kernel = source.read(KERNEL, "kernel.py").kernel("kernel")
    assert kernel is not None
    facts = all_facts.of(kernel)
    two, total, chosen = kernel.node.body[:3]
    assert isinstance(two, ast.Assign) and isinstance(total, ast.Assign)
    assert isinstance(chosen, ast.Assign)
    return {
        "facts": facts,
        "node": chosen.value,
        "call": chosen.value,
        "value": facts.values[two.value],
        "other": facts.values[total.value],
        "effect": facts.effects[0],
        "statement": chosen,
        "first": two,
        "last": chosen,
        "code": "x",
        "function": function,
        "loop": facts.loops[0],
        "recurrences": recurrences,
        **vars(writing),
        **{name: getattr(source, name) for name in dir(source) if name[0].isupper()},
    }


def facts_before(known: dict[str, Any], statement: ast.stmt) -> object:
    return eval('facts.before[statement].get("two")', {**known, "statement": statement})


@pytest.mark.parametrize("asked", ROWS)
def test_it_can_be_asked(asked: str, known: dict[str, Any]) -> None:
    found = eval(asked, dict(known))
    # What follows in the row, such as `.seen`, is an attribute of what is found.
    for attribute in re.findall(r"`\.(\w+)[`(]", ROWS[asked]):
        assert hasattr(found[0] if isinstance(found, list) else found, attribute), attribute


def test_every_change_is_in_the_table() -> None:
    named = {row.partition("(")[0] for row in ROWS}
    changes = {name for name in source._HOMES["editing.changes"] if name != "Change"}
    assert changes <= named


def test_what_is_said_of_values_is_so(known: dict[str, Any]) -> None:
    two, total = known["value"], known["other"]
    assert two is not total and not two.shape and two.shape is not None
    assert eval("(facts.forms.of(value) - facts.forms.of(other)).is_zero", dict(known))
    assert eval('function(facts.kernel.module.resolve(call.func)) == "where"', dict(known))
    assert eval("facts.kernel.module.names.parents.get(node) is statement", dict(known))
    assert facts_before(known, known["last"]) is two
    assert eval("value.name, value.function", dict(known)) == ("", "")
    assert eval("names_bound(statement)", dict(known)) == {"x"}
    assert eval('Writer(facts).language("where") == "tl.where"', dict(known))
