"""Calls of a function that each branch of one statement of a module defines in its own way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.support import IMPORTS, body, form, kinds, value
from tritonopt import source
from tritonopt.facts import KernelFacts, of
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds, returning_early
from tritonopt.facts.uses import adds_up_floats
from tritonopt.source import Program

HEAD = IMPORTS + "import os\nimport triton.language.extra.libdevice as tldevice\n"


def helper(inside: str, name: str = "f") -> str:
    return f"    @triton.jit\n    def {name}(x): {inside}\n"


def branches(one: str, other: str) -> str:
    return f"if os.environ.get('FAST') == '1':\n{one}else:\n{other}"


FAST = helper("return tldevice.fast_expf(x.to(tl.float32))")
SLOW = helper("return tl.exp(x.to(tl.float32))")
BOTH = branches(FAST, SLOW)
CALL = "a = f(tl.load(X + tl.arange(0, B)))"
SHAPED = [
    BOTH,
    branches("    f = tldevice.fast_expf\n", SLOW),
    branches("    f = tldevice.fast_expf\n", "    f = tl.exp\n"),
    branches("    from triton.language.math import exp as f\n", SLOW),
    f"if os:\n{FAST}elif tl:\n{SLOW}else:\n{SLOW}",
    f"try:\n    f = tldevice.fast_expf\nexcept ImportError:\n{SLOW}",
    helper("return x + 1", "g").replace("    @", "@").replace("    def", "def")
    + branches(FAST, helper("return g(x)")),
]
UNKNOWN = [
    branches(FAST, helper("tl.store(x, 0)")),
    branches(FAST, helper("return tl.load(x)")),
    branches(FAST, helper("return x + tl.program_id(0)")),
    branches(FAST, helper("return x + (tl.num_programs(0),)[0]")),
    branches(helper("return tl.atomic_add(x, 1)"), SLOW),
    branches(FAST, helper("return unknown(x)")),
    branches(FAST, helper("return f(x)")),
    branches(FAST, "    f = os.environ\n"),
    branches(FAST, "    f = tl.load\n"),
    branches(FAST, "    f = tl.program_id\n"),
    branches(FAST, "    def f(x): return x\n"),
    branches(
        FAST,
        helper(
            "return tl.inline_asm_elementwise('mov.u32 $0, %clock;', '=r,r', [x], tl.int32, "
            "is_pure=True, pack=1)"
        ),
    ),
    branches(FAST, helper("return None")),
    branches(FAST, helper("return x, x")),
    branches(FAST, "    f = tl.make_tensor_descriptor\n"),
    branches(FAST, "    f, g = tl.exp, tl.log\n"),
    branches(FAST, "    with os:\n        f = tl.exp\n"),
    # Not bound in every branch, or in more than the branches of one statement.
    f"if os:\n{FAST}elif tl:\n{SLOW}",
    f"if os:\n{FAST}if tl:\n{SLOW}",
    branches(FAST + SLOW, "    pass\n"),
    BOTH + "f = tl.load\n",
    "f = tl.load\n" + BOTH,
    BOTH + "f += 1\n",
    BOTH + "for f in os: pass\n",
    BOTH + "def change():\n    global f\n    f = tl.load\n",
    BOTH + "from os.path import *\n",
]


@pytest.mark.parametrize("before", SHAPED)
def test_one_of_several_functions_that_only_compute(before: str) -> None:
    facts = body(CALL, before=HEAD + before)
    assert kinds(facts) == ["load"]
    found = value(facts, "a")
    assert (found.op, found.dtype, found.rank) == (Op.ONE_OF, None, 1)
    # What it depends on is not hidden.
    assert [operand.op for operand in found.operands] == [Op.LOAD]


@pytest.mark.parametrize("before", UNKNOWN)
def test_one_of_several_functions_that_may_do_more(before: str) -> None:
    facts = body(CALL, before=HEAD + before)
    assert "call" in kinds(facts)
    assert set(kinds(facts)) == {"load", "call"}


def test_the_shape_is_known_where_all_agree() -> None:
    before = branches(helper("return tl.sum(x, 0)"), SLOW)
    facts = body(CALL, before=HEAD + before)
    assert kinds(facts) == ["load"]
    assert value(facts, "a").shape is None


def test_two_calls_are_not_the_same_value() -> None:
    facts = body("a = f(N)\nb = f(N)", before=HEAD + BOTH)
    assert value(facts, "a") is not value(facts, "b")
    assert form(facts, "a") != form(facts, "b")
    assert facts.binding_times.of(value(facts, "a")) == "either"
    assert adds_up_floats(facts.interpretation)


def test_the_search_for_program_ids_looks_into_all_of_them() -> None:
    asks = helper("return x + tl.program_id(0)")
    for one, other in ((asks, SLOW), (FAST, asks)):
        facts = body(CALL, before=HEAD + branches(one, other))
        assert ProgramIds.of(facts.kernel, 0).in_helper == "f"


MAIN = (
    IMPORTS
    + "from .op import f\n\n@triton.jit\ndef k(X, Y, B: tl.constexpr):\n"
    + "    a = f(tl.load(X + tl.arange(0, B)))\n    tl.store(Y + tl.arange(0, B), a)\n"
)


def given(tmp_path: Path, files: dict[str, str]) -> KernelFacts:
    package = {"__init__.py": "", "main.py": MAIN, **files}
    for name, text in package.items():
        (tmp_path / name).write_text(text)
    whole = Program([tmp_path / name for name in package])
    kernel = source.read(package["main.py"], str(tmp_path / "main.py"), whole).kernel("k")
    assert kernel is not None
    return of(kernel)


@pytest.mark.parametrize("before", SHAPED)
def test_they_are_found_in_another_file(tmp_path: Path, before: str) -> None:
    facts = given(tmp_path, {"op.py": HEAD + before})
    assert kinds(facts) == ["load", "store"]
    assert value(facts, "a").op is Op.ONE_OF
    assert value(facts, "a").rank == 1
    assert facts.kernel.module.has_asked_elsewhere


@pytest.mark.parametrize("before", UNKNOWN)
def test_what_may_do_more_in_another_file(tmp_path: Path, before: str) -> None:
    assert kinds(given(tmp_path, {"op.py": HEAD + before})) == ["load", "call", "store"]


@pytest.mark.parametrize(
    "patch",
    [
        "from . import op\nop.f = print\n",
        "from . import op\nsetattr(op, 'f', print)\n",
        "from . import main\nmain.f = print\n",
    ],
)
def test_one_that_a_file_replaces_is_not_known(tmp_path: Path, patch: str) -> None:
    facts = given(tmp_path, {"op.py": HEAD + BOTH, "patch.py": patch})
    assert kinds(facts) == ["load", "call", "store"]


def test_an_early_return_of_one_of_them_is_seen(tmp_path: Path) -> None:
    early = helper("\n        if x > 0:\n            return x\n        return -x")
    facts = given(tmp_path, {"op.py": HEAD + branches(early, SLOW)})
    assert returning_early(facts.kernel, facts.kernel.node.body) is not None
    facts = given(tmp_path, {"op.py": HEAD + BOTH})
    assert returning_early(facts.kernel, facts.kernel.node.body) is None


def test_the_search_for_program_ids_goes_to_other_files(tmp_path: Path) -> None:
    asks = helper("return x + tl.program_id(0)")
    facts = given(tmp_path, {"op.py": HEAD + branches(asks, SLOW)})
    assert ProgramIds.of(facts.kernel, 0).in_helper == "f"
