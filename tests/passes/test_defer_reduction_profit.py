"""At which sites a deferred reduction is profitable, by what the launches show."""

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


def launched(columns: int, tile: str, text: str = "") -> str:
    """The sum of squares of 64 rows of so many columns."""
    given = (text or case("sum_of_squares")).replace("n, BLOCK=16)", f"{columns}, BLOCK={tile})")
    return given.replace("kernel[(m,)]", "kernel[(64,)]")


@pytest.mark.parametrize("name", ["sum_of_squares", "nested_loops", "under_a_condition"])
def test_it_depends_on_rows_whose_length_no_launch_shows(name: str) -> None:
    site = site_of(case(name))
    assert not site.profit.is_expected


@pytest.mark.parametrize(
    ("columns", "is_profitable"), [(32, False), (48, False), (64, False), (128, True), (4096, True)]
)
def test_from_four_iterations_on_it_is_profitable(columns: int, is_profitable: bool) -> None:
    """And 16 for each of the programs of a multiprocessor: 8 for half as many as there are."""
    site = site_of(launched(columns, "16"))
    assert site.profit.answer is (Answer.ALWAYS if is_profitable else Answer.NEVER)
    assert is_profitable or "at least" in site.profit.why


def test_a_loop_that_runs_once_has_nothing_to_save() -> None:
    text = case("sum_of_squares").replace("BLOCK=16)", "BLOCK=triton.next_power_of_2(n))")
    profit = site_of(text).profit
    assert profit.answer is Answer.NEVER and "at least 4 iterations" in profit.why


SQUARES = "        acc += tl.sum(x * x"


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("for _ in range(N):\n            x = x * 0.5 + 1.0", "contains a loop"),
        ("x = x - tl.max(x, axis=0)", "the reduction in line 15 stays in the loop"),
    ],
)
def test_what_takes_as_long_as_the_reduction_stays_in_the_loop(before: str, why: str) -> None:
    text = case("sum_of_squares").replace(SQUARES, f"        {before}\n{SQUARES}")
    profit = site_of(launched(4096, "16", text)).profit
    assert profit.answer is Answer.NEVER and why in profit.why


def test_a_tile_that_becomes_wider_takes_more_registers() -> None:
    profit = site_of(case("wide_counts")).profit
    assert profit.answer is Answer.NEVER and "may be narrower" in profit.why


def test_a_thread_of_more_warps_keeps_less() -> None:
    site = site_of(launched(2**20, "16384, num_warps=32"))
    assert site.profit.answer is Answer.ALWAYS
    few = read(launched(2**20, "16384, num_warps=4"), "case.py").kernel("kernel")
    (declined,) = select("defer-reduction")[0].sites(of(few))
    assert [one.otherwise for one in declined.failed] == ["tile-is-spilled"]
