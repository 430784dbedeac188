"""At which sites a deferred reduction is taken to pay, by what the launches show."""

from __future__ import annotations

import pytest

from tests.passes import cases
from tritonopt.facts import of
from tritonopt.rewriting.model import Answer, Site
from tritonopt.rewriting.registry import select
from tritonopt.source import read


def site_of(text: str) -> Site:
    (chosen,) = select("defer-reduction")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed
    return site


def case(name: str) -> str:
    return cases.case(f"defer-reduction/{name}").text


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


@pytest.mark.parametrize("warps", [4, 32])
def test_a_thread_of_more_warps_keeps_less(warps: int) -> None:
    text = case("sum_of_squares")
    given = text.replace("y, n, BLOCK=16)", f"y, 1048576, BLOCK=16384, num_warps={warps})")
    assert given != text and (site_of(given).profit.answer is Answer.AT_LAUNCH) == (warps == 4)


def test_a_tile_of_two_axes_seldom_gains() -> None:
    """Each iteration added it up to one axis: what is kept is as many times as large."""
    (chosen,) = select("defer-reduction{two_axes=true}")
    text = case("rows_of_a_tile")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed and site.profit.answer is Answer.NEVER and "2 axes" in site.message


@pytest.mark.parametrize(("block", "warps", "passes"), [(512, 4, True), (1024, 4, False)])
def test_two_axes_are_kept_up_to_16_elements_a_thread(block: int, warps: int, passes: bool) -> None:
    text = case("rows_of_a_tile").replace("BLOCK=8", f"BLOCK={block}, num_warps={warps}")
    (chosen,) = select("defer-reduction{two_axes=true}")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert (not site.failed) == passes, site.message
