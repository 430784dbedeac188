"""The table of `tune`: what became of variants, and why."""

from __future__ import annotations

from tritonopt.measurement.results import Compiled, Machine, Row
from tritonopt.measurement.tuned import Answer, Fate, Tried, TunedRow
from tritonopt.reporting.text import Style
from tritonopt.reporting.tuning_table import tuning_lines


def test_why_variants_could_not_be_timed_is_said_once() -> None:
    tried = [Tried(f"num_warps {n}", "", Fate.FAILED, "out of memory") for n in (8, 16, 32)]
    tried.append(Tried("rows", "", Fate.FAILED, "no answer within 14 s"))
    tried.append(Tried("all", "", Fate.DROPPED))
    answer = Answer("f.py", "f", "", "", tried=tuple(tried))
    lines = [line.strip() for line in tuning_lines([answer], Style(color=False))]
    assert "5 variants in 0 s: 4 could not be timed" in lines[2]
    assert lines[3:] == ["num_warps 8 and 2 more: out of memory", "rows: no answer within 14 s"]


def test_what_was_not_looked_at_is_not_said_to_be_no_faster() -> None:
    machine = Machine("GPU", "2", "3", "13", "1")
    row = TunedRow("x f16[8]", {"n": 8}, original=Row("f", "x f16[8]", {"n": 8}))

    def said(*fates: Fate) -> str:
        tried = tuple(Tried(f"v{at}", "", fate) for at, fate in enumerate(fates))
        answer = Answer("f.py", "f", "", "", rows=(row,), tried=tried, machine=machine)
        return next(x for x in tuning_lines([answer], Style(color=False)) if "n=8" in x)

    assert said(Fate.WAITING, Fate.WAITING).endswith("no variant was tried")
    assert said(Fate.WAITING, Fate.DROPPED).endswith("none was faster so far")
    assert said(Fate.SAME_CODE, Fate.DROPPED).endswith("no variant was faster")


def test_without_a_gpu_it_is_said_what_the_figures_let_expect() -> None:
    def code(version: str, spills: int, barriers: int, failure: str = "") -> tuple[Compiled, ...]:
        numbers = {"stack bytes (spills)": spills, "barriers": barriers}
        return (Compiled(version, "k", "sm_90", numbers, failure, digest=version),)

    first = TunedRow("x f16[8]", {"n": 8}, original=Row("f", "x f16[8]", compiled=code("", 8, 4)))
    made = {
        "a": (8, 2),
        "b": (64, 2),
        "c": (8, 4),
        "d": (0, 4),
        "e": (0, 0, "too large"),
        "g": (0, 1),
    }
    tried = [Tried(n, n, Fate.DROPPED, compiled=code(n, *of)) for n, of in made.items()]  # type: ignore[arg-type]
    answer = Answer("f.py", "f", "o", "o", rows=(first,), tried=tuple(tried))
    (said,) = [x for x in tuning_lines([answer], Style(color=False)) if "next: " in x]
    assert said.strip() == (
        "next: time first (fewer barriers): a; likely slower (more spills): b; "
        "no clear sign: c; time first (fewer spills): d; "
        "likely slower (more failures to compile): e; time first (fewer barriers and spills): g. "
        "Only times decide: tritonopt tune on a GPU"
    )
