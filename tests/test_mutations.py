"""The mutation run: what it draws, what it does with a process that hangs, what it reports."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import algebra
from benchmarks.algebra import MUTANTS, REWRITES
from benchmarks.mutation.edits import drawn, mutants
from benchmarks.mutation.right import RIGHT
from benchmarks.mutation.slots import Slot, answers
from benchmarks.mutation.table import KEYS, outcome, table
from benchmarks.mutation.wrong import WRONG
from tritonopt import source

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def _modules() -> dict[str, source.Module]:
    files = [EXAMPLES / name for name in ("softmax.py", "layer_norm.py", "variance.py")]
    return {path.name: source.read(path.read_text(), str(path)) for path in files}


def test_the_draw_is_spread_over_operators_and_depends_on_the_seed_alone() -> None:
    modules = _modules()
    first = drawn(modules, WRONG, 5, random.Random(1))
    again = drawn(modules, WRONG, 5, random.Random(1))
    assert [m.key(f) for f, m in first] == [m.key(f) for f, m in again]
    assert Counter(file for file, _ in first) == dict.fromkeys(modules, 5)
    assert max(Counter((file, m.operator) for file, m in first).values()) == 1
    assert len({m.operator for _, m in first}) > 5


KERNEL = """\
import torch
import triton
import triton.language as tl
from elsewhere import helper


@triton.jit
def k(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    {}


def launch(x):
    k[(1,)](x, x.numel(), BLOCK=16)
"""


@pytest.mark.parametrize(
    ("statement", "operator"),
    [
        ("tl.store(x_ptr + offs, tl.load(x_ptr + offs) + 1)", "stored twice"),
        ("tl.store(x_ptr + offs, helper(offs))", "stored twice"),
        ("tl.store(x_ptr + helper(offs), 1.0)", "programs backward"),
        ("tl.store(x_ptr + offs, 1.0, mask=0 <= offs < n)", "comparison mirrored"),
    ],
)
def test_a_right_rewrite_is_made_only_where_it_is_right(statement: str, operator: str) -> None:
    plain = KERNEL.format("tl.store(x_ptr + offs, offs, mask=offs < n)")
    for text, made in ((plain, True), (KERNEL.format(statement), False)):
        module = source.read(text, "kernel.py")
        assert (operator in {m.operator for m in mutants(module, RIGHT)}) == made


def test_a_share_is_part_of_the_whole_draw() -> None:
    modules = _modules()
    every = drawn(modules, WRONG, 6, random.Random(2))
    third = drawn(modules, WRONG, 6, random.Random(2), share=3)
    assert len(third) == 6
    assert {m.key(f) for f, m in third} < {m.key(f) for f, m in every}


def _work(what: str) -> dict[str, object]:
    if what == "hang":
        time.sleep(600)
    if what == "die":
        os._exit(3)
    return {"verdict": what, "reason": "", "examples": 1, "seconds": 0.0}


def test_a_process_that_hangs_or_dies_costs_one_answer() -> None:
    slot = Slot(_work)
    try:
        hung, fine = slot.ask(("hang",), 1.0), slot.ask(("fine",), 600.0)
        died, good = slot.ask(("die",), 600.0), slot.ask(("good",), 600.0)
    finally:
        slot.close()
    assert hung["reason"] == "no answer within 1 s"
    assert died["reason"] == "the process that verifies has ended"
    assert [a["verdict"] for a in (hung, fine, died, good)] == [
        *("timeout", "fine", "timeout", "good"),
    ]


def test_requests_are_shared_out() -> None:
    asked = [("one",), ("two",), ("three",)]
    found = answers(_work, asked, jobs=2, seconds=600.0, deadline=time.monotonic() + 600)
    assert {n: answer["verdict"] for n, answer in found} == {0: "one", 1: "two", 2: "three"}


def test_what_the_deadline_cuts_has_no_answer() -> None:
    assert list(answers(_work, [("fine",)], jobs=1, seconds=5.0, deadline=0.0)) == []


def test_the_page_counts_and_lists() -> None:
    def row(wrong: bool, verdict: str, line: int, file: str = "a.py") -> dict[str, object]:
        names = dict(zip(KEYS, (file, "k", line, "mask", "x", "y"), strict=True))
        return {**names, "wrong": wrong, "verdict": verdict, "reason": "why", "examples": 3,
                "compared": 10 * line}  # fmt: skip

    rows = [
        *(row(True, "counterexample", 1), row(True, "identical", 2), row(True, "identical", 3)),
        *(row(True, "unsupported", 4), row(False, "equivalent", 5)),
        *(row(False, "counterexample", 6), row(True, "unsupported", 7, "b.py")),
    ]
    made = {
        "settings": {"backend": "interpreter", "examples": 100},
        "environment": {"python": "3", "numpy": "2", "date": "", "machine": "m"},
        "baseline": {"a.py": {"verdict": "identical"}, "b.py": {"verdict": "error", "reason": "r"}},
        "mutants": rows,
    }
    page = table(made, {("a.py", "k", 3, "mask", "x", "y"): "it is the same"})
    assert [outcome(r) for r in rows] == [
        *("found", "survived", "equivalent", "no answer", "accepted", "accused", "no answer"),
    ]
    assert "| mask | 5 | 1 | 2 | 1 | 1 | 50 % |" in page
    assert "a.py:3, `k`, mask: `x` became `y`: it is the same" in page
    assert "## Files: 1 of 2 get a yes against themselves" in page
    assert "- b.py: error: r" in page
    assert "the least of them 20." in page


RESULTS = EXAMPLES.parent / "benchmarks" / "results"


@pytest.mark.parametrize("backend", ["interpreter", "cuda"])
def test_the_recorded_run_is_what_the_pages_say(backend: str) -> None:
    made = json.loads((RESULTS / f"mutations-{backend}.json").read_text(encoding="utf-8"))
    known = json.loads((RESULTS / "mutations_equivalent.json").read_text(encoding="utf-8"))
    page = table(made, {tuple(entry[key] for key in KEYS): entry["why"] for entry in known})
    assert (RESULTS / f"mutations-{backend}.md").read_text(encoding="utf-8") == page
    total = next(line for line in page.splitlines() if line.startswith("| **all**"))
    measured = (EXAMPLES.parent / "docs" / "measured.md").read_text(encoding="utf-8")
    assert total.split("|", 2)[2] in measured


@pytest.mark.parametrize(("name", "kinds"), [("algebra", MUTANTS), ("algebra_rewrites", REWRITES)])
def test_the_page_on_algebra_shows_the_record(name: str, kinds: dict[str, str]) -> None:
    record = Path(algebra.RESULT).with_name(f"{name}.json")
    rows = json.loads(record.read_text(encoding="utf-8"))["rows"]
    page = (EXAMPLES.parent / "docs" / "algebra.md").read_text(encoding="utf-8")
    for line in algebra.table(rows, kinds).splitlines():
        if line.startswith("|"):
            assert line in page
