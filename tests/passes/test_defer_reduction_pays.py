"""At which sites a deferred reduction is taken to pay, by what the launches show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tritonopt.facts import of
from tritonopt.rewriting.model import Answer, Site
from tritonopt.rewriting.registry import select
from tritonopt.source import read

CASES = Path(__file__).resolve().parent / "defer-reduction"


def site_of(text: str) -> Site:
    (chosen,) = select("defer-reduction")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed
    return site


def case(name: str) -> str:
    return (CASES / f"{name}.py").read_text()


@pytest.mark.parametrize("name", ["sum_of_squares", "nested_loops", "under_a_condition"])
def test_it_depends_on_rows_whose_length_no_launch_shows(name: str) -> None:
    site = site_of(case(name))
    assert site.profit.answer is Answer.AT_LAUNCH


@pytest.mark.parametrize(("columns", "pays"), [(32, False), (48, False), (64, True), (4096, True)])
def test_from_four_turns_on_it_pays(columns: int, pays: bool) -> None:
    site = site_of(case("sum_of_squares").replace("y, n, BLOCK=16)", f"y, {columns}, BLOCK=16)"))
    assert site.profit.answer is (Answer.ALWAYS if pays else Answer.NEVER)
    assert pays or f"the loop turns {columns // 16} times" in site.message


def test_a_loop_that_runs_once_has_nothing_to_save() -> None:
    text = case("sum_of_squares").replace("BLOCK=16)", "BLOCK=triton.next_power_of_2(n))")
    site = site_of(text)
    assert site.profit.answer is Answer.NEVER
    assert "runs once at the launch" in site.message


def test_a_turn_with_a_loop_of_its_own_takes_longer_than_a_reduction() -> None:
    text = case("sum_of_squares").replace(
        "        acc += tl.sum(x * x",
        """        for _ in range(N):
            x = x * 0.5 + 1.0
        acc += tl.sum(x * x""",
    )
    site = site_of(text)
    assert site.profit.answer is Answer.NEVER and "a turn has a loop of its own" in site.message


def test_what_stays_in_the_loop_is_waited_for_all_the_same() -> None:
    update = "        acc += tl.sum(x * x"
    text = case("sum_of_squares").replace(update, f"        x = x - tl.max(x, axis=0)\n{update}")
    site = site_of(text)
    assert (
        site.profit.answer is Answer.NEVER
        and "the reduction in line 15 stays in the loop" in site.message
    )


def test_a_large_tile_depends_on_the_registers() -> None:
    text = case("sum_of_squares").replace("y, n, BLOCK=16)", "y, 2**20, BLOCK=32768)")
    assert site_of(text).profit.answer is Answer.AT_LAUNCH


def test_a_tile_that_becomes_wider_depends_on_them() -> None:
    assert site_of(case("wide_counts")).profit.answer is Answer.AT_LAUNCH


def test_what_the_compiler_may_defer_has_nothing_to_save() -> None:
    text = case("rows_of_a_tile")
    assert site_of(text).profit.answer is Answer.AT_LAUNCH
    loaded = text.replace("tl.where(mask, x - 1.0, 0.0)", "x")
    assert loaded != text
    site = site_of(loaded)
    assert (
        site.profit.answer is Answer.NEVER and "the compiler may do that by itself" in site.message
    )


@pytest.mark.parametrize(("block", "pays"), [("BLOCK", False), ("16", True), ("65536", False)])
def test_a_tile_of_two_axes_has_to_find_registers(block: str, pays: bool) -> None:
    """Each turn added it up to one axis: what is kept is as many times as large."""
    text = case("rows_of_a_tile")
    launches = text.count("BLOCK=")
    assert launches
    given = re.sub(r"BLOCK=\d+", f"BLOCK={block}", text)
    site = site_of(given)
    assert (site.profit.answer is not Answer.NEVER) == pays, site.message
    assert pays or "is kept through the loop" in site.message
